"""Text from bytes: however the bytes are cut up, the same text comes out, and nothing of it is taken back."""

import codecs
import itertools

from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.engine.detokeniser import TextStream
from app.protocol.messages import Piece
from app.protocol.options import TokenSource

SOURCES: tuple[TokenSource, ...] = ("target", "correction", "draft_model", "ngram")


def cut_at_stop(text: str, stops: tuple[str, ...]) -> tuple[str, bool]:
    """`text` before the stop text that is complete first; of those complete at once the one that begins first."""
    for end in range(1, len(text) + 1):
        starts = [end - len(stop) for stop in stops if text[:end].endswith(stop)]
        if starts:
            return text[: min(starts)], True
    return text, False


def could_grow_into(text: str, stops: tuple[str, ...]) -> int:
    """Length of the longest end of `text` that is a proper beginning of a stop text."""
    sizes = range(max(map(len, stops), default=0), -1, -1)
    return next(
        n for n in sizes if n == 0 or (n <= len(text) and any(s[:n] == text[-n:] and n < len(s) for s in stops))
    )


# Few letters, so that stop texts are found, begun and nested; characters of one to four bytes; surrogates cannot occur.
alphabet = st.sampled_from("aab\né€😀\u0301")
text_bytes = st.one_of(
    st.text(alphabet, max_size=40).map(str.encode),
    st.text(max_size=20).map(lambda text: text.encode("utf-8", "replace")),
    st.binary(max_size=20),
    st.lists(
        st.sampled_from([b"a", b"b", "😀".encode()[:2], "😀".encode()[2:], b"\xff", "é".encode()]), max_size=20
    ).map(b"".join),
)
stop_texts = st.lists(st.text(alphabet, min_size=1, max_size=5), max_size=4).map(tuple)
cuts = st.lists(st.integers(0, 40), max_size=12)


def tokens_of(data: bytes, places: list[int]) -> list[bytes]:
    edges = sorted({0, len(data), *(place for place in places if place < len(data))})
    return [data[one:two] for one, two in itertools.pairwise(edges)]


def run(tokens: list[bytes], stops: tuple[str, ...]) -> tuple[str, bool, list[Piece]]:
    stream = TextStream(stops)
    pieces: list[Piece] = []
    ended = False
    for at, token in enumerate(tokens):
        ended = stream.push(token, SOURCES[at % len(SOURCES)])
        pieces += stream.take()
        if ended:
            break
    stream.finish()
    pieces += stream.take()
    return "".join(piece.text for piece in pieces), ended, pieces


@example(data=b"abcd", places=[1, 2, 3], stops=("abcd", "bc"))
@example(data=b"abcd", places=[], stops=("abcd", "bc"))
@example(data="x😀y".encode(), places=[2, 3, 4], stops=("😀",))
@example(data=b"\xf0\x9f", places=[1], stops=("\ufffd",))
@given(data=text_bytes, places=cuts, stops=stop_texts)
@settings(max_examples=500)
def test_any_cut_gives_the_text_of_the_whole(data: bytes, places: list[int], stops: tuple[str, ...]) -> None:
    text, _, _ = run(tokens_of(data, places), stops)
    assert text == cut_at_stop(data.decode("utf-8", "replace"), stops)[0]


@given(data=text_bytes, places=cuts, stops=stop_texts)
@settings(max_examples=300)
def test_the_stop_is_seen_with_the_token_that_completes_it(
    data: bytes, places: list[int], stops: tuple[str, ...]
) -> None:
    tokens = tokens_of(data, places)
    stream = TextStream(stops)
    pushed = b""
    for token in tokens:
        pushed += token
        # Bytes of an unfinished character are no text yet.
        sure = pushed[: len(pushed) - unfinished(pushed)].decode("utf-8", "replace")
        ended = stream.push(token, "target")
        assert ended == cut_at_stop(sure, stops)[1]
        if ended:
            break


@given(data=text_bytes, places=cuts, stops=stop_texts)
@settings(max_examples=300)
def test_no_more_is_held_back_than_has_to_be(data: bytes, places: list[int], stops: tuple[str, ...]) -> None:
    stream = TextStream(stops)
    pushed, given_out = b"", ""
    for token in tokens_of(data, places):
        pushed += token
        ended = stream.push(token, "target")
        given_out += "".join(piece.text for piece in stream.take())
        if ended:
            return
        sure = pushed[: len(pushed) - unfinished(pushed)].decode("utf-8", "replace")
        assert given_out == sure[: len(sure) - could_grow_into(sure, stops)]


@given(data=text_bytes, places=cuts, stops=stop_texts)
def test_every_character_is_marked_with_the_token_that_completed_it(
    data: bytes, places: list[int], stops: tuple[str, ...]
) -> None:
    tokens = tokens_of(data, places)
    expected: list[tuple[str, TokenSource]] = []
    before = ""
    for at in range(len(tokens)):
        so_far = b"".join(tokens[: at + 1])
        sure = so_far[: len(so_far) - unfinished(so_far)].decode("utf-8", "replace")
        expected += [(char, SOURCES[at % len(SOURCES)]) for char in sure[len(before) :]]
        before = sure
    _, _, pieces = run(tokens, stops)
    marked = [(char, piece.source) for piece in pieces for char in piece.text]
    assert marked[: len(expected)] == expected[: len(marked)]


@given(data=text_bytes, places=cuts)
def test_neighbours_of_one_source_are_one_piece(data: bytes, places: list[int]) -> None:
    stream = TextStream(("never",))
    for token in tokens_of(data, places):
        stream.push(token, "target")
    stream.finish()
    assert len(stream.take()) <= 1


def test_nothing_is_taken_after_the_end() -> None:
    stream = TextStream(("stop",))
    assert stream.push(b"one stop two", "target")
    assert stream.push(b"three", "ngram")
    stream.finish()
    assert stream.take() == (Piece(text="one ", source="target"),)
    assert stream.take() == ()


def test_an_unfinished_character_shows_at_the_end_only() -> None:
    stream = TextStream()
    stream.push("é😀".encode()[:-1], "draft_model")
    assert stream.take() == (Piece(text="é", source="draft_model"),)
    stream.finish()
    assert [piece.text for piece in stream.take()] == ["\ufffd"]


def unfinished(data: bytes) -> int:
    """Bytes at the end that could still become a character."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    decoder.decode(data)
    return len(decoder.getstate()[0])
