"""Chat templates that fail, do not parse, never end or print without measure. A template is a program from a file."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from app.protocol.messages import Generate, Turn
from tests.helpers import gguf_kit
from tests.helpers.engine_process import Engine, cli, question

Load = Callable[[str], Engine]
ENDLESS = "{% for i in range(99999) %}{% for j in range(99999) %}{% set x = i + j %}{% endfor %}{% endfor %}"


@pytest.fixture
def with_template(process: Engine, demo_target: Path, tmp_path: Path) -> Load:
    """Load the demo target with another chat template."""

    def load(template: str) -> Engine:
        model = gguf_kit.load(demo_target)
        model.text("tokenizer.chat_template", template)
        process.load(model.write(tmp_path / "model.gguf"))
        return process

    return load


REFUSALS = {
    "raises": ("{{ raise_exception('Roles must alternate!') }}", "Roles must alternate!"),
    "raises over several lines": ("{{ raise_exception('one\n   two') }}", "one two"),
    "uses what is not there": ("{{ tools.first.name }}", "'None' has no attribute 'first'"),
    "calls what is not there": ("{{ missing() }}", "'missing' is undefined"),
    "calls itself": (
        "{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}",
        "maximum recursion depth exceeded",
    ),
    "divides by zero": ("{{ messages|length / 0 }}", "division by zero"),
    "leaves its sandbox": (
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "access to attribute '__class__' of 'str' object is unsafe.",
    ),
    "wants more memory than there is": ("{{ 'x' * 999999999999999999 }}", "MemoryError"),
    "says nothing": ("{# nothing #}", "it leaves nothing of it"),
}


@pytest.mark.parametrize(("template", "reason"), REFUSALS.values(), ids=REFUSALS.keys())
def test_a_template_that_refuses(with_template: Load, template: str, reason: str) -> None:
    engine = with_template(template)
    failed = engine.generate("Hello").failed
    assert failed.code == "template_failed"
    assert failed.sentence.startswith(f"The model's chat template refuses this conversation: {reason}")
    assert failed.hint == "Start a new chat, or remove the system prompt."
    # A raw text does not need it.
    assert engine.generate("1, 2, ", raw=True, max_tokens=2).tokens


def test_a_template_without_a_system_role(with_template: Load) -> None:
    engine = with_template(
        "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no system role') }}{% endif %}"
        "{{ m.role }}: {{ m.content }}\n{% endfor %}"
    )
    turns = (Turn(role="system", content="Be brief."), Turn(role="user", content="Hello"))
    engine.send(Generate(id="merged", turns=turns, limits=question("", max_tokens=2).limits))
    assert engine.answer("merged").tokens


BROKEN = {
    "an open loop": ("{% for x in %}", "Expected an expression, got 'end of statement block'"),
    "an unknown word": ("{% frobnicate %}", "Encountered unknown tag 'frobnicate'."),
    "an unknown filter": ("{{ messages | frobnicate }}", "No filter named 'frobnicate'."),
    "very deep brackets": ("{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}", "maximum recursion depth exceeded"),
    "powers": ("{{ 9**9**9 }}", "it computes powers"),
}


@pytest.mark.parametrize(("template", "reason"), BROKEN.values(), ids=BROKEN.keys())
def test_a_template_that_cannot_be_read(
    process: Engine, demo_target: Path, tmp_path: Path, template: str, reason: str
) -> None:
    model = gguf_kit.load(demo_target)
    model.text("tokenizer.chat_template", template)
    loaded = process.load(model.write(tmp_path / "model.gguf")).loaded
    assert loaded.template == "plain"
    (notice,) = loaded.notices
    assert notice.code == "bad_template"
    assert notice.text.startswith(f"The model's chat template cannot be read ({reason}")
    assert notice.text.endswith("A plain dialogue is used instead.")
    assert process.generate("Hello", max_tokens=2).tokens


def test_stars_in_the_text_of_a_template_are_no_powers(process: Engine, demo_target: Path, tmp_path: Path) -> None:
    model = gguf_kit.load(demo_target)
    model.text("tokenizer.chat_template", "**Rules** {# ** #}{{ '**' }}{{ messages[0].content }}")
    loaded = process.load(model.write(tmp_path / "model.gguf")).loaded
    assert (loaded.template, loaded.notices) == ("model", ())


def test_a_template_that_prints_without_measure(with_template: Load) -> None:
    engine = with_template("{% for i in range(90000) %}{{ 'one word or two ' * 9 }}{% endfor %}")
    failed = engine.generate("Hello").failed
    assert failed.code == "prompt_too_long"
    assert failed.sentence == "The text has more than 4,096 tokens, but the context holds 2,048."


def test_a_template_without_end_is_ended(with_template: Load) -> None:
    engine = with_template(ENDLESS)
    started = time.perf_counter()
    failed = engine.generate("Hello").failed
    assert time.perf_counter() - started < 10
    assert failed.sentence == (
        "The model's chat template refuses this conversation: it does not come to an end within 5 seconds"
    )


def test_a_template_without_end_can_be_cancelled(with_template: Load) -> None:
    engine = with_template(ENDLESS)
    request = question("Hello")
    engine.send(request)
    time.sleep(0.5)
    asked = time.perf_counter()
    engine.cancel(request.id)
    answer = engine.answer(request.id)
    assert answer.at[-1] - asked < 0.5
    assert (answer.finished.reason, answer.finished.seed, answer.tokens) == ("cancelled", 1, [])


def test_a_template_without_end_does_not_outlive_its_window(demo_target: Path, tmp_path: Path) -> None:
    model = gguf_kit.load(demo_target)
    model.text("tokenizer.chat_template", ENDLESS)
    with Engine() as engine:
        engine.load(model.write(tmp_path / "model.gguf"))
        engine.send(question("Hello"))
        time.sleep(0.3)
        engine.close_stdin()
        assert engine.expect_end(3) == 0


def test_the_command_line_says_what_a_template_says(demo_target: Path, tmp_path: Path) -> None:
    model = gguf_kit.load(demo_target)
    model.text("tokenizer.chat_template", "{{ raise_exception('Roles must alternate!') }}")
    run = cli("generate", "--model", model.write(tmp_path / "raises.gguf"), "--prompt", "Hello")
    assert (run.code, run.out) == (1, "")
    assert run.err == (
        "outpace-cli: The model's chat template refuses this conversation: Roles must alternate! "
        "Start a new chat, or remove the system prompt.\n"
    )
    model.text("tokenizer.chat_template", "{% for x in %}")
    run = cli("generate", "--model", model.write(tmp_path / "broken.gguf"), "--prompt", "Hello", "--max-tokens", 2)
    assert run.code == 0
    assert run.err.startswith("The model's chat template cannot be read (Expected an expression, got ")
