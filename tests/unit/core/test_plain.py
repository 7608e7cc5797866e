from dataclasses import dataclass, field
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.plain import PlainError, from_plain, to_plain


@dataclass(frozen=True)
class Inner:
    number: float = 1.0
    word: str = ""


@dataclass(frozen=True)
class Outer:
    needed: int
    inner: Inner = field(default_factory=Inner)
    many: tuple[Inner, ...] = ()
    names: dict[str, int] = field(default_factory=dict)
    choice: Literal["a", "b"] = "a"
    either: int | Literal["auto"] = "auto"
    maybe: str | None = None


inners = st.builds(Inner, st.floats(allow_nan=False, allow_infinity=False), st.text())
outers = st.builds(
    Outer,
    st.integers(),
    inners,
    st.lists(inners).map(tuple),
    st.dictionaries(st.text(), st.integers()),
    st.sampled_from(["a", "b"]),
    st.integers() | st.just("auto"),
    st.none() | st.text(),
)


@given(outers)
def test_what_is_written_is_read(value: Outer) -> None:
    assert from_plain(Outer, to_plain(value), "outer") == value


def test_unknown_keys_are_ignored_and_missing_ones_default() -> None:
    assert from_plain(Outer, {"needed": 3, "later": True}, "outer") == Outer(3)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({}, "outer: missing needed"),
        ([], "outer: not an object"),
        ({"needed": True}, "outer.needed: True is not int"),
        ({"needed": 1.0}, "outer.needed: 1.0 is not int"),
        ({"needed": "1"}, "outer.needed: '1' is not int"),
        ({"needed": 1, "inner": 3}, "outer.inner: not an object"),
        ({"needed": 1, "inner": {"number": float("nan")}}, "outer.inner.number: nan is not float"),
        ({"needed": 1, "inner": {"number": 10**400}}, "outer.inner.number: 1000"),
        ({"needed": 1, "many": {}}, "outer.many: not a list"),
        ({"needed": 1, "many": [{"word": None}]}, "outer.many.word: None is not str"),
        ({"needed": 1, "names": []}, "outer.names: not an object"),
        ({"needed": 1, "choice": "c"}, "outer.choice: 'c' is not one of"),
        ({"needed": 1, "choice": ["a"]}, "outer.choice: "),
        ({"needed": 1, "either": "manual"}, "outer.either: 'manual' has the wrong type"),
        ({"needed": 1, "maybe": 1}, "outer.maybe: 1 has the wrong type"),
    ],
)
def test_what_does_not_fit_says_where(body: object, reason: str) -> None:
    with pytest.raises(PlainError) as caught:
        from_plain(Outer, body, "outer")
    assert str(caught.value).startswith(reason)
    assert len(str(caught.value)) < 200
