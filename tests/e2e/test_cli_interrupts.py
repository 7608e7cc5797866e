"""The command line when it is interrupted, and when one of its two processes or its streams go away."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.core.launch import child_environment
from tests.helpers import gguf_kit
from tests.helpers.engine_process import cli, cli_command

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="signals of POSIX, processes in /proc")

# Its answer has no end, and padding every pass makes the tiny model slow: it can be interrupted on a fast machine too.
QUESTION = ("--prompt", "hello", "--temperature", 0, "--max-tokens", 1900, "--fixed-shape", 33)
LONG = " ".join(str(number) for number in range(1, 1500))


@contextlib.contextmanager
def started(*arguments: object) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        cli_command("generate", *arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=child_environment()
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def engine_of(process: subprocess.Popen[bytes], timeout_s: float = 20) -> int:
    """The id of the engine process, as soon as there is one."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    deadline = time.perf_counter() + timeout_s
    while time.perf_counter() < deadline:
        if ids := children.read_text(encoding="ascii").split():
            return int(ids[0])
        time.sleep(0.01)
    raise AssertionError("no engine was started")


def gone(pid: int, within_s: float) -> bool:
    deadline = time.perf_counter() + within_s
    while time.perf_counter() < deadline:
        try:
            if ") Z " in Path(f"/proc/{pid}/stat").read_text(encoding="ascii"):
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.02)
    return False


def begins(text: str) -> bool:
    """Whether this is what the question is answered with, as far as it goes."""
    return "The `gi.h` module".startswith(text.rstrip("\n")[:17])


def first_text(process: subprocess.Popen[bytes]) -> bytes:
    assert process.stdout is not None
    text = os.read(process.stdout.fileno(), 4096)
    assert text
    return text


def ended(process: subprocess.Popen[bytes], before: bytes = b"", within_s: float = 10) -> tuple[int, str, str]:
    """Exit code and everything on both streams."""
    out, err = process.communicate(timeout=within_s)
    errors = err.decode()
    assert "Traceback" not in errors
    return process.returncode, (before + out).decode(), errors


def test_ctrl_c_stops_and_says_what_there_is(demo_target: Path, demo_draft: Path) -> None:
    with started("--model", demo_target, "--draft", demo_draft, *QUESTION) as process:
        engine = engine_of(process)
        text = first_text(process)
        process.send_signal(signal.SIGINT)
        code, out, err = ended(process, text)
        assert code == 130
        assert out.endswith("\n")
        assert begins(out)
        assert re.fullmatch(r"\d+ tokens? · .+ · seed \d+ · stopped\n", err)
        assert gone(engine, 3)


def test_ctrl_c_gives_the_object_too(demo_target: Path) -> None:
    with started("--model", demo_target, *QUESTION, "--json") as process:
        engine = engine_of(process)
        wait_until_it_computes(engine)
        process.send_signal(signal.SIGINT)
        code, out, err = ended(process)
        assert (code, err) == (130, "")
        body = json.loads(out)
        assert body["reason"] == "cancelled"
        assert body["generated_tokens"] == len(body["token_ids"])
        assert begins(body["text"])


def wait_until_it_computes(engine: int) -> None:
    """Until the native library is there, and then a little."""
    maps = Path(f"/proc/{engine}/maps")
    while "libllama" not in maps.read_text(encoding="utf-8"):
        time.sleep(0.01)
    time.sleep(1)


def test_ctrl_c_in_a_long_prefill(gemma: Path) -> None:
    with started("--model", gemma, "--raw", "--prompt", LONG, "--ctx", 8192) as process:
        engine = engine_of(process)
        wait_until_it_computes(engine)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        asked = time.perf_counter()
        code, out, err = ended(process)
        assert time.perf_counter() - asked < 3
        assert code == 130
        assert out.strip() == ""
        # Stopped while reading, or before it was reading yet.
        assert err == "" or re.search(r"^0 tokens · - tokens/s · .* · stopped$", err, re.MULTILINE)
        assert gone(engine, 3)


def test_ctrl_c_twice_is_enough_for_anybody(demo_target: Path) -> None:
    with started("--model", demo_target, *QUESTION) as process:
        engine = engine_of(process)
        text = first_text(process)
        # A stopped engine cannot answer the first.
        os.kill(engine, signal.SIGSTOP)
        process.send_signal(signal.SIGINT)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.5)
        process.send_signal(signal.SIGINT)
        code, out, err = ended(process, text)
        assert (code, err) == (130, "")
        assert begins(out)
        assert gone(engine, 3)


