"""Where the thinking of a reasoning model ends and its answer begins.

Models mark it in a handful of ways, and not always properly: many chat templates write the opening mark themselves, so
that only the closing one is in the text; an answer that is cut off has no closing one; some open twice.
"""

import re
from dataclasses import dataclass

_PAIRS = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("\u25c1think\u25b7", "\u25c1/think\u25b7"),
    ("<|channel|>analysis<|message|>", "<|end|>"),
    ("<|channel>thought\n", "<channel|>"),
)
_BEFORE_ANSWER = re.compile(
    r"(?:<\|end\|>)?(?:<\|start\|>assistant)?<\|channel\|>final<\|message\|>"
    r"|<\|START_RESPONSE\|>"
)
"""What may stand between the two and belongs to neither."""
LONGEST_MARK = max(len(mark) for pair in _PAIRS for mark in pair)
VISIBLE_CONTROLS = frozenset(
    {"[THINK]", "[/THINK]", "<|START_THINKING|>", "<|END_THINKING|>", "<|START_RESPONSE|>", "<|channel>", "<channel|>"}
)
"""Control tokens that are shown as text, since without them thinking and answer could not be told apart."""
HARMONY_CONTROLS = frozenset({"<|channel|>", "<|message|>", "<|start|>", "<|end|>"})
"""The same, in vocabularies that have all of them."""


@dataclass(frozen=True, slots=True)
class Split:
    """A text in two parts.

    `begin`, `end`: the thinking is text[begin:end], without its marks; `answer`: where the answer begins.
    `is_open`: the thinking has not ended. Without thinking all three places are the same.
    """

    begin: int = 0
    end: int = 0
    answer: int = 0
    is_open: bool = False

    @property
    def has_thinking(self) -> bool:
        return self.is_open or self.answer > 0


NOTHING = Split()


def begins_thinking(prompt_end: str) -> bool:
    """Has a prompt that ends like this opened the thinking already?"""
    tail = prompt_end.rstrip()
    return any(tail.endswith(opening.rstrip()) for opening, _ in _PAIRS)


def closes(text: str) -> bool:
    """Is there anything in it that may close a thinking part?"""
    return any(closing in text for _, closing in _PAIRS)


def split(text: str, *, opened: bool = False, final: bool = True) -> Split:
    """Tell thinking and answer apart.

    Args:
        text: What the model wrote, all of it or as far as it has come.
        opened: The prompt ended with the opening mark (see `begins_thinking`).
        final: No more will come. Else what may become a mark is waited for.
    """
    start = len(text) - len(text.lstrip())
    for opening, closing in _PAIRS:
        if text.startswith(opening, start):
            return _from(text, start + len(opening), opening, closing, final=final)
    skipped = _BEFORE_ANSWER.match(text, start)
    if skipped:
        return Split(0, 0, _after(text, skipped.end()))
    if not final and _may_open(text[start : start + LONGEST_MARK]):
        return Split(start, len(text), len(text), is_open=True)
    if opened:
        found = _first_closing(text)
        if found is None:
            return Split(start, len(text), len(text), is_open=True)
        return _from(text, start, *found, final=final)
    lone = _first_closing(text)
    if lone is None or not _stands_alone(text, text.find(lone[1]), lone[1]):
        return NOTHING
    return _from(text, start, *lone, final=final)


def without_thinking(text: str, *, opened: bool = False) -> str:
    """The answer alone, as templates show it to the model in later turns; all of a text without thinking."""
    found = split(text, opened=opened)
    return text[found.answer :] if found.has_thinking else text


def _from(text: str, begin: int, opening: str, closing: str, *, final: bool) -> Split:
    """Thinking that begins at `begin`; what opens again has to close again, unless the text ends before that."""
    depth, last = 1, -1
    marks = re.compile(f"({re.escape(opening)})|{re.escape(closing)}")
    for mark in marks.finditer(text, begin):
        depth += 1 if mark[1] else -1
        if not mark[1]:
            last = mark.start()
        if not depth:
            break
    if last < 0 or (depth and not final):
        return Split(begin, len(text), len(text), is_open=True)
    return Split(begin, last, _after(text, last + len(closing)))


def _after(text: str, place: int) -> int:
    skipped = _BEFORE_ANSWER.match(text, place)
    if skipped:
        place = skipped.end()
    while place < len(text) and text[place].isspace():
        place += 1
    skipped = _BEFORE_ANSWER.match(text, place)
    return _after(text, skipped.end()) if skipped else place


def _first_closing(text: str) -> tuple[str, str] | None:
    found = [(place, pair) for pair in _PAIRS if pair[1] != "<|end|>" and (place := text.find(pair[1])) >= 0]
    return min(found)[1] if found else None


def _stands_alone(text: str, place: int, closing: str) -> bool:
    """A closing mark with nothing opened before it: is it meant, or talked about?"""
    line = text.rfind("\n", 0, place) + 1
    rest = text[place + len(closing) :].split("\n", 1)
    fences = len(re.findall(r"^\s*(?:```|~~~)", text[:place], re.MULTILINE))
    return fences % 2 == 0 and text[line:place].count("`") % 2 == 0 and not rest[0].strip()


def _may_open(head: str) -> bool:
    return any(opening.startswith(head) for opening, _ in _PAIRS) and bool(head)
