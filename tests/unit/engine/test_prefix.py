from hypothesis import example, given
from hypothesis import strategies as st

from app.engine.prefix import common_length, keep_length

tokens = st.lists(st.integers(0, 2), max_size=20)


def slow(one: list[int], two: list[int]) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))


@given(one=tokens, two=tokens)
def test_common_length(one: list[int], two: list[int]) -> None:
    assert common_length(one, two) == slow(one, two)
    assert common_length(tuple(one), two) == slow(one, two)


@given(one=tokens, tail=tokens, other=tokens)
def test_common_length_of_a_real_prefix(one: list[int], tail: list[int], other: list[int]) -> None:
    assert common_length(one + tail, one + other) == len(one) + slow(tail, other)


@example(held=[1, 2, 3], wanted=[1, 2, 3], can_truncate=True)
@example(held=[1, 2, 3], wanted=[1, 2, 3], can_truncate=False)
@given(held=tokens, wanted=st.lists(st.integers(0, 2), min_size=1, max_size=20), can_truncate=st.booleans())
def test_what_is_kept_is_common_and_leaves_a_token_to_decode(
    held: list[int], wanted: list[int], can_truncate: bool
) -> None:
    keep = keep_length(held, wanted, can_truncate=can_truncate)
    assert 0 <= keep < len(wanted)
    assert held[:keep] == wanted[:keep]
    if can_truncate:
        assert keep == min(slow(held, wanted), len(wanted) - 1)
    else:
        assert keep in (0, len(held))
        # Nothing is thrown away that could have been kept as it is.
        assert keep == len(held) or held != wanted[: len(held)] or len(held) >= len(wanted)