@pytest.mark.parametrize("delay_s", [0.0, 0.1, 0.25, 0.5])
def test_ctrl_c_at_the_start_leaves_nothing(demo_target: Path, delay_s: float) -> None:
    with started("--model", demo_target, *QUESTION) as process:
        engine = engine_of(process)
        time.sleep(delay_s)
        process.send_signal(signal.SIGINT)
        code, _, _ = ended(process)
        assert code == 130
        assert gone(engine, 3)


def test_a_killed_command_line_leaves_no_engine(demo_target: Path) -> None:
    with started("--model", demo_target, *QUESTION) as process:
        engine = engine_of(process)
        first_text(process)
        process.kill()
        assert gone(engine, 3)


def test_a_killed_engine_is_a_sentence(demo_target: Path, demo_draft: Path) -> None:
    with started("--model", demo_target, "--draft", demo_draft, *QUESTION) as process:
        engine = engine_of(process)
        text = first_text(process)
        os.kill(engine, signal.SIGKILL)
        code, out, err = ended(process, text)
        assert code == 1
        assert begins(out)
        assert err == (
            "outpace-cli: The engine stopped unexpectedly: it was ended by SIGKILL. "
            "Try again, with fewer GPU layers or another model if it happens again.\n"
        )


def test_an_assertion_in_native_code_is_a_sentence_at_once(demo_target: Path, tmp_path: Path) -> None:
    # With this epsilon the library's own check fails in the first pass, in all threads.
    model = gguf_kit.load(demo_target)
    model.facts["mimo2.attention.layer_norm_rms_epsilon"] = gguf_kit.Entry(6, -1.0)
    started_at = time.perf_counter()
    run = cli("generate", "--model", model.write(tmp_path / "bad.gguf"), "--prompt", "Hello", timeout=60)
    assert time.perf_counter() - started_at < 20
    assert run.code == 1
    assert run.out == ""
    assert run.err.startswith("outpace-cli: The engine stopped unexpectedly: it was ended by SIGABRT. ")


def test_a_reader_that_has_seen_enough(demo_target: Path) -> None:
    with started("--model", demo_target, *QUESTION) as process:
        first_text(process)
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.wait(10) == 0
        assert process.stderr.read() == b""
        process.stderr.close()
        process.stdout, process.stderr = None, None


def shell(line: str, *arguments: object) -> tuple[int, str, str]:
    """Run `line` in a shell, "$@" being the command line of the program with these arguments."""
    done = subprocess.run(
        ["/bin/sh", "-c", line, "sh", *cli_command(*arguments)],
        capture_output=True,
        env=child_environment(),
        timeout=60,
        check=False,
    )
    assert b"Traceback" not in done.stderr
    assert b"Exception" not in done.stderr
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_a_full_disk_is_a_sentence(demo_target: Path) -> None:
    answer = ("generate", "--model", demo_target, "--prompt", "Hello", "--temperature", 0)
    for command in (answer, (*answer, "--json"), ("inspect", demo_target)):
        code, _, err = shell('"$@" >/dev/full', *command)
        assert (code, err) == (1, "outpace-cli: The output cannot be written: No space left on device.\n")


def test_closed_streams_are_no_reason_to_fail(demo_target: Path) -> None:
    answer = ("generate", "--model", demo_target, "--prompt", "Hello", "--temperature", 0)
    text = "Hello! How can I help you today?\n"
    code, out, err = shell('"$@" <&-', *answer)
    assert (code, out) == (0, text)
    assert "10 tokens" in err
    assert shell('"$@" 2>&-', *answer)[:2] == (0, text)
    code, out, err = shell('"$@" >&-', *answer)
    assert (code, out) == (0, "")
    assert "10 tokens" in err
    code, _, err = shell('"$@" <&-', "generate", "--model", demo_target)
    assert (code, err) == (
        1,
        "outpace-cli: There is nothing to answer: the prompt is empty. Write something first.\n",
    )


def test_logs_that_cannot_be_written(demo_target: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = ("generate", "--model", demo_target, "--prompt", "Hello", "--temperature", 0)
    for name in ("cli.log", "engine.log"):
        (tmp_path / "folders" / "logs" / name).mkdir(parents=True)
    monkeypatch.setenv("OUTPACE_HOME", str(tmp_path / "folders"))
    run = cli(*answer)
    assert (run.code, run.err.count("\n")) == (0, 1)
    assert cli("generate", "--model", "missing.gguf", "--prompt", "x").err.count("\n") == 1
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    monkeypatch.setenv("OUTPACE_HOME", str(tmp_path / "file"))
    run = cli(*answer)
    assert run.code == 0
    assert "no log file" in run.err
