"""Notes on tokens: packed, stored, found again by character."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from app.chat.answer import Answer
from app.chat.archive import message_of, row_of
from app.chat.conversation import Message
from app.chat.ink import InkedToken, packed, token_at, unpacked
from app.chat.transfer import as_json, imported
from app.protocol.messages import Delta, Piece
from app.store.pieces import SOURCES
from app.store.rows import ChatRow, Stored

TOKEN = st.tuples(st.sampled_from(SOURCES), st.integers(-1, 100), st.integers(0, 300))


def delta(*tokens: tuple[str, int, str]) -> Delta:
    return Delta(
        id="a",
        pieces=tuple(Piece(text=text, source=source) for source, _, text in tokens if text),
        tokens=tuple(range(len(tokens))),
        sources=tuple(source for source, _, _ in tokens),
        lengths=tuple(len(text) for _, _, text in tokens),
        sure=tuple(sure for _, sure, _ in tokens),
    )


@given(st.lists(TOKEN, max_size=40))
def test_every_character_finds_its_token(tokens: list[tuple[str, int, int]]) -> None:
    made = delta(*((source, sure, "x" * length) for source, sure, length in tokens))
    total = sum(length for _, _, length in tokens)
    found = unpacked(packed(made), total)
    assert [(t.source, t.sure, t.end - t.start) for t in found] == tokens
    for place in range(total):
        token = token_at(found, place)
        assert token is not None
        assert token.start <= place < token.end
    assert token_at(found, total) is None


@given(st.binary(max_size=60), st.integers(0, 200))
def test_damaged_bytes_are_harmless(ink: bytes, characters: int) -> None:
    for token in unpacked(ink, characters):
        assert 0 <= token.start <= token.end <= characters


def test_bytes_that_do_not_fit_the_text_say_nothing() -> None:
    ink = packed(delta(("target", -1, "Hello "), ("draft_model", 91, "you")))
    assert unpacked(ink, 20) == ()
    cut = unpacked(ink, 7)
    assert cut[-1] == InkedToken("draft_model", 91, 6, 7), "a stop text took the rest"
    longer = unpacked(ink, 10)
    assert longer[-1].end == 10, "an unfinished character belongs to the last token"


def test_an_engine_that_says_nothing_leaves_nothing() -> None:
    assert packed(replace(delta(("target", -1, "x")), lengths=(), sure=())) == b""


def test_ink_survives_the_history_and_an_export(tmp_path) -> None:
    answer = Answer(Message(role="assistant", status="streaming", files=("/m/größe.gguf", "/m/d.gguf")))
    answer.add(delta(("target", -1, "Wört"), ("draft_model", 91, "er 😀")))
    answer.add(delta(("correction", 34, ""), ("ngram", -1, "!")))
    message = replace(answer.message(), status="complete")
    row = row_of(message, "chat")
    again = message_of(row)
    assert (again.ink, again.files, again.token_counts) == (message.ink, message.files, message.token_counts)
    assert [t.source for t in unpacked(again.ink, len(again.text))] == ["target", "draft_model", "correction", "ngram"]
    assert len(row.details) < 500
    file = tmp_path / "chat.json"
    file.write_text(as_json(Stored(chat=ChatRow(id="chat", created=1.0, changed=1.0), messages=(row,))), "utf-8")
    (back,) = imported(file, 2.0, lambda: "new").messages
    assert message_of(back).ink == message.ink
    assert message_of(back).files == ("größe.gguf", "d.gguf"), "folders stay at home"
