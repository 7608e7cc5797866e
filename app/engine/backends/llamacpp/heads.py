"""Extra prediction heads inside the target (MTP/NextN): a context of its own on the target's hidden rows.

The symbols are private in the binding (`llama_cpp_ext`); nothing outside this file knows them. What the library does
not check ends the process, so that everything is checked before a context is made: the architecture has a head graph,
the file names heads, and the tensor `nextn.eh_proj` is really there.

The head's row at position p is computed from token p and the target's hidden row p - 1 (zeros for position 0). A head
in a graph of several rows may silently return another row's hidden state, so that every draft step decodes one row.
"""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from app.core.errors import EngineFault, EnvironmentFault
from app.engine.backends.llamacpp import library
from app.engine.backends.llamacpp.binding import extensions, native
from app.engine.backends.llamacpp.context import BATCH, SPARE, Context, view_of
from app.engine.ports import Logits

ARCHITECTURES = frozenset(
    {
        "bailingmoe3",
        "cohere2moe",
        "deepseek2",
        "deepseek32",
        "deepseek4",
        "glm-dsa",
        "glm4moe",
        "hy_v3",
        "mimo2",
        "nemotron_h_moe",
        "qwen35",
        "qwen35moe",
        "qwen3next",
        "step35",
    }
)
"""Architectures with a head graph in this version of llama.cpp, by their names in GGUF files."""

MOST_WAITING = 4096
"""Hidden rows of the target kept for later at most; beyond that the heads catch up at once."""

_Rows = npt.NDArray[np.float32]


@dataclass(slots=True)
class _Waiting:
    """Hidden rows of the target that the heads have not processed: `rows[i]` belongs to `tokens[i]` at `start + i`."""

    start: int
    tokens: list[int]
    rows: _Rows

    @property
    def end(self) -> int:
        return self.start + len(self.tokens)

    def extend(self, tokens: Sequence[int], rows: _Rows) -> None:
        self.tokens.extend(tokens)
        self.rows = np.concatenate((self.rows, rows))

    def before(self, position: int) -> "_Waiting":
        keep = position - self.start
        return _Waiting(self.start, self.tokens[:keep], self.rows[:keep])

    def after(self, count: int) -> "_Waiting":
        return _Waiting(self.start + count, self.tokens[count:], self.rows[count:])


