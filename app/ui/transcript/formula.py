"""Formulas as pictures: LaTeX to SVG by ziamath, on another thread, and an object that text documents can hold."""

import re
import threading
from collections import OrderedDict, deque
from dataclasses import dataclass

import shiboken6
from PySide6.QtCore import QByteArray, QCoreApplication, QObject, QRect, QRectF, QSizeF, Signal
from PySide6.QtGui import (
    QFontMetrics,
    QPainter,
    QPyTextObject,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtSvg import QSvgRenderer

from app.core import log
from app.ui.transcript.items import LINE_BREAK
from app.ui.transcript.maths import bare, is_display

OBJECT = QTextFormat.ObjectTypes.UserObject + 1
"""Object type of a formula in a text document."""
SOURCE = QTextFormat.Property.UserProperty + 11
"""Property of its character: the formula as the model wrote it."""
COLOUR, PIXELS = SOURCE + 1, SOURCE + 2
"""Colour as "#rrggbb"; size of the text around it, px."""
LONGEST = 1000
"""Longer formulas stay text: setting one takes about a millisecond a letter."""
DEEPEST = 7
"""Formulas nested deeper stay text: each level doubles the time that setting one takes."""
_OPENING = re.compile(r"\\(?:left|begin)(?![a-zA-Z])|(?<!\\)\{")
_CLOSING = re.compile(r"\\(?:right|end)(?![a-zA-Z])|(?<!\\)\}")
_EM = 20.0
_KEPT = 2000
_DEEP_ENOUGH = 0.45
"""Room below a line that a formula may use without moving its neighbours, in text sizes."""
_INK = "#000001"
_log = log.get("maths")


@dataclass(frozen=True, slots=True)
class Picture:
    """A formula, drawn. `width`, `ascent`, `descent` in text sizes; `svg` in the colour `_INK`."""

    svg: str
    width: float
    ascent: float
    descent: float


def typeset(source: str) -> Picture | None:
    """Draw a formula with its delimiters; None if it is not LaTeX that can be drawn."""
    latex = bare(source).replace(LINE_BREAK, "\n").strip()
    if not latex or len(latex) > LONGEST or _depth(latex) > DEEPEST:
        return None
    try:
        # Slow to import, and most chats have no formula.
        from ziamath.config import config
        from ziamath.zmath import Latex

        config.svg2 = False
        svg = str(Latex(latex, size=_EM, color=_INK, inline=not is_display(source)).svg())
        _, top, width, height = (float(part) for part in svg.split('viewBox="', 1)[1].split('"', 1)[0].split())
    except (Exception, RecursionError) as fault:  # noqa: BLE001 (a parser of whatever a model wrote)
        _log.debug("no formula: %r", fault)
        return None
    return Picture(svg, width / _EM, -top / _EM, (height + top) / _EM)


def _depth(latex: str) -> int:
    """How deep groups, brackets that grow and environments are nested."""
    deepest = depth = 0
    marks = [(match.start(), 1) for match in _OPENING.finditer(latex)]
    marks += [(match.start(), -1) for match in _CLOSING.finditer(latex)]
    for _, change in sorted(marks):
        depth += change
        deepest = max(deepest, depth)
    return deepest


class Typesetter(QObject):
    """Draws formulas on a thread that ends when there is nothing left to draw.

    Signals:
        drawn: The source of a formula that is known now.
    """

    drawn = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("typesetter")
        self._known: OrderedDict[str, Picture | None] = OrderedDict()
        self._waiting: deque[str] = deque()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def is_known(self, source: str) -> bool:
        """Was it tried already?"""
        with self._lock:
            return source in self._known

    def picture(self, source: str) -> Picture | None:
        """The drawn formula; None if it cannot be drawn or was not yet."""
        with self._lock:
            if source in self._known:
                self._known.move_to_end(source)
            return self._known.get(source)

    def ask(self, source: str) -> bool:
        """Draw it soon, and tell with `drawn`; False if that was tried already."""
        with self._lock:
            if source in self._known:
                return False
            if source not in self._waiting:
                self._waiting.append(source)
            if self._thread is None:
                self._thread = threading.Thread(target=self._draw, name="typesetter", daemon=True)
                self._thread.start()
            return True

    def _draw(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._thread = None
                    return
                source = self._waiting[0]
            made = typeset(source)
            with self._lock:
                self._waiting.popleft()
                self._known[source] = made
                while len(self._known) > _KEPT:
                    self._known.popitem(last=False)
            if shiboken6.isValid(self):
                self.drawn.emit(source)


_shared: list[Typesetter] = []


def typesetter() -> Typesetter:
    """The one of this program; it belongs to the application."""
    if not _shared or not shiboken6.isValid(_shared[0]):
        _shared[:] = [Typesetter(QCoreApplication.instance())]
    return _shared[0]


class FormulaObject(QPyTextObject):
    """Draws the formulas of one document."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._pictures: dict[str, Picture] = {}
        self._renderers: dict[tuple[str, str], QSvgRenderer] = {}
        document.documentLayout().registerHandler(OBJECT, self)

    def intrinsicSize(self, document: QTextDocument, _position: int, form: QTextFormat) -> QSizeF:
        picture = self._picture(form)
        if picture is None:
            return QSizeF()
        size = _size(document, picture, form)
        if _is_centred(form):
            rise = _rise(form)
            return QSizeF(picture.width * size, 2 * max(picture.ascent * size - rise, picture.descent * size + rise))
        below = picture.descent if is_display(_source(form)) else 0.0
        return QSizeF(picture.width * size, (picture.ascent + below) * size)

    def drawObject(
        self, painter: QPainter, area: QRectF | QRect, document: QTextDocument, _position: int, form: QTextFormat
    ) -> None:
        picture = self._picture(form)
        if picture is None:
            return
        size = _size(document, picture, form)
        baseline = area.bottom()
        if _is_centred(form):
            baseline = area.center().y() + _rise(form)
        elif is_display(_source(form)):
            baseline -= picture.descent * size
        top = baseline - picture.ascent * size
        place = QRectF(area.left(), top, picture.width * size, (picture.ascent + picture.descent) * size)
        self._renderer(picture, _source(form), str(form.property(COLOUR))).render(painter, place)

    def _picture(self, form: QTextFormat) -> Picture | None:
        source = _source(form)
        if source not in self._pictures:
            made = typesetter().picture(source)
            if made is None:
                return None
            self._pictures[source] = made
        return self._pictures[source]

    def _renderer(self, picture: Picture, source: str, colour: str) -> QSvgRenderer:
        key = (source, colour)
        if key not in self._renderers:
            svg = picture.svg.replace(_INK, colour)
            self._renderers[key] = QSvgRenderer(QByteArray(svg.encode()), self)
        return self._renderers[key]


def text_of(chosen: QTextCursor) -> str:
    """The selected text, with formulas as they were written."""
    parts: list[str] = []
    reader = QTextCursor(chosen.document())
    at = chosen.selectionStart()
    # A letter beyond the first plane is two of the units that positions count.
    for letter in chosen.selectedText():
        if letter == "\ufffc":
            reader.setPosition(at + 1)
            parts.append(str(reader.charFormat().property(SOURCE) or ""))
        else:
            parts.append(letter)
        at += 2 if ord(letter) > 0xFFFF else 1
    return "".join(parts).replace("\u2029", "\n").replace(LINE_BREAK, "\n")


def char_format(source: str, colour: str, pixels: float, picture: Picture) -> QTextCharFormat:
    """Format of the character that stands for a formula in text of this size, px."""
    form = QTextCharFormat()
    form.setObjectType(OBJECT)
    form.setProperty(SOURCE, source)
    form.setProperty(COLOUR, colour)
    form.setProperty(PIXELS, float(pixels))
    form.setToolTip(source.replace(LINE_BREAK, "\n"))
    if not is_display(source) and picture.descent > _DEEP_ENOUGH:
        form.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignMiddle)
    return form


def _source(form: QTextFormat) -> str:
    return str(form.property(SOURCE))


def _is_centred(form: QTextFormat) -> bool:
    return form.toCharFormat().verticalAlignment() == QTextCharFormat.VerticalAlignment.AlignMiddle


def _rise(form: QTextFormat) -> float:
    """How far Qt puts the middle of a centred object above the base line, px."""
    return QFontMetrics(form.toCharFormat().font()).xHeight() / 4


def _size(document: QTextDocument, picture: Picture, form: QTextFormat) -> float:
    """Size of its text, px: smaller where the formula is wider than the document."""
    size = float(form.property(PIXELS))
    room = document.textWidth()
    wide = picture.width * size
    return size * room / wide if 0 < room < wide else size
