"""Law 5: where passes of different shapes part ways, rounding decided a near-tie, and nothing else did."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.protocol.options import DrafterName, SamplingOptions
from tests.helpers.engine import NEAR_TIE, UNFILTERED, LocalEngine, Parting, Probe
from tests.helpers.prompts import PROMPTS

# Filters would turn rounding at their edges into differences of any size.
SAMPLINGS = [SamplingOptions(temperature=0.0), SamplingOptions(temperature=0.8, seed=1, **UNFILTERED)]
Report = Callable[[str, list[tuple[str, Parting]], int], None]


@pytest.fixture
def report(record_property: Callable[[str, object], None]) -> Report:
    """Notes every difference, prints them (see -rA), and fails for one that rounding cannot explain."""

    def note(title: str, partings: list[tuple[str, Parting]], runs: int) -> None:
        widest = max((parting.gap for _, parting in partings), default=0.0)
        summary = f"{title}: {len(partings)} of {runs} runs part ways, widest gap {widest:.3f} logits"
        print(f"\n{summary}")  # noqa: T201 (the report of law 5)
        record_property("summary", summary)
        for name, parting in partings:
            print(f"  {name}: {parting}")  # noqa: T201
            record_property(name, str(parting))
        assert widest <= NEAR_TIE

    return note


@pytest.fixture(scope="module")
def demo(demo_target: Path, demo_draft: Path) -> Iterator[tuple[LocalEngine, Probe]]:
    with LocalEngine(demo_target, demo_draft) as engine, Probe(demo_target) as probe:
        yield engine, probe


@pytest.mark.slow
@pytest.mark.parametrize("sampling", SAMPLINGS, ids=["greedy", "sampled"])
def test_free_shapes_on_the_demo_pair(
    demo: tuple[LocalEngine, Probe], sampling: SamplingOptions, report: Report
) -> None:
    engine, probe = demo
    drafters: list[tuple[DrafterName, int]] = [("draft_model", 7), ("draft_model", 2), ("ngram", 5), ("mixed", 16)]
    partings, runs = [], 0
    for name, text in PROMPTS.items():
        plain = engine.ask(text, sampling=sampling, max_tokens=48, reuse_cache=False)
        for drafter, lookahead in drafters:
            answer = engine.ask(text, drafter, lookahead, sampling=sampling, max_tokens=48, reuse_cache=False)
            parting = probe.parting(text, plain, answer, sampling)
            runs += 1
            if parting is not None:
                partings.append((f"{name}, {drafter} {lookahead}", parting))
    report("demo pair", partings, runs)


@pytest.mark.slow
def test_free_shapes_on_gemma(gemma: Path, report: Report) -> None:
    partings, runs = [], 0
    with LocalEngine(gemma, context=512, threads=0) as engine, Probe(gemma, context=512, threads=0) as probe:
        for name in ("json_object", "weekdays", "csv", "class", "doctest", "repeat", "emoji", "sql"):
            plain = engine.ask(PROMPTS[name], max_tokens=32, reuse_cache=False)
            answer = engine.ask(PROMPTS[name], "ngram", 3, max_tokens=32, reuse_cache=False)
            parting = probe.parting(PROMPTS[name], plain, answer)
            runs += 1
            if parting is not None:
                partings.append((name, parting))
    report("gemma-3-270m", partings, runs)
