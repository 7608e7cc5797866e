"""The tokens of a text tell how far its drafts go."""

import random
from collections import defaultdict

import pytest

from app.engine.lookahead import text_kind
from app.engine.lookahead.auto import Auto
from app.engine.lookahead.history import PairHistory
from app.engine.lookahead.text_kind import WINDOW, TextKind
from tests.helpers.curves import HERE, Noise, calibrated
from tests.helpers.replay import replay
from tests.helpers.traces import Text, beginning, load

JSON, CODE, BOTH = (1, 2, 3), (4, 5, 6), (7, 8, 9)


def after(kind: TextKind, *tokens: int) -> float:
    kind.begin(())
    for token in tokens:
        kind.token(token)
    return kind.score()


def taught() -> TextKind:
    kind = TextKind()
    for _ in range(20):
        after(kind, *JSON, *BOTH)
        kind.learn(1.0)
        after(kind, *CODE, *BOTH)
        kind.learn(-1.0)
    return kind


def test_nothing_is_said_of_a_text_nobody_knows() -> None:
    assert after(TextKind(), *JSON) == 0.0
    assert after(taught(), 20, 21) == 0.0
    kind = TextKind()
    kind.learn(3.0)  # before any token
    assert kind.score() == 0.0


def test_tokens_that_tell_kinds_apart_get_the_weight() -> None:
    kind = taught()
    assert after(kind, *JSON, *BOTH) > 0.5
    assert after(kind, *CODE, *BOTH) < -0.5
    assert abs(after(kind, *BOTH)) < 0.2


def test_the_prompt_counts_until_enough_of_the_answer_is_there() -> None:
    kind = taught()
    kind.begin(JSON)
    assert kind.score() > 0.5
    for token in range(30, 30 + WINDOW):
        kind.token(token)
    assert kind.score() == 0.0


def test_the_score_has_bounds() -> None:
    kind = TextKind()
    for _ in range(500):
        after(kind, *JSON)
        kind.learn(5.0)
    assert kind.score() == 2.0
    for _ in range(20):
        kind.learn(-5.0)
    assert kind.score() == -2.0


def test_a_table_too_large_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_kind, "_LIMIT", 10)
    kind = TextKind()
    for token in range(100):
        after(kind, token)
        kind.learn(1.0)
    assert after(kind, 99) > 0
    assert after(kind, 5) == 0.0


def long_drafts(texts: dict[str, list[Text]], seeds: int) -> dict[str, tuple[int, int]]:
    """By workload: tokens of drafts of four and more that were verified, and those of them that were right."""
    found: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for seed in range(seeds):
        chance, noise = random.Random(seed), Noise(0.04, 0.01, seed)
        policy = Auto("draft_model", 0.0, calibrated(HERE, noise), PairHistory())
        for workload in ("json", "code", "counting", "prose") * 4:
            text = chance.choice(texts[workload])
            for done in replay(policy, text, HERE, behind=len(text.prompt), noise=noise):
                if done.verified >= 4:
                    verified, right = found[workload]
                    found[workload] = verified + done.verified, right + done.kept - 1
    return found


def test_where_drafts_do_not_go_far_fewer_are_long(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: dict[str, list[Text]] = defaultdict(list)
    for text in load():
        if text.split == "tuning":
            texts[text.workload].append(beginning(text, 80))
    knowing = long_drafts(texts, seeds=20)
    monkeypatch.setattr(text_kind, "_STEP", 0.0)
    blind = long_drafts(texts, seeds=20)
    wrong = [verified - right for verified, right in (knowing["code"], blind["code"])]
    assert wrong[0] < 0.9 * wrong[1]
    assert knowing["json"][1] > 0.9 * blind["json"][1]
