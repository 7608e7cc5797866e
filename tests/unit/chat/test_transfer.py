"""Titles, rows and files of chats."""

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.chat.archive import Archive, conversation_of, message_of, options_text, row_of
from app.chat.attachments import Attachment
from app.chat.conversation import Conversation, Message, new_id
from app.chat.options import ChatOptions
from app.chat.settings import Pair
from app.chat.titles import automatic_title, shortened
from app.chat.transfer import exported, imported
from app.core.errors import AppError, EnvironmentFault
from app.protocol.messages import Notice, Piece
from app.store.rows import ChatRow, MessageRow, Stored
from tests.helpers.wire_values import ACTIVE, NUMBERS

RICH = Message(
    role="assistant",
    text="Hello, wörld",
    status="complete",
    pieces=(Piece(text="Hello,", source="draft_model"), Piece(text=" wörld", source="target")),
    stats=NUMBERS,
    speculation=ACTIVE,
    seed=7,
    reason="end",
    token_counts=(("draft_model", 2), ("target", 3)),
    notices=(Notice(code="left_out", text="Two."),),
    created=12.5,
)


def stored(*messages: Message) -> Stored:
    chat = ChatRow(id="c", title="Trip: to/Lisbon", created=1.0, changed=2.0, pinned=True, unsent="x")
    return Stored(chat=chat, messages=tuple(row_of(message, "c") for message in messages))


def tree() -> tuple[Message, ...]:
    question = Message(role="user", text="Where?", created=1.0)
    one, two = (
        Message(role="assistant", text=text, parent=question.id, created=created)
        for text, created in (("Here.", 2.0), ("There.", 3.0))
    )
    return question, one, two


# --- rows ----------------------------------------------------------------------------------------------------------


def test_a_message_is_a_row_and_back() -> None:
    assert message_of(row_of(RICH, "c")) == RICH
    assert message_of(row_of(RICH, "c")).created == 12.5
    plain = Message(role="user", text="hi")
    assert message_of(row_of(plain, "c")) == plain
    assert row_of(plain, "c").details == "{}"


@pytest.mark.parametrize("details", ["", "{", "[]", '{"stats": 3}', '{"seed": "x"}', '{"later": 1}', "null"])
def test_details_nobody_understands_leave_the_text(details) -> None:
    row = MessageRow(id="m", chat="c", role="oracle", status="??", created=1.0, text="text", details=details)
    message = message_of(row)
    assert (message.text, message.role, message.status, message.stats) == ("text", "user", "interrupted", None)


def test_only_what_changed_is_pending() -> None:
    archive = Archive()
    assert archive.pending(Conversation(), 1.0) is None
    question, one, _ = tree()
    conversation = Conversation(messages=(question,))
    first = archive.pending(conversation, 1.0)
    assert (first.messages, first.chat.title, first.chat.leaf, first.chat.changed) == (
        (question,),
        "Where?",
        question.id,
        1.0,
    )
    assert archive.pending(conversation, 2.0).messages == (question,), "nobody said it was written"
    archive.note(first)
    assert archive.pending(conversation, 2.0) is None
    longer = conversation.with_message(one)
    second = archive.pending(longer, 3.0)
    assert (second.messages, second.chat.changed, second.chat.created) == ((one,), 3.0, 1.0)
    archive.note(second)
    third = archive.pending(conversation, 4.0)
    assert (third.messages, third.removed, third.chat.changed) == ((), (one.id,), 3.0)
    archive.forget()
    assert archive.pending(longer, 5.0).messages == (question, one)


def test_the_branch_shown_last_is_shown_again() -> None:
    question, one, two = tree()
    rows = stored(question, one, two)
    assert conversation_of(rows).last.text == "There."
    chosen = Stored(chat=ChatRow(id="c", created=1.0, changed=1.0, leaf=one.id), messages=rows.messages)
    assert conversation_of(chosen).last.text == "Here."
    assert len(conversation_of(chosen).all) == 3
    assert conversation_of(Stored(chat=rows.chat, messages=())).messages == ()


# --- titles --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Plan a trip to Lisbon", "Plan a trip to Lisbon"),
        ("\n\n  # **Plan**   a\ttrip\nto Lisbon", "Plan a trip"),
        ("```\n1. first", "first"),
        ("旅行の計画", "旅行の計画"),
        ("\u202eevil\u2066", "evil"),
        ("???\n---", "New chat"),
        ("", "New chat"),
        ("word " * 40, "word word word word word word word word word word word word\u2026"[:60]),
        ("x" * 500, "x" * 59 + "\u2026"),
    ],
)
def test_titles(text, title) -> None:
    found = automatic_title(Conversation(messages=(Message(role="user", text=text),)))
    assert found == title or (text.startswith("word") and len(found) <= 60 and found.endswith("word\u2026"))


@given(st.text(max_size=300))
def test_a_title_is_one_short_line(text) -> None:
    title = automatic_title(Conversation(messages=(Message(role="user", text=text),)))
    assert 0 < len(title) <= 60
    assert len(title.splitlines()) == 1
    assert len(shortened(text, 20)) <= 20


