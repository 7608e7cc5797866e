"""Extra prediction heads inside the target (MTP/NextN): a context of its own on the target's hidden rows.

The symbols are private in the binding (`llama_cpp_ext`); nothing outside this file knows them. What the library does
not check ends the process, so that everything is checked before a context is made (`app.core.gguf.heads_problem`): the
architecture has a head graph, the file names heads, and they are really there.

The head's row at position p is computed from token p and the target's hidden row p - 1 (zeros for position 0). A head
in a graph of several rows may silently return another row's hidden state, so that every draft step decodes one row.
"""

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from app.core.errors import EngineFault, EnvironmentFault
from app.engine.backends.llamacpp import library
from app.engine.backends.llamacpp.binding import extensions, native
from app.engine.backends.llamacpp.context import (
    BATCH,
    FLASH_ATTENTION,
    SPARE,
    Context,
    NativeRows,
    address_from,
    view_of,
)
from app.engine.backends.llamacpp.weights import Weights
from app.engine.ports import Logits

WAITING_BYTES = 64 * 1024 * 1024
"""Hidden rows of the target kept for later at most; beyond that the heads catch up at once."""
MOST_ROWS_KEPT = 8
"""Marked lengths of which the hidden row is kept, at most."""

_FILTERED_LATE = frozenset({"bailingmoe3", "hy_v3"})
"""Architectures with several heads whose hidden rows are taken before those of outputs are picked: asked for the row of
the last of several tokens, the library gives the first one's, unless every token is an output."""

_hidden_of = address_from(extensions.llama_get_embeddings_nextn)
_Rows = npt.NDArray[np.float32]


class _Waiting:
    """Tokens of the text that the heads have not processed, with the target's hidden rows."""

    def __init__(self) -> None:
        self._tokens: list[int] = []
        self._rows: list[_Rows] = []

    def __len__(self) -> int:
        return len(self._tokens)

    def add(self, tokens: Sequence[int], rows: _Rows) -> None:
        self._tokens.extend(tokens)
        self._rows.extend(rows)

    def row(self, place: int) -> _Rows:
        return self._rows[place]

    def cut(self, keep: int) -> None:
        del self._tokens[keep:], self._rows[keep:]

    def take(self, count: int) -> tuple[list[int], _Rows]:
        """The first `count`, which wait no longer."""
        taken = self._tokens[:count], np.stack(self._rows[:count])
        del self._tokens[:count], self._rows[:count]
        return taken


