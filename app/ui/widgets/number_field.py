"""A field for a number, one of which may have a name ("auto", "off", "random")."""

import math
import re

from PySide6.QtCore import Qt
from PySide6.QtGui import QValidator, QWheelEvent
from PySide6.QtWidgets import QDoubleSpinBox, QWidget


class NumberField(QDoubleSpinBox):
    """A spin box that takes a point or a comma, and is left alone by the wheel unless it has the focus."""

    def __init__(
        self,
        name: str,
        low: float,
        high: float,
        *,
        step: float = 1.0,
        decimals: int = 0,
        special: tuple[float, str] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        """`special`: the value that is shown as a word, and the word."""
        super().__init__(parent)
        self._special = special
        self.setAccessibleName(name)
        self.setDecimals(decimals)
        self.setRange(low, high)
        self.setSingleStep(step)
        self.setKeyboardTracking(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setFixedWidth(116)

    def whole(self) -> int:
        """The value of a field without decimals."""
        return round(self.value())

    def textFromValue(self, value: float) -> str:
        if self._special is not None and math.isclose(value, self._special[0], abs_tol=1e-9):
            return self._special[1]
        return f"{value:.{self.decimals()}f}"

    def valueFromText(self, text: str) -> float:
        text = text.strip()
        if self._special is not None and text.casefold() == self._special[1].casefold():
            return self._special[0]
        value = _parse(text)
        return self.value() if value is None else value

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        state = QValidator.State
        clean = text.strip().replace(",", ".")
        if self._special is not None and self._special[1].casefold().startswith(clean.casefold()):
            whole = clean.casefold() == self._special[1].casefold()
            return (state.Acceptable if whole else state.Intermediate), text, position
        if clean in ("", "-", ".", "-."):
            return state.Intermediate, text, position
        value = _parse(clean)
        if value is None:
            return state.Invalid, text, position
        if len(clean.partition(".")[2]) > self.decimals() or ("." in clean and not self.decimals()):
            return state.Invalid, text, position
        within = self.minimum() <= value <= self.maximum()
        return (state.Acceptable if within else state.Intermediate), text, position

    def fixup(self, text: str) -> str:
        # Out of range goes to the nearest end; anything else back to what it was.
        value = min(max(self.valueFromText(text), self.minimum()), self.maximum())
        return self.textFromValue(value)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


def _parse(text: str) -> float | None:
    # Stricter than float(): no exponents, no underscores, no names of infinity.
    plain = text.strip().replace(",", ".")
    return float(plain) if re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)", plain, re.ASCII) else None
