"""What was lost with a kind of prompt is not lost again, and other prompts do not pay for it."""

import random
import statistics
from collections import defaultdict

import pytest

from app.engine.lookahead import outlook
from app.engine.lookahead.auto import Auto
from app.engine.lookahead.history import PairHistory
from app.engine.lookahead.outlook import TAIL, Outlook
from tests.helpers.curves import CURVES, QUICK, Curve, Noise, calibrated
from tests.helpers.replay import ms, plain_ms, replay
from tests.helpers.traces import Text, beginning, load

TEMPLATE, CODE, JSON, PROSE = (1, 2, 3), (10, 11, 12), (20, 21, 22), (30, 31, 32)


def ask(known: Outlook, prompt: tuple[int, ...], gained: float) -> bool:
    """Is the outlook bad for this prompt? It then gains that much."""
    known.begin((*TEMPLATE, *prompt, *TEMPLATE))
    bad = known.bad
    known.learn(gained)
    return bad


def test_after_a_loss_the_outlook_is_bad_for_such_prompts_only() -> None:
    known = Outlook()
    assert not ask(known, JSON, 5.0)
    assert not ask(known, CODE, -2.0)
    assert not ask(known, PROSE, -1.0)
    assert ask(known, CODE, 0.0)
    assert ask(known, PROSE, 0.0)
    assert not ask(known, JSON, 5.0)
    assert not ask(known, (40, 41), 0.0), "nobody has seen such a prompt"


def test_the_chat_template_is_not_to_blame() -> None:
    known = Outlook()
    for number in range(20):
        ask(known, (100 + number, 200 + number), -1.0)
    assert not ask(known, JSON, 0.0)


def test_it_is_tried_again_after_a_while() -> None:
    known = Outlook()
    ask(known, JSON, 4.0)
    ask(known, CODE, -1.0)
    ask(known, PROSE, 0.0)
    seen = [ask(known, CODE, 0.0) for _ in range(60)]
    assert seen[0]
    assert not seen[-1]


def test_a_gain_makes_up_for_a_loss() -> None:
    known = Outlook()
    ask(known, JSON, 4.0)
    ask(known, CODE, -1.0)
    ask(known, CODE, 3.0)
    assert not ask(known, CODE, 0.0)


def test_how_sure_a_gain_is_follows_what_such_prompts_have_gained() -> None:
    known = Outlook()
    sure = []
    for gained in (0.3, 0.3, 3.0, 3.0, -3.0, -3.0, -3.0):
        ask(known, JSON, -0.1)
        ask(known, CODE, gained)
        sure.append(known.good)
    assert sure[0] == 0.0, "nothing is known before the first is over"
    assert 0.0 < sure[1] < sure[2] < 1.0
    assert sure[4] == 1.0
    assert sure[-1] == 0.0


def test_only_the_end_of_a_long_prompt_counts() -> None:
    known = Outlook()
    known.begin([*CODE, *range(1000, 1000 + TAIL)])
    known.learn(-3.0)
    known.begin(CODE)
    assert not known.bad
    known.begin(())
    known.learn(-3.0)


def test_tables_too_large_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outlook, "_LIMIT", 50)
    known = Outlook()
    ask(known, CODE, -3.0)
    for number in range(20):
        ask(known, tuple(range(100 * number, 100 * number + 10)), 0.0)
    assert not ask(known, CODE, 0.0)


def sessions(curve: Curve, seeds: int) -> tuple[dict[str, list[float]], float]:
    """Speed against plain by workload, the first two answers of each left out; and of everything.

    Prompts are read by the draft first, and answers are short.
    """
    texts: dict[str, list[Text]] = defaultdict(list)
    for text in load():
        if text.split == "tuning":
            texts[text.workload].append(beginning(text, 70))
    found: dict[str, list[float]] = defaultdict(list)
    plain = spent = 0.0
    for seed in range(seeds):
        chance, noise = random.Random(seed), Noise(0.04, 0.01, seed)
        policy = Auto("draft_model", 0.0, calibrated(curve, noise), PairHistory())
        order = sorted(texts)
        chance.shuffle(order)
        for turn in range(6):
            for workload in order:
                text = chance.choice(texts[workload])
                took = ms(replay(policy, text, curve, behind=len(text.prompt) + 9, noise=noise))
                plain, spent = plain + plain_ms(text, curve), spent + took
                if turn > 1:
                    found[workload].append(plain_ms(text, curve) / took)
    return found, plain / spent


@pytest.mark.parametrize("curve", [QUICK, CURVES[5]], ids=lambda curve: curve.name)
def test_kinds_of_short_answers_that_lose_are_soon_left_alone(curve: Curve, monkeypatch: pytest.MonkeyPatch) -> None:
    found, speed = sessions(curve, seeds=20)
    assert min(statistics.geometric_mean(ratios) for ratios in found.values()) > 0.985
    assert statistics.geometric_mean(found["json"]) > 1.05, "and those that gain are not"
    monkeypatch.setattr(Outlook, "bad", False)
    monkeypatch.setattr(Outlook, "good", 1.0)
    blind, usual = sessions(curve, seeds=20)
    assert speed > 0.97 * usual
    low, was_low = (sum(ratio < 0.975 for ratios in of.values() for ratio in ratios) for of in (found, blind))
    assert low < 0.85 * was_low
