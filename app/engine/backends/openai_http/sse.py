"""Server-sent events from raw bytes.

Lines end in CR, LF or both and in nothing else: U+2028 and its like are text, and stand inside of JSON. Bytes may be
cut anywhere. Comments, which some servers send to keep a connection open, are no events.
"""

from app.core.errors import EngineFault

MAX_EVENT_BYTES = 1024 * 1024


class SseReader:
    """Turns bytes into the data of events."""

    def __init__(self) -> None:
        self._line = bytearray()
        self._data: list[str] = []
        self._size = 0
        self._after_cr = False
        self._first = True

    def feed(self, received: bytes) -> list[str]:
        """The data of the events that are complete now.

        Raises:
            EngineFault: an event is over the limit.
        """
        events: list[str] = []
        start = 0
        if self._after_cr and received:
            self._after_cr = False
            start = 1 if received[:1] == b"\n" else 0
        while (end := _line_end(received, start)) >= 0:
            self._line += received[start:end]
            self._end_line(events)
            start = end + 1
            if received[end : end + 1] == b"\r":
                if start == len(received):
                    self._after_cr = True
                elif received[start : start + 1] == b"\n":
                    start += 1
        self._line += received[start:]
        self._check()
        return events

    def finish(self) -> list[str]:
        """The data of an event whose empty line is missing at the end of the stream."""
        events: list[str] = []
        if self._line:
            self._end_line(events)
        self._end_line(events)
        return events

    def _end_line(self, events: list[str]) -> None:
        line = bytes(self._line)
        self._line.clear()
        if self._first:
            line, self._first = line.removeprefix(b"\xef\xbb\xbf"), False
        if not line:
            if self._data:
                events.append("\n".join(self._data))
            self._data, self._size = [], 0
            return
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" ").decode("utf-8", "replace"))
            self._size += len(value)
            self._check()

    def _check(self) -> None:
        if self._size + len(self._line) > MAX_EVENT_BYTES:
            raise EngineFault(
                "server_garbled",
                "The server sent a single piece of more than 1 MB, which cannot be part of an answer.",
                "Check that its address is the one of a language model server.",
            )


def _line_end(text: bytes, start: int) -> int:
    ends = [place for place in (text.find(b"\n", start), text.find(b"\r", start)) if place >= 0]
    return min(ends, default=-1)
