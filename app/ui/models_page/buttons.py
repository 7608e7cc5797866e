"""Buttons of the page."""

from collections.abc import Callable
from typing import Literal

from PySide6.QtWidgets import QPushButton, QSizePolicy

Kind = Literal["", "primary", "quiet", "link", "danger"]


def button(words: str, call: Callable[[], object], kind: Kind = "", name: str = "") -> QPushButton:
    """A push button that calls; `name` tells equal words apart for screen readers."""
    result = QPushButton(words)
    if kind:
        result.setProperty("kind", kind)
    if name:
        result.setAccessibleName(name)
    result.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
    result.clicked.connect(lambda _checked=False: call())
    return result
