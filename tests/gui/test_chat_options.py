"""Each chat has its own models, system prompt, sampling and speculation; presets and defaults of models."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QInputDialog, QLineEdit, QPushButton

from app.bridge.preset_desk import PresetDesk
from app.bridge.settings_store import SettingsStore
from app.chat.options import ChatOptions
from app.chat.presets import Preset, Presets, import_preset
from app.chat.settings import Pair
from app.core import paths
from app.core.errors import AppError
from app.core.settings import SettingsFile
from app.protocol.options import SamplingOptions, SpeculationOptions
from app.ui.chat_section import ChatSectionPresenter
from tests.helpers.window_kit import Room, rooms


class Furnished(Room):
    """A room with presets."""

    def __init__(self, qtbot, folder: Path, *engine: object, size: tuple[int, int] = (1000, 700)) -> None:
        super().__init__(qtbot, folder, *engine, size=size)
        self.presets_file = folder / "presets.json"
        file = SettingsFile(self.presets_file, Presets)
        self.desk = PresetDesk(self.controller, SettingsStore(file, file.load()[0]))
        self.section = self.window.panel.chat
        self.sections = ChatSectionPresenter(self.window, self.controller, self.desk)

    def close(self) -> None:
        self.desk.shut_down()
        super().close()
        self.desk.deleteLater()


@pytest.fixture
def build(qapp, qtbot, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(paths.resources().parent))
    with rooms(qapp) as made:

        def new(*engine: object, size: tuple[int, int] = (1000, 700)) -> Furnished:
            made.append(Furnished(qtbot, tmp_path, *engine, size=size))
            return made[-1]

        yield new


def menu_words(room: Furnished) -> list[str]:
    menu = room.section.menu()
    words = [action.text() for action in menu.actions() if action.text()]
    menu.deleteLater()
    return words


def choose(room: Furnished, words: str) -> None:
    menu = room.section.menu()
    (action,) = [action for action in menu.actions() if action.text() == words]
    action.trigger()
    menu.deleteLater()


def open_chat(room: Furnished, chat_id: str) -> None:
    room.controller.open_chat(chat_id)
    room.until(lambda: room.controller.conversation.id == chat_id)


def test_the_system_prompt_is_written_in_the_panel_and_stays_with_the_chat(build) -> None:
    room = build()
    room.section.system.setFocus()
    room.qtbot.keyClicks(room.section.system, "Be brief.")
    room.qtbot.keyClick(room.section.system, Qt.Key.Key_Tab)
    assert room.controller.chat_options.system == "Be brief."
    room.ask("one")
    assert room.controller.conversation.turns()[0].content == "Be brief."
    first = room.controller.conversation.id
    room.controller.new_chat()
    assert room.section.system.toPlainText() == ""
    room.ask("two")
    open_chat(room, first)
    assert room.section.system.toPlainText() == "Be brief."


def test_a_system_prompt_that_is_just_being_written_stays_where_it_was_written(build) -> None:
    room = build()
    room.ask("one")
    first = room.controller.conversation.id
    room.section.system.setFocus()
    room.qtbot.keyClicks(room.section.system, "Mine.")
    room.qtbot.keyClick(room.section.system, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert room.controller.conversation.id != first
    assert room.section.system.toPlainText() == ""
    assert room.controller.chat_options.system == ""
    open_chat(room, first)
    assert room.section.system.toPlainText() == "Mine."


def test_sampling_and_speculation_belong_to_the_chat(build) -> None:
    room = build()
    room.controller.set_sampling(SamplingOptions(temperature=0.1, seed=5))
    room.controller.set_speculation(SpeculationOptions(drafter="ngram", lookahead=3))
    room.ask("one")
    first = room.controller.conversation.id
    room.controller.new_chat()
    room.window.panel.sampling.numbers["temperature"].setValue(1.5)
    room.controller.switch_speculation(False)
    room.ask("two")
    second = room.controller.conversation.id
    open_chat(room, first)
    assert room.controller.sampling == SamplingOptions(temperature=0.1, seed=5)
    assert (room.controller.speculation.drafter, room.controller.speculation.lookahead) == ("ngram", 3)
    assert room.window.panel.sampling.numbers["temperature"].value() == 0.1
    assert room.window.panel.speculation.toggle.isChecked()
    room.ask("again")
    assert room.controller.conversation.last.seed == 5
    open_chat(room, second)
    assert room.controller.sampling.temperature == 1.5
    assert room.controller.speculation.drafter == "off"
    assert not room.window.panel.speculation.toggle.isChecked()


def test_a_change_in_an_old_chat_is_stored_without_a_message(build) -> None:
    room = build()
    room.ask("one")
    chat = room.controller.conversation.id
    room.section.overflow.chosen.emit("keep_ends")
    room.settle()
    room.controller.new_chat()
    open_chat(room, chat)
    assert room.controller.chat_options.overflow == "keep_ends"
    assert room.section.overflow.key() == "keep_ends"


def test_another_pair_is_offered_and_never_loaded_unasked(build) -> None:
    room = build()
    room.controller.open_model("/models/big.gguf")
    room.until(lambda: room.controller.loaded and room.controller.loaded.target.path == "/models/big.gguf")
    room.until(lambda: room.controller.phase == "idle")
    room.ask("one")
    big = room.controller.conversation.id
    assert room.controller.chat_options.pair == Pair(target="/models/big.gguf")
    room.controller.new_chat()
    room.controller.open_demo()
    room.until(lambda: room.controller.is_demo and room.controller.phase == "idle")
    room.ask("two")
    demo = room.controller.conversation.id
    assert room.controller.chat_options.pair == Pair(target="")
    open_chat(room, big)
    banner = room.window.banner.banner
    assert "was answered by big" in banner.sentence
    assert "demo" in banner.sentence
    assert room.controller.is_demo
    assert room.controller.phase == "idle"
    room.qtbot.mouseClick(room.window.findChild(QPushButton, "banner load_pair"), Qt.MouseButton.LeftButton)
    room.until(lambda: room.controller.loaded and not room.controller.is_demo and room.controller.phase == "idle")
    assert room.window.banner.banner is None
    # With the pair of the chat loaded, nothing is said.
    room.controller.new_chat()
    open_chat(room, big)
    assert room.window.banner.banner is None
    open_chat(room, demo)
    assert room.window.banner.banner is not None
    room.ask("three")
    assert room.controller.chat_options.pair == Pair(target="/models/big.gguf"), "what answered it last"


# --- presets --------------------------------------------------------------------------------------------------------


def test_a_preset_is_saved_applied_exported_and_imported(build, tmp_path: Path) -> None:
    room = build()
    room.controller.set_chat_options(ChatOptions(system="Be a pirate.", overflow="drop_oldest"))
    room.controller.set_sampling(SamplingOptions(temperature=1.2))
    choose(room, "Save as a preset…")
    dialog = room.window.findChild(QInputDialog)
    dialog.findChild(QLineEdit).setText("  Pirate &  co ")
    room.qtbot.keyClick(dialog.findChild(QLineEdit), Qt.Key.Key_Return)
    assert [preset.name for preset in room.desk.presets.presets] == ["Pirate & co"]
    room.controller.new_chat()
    room.controller.set_sampling(SamplingOptions(temperature=0.2))
    assert room.controller.chat_options.system == ""
    choose(room, "Pirate && co")
    assert room.section.system.toPlainText() == "Be a pirate."
    assert room.controller.sampling.temperature == 1.2
    assert room.section.overflow.key() == "drop_oldest"
    path = tmp_path / "pirate.json"
    room.section.preset_exported.emit("Pirate & co")
    export = room.window.findChild(QFileDialog)
    export.fileSelected.emit(str(path))
    export.close()
    room.until(path.exists)
    assert json.loads(path.read_text("utf-8"))["system"] == "Be a pirate."
    room.desk.import_file(path)
    room.until(lambda: not room.desk._background.busy)
    assert len(room.desk.presets.presets) == 1, "the same one is there already"
    body = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**body, "system": "Arr."}), "utf-8")
    room.desk.import_file(path)
    room.until(lambda: room.desk.presets.find("Pirate & co 2") is not None)
    room.section.preset_removed.emit("Pirate & co")
    assert menu_words(room)[0] == "Pirate && co 2"
    room.desk._store.flush()
    again, problems = SettingsFile(room.presets_file, Presets).load()
    assert problems == ()
    assert again == room.desk.presets


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b'{"format":"outpace-chat"}',
        b'{"format":"outpace-preset","sampling":{"temperature":-5}}',
        b'{"format":"outpace-preset","overflow":"no"}',
    ],
)
def test_what_is_no_preset_is_a_sentence(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(AppError):
        import_preset(path)
    with pytest.raises(AppError, match="cannot be read"):
        import_preset(tmp_path / "gone.json")


def test_a_failed_import_is_told(build, tmp_path: Path) -> None:
    room = build()
    room.desk.import_file(tmp_path / "gone.json")
    room.until(lambda: room.window.notes.banner is not None)
    assert "gone.json cannot be read" in room.window.notes.banner.sentence


def test_defaults_of_a_model_are_what_new_chats_begin_with(build) -> None:
    room = build()
    room.controller.set_chat_options(ChatOptions(system="For the demo."))
    room.controller.set_sampling(SamplingOptions(temperature=0.3))
    choose(room, "Begin new chats with this model like this")
    room.controller.new_chat()
    assert room.section.system.toPlainText() == "For the demo."
    # Another model has none; its empty chat begins anew.
    room.controller.open_model("/models/big.gguf")
    room.until(lambda: room.controller.loaded.target.path == "/models/big.gguf" and room.controller.phase == "idle")
    assert room.controller.chat_options == ChatOptions()
    room.controller.set_sampling(SamplingOptions(temperature=0.9))
    room.controller.open_demo()
    room.until(lambda: room.controller.is_demo and room.controller.phase == "idle")
    assert room.controller.chat_options.system == "For the demo."
    assert room.controller.sampling.temperature == 0.3
    choose(room, "Begin new chats with this model like the last one")
    room.controller.new_chat()
    assert room.controller.chat_options == ChatOptions()


def test_what_was_written_in_an_empty_chat_survives_a_load(build) -> None:
    room = build()
    room.controller.set_chat_options(ChatOptions(system="Mine."))
    room.controller.open_model("/models/big.gguf")
    room.until(lambda: room.controller.loaded.target.path == "/models/big.gguf" and room.controller.phase == "idle")
    assert room.controller.chat_options.system == "Mine."


def test_presets_as_values() -> None:
    one, two = Preset(name="b"), Preset(name="A", system="x")
    both = Presets().with_preset(one).with_preset(two)
    assert [preset.name for preset in both.presets] == ["A", "b"]
    assert both.with_preset(replace(two, system="y")).find("A").system == "y"
    assert both.without("A").presets == (one,)
    assert both.with_default("/x", one).with_default("/x", None).default_for("/x") is None


# --- a full context -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "words"), [("drop_oldest", "oldest message"), ("keep_ends", "left out of what the model sees")]
)
def test_a_full_context_is_dealt_with_as_the_chat_wants_and_said(build, policy: str, words: str) -> None:
    room = build("--fits", 120, "--deltas", 5)
    room.section.overflow.chosen.emit(policy)
    for number in range(12):
        room.ask(f"question {number}")
        if room.controller.conversation.last.notices:
            break
    (notice,) = room.controller.conversation.last.notices
    assert words in notice.text
    assert room.window.banner.banner is None
    assert words in room.window.transcript._column.views[-1].note.text()
    turns = room.controller.conversation.turns()
    assert (turns[0].content == "question 0") == (policy == "keep_ends")
    assert len(room.controller.conversation.messages) > len(turns), "nothing is lost from the chat"
