"""What a session learns about a pair is there in the next one."""

import json
from pathlib import Path

from app.engine.backends.local import LocalBackend
from app.engine.cancel import CancelFlag
from app.engine.costs import CostStore
from app.engine.lookahead import PairHistory
from app.protocol.messages import Generate, Load
from app.protocol.options import LimitOptions, SamplingOptions, SpeculationOptions


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
