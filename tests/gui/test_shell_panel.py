"""The side panel's sections, and the fields they are made of."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QValidator, QWheelEvent
from PySide6.QtWidgets import QApplication, QLabel

from app.chat.conversation import Message
from app.chat.settings import LoadOptions
from app.core import paths
from app.protocol.messages import Loaded, ModelFacts
from app.protocol.options import MAX_SEED, SamplingOptions, SpeculationOptions
from app.protocol.stats import GenerationStats, SpeculationState
from app.ui.side_panel import SidePanel
from app.ui.side_panel.last_answer import LastAnswerSection
from app.ui.side_panel.model import ModelSection
from app.ui.side_panel.sampling import SamplingSection
from app.ui.side_panel.speculation import SpeculationSection
from app.ui.theme import DARK, LIGHT
from app.ui.widgets.number_field import NumberField
from app.ui.widgets.toggle import Toggle


def facts(name: str, parameters: int, *, path: str = "", memory: int = 48_000_000) -> ModelFacts:
    return ModelFacts(
        path=path or f"/models/{name}.gguf",
        name=name,
        architecture="llama",
        parameters=parameters,
        size_bytes=memory,
        quantisation="Q8_0",
        context_trained=4096,
        vocabulary_type="bpe",
        vocabulary_size=4096,
        has_template=True,
        can_truncate=True,
        heads=0,
        layers=6,
        gpu_layers=0,
        memory_bytes=memory,
    )


def loaded(*, draft: bool = True, why_not: dict[str, str] | None = None, demo: bool = False) -> Loaded:
    target_path, draft_path = (str(path) if demo else "" for path in paths.demo_pair())
    return Loaded(
        id="1",
        target=facts("Target", 8_200_000_000, path=target_path),
        draft=facts("Draft", 600_000_000, path=draft_path) if draft else None,
        context=4096,
        threads=2,
        devices=(),
        template="model",
        why_not=why_not or {},
        notices=(),
        target_loaded_at=0.0,
    )


def words_of(widget) -> str:
    return "\n".join(label.text() for label in widget.findChildren(QLabel) if not label.isHidden())


# --- speculation ---------------------------------------------------------------------------------------------------


@pytest.fixture
def speculation(qtbot) -> SpeculationSection:
    section = SpeculationSection(LIGHT)
    qtbot.addWidget(section)
    section.show_loaded(loaded())
    section.set_options(SpeculationOptions(drafter="draft_model", lookahead=5, min_confidence=0.25))
    return section


def changes(section) -> list:
    seen: list = []
    section.changed.connect(seen.append)
    return seen


def test_off_and_on_again_keeps_the_drafter(speculation) -> None:
    seen = changes(speculation)
    speculation.toggle.click()
    speculation.toggle.click()
    assert [options.drafter for options in seen] == ["off", "draft_model"]
    assert all(options.lookahead == 5 for options in seen)


def test_showing_options_emits_nothing(speculation) -> None:
    seen = changes(speculation)
    speculation.set_options(SpeculationOptions(drafter="ngram", lookahead="auto", min_confidence=0.5))
    assert seen == []
    assert speculation.drafter.key() == "ngram"
    assert speculation.auto.isChecked()
    assert speculation.confidence.value() == 0.5


def test_what_cannot_be_used_is_shown_with_its_reason_and_cannot_be_chosen(speculation) -> None:
    reason = 'Token 151,643 differs: "<|endoftext|>" / "<|im_end|>".'
    speculation.show_loaded(loaded(why_not={"draft_model": reason, "heads": "The target has no prediction heads."}))
    model = speculation.drafter.model()
    items = {model.item(i).text(): model.item(i) for i in range(model.rowCount())}
    assert {name for name, item in items.items() if not item.isEnabled()} == {"Draft model", "Prediction heads"}
    assert reason in items["Draft model"].data(Qt.ItemDataRole.AccessibleTextRole)
    # It was chosen before these models came: the panel says why it does not work, and does not choose another.
    assert speculation.drafter.key() == "draft_model"
    assert reason in words_of(speculation)
    speculation.show_loaded(loaded())
    assert reason not in words_of(speculation)


def test_keyboard_passes_over_what_cannot_be_used(speculation, qtbot) -> None:
    speculation.show_loaded(loaded(why_not={"ngram": "no", "heads": "no"}))
    seen = changes(speculation)
    qtbot.keyClick(speculation.drafter, Qt.Key.Key_Down)
    assert seen == []
    qtbot.keyClick(speculation.drafter, Qt.Key.Key_Up)
    assert [options.drafter for options in seen] == ["mixed"]


def test_reasons_are_drawn_and_make_room(speculation, qtbot) -> None:
    speculation.resize(280, 500)
    speculation.show()
    with qtbot.waitExposed(speculation):
        pass
    plain = speculation.drafter.view().sizeHintForRow(1)
    speculation.show_loaded(loaded(why_not={"draft_model": "The draft model has another kind of vocabulary. " * 3}))
    assert speculation.drafter.view().sizeHintForRow(1) > 2 * plain
    speculation.drafter.showPopup()
    assert not speculation.drafter.view().grab().isNull()
    speculation.drafter.hidePopup()


def test_slider_and_number_are_one_setting(speculation) -> None:
    seen = changes(speculation)
    speculation.slider.setValue(7)
    assert speculation.lookahead.value() == 7
    speculation.lookahead.setValue(3)
    assert speculation.slider.value() == 3
    assert [options.lookahead for options in seen] == [7, 3]


def test_automatic_lookahead_and_back(speculation) -> None:
    seen = changes(speculation)
    speculation.auto.click()
    assert not speculation.slider.isEnabled()
    speculation.show_state(SpeculationState(state="active", lookahead=6))
    assert "now 6 tokens" in words_of(speculation)
    speculation.auto.click()
    assert [options.lookahead for options in seen] == ["auto", 5]
    assert speculation.slider.isEnabled()


def test_lookahead_steps_stay_in_range_and_leave_auto(speculation) -> None:
    seen = changes(speculation)
    speculation.step_lookahead(1)
    assert seen[-1].lookahead == 6
    speculation.set_options(SpeculationOptions(drafter="ngram", lookahead=32))
    speculation.step_lookahead(1)
    assert seen[-1].lookahead == 6
    speculation.set_options(SpeculationOptions(drafter="ngram", lookahead="auto"))
    speculation.step_lookahead(-1)
    assert seen[-1].lookahead == 31


def test_off_disables_what_means_nothing_then(speculation) -> None:
    speculation.set_options(SpeculationOptions(drafter="off"))
    assert not speculation.drafter.isEnabled()
    assert not speculation.slider.isEnabled()
    assert speculation.choose.isEnabled()
    assert speculation.toggle.isEnabled()


def test_draft_model_row(speculation, qtbot) -> None:
    text = words_of(speculation)
    assert "Draft" in text
    assert "1/14 of the target" in text
    with qtbot.waitSignal(speculation.draft_cleared):
        speculation.clear.click()
    speculation.show_loaded(loaded(draft=False))
    assert "None chosen" in words_of(speculation)
    assert not speculation.clear.isEnabled()
    with qtbot.waitSignal(speculation.draft_wanted):
        speculation.choose.click()


# --- sampling ------------------------------------------------------------------------------------------------------


@pytest.fixture
def sampling(qtbot) -> SamplingSection:
    section = SamplingSection(LIGHT)
    qtbot.addWidget(section)
    return section


def test_each_field_changes_its_own_option(sampling) -> None:
    seen = changes(sampling)
    wanted = {
        "temperature": 1.3,
        "top_k": 7,
        "top_p": 0.5,
        "min_p": 0.2,
        "repeat_penalty": 1.25,
        "presence_penalty": -0.5,
        "frequency_penalty": 0.75,
        "seed": MAX_SEED,
    }
    for name, value in wanted.items():
        sampling.numbers[name].setValue(value)
    assert seen[-1] == SamplingOptions(**wanted)
    assert isinstance(seen[-1].top_k, int)
    for options in seen:
        options.check()


def test_reset_and_random_seed(sampling) -> None:
    sampling.set_options(SamplingOptions(temperature=0.0, seed=5))
    seen = changes(sampling)
    sampling.numbers["seed"].setValue(-1)
    assert seen[-1].seed is None
    assert sampling.numbers["seed"].text() == "random"
    sampling.reset.click()
    assert seen[-1] == SamplingOptions()
    assert not sampling.reset.isEnabled()


def test_every_end_of_every_field_is_an_option_that_makes_sense(sampling) -> None:
    seen = changes(sampling)
    for number in sampling.numbers.values():
        number.setValue(number.minimum())
        number.setValue(number.maximum())
    for options in seen:
        options.check()


# --- model ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def model(qtbot) -> ModelSection:
    section = ModelSection(LIGHT)
    qtbot.addWidget(section)
    return section


def test_apply_is_offered_only_for_a_difference(model) -> None:
    seen: list[LoadOptions] = []
    model.load_wanted.connect(seen.append)
    assert model.wanted() == LoadOptions()
    assert not model.apply.isEnabled()
    model.context.setValue(8192)
    model.gpu_layers.setValue(0)
    model.threads.setValue(3)
    model.apply.click()
    assert seen == [LoadOptions(context=8192, threads=3, gpu_layers=0)]
    model.set_options(seen[0])
    assert not model.apply.isEnabled()


def test_another_option_elsewhere_leaves_a_half_made_change_alone(model) -> None:
    model.context.setValue(8192)
    model.set_options(LoadOptions())
    assert model.context.value() == 8192


def test_facts_of_the_model(model) -> None:
    model.show_loaded(loaded())
    text = words_of(model)
    assert "8.2\u202fB" in text
    assert "48.0\u202fMB" in text
    model.show_loaded(None)
    assert "No model" in words_of(model)


# --- last answer ---------------------------------------------------------------------------------------------------


def test_last_answer_offers_its_seed(qtbot) -> None:
    section = LastAnswerSection(LIGHT)
    qtbot.addWidget(section)
    assert "No answer yet." in words_of(section)
    stats = GenerationStats(generated_tokens=10, passes=5, decode_ms=100)
    section.show_message(Message(role="assistant", text="x", stats=stats, seed=MAX_SEED))
    assert f"seed {MAX_SEED}" in words_of(section)
    seen: list[int] = []
    section.seed_wanted.connect(seen.append)
    section._keep.click()
    assert seen == [MAX_SEED]


# --- fields --------------------------------------------------------------------------------------------------------


def field(qtbot, **kwargs) -> NumberField:
    made = NumberField("n", 0, 2, **{"step": 0.1, "decimals": 2, **kwargs})
    qtbot.addWidget(made)
    return made


def typed(qtbot, number: NumberField, text: str) -> float:
    number.lineEdit().selectAll()
    qtbot.keyClicks(number.lineEdit(), text)
    qtbot.keyClick(number, Qt.Key.Key_Return)
    return number.value()


@pytest.mark.parametrize(("text", "value"), [("0.5", 0.5), ("0,5", 0.5), (",5", 0.5), ("1", 1.0), ("off", 0.0)])
def test_a_number_may_be_typed_with_point_or_comma(qtbot, text, value) -> None:
    assert typed(qtbot, field(qtbot, special=(0, "off")), text) == value


@pytest.mark.parametrize("text", ["", "-", "abc", "nan", "inf", "1e0", "1_0"])
def test_what_is_no_number_changes_nothing(qtbot, text) -> None:
    number = field(qtbot)
    number.setValue(1.5)
    typed(qtbot, number, "")
    number.lineEdit().setText(text)
    qtbot.keyClick(number, Qt.Key.Key_Return)
    assert number.value() == 1.5


def test_beyond_the_end_is_the_end(qtbot) -> None:
    assert typed(qtbot, field(qtbot), "9") == 2.0
    whole = field(qtbot, decimals=0)
    assert whole.validate("1.5", 0)[0] == QValidator.State.Invalid


def test_half_typed_numbers_are_not_applied(qtbot) -> None:
    number = field(qtbot)
    seen: list[float] = []
    number.valueChanged.connect(seen.append)
    number.lineEdit().selectAll()
    qtbot.keyClicks(number.lineEdit(), "1.25")
    assert seen == []
    qtbot.keyClick(number, Qt.Key.Key_Return)
    assert seen == [1.25]


def test_the_wheel_scrolls_the_panel_and_not_the_value(qtbot) -> None:
    number = field(qtbot)
    number.setValue(1)
    number.clearFocus()
    wheel = QWheelEvent(
        QPointF(5, 5),
        QPointF(5, 5),
        QPoint(0, 0),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(number, wheel)
    assert number.value() == 1
    assert not wheel.isAccepted()


def test_toggle_by_keyboard_and_mouse(qtbot) -> None:
    toggle = Toggle(LIGHT, "Speculation")
    qtbot.addWidget(toggle)
    toggle.show()
    qtbot.keyClick(toggle, Qt.Key.Key_Space)
    assert toggle.isChecked()
    off = toggle.grab().toImage()
    qtbot.wait(200)
    assert toggle.grab().toImage() != off or toggle._place == 1.0
    qtbot.mouseClick(toggle, Qt.MouseButton.LeftButton)
    assert not toggle.isChecked()
    assert toggle.accessibleName() == "Speculation"
    qtbot.wait(200)


def test_the_panel_wears_another_theme(qtbot) -> None:
    panel = SidePanel(LIGHT)
    qtbot.addWidget(panel)
    panel.resize(312, 700)
    light = panel.grab().toImage()
    panel.set_theme(DARK)
    assert panel.grab().toImage() != light


def test_the_model_section_says_what_heads_cost_or_why_there_are_none(qtbot) -> None:
    section = ModelSection(LIGHT)
    qtbot.addWidget(section)
    wanted = []
    section.load_wanted.connect(wanted.append)
    models = loaded()
    section.show_loaded(replace(models, target=replace(models.target, heads=1, heads_bytes=213_000_000)))
    assert "The prediction heads take 213" in words_of(section)
    assert not section.apply.isEnabled()
    section.heads.click()
    section.apply.click()
    assert wanted == [LoadOptions(heads=False)]
    section.flash_attention.click()
    section.apply.click()
    assert wanted[1:] == [LoadOptions(heads=False, flash_attention=False)]
    section.flash_attention.click()
    section.set_options(LoadOptions(heads=False))
    assert not section.heads.isChecked()
    section.show_loaded(loaded(why_not={"heads": "This file has no prediction heads."}))
    assert "This file has no prediction heads." in words_of(section)
    section.show_loaded(None)
    assert "prediction heads" not in words_of(section)
