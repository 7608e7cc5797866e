"""The library, drafts and memory on the Models page: real widgets and files, where it matters the real engine."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QTimer, QTranslator, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QMessageBox, QPushButton, QWidget

from app.bridge import load_planner, models_controller
from app.bridge.machine_facts import MachineFacts
from app.chat.settings import LoadOptions, Pair
from app.core import paths
from app.engine.backends import loading
from app.hub.library import inspect
from app.hub.memory_plan import Budget, make_plan
from app.protocol.options import SpeculationOptions
from tests.helpers import gguf_kit
from tests.helpers.audit import opened_here
from tests.helpers.budgets import RUNGS, plan_with
from tests.helpers.head_kit import only_heads, without_heads
from tests.helpers.models_kit import Stage, fake_engine, put_models, texts

Build = Callable[..., Stage]


@pytest.fixture
def build(qtbot, tmp_path: Path, monkeypatch) -> Iterator[Build]:
    """Makes windows; without `real` their engine is a fake. Files of the `models` folder are made before."""
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    monkeypatch.delenv("HF_HOME", raising=False)
    made: list[Stage] = []

    def make(*, real: bool = False, **more) -> Stage:
        stage = Stage(qtbot, tmp_path, engine=() if real else fake_engine(), **more)
        made.append(stage)
        return stage

    yield make
    for stage in made:
        stage.tear_down()


@pytest.fixture
def models() -> Path:
    """The models folder, with a space and foreign letters somewhere in it."""
    folder = paths.find().models / "org" / "Größe 模型"
    folder.mkdir(parents=True)
    return folder


def changed(folder: Path, name: str, change: Callable[[gguf_kit.Model], None]) -> Path:
    model = gguf_kit.load(paths.demo_pair()[1])
    change(model)
    return model.write(folder / f"{name}.gguf")


def choose(stage: Stage, path: Path) -> None:
    """Click a model in the library and wait for its verdicts."""
    view = stage.page.library.list
    number = stage.models.library_model.find(str(path))
    assert number >= 0
    stage.qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.rect_of(number).center())
    stage.until(lambda: stage.models.desk.target is not None and stage.models.desk.target.path == path)
    stage.until(lambda: not stage.models._background.busy)


def choose_draft(stage: Stage, path: str) -> None:
    view = stage.page.library.details.drafts
    number = stage.models.desk.drafts.find(path)
    assert number >= 0
    stage.qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.rect_of(number).center())


# --- what is there ----------------------------------------------------------------------------------------------------


def test_a_file_that_crashes_llama_cpp_is_found_out_and_the_window_lives(build: Build, models: Path) -> None:
    good = put_models(models, "Zebra.gguf")[0]
    bad = changed(models, "Twice", lambda model: model.tokens.__setitem__(301, model.tokens[300]))
    worse = changed(models, "Experts", lambda model: model.number("llama.expert_used_count", 9))
    stage = build()
    stage.open()
    stage.until(lambda: not stage.models.library.inspecting and not stage.models._background.busy)
    found = {model.path: model for model in stage.models.library.library.models}
    assert (found[good].role, found[good].confirmed) == ("chat", True)
    for path in (bad, worse):
        assert found[path].role == "broken"
        number = stage.models.library_model.find(str(path))
        assert stage.models.library_model.rows[number].model is found[path]
    assert "The engine cannot read this file" in str(found[worse].problem)
    # The next time it is known at once.
    stage.models.rescan()
    stage.until(lambda: not stage.models._background.busy)
    again = {model.path: (model.role, str(model.problem)) for model in stage.models.library.library.models}
    assert again == {path: (model.role, str(model.problem)) for path, model in found.items()}


def test_chat_models_then_what_cannot_chat_with_its_sentence(build: Build, models: Path) -> None:
    put_models(models, "Zebra.gguf")
    changed(models, "mmproj", lambda model: model.text("general.type", "mmproj"))
    (models / "half.gguf").write_bytes(paths.demo_pair()[0].read_bytes()[:100_000])
    (models / "other.gguf.part").write_bytes(b"x")
    gguf_kit.load(paths.demo_pair()[1]).split(models, "Set", 3)
    stage = build()
    stage.open()
    rows = stage.models.library_model.rows
    titles = [row.title for row in rows]
    assert titles[0] == "Chat models"
    at = titles.index("Not chat models")
    assert {"Zebra", "Set", "outpace-demo-target-q8_0"} <= set(titles[1:at])
    assert titles[at + 1 :] == ["half", "mmproj"]
    choose(stage, models / "half.gguf")
    details = stage.page.library.details
    assert "is cut off" in texts(details)
    assert not details.load.isVisible()
    assert not details.memory.isVisible()
    choose(stage, models / "mmproj.gguf")
    assert "vision part" in texts(details)


def test_drafters_stand_below_their_target(build: Build, models: Path) -> None:
    (target,) = put_models(models, "Target.gguf")
    width = inspect(target).facts.embedding_length
    drafter = gguf_kit.tiny("llama", tokens=4096)
    drafter.rename_architecture("eagle3")
    drafter.number("eagle3.target_hidden_size", width)
    drafter.write(models / "Target-eagle3.gguf")
    stage = build()
    stage.open()
    rows = stage.models.library_model.rows
    at = stage.models.library_model.find(str(target))
    assert rows[at + 1].kind == "attachment"
    assert rows[at + 1].title == "Target-eagle3"
    assert "Not chat models" not in [row.title for row in rows]


def test_the_filter_knows_words_of_name_path_and_kind(build: Build, models: Path, qtbot) -> None:
    put_models(models, "Alpha-7B.gguf", "Beta-7B.gguf")
    stage = build()
    stage.open()
    library = stage.page.library
    qtbot.keyClicks(library.filter, "7b ALPHA")
    assert [row.title for row in stage.models.library_model.rows] == ["Chat models", "Alpha-7B"]
    library.filter.setText("größe q8_0 beta")
    assert [row.title for row in stage.models.library_model.rows] == ["Chat models", "Beta-7B"]
    library.filter.setText("nothing like it")
    assert "No model has all of these words." in texts(library)
    library.filter.clear()
    assert len(stage.models.library_model.rows) == 5


def test_the_keyboard_steps_over_headings(build: Build, models: Path, qtbot) -> None:
    put_models(models, "A.gguf")
    changed(models, "mmproj", lambda model: model.text("general.type", "mmproj"))
    stage = build()
    stage.open()
    view = stage.page.library.list
    view.setFocus()
    view.go_to(1)
    seen = [view.current().title]
    for _ in range(6):
        qtbot.keyClick(view, Qt.Key.Key_Down)
        seen.append(view.current().title)
    assert seen[:4] == ["A", "outpace-demo-draft-q8_0", "outpace-demo-target-q8_0", "mmproj"]
    assert set(seen[4:]) == {"mmproj"}
    qtbot.keyClick(view, Qt.Key.Key_Up)
    assert view.current().title == "outpace-demo-target-q8_0"
    qtbot.keyClick(view, Qt.Key.Key_Home)
    assert view.current().title == "A"


def test_a_folder_that_cannot_be_read_and_one_that_is_gone(build: Build, models: Path, monkeypatch, tmp_path) -> None:
    put_models(models, "A.gguf")
    stage = build()
    stage.models.access.add_folder(str(tmp_path / "gone"))
    (tmp_path / "a file").write_text("x")
    stage.models.access.add_folder(str(tmp_path / "a file"))
    stage.open()
    assert "a file" in texts(stage.page.library)
    assert "cannot be read" in texts(stage.page.library)
    assert stage.models.library_model.find(str(models / "A.gguf")) >= 0


# --- drafts -----------------------------------------------------------------------------------------------------------


def test_every_other_model_gets_its_verdict_in_words(build: Build, models: Path) -> None:
    target, fitting = put_models(models, "Big.gguf", "draft fits.gguf")

    def token(model: gguf_kit.Model) -> None:
        model.tokens[643] = b"changed\n"

    changed(models, "token", token)
    changed(models, "longer", lambda model: model.longer_by(200))
    changed(models, "begin", lambda model: model.flag("tokenizer.ggml.add_bos_token", value=True))
    stage = build()
    stage.open()
    choose(stage, target)
    rows = {row.path: row for row in stage.models.desk.drafts.rows}
    sentences = {Path(path).stem: row.verdict.sentence for path, row in rows.items() if row.verdict is not None}
    assert rows[str(fitting)].fits
    assert sentences["draft fits"] == "It is about 1/13 of the target: in the sweet spot."
    assert sentences["token"].startswith("Token 643 differs: “changed\\n” here")
    assert "200 apart, 128 are allowed" in sentences["longer"]
    assert "begin token" in sentences["begin"]
    assert "as large as the target" in sentences["outpace-demo-target-q8_0"]
    shown = stage.page.library.details
    assert stage.models.desk.draft in (str(fitting), str(paths.demo_pair()[1]))
    assert shown.load.text() == "Load pair"
    choose_draft(stage, str(models / "token.gguf"))
    assert stage.models.desk.draft != str(models / "token.gguf"), "an unfit draft cannot be chosen"
    assert "Token 643" in stage.models.desk.drafts.sentence(rows[str(models / "token.gguf")])


def test_choosing_a_draft_never_reloads_the_target(build: Build, models: Path) -> None:
    (draft,) = put_models(models, "Another draft.gguf")
    stage = build(real=True)
    stage.start_engine()
    loaded_at = stage.chat.loaded.target_loaded_at
    stage.open()
    choose(stage, paths.demo_pair()[0])
    details = stage.page.library.details
    assert details.load.text() == "Loaded"
    assert not details.load.isEnabled()
    choose_draft(stage, str(draft))
    assert details.load.text() == "Use as draft"
    stage.click(details.load)
    stage.until(lambda: stage.chat.loaded.draft is not None and stage.chat.loaded.draft.path == str(draft))
    assert stage.chat.loaded.target_loaded_at == loaded_at
    assert not stage.page.isVisible()
    stage.open()
    choose(stage, paths.demo_pair()[0])
    choose_draft(stage, "")
    assert details.load.text() == "Use no draft"
    stage.click(details.load)
    stage.until(lambda: stage.chat.phase == "idle" and stage.chat.loaded.draft is None)
    assert stage.chat.loaded.target_loaded_at == loaded_at


def test_a_pair_is_loaded_from_the_keyboard_and_its_gain_is_remembered(build: Build, models: Path, qtbot) -> None:
    target, draft = put_models(models, "My target.gguf", "My draft.gguf")
    stage = build(real=True)
    stage.start_engine()
    stage.chat.set_speculation(SpeculationOptions(drafter="draft_model", lookahead=3))
    stage.open()
    choose(stage, target)
    choose_draft(stage, str(draft))
    stage.page.library.details.drafts.setFocus()
    qtbot.keyClick(stage.page.library.details.drafts, Qt.Key.Key_Return)
    stage.until(lambda: stage.chat.phase == "idle" and stage.chat.loaded.target.path == str(target))
    assert stage.chat.loaded.draft.path == str(draft)
    stage.chat.send_text("Count from 3 to 9.")
    stage.until(lambda: stage.chat.phase == "idle" and len(stage.chat.conversation.messages) == 2)
    message = stage.chat.conversation.messages[1]
    assert message.speculation is not None
    measured = replace(message.speculation, gain=2.134, gain_kind="measured", drafter="draft_model", state="active")
    stage.chat.message_changed.emit(replace(message, speculation=measured))
    stage.open()
    choose(stage, target)
    row = stage.models.desk.drafts.rows[1]
    assert row.path == str(draft)
    assert row.verdict.gain == 2.134
    assert row.verdict.sentence.startswith("Measured here: 2.13 times as fast")
    estimated = replace(measured, gain=9.0, gain_kind="estimated")
    stage.chat.message_changed.emit(replace(message, speculation=estimated))
    assert stage.gains.gains.of(str(target)) == {str(draft): 2.134}


def test_a_draft_to_download_is_offered_where_none_fits(build: Build, models: Path) -> None:
    target = changed(models, "Demo-6M-Q4_K_M", lambda model: model.longer_by(5000))
    stage = build()
    stage.open()
    choose(stage, target)
    details = stage.page.library.details
    assert "No model here can draft for it, but Demo-0.6M-Q8_0 would." in texts(details)
    assert details.get_offer.text().startswith("Download the one that fits (")
    choose(stage, paths.demo_pair()[0])
    assert not details.get_offer.isVisible()


# --- memory -----------------------------------------------------------------------------------------------------------


def test_the_context_of_a_plan_is_what_the_engine_takes() -> None:
    assert load_planner.AUTOMATIC_CONTEXT == loading.AUTOMATIC_CONTEXT


@pytest.mark.parametrize(("free", "words"), [(2_000_000_000, "it fits"), (100_000_000, "it does not fit")])
def test_the_plan_of_a_pretended_machine(build: Build, models: Path, monkeypatch, free: int, words: str) -> None:
    target, _ = put_models(models, "Target.gguf", "Draft.gguf")
    facts = MachineFacts(ram_free=free, ram_total=8_000_000_000, disk_free=1_000_000_000)
    monkeypatch.setattr(models_controller, "look", lambda _models, _loaded: facts)
    stage = build()
    stage.open()
    choose(stage, target)
    memory = stage.page.library.details.memory
    stage.until(lambda: words in memory.words)
    assert memory.isVisible()
    assert memory._vram.isHidden()
    if words != "it fits":
        assert "too little" in memory.words
        assert "of 100 MB free" in memory.words.replace("\N{NARROW NO-BREAK SPACE}", " ")
        assert "Accelerator" not in memory.words
    assert "free of" in stage.page._machine.text()


def test_the_rungs_of_the_ladder_are_said(build: Build, models: Path) -> None:
    put_models(models, "Target.gguf")
    stage = build()
    stage.open()
    big, small = (inspect(path).facts for path in paths.demo_pair())
    big = replace(big, weight_bytes=big.weight_bytes * 800, layer_bytes=tuple(800 * b for b in big.layer_bytes))
    plan = make_plan(big, small, 8192, Budget(ram=16_000_000_000, vram=2_500_000_000))
    assert {step.code for step in plan.steps} >= {"fewer_layers"}
    stage.models.desk.plan_changed.emit(plan)
    memory = stage.page.library.details.memory
    assert not memory._vram.isHidden()
    for step in plan.steps:
        assert step.sentence in memory.words
    assert "does not fit as it is" in memory.words
    stage.models.desk.plan_changed.emit(None)
    assert memory.isHidden()


@pytest.mark.parametrize("rung", RUNGS)
def test_each_rung_of_the_ladder_is_taken_when_a_pair_is_loaded(build: Build, models: Path, monkeypatch, rung) -> None:
    target, draft = put_models(models, "Target.gguf", "Draft.gguf")
    stage = build()
    wished = LoadOptions(context=16_384, flash_attention=False)
    stage.store.update(load=wished)
    facts = [inspect(path).facts for path in (target, draft)]
    plan = plan_with(rung, *facts, 16_384)  # type: ignore[arg-type]
    spare = MachineFacts(
        ram_free=plan.budget.ram, ram_total=1 << 41, device_free=plan.budget.vram, device_total=plan.budget.vram
    )
    monkeypatch.setattr(models_controller, "look", lambda _models, _loaded: spare)
    told: list[str] = []
    stage.chat.notice.connect(lambda notice: told.append(notice.text))
    stage.open()
    choose(stage, target)
    choose_draft(stage, str(draft))
    stage.until(lambda: stage.models.desk.plan is not None and stage.models.desk.plan.steps == plan.steps)
    for step in plan.steps:
        assert step.sentence in stage.page.library.details.memory.words
    stage.click(stage.page.library.details.load)
    stage.until(lambda: stage.chat.loaded is not None and stage.chat.loaded.target.path == str(target))
    request = stage.chat._session.load_request
    assert request is not None
    taken, placement = {step.code for step in plan.steps}, plan.placement
    assert rung in taken
    assert request.draft == ("" if "draft_off" in taken else str(draft))
    assert request.cache_type == placement.kv_type
    assert request.flash_attention == ("off" if placement.kv_type == "F16" else "auto")
    assert request.draft_context == (placement.draft_context if "draft_context" in taken else 0)
    assert request.draft_gpu_layers == (0 if "draft_on_cpu" in taken else "auto")
    assert request.gpu_layers == (placement.gpu_layers if "fewer_layers" in taken else "auto")
    stage.until(lambda: told)
    assert all(step.sentence in " ".join(told) for step in plan.steps)
    # It is loaded like that again, and what the person chose is not changed by it.
    last = stage.store.value.last
    assert last is not None
    assert last.fit.cache_type == placement.kv_type
    assert stage.store.value.load == wished
    stage.chat.open_demo()
    stage.until(lambda: stage.chat.loaded is not None and stage.chat.loaded.target.path != str(target))
    stage.chat.open_model(str(target))
    stage.until(lambda: stage.chat.loaded is not None and stage.chat.loaded.target.path == str(target))
    again = stage.chat._session.load_request
    assert again is not None
    assert replace(again, id="", draft_required=False) == replace(request, id="", draft_required=False)


def test_what_does_not_fit_at_all_is_refused_with_numbers(build: Build, models: Path, monkeypatch) -> None:
    (target,) = put_models(models, "Target.gguf")
    facts = MachineFacts(ram_free=100_000_000, ram_total=8_000_000_000)
    monkeypatch.setattr(models_controller, "look", lambda _models, _loaded: facts)
    stage = build()
    failures: list[str] = []
    stage.models.failed.connect(lambda fault: failures.append(str(fault)))
    stage.open()
    choose(stage, target)
    before = stage.chat._session.load_request
    stage.click(stage.page.library.details.load)
    stage.until(lambda: failures)
    assert "too little" in failures[0]
    assert "100 MB of memory are free" in failures[0]
    assert stage.chat._session.load_request is before
    assert stage.page.isVisible()


def test_choosing_a_draft_on_the_page_never_reloads_the_target(build: Build, models: Path, monkeypatch) -> None:
    """Not even where memory is so short that a smaller cache of the target would make room for the draft."""
    target, draft = put_models(models, "Target.gguf", "Draft.gguf")
    stage = build(real=True)
    stage.chat.start(Pair(target=str(target)))
    stage.until(lambda: stage.chat.phase == "idle" and stage.chat.loaded is not None)
    at = stage.chat.loaded.target_loaded_at
    facts = [inspect(path).facts for path in (target, draft)]
    plan = plan_with("quantised_cache", *facts, stage.chat.loaded.context)  # type: ignore[arg-type]
    spare = MachineFacts(ram_free=plan.budget.ram, ram_total=1 << 41)
    monkeypatch.setattr(models_controller, "look", lambda _models, _loaded: spare)
    stage.open()
    choose(stage, target)
    choose_draft(stage, str(draft))
    stage.until(lambda: stage.models.desk.plan is not None and not stage.models._background.busy)
    assert {step.code for step in stage.models.desk.plan.steps} <= {"draft_context", "draft_off"}
    monkeypatch.setattr(models_controller, "look", lambda _models, _loaded: MachineFacts(ram_free=1 << 40))
    stage.models.look_at_machine()
    stage.until(lambda: not stage.models._background.busy)
    stage.click(stage.page.library.details.load)
    stage.until(lambda: stage.chat.loaded is not None and stage.chat.loaded.draft is not None)
    assert stage.chat.loaded.draft.path == str(draft)
    assert stage.chat.loaded.target_loaded_at == at


# --- keeping ----------------------------------------------------------------------------------------------------------


def answer(stage: Stage, words: str) -> None:
    """Press a button of the message box that is open."""
    box = QApplication.activeModalWidget()
    assert isinstance(box, QMessageBox)
    button = next(one for one in box.buttons() if one.text() == words)
    stage.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_deleting_asks_first_and_frees_the_disk(build: Build, models: Path, qtbot) -> None:
    put_models(models, "Keep.gguf")
    gguf_kit.load(paths.demo_pair()[1]).split(models.parent / "Set of files", "Set", 3)
    first = models.parent / "Set of files" / "Set-00001-of-00003.gguf"
    stage = build()
    stage.open()
    choose(stage, first)
    details = stage.page.library.details
    stage.click(details.delete)
    box = QApplication.activeModalWidget()
    assert box.defaultButton().text() == "Keep it"
    assert "3 files" in box.informativeText()
    answer(stage, "Keep it")
    assert first.exists()
    stage.page.library.list.setFocus()
    qtbot.keyClick(stage.page.library.list, Qt.Key.Key_Delete)
    answer(stage, "Delete")
    stage.until(lambda: "is deleted" in texts(stage.page.notes))
    stage.until(lambda: stage.models.library_model.find(str(first)) < 0)
    assert not first.parent.exists()
    assert (models / "Keep.gguf").exists()


def test_what_is_in_use_or_not_ours_cannot_be_deleted(build: Build, models: Path, qtbot) -> None:
    (target,) = put_models(models, "Mine.gguf")
    stage = build(real=True)
    stage.chat.start(Pair(target=str(target)))
    stage.until(lambda: stage.chat.phase == "idle")
    stage.open()
    details = stage.page.library.details
    choose(stage, target)
    assert not details.delete.isEnabled()
    assert "loaded right now" in details.delete.toolTip()
    choose(stage, paths.demo_pair()[1])
    assert not details.delete.isEnabled()
    stage.page.library.list.setFocus()
    qtbot.keyClick(stage.page.library.list, Qt.Key.Key_Delete)
    assert QApplication.activeModalWidget() is None


def test_a_file_that_vanished_meanwhile_is_said(build: Build, models: Path) -> None:
    (path,) = put_models(models, "Soon gone.gguf")
    stage = build()
    stage.open()
    choose(stage, path)
    path.unlink()
    stage.click(stage.page.library.details.delete)
    answer(stage, "Delete")
    stage.until(lambda: "already gone" in texts(stage.page.notes))
    stage.until(lambda: stage.models.library_model.find(str(path)) < 0)


def drop(stage: Stage, *dropped: Path) -> bool:
    """Drag paths onto the page and let go; whether the page takes them."""
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path)) for path in dropped])
    none = (Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    enter = QDragEnterEvent(QPoint(50, 50), Qt.DropAction.CopyAction, mime, *none)
    enter.ignore()
    QApplication.sendEvent(stage.page, enter)
    if enter.isAccepted():
        QApplication.sendEvent(stage.page, QDropEvent(QPointF(50, 50), Qt.DropAction.CopyAction, mime, *none))
        stage.qtbot.wait(20)
    return enter.isAccepted()


@pytest.mark.parametrize("how", ["copy", "link"])
def test_a_dropped_file_is_copied_or_used_where_it_is(build: Build, tmp_path: Path, how: str) -> None:
    (original,) = put_models(tmp_path / "Herunter geladen é", "New model.gguf")
    stage = build()
    stage.open()
    assert not drop(stage, tmp_path / "notes.txt")
    assert drop(stage, original)
    strip = stage.page.imports
    assert strip.isVisible()
    stage.click(strip.copy if how == "copy" else strip.link)
    place = stage.folders.models / "New model.gguf"
    stage.until(lambda: stage.models.library_model.find(str(place)) >= 0)
    stage.until(strip.isHidden)
    assert place.is_symlink() is (how == "link")
    assert place.read_bytes() == original.read_bytes()
    assert drop(stage, original)
    original.unlink()
    original.write_bytes(b"GGUF something else")
    stage.click(strip.copy)
    stage.until(lambda: stage.page.notes.isVisible())
    assert "New model.gguf" in texts(stage.page.notes)


def test_a_dropped_folder_is_listed_and_can_be_taken_off_again(build: Build, tmp_path: Path) -> None:
    (inside,) = put_models(tmp_path / "Sammlung", "Inside.gguf")
    stage = build()
    stage.open()
    assert drop(stage, inside.parent)
    stage.until(lambda: stage.models.library_model.find(str(inside)) >= 0)
    assert stage.store.value.hub.folders == (str(inside.parent),)
    stage.page.show_tab("setup")
    remove = next(b for b in stage.page.setup.findChildren(QPushButton) if b.text() == "Remove")
    stage.click(remove)
    stage.until(lambda: stage.models.library_model.find(str(inside)) < 0)
    assert inside.exists()


def test_folders_of_other_apps_are_offered(build: Build, tmp_path: Path) -> None:
    (theirs,) = put_models(tmp_path / "nobody" / ".lmstudio" / "models" / "a" / "b", "Theirs.gguf")
    stage = build()
    stage.open()
    empty = stage.page.library.empty
    assert empty is not None
    use = next(b for b in empty.findChildren(QPushButton) if "LM Studio" in b.text())
    stage.click(use)
    stage.until(lambda: stage.models.library_model.find(str(theirs)) >= 0)
    choose(stage, theirs)
    assert not stage.page.library.details.delete.isEnabled()
    row = stage.models.library_model.rows[stage.models.library_model.find(str(theirs))]
    assert row.model.source == "lmstudio"


# --- reach ------------------------------------------------------------------------------------------------------------


def test_the_page_opens_and_closes_by_keyboard(build: Build, qtbot) -> None:
    stage = build()
    qtbot.keyClick(stage.window.composer.edit, Qt.Key.Key_M, Qt.KeyboardModifier.ControlModifier)
    stage.until(lambda: stage.door.page is not None and stage.page.isVisible())
    assert stage.page.tabs.hasFocus()
    assert stage.window.top.models.isChecked()
    for tab in ("get", "downloads", "setup"):
        qtbot.keyClick(stage.page.tabs, Qt.Key.Key_Right)
        assert stage.page.tab == tab
    qtbot.keyClick(stage.page.tabs, Qt.Key.Key_Escape)
    assert not stage.page.isVisible()
    assert stage.window.composer.edit.hasFocus()
    assert not stage.window.top.models.isChecked()
    stage.window.welcome.models_wanted.emit()
    assert stage.page.tab == "get"
    qtbot.keyClick(stage.page.tabs, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    assert not stage.page.isVisible()


def nameless(widget: QWidget) -> list[str]:
    return [
        f"{type(one).__name__} in {type(one.parentWidget()).__name__}"
        for one in widget.findChildren(QWidget)
        if one.focusPolicy() & Qt.FocusPolicy.TabFocus
        and one.focusProxy() is None
        and not one.accessibleName()
        and not (isinstance(one, QAbstractButton) and one.text())
        and not (isinstance(one, QLabel) and one.text())
        and not one.objectName().startswith("qt_")
        and not isinstance(one.parentWidget(), QAbstractButton)
    ]


def test_everything_has_a_name_and_tab_reaches_it(build: Build, models: Path, qtbot) -> None:
    target, _ = put_models(models, "Target.gguf", "Draft.gguf")
    stage = build()
    page = stage.open()
    choose(stage, target)
    for tab in ("get", "downloads", "setup", "library"):
        page.show_tab(tab)
        qtbot.wait(30)
        assert nameless(page) == []
    page.tabs.setFocus()
    seen = []
    for _ in range(40):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        seen.append(QApplication.focusWidget())
        if seen[-1] is page.tabs:
            break
    details = page.library.details
    assert page.tabs in seen
    for wanted in (page.library.filter, page.library.list, details.drafts, details.load, details.reveal, page.back):
        assert wanted in seen


class LongWords(QTranslator):
    """Every text half as long again, as in German."""

    def translate(self, _context: str, text: str, _comment: str | None = None, _n: int = -1) -> str:
        wanted = (len(text) + 1) // 2
        return f"{text} {'überlängt ' * 40}"[: len(text) + 1 + wanted].rstrip() if text.strip() else text

    def isEmpty(self) -> bool:
        return False


def cut_off(window: QWidget) -> list[str]:
    """Texts of visible labels and buttons for which there is not enough room."""
    bad = []
    for widget in window.findChildren(QWidget):
        if not widget.isVisible():
            continue
        if type(widget) is QLabel and widget.text():
            needed = widget.heightForWidth(widget.width()) if widget.wordWrap() else widget.sizeHint().height()
            if widget.height() < needed or (not widget.wordWrap() and widget.width() < widget.sizeHint().width()):
                bad.append(f"label {widget.text()!r}: {widget.size().toTuple()}, needs {needed}")
        elif isinstance(widget, QPushButton) and widget.text() and widget.width() < widget.minimumSizeHint().width():
            bad.append(f"button {widget.text()!r}: {widget.width()}")
    return bad


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1000, 700), (700, 500)])
def test_long_words_have_room(build: Build, models: Path, qapp, qtbot, theme: str, size: tuple[int, int]) -> None:
    target, _ = put_models(models, "Target.gguf", "Draft.gguf")
    longer = LongWords()
    qapp.installTranslator(longer)
    try:
        stage = build(theme=theme, size=size)
        page = stage.open()
        choose(stage, target)
        for tab in ("library", "get", "downloads", "setup"):
            page.show_tab(tab)
            qtbot.wait(100)
            assert cut_off(page) == [], tab
    finally:
        qapp.removeTranslator(longer)


def test_the_window_is_never_held_up(build: Build, models: Path, gemma: Path) -> None:
    for number in range(60):
        put_models(models, f"Draft {number}.gguf")
    for number in range(2):
        (models / f"gemma {number}.gguf").symlink_to(gemma)
    stage = build()
    # Time this thread computes, not time that passes: the machine may be busy with other things.
    gaps: list[float] = []
    last = time.thread_time()

    def tick() -> None:
        nonlocal last
        now = time.thread_time()
        gaps.append(now - last)
        last = now

    clock = QTimer(stage.window)
    clock.setObjectName("gaps")
    clock.timeout.connect(tick)
    clock.start(1)
    with opened_here(models) as read:
        stage.open()
        choose(stage, models / "gemma 0.gguf")
        choose(stage, models / "Draft 7.gguf")
        for tab in ("get", "downloads", "setup", "library"):
            stage.page.show_tab(tab)
            stage.qtbot.wait(50)
    clock.stop()
    assert read == [], "files are read elsewhere, never on the window's thread"
    # What is slow does not run here. To show the page the first time takes up to 50 ms, on a slow machine twice that.
    assert len(gaps) > 50
    assert max(gaps) < 0.25, sorted(gaps, reverse=True)[:5]


def test_heads_draft_where_no_draft_model_is_chosen(build: Build, models: Path) -> None:
    target = without_heads(gguf_kit.load(paths.demo_pair()[0])).write(models / "target.gguf")
    side = models / "mtp-target.gguf"
    only_heads(gguf_kit.load(paths.demo_pair()[0])).write(side)
    stage = build()
    stage.open()
    choose(stage, target)
    stage.until(lambda: stage.models.desk.plan is not None)
    plan = stage.models.desk.plan
    assert plan is not None
    assert "heads" in [segment.kind for segment in plan.segments]
    details = stage.page.library.details
    nothing = stage.models.desk.drafts.rows[stage.models.desk.drafts.find("")]
    assert details._look(nothing).lines == ("Its prediction heads draft then, and text that repeats.",)