# --- files ---------------------------------------------------------------------------------------------------------


def test_json_comes_back_with_everything(tmp_path) -> None:
    question, one, two = tree()
    rich = Message(**{f: getattr(RICH, f) for f in RICH.__dataclass_fields__} | {"parent": one.id})
    chat = stored(question, one, two, rich)
    file = tmp_path / "Größe.json"
    exported(chat, file)
    again = imported(file, 99.0, new_id)
    assert [row.text for row in again.messages] == [row.text for row in chat.messages]
    assert [row.details for row in again.messages] == [row.details for row in chat.messages]
    assert [row.sources for row in again.messages] == [row.sources for row in chat.messages]
    assert not {row.id for row in again.messages} & {row.id for row in chat.messages}
    assert again.messages[3].parent == again.messages[1].id
    assert all(row.chat == again.chat.id for row in again.messages)
    assert (again.chat.title, again.chat.changed, again.chat.pinned, again.chat.unsent) == (
        "Trip: to/Lisbon",
        99.0,
        False,
        "",
    )
    assert conversation_of(again).forks()


def test_markdown_is_what_is_shown(tmp_path) -> None:
    question, one, two = tree()
    file = tmp_path / "chat.md"
    exported(stored(question, one, two), file)
    assert file.read_text("utf-8") == "# Trip: to/Lisbon\n\n## You\n\nWhere?\n\n## Answer\n\nThere.\n"


def test_what_belongs_to_the_chat_goes_with_it_but_no_paths(tmp_path) -> None:
    options = ChatOptions(pair=Pair(target="/models/secret.gguf"), system="Sei knapp.", overflow="keep_ends")
    question = Message(role="user", text="Why?", attachments=(Attachment(name="a.txt", text="x\n", tokens=1),))
    chat = stored(question)
    chat = replace(chat, chat=replace(chat.chat, options=options_text(options)))
    file = tmp_path / "chat.json"
    exported(chat, file)
    assert "secret" not in file.read_text("utf-8")
    again = conversation_of(imported(file, 99.0, new_id))
    assert again.options == replace(options, pair=None)
    assert again.messages[0].attachments == question.attachments
    exported(chat, tmp_path / "chat.md")
    text = (tmp_path / "chat.md").read_text("utf-8")
    assert "## System prompt\n\nSei knapp." in text
    assert "a.txt:\n```\nx\n```\n\nWhy?" in text


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"\0" * 100,
        b"\xff\xfe",
        b"{}",
        b'{"format": "outpace-chat"}',
        b'{"format": "outpace-chat", "version": 1, "messages": [{"id": 1}]}',
        b'{"format": "outpace-chat", "version": 1, "messages": [{"id": "a", "role": "root", "text": ""}]}',
        b'{"format": "outpace-chat", "version": 9, "messages": []}',
        b"[" * 100_000,
    ],
)
def test_what_is_no_chat_is_a_sentence(tmp_path, content) -> None:
    file = tmp_path / "other.json"
    file.write_bytes(content)
    with pytest.raises(AppError, match=r"other\.json"):
        imported(file, 1.0, new_id)


def test_odd_trees_are_straightened(tmp_path) -> None:
    file = tmp_path / "odd.json"
    messages = [
        {"id": "a", "parent": "a", "role": "user", "text": "self"},
        {"id": "a", "role": "user", "text": "twice"},
        {"id": "b", "parent": "c", "role": "user", "text": "later", "status": "streaming"},
        {"id": "c", "parent": "b", "role": "assistant", "text": "x", "sources": [{"source": "target", "length": -4}]},
    ]
    file.write_text(json.dumps({"format": "outpace-chat", "version": 1, "messages": messages}))
    chat = imported(file, 1.0, new_id)
    assert [(row.text, row.status) for row in chat.messages] == [
        ("self", "complete"),
        ("later", "interrupted"),
        ("x", "complete"),
    ]
    assert chat.chat.title
    assert len(conversation_of(chat).all) == 3


def test_files_out_of_reach(tmp_path) -> None:
    with pytest.raises(EnvironmentFault, match=r"none\.json"):
        imported(tmp_path / "none.json", 1.0, new_id)
    with pytest.raises(EnvironmentFault):
        imported(tmp_path, 1.0, new_id)
    with pytest.raises(EnvironmentFault, match=r"x\.md could not be written"):
        exported(stored(), tmp_path / "nowhere" / "x.md")
    taken = tmp_path / "taken.json"
    taken.mkdir()
    with pytest.raises(EnvironmentFault):
        exported(stored(), taken)
    assert os.listdir(tmp_path) == ["taken.json"]  # noqa: PTH208


def test_half_a_character_does_not_stop_an_export(tmp_path: Path) -> None:
    file = tmp_path / "half.json"
    exported(stored(Message(role="user", text="a\ud800b")), file)
    assert imported(file, 1.0, new_id).messages[0].text
