"""Chat templates of real files: sound, refusing, broken, endless."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from app.core.errors import CancelledByUser, UserError
from app.engine import template_guard
from app.engine.cancel import CancelFlag
from app.engine.template_guard import GuardedFormatter, guarded
from app.protocol.messages import Turn
from tests.helpers import gguf_kit
from tests.helpers.engine import LocalEngine, Probe

HELLO = [Turn(role="user", content="Hello")]
SYSTEM = [Turn(role="system", content="Be brief."), *HELLO]
TURN = "<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n"

MakeModel = Callable[..., Path]


@pytest.fixture
def make_model(demo_target: Path, tmp_path: Path) -> MakeModel:
    """Writes the demo target with another template, and perhaps a begin token of its own."""

    def make(template: str | None, *, adds_bos: bool = False) -> Path:
        model = gguf_kit.load(demo_target)
        if template is None:
            del model.facts["tokenizer.chat_template"]
        else:
            model.text("tokenizer.chat_template", template)
        model.flag("tokenizer.ggml.add_bos_token", value=adds_bos)
        return model.write(tmp_path / "other template.gguf")

    return make


def test_a_model_without_a_template_gets_a_plain_dialogue_and_a_notice(make_model: MakeModel) -> None:
    path = make_model(None)
    with LocalEngine(path) as engine, Probe(path) as probe:
        assert engine.loaded.template == "plain"
        assert [notice.code for notice in engine.loaded.notices] == ["no_template"]
        answer = engine.ask(HELLO, max_tokens=200)
        assert answer.stats.prompt_tokens == len(probe.prompt("User: Hello\nAssistant:"))
        assert "\nUser:" not in answer.text


@pytest.mark.parametrize("template", ["{% for m in messages %}", "{{ messages[0]", "{% endfor %}", "{% nonsense %}"])
def test_a_template_that_does_not_parse_is_replaced_with_a_notice(make_model: MakeModel, template: str) -> None:
    with LocalEngine(make_model(template)) as engine:
        assert engine.loaded.template == "plain"
        [notice] = engine.loaded.notices
        assert notice.code == "bad_template"
        assert notice.text.startswith("The model's chat template cannot be read (")
        assert notice.text.endswith("). A plain dialogue is used instead.")
        assert "\n" not in notice.text
        assert engine.ask(HELLO, max_tokens=3).stats.generated_tokens > 0


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("{{ raise_exception('Conversation roles must alternate!') }}", "Conversation roles must alternate!"),
        ("{{ messages.nothing.at.all }}", "no attribute 'nothing'"),
        ("{{ 1 / 0 }}", "division by zero"),
        ("{{ ''.__class__.__mro__ }}", "unsafe"),
        ("{# nothing #}", "it leaves nothing of it"),
    ],
)
def test_a_template_that_raises_says_why_and_the_engine_lives_on(
    make_model: MakeModel, template: str, reason: str
) -> None:
    with LocalEngine(make_model(template)) as engine:
        assert engine.loaded.template == "model"
        with pytest.raises(UserError) as caught:
            engine.ask(HELLO)
        assert caught.value.code == "template_failed"
        assert caught.value.sentence.startswith("The model's chat template refuses this conversation: ")
        assert reason in caught.value.sentence
        assert engine.ask("def add(", max_tokens=3).stats.generated_tokens == 3


def test_a_template_without_a_system_role_gets_it_in_the_question(make_model: MakeModel) -> None:
    refuses = "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}"
    path = make_model(refuses + "{% for m in messages %}" + TURN + "{% endfor %}")
    with LocalEngine(path) as engine, Probe(path) as probe:
        answer = engine.ask(SYSTEM, max_tokens=3)
        merged = "<|im_start|>user\nBe brief.\n\nHello<|im_end|>\n"
        assert answer.stats.prompt_tokens == len(probe.prompt(merged))
        assert probe.prompt(SYSTEM) == probe.prompt(merged)


@pytest.mark.parametrize(("adds_bos", "written"), [(True, True), (True, False), (False, True), (False, False)])
def test_the_begin_token_is_there_once_if_at_all(make_model: MakeModel, adds_bos: bool, written: bool) -> None:
    begin = "{{ bos_token }}" if written else ""
    path = make_model(begin + "{% for m in messages %}" + TURN + "{% endfor %}", adds_bos=adds_bos)
    with Probe(path) as probe:
        bos = probe.weights.bos
        tokens = probe.prompt([Turn(role="user", content="<|endoftext|>Hello<|endoftext|>")])
        assert tokens.count(bos) == int(adds_bos or written)
        assert not (adds_bos or written) or tokens[0] == bos
        assert probe.prompt("<|endoftext|>a").count(bos) == 1


# --- templates without an end -------------------------------------------------------------------------------------

ENDLESS = "{% for a in range(99999) %}{% for b in range(99999) %}{% set x = a * b %}{% endfor %}{% endfor %}"


def test_an_endless_template_is_a_sentence(make_model: MakeModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(template_guard, "LIMIT_S", 0.2)
    with LocalEngine(make_model(ENDLESS)) as engine:
        started = time.perf_counter()
        with pytest.raises(UserError, match="it does not come to an end within"):
            engine.ask(HELLO)
        assert time.perf_counter() - started < 5


def test_a_template_can_be_cancelled() -> None:
    flag = CancelFlag()

    def endless(_messages: list[object]) -> str:
        for number in range(10**9):
            if number == 1000:
                flag.set()
        return ""

    formatter = GuardedFormatter(endless)
    formatter.watch(flag)
    with pytest.raises(CancelledByUser):
        formatter([])


def test_what_is_guarded_gives_its_result_or_its_error() -> None:
    assert guarded(lambda: 7, CancelFlag(), every_line=True) == 7
    with pytest.raises(KeyError):
        guarded(lambda: {}["a"], CancelFlag(), every_line=False)
