"""A draft that was not asked for a while has to catch up first: when that is worth it, and what it may cost. Exact."""

import random
from dataclasses import replace

import pytest

from app.engine.lookahead.auto import Auto
from app.engine.lookahead.history import PairHistory
from tests.helpers.curves import CURVES, HERE, Curve, Noise, calibrated
from tests.helpers.replay import ms, plain_ms, replay
from tests.helpers.traces import Text, always_wrong, beginning, joined, load

HELD_OUT = [text for text in load() if text.split == "held_out"]
DEAR = replace(CURVES[2], name="dear to catch up", step=1.0, catch_up=0.6)
"""A token costs 3 % of a plain pass, five times what all looks together may cost."""


def auto(curve: Curve) -> Auto:
    return Auto("draft_model", 0.0, calibrated(curve), PairHistory())


def speed(policy: Auto, texts: list[Text], curve: Curve, *, prompts: bool = False) -> float:
    spent = sum(ms(replay(policy, text, curve, behind=len(text.prompt) if prompts else 0)) for text in texts)
    return sum(plain_ms(text, curve) for text in texts) / spent


@pytest.mark.parametrize("curve", [CURVES[2], CURVES[5], DEAR], ids=lambda curve: curve.name)
def test_a_prompt_that_the_draft_has_not_seen_does_not_keep_it_from_drafting(curve: Curve) -> None:
    """In a chat every answer begins so: the target's first token does not wait for the draft."""
    texts = [text for text in HELD_OUT if text.workload == "json"][:8]
    assert speed(auto(curve), texts, curve, prompts=True) > 0.85 * speed(auto(curve), texts, curve) > 1.2


@pytest.mark.parametrize("curve", [CURVES[2], CURVES[5], DEAR], ids=lambda curve: curve.name)
def test_catching_up_for_a_draft_that_is_always_wrong_is_paid_once(curve: Curve) -> None:
    policy = auto(curve)
    wrong = [always_wrong(80) for _ in range(8)]
    assert speed(policy, wrong, curve, prompts=True) >= 0.99
    assert speed(policy, wrong, curve, prompts=True) >= 0.995, "it was known by then"


def turning() -> list[tuple[int, Text]]:
    """Where the second part begins; 200 tokens of prose, then JSON, as one answer."""
    found = []
    for temperature in (0.0, 0.8):
        of = [text for text in HELD_OUT if text.temperature == temperature and len(text) > 150]
        prose = [text for text in of if text.workload == "prose"][:6]
        json = [text for text in of if text.workload == "json"][:6]
        found += [(len(a.tokens), joined(a, b)) for a, b in zip(prose, json, strict=False)]
    return found


@pytest.mark.parametrize("curve", [CURVES[2], DEAR], ids=lambda curve: curve.name)
def test_drafting_comes_back_where_prose_turns_into_json(curve: Curve) -> None:
    """Also where it had lost what it may lose, and catching up costs more than looks may."""
    late = []
    for start, text in turning():
        policy = auto(curve)
        replay(policy, next(t for t in HELD_OUT if t.workload == "docstring"), curve)
        rounds = replay(policy, text, curve)
        late.append(next((r.position - start for r in rounds if r.position >= start and r.kept >= 3), 999))
    assert len(late) >= 10
    assert sum(late) < 999, f"in {late} it did not"
    assert sorted(late)[len(late) // 2] <= 24


@pytest.mark.parametrize("curve", [*CURVES, DEAR], ids=lambda curve: curve.name)
def test_a_draft_that_is_always_wrong_gets_no_second_try_where_the_text_turns(curve: Curve) -> None:
    policy = auto(curve)
    for _, text in turning()[:3]:
        wrong = replace(
            text,
            right=(False,) * len(text),
            proposals=tuple(p._replace(token=-1) for p in text.proposals),
            after_wrong=dict.fromkeys(range(len(text)), always_wrong(2).after_wrong[0]),
        )
        assert speed(policy, [wrong], curve) >= 0.99


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.name)
@pytest.mark.parametrize("seed", [0, 1])
def test_a_machine_whose_speed_comes_and_goes_costs_little(curve: Curve, seed: int) -> None:
    """Passes that are timed because the others may have changed have to stay within the ledger too."""
    draw = random.Random(seed)
    mood: list[float] = []
    while len(mood) <= 320:
        mood += [draw.choice((1.0, draw.uniform(0.85, 1.6)))] * draw.randint(20, 90)
    moods = {factor: curve.scaled(all_passes=factor) for factor in mood}
    noise = Noise(spread=0.05, outliers=0.005, seed=seed)
    policy = Auto("draft_model", 0.0, calibrated(curve, noise), PairHistory())
    text = always_wrong(320)
    rounds = replay(policy, text, lambda place: moods[mood[place]], noise=noise)
    assert sum(mood[: len(text)]) * curve.passes[0] / ms(rounds) >= 0.985


def chat(seed: int, *workloads: str) -> list[Text]:
    """One answer of 100 tokens for each, at one temperature."""
    draw = random.Random(seed)
    of = [text for text in HELD_OUT if text.temperature == (0.0, 0.8)[seed % 2]]
    return [beginning(draw.choice([text for text in of if text.workload == name]), 100) for name in workloads]


def test_json_is_drafted_again_after_answers_that_did_not_pay() -> None:
    """What other texts have taught, and what they have cost, must not silence a draft for good."""
    found = []
    for seed in range(40):
        noise = Noise(spread=0.04, outliers=0.01, seed=seed)
        policy = Auto("draft_model", 0.0, calibrated(HERE, noise), PairHistory())
        *others, last = chat(seed, "json", "code", "prose", "docstring", "prose", "docstring", "json")
        for text in others:
            replay(policy, text, HERE, noise=noise, behind=len(text.prompt))
        spent = ms(replay(policy, last, HERE, noise=noise, behind=len(last.prompt)))
        found.append(plain_ms(last, HERE) / spent)
    assert sum(speed < 1.2 for speed in found) <= 2, found
    assert sorted(found)[len(found) // 2] > 1.6


def test_at_the_start_of_an_answer_no_more_is_risked_than_little() -> None:
    """However much was gained before: the first draft of a new text may be wrong from its first token."""
    for seed in range(12):
        policy = auto(HERE)
        for text in chat(seed, "json", "json", "counting"):
            replay(policy, text, HERE, behind=len(text.prompt))
        rounds = replay(policy, always_wrong(100), HERE, behind=15)
        assert max(r.verified for r in rounds) <= 3
        assert 100 * HERE.passes[0] / ms(rounds) >= 0.96
