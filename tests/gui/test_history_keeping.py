"""Nothing that was said is lost: the controller with a history on a real file, the engine a real process."""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from app.bridge.history import History
from app.chat.conversation import Conversation, Message
from app.core import paths
from app.store.history import HistoryRepository
from app.store.rows import Stored
from tests.helpers.bridge_kit import alive
from tests.helpers.controller_kit import Desk

Make = Callable[..., Desk]
WAIT_MS = 20_000


@pytest.fixture
def make(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    monkeypatch.setenv("PYTHONPATH", str(paths.resources().parent))
    desks: list[Desk] = []

    def new(*arguments: object, **options: object) -> Desk:
        desk = Desk(qtbot, tmp_path, *arguments, history=True, **options)
        desks.append(desk)
        return desk

    yield new
    for desk in desks:
        pid = desk.client.pid
        desk.controller.shut_down()
        assert not pid or not alive(pid)


def on_disk(file: Path) -> list[Stored]:
    """What another program would find."""
    repository = HistoryRepository(file)
    chats = [repository.load(chat.id) for chat in repository.chats()]
    repository.close()
    return [chat for chat in chats if chat is not None]


def texts(file: Path) -> list[tuple[str, str]]:
    (stored,) = on_disk(file)
    return [(message.text, message.status) for message in stored.messages]


def settle(desk: Desk) -> None:
    """Wait until the other thread has nothing to do."""
    desk.qtbot.waitUntil(lambda: not desk.history.lane._background.busy, timeout=WAIT_MS)


class Blocked:
    """Keeps the thread of the history busy."""

    def __init__(self, history: History) -> None:
        self._event = threading.Event()
        history.lane.use(lambda _repository: self._event.wait(30))

    def free(self) -> None:
        self._event.set()


def test_a_question_is_stored_before_the_engine_sees_it(make: Make) -> None:
    desk = make()
    desk.start()
    settle(desk)
    blocked = Blocked(desk.history)
    assert desk.controller.send_text("Is it kept?")
    desk.qtbot.wait(300)
    assert desk.requests("generate") == []
    assert desk.controller.phase == "prefill"
    blocked.free()
    desk.until_asked("generate", 1)
    assert texts(desk.history_file)[0] == ("Is it kept?", "complete")
    desk.until_phase("idle")
    settle(desk)
    assert texts(desk.history_file)[1] == (desk.last.text, "complete")


def test_a_disk_that_hangs_does_not_keep_the_engine_waiting(make: Make) -> None:
    desk = make()
    desk.start()
    settle(desk)
    desk.controller._patience.setInterval(200)
    blocked = Blocked(desk.history)
    desk.ask("hello")
    assert desk.last.status == "complete"
    blocked.free()
    settle(desk)
    assert texts(desk.history_file)[0] == ("hello", "complete")


def test_stop_while_the_question_is_being_stored(make: Make) -> None:
    desk = make("--deltas", 500, "--delay", "0.02")
    desk.start()
    settle(desk)
    blocked = Blocked(desk.history)
    desk.controller.send_text("hello")
    desk.controller.stop()
    assert desk.controller.phase == "stopping"
    blocked.free()
    desk.until_phase("idle")
    assert desk.last.status == "interrupted"


def test_a_growing_answer_is_on_disk_within_a_second(make: Make) -> None:
    desk = make("--deltas", 2000, "--delay", "0.01")
    desk.start()
    desk.controller.send_text("go")
    desk.until_text()
    reader = sqlite3.connect(desk.history_file)
    late = []
    for _ in range(5):
        shown, began = desk.last.text, time.monotonic()
        while True:
            QCoreApplication.processEvents()
            row = reader.execute("SELECT text FROM message WHERE role = 'assistant'").fetchone()
            if row is not None and row[0].startswith(shown):
                break
            assert time.monotonic() - began < 5
            time.sleep(0.01)
        late.append(time.monotonic() - began)
        desk.qtbot.wait(100)
    reader.close()
    assert max(late) < 1.0, late


def test_quitting_in_the_middle_of_an_answer_keeps_it(make: Make) -> None:
    desk = make("--deltas", 2000, "--delay", "0.01")
    desk.start()
    desk.controller.send_text("go")
    desk.until_text()
    shown = desk.last.text
    desk.controller.shut_down()
    (_, (text, status)) = texts(desk.history_file)
    assert text.startswith(shown)
    assert status == "interrupted"


def test_everything_there_is_to_know_comes_back(make: Make) -> None:
    first = make()
    first.start()
    first.ask("one")
    first.ask("two\n\twith ä😀")
    said = first.controller.conversation
    first.controller.shut_down()
    again = make()
    again.start()
    again.qtbot.waitUntil(lambda: bool(again.controller.conversation.messages), timeout=WAIT_MS)
    assert again.controller.conversation == said
    assert again.last.pieces
    assert again.last.drafted_tokens > 0
    again.ask("three")
    assert [turn["content"] for turn in again.requests("generate")[-1]["turns"]][::2] == [
        "one",
        "two\n\twith ä😀",
        "three",
    ]
    settle(again)
    assert len(texts(again.history_file)) == 6


def test_text_that_was_not_sent_comes_back_to_its_chat(make: Make) -> None:
    first = make()
    first.start()
    first.ask("one")
    first.controller.note_unsent("and then")
    chat = first.controller.conversation.id
    first.controller.new_chat()
    first.controller.note_unsent("something else")
    restored: list[str] = []
    first.controller.unsent_restored.connect(restored.append)
    first.controller.open_chat(chat)
    first.qtbot.waitUntil(lambda: bool(restored), timeout=WAIT_MS)
    assert restored == ["and then"]
    assert first.controller.conversation.id == chat
    first.controller.new_chat()
    assert restored == ["and then", "something else"]
    settle(first)
    first.controller.shut_down()
    restored.clear()
    again = make()
    again.controller.unsent_restored.connect(restored.append)
    again.start()
    again.qtbot.waitUntil(lambda: bool(restored), timeout=WAIT_MS)
    assert restored == ["something else"]
    assert again.controller.conversation.messages == ()


def test_answers_of_a_program_that_died_are_interrupted(make: Make) -> None:
    first = make()
    first.start()
    first.ask("one")
    settle(first)
    raw = sqlite3.connect(first.history_file)
    raw.execute("UPDATE message SET status = 'streaming' WHERE role = 'assistant'")
    raw.commit()
    raw.close()
    first.controller.shut_down()
    again = make()
    again.start()
    again.qtbot.waitUntil(lambda: bool(again.controller.conversation.messages), timeout=WAIT_MS)
    assert again.last.status == "interrupted"
    assert again.last.text
    again.ask("go on")
    assert again.last.status == "complete"


def test_opening_another_chat_in_the_middle_of_an_answer(make: Make) -> None:
    desk = make("--deltas", 400, "--delay", "0.01")
    desk.start()
    desk.controller.send_text("first")
    desk.until_text()
    first = desk.controller.conversation.id
    desk.controller.new_chat()
    desk.until_phase("idle")
    desk.controller.send_text("second")
    desk.until_text()
    shown = desk.last.text
    second = desk.controller.conversation.id
    desk.controller.open_chat(first)
    desk.qtbot.waitUntil(lambda: desk.controller.conversation.id == first, timeout=WAIT_MS)
    assert desk.last.status == "interrupted"
    settle(desk)
    stored = {chat.chat.id: chat for chat in on_disk(desk.history_file)}
    assert stored[second].messages[1].text.startswith(shown)
    assert stored[second].messages[1].status == "interrupted"
    desk.controller.open_chat(second)
    desk.qtbot.waitUntil(lambda: desk.controller.conversation.id == second, timeout=WAIT_MS)
    assert desk.last.text.startswith(shown)


def test_a_failed_answer_that_was_tried_again_is_gone(make: Make) -> None:
    desk = make("--fail-after", 0)
    desk.start()
    desk.ask("one")
    assert desk.last.status == "failed"
    settle(desk)
    desk.controller.retry(plain=True)
    desk.until_phase("idle")
    settle(desk)
    assert [status for _, status in texts(desk.history_file)] == ["complete", "complete"]


def test_branches_come_back(make: Make) -> None:
    desk = make()
    desk.start()
    desk.ask("one")
    desk.ask("two")
    question = desk.controller.conversation.messages[2].id
    assert desk.controller.edit(question, "zwei")
    desk.until_phase("idle")
    assert desk.controller.regenerate(desk.last.id)
    desk.until_phase("idle")
    desk.controller.show_branch(question)
    settle(desk)
    said = desk.controller.conversation
    desk.controller.shut_down()
    again = make()
    again.start()
    again.qtbot.waitUntil(lambda: bool(again.controller.conversation.messages), timeout=WAIT_MS)
    assert again.controller.conversation.messages == said.messages
    assert again.controller.conversation.forks() == said.forks()
    assert {m.id for m in again.controller.conversation.others} == {m.id for m in said.others}


# --- disks that refuse ---------------------------------------------------------------------------------------------


def limit_pages(desk: Desk, pages: int) -> None:
    desk.history.lane.use(lambda r: r._database.connection.execute(f"PRAGMA max_page_count = {pages}").fetchall())


def test_a_full_disk_is_said_once_and_written_later(make: Make) -> None:
    desk = make("--text", "x" * 3000)
    desk.start()
    settle(desk)
    limit_pages(desk, 1)
    for number in range(3):
        assert desk.ask(f"question {number}").status == "complete"
    settle(desk)
    assert [notice.code for notice in desk.notes.of("notice")] == ["disk_full"]
    assert texts_or_none(desk) is None or len(texts(desk.history_file)) < 6
    limit_pages(desk, 1_000_000)
    desk.ask("question 3")
    settle(desk)
    assert [text for text, _ in texts(desk.history_file)][::2] == [f"question {number}" for number in range(4)]


def texts_or_none(desk: Desk) -> list[tuple[str, str]] | None:
    return texts(desk.history_file) if on_disk(desk.history_file) else None


def test_another_chat_that_could_not_be_written_stays_until_it_can(make: Make) -> None:
    desk = make("--text", "x" * 3000)
    desk.start()
    settle(desk)
    limit_pages(desk, 1)
    desk.ask("first")
    first = desk.controller.conversation
    desk.controller.new_chat()
    settle(desk)
    desk.controller.open_chat(first.id)
    desk.qtbot.waitUntil(lambda: desk.controller.conversation.id == first.id, timeout=WAIT_MS)
    assert desk.controller.conversation == first
    desk.controller.new_chat()
    limit_pages(desk, 1_000_000)
    desk.ask("second")
    desk.controller.shut_down()
    assert {chat.messages[0].text for chat in on_disk(desk.history_file)} == {"first", "second"}


def test_a_folder_that_cannot_be_written_is_said_and_the_chat_goes_on(make: Make, tmp_path: Path) -> None:
    (tmp_path / "history.db").mkdir()
    desk = make()
    desk.start()
    first = desk.ask("one")
    desk.qtbot.waitUntil(lambda: bool(desk.notes.of("notice")), timeout=WAIT_MS)
    chat = desk.controller.conversation.id
    assert [notice.code for notice in desk.notes.of("notice")] == ["history_not_kept"]
    desk.controller.new_chat()
    desk.controller.open_chat(chat)
    desk.qtbot.waitUntil(lambda: desk.controller.conversation.id == chat, timeout=WAIT_MS)
    assert desk.last == first


def test_damage_found_while_chatting_loses_nothing_of_this_chat(make: Make) -> None:
    desk = make()
    desk.start()
    desk.ask("one")
    settle(desk)

    def break_pages(repository: HistoryRepository) -> None:
        connection = repository._database.connection
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        size = desk.history_file.stat().st_size
        with desk.history_file.open("r+b") as file:
            file.seek(4096)
            file.write(bytes(size - 4096))
        connection.execute("PRAGMA cache_size = 0")
        connection.execute("PRAGMA shrink_memory")

    desk.history.lane.use(break_pages)
    settle(desk)
    desk.ask("two")
    desk.qtbot.waitUntil(lambda: bool(desk.notes.of("notice")), timeout=WAIT_MS)
    assert [notice.code for notice in desk.notes.of("notice")] == ["history_damaged"]
    desk.ask("three")
    settle(desk)
    assert [text for text, _ in texts(desk.history_file)][::2] == ["one", "two", "three"]


# --- speed ---------------------------------------------------------------------------------------------------------


def test_a_very_long_chat_opens_quickly(make: Make) -> None:
    """About 300,000 tokens."""
    desk = make()
    desk.start()
    desk.ask("one")
    template = desk.last
    conversation = Conversation()
    for number in range(1000):
        for role in ("user", "assistant"):
            text = f"{number} " + "some words that mean little " * 21
            message = Message(role=role, text=text, parent=conversation.tip, stats=template.stats)
            conversation = conversation.with_message(message)
    desk.history.keeper.keep(conversation)
    settle(desk)
    desk.history.keeper._forget_finished()
    gaps, last = [], [time.monotonic()]
    began = time.monotonic()
    desk.controller.open_chat(conversation.id)
    while desk.controller.conversation.id != conversation.id:
        QCoreApplication.processEvents()
        now = time.monotonic()
        gaps.append(now - last[0])
        last[0] = now
        time.sleep(0.001)
    spent = time.monotonic() - began
    assert sum(len(m.text) for m in conversation.messages) > 1_100_000
    assert len(desk.controller.conversation.messages) == 2000
    assert spent < 8
    assert max(gaps) < 1
