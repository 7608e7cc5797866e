from dataclasses import replace

import pytest

from app.chat.badge import BadgeView, describe, gain_words, percent_words, speed_words
from app.chat.conversation import Message
from app.protocol.options import SpeculationOptions
from app.protocol.stats import GenerationStats, SpeculationState
from tests.helpers.wire_values import ACTIVE, NUMBERS, loaded

MIXED = SpeculationOptions(drafter="mixed")
OFF = SpeculationOptions()
PAUSED = replace(ACTIVE, state="paused", reason="plain is faster here (0.9×)")
UNFIT = {"draft_model": "No draft model is loaded.", "mixed": "No draft model is loaded."}


def answer(numbers: GenerationStats = NUMBERS, state: SpeculationState = ACTIVE) -> Message:
    return Message(role="assistant", text="x", stats=numbers, speculation=state)


def words(view: BadgeView) -> tuple[str, str, tuple[str, ...]]:
    return view.state, view.headline, view.parts


def test_no_model() -> None:
    assert words(describe(MIXED, None, answer(), "")) == ("off", "No model", ())


def test_off() -> None:
    assert words(describe(OFF, loaded(), None, "")) == ("off", "Speculation off", ())
    plain = answer(replace(NUMBERS, proposed=0, verified=0, accepted=0), SpeculationState())
    assert words(describe(OFF, loaded(), plain, "")) == ("off", "Speculation off", ("61 tok/s",))


def test_active() -> None:
    view = describe(MIXED, loaded(), answer(), "")
    assert words(view) == ("active", "61 tok/s", ("72 % accepted", "2.1× measured"))
    assert view.tooltip.splitlines() == [
        "Drafter: draft model + n-gram",
        "Lookahead: 5, automatic",
        "Accepted: 72 of 100 verified (72 %), 120 proposed",
        "By position: 90 % · 54 %",
        "Gain: 2.1× measured",
        "Tokens per pass: 2.5",
        "Time: draft 18 % · verify 72 % · sample 6 % · other 4 %",
        "First token: 0.24 s",
        "Target: target",
        "Draft model: draft",
    ]


def test_an_unknown_gain_is_left_out_and_a_dash_in_the_details() -> None:
    view = describe(MIXED, loaded(), answer(state=replace(ACTIVE, gain=None, gain_kind="")), "")
    assert view.parts == ("72 % accepted",)
    assert "Gain: -" in view.tooltip


def test_nothing_drafted_never_looks_active() -> None:
    nothing = replace(NUMBERS, proposed=0, verified=0, accepted=0)
    assert words(describe(MIXED, loaded(), answer(nothing), "")) == (
        "idle",
        "61 tok/s",
        ("nothing drafted: no token was proposed",),
    )
    state = replace(ACTIVE, state="idle", reason="the text does not repeat itself.")
    assert describe(MIXED, loaded(), answer(nothing, state), "").parts == (
        "nothing drafted: the text does not repeat itself",
    )


def test_paused() -> None:
    view = describe(MIXED, loaded(), answer(state=PAUSED), "")
    assert words(view) == ("paused", "61 tok/s", ("paused: plain is faster here (0.9×)",))
    assert view.tooltip.endswith("plain is faster here (0.9×)")


def test_unavailable_in_an_answer() -> None:
    state = SpeculationState(state="unavailable", reason="the draft model is another family", drafter="draft_model")
    plain = replace(NUMBERS, proposed=0, verified=0, accepted=0)
    view = describe(MIXED, loaded(), answer(plain, state), "")
    assert words(view) == ("unavailable", "61 tok/s", ("unavailable: the draft model is another family",))


def test_before_the_first_answer() -> None:
    assert words(describe(MIXED, loaded(), None, "")) == ("idle", "Ready", ("draft model + n-gram",))
    assert words(describe(MIXED, loaded(), Message(role="assistant", status="streaming"), ""))[1] == "Ready"


def test_a_drafter_that_cannot_be_used_says_why_before_it_is_asked() -> None:
    options = SpeculationOptions(drafter="draft_model")
    assert words(describe(options, loaded(draft="", why_not=UNFIT), None, "")) == (
        "unavailable",
        "Unavailable",
        ("No draft model is loaded.",),
    )


def test_mixed_without_a_draft_model_is_heads_where_there_are_any() -> None:
    models = loaded(draft="", why_not={"draft_model": "No draft model is loaded."})
    view = describe(MIXED, models, None, "")
    assert words(view) == ("idle", "Ready", ("prediction heads + n-gram",))
    assert "Drafter: prediction heads + n-gram" in view.tooltip


def test_mixed_without_a_draft_model_is_n_gram_unless_it_was_chosen() -> None:
    models = loaded(draft="", why_not=UNFIT)
    assert words(describe(MIXED, models, None, "")) == ("idle", "Ready", ("n-gram only: No draft model is loaded.",))
    assert describe(replace(MIXED, explicit=True), models, None, "").state == "unavailable"
    nothing = loaded(draft="", why_not={**UNFIT, "ngram": "It cannot take back tokens."})
    assert describe(MIXED, nothing, None, "").state == "unavailable"


def test_a_refusal_is_shown() -> None:
    view = describe(MIXED, loaded(), answer(), "The drafter you chose cannot be used.")
    assert words(view) == ("unavailable", "Unavailable", ("The drafter you chose cannot be used.",))


@pytest.mark.parametrize(
    ("speed", "text"),
    [
        (None, "- tok/s"),
        (0.0, "0.0 tok/s"),
        (9.94, "9.9 tok/s"),
        (9.96, "10 tok/s"),
        (61.4, "61 tok/s"),
        (1234.5, "1234 tok/s"),
    ],
)
def test_speed(speed: float | None, text: str) -> None:
    assert speed_words(speed) == text


def test_unknown_is_a_dash() -> None:
    assert percent_words(None) == "-"
    assert gain_words(SpeculationState()) == "-"
    one_token = answer(GenerationStats(generated_tokens=1, passes=0), SpeculationState())
    view = describe(OFF, loaded(), one_token, "")
    assert view.parts == ("- tok/s",)
    assert "Tokens per pass: -" in view.tooltip
    assert "Time" not in view.tooltip
