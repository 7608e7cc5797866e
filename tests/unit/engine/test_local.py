"""The local backend: what is kept, what is refused, and what the person is told."""

from pathlib import Path

import pytest

from app.core.errors import CancelledByUser, UserError
from app.engine.backends.local import LocalBackend
from app.engine.cancel import CancelFlag
from app.protocol.messages import Generate, Load, Turn
from app.protocol.options import DrafterName, LimitOptions, SamplingOptions, SpeculationOptions
from tests.helpers import gguf_kit
from tests.helpers.engine import GREEDY, LocalEngine, Reply, reply

HELLO = (Turn(role="user", content="Hello"),)


def test_nothing_is_answered_without_a_model() -> None:
    with pytest.raises(UserError) as caught:
        list(LocalBackend().generate(Generate(id="1", turns=HELLO), CancelFlag()))
    assert str(caught.value) == "No model is loaded. Open a model first."


def test_what_is_loaded_is_kept(demo_target: Path, demo_draft: Path) -> None:
    with LocalEngine(demo_target, demo_draft) as engine:
        first = engine.loaded
        assert engine.load(demo_target, demo_draft, context=1024, threads=1) == first
        without = engine.load(demo_target, context=1024, threads=1)
        assert without.target_loaded_at == first.target_loaded_at
        assert without.draft is None
        longer = engine.load(demo_target, context=512, threads=1)
        assert longer.target_loaded_at > first.target_loaded_at
        assert longer.context == 512


@pytest.mark.parametrize("with_draft", [True, False])
def test_who_can_draft_and_why_not(demo_target: Path, demo_draft: Path, with_draft: bool) -> None:
    with LocalEngine(demo_target, demo_draft if with_draft else None) as engine:
        why_not = engine.loaded.why_not
        for name in ("off", "ngram", "heads"):
            assert name not in why_not
        assert "mixed" not in why_not  # n-grams and heads, without a draft model
        assert why_not.get("draft_model") == (None if with_draft else "No draft model is loaded.")


def test_a_draft_that_is_missing_is_named_although_the_target_is_new(demo_target: Path, tmp_path: Path) -> None:
    with LocalEngine(demo_target) as engine:
        for context in (1024, 512):  # the same target, and a new one
            loaded = engine.load(demo_target, tmp_path / "gone.gguf", context=context, threads=1)
            assert "gone.gguf" in loaded.why_not["draft_model"]
        with pytest.raises(UserError) as caught:
            engine.load(demo_target, tmp_path / "gone.gguf", context=512, threads=1, draft_required=True)
        assert "gone.gguf" in caught.value.sentence
        # What was loaded before goes on answering.
        assert engine.ask(HELLO, max_tokens=3).stats.generated_tokens == 3


def test_a_draft_with_another_vocabulary_is_refused_with_the_token(
    demo_target: Path, demo_draft: Path, tmp_path: Path
) -> None:
    changed = gguf_kit.load(demo_draft)
    changed.tokens[100], changed.tokens[101] = changed.tokens[101], changed.tokens[100]
    other = changed.write(tmp_path / "other words.gguf")
    with LocalEngine(demo_target) as engine:
        loaded = engine.load(demo_target, other, context=1024, threads=1)
        assert "100" in loaded.why_not["draft_model"]
        assert "other words.gguf cannot draft for" in loaded.why_not["draft_model"]
        with pytest.raises(UserError) as caught:
            engine.load(demo_target, other, context=1024, threads=1, draft_required=True)
        assert caught.value.code == "incompatible_draft"


@pytest.mark.parametrize("drafter", ["draft_model", "mixed", "heads"])
def test_a_drafter_that_was_chosen_is_used_or_refused(demo_draft: Path, drafter: DrafterName) -> None:
    with LocalEngine(demo_draft) as engine:  # which has no heads
        with pytest.raises(UserError) as caught:
            engine.ask(HELLO, drafter)
        assert caught.value.code == "drafter_unavailable"
        assert caught.value.sentence.startswith(f"The drafter you chose ({drafter.replace('_', ' ')}) cannot be used: ")
        answer = reply(
            engine.backend.generate(
                Generate(
                    id="1",
                    turns=HELLO,
                    sampling=GREEDY,
                    speculation=SpeculationOptions(drafter=drafter, explicit=False),
                    limits=LimitOptions(max_tokens=4),
                ),
                CancelFlag(),
            )
        )
        assert answer.stats.generated_tokens == 4
        # An automatic choice answers all the same, and says what became of it.
        if drafter == "mixed":
            assert answer.speculation.drafter == "ngram"
        else:
            assert answer.speculation.state == "unavailable"
            assert answer.speculation.reason


def test_options_are_checked_before_anything_is_computed(demo_target: Path) -> None:
    with LocalEngine(demo_target) as engine:
        with pytest.raises(UserError, match="temperature cannot be -1"):
            engine.ask(HELLO, sampling=SamplingOptions(temperature=-1.0))
        with pytest.raises(UserError, match="lookahead cannot be 33"):
            engine.ask(HELLO, "ngram", 33)
        with pytest.raises(UserError, match="stop text is empty"):
            engine.ask(HELLO, stop=("",))


def test_a_seed_is_drawn_and_reported(demo_target: Path) -> None:
    with LocalEngine(demo_target) as engine:
        text = "Once upon a time"
        sampling = SamplingOptions(temperature=1.5, top_k=0)
        one, two = (engine.ask(text, sampling=sampling, fixed_shape=1) for _ in range(2))
        assert one.seed != two.seed
        assert one.tokens != two.tokens
        again = engine.ask(text, sampling=SamplingOptions(temperature=1.5, top_k=0, seed=one.seed), fixed_shape=1)
        assert again.tokens == one.tokens


def test_loading_can_be_cancelled_and_the_old_model_answers_on(demo_target: Path) -> None:
    flag = CancelFlag()
    flag.set()
    with LocalEngine(demo_target) as engine:
        with pytest.raises(CancelledByUser):
            engine.backend.load(
                Load(id="1", target=str(demo_target), context=512, threads=1), flag, lambda _event: None
            )
        assert engine.ask(HELLO, max_tokens=3).stats.generated_tokens == 3


def test_measuring_in_idle_moments_changes_nothing(demo_target: Path, demo_draft: Path) -> None:
    def second_turn(*, idle: bool) -> Reply:
        with LocalEngine(demo_target, demo_draft) as engine:
            first = engine.ask(HELLO, "draft_model", max_tokens=6)
            if idle:
                cancelled = CancelFlag()
                cancelled.set()
                assert engine.backend.idle(cancelled)
                steps = 1
                while engine.backend.idle(CancelFlag()):
                    steps += 1
                assert steps > 5
            said = Turn(role="assistant", content=first.text)
            return engine.ask((*HELLO, said, Turn(role="user", content="Bye")), "draft_model", max_tokens=12)

    measured, unmeasured = second_turn(idle=True), second_turn(idle=False)
    assert measured.tokens == unmeasured.tokens
    assert measured.stats.cached_tokens == unmeasured.stats.cached_tokens > 10
    assert measured.stats.accepted == unmeasured.stats.accepted


def test_unloading_twice_is_fine(demo_target: Path) -> None:
    with LocalEngine(demo_target) as engine:
        engine.backend.unload()
        engine.backend.unload()
        with pytest.raises(UserError, match="No model is loaded"):
            engine.ask(HELLO)
