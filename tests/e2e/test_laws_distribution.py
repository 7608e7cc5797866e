"""Law 4: with speculation on, tokens are drawn from the target's own distribution, and drafts are kept more often than
chance would have it.
"""

import collections
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from app.engine.drafters.draft_model import DraftModel
from app.engine.sampling import Sampler
from app.engine.speculation import Speculator
from app.protocol.options import SamplingOptions
from tests.helpers import gguf_kit
from tests.helpers.engine import UNFILTERED, Probe
from tests.helpers.fakes import Steady
from tests.helpers.prompts import PROMPTS
from tests.helpers.statistics import chi_square_p

SAMPLES = 5000
PROMPT = PROMPTS["definition"]


@pytest.fixture(scope="module")
def target(demo_target: Path) -> Iterator[Probe]:
    with Probe(demo_target, context=256) as probe:
        yield probe


@pytest.fixture(scope="module")
def draft(demo_draft: Path) -> Iterator[Probe]:
    with Probe(demo_draft, context=256) as probe:
        yield probe


@pytest.fixture(scope="module")
def bad_draft(demo_draft: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Probe]:
    path = gguf_kit.unrelated(gguf_kit.load(demo_draft)).write(tmp_path_factory.mktemp("bad") / "bad.gguf")
    with Probe(path, context=256) as probe:
        yield probe


class Rounds:
    """Single rounds of real speculation after one and the same text, with another seed each."""

    def __init__(self, target: Probe, draft: Probe, history: list[int]) -> None:
        self.history = history
        self._target = target.context
        self._draft = DraftModel(draft.context, target.context.n_vocab)
        self._draft.forget()
        self._target.clear()
        self._target.decode(history[:-1])

    def run(self, sampling: SamplingOptions, seed: int, *, draft_seed: int | None = None) -> tuple[list[int], int]:
        """The tokens one round adds, and how many of them were drafted. `draft_seed`: noise of the draft's own."""
        history = list(self.history)
        sampler = Sampler(sampling, seed, history)
        own = sampler if draft_seed is None else Sampler(sampling, draft_seed, history)
        self._draft.use(own, confident=False)
        speculator = Speculator(self._target, self._draft, Steady(1), sampler)
        speculator.begin(history)
        done = speculator.run(history, 2, lambda _token, _source: True)
        assert not speculator.drafter_fault
        assert done.verified == 1
        added = history[len(self.history) :]
        speculator.end(self.history)  # back to where it was, for the next seed
        self._target.truncate(len(self.history) - 1)
        return added, done.accepted


def softmax(row: np.ndarray) -> dict[int, float]:
    weights = np.exp(row.astype(np.float64) - float(row.max()))
    return dict(enumerate((weights / weights.sum()).tolist()))


@pytest.mark.slow
def test_tokens_follow_the_targets_distribution(target: Probe, bad_draft: Probe) -> None:
    history = target.prompt(PROMPT)
    expected = softmax(target.scores(history))
    rounds = Rounds(target, bad_draft, history)
    sampling = SamplingOptions(temperature=1.0, **UNFILTERED)
    counts: collections.Counter[int] = collections.Counter()
    drafted = 0
    for seed in range(SAMPLES):
        added, accepted = rounds.run(sampling, seed)
        counts[added[0]] += 1
        drafted += accepted
    assert sum(counts.values()) == SAMPLES
    assert drafted < SAMPLES / 10, "the draft should be a bad one"
    assert chi_square_p(counts, expected) > 0.01
    # The test can fail: a distribution as near as that at temperature 1.1 is told apart.
    assert chi_square_p(counts, softmax(target.scores(history) / 1.1)) < 0.01


@pytest.mark.slow
def test_shared_noise_accepts_more_than_independent_sampling(target: Probe, draft: Probe) -> None:
    sampling = SamplingOptions(temperature=0.8)
    trials, positions = 60, 0
    shared = independent = chance = promised = best = 0.0
    for name in ("story", "function_doc", "json_settings", "question", "markdown_table", "dialogue", "class", "german"):
        history = target.prompt(PROMPTS[name])
        p = probabilities(target, history, sampling)
        q = probabilities(draft, history, sampling)
        distance = sum(abs(p.get(token, 0.0) - q.get(token, 0.0)) for token in p.keys() | q.keys()) / 2
        rounds = Rounds(target, draft, history)
        shared += sum(rounds.run(sampling, seed)[1] for seed in range(trials)) / trials
        independent += sum(rounds.run(sampling, seed, draft_seed=seed + 10**6)[1] for seed in range(trials)) / trials
        chance += sum(probability * q.get(token, 0.0) for token, probability in p.items())
        promised += (1 - distance) / (1 + distance)
        best += 1 - distance
        positions += 1
    shared, independent, chance, promised, best = (
        value / positions for value in (shared, independent, chance, promised, best)
    )
    noise = 3 * math.sqrt(0.25 / (trials * positions))
    print(  # noqa: T201 (numbers for the reader of -rA)
        f"\naccepted: shared noise {shared:.3f}, independent {independent:.3f} (by calculation {chance:.3f}), "
        f"promised at least {promised:.3f}, possible at most {best:.3f}"
    )
    assert abs(independent - chance) < noise, "both ways to know what chance gives agree"
    assert shared > independent + 0.1
    assert shared > chance + 0.1
    assert promised - noise < shared < best + noise


def probabilities(probe: Probe, history: list[int], sampling: SamplingOptions) -> dict[int, float]:
    """What the filters leave of a model's distribution."""
    ids, scores = Sampler(sampling, 0, history)._shape(probe.scores(history), {})
    weights = np.exp(scores)
    return dict(zip(ids.tolist(), (weights / weights.sum()).tolist(), strict=True))
