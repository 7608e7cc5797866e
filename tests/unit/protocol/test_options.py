"""A silly number gets a sentence that names it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import UserError
from app.protocol.options import MAX_LOOKAHEAD, MAX_SEED, LimitOptions, SamplingOptions, SpeculationOptions


def test_defaults_make_sense() -> None:
    for options in (SamplingOptions(), SpeculationOptions(), LimitOptions()):
        options.check()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"temperature": -0.1}, "The temperature cannot be -0.1. It must be from 0 to 100."),
        ({"temperature": float("nan")}, "The temperature cannot be nan. It must be a finite number."),
        ({"temperature": float("inf")}, "The temperature cannot be inf. It must be a finite number."),
        ({"top_k": -1}, "The top k cannot be -1. It must be from 0 to 1,000,000."),
        ({"top_k": True}, "The top k cannot be True. It must be a number."),
        ({"top_p": 0.0}, "The top p cannot be 0.0. It must be above 0 and at most 1."),
        ({"top_p": 1.1}, "The top p cannot be 1.1. It must be above 0 and at most 1."),
        ({"min_p": -0.5}, "The min p cannot be -0.5. It must be from 0 to 1."),
        ({"repeat_penalty": 0.0}, "The repeat penalty cannot be 0.0. It must be above 0 and at most 100."),
        ({"presence_penalty": 101.0}, "The presence penalty cannot be 101.0. It must be from -100 to 100."),
        ({"frequency_penalty": "much"}, "The frequency penalty cannot be much. It must be a number."),
        ({"penalty_window": -1}, "The penalty window cannot be -1. It must be from 0 to 1,000,000."),
        ({"seed": -1}, "The seed cannot be -1. It must be from 0 to 4,294,967,295."),
        ({"seed": MAX_SEED + 1}, "The seed cannot be 4294967296. It must be from 0 to 4,294,967,295."),
    ],
)
def test_sampling(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError) as caught:
        SamplingOptions(**changes).check()
    assert caught.value.code == "bad_option"
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"drafter": "medusa"},
            'There is no drafter called "medusa". Choose one of: off, ngram, draft_model, heads, mixed.',
        ),
        ({"lookahead": 0}, "The lookahead cannot be 0. It must be from 1 to 32."),
        ({"lookahead": MAX_LOOKAHEAD + 1}, "The lookahead cannot be 33. It must be from 1 to 32."),
        ({"lookahead": "much"}, "The lookahead cannot be much. It must be a number."),
        ({"min_confidence": 1.5}, "The min confidence cannot be 1.5. It must be from 0 to 1."),
        ({"min_confidence": float("nan")}, "The min confidence cannot be nan. It must be a number."),
    ],
)
def test_speculation(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError) as caught:
        SpeculationOptions(**changes).check()
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"max_tokens": -1}, "The max tokens cannot be -1. It must be from 0 to 10,000,000."),
        ({"fixed_shape": 34}, "The fixed shape cannot be 34. It must be from 0 to 33."),
        ({"stop": ("a", "")}, "A stop text is empty. Remove it, or say which text ends the answer."),
    ],
)
def test_limits(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UserError) as caught:
        LimitOptions(**changes).check()
    assert str(caught.value) == sentence


@given(
    number=st.one_of(st.floats(), st.integers(), st.booleans(), st.text(max_size=3)),
    name=st.sampled_from(
        ["temperature", "top_k", "top_p", "min_p", "repeat_penalty", "presence_penalty", "frequency_penalty", "seed"]
    ),
)
def test_any_number_is_fine_or_refused_with_a_sentence(number: Any, name: str) -> None:
    refused = None
    try:
        SamplingOptions(**{name: number}).check()
    except UserError as error:
        refused = error
    assert refused is None or (refused.sentence.startswith("The ") and refused.hint.startswith("It must be "))
