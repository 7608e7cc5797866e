"""Colour tokens, the palettes made of them, and the one style sheet of the window.

Widgets never name a colour: they take it from the `Theme` they are given. Text colours keep a contrast of at least
4.5 : 1 on the grounds they are used on (checked by a test).
"""

import string
from dataclasses import asdict, dataclass

from PySide6.QtGui import QColor, QPalette

from app.core import paths

GRID = 8
"""Distances are multiples of this, in device-independent pixels."""
BASE_POINT_SIZE = 10.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """Colours as "#rrggbb".

    `bg`, `panel`, `card`: grounds. `line`, `line_strong`: hairlines; edges of things to click. `ink`, `soft`,
    `pencil`: text, quiet text, text that is not in use. `accent`, `accent_soft`, `on_accent`: the one accent, its
    ground, text on it. `good`, `warn`, `bad` with `_bg`: states. `code`, `keyword`, `string`, `number`: source text.
    `ink_*`: where a token came from. `hover`: ground under the pointer.
    """

    name: str
    is_dark: bool
    bg: str
    panel: str
    card: str
    hover: str
    line: str
    line_strong: str
    ink: str
    soft: str
    pencil: str
    accent: str
    accent_soft: str
    on_accent: str
    good: str
    good_bg: str
    warn: str
    warn_bg: str
    bad: str
    bad_bg: str
    code: str
    keyword: str
    string: str
    number: str
    ink_draft: str
    ink_ngram: str
    ink_heads: str
    ink_correction: str

    @property
    def is_high_contrast(self) -> bool:
        return self.name.startswith("contrast")

    @property
    def track(self) -> str:
        """The part of a chart that is empty. Hairlines are as strong as what is drawn where contrast is high."""
        return self.hover if self.is_high_contrast else self.line

    @property
    def rest(self) -> str:
        """The part of a chart that has no name of its own."""
        return self.pencil if self.is_high_contrast else self.line_strong


LIGHT = Theme(
    name="light",
    is_dark=False,
    bg="#f7f6f3",
    panel="#f0eee9",
    card="#ffffff",
    hover="#e9e6df",
    line="#dedad2",
    line_strong="#c6c1b6",
    ink="#1d2433",
    soft="#5b6270",
    pencil="#8a8f98",
    accent="#2f5bd8",
    accent_soft="#e6ecfb",
    on_accent="#ffffff",
    good="#166b40",
    good_bg="#e0f2e8",
    warn="#8a5100",
    warn_bg="#fbf0dc",
    bad="#b3321f",
    bad_bg="#fbe7e3",
    code="#f3f1ec",
    keyword="#7a2fe0",
    string="#1a7448",
    number="#a04a08",
    ink_draft="#5f80dd",
    ink_ngram="#1d7f4e",
    ink_heads="#8a3ffc",
    ink_correction="#d2553c",
)

DARK = Theme(
    name="dark",
    is_dark=True,
    bg="#15171c",
    panel="#1b1e25",
    card="#20242c",
    hover="#2a2f39",
    line="#30353f",
    line_strong="#454c59",
    ink="#e7e9ee",
    soft="#a3abb9",
    pencil="#7b8492",
    accent="#8fb0ff",
    accent_soft="#27324d",
    on_accent="#10141f",
    good="#6fd6a0",
    good_bg="#1c3328",
    warn="#f0b860",
    warn_bg="#3a2f1b",
    bad="#ff9a87",
    bad_bg="#42241f",
    code="#191c22",
    keyword="#c4a2ff",
    string="#7fd6a2",
    number="#f0b860",
    ink_draft="#6d8fe0",
    ink_ngram="#6fd6a0",
    ink_heads="#c4a2ff",
    ink_correction="#ef7f68",
)


def palette(theme: Theme) -> QPalette:
    """The Qt palette of a theme, for everything the style sheet does not name."""
    role = QPalette.ColorRole
    result = QPalette()
    for name, colour in (
        (role.Window, theme.bg),
        (role.WindowText, theme.ink),
        (role.Base, theme.card),
        (role.AlternateBase, theme.panel),
        (role.Text, theme.ink),
        (role.Button, theme.card),
        (role.ButtonText, theme.ink),
        (role.BrightText, theme.bad),
        (role.Highlight, theme.accent),
        (role.HighlightedText, theme.on_accent),
        (role.Accent, theme.accent),
        (role.Link, theme.accent),
        (role.LinkVisited, theme.accent),
        (role.PlaceholderText, theme.soft),
        (role.ToolTipBase, theme.card),
        (role.ToolTipText, theme.ink),
        (role.Light, theme.card),
        (role.Midlight, theme.hover),
        (role.Mid, theme.line),
        (role.Dark, theme.line_strong),
        (role.Shadow, theme.line_strong),
    ):
        result.setColor(name, QColor(colour))
    for name in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        result.setColor(QPalette.ColorGroup.Disabled, name, QColor(theme.pencil))
    result.setColor(QPalette.ColorGroup.Disabled, role.Highlight, QColor(theme.line))
    return result


