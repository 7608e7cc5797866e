"""A text that grows shows the same as one that is there at once."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.ui.transcript import stream as stream_module
from app.ui.transcript.chunks import CHUNK, chunks
from app.ui.transcript.items import Code, Item, Line, Run
from app.ui.transcript.parser import Cut, parse
from app.ui.transcript.stream import MarkdownStream

WORDS = [
    *("- ", "* ", "1. ", "10) ", "\n", "\n\n", "  ", "    ", "> ", "```", "````", "~~~", "python\n", "| a | b |"),
    *("\n|---|---|\n", "\n| 1 | 2 |", "text ", "**b**", "`c`", "[x]", "[x]: http://a.b\n", "[x](http://a)", "---"),
    *("===", "# ", "\t", "<b>", "![i](http://i)", "&amp;", "\\", "*", "_", "😀", "\r\n", "\r", "\0", "~~s~~", "+ "),
    *("$", "$$", "\n$$\n", "$x$", "\\[", "\\]", "\\(x\\)", "\n\\[\na\n\\]", "$$ a $$"),
]
TEXTS = st.lists(st.sampled_from(WORDS) | st.just("\n| 1 | 2 |" * 33), max_size=40).map("".join)


def grow(text: str, steps: list[int], stream: MarkdownStream | None = None) -> MarkdownStream:
    """Feed the text in steps; after each, what is kept must be what was there."""
    stream = stream or MarkdownStream()
    at, turn = 0, 0
    while True:
        before = list(stream.items)
        keep = stream.feed(text[:at], final=at >= len(text))
        assert stream.items[:keep] == before[:keep]
        if at >= len(text):
            return stream
        at += steps[turn % len(steps)]
        turn += 1


@given(TEXTS, st.lists(st.integers(1, 60), min_size=1, max_size=8))
@example("a\n# b\n#c", [1])
@example("text\n```[x]`y", [1])
@example("~~~\r\n#", [1])
@example("text\n_ _ _ x", [1])
@example("```\na\n> ```\nb", [1])
def test_growing_equals_reading_at_once(text, steps):
    whole = parse(text, Cut(), {})
    stream = grow(text, steps)
    if whole.references:
        assert {name: value["href"] for name, value in stream.found.items()} == {
            name: value["href"] for name, value in whole.references.items()
        }
        whole = parse(text, Cut(), whole.references)
        stream = grow(text, steps, MarkdownStream(stream.found))
    assert stream.items == whole.items


def test_a_growing_answer_is_read_from_its_last_block_only(monkeypatch):
    starts: list[int] = []

    def noting(text: str, start: Cut, references: dict[str, object]) -> object:
        starts.append(len(text) - start.offset)
        return parse(text, start, references)

    monkeypatch.setattr(stream_module, "parse", noting)
    paragraphs = "A paragraph of some length, as models write them.\n\n" * 100
    rows = "| a | b |\n|---|---|\n" + "| one | two |\n" * 100
    grow(paragraphs + rows + "\n" + "- an item of a list\n" * 100 + "\n", [7])
    assert max(starts) < 150


def test_an_open_fence_is_not_read_again(monkeypatch):
    stream = MarkdownStream()
    stream.feed("```python\n")
    stream.feed("```python\nx")
    monkeypatch.setattr(stream_module, "parse", None)
    code = "x = 1\n" * 1000
    for length in range(1, len(code), 97):
        stream.feed("```python\n" + code[:length])
    monkeypatch.undo()
    stream.feed("```python\n" + code + "```\nafter", final=True)
    assert stream.items == [Code(text=code.removesuffix("\n"), language="python"), Line(runs=(Run("after"),))]


@pytest.mark.parametrize("end", ["\n-", "\n#", "\n``", "\n```", "\n1", "\n1.", "\n==", "\n---", "\n*", "\n  ~~"])
def test_a_last_line_that_may_be_anything_waits(end):
    stream = MarkdownStream()
    stream.feed("Some text")
    before: list[Item] = list(stream.items)
    stream.feed("Some text" + end)
    assert stream.items == before
    stream.feed("Some text" + end, final=True)
    assert stream.items == parse("Some text" + end, Cut(), {}).items


def test_a_link_may_be_defined_below_its_use():
    stream = grow("see [a][1]\n\n" + "text\n\n" * 50 + "[1]: https://x.y\n", [5])
    assert stream.items[0] == Line(runs=(Run("see [a][1]"),))
    again = grow(stream.text, [500], MarkdownStream(stream.found))
    assert again.items[0] == Line(runs=(Run("see "), Run("a", href="https://x.y")))


def test_an_address_that_is_not_complete_yet_is_not_remembered():
    text = "a\n\n[1]: https://example.com/a/long/path\n\n[x][1]"
    assert grow(text, [1]).items == parse(text, Cut(), {}).items


@given(st.text(alphabet="ab\n", max_size=40), st.integers(0, 20))
def test_chunks_end_with_the_whole_text(text, start):
    text = text * 1000
    lengths = list(chunks(text, start))
    assert lengths[-1] == len(text)
    assert all(0 < b - a <= 2 * CHUNK + 1 for a, b in zip([start, *lengths], lengths, strict=False) if b > start)
