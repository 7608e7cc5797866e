"""Going back on models that cannot forget: recurrent and hybrid ones, whose state is not a list of tokens.

Three ways, the cheapest that works is taken:

- snapshots: the library keeps the states of the last rows of a pass, where the architecture has that (`n_rs_seq`);
- a checkpoint: the state as it was at some earlier token, copied out; what came after it is decoded again;
- from the start: everything is decoded again.

The library can say yes to a cut and be wrong: it writes only as many snapshots as the last pass had rows, older ones
being stale. So a cut by snapshots never goes back more than rows of the last pass - 1, and only once between two passes
(a second one is refused while the first is pending).
"""

import ctypes
from dataclasses import dataclass
from typing import Any

from app.core.errors import EngineFault
from app.core.gguf.kv import CHECKPOINTS
from app.engine.backends.llamacpp.binding import native

MOST_MARKS = CHECKPOINTS - 1
"""Checkpoints kept for turns of the conversation; each is as large as the state."""

_PARTIAL = native.LLAMA_STATE_SEQ_FLAGS_PARTIAL_ONLY


@dataclass(frozen=True, slots=True)
class _Checkpoint:
    length: int
    state: Any


class Rollback:
    """Cuts a sequence with running state.

    Args:
        context: The native context.
        snapshots: What the library granted, 0 for none.
    """

    def __init__(self, context: Any, snapshots: int) -> None:
        self._context = context
        self._memory: Any = native.llama_get_memory(context)
        self._snapshots = snapshots
        self._rows = 0
        self._pending = False
        self._round: _Checkpoint | None = None
        self._marks: list[_Checkpoint] = []

    @property
    def possible(self) -> bool:
        """Whether going back is anything but starting over."""
        return self._snapshots > 0 or native.llama_state_seq_get_size_ext(self._context, 0, _PARTIAL) > 0

    @property
    def checkpoint_bytes(self) -> int:
        """Memory held by checkpoints."""
        return sum(len(point.state) for point in self._points())

    def before(self, length: int, most: int) -> None:
        """A pass is about to be computed after `length` tokens, of which at most the last `most` are taken back."""
        if most > self._snapshots:
            used, self._round = self._round, None
            self._round = self._save(length, used.state if used else None)

    def after(self, rows: int) -> None:
        """The pass is done."""
        self._rows = rows
        self._pending = False

    def mark(self, length: int) -> None:
        """The conversation may come back to this length (an edited or regenerated turn)."""
        if any(point.length == length for point in self._marks):
            return
        self._marks = [*self._marks[-(MOST_MARKS - 1) :], self._save(length)]

    def back(self, length: int, keep: int) -> int:
        """Cut the sequence of `length` tokens to `keep`, or further.

        Returns:
            How many tokens it holds now, 0 to `keep`. Those up to `keep` have to be decoded again.
        """
        self._forget_after(keep)
        if length - keep <= min(self._snapshots, self._rows - 1) and not self._pending and self._cut(keep):
            self._pending = True
            return keep
        return self.recover()

    def recover(self) -> int:
        """Go back to the newest checkpoint, or to the start: after a failed pass nothing else is known to be right.

        Returns:
            How many tokens the sequence holds now.
        """
        point = max(self._points(), key=lambda p: p.length, default=None)
        if point is not None and self._restore(point):
            return point.length
        self.clear()
        return 0

    def clear(self) -> None:
        """Empty the sequence."""
        native.llama_memory_clear(self._memory, True)  # noqa: FBT003 (native)
        self._round, self._marks = None, []
        self._rows, self._pending = 0, False

    def _points(self) -> list[_Checkpoint]:
        return [*self._marks, *([self._round] if self._round else [])]

    def _forget_after(self, keep: int) -> None:
        self._marks = [point for point in self._marks if point.length <= keep]
        if self._round is not None and self._round.length > keep:
            self._round = None

    def _cut(self, keep: int) -> bool:
        return bool(native.llama_memory_seq_rm(self._memory, 0, keep, -1))

    def _save(self, length: int, used: Any = None) -> _Checkpoint:
        """The state after `length` tokens, into the memory of a checkpoint that is no longer `used` if it fits."""
        size = native.llama_state_seq_get_size_ext(self._context, 0, _PARTIAL)
        state = used if used is not None and len(used) == size else (ctypes.c_uint8 * size)()
        if native.llama_state_seq_get_data_ext(self._context, state, size, 0, _PARTIAL) != size:
            raise EngineFault("checkpoint_failed", "The engine could not save the state of this model.")
        return _Checkpoint(length, state)

    def _restore(self, point: _Checkpoint) -> bool:
        size = len(point.state)
        if native.llama_state_seq_set_data_ext(self._context, point.state, size, 0, _PARTIAL) != size:
            return False
        # The checkpoint holds the running state only; the attention part of a hybrid model is cut like any other.
        if not self._cut(point.length):
            return False
        self._rows, self._pending = 0, False
        return True
