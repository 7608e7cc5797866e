"""One cached sequence: decode, logits, cut."""

import ctypes
import sys
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from app.core.errors import CancelledByUser, EngineFault, EnvironmentFault
from app.core.gguf.kv import SNAPSHOTS
from app.engine.backends.llamacpp import library
from app.engine.backends.llamacpp.binding import native
from app.engine.backends.llamacpp.rollback import Rollback
from app.engine.backends.llamacpp.weights import Weights
from app.engine.cancel import CancelFlag
from app.engine.ports import Logits
from app.protocol.options import MAX_LOOKAHEAD, CacheType, FlashAttention

BATCH = 512
"""Tokens decoded at once at most."""
ROWS = MAX_LOOKAHEAD + 1
"""Rows of one pass whose logits can be asked for."""
SPARE = ROWS
"""Cells the cache has beyond the context: proposals and padding must fit at the very end too."""
MOST_OWED = 16
"""Tokens put in front of a pass at most; more are decoded by themselves."""

_CACHE_TYPES: dict[CacheType, int] = {
    "F16": native.GGML_TYPE_F16,
    "Q8_0": native.GGML_TYPE_Q8_0,
    "Q4_0": native.GGML_TYPE_Q4_0,
}
FLASH_ATTENTION: dict[FlashAttention, int] = {
    "auto": native.LLAMA_FLASH_ATTN_TYPE_AUTO,
    "on": native.LLAMA_FLASH_ATTN_TYPE_ENABLED,
    "off": native.LLAMA_FLASH_ATTN_TYPE_DISABLED,
}
_ABORTED = 2
_NO_ROOM = 1


class Listener(Protocol):
    """Follows what happens to a context. It never raises: a pass that was computed must not fail for it."""

    def decoded(self, start: int, tokens: Sequence[int]) -> None:
        """`tokens` were computed at positions from `start` on, in one native call; some perhaps once more."""
        ...

    def cut(self, keep: int) -> int:
        """The text has been cut to `keep` tokens.

        Returns:
            How many of them may count as computed, `keep` at most: those after that are computed again.
        """
        ...

    def mark(self, length: int) -> None:
        """The text may be cut to this length, which is its length now."""
        ...


