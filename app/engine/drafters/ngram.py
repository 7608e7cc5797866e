"""Self-drafting from the text so far (prompt lookup): what followed the last time these tokens stood together.

Saxena 2023, "Prompt Lookup Decoding". The index maps every n-gram to the newest place it was followed by something, so
that a round costs the same however long the text is. Where the copied place runs into the end of the text, the copy
goes on with what it has just produced, as in LZ77, so that a period is continued.
"""

from collections.abc import Sequence

from app.engine.ports import GoOn, Proposal, Verdict
from app.engine.prefix import common_length
from app.protocol.options import TokenSource

SHORTEST = 2
LONGEST = 6
_CONFIRM = 32  # how far back a match is followed to tell its length


class Ngram:
    """Longest-match lookup over prompt and answer; of equally long matches the newest wins.

    Args:
        shortest: Fewest tokens that have to agree.
        longest: Longest n-gram in the index; longer agreements are found through it.
    """

    source: TokenSource = "ngram"

    def __init__(self, shortest: int = SHORTEST, longest: int = LONGEST) -> None:
        self._sizes = range(longest, shortest - 1, -1)
        self._indexed: list[int] = []
        self._followers: dict[tuple[int, ...], int] = {}

    def begin(self, history: Sequence[int]) -> None:
        if common_length(self._indexed, history) < len(self._indexed):
            # Another chat, or an edited turn: nothing of the old text may be proposed.
            self._indexed = []
            self._followers = {}
        self._catch_up(history)

    def behind(self, history: Sequence[int]) -> int:
        return 0

    def propose(self, history: Sequence[int], limit: int, go_on: GoOn) -> list[Proposal]:
        self._catch_up(history)
        place = self._find(history)
        if place is None:
            return []
        match = self._match_length(history, place)
        proposals: list[Proposal] = []
        for offset in range(limit):
            at = place + offset
            token = history[at] if at < len(history) else proposals[at - len(history)].token
            proposal = Proposal(token=token, source="ngram", match=match + offset)
            verdict = go_on(proposal)
            if not verdict:
                break
            proposals.append(proposal)
            if verdict is Verdict.LAST:
                break
        return proposals

    def accept(self, history: Sequence[int], accepted: int) -> None:
        pass

    def end(self, history: Sequence[int]) -> None:
        pass

    def close(self) -> None:
        self._indexed = []
        self._followers = {}

    def _catch_up(self, history: Sequence[int]) -> None:
        """Index all n-grams of `history` that have a follower."""
        known = len(self._indexed)
        self._indexed.extend(history[known:])
        text = self._indexed
        for follower in range(max(known, 1), len(text)):
            for size in self._sizes:
                if size <= follower:
                    self._followers[tuple(text[follower - size : follower])] = follower

    def _find(self, history: Sequence[int]) -> int | None:
        for size in self._sizes:
            if size <= len(history):
                place = self._followers.get(tuple(history[-size:]))
                if place is not None:
                    return place
        return None

    @staticmethod
    def _match_length(history: Sequence[int], place: int) -> int:
        length = 0
        while length < _CONFIRM and length < place and history[place - 1 - length] == history[-1 - length]:
            length += 1
        return length
