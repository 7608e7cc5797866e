"""What the penalties of the sampling options look back on."""

from collections import Counter


class PenaltyWindow:
    """How often each of the last `size` tokens of a growing context occurs; proposals are pushed and popped again."""

    def __init__(self, size: int, context: list[int]) -> None:
        self._size = size
        self._tokens = context[-size:] if size else []
        self._counts = Counter(self._tokens)

    @property
    def counts(self) -> dict[int, int]:
        return self._counts

    def push(self, token: int) -> None:
        if not self._size:
            return
        self._tokens.append(token)
        self._counts[token] += 1
        if len(self._tokens) > self._size:
            self._drop(self._tokens[-self._size - 1])

    def pop(self) -> None:
        """Undo the last `push`."""
        if not self._size:
            return
        self._drop(self._tokens.pop())
        if len(self._tokens) >= self._size:
            self._counts[self._tokens[-self._size]] += 1

    def _drop(self, token: int) -> None:
        self._counts[token] -= 1
        if not self._counts[token]:
            del self._counts[token]
