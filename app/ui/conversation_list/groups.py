"""Chats in the order and under the headings a person looks for them."""

import datetime
import re
from collections.abc import Iterable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QDate, QLocale

from app.store.rows import ChatRow, Hit

_MARKUP = re.compile(r"\*\*|__|`+|^#+ ")


@dataclass(frozen=True, slots=True)
class Heading:
    """Words above some chats."""

    words: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A chat. `excerpt`: text around what was searched for, or ""."""

    chat: ChatRow
    excerpt: str = ""


Row = Heading | Entry


def grouped(chats: Iterable[ChatRow], today: datetime.date) -> list[Row]:
    """Pinned chats first, then by the day or month of their last change.

    Args:
        chats: Pinned ones first, each part newest first.
        today: In local time.
    """
    rows: list[Row] = []
    last = ""
    for chat in chats:
        words = QCoreApplication.translate("chat list", "Pinned") if chat.pinned else heading(chat.changed, today)
        if words != last:
            rows.append(Heading(words))
            last = words
        rows.append(Entry(chat))
    return rows


def found(hits: Iterable[Hit]) -> list[Row]:
    """What a search found, as it came, with plain words for Markdown."""
    return [Entry(hit.chat, " ".join(_MARKUP.sub("", hit.excerpt).split())) for hit in hits]


def heading(changed: float, today: datetime.date) -> str:
    """The day or month of a time in seconds since the epoch."""
    try:
        day = datetime.datetime.fromtimestamp(changed).astimezone().date()
    except (OverflowError, ValueError, OSError):
        return QCoreApplication.translate("chat list", "Earlier")
    age = (today - day).days
    if age <= 0:
        return QCoreApplication.translate("chat list", "Today")
    if age == 1:
        return QCoreApplication.translate("chat list", "Yesterday")
    locale = QLocale()
    month = locale.toString(QDate(day.year, day.month, 1), "MMMM" if day.year == today.year else "MMMM yyyy")
    return month[:1].upper() + month[1:]
