"""Answers of a comparison know nothing and teach nothing; what deltas say about tokens fits the statistics."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.engine.cancel import CancelFlag
from app.protocol.messages import Delta, Generate, Turn
from app.protocol.options import DRAFT_SOURCES, DrafterName, LimitOptions, SpeculationOptions
from tests.helpers.engine import GREEDY, LocalEngine, Reply, reply

QUESTION = (Turn(role="user", content="Give me a JSON array of 5 users."),)


@pytest.fixture(scope="module")
def engine(demo_target: Path, demo_draft: Path) -> Iterator[LocalEngine]:
    with LocalEngine(demo_target, demo_draft) as made:
        yield made


def ask(engine: LocalEngine, drafter: DrafterName, *, isolated: bool, **options: object) -> tuple[Reply, list[Delta]]:
    request = Generate(
        id="ask",
        turns=QUESTION,
        sampling=GREEDY,
        speculation=SpeculationOptions(drafter=drafter, explicit=True, **options),  # type: ignore[arg-type]
        limits=LimitOptions(max_tokens=60),
        isolated=isolated,
    )
    events = list(engine.backend.generate(request, CancelFlag()))
    return reply(events), [event for event in events if isinstance(event, Delta)]


@pytest.mark.parametrize("drafter", ["ngram", "draft_model", "mixed"])
def test_the_same_question_again_is_the_same_work_again(engine: LocalEngine, drafter: DrafterName) -> None:
    """By counters: the second time nothing is cached, proposed or accepted that was not the first time."""
    one, _ = ask(engine, drafter, isolated=True, lookahead=5)
    two, _ = ask(engine, drafter, isolated=True, lookahead=5)
    for counter in ("cached_tokens", "passes", "proposed", "verified", "accepted", "accepted_by_position"):
        assert getattr(one.stats, counter) == getattr(two.stats, counter), counter
    assert one.stats.cached_tokens == 0
    assert one.tokens == two.tokens


def test_what_is_learnt_about_a_drafter_stays_as_it_was(engine: LocalEngine) -> None:
    drafting = engine.backend._drafting
    assert drafting is not None
    ask(engine, "draft_model", isolated=False)
    learnt = drafting.learnt("draft_model")
    before = learnt.history.to_dict(), learnt.costs.to_dict(), drafting.passes.to_dict()
    ask(engine, "draft_model", isolated=True)
    ask(engine, "mixed", isolated=True)
    assert (learnt.history.to_dict(), learnt.costs.to_dict(), drafting.passes.to_dict()) == before
    assert drafting.learnt("draft_model") is learnt
    ask(engine, "draft_model", isolated=False)
    assert learnt.history.to_dict() != before[0], "an answer of a chat does teach"


def test_only_isolated_answers_tell_margins(engine: LocalEngine) -> None:
    told, deltas = ask(engine, "off", isolated=True)
    margins = [margin for delta in deltas for margin in delta.margins]
    assert len(margins) == len(told.tokens)
    assert min(margins) >= 0
    _, deltas = ask(engine, "off", isolated=False)
    assert all(not delta.margins for delta in deltas)


@pytest.mark.parametrize("drafter", ["ngram", "draft_model", "mixed"])
def test_notes_on_tokens_fit_text_and_statistics(engine: LocalEngine, drafter: DrafterName) -> None:
    answer, deltas = ask(engine, drafter, isolated=False, lookahead=4)
    lengths = [length for delta in deltas for length in delta.lengths]
    sure = [percent for delta in deltas for percent in delta.sure]
    assert len(lengths) == len(sure) == len(answer.tokens)
    assert sum(lengths) == len(answer.text)
    counts = Counter(answer.sources)
    assert sum(counts[source] for source in DRAFT_SOURCES) == answer.stats.accepted
    assert sum(counts.values()) == answer.stats.generated_tokens
    for source, percent in zip(answer.sources, sure, strict=True):
        if source == "draft_model":
            assert 50 <= percent <= 100, "at temperature 0 the first choice is at least as likely as the second"
        elif source in ("ngram", "target"):
            assert percent == -1
