import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.protocol.stats import GenerationStats


def test_nothing_is_no_number() -> None:
    empty = GenerationStats()
    assert empty.acceptance_rate is None
    assert empty.tokens_per_pass is None
    assert empty.speed is None
    assert empty.ttft_ms == 0


def test_rates() -> None:
    stats = GenerationStats(generated_tokens=41, passes=10, proposed=80, verified=60, accepted=30, decode_ms=2000.0)
    assert stats.acceptance_rate == 0.5
    assert stats.tokens_per_pass == 4.1
    assert stats.speed == 20.0


def test_nothing_of_what_was_verified_is_a_rate() -> None:
    assert GenerationStats(proposed=8, verified=7).acceptance_rate == 0.0
    assert GenerationStats(proposed=8).acceptance_rate is None


@pytest.mark.parametrize("changes", [{"generated_tokens": 1}, {"generated_tokens": 0}, {"decode_ms": 0.0}])
def test_one_token_has_no_speed(changes: dict[str, Any]) -> None:
    stats = GenerationStats(generated_tokens=5, decode_ms=10.0)
    assert stats.speed == 400.0
    assert dataclasses.replace(stats, **changes).speed is None


def test_time_to_the_first_token_is_the_sum_of_its_parts() -> None:
    assert GenerationStats(template_ms=1.0, prefill_ms=20.0, first_sample_ms=0.5).ttft_ms == 21.5


places = st.lists(st.integers(0, 100), max_size=6).map(tuple)
stats = st.builds(
    GenerationStats,
    generated_tokens=st.integers(0, 1000),
    passes=st.integers(0, 1000),
    accepted_by_position=places,
    verified_by_position=places,
    decode_ms=st.integers(0, 1000).map(float),
)


@given(one=stats, two=stats)
def test_totals_add_up(one: GenerationStats, two: GenerationStats) -> None:
    total = one + two
    assert total == two + one
    assert total.generated_tokens == one.generated_tokens + two.generated_tokens
    assert total.decode_ms == one.decode_ms + two.decode_ms
    assert sum(total.accepted_by_position) == sum(one.accepted_by_position) + sum(two.accepted_by_position)
    assert len(total.accepted_by_position) == max(len(one.accepted_by_position), len(two.accepted_by_position))
    assert one + GenerationStats() == one