class HeadContext:
    """The heads of one target: a `HeadModel`, and the `Listener` of the target's context.

    Args:
        target: The target's context; it must be closed after this.
        threads: For head passes.
        side: The weights of the heads where they are in a file of their own; closed after this.

    Raises:
        EngineFault: the weights were loaded without heads; the library would end the process.
        EnvironmentFault: the library cannot make the context.
    """

    def __init__(self, target: Context, threads: int, side: Weights | None = None) -> None:
        weights = side or target.weights
        if not weights.with_heads:
            raise EngineFault("heads_not_loaded", "The model was loaded without its prediction heads.")
        model = weights.handle
        self.n_vocab = target.n_vocab
        self.count = max(1, int(native.llama_model_n_layer_nextn(model)))
        parameters = native.llama_context_default_params()
        parameters.ctx_type = native.LLAMA_CONTEXT_TYPE_MTP
        parameters.ctx_other = target.handle
        parameters.n_ctx = target.n_ctx + SPARE
        parameters.n_batch = parameters.n_ubatch = BATCH
        parameters.n_threads = parameters.n_threads_batch = threads
        parameters.n_outputs_max = self.count
        parameters.flash_attn_type = FLASH_ATTENTION[target.flash_attention]
        parameters.no_perf = True
        library.native_log.since()
        self._context: Any = native.llama_init_from_model(model, parameters)
        if not self._context:
            raise EnvironmentFault(
                "heads_failed",
                f"The prediction heads in {weights.path.name} cannot be used.",
                "The file may have been made without them.",
                library.native_log.since(),
            )
        self._target = target
        self._all_rows = target.weights.meta("general.architecture") in _FILTERED_LATE
        self._memory: Any = native.llama_get_memory(self._context)
        self._width = int(native.llama_model_n_embd_out(model))
        self._seen = NativeRows(self._width)
        extensions.llama_set_embeddings_nextn(target.handle, True, False)  # noqa: FBT003 (a row for every token)
        extensions.llama_set_embeddings_nextn(self._context, True, True)  # noqa: FBT003 (rows of outputs only)
        self._batch = native.llama_batch_init(BATCH, self._width, 1)  # allocates hidden rows and no tokens,
        self._lent = (native.llama_token * BATCH)()
        self._batch.token = self._lent  # so ours are lent to it
        for index in range(BATCH):
            self._batch.n_seq_id[index] = 1
            self._batch.seq_id[index][0] = 0
        self._tokens = view_of(self._lent, BATCH, np.dtype(np.int32))
        self._positions = view_of(self._batch.pos, BATCH, np.dtype(np.int32))
        self._flags = view_of(self._batch.logits, BATCH, np.dtype(np.int8))
        self._hidden = view_of(self._batch.embd, BATCH * self._width, np.dtype(np.float32)).reshape(BATCH, self._width)
        # The heads have processed the first `_done` tokens of the text; `_before` is the target's hidden row of the
        # last of these, None while it is not known. The tokens after them wait.
        self._done = 0
        self._before: _Rows | None = np.zeros(self._width, np.float32)
        self._waiting = _Waiting()
        self._most_waiting = max(BATCH, WAITING_BYTES // (self._width * 4))
        self._kept: dict[int, _Rows] = {}  # marked length -> hidden row of the last token
        self._lost = False
        target.listener = self

    def close(self) -> None:
        """Free the memory. Twice is fine."""
        if not self._context:
            return
        self._target.listener = None
        extensions.llama_set_embeddings_nextn(self._target.handle, False, False)  # noqa: FBT003 (off)
        self._batch.token = ctypes.POINTER(native.llama_token)()  # ours must not be freed by the library
        native.llama_batch_free(self._batch)
        native.llama_free(self._context)
        self._context = None

    # drafting

    def behind(self, length: int) -> int:
        """Tokens of the target's first `length` that the heads have not processed."""
        return max(0, length - self._done)

    def follow(self, length: int, most: int) -> bool:
        """Process waiting tokens of the target's first `length`, at most `most`; True when caught up."""
        if self._lost:
            raise _gap()
        self._process(min(len(self._waiting), length - self._done, most))
        return self._done >= length

    def step(self, tokens: Sequence[int], hidden: Sequence[_Rows | None], number: int) -> tuple[Logits, _Rows]:
        """Scores of the token after `tokens`, drafted from the end of the text, and the head's hidden row there.

        Args:
            tokens: The last kept token and those drafted after it.
            hidden: For each of them the hidden row before it; None for the first, whose row is the target's.
            number: 0 for the first step of a round, then 1, 2 ...
        """
        rows = np.stack([self._row_before() if row is None else row for row in hidden])
        if self.count == 1:
            self._decode(tokens[-1:], rows[-1:], self._done + number, output=True)
            index = 0
        else:
            # Chained heads keep a cache for each layer: every head goes over the draft so far.
            self._cut(self._done)
            extensions.llama_set_nextn_layer_offset(self._context, number)
            self._decode(tokens, rows, self._done, output=True)
            index = len(tokens) - 1
        logits = view_of(native.llama_get_logits_ith(self._context, index), self.n_vocab, np.dtype(np.float32))
        row = extensions.llama_get_embeddings_nextn_ith(self._context, index)
        return logits, view_of(row, self._width, np.dtype(np.float32)).copy()

    def end_steps(self) -> None:
        """Take back the rows of the draft: the target's own will be processed instead."""
        if self.count > 1:
            extensions.llama_set_nextn_layer_offset(self._context, 0)
        self._cut(self._done)

    def practise(self, rows: int) -> None:
        """Compute `rows` made-up tokens and forget them, to see how long it takes. One row gives scores, as a step.

        Raises:
            EngineFault: the context has no room for them, or the heads failed.
        """
        if self._done + rows > self._target.n_ctx:
            raise EngineFault("context_full", "The context is full.")
        try:
            self._decode([0] * rows, np.zeros((rows, self._width), np.float32), self._done, output=rows == 1)
            native.llama_synchronize(self._context)
        finally:
            self._cut(self._done)

    # following the target

    def decoded(self, start: int, tokens: Sequence[int]) -> None:
        """See `Listener.decoded`. The target's hidden rows live until its next decode, so they are copied."""
        known = self._done + len(self._waiting) - start
        address = _hidden_of(self._target.handle)
        if self._lost or known < 0 or not address:
            self._lost = True
            return
        rows = self._seen.at(address, len(tokens))
        if self._before is None and start < self._done <= start + len(tokens):
            self._before = rows[self._done - 1 - start].copy()
        if known < len(tokens):
            self._waiting.add(tokens[known:], rows[known:].copy())
        if len(self._waiting) > self._most_waiting:
            try:
                self._process(BATCH)
            except EngineFault:
                self._lost = True

    def cut(self, keep: int) -> int:
        """See `Listener.cut`: if the hidden row of the last token is gone, that token has to be computed again."""
        self._kept = {length: row for length, row in self._kept.items() if length <= keep}
        self._waiting.cut(max(0, keep - self._done))
        if keep < self._done:
            if not self._remove(keep):
                self._lost = True
            self._done = keep
            self._before = self._kept.get(keep) if keep else np.zeros(self._width, np.float32)
        if keep == 0:
            self._lost = False
        # Tokens that wait bring their rows, and so does the one before them.
        return keep - 1 if self._before is None and keep == self._done and not self._lost else keep

    def mark(self, length: int) -> None:
        """See `Listener.mark`: keep the hidden row of the last token."""
        waits = length - self._done
        if 0 < waits <= len(self._waiting):
            self._kept[length] = self._waiting.row(waits - 1).copy()
        elif waits == 0 and self._before is not None:
            self._kept[length] = self._before
        while len(self._kept) > MOST_ROWS_KEPT:
            del self._kept[min(self._kept)]

    def _process(self, count: int) -> None:
        """Feed the first `count` waiting tokens, with the hidden rows before them."""
        while count > 0:
            tokens, rows = self._waiting.take(min(count, BATCH))
            hidden = np.vstack([self._row_before(), rows[:-1]])
            for head in range(self.count):
                if self.count > 1:
                    self._cut(self._done)
                    extensions.llama_set_nextn_layer_offset(self._context, head)
                self._decode(tokens, hidden, self._done, output=False)
            if self.count > 1:
                extensions.llama_set_nextn_layer_offset(self._context, 0)
            self._done += len(tokens)
            self._before = rows[-1].copy()
            count -= len(tokens)

    def _row_before(self) -> _Rows:
        if self._before is None:
            raise _gap()
        return self._before

    def _remove(self, keep: int) -> bool:
        return bool(native.llama_memory_seq_rm(self._memory, 0, keep, -1))

    def _cut(self, keep: int) -> None:
        if not self._remove(keep):
            raise EngineFault("heads_stuck", "The prediction heads cannot take back tokens.")

    def _decode(self, tokens: Sequence[int], hidden: _Rows, position: int, *, output: bool) -> None:
        count = len(tokens)
        self._tokens[:count] = tokens
        self._hidden[:count] = hidden
        self._positions[:count] = np.arange(position, position + count, dtype=np.int32)
        self._flags[:count] = output and self._all_rows
        self._flags[count - 1] = output
        self._batch.n_tokens = count
        result = native.llama_decode(self._context, self._batch)
        if result != 0:
            raise EngineFault("heads_failed", "The prediction heads could not compute.", detail=f"result {result}")


def _gap() -> EngineFault:
    return EngineFault("heads_gap", "The prediction heads lost track of the text.")
