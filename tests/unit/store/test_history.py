"""The repository on real files."""

import sqlite3
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import EngineFault
from app.protocol.messages import Piece
from app.protocol.options import TokenSource
from app.store.history import HistoryRepository
from app.store.pieces import packed, unpacked
from app.store.rows import ChatRow, MessageRow, Stored

NASTY = "a\0b\r\n\u2028 ä😀\U0010fffd ไทย 'quote' \x1b[0m \u202eRTL"


@pytest.fixture
def history(tmp_path):
    made = HistoryRepository(tmp_path / "history.db")
    assert made.notices == ()
    assert made.is_lasting
    yield made
    made.close()


def chat(name: str = "c", **more: object) -> ChatRow:
    return ChatRow(**{"id": name, "title": name, "created": 1.0, "changed": 2.0, **more})


def message(name: str, parent: str = "", text: str = "text", **more: object) -> MessageRow:
    return MessageRow(
        **{
            "id": name,
            "chat": "c",
            "parent": parent,
            "role": "user",
            "status": "complete",
            "created": 1.0,
            "text": text,
            **more,
        }
    )


def titles(history: HistoryRepository, words: str) -> list[str]:
    return [hit.chat.title for hit in history.search(words)]


def test_what_is_written_is_read_byte_for_byte(history, tmp_path) -> None:
    rows = (message("q", text=NASTY), message("a", "q", NASTY * 3, role="assistant", sources=b"\x00\x05\xff"))
    history.write(chat(leaf="a", unsent=NASTY), rows)
    assert history.load("c") == Stored(chat=chat(leaf="a", unsent=NASTY), messages=rows)
    history.close()
    again = HistoryRepository(tmp_path / "history.db")
    assert again.load("c") == Stored(chat=chat(leaf="a", unsent=NASTY), messages=rows)
    assert again.load("nobody") is None
    again.close()


def test_half_characters_do_not_stop_a_message_from_being_kept(history) -> None:
    history.write(chat(title="x\ud800"), (message("q", text="a\udfffb"),))
    stored = history.load("c")
    assert (stored.chat.title, stored.messages[0].text) == ("x\ufffd", "a\ufffdb")


def test_an_answer_grows_in_place(history) -> None:
    history.write(chat(leaf="q"), (message("q"),))
    for text in ("H", "Hel", "Hello"):
        history.write(chat(leaf="a"), (message("a", "q", text, status="streaming"),))
    history.write(chat(leaf="a", changed=9.0), (message("a", "q", "Hello world", details='{"seed":1}'),))
    stored = history.load("c")
    assert [(m.id, m.text, m.status) for m in stored.messages] == [
        ("q", "text", "complete"),
        ("a", "Hello world", "complete"),
    ]
    assert (stored.chat.changed, stored.messages[1].details) == (9.0, '{"seed":1}')


def test_writing_a_message_leaves_what_the_person_set(history) -> None:
    history.write(chat(title="automatic"))
    history.rename("c", "Mine")
    history.pin("c", pinned=True)
    history.keep_unsent("c", "half a thought")
    history.write(chat(title="automatic", leaf="q"), (message("q"),))
    row = history.chats()[0]
    assert (row.title, row.has_own_title, row.pinned, row.unsent) == ("Mine", True, True, "half a thought")
    assert row.leaf == "q"


def test_one_transaction_or_nothing(history) -> None:
    history.write(chat(leaf="q"), (message("q"),))
    with pytest.raises(EngineFault):
        history.write(chat(leaf="b"), (message("a", "q"), message("b", "no such parent")))
    stored = history.load("c")
    assert (stored.chat.leaf, [m.id for m in stored.messages]) == ("q", ["q"])
    history.write(chat(leaf="a"), (message("a", "q"),))


def test_removed_messages_go_with_what_follows_them(history) -> None:
    history.write(chat(), (message("q"), message("a", "q"), message("q2", "a"), message("b", "q")))
    history.write(chat(leaf="b"), removed=("a",))
    assert [m.id for m in history.load("c").messages] == ["q", "b"]


def test_pinned_first_then_newest(history) -> None:
    for number, name in enumerate("abcd"):
        history.write(chat(name, changed=float(number)))
    history.pin("b", pinned=True)
    assert [row.id for row in history.chats()] == ["b", "d", "c", "a"]


def test_a_chat_thrown_away_comes_back_until_it_is_purged(history) -> None:
    history.write(chat(title="Lisbon"), (message("q", text="trams"),))
    history.throw_away("c", 5.0)
    assert (history.chats(), titles(history, "Lisbon"), titles(history, "trams")) == ((), [], [])
    history.throw_away("c", None)
    assert [row.id for row in history.chats()] == ["c"]
    assert titles(history, "trams") == ["Lisbon"]
    history.purge()
    assert history.load("c") is not None
    history.throw_away("c", 5.0)
    history.purge()
    assert history.load("c") is None
    history.throw_away("c", None)
    assert history.chats() == ()