class Context:
    """One cached sequence on `Weights`: a `TokenModel`.

    Args:
        weights: The model; must outlive the context.
        n_ctx: Tokens a conversation may have.
        threads: For passes and prefill.
        cache_type: How the numbers of the cache are kept.
        flash_attention: "off" only with a cache in F16.

    Raises:
        EnvironmentFault: the library cannot make the context; nearly always memory.
    """

    def __init__(
        self,
        weights: Weights,
        n_ctx: int,
        threads: int,
        cache_type: CacheType = "F16",
        flash_attention: FlashAttention = "auto",
    ) -> None:
        parameters = native.llama_context_default_params()
        parameters.n_ctx = n_ctx + SPARE
        parameters.n_batch = BATCH
        parameters.n_ubatch = BATCH
        parameters.n_threads = parameters.n_threads_batch = threads
        # Room for all proposals of a pass, and no more: by default the buffers would hold logits of a whole batch,
        # half a gigabyte for a vocabulary of 256,000. Asking for more rows than this ends the process.
        parameters.n_outputs_max = parameters.n_outputs_max_per_seq = ROWS
        if not weights.can_truncate:
            parameters.n_rs_seq = SNAPSHOTS  # what is granted is read back below
        parameters.type_k = parameters.type_v = _CACHE_TYPES[cache_type]
        parameters.flash_attn_type = FLASH_ATTENTION[flash_attention]
        parameters.no_perf = True
        library.native_log.since()
        self._context: Any = native.llama_init_from_model(weights.handle, parameters)
        if not self._context:
            detail = library.native_log.since()
            raise EnvironmentFault(
                "context_failed",
                f"There is not enough memory for a context of {n_ctx:,} tokens with {weights.path.name}.",
                "Choose a shorter context or a smaller model.",
                detail,
            )
        self._weights = weights
        self._n_ctx = n_ctx
        self.cache_type: CacheType = cache_type
        self.flash_attention: FlashAttention = flash_attention
        self._memory: Any = native.llama_get_memory(self._context)
        self._batch = native.llama_batch_init(BATCH, 0, 1)
        for index in range(BATCH):
            self._batch.n_seq_id[index] = 1
            self._batch.seq_id[index][0] = 0
        self._tokens = view_of(self._batch.token, BATCH, np.dtype(np.int32))
        self._positions = view_of(self._batch.pos, BATCH, np.dtype(np.int32))
        self._flags = view_of(self._batch.logits, BATCH, np.dtype(np.int8))
        self._text: list[int] = []
        self._computed = 0  # tokens of the text the native cache really holds; the rest is owed to it
        self._rollback: Rollback | None = None
        if not weights.can_truncate:
            self._rollback = Rollback(self._context, int(native.llama_n_rs_seq(self._context)))
        self._rows: npt.NDArray[np.float32] = np.empty((0, weights.n_vocab), dtype=np.float32)
        self._scores = NativeRows(weights.n_vocab)
        self.listener: Listener | None = None
        self._cancel = CancelFlag()
        self.watch(self._cancel)

    def close(self) -> None:
        """Free the memory. Twice is fine."""
        if self._context:
            native.llama_batch_free(self._batch)
            native.llama_free(self._context)
            self._context = None

    def watch(self, cancel: CancelFlag) -> None:
        """Abort passes when this flag is set, from now on."""
        self._cancel = cancel
        native.llama_set_abort_callback(self._context, _strlen_as_abort_hook(), ctypes.c_void_p(cancel.address))

    @property
    def handle(self) -> Any:
        """The native context, for the heads."""
        return self._context

    @property
    def weights(self) -> Weights:
        return self._weights

    @property
    def n_ctx(self) -> int:
        return self._n_ctx

    @property
    def n_vocab(self) -> int:
        return self._weights.n_vocab

    @property
    def length(self) -> int:
        return len(self._text)

    @property
    def owed(self) -> int:
        return len(self._text) - self._computed

    @property
    def keeps_state(self) -> bool:
        return self._rollback is not None

    @property
    def can_truncate(self) -> bool:
        return self._rollback is None or self._rollback.possible

    @property
    def end_tokens(self) -> frozenset[int]:
        return self._weights.end_tokens

    def decode(self, tokens: Sequence[int], *, every_row: bool = False) -> None:
        """See `TokenModel.decode`. At most `ROWS` tokens with `every_row`."""
        if every_row and len(tokens) > ROWS:
            raise EngineFault("too_many_rows", f"A pass of {len(tokens)} rows was asked for; {ROWS} are possible.")
        if len(self._text) + len(tokens) > self._n_ctx + SPARE:
            raise self._full()
        if not every_row:
            pending = [*self._text[self._computed :], *tokens]
            for start_at in range(0, len(pending), BATCH):
                self._compute(pending[start_at : start_at + BATCH], wanted=1)
            return
        if self.owed > MOST_OWED:
            self.pay(self.owed)
        if self._rollback is not None:
            self._rollback.before(self._computed, len(tokens) - 1)
        self._compute([*self._text[self._computed :], *tokens], wanted=len(tokens))

    def pay(self, most: int) -> None:
        """See `TokenModel.pay`."""
        stop = self._computed + min(most, self.owed)
        while self._computed < stop:
            self._compute(self._text[self._computed : min(stop, self._computed + BATCH)], wanted=0)

    def _compute(self, tokens: Sequence[int], *, wanted: int) -> None:
        """Decode the tokens after the computed ones, with the logits of the last `wanted` rows."""
        count = len(tokens)
        start = self._computed
        if count == 1:
            self._tokens[0], self._positions[0], self._flags[0] = tokens[0], start, wanted
        else:
            self._tokens[:count] = tokens
            self._positions[:count] = range(start, start + count) if count <= ROWS else np.arange(start, start + count)
            self._flags[:count] = 0
            if wanted:
                self._flags[count - wanted : count] = 1
        self._batch.n_tokens = count
        result = native.llama_decode(self._context, self._batch)
        if result != 0:
            self._restore()
            raise self._failure(result)
        self._computed = start + count
        self._text[start : self._computed] = tokens  # what is still owed after them stays
        if self._rollback is not None:
            self._rollback.after(count)
        if wanted:
            # The pass is only queued until its results are read; reading them here makes times honest on any device.
            self._rows = self._scores.at(_logits_of(self._context) or 0, wanted)
        if self.listener is not None:
            self.listener.decoded(start, tokens)

    def _failure(self, result: int) -> Exception:
        if result == _ABORTED or self._cancel.is_set():
            return CancelledByUser()
        if result == _NO_ROOM:
            return self._full()
        return EngineFault(
            "decode_failed",
            "The engine could not compute the next tokens.",
            "Restart the engine. If it happens again, use fewer GPU layers or a shorter context.",
            f"llama_decode returned {result}\n{library.native_log.since()}",
        )

    def _full(self) -> EngineFault:
        return EngineFault("context_full", f"The context of {self._n_ctx:,} tokens is full.")

    def logits(self, row: int) -> Logits:
        result: Logits = self._rows[row]
        return result

    def mark(self) -> None:
        if self._rollback is None:
            return
        self.pay(self.owed)
        self._rollback.mark(self._computed)
        if self.listener is not None:
            self.listener.mark(self._computed)

    def truncate(self, keep: int) -> None:
        if keep >= len(self._text):
            return
        computed = self.listener.cut(keep) if self.listener is not None else keep
        if computed < self._computed:
            self._computed = self._cut(computed)
        del self._text[keep:]

    def _cut(self, keep: int) -> int:
        if self._rollback is not None:
            return self._rollback.back(self._computed, keep)
        if not native.llama_memory_seq_rm(self._memory, 0, keep, -1):
            self.clear()
            raise EngineFault(
                "cannot_truncate", "This model cannot take back tokens.", "Speculation is not possible with it."
            )
        return keep

    def clear(self) -> None:
        if self._rollback is not None:
            self._rollback.clear()
        else:
            native.llama_memory_clear(self._memory, True)  # noqa: FBT003 (native)
        self._text = []
        self._computed = 0
        if self.listener is not None:
            self.listener.cut(0)

    def _restore(self) -> None:
        """After a failed decode the library may hold part of the batch: cut back to what is known."""
        if self._rollback is not None:
            self._computed = self._rollback.recover()
        elif not native.llama_memory_seq_rm(self._memory, 0, self._computed, -1):
            self.clear()


