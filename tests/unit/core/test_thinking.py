"""Telling thinking and answer apart, whatever form the marks have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.thinking import begins_thinking, split, without_thinking

PAIRS = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("<|START_THINKING|>", "<|END_THINKING|><|START_RESPONSE|>"),
    ("\u25c1think\u25b7", "\u25c1/think\u25b7"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("<|channel>thought\n", "<channel|>"),
]


def parts(text: str, **how: bool) -> tuple[str, str]:
    found = split(text, **how)
    return text[found.begin : found.end], text[found.answer :]


@pytest.mark.parametrize(("opening", "closing"), PAIRS)
def test_every_form(opening: str, closing: str) -> None:
    assert parts(f"\n{opening}why{closing}\n\nbecause") == ("why", "because")
    assert parts(f"{opening}why") == ("why", "")
    assert split(f"{opening}why").is_open
    assert begins_thinking(f"prompt<|assistant|>{opening}\n")


@pytest.mark.parametrize(
    ("text", "opened", "thinking", "answer"),
    [
        ("<think>a<think>b</think>c</think>d", False, "a<think>b</think>c", "d"),
        ("<think>a<think>b</think>d", False, "a<think>b", "d"),
        ("<think>\n\n</think>\n\nd", False, "\n\n", "d"),
        ("a\n</think>\n\nd", False, "a\n", "d"),
        ("a\n</think>\n\nd", True, "a\n", "d"),
        ("a </think> d", True, "a ", "d"),
        ("still at it", True, "still at it", ""),
        ("<think>a</think>d", True, "a", "d"),
        ("<think>a</think>say </think> again", False, "a", "say </think> again"),
        ("<|channel|>final<|message|>d", False, "", "d"),
        ("<think>a</think>", False, "a", ""),
    ],
)
def test_odd_ones(text: str, opened: bool, thinking: str, answer: str) -> None:
    assert parts(text, opened=opened) == (thinking, answer)
    assert without_thinking(text, opened=opened) == answer


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "The mark </think> ends it.",
        "`</think>`",
        "```\n</think>\n```",
        "Write <think> first",
        "<smirk> and <script>",
        "<thin air",
    ],
)
def test_texts_about_marks_are_answers(text: str) -> None:
    assert not split(text).has_thinking
    assert without_thinking(text) == text


def test_a_mark_that_is_still_coming_is_waited_for() -> None:
    assert split("<thi", final=False).is_open
    assert not split("<thi", final=True).has_thinking
    assert not split("<this", final=False).has_thinking
    # Of a nested pair the first closing mark is not the end while more may come.
    assert split("<think>a<think>b</think>c", final=False).is_open


texts = st.lists(
    st.sampled_from(["<think>", "</think>", "[THINK]", "a", "\n", " ", "`", "<|end|>", "<", "é"]), max_size=12
).map("".join)


@given(text=texts, opened=st.booleans(), final=st.booleans())
def test_places_are_in_order_and_only_marks_and_space_lie_between(text: str, opened: bool, final: bool) -> None:
    found = split(text, opened=opened, final=final)
    assert 0 <= found.begin <= found.end <= found.answer <= len(text)
    if found.is_open:
        assert found.end == found.answer == len(text)


@given(text=texts)
def test_a_thinking_part_once_closed_stays_closed(text: str) -> None:
    grown = [split(text[:n], final=False) for n in range(len(text) + 1)]
    for number, found in enumerate(grown):
        # Text in front of a lone closing mark is taken for the answer until that mark comes.
        if found.has_thinking and not found.is_open and found.answer < number:
            assert all(later.answer == found.answer for later in grown[number:])
            break
