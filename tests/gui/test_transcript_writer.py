"""Items in a text document: whatever the way they came, the document is the same."""

import pytest
from PySide6.QtGui import QFont, QTextCharFormat, QTextCursor, QTextDocument, QTextTable

from app.ui import theme
from app.ui.transcript.items import Line, Run
from app.ui.transcript.parser import TABLE_PART, Cut, parse
from app.ui.transcript.stream import MarkdownStream
from app.ui.transcript.style import Style
from app.ui.transcript.writer import Writer, copied_word, copy_word

TEXT = """# Title with `code`

Para *em* **strong** [link](https://a.b/c) 😀 and
a second line

- one
- two

  para in two
  1. nested
     ```python
     x = 1
     ```
- [ ] todo

> quote
> | in | quote |
> |----|-------|
> | 1  | 2     |

| a | b |
|:--|--:|
| 1 | **2** |

| next | table |
|------|-------|
| 3 | 4 |

---

```js
let x = `😀`;
```
```
second
```
שלום עולם

- שלום

""" + "".join(f"| {n} | row |\n" if n else "| a | b |\n|---|---|\n" for n in range(TABLE_PART + 5))


@pytest.fixture
def style(qapp) -> Style:
    return Style(theme.LIGHT, QFont())


class Page(Writer):
    """A writer that keeps its document."""

    def __init__(self, style: Style) -> None:
        self.document = QTextDocument()
        self.document.setDocumentMargin(0)
        self.document.setTextWidth(600)
        super().__init__(self.document, style)


def written(style: Style, text: str) -> Page:
    writer = Page(style)
    writer.apply(parse(text, Cut(), {}).items, 0)
    return writer


@pytest.mark.parametrize("step", [1, 2, 7, 40, 333])
def test_growing_text_gives_the_same_document(style, step):
    whole = written(style, TEXT)
    writer, stream = Page(style), MarkdownStream()
    for length in range(0, len(TEXT), step):
        keep = stream.feed(TEXT[:length])
        writer.apply(stream.items, keep)
    writer.apply(stream.items, stream.feed(TEXT, final=True))
    assert writer.items == whole.items
    assert writer.document.toPlainText() == whole.document.toPlainText()
    assert writer.document.toHtml() == whole.document.toHtml()
    assert writer.document.size() == whole.document.size()


def test_a_shorter_text_leaves_nothing_behind(style):
    writer = written(style, TEXT)
    writer.apply([], 0)
    assert writer.document.toHtml() == Page(style).document.toHtml()
    writer.apply(parse(TEXT, Cut(), {}).items, 0)
    assert writer.document.toHtml() == written(style, TEXT).document.toHtml()


@pytest.mark.parametrize("keep", range(len(parse(TEXT, Cut(), {}).items)))
def test_any_tail_can_be_replaced(style, keep):
    items = parse(TEXT, Cut(), {}).items
    writer = written(style, TEXT)
    writer.apply([*items[:keep], Line(runs=(Run("other"),))], keep)
    writer.apply(items, keep)
    assert writer.document.toHtml() == written(style, TEXT).document.toHtml()


def test_another_theme_changes_colours_in_place(style):
    writer = written(style, TEXT)
    dark = Style(theme.DARK, QFont())
    for _ in writer.restyle(dark):
        pass
    assert writer.document.toHtml() == written(dark, TEXT).document.toHtml()


def test_a_selection_survives_growth_below_it(style):
    writer = written(style, "First paragraph\n\nSecond one\n\n| a |\n|---|\n| 1 |")
    cursor = QTextCursor(writer.document)
    cursor.setPosition(6)
    cursor.setPosition(15, QTextCursor.MoveMode.KeepAnchor)
    text = "First paragraph\n\nSecond one\n\n| a |\n|---|\n| 1 |\n\n- more **text**"
    writer.apply(parse(text, Cut(), {}).items, 2)
    assert cursor.selectedText() == "paragraph"


def test_the_word_that_copies_changes_without_moving_anything(style):
    writer = written(style, TEXT)
    first, second, third = writer.code_items()
    before = writer.document.toHtml()
    writer.label_copy(first, copied_word())
    assert writer.document.toPlainText().count(copied_word()) == 1
    items = parse(TEXT + "\nthe end", Cut(), {}).items
    writer.apply(items, len(items) - 1)
    writer.apply(parse(TEXT, Cut(), {}).items, len(items) - 2)
    writer.label_copy(first, copy_word())
    assert writer.document.toHtml() == before
    assert [writer.code_number(index) for index in (first, second, third)] == [0, 1, 2]


def test_tables_have_full_borders_and_a_head(style):
    writer = written(style, "| a | b |\n|---|---|\n| 1 | 2 |")
    (table,) = [frame for frame in writer.document.rootFrame().childFrames() if isinstance(frame, QTextTable)]
    assert (table.rows(), table.columns()) == (2, 2)
    assert table.format().border() == 1
    assert table.format().borderCollapse()
    assert table.cellAt(0, 0).format().background().color().name() == theme.LIGHT.panel


def test_the_gap_between_table_parts_closes(style):
    writer = written(style, TEXT)
    parts = [
        frame for frame in writer.document.rootFrame().childFrames() if frame.frameFormat().width().rawValue() == 100
    ]
    assert [part.frameFormat().bottomMargin() for part in parts] == [0, 14]


def test_a_table_with_many_columns_keeps_its_words_whole(style):
    columns = "| " + " | ".join(["department"] * 20) + " |\n" + "|---" * 20 + "|\n"
    writer = written(style, columns + "| x " * 20 + "|")
    assert writer.document.size().width() > 600
    (table,) = writer.document.rootFrame().childFrames()
    first = writer.document.documentLayout().blockBoundingRect(writer.document.findBlock(table.firstPosition()))
    assert first.height() < 40


def test_code_is_coloured_line_by_line(style):
    writer = written(style, "```python\nx = 1\ny = 'two'\n```")
    (index,) = writer.code_items()
    writer.paint_line(index, 1, ((4, 5, "string"),))
    block = writer.document.lastBlock()
    (part,) = block.layout().formats()
    assert (part.start, part.length) == (4, 5)
    assert part.format.foreground().color().name() == theme.LIGHT.string
    assert isinstance(part.format, QTextCharFormat)