class HeadContext:
    """The heads of one target: a `HeadModel`.

    Args:
        target: The target's context; it must be closed after this.
        threads: For head passes.

    Raises:
        EnvironmentFault: the library cannot make the context.
    """

    def __init__(self, target: Context, threads: int) -> None:
        model = target.weights.handle
        parameters = native.llama_context_default_params()
        parameters.ctx_type = native.LLAMA_CONTEXT_TYPE_MTP
        parameters.ctx_other = target.handle
        parameters.n_ctx = target.n_ctx + SPARE
        parameters.n_batch = parameters.n_ubatch = BATCH
        parameters.n_threads = parameters.n_threads_batch = threads
        parameters.n_outputs_max = 1
        parameters.no_perf = True
        library.native_log.since()
        self._context: Any = native.llama_init_from_model(model, parameters)
        if not self._context:
            raise EnvironmentFault(
                "heads_failed",
                f"The prediction heads of {target.weights.path.name} cannot be used.",
                "The file may have been made without them.",
                library.native_log.since(),
            )
        self.n_vocab = target.n_vocab
        self.count = max(1, int(native.llama_model_n_layer_nextn(model)))
        self._target = target
        self._memory: Any = native.llama_get_memory(self._context)
        self._width = int(native.llama_model_n_embd_out(model))
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
        self._waiting: _Waiting | None = None
        self._done = 0
        self._last: _Rows | None = np.zeros(self._width, np.float32)
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

    def behind(self, length: int) -> int:
        """Tokens of the target's first `length` that the heads have not processed."""
        return max(0, length - self._done)

    def restart(self, keep: int) -> int:
        """The target is about to be cut to `keep` tokens and to go on from there.

        Returns:
            How much of its cache may stay, so that decoding the rest gives every hidden row needed here. The row of the
            last kept token is gone with the target's last decode, unless it is waiting or was just processed.
        """
        keep = min(keep, self._end())
        waiting = self._waiting is not None and self._waiting.start < keep
        if keep == 0 or waiting or (keep == self._done and self._last is not None):
            return keep
        return keep - 1

    def _end(self) -> int:
        return self._waiting.end if self._waiting else self._done

    def follow(self, length: int, most: int) -> bool:
        """Process waiting rows of the target's first `length` tokens, at most `most`; True when caught up."""
        entry = self._waiting
        if entry is not None:
            count = min(len(entry.tokens), max(0, length - entry.start), most)
            for offset in range(0, count, BATCH):
                part = slice(offset, min(offset + BATCH, count))
                self._process(entry.start + offset, entry.tokens[part], entry.rows[part])
            self._waiting = entry.after(count) if count < len(entry.tokens) else None
        return self._done >= length

    def step(self, tokens: Sequence[int], hidden: Sequence[_Rows | None], number: int) -> tuple[Logits, _Rows]:
        """Scores of the token after `tokens`, drafted from the end of the text, and the head's hidden row there.

        Args:
            tokens: The last kept token and those drafted after it.
            hidden: For each of them the hidden row before it; None for the first, whose row is the target's.
            number: 0 for the first step of a round, then 1, 2 ...
        """
        rows = np.stack([self._start_row() if row is None else row for row in hidden])
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

    def cut(self, keep: int) -> None:
        """See `Listener.cut`."""
        if self._waiting is not None and keep < self._waiting.end:
            self._waiting = self._waiting.before(keep) if keep > self._waiting.start else None
        if keep < self._done:
            self._cut(keep)
            self._done = keep
            self._last = None if keep else np.zeros(self._width, np.float32)

    def decoded(self, start: int, tokens: Sequence[int]) -> None:
        """See `Listener.decoded`. The target's hidden rows live until its next decode, so they are copied."""
        # After a cut without the row before it, the first token is one the heads have already processed.
        if start not in (self._end(), self._done - 1):
            return  # lost track; the next answer makes up for it
        pointer = extensions.llama_get_embeddings_nextn(self._target.handle)
        rows = view_of(pointer, len(tokens) * self._width, np.dtype(np.float32)).reshape(len(tokens), -1)
        if self._waiting is not None:
            self._waiting.extend(tokens, rows)
        else:
            self._waiting = _Waiting(start, list(tokens), rows.copy())
        if len(self._waiting.tokens) > MOST_WAITING:
            self.follow(start, BATCH)

    def _process(self, start: int, tokens: Sequence[int], rows: _Rows) -> None:
        """Feed kept tokens with the target's rows."""
        if start > self._done:
            raise EngineFault("heads_gap", "The prediction heads lost track of the text.")
        fresh = self._done - start  # rows before that were kept over a cut; only their hidden state is new
        if fresh < len(tokens):
            before = self._start_row() if fresh == 0 else rows[fresh - 1]
            hidden = np.vstack([before[None], rows[fresh : len(tokens) - 1]])
            for head in range(self.count):
                if self.count > 1:
                    self._cut(self._done)
                    extensions.llama_set_nextn_layer_offset(self._context, head)
                self._decode(tokens[fresh:], hidden, self._done, output=False)
            if self.count > 1:
                extensions.llama_set_nextn_layer_offset(self._context, 0)
            self._done = start + len(tokens)
        if start + len(tokens) == self._done:
            self._last = rows[len(tokens) - 1].copy()

    def _start_row(self) -> _Rows:
        if self._last is None:
            raise EngineFault("heads_gap", "The prediction heads lost track of the text.")
        return self._last

    def _cut(self, keep: int) -> None:
        if not native.llama_memory_seq_rm(self._memory, 0, keep, -1):
            raise EngineFault("heads_stuck", "The prediction heads cannot take back tokens.")

    def _decode(self, tokens: Sequence[int], hidden: _Rows, position: int, *, output: bool) -> None:
        count = len(tokens)
        self._tokens[:count] = tokens
        self._hidden[:count] = hidden
        self._positions[:count] = np.arange(position, position + count, dtype=np.int32)
        self._flags[:count] = 0
        self._flags[count - 1] = output
        self._batch.n_tokens = count
        result = native.llama_decode(self._context, self._batch)
        if result != 0:
            raise EngineFault("heads_failed", "The prediction heads could not compute.", detail=f"result {result}")
