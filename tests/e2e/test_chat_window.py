"""The main things people do in a chat, in the whole window with the real engine and the demo pair."""

import os
import random
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.bridge.engine_client import engine_command
from app.chat.conversation import Message
from app.chat.options import ChatOptions
from app.chat.settings import LoadOptions
from app.protocol.options import SamplingOptions, SpeculationOptions
from tests.conftest import ExpectedLogs
from tests.helpers import window_kit
from tests.helpers.window_kit import Room, rooms

LONG = "hello"
"""Gets an answer of about 1,900 tokens at temperature 0."""
KILLS = int(os.environ.get("OUTPACE_DRILL_ROUNDS", "3"))


@pytest.fixture
def room(qapp: QApplication, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Room]:
    monkeypatch.setattr(window_kit, "fake_command", lambda *_: engine_command())
    monkeypatch.setattr(window_kit, "WAIT_MS", 120_000)
    with rooms(qapp) as made:
        made.append(Room(qtbot, tmp_path))
        room = made[0]
        room.controller.set_load_options(LoadOptions(context=2048, threads=1, gpu_layers=0))
        room.until(lambda: room.controller.phase == "idle")
        room.controller.set_sampling(SamplingOptions(temperature=0.0))
        room.controller.set_speculation(SpeculationOptions(drafter="mixed", lookahead=3))
        yield room
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def last(room: Room) -> Message:
    message = room.controller.conversation.last
    assert message is not None
    return message


def begin(room: Room, text: str, letters: int = 1) -> None:
    """Ask by keyboard, and wait for so many letters of the answer."""
    before = room.controller.conversation.tip
    room.window.composer.put_text(text)
    room.qtbot.keyClick(room.window.composer.edit, Qt.Key.Key_Return)
    room.until(lambda: room.controller.conversation.tip != before)
    room.until(lambda: len(last(room).text) >= letters)


def begun_after(room: Room, before: str, letters: int) -> None:
    """Wait for so many letters of another answer, or for its end: sampled ones can be of two words."""
    room.until(lambda: last(room).id != before)
    room.until(lambda: room.controller.phase == "idle" or len(last(room).text) >= letters)


def stop(room: Room) -> Message:
    room.qtbot.keyClick(room.window.composer.edit, Qt.Key.Key_Escape)
    room.until(lambda: room.controller.phase == "idle")
    room.settle()
    return last(room)


def test_a_stopped_answer_goes_on_as_it_would_have(room: Room) -> None:
    begin(room, LONG, 40)
    stopped = stop(room)
    assert stopped.status == "interrupted"
    assert stopped.tokens
    chat = room.controller.conversation.id
    # Also after another chat was open in between, whose answer has used the cache.
    room.controller.new_chat()
    begin(room, "What is a list?")
    stop(room)
    room.controller.open_chat(chat)
    room.until(lambda: room.controller.conversation.id == chat)
    view = room.window.transcript._column.views[-1]
    room.qtbot.mouseClick(view.tools.on, Qt.MouseButton.LeftButton)
    room.until(lambda: len(last(room).text) > len(stopped.text) + 200)
    gone_on = stop(room)
    room.controller.new_chat()
    room.controller.set_sampling(SamplingOptions(temperature=0.0))
    begin(room, LONG, len(gone_on.text))
    whole = stop(room).text
    assert gone_on.text.startswith(stopped.text)
    # Rounding may flip a near-tie late in a text (law 5); around the seam it is the same.
    seam = len(stopped.text) + 60
    assert gone_on.text[:seam] == whole[:seam]


def test_the_seed_is_named_and_gives_the_same_text(room: Room) -> None:
    room.controller.set_sampling(SamplingOptions(temperature=1.2))
    begin(room, "Write a list of five words.")
    room.until(lambda: room.controller.phase == "idle" or len(last(room).text) > 400)
    first = last(room) if room.controller.phase == "idle" else stop(room)
    view = room.window.transcript._column.views[-1]
    menu = view.tools.menu()
    (same,) = [action for action in menu.actions() if str(first.seed) in action.text()]
    same.trigger()
    menu.deleteLater()
    begun_after(room, first.id, 40)
    again = stop(room)
    assert again.seed == first.seed
    assert again.text[:40] == first.text[:40]
    room.controller.regenerate(again.id)
    begun_after(room, again.id, 40)
    other = stop(room)
    assert other.seed != first.seed
    assert other.text[:40] != first.text[:40]


def test_an_attached_file_is_counted_and_read(room: Room, tmp_path: Path) -> None:
    notes = tmp_path / "table.csv"
    notes.write_text("name,size\n" + "\n".join(f"file{n},{n}" for n in range(60)), "utf-8")
    meter = room.window.composer.meter
    room.until(lambda: meter.isVisible())
    room.window.files_dropped.emit([str(notes)])
    chips = room.window.composer.chips
    room.until(lambda: chips.labels and "counting" not in chips.labels[0].text())
    room.window.composer.put_text("What is in the table?")
    room.until(lambda: "This message: 0" not in meter.toolTip())
    counted = meter._fill.total
    room.qtbot.keyClick(room.window.composer.edit, Qt.Key.Key_Return)
    room.until(lambda: room.controller.phase == "idle" or len(last(room).text) > 20)
    answer = last(room) if room.controller.phase == "idle" else stop(room)
    # The name and the fence around the file come on top.
    assert counted <= answer.stats.prompt_tokens <= counted + 30
    question = room.controller.conversation.messages[0]
    assert question.attachments[0].tokens > 100


def test_a_chat_that_wants_it_goes_on_without_asking_when_the_context_is_full(room: Room) -> None:
    room.controller.set_load_options(LoadOptions(context=256, threads=1, gpu_layers=0))
    room.until(lambda: room.controller.phase == "idle" and room.controller.loaded.context == 256)
    room.controller.set_chat_options(ChatOptions(overflow="drop_oldest"))
    for _ in range(14):
        room.ask("Write a JSON object with ten keys and long values.")
        if last(room).notices:
            break
    assert [notice.code for notice in last(room).notices][:1] == ["left_out"]
    assert last(room).text
    assert room.window.banner.banner is None


@pytest.mark.slow
@pytest.mark.timeout(300 + 60 * KILLS)
def test_no_death_of_the_engine_loses_a_message_of_any_chat(room: Room, expect_log: ExpectedLogs) -> None:
    expect_log("The engine crashed")
    chance = random.Random(2026)
    wanted: dict[str, list[str]] = {}
    for number in range(KILLS):
        if number % 5 == 0:
            room.controller.new_chat()
        begin(room, f"{LONG} {number}")
        room.qtbot.wait(chance.randrange(250))
        os.kill(room.client.pid, signal.SIGKILL)
        room.until(lambda: room.controller.phase == "engine_down")
        conversation = room.controller.conversation
        wanted[conversation.id] = [message.text for message in conversation.messages]
        # Some answers are over sooner than they are killed.
        assert last(room).status in ("interrupted", "complete")
        assert last(room).text
        room.controller.run_banner_action("restart")
        room.until(lambda: room.controller.phase == "idle")
        room.settle()
    assert wanted
    for chat, texts in wanted.items():
        room.controller.new_chat()
        room.controller.open_chat(chat)
        room.until(lambda chat=chat: room.controller.conversation.id == chat)
        assert [message.text for message in room.controller.conversation.messages] == texts
        if room.controller.conversation.can_go_on:
            assert room.controller.go_on()
            room.until(lambda texts=texts: len(last(room).text) > len(texts[-1]))
            assert stop(room).text.startswith(texts[-1].removesuffix("\ufffd"))
        begin(room, "And now?")
        assert stop(room).text
