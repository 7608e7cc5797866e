import pytest

from app.bridge.child_log import MAX_LINES_A_SECOND, ChildLog
from app.core import log


@pytest.fixture
def ring() -> log.RingBuffer:
    return log.configure(None, "test", stream=None)


def said(ring: log.RingBuffer) -> list[str]:
    return [line.partition("The child: ")[2] for line in ring.lines]


def test_lines_in_parts(ring: log.RingBuffer) -> None:
    child = ChildLog("The child")
    for byte in "größe: 😀\r\n\nnext".encode():
        child.feed(bytes([byte]))
    assert said(ring) == ["größe: 😀"]
    child.finish()
    assert said(ring) == ["größe: 😀", "next"]
    assert child.tail == ("größe: 😀", "next")


def test_a_line_that_never_ends(ring: log.RingBuffer) -> None:
    child = ChildLog("The child")
    for _ in range(1000):
        child.feed(b"x" * 1000)
    assert max(map(len, ring.lines)) < 2100
    assert len(child._rest) < 10_000


def test_bytes_that_are_no_text(ring: log.RingBuffer) -> None:
    child = ChildLog("The child")
    child.feed(b"\xff\x00\xfe\n")
    assert len(said(ring)) == 1


def test_a_flood_is_thinned_out(ring: log.RingBuffer, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("app.bridge.child_log.time.monotonic", lambda: now)
    child = ChildLog("The child")
    child.feed(b"".join(b"%d\n" % number for number in range(1000)))
    assert len(said(ring)) == MAX_LINES_A_SECOND
    assert child.tail[-1] == "999"
    now = 101.0
    child.feed(b"later\n")
    assert said(ring)[-2:] == [f"{1000 - MAX_LINES_A_SECOND} lines are left out", "later"]