def test_search_by_title_text_beginning_accent_and_case(history) -> None:
    history.write(chat("c", title="Trip to Lisbon", changed=1.0), (message("q", text="Which tram climbs the hill?"),))
    history.write(chat("d", title="Café", changed=2.0), (message("e", chat="d", text="crème brûlée, Größe"),))
    assert titles(history, "lisb") == ["Trip to Lisbon"]
    assert titles(history, "TRAM hill") == ["Trip to Lisbon"]
    assert titles(history, "cafe") == ["Café"]
    assert titles(history, "brulee") == ["Café"]
    assert titles(history, "größe") == ["Café"]
    assert titles(history, "tram brulee") == []
    assert titles(history, "t") == ["Trip to Lisbon"]
    assert history.search("climbs")[0].excerpt == "Which tram climbs the hill?"
    assert history.search("lisbon")[0].excerpt == ""


@pytest.mark.parametrize(
    "words", ["", "  ", '"', "*", "AND", "a OR", "NEAR(", "title:", "^", "-", "'; DROP", "\0", "😀"]
)
def test_no_sign_is_an_operator(history, words) -> None:
    history.write(chat(title="something"), (message("q", text="a AND b OR NEAR title"),))
    history.search(words)
    assert history.search("something")


def test_scripts_without_spaces_are_searched_by_letters(history) -> None:
    history.write(chat(title="旅行の計画"), (message("q", text="リスボンへの旅行を計画してください。" * 9),))
    assert titles(history, "計画") == ["旅行の計画"]
    assert "リスボン" in history.search("リスボン")[0].excerpt
    assert titles(history, "東京") == []


def test_a_streaming_answer_is_found_when_it_is_over(history) -> None:
    history.write(chat(), (message("q"), message("a", "q", "unicorn", status="streaming")))
    assert titles(history, "unicorn") == []
    assert history.mend() == 1
    assert titles(history, "unicorn") == ["c"]
    stored = history.load("c").messages[1]
    assert (stored.status, stored.text) == ("interrupted", "unicorn")
    assert history.mend() == 0


def test_the_index_follows_changes_and_removals(history, tmp_path) -> None:
    history.write(chat(title="old"), (message("q", text="apple"), message("a", "q", "pear")))
    history.write(chat(), (message("a", "q", "plum"),))
    history.rename("c", "new")
    assert [titles(history, w) for w in ("old", "pear", "new", "plum", "apple")] == [[], [], ["new"], ["new"], ["new"]]
    history.write(chat(), removed=("a",))
    assert titles(history, "plum") == []
    raw = sqlite3.connect(tmp_path / "history.db")
    for table in ("chat_words", "message_words"):
        raw.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('integrity-check', 1)")
    raw.close()


def test_a_whole_chat_is_added_once(history) -> None:
    stored = Stored(chat=chat(has_own_title=True, pinned=True, leaf="a"), messages=(message("q"), message("a", "q")))
    history.add(stored)
    assert history.load("c") == stored


def test_values_without_a_chat(history) -> None:
    assert history.recall("unsent") == ""
    history.remember("unsent", "one")
    history.remember("unsent", NASTY)
    assert history.recall("unsent") == NASTY


def test_a_long_chat_is_read_quickly(history) -> None:
    rows = [message("0", text="x" * 600)]
    rows += [message(str(n), str(n - 1), "word " * 120, sources=b"\x02\x05" * 100) for n in range(1, 2000)]
    history.write(chat(leaf="1999"), rows)
    began = time.monotonic()
    assert len(history.load("c").messages) == 2000
    assert time.monotonic() - began < 1.0


# --- pieces --------------------------------------------------------------------------------------------------------

sources: st.SearchStrategy[TokenSource] = st.sampled_from(["target", "correction", "draft_model", "ngram", "heads"])


@given(st.lists(st.tuples(st.text(min_size=1, max_size=400), sources)))
def test_pieces_come_back(parts) -> None:
    pieces = tuple(Piece(text=text, source=source) for text, source in parts)
    stored = packed(pieces)
    assert unpacked("".join(piece.text for piece in pieces), stored) == pieces
    assert len(stored) <= 3 * len(pieces)


@given(st.text(max_size=20), st.binary(max_size=20))
def test_bytes_that_do_not_fit_are_no_pieces(text, stored) -> None:
    pieces = unpacked(text, stored)
    assert not pieces or "".join(piece.text for piece in pieces) == text


def test_sources_of_a_text_that_was_cut_are_forgotten() -> None:
    stored = packed((Piece(text="Hello", source="target"), Piece(text=" you", source="ngram")))
    assert unpacked("Hello", stored) == ()
    assert unpacked("Hello you!", stored) == ()
    assert unpacked("", b"") == ()
    assert replace(message("m"), sources=stored).sources == stored
