"""Finds chats by words in their titles and messages."""

import sqlite3
import unicodedata

_MOST = 200
_AROUND = 40
"""Characters of an excerpt on each side of what was found."""


def find(connection: sqlite3.Connection, text: str) -> list[tuple[int, str]]:
    """Chat numbers, newest first, with an excerpt ("" for a title) of every chat that has all words of `text`.

    Words are found by their beginnings, without regard to case and accents. Scripts that do not part words by spaces
    are searched letter by letter.
    """
    words = _words(text)
    if not words:
        return []
    if any(unicodedata.category(letter) == "Lo" for letter in text):
        return _by_letters(connection, text.strip())
    return _by_words(connection, " ".join(f'"{word}"*' for word in words))


def _words(text: str) -> list[str]:
    """Parted as the index parts them, so that no sign is read as an operator."""
    return "".join(letter if unicodedata.category(letter)[0] in "LNM" else " " for letter in text).split()


def _by_words(connection: sqlite3.Connection, expression: str) -> list[tuple[int, str]]:
    return connection.execute(
        """
        WITH found (chat, excerpt, place) AS (
          SELECT rowid, '', 9e18 FROM chat_words WHERE chat_words MATCH :words
          UNION ALL
          SELECT chat.number, snippet(message_words, 0, '', '', '\u2026', 12), message.number
          FROM message_words
          JOIN message ON message.number = message_words.rowid
          JOIN chat ON chat.id = message.chat
          WHERE message_words MATCH :words
        ), best AS (
          -- SQLite takes the excerpt from the row with the greatest place: the title, else the newest message.
          SELECT chat, excerpt, max(place) FROM found GROUP BY chat
        )
        SELECT best.chat, best.excerpt FROM best JOIN chat ON chat.number = best.chat
        WHERE chat.deleted IS NULL ORDER BY chat.changed DESC LIMIT :most
        """,
        {"words": expression, "most": _MOST},
    ).fetchall()


def _by_letters(connection: sqlite3.Connection, text: str) -> list[tuple[int, str]]:
    return connection.execute(
        """
        SELECT chat.number, min(CASE WHEN instr(chat.title, :text) THEN ''
          ELSE '\u2026' || substr(message.text, max(1, instr(message.text, :text) - :around), 2 * :around + :length)
          END)
        FROM chat LEFT JOIN message ON message.chat = chat.id AND instr(message.text, :text)
        WHERE chat.deleted IS NULL AND (instr(chat.title, :text) OR message.id IS NOT NULL)
        GROUP BY chat.number ORDER BY chat.changed DESC LIMIT :most
        """,
        {"text": text, "around": _AROUND, "length": len(text), "most": _MOST},
    ).fetchall()