def stylesheet(theme: Theme, point_size: float = BASE_POINT_SIZE) -> str:
    """The style sheet of the whole application.

    Args:
        theme: Colours.
        point_size: Of normal text; small text and headings are derived from it.
    """
    values = {
        **{name: str(value) for name, value in asdict(theme).items()},
        "pt": f"{point_size:g}pt",
        "small": f"{point_size * 0.88:.1f}pt",
        "large": f"{point_size * 1.5:.1f}pt",
        "icons": (paths.resources() / "icons").as_posix(),
        # Otherwise they are of a grey that can be seen on any ground.
        "marks": ("-white" if theme.is_dark else "-black") if theme.is_high_contrast else "",
    }
    return string.Template(_SHEET).substitute(values)


_SHEET = """
QToolTip { background: $card; color: $ink; border: 1px solid $line_strong; padding: 4px 6px; }
QMainWindow, QDialog { background: $bg; }
QWidget[ground="bg"] { background: $bg; }
QWidget[ground="panel"] { background: $panel; }
QFrame[ground="card"] { background: $card; border: 1px solid $line; border-radius: 12px; }
QFrame[hairline="bottom"] { border: none; border-bottom: 1px solid $line; }
QFrame[hairline="right"] { border: none; border-right: 1px solid $line; }
QFrame[hairline="left"] { border: none; border-left: 1px solid $line; }
QFrame[hairline="top"] { border: none; border-top: 1px solid $line; }
QPlainTextEdit#prompt {
  background: transparent; border: none; selection-background-color: $accent; selection-color: $on_accent;
}
QScrollArea { border: none; background: transparent; }

QLabel { background: transparent; }
QLabel[text_role="title"] { font-size: $large; font-weight: 600; }
QLabel[text_role="strong"] { font-weight: 600; }
QLabel[text_role="soft"] { color: $soft; }
QLabel[text_role="small"] { color: $soft; font-size: $small; }
QLabel[text_role="warning"] { color: $warn; font-size: $small; }
QLabel[text_role="key"] {
  background: $card; border: 1px solid $line_strong; border-radius: 4px; padding: 2px 6px; font-weight: 600;
}

QPushButton, QToolButton {
  background: $card; color: $ink; border: 1px solid $line_strong; border-radius: 8px; padding: 5px 12px;
}
QPushButton:hover, QToolButton:hover { background: $hover; }
QPushButton:pressed, QToolButton:pressed, QToolButton:checked { background: $accent_soft; }
QPushButton:focus, QToolButton:focus { border: 2px solid $accent; padding: 4px 11px; }
QPushButton:disabled, QToolButton:disabled { color: $pencil; border-color: $line; background: transparent; }
QPushButton[kind="primary"] { background: $accent; color: $on_accent; border-color: $accent; font-weight: 600; }
QPushButton[kind="primary"]:hover { background: $ink; border-color: $ink; color: $bg; }
QPushButton[kind="primary"]:focus { border: 2px solid $ink; }
QPushButton[kind="primary"]:disabled { background: $hover; border-color: $line; color: $soft; }
QPushButton[kind="quiet"], QToolButton[kind="quiet"] { background: transparent; border-color: transparent; }
QPushButton[kind="quiet"]:hover, QToolButton[kind="quiet"]:hover { background: $hover; }
QPushButton[kind="quiet"]:focus, QToolButton[kind="quiet"]:focus { border: 2px solid $accent; }
QToolButton[kind="quiet"]:checked { background: $accent_soft; }
QToolButton[shape="icon"] { padding: 5px; }
QToolButton[shape="small"] { padding: 3px; border-radius: 6px; font-size: $small; }
QToolButton[shape="small"]:focus { padding: 2px; }
QToolButton[shape="icon"]:focus { padding: 4px; }
QToolButton[kind="section"] {
  background: transparent; border: 2px solid transparent; border-radius: 6px; padding: 2px 0; margin-left: -6px;
  font-weight: 600;
  text-align: left;
}
QToolButton[kind="section"]:hover { color: $accent; }
QToolButton[kind="section"]:focus { border: 2px solid $accent; }
QToolButton::menu-indicator, QPushButton::menu-indicator { image: none; width: 0; }
QPushButton[kind="prompt"] {
  background: $card; border: 1px solid $line; border-radius: 10px; padding: 10px 14px; text-align: left;
}
QPushButton[kind="prompt"]:hover { border-color: $accent; background: $accent_soft; }
QPushButton[kind="prompt"]:focus { border: 2px solid $accent; padding: 9px 13px; }
QPushButton[kind="prompt"]:disabled { border-color: $line; color: $pencil; }

QLineEdit, QComboBox, QSpinBox, QDoubleSpinBox {
  background: $card; color: $ink; border: 1px solid $line_strong; border-radius: 8px; padding: 4px 9px;
  min-height: 20px; selection-background-color: $accent; selection-color: $on_accent;
}
QPlainTextEdit[kind="field"] {
  background: $card; color: $ink; border: 1px solid $line_strong; border-radius: 8px; padding: 2px 5px;
  selection-background-color: $accent; selection-color: $on_accent;
}
QPlainTextEdit[kind="field"]:focus { border: 2px solid $accent; padding: 1px 4px; }
QLineEdit:hover, QComboBox:hover, QSpinBox:hover, QDoubleSpinBox:hover { border-color: $pencil; }
QLineEdit:focus, QComboBox:focus, QComboBox:on, QSpinBox:focus, QDoubleSpinBox:focus {
  border: 2px solid $accent; padding: 3px 8px;
}
QLineEdit:disabled, QComboBox:disabled, QSpinBox:disabled, QDoubleSpinBox:disabled {
  color: $pencil; background: transparent; border-color: $line;
}
QComboBox { combobox-popup: 0; }
QComboBoxPrivateContainer { border: none; }
QComboBox::drop-down { border: none; width: 24px; }
QComboBox::down-arrow { image: url("$icons/control-down$marks.svg"); width: 14px; height: 14px; }
QComboBox QAbstractItemView {
  background: $card; color: $ink; border: 1px solid $line_strong; outline: none; padding: 4px;
  selection-background-color: $accent_soft; selection-color: $ink;
}
QSpinBox::up-button, QDoubleSpinBox::up-button, QSpinBox::down-button, QDoubleSpinBox::down-button {
  border: none; background: transparent; width: 18px;
}
QSpinBox::up-arrow, QDoubleSpinBox::up-arrow { image: url("$icons/control-up$marks.svg"); width: 12px; height: 12px; }
QSpinBox::down-arrow, QDoubleSpinBox::down-arrow {
  image: url("$icons/control-down$marks.svg"); width: 12px; height: 12px;
}
QSpinBox::up-button:hover, QDoubleSpinBox::up-button:hover, QSpinBox::down-button:hover,
QDoubleSpinBox::down-button:hover { background: $hover; border-radius: 4px; }

QCheckBox { spacing: 8px; }
QCheckBox::indicator { width: 16px; height: 16px; border: 1px solid $pencil; border-radius: 4px; background: $card; }
QCheckBox::indicator:hover { border-color: $accent; }
QCheckBox::indicator:focus { border: 2px solid $accent; width: 14px; height: 14px; }
QCheckBox::indicator:checked {
  background: $accent_soft; border-color: $accent; image: url("$icons/control-check$marks.svg");
}
QCheckBox::indicator:disabled { background: transparent; border-color: $line; }
QCheckBox:disabled { color: $pencil; }
QSlider::groove:horizontal { height: 4px; border-radius: 2px; background: $line_strong; }
QSlider::sub-page:horizontal { height: 4px; border-radius: 2px; background: $accent; }
QSlider::handle:horizontal {
  width: 12px; height: 12px; margin: -6px 0; border-radius: 8px; background: $card; border: 2px solid $accent;
}
QSlider::handle:horizontal:hover { background: $accent_soft; }
QSlider::handle:horizontal:focus { background: $accent; }
QSlider::sub-page:horizontal:disabled { background: $line_strong; }
QSlider::handle:horizontal:disabled { border-color: $line_strong; }

QListWidget#commands { background: $card; border: 1px solid $line; border-radius: 8px; outline: none; }
QListWidget#commands::item:selected { background: $accent_soft; }
QMenu { background: $card; color: $ink; border: 1px solid $line_strong; padding: 6px; }
QMenu::item { padding: 6px 24px 6px 12px; border-radius: 6px; }
QMenu::item:selected { background: $accent_soft; }
QMenu::item:disabled { color: $soft; background: transparent; }
QMenu::separator { height: 1px; background: $line; margin: 6px 4px; }

QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: $line_strong; border-radius: 3px; }
QScrollBar::handle:vertical { min-height: 32px; margin: 2px; }
QScrollBar::handle:horizontal { min-width: 32px; margin: 2px; }
QScrollBar::handle:hover { background: $pencil; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
"""
