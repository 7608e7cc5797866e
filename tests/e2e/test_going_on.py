"""An answer that goes on, a template that refuses, tokens that are counted: with real models."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.core.errors import UserError
from app.engine.backends.local import LocalBackend
from app.engine.cancel import CancelFlag
from app.protocol.messages import Count, Event, Generate, Load, Thinking, Turn
from app.protocol.options import DrafterName, LimitOptions, SamplingOptions, SpeculationOptions
from tests.helpers import gguf_kit
from tests.helpers.engine import LocalEngine, Reply, reply

QUESTION = Turn(role="user", content="What is a dictionary?")
SHAPE = 8
TURN = "<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n"


@pytest.fixture(scope="module")
def engine(demo_target: Path, demo_draft: Path) -> Iterator[LocalEngine]:
    with LocalEngine(demo_target, demo_draft) as loaded:
        yield loaded


def ask(
    backend: LocalBackend,
    *turns: Turn,
    drafter: DrafterName = "off",
    temperature: float = 0.0,
    max_tokens: int = 0,
    tokens: tuple[int, ...] = (),
    plain_template: bool = False,
) -> tuple[Reply, list[Event]]:
    request = Generate(
        id="ask",
        turns=turns,
        answer_tokens=tokens,
        plain_template=plain_template,
        sampling=SamplingOptions(temperature=temperature, seed=5),
        speculation=SpeculationOptions(drafter=drafter, lookahead=3),
        limits=LimitOptions(max_tokens=max_tokens, fixed_shape=SHAPE),
    )
    events = list(backend.generate(request, CancelFlag()))
    return reply(events), events


@pytest.mark.parametrize("drafter", ["off", "mixed"])
@pytest.mark.parametrize("temperature", [0.0, 0.9])
def test_a_stopped_answer_goes_on_as_if_nothing_had_been(
    engine: LocalEngine, drafter: DrafterName, temperature: float
) -> None:
    whole, _ = ask(engine.backend, QUESTION, drafter=drafter, temperature=temperature, max_tokens=60)
    assert len(whole.tokens) == 60
    for cut in (1, 17, 40):
        part, _ = ask(engine.backend, QUESTION, drafter=drafter, temperature=temperature, max_tokens=cut)
        partial = Turn(role="assistant", content=part.text)
        rest, _ = ask(
            engine.backend,
            QUESTION,
            partial,
            drafter=drafter,
            temperature=temperature,
            max_tokens=60 - cut,
            tokens=part.tokens,
        )
        assert part.tokens + rest.tokens == whole.tokens
        assert part.text + rest.text == whole.text


@pytest.mark.parametrize("tokens", [(1, 2, 3), (10**9,), (-1, 5), (2**31,)])
def test_an_answer_of_another_model_goes_on_from_its_text(engine: LocalEngine, tokens: tuple[int, ...]) -> None:
    partial = Turn(role="assistant", content="A dictionary maps")
    with_nonsense, _ = ask(engine.backend, QUESTION, partial, tokens=tokens, max_tokens=20)
    from_text, _ = ask(engine.backend, QUESTION, partial, max_tokens=20)
    assert with_nonsense.tokens == from_text.tokens
    assert from_text.stats.generated_tokens == 20


@pytest.fixture
def with_template(demo_target: Path, tmp_path: Path) -> Iterator[Callable[[str], LocalBackend]]:
    backend = LocalBackend()

    def load(template: str) -> LocalBackend:
        model = gguf_kit.load(demo_target)
        model.text("tokenizer.chat_template", template)
        path = model.write(tmp_path / "other.gguf")
        request = Load(id="load", target=str(path), context=1024, threads=1, gpu_layers=0)
        backend.load(request, CancelFlag(), lambda _event: None)
        return backend

    yield load
    backend.close()


def test_a_template_that_refuses_can_be_done_without(with_template: Callable[[str], LocalBackend]) -> None:
    backend = with_template("{{ raise_exception('Only after dinner.') }}")
    with pytest.raises(UserError, match=r"Only after dinner\.") as caught:
        ask(backend, QUESTION)
    assert caught.value.code == "template_failed"
    answer, _ = ask(backend, QUESTION, plain_template=True, max_tokens=40)
    assert answer.tokens
    assert "\nUser:" not in answer.text
    counted = backend.count(Count(id="c", turns=(QUESTION,), texts=("ab",)), CancelFlag())
    assert counted.history == 0
    assert "Only after dinner." in counted.problem
    assert counted.texts[0] > 0
    assert backend.count(Count(id="c", turns=(QUESTION,), plain_template=True), CancelFlag()).problem == ""


def test_strict_roles_allow_an_answer_to_go_on(with_template: Callable[[str], LocalBackend]) -> None:
    backend = with_template(
        "{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}"
        "{{ raise_exception('Conversation roles must alternate!') }}{% endif %}"
        + TURN
        + "{% endfor %}<|im_start|>assistant\n"
    )
    answer, _ = ask(backend, QUESTION, Turn(role="assistant", content="A dictionary"), max_tokens=5)
    assert answer.tokens


def test_a_template_that_opens_the_thinking_is_told(with_template: Callable[[str], LocalBackend]) -> None:
    backend = with_template("{% for m in messages %}" + TURN + "{% endfor %}<|im_start|>assistant\n<think>\n")
    _, events = ask(backend, QUESTION, max_tokens=3)
    assert isinstance(events[0], Thinking)
    _, events = ask(backend, QUESTION, Turn(role="assistant", content="so"), max_tokens=3)
    assert not any(isinstance(event, Thinking) for event in events), "it was told when the answer began"
    _, events = ask(backend, QUESTION, plain_template=True, max_tokens=3)
    assert not any(isinstance(event, Thinking) for event in events)


def test_counting_agrees_with_what_an_answer_reads(engine: LocalEngine) -> None:
    answer, _ = ask(engine.backend, QUESTION, max_tokens=5)
    said = Turn(role="assistant", content=answer.text)
    again = Turn(role="user", content="And what is a list? Tell me more, please.")
    counted = engine.backend.count(Count(id="c", turns=(QUESTION, said), texts=(again.content,)), CancelFlag())
    real, _ = ask(engine.backend, QUESTION, said, again, max_tokens=1)
    assert abs(counted.history + counted.texts[0] - real.stats.prompt_tokens) <= 2
    assert counted.context == 1024
    far_too_long = engine.backend.count(Count(id="c", turns=(Turn(role="user", content="a b " * 9000),)), CancelFlag())
    assert far_too_long.history == 1024
    assert "holds 1,024" in far_too_long.problem
    assert engine.backend.count(Count(id="c"), CancelFlag()).history > 0
