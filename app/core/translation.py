"""Words for people in their language, for parts of the program that know nothing of Qt.

The window installs Qt's translator; everywhere else, and before that, the words stay English.
"""

from collections.abc import Callable

_translator: Callable[[str, str], str] | None = None


def install(translator: Callable[[str, str], str] | None) -> None:
    """Take a function of context and English words; None for English."""
    global _translator
    _translator = translator


def translate(context: str, text: str) -> str:
    """`text` in the person's language. Qt's lupdate finds calls of this name and their literal arguments."""
    return _translator(context, text) if _translator is not None else text


def QT_TRANSLATE_NOOP(context: str, text: str) -> str:  # the name lupdate knows
    """`text` as it is, found by Qt's lupdate for a translation that is asked for later."""
    _ = context
    return text
