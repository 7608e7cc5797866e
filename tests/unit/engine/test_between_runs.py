"""What a session learns about a pair is there in the next one."""

import json
from pathlib import Path

import pytest

from app.engine.backends.local import LocalBackend
from app.engine.cancel import CancelFlag
from app.engine.costs import CostStore
from app.engine.lookahead import PairHistory
from app.protocol.messages import Finished, Generate, Load
from app.protocol.options import DrafterName, LimitOptions, SamplingOptions, SpeculationOptions


def loaded(store: Path, target: Path, draft: Path) -> LocalBackend:
    backend = LocalBackend(CostStore(store))
    load = Load(id="1", target=str(target), draft=str(draft), draft_required=True, context=256, threads=1)
    backend.load(load, CancelFlag(), lambda event: None)
    return backend


def history(backend: LocalBackend) -> PairHistory:
    assert backend._drafting is not None
    return backend._drafting.learnt("draft_model").history


def test_what_answers_taught_is_kept_for_the_pair(tmp_path: Path, demo_target: Path, demo_draft: Path) -> None:
    store = tmp_path / "costs.json"
    first = loaded(store, demo_target, demo_draft)
    request = Generate(
        id="2",
        prompt="Count",
        sampling=SamplingOptions(temperature=0.0, seed=1),
        speculation=SpeculationOptions(drafter="draft_model", lookahead="auto", explicit=True),
        limits=LimitOptions(max_tokens=20),
    )
    list(first.generate(request, CancelFlag()))
    learnt = history(first).to_dict()
    first.close()
    assert any(key.startswith("draft_model ") for key in json.loads(store.read_text())["costs"])
    second = loaded(store, demo_target, demo_draft)
    again = history(second).to_dict()
    # The rate is bounded, in case the machine was busy.
    assert {**again, "rate": 0} == {**learnt, "rate": 0}
    assert second._drafting is not None
    assert second._drafting.passes.measured()
    second.close()


def test_a_damaged_history_starts_anew(tmp_path: Path, demo_target: Path, demo_draft: Path) -> None:
    store = tmp_path / "costs.json"
    first = loaded(store, demo_target, demo_draft)
    list(first.generate(Generate(id="2", prompt="Count", limits=LimitOptions(max_tokens=6)), CancelFlag()))
    first.close()
    content = json.loads(store.read_text())
    content["costs"] = {key: {"version": 1, "saved": "much", "rows": 3} for key in content["costs"]}
    store.write_text(json.dumps(content))
    second = loaded(store, demo_target, demo_draft)
    assert history(second).to_dict() == PairHistory().to_dict()
    second.close()


def test_steps_of_prediction_heads_are_timed_while_nobody_waits(tmp_path: Path, demo_target: Path) -> None:
    store = tmp_path / "costs.json"
    backend = LocalBackend(CostStore(store))
    load = Load(id="1", target=str(demo_target), context=256, threads=1)
    backend.load(load, CancelFlag(), lambda event: None)
    drafting = backend._drafting
    assert drafting is not None
    costs = drafting.learnt("heads").costs
    assert costs.draft_s() == 0
    while backend.idle(CancelFlag()):
        pass
    assert costs.draft_s() > 0
    assert 0 < costs.catch_up_s() != 0.4 * costs.draft_s()
    # A message in between finds the heads as they were.
    request = Generate(
        id="2",
        prompt="1 2 3 4 5 6 7 8 9",
        sampling=SamplingOptions(temperature=0.0),
        speculation=SpeculationOptions(drafter="heads", lookahead=3, explicit=True),
        limits=LimitOptions(max_tokens=40, fixed_shape=4),
    )
    first = [event for event in backend.generate(request, CancelFlag()) if isinstance(event, Finished)]
    backend._calibrator._of_heads.extend([1, 32, 1])  # type: ignore[union-attr]  # loaded just now
    while backend.idle(CancelFlag()):
        pass
    again = [event for event in backend.generate(request, CancelFlag()) if isinstance(event, Finished)]
    assert again[0].stats.accepted_by_position == first[0].stats.accepted_by_position
    known = costs.draft_s()
    backend.close()
    second = LocalBackend(CostStore(store))
    second.load(load, CancelFlag(), lambda event: None)
    assert second._drafting is not None
    assert 0.2 * known < second._drafting.learnt("heads").costs.draft_s() < 5 * known
    assert second._calibrator is not None
    assert not second._calibrator._of_heads
    second.close()


@pytest.mark.parametrize(("temperature", "kind"), [(0.0, "greedy"), (0.8, "sampled")])
@pytest.mark.parametrize("drafter", ["draft_model", "heads"])
def test_the_automatic_lookahead_knows_how_sure_a_sampled_draft_is(
    demo_target: Path, demo_draft: Path, tmp_path: Path, drafter: DrafterName, temperature: float, kind: str
) -> None:
    backend = loaded(tmp_path / "costs.json", demo_target, demo_draft)
    assert backend._drafting is not None
    # Costs with which drafting pays, whatever this machine does.
    for rows in range(1, 18):
        for _ in range(9):
            backend._drafting.passes.tell(rows, 0.1 + 0.001 * rows)
    request = Generate(
        id="2",
        prompt="1, 2, 3, 4, 5, 6, 7, 8,",
        sampling=SamplingOptions(temperature=temperature, seed=1),
        speculation=SpeculationOptions(drafter=drafter, lookahead="auto", explicit=True),
        limits=LimitOptions(max_tokens=40),
    )
    list(backend.generate(request, CancelFlag()))
    assert set(backend._drafting.learnt(drafter).history._models) == {kind}
    backend.close()
