"""The part of the style sheet that only the Models page needs."""

import string
from dataclasses import asdict

from PySide6.QtWidgets import QWidget

from app.core import paths
from app.ui.theme import Theme


def stylesheet(theme: Theme) -> str:
    """For the page widget; the application's sheet stays in force."""
    icons = (paths.resources() / "icons").as_posix()
    return string.Template(_SHEET).substitute({name: str(value) for name, value in asdict(theme).items()}, icons=icons)


def restyle(widget: QWidget, name: str, value: str) -> None:
    """Set a property the style sheet looks at, and let it look again."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


_SHEET = """
QTabBar { background: transparent; border: none; }
QTabBar::tab {
  background: transparent; color: $soft; border: none; border-bottom: 2px solid transparent;
  padding: 6px 2px; margin-right: 22px; font-weight: 600;
}
QTabBar::tab:hover { color: $ink; }
QTabBar::tab:selected { color: $accent; border-bottom-color: $accent; }
QTabBar::tab:focus { background: $accent_soft; }
QTabBar QToolButton { padding: 2px; border-radius: 4px; }

QListView { background: transparent; border: none; outline: none; }
QListView[frame="card"] { background: $card; border: 1px solid $line; border-radius: 12px; padding: 4px; }
QListWidget::item { padding: 7px 8px; border-radius: 7px; color: $ink; }
QListWidget::item:hover { background: $hover; }
QListWidget::item:selected { background: $accent_soft; color: $ink; }
QListView[frame="card"]:focus { border-color: $accent; }

QLabel[text_role="heading"] { font-size: 12pt; font-weight: 600; }
QLabel[text_role="chip"] {
  background: $accent_soft; color: $accent; border-radius: 6px; padding: 1px 7px; font-weight: 600;
}
QLabel[chip="good"] { background: $good_bg; color: $good; }
QLabel[chip="warn"] { background: $warn_bg; color: $warn; }
QLabel[text_role="problem"] { color: $bad; }
QLabel[text_role="caution"] { color: $warn; }

QFrame[ground="card"][lively="true"] { border-color: $accent; }
QFrame[hairline="between"] { background: $line; border: none; }
QFrame[ground="note"] { background: $panel; border: 1px solid $line; border-radius: 12px; }

QProgressBar { background: $line; border: none; border-radius: 5px; min-height: 10px; max-height: 10px; }
QProgressBar::chunk { background: $accent; border-radius: 5px; }
QProgressBar[tone="still"]::chunk { background: $pencil; }
QProgressBar[tone="bad"]::chunk { background: $bad; }
QProgressBar[tone="good"]::chunk { background: $good; }

QPushButton[kind="link"] {
  background: transparent; border: 2px solid transparent; color: $accent; padding: 3px 5px; font-weight: 600;
}
QPushButton[kind="link"]:hover { color: $ink; }
QPushButton[kind="link"]:focus { border-color: $accent; border-radius: 6px; padding: 3px 5px; }
QPushButton[kind="link"]:disabled { color: $pencil; background: transparent; }
QPushButton[kind="danger"] { color: $bad; }
QPushButton[kind="danger"]:disabled { color: $pencil; }

QSplitter::handle { background: transparent; }
"""
