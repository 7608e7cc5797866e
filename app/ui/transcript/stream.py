"""A growing Markdown text and the items it shows."""

import re
from typing import Any

from app.ui.transcript.items import Code, Item
from app.ui.transcript.parser import LINE_END, Cut, closes, parse, without_line_end

# A last line of only these may turn out to be anything: a list item, a rule, an underline, a fence.
_UNDECIDED = re.compile(r"[ \t>]*(?:[-=*+_`~#]+|\d{1,9}[.)]?)[ \t]*")


class MarkdownStream:
    """Items of a text that only grows.

    `items`: what the text shows so far. `references`: link definitions that hold from the start.
    """

    def __init__(self, references: dict[str, Any] | None = None) -> None:
        self.items: list[Item] = []
        self.text = ""
        self.found: dict[str, Any] = {}
        self._references: dict[str, Any] = dict(references or {})
        self._cut = Cut()

    def feed(self, text: str, *, final: bool = False) -> int:
        """Take the longer text and return how many leading items stayed as they were.

        Args:
            text: All of it; must begin with the text of the last call.
            final: No more will come: undecided characters at the end are shown as they are.
        """
        self.text = text
        shown = text if final else _decided(text)
        start, fresh = self._cut, list[Item]()
        if start.kind == "fence":
            code, end = self._continue_fence(shown)
            fresh.append(code)
            if end is not None:
                self._cut = Cut(end, start.item + 1)
        if self._cut.kind != "fence":
            parsed = parse(shown, self._cut, self._references)
            fresh += parsed.items
            self._references.update(parsed.settled)
            self.found = {**self._references, **parsed.references}
            self._cut = parsed.cut
        keep = start.item
        while keep < len(self.items) and keep - start.item < len(fresh):
            if self.items[keep] != fresh[keep - start.item]:
                break
            keep += 1
        self.items[keep:] = fresh[keep - start.item :]
        return keep

    def _continue_fence(self, text: str) -> tuple[Code, int | None]:
        """The code of an open fence, without reading the whole of it again, and where the closing line ends."""
        old = self.items[self._cut.item]
        assert isinstance(old, Code)
        begin = self._cut.offset + len(self._cut.fence)
        markup = re.match(r"(`+|~+)", self._cut.fence)
        assert markup is not None
        # Lines before the last one of the old text were looked at before.
        at = max(text.rfind("\n", begin, begin + max(len(old.text) - 1, 0)) + 1, begin)
        while at < len(text):
            end = LINE_END.search(text, at)
            after = end.end() if end else len(text)
            line = text[at:after]
            if closes(line, markup[1]):
                code = without_line_end(text[begin:at]) if at > begin else ""
                return Code(text=code, language=old.language), after
            at = after
        return Code(text=without_line_end(text[begin:]), language=old.language, is_open=True), None


def _decided(text: str) -> str:
    """`text` without a last line that may still turn out to be anything."""
    text = text.removesuffix("\r")
    line = max(text.rfind("\n"), text.rfind("\r")) + 1
    return text[:line] if _UNDECIDED.fullmatch(text, line) else text