class NativeRows:
    """Rows of `width` numbers in native memory, not copied. Where they lie hardly ever changes, so views are kept."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._address = 0
        self._views: dict[int, npt.NDArray[np.float32]] = {}

    def at(self, address: int, count: int) -> npt.NDArray[np.float32]:
        """The first `count` rows there; shape (count, width).

        Raises:
            EngineFault: the library gave no address; reading there would end the process.
        """
        if not address:
            raise EngineFault("no_scores", "The engine gave no results.", "Restart the engine.")
        if address != self._address:
            self._address, self._views = address, {}
        view = self._views.get(count)
        if view is None:
            view = numbers_at(address, count * self._width, np.dtype(np.float32)).reshape(count, self._width)
            self._views[count] = view
        return view


def address_from(function: Any) -> Callable[[Any], int | None]:
    """A native function of a context that gives a pointer, as one that gives a number.

    Of the binding's own, every call makes two objects, only to be asked where they point.
    """
    address = ctypes.cast(function, ctypes.c_void_p).value or 0
    return ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(address)


_logits_of = address_from(native.llama_get_logits)


def view_of(pointer: Any, count: int, kind: np.dtype[Any]) -> npt.NDArray[Any]:
    """`count` numbers of native memory, not copied."""
    return numbers_at(ctypes.cast(pointer, ctypes.c_void_p).value or 0, count, kind)


def numbers_at(address: int, count: int, kind: np.dtype[Any]) -> npt.NDArray[Any]:
    """The same where the address is known as a number."""
    memory = memoryview((ctypes.c_byte * (count * kind.itemsize)).from_address(address)).cast("B")
    return np.frombuffer(memory, dtype=kind)


def _strlen_as_abort_hook() -> Any:
    """`strlen` as `bool (*)(void *)`: 0 for an empty text, 1 for a text of one character.

    A hook in Python would take the interpreter lock for every node of the graph, in the middle of the computation.
    """
    library = ctypes.cdll.msvcrt if sys.platform == "win32" else ctypes.CDLL(None)
    return ctypes.cast(library.strlen, native.ggml_abort_callback)
