"""A real llama-server answers, and its own counters agree.

It runs where OUTPACE_LLAMA_SERVER is the path of one (it can be built from the source in the llama-cpp-python package:
`cmake -DLLAMA_BUILD_SERVER=ON`, target `llama-server`).
"""

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.protocol.servers import ServerAccess
from tests.helpers.remote_kit import kit

BINARY = os.environ.get("OUTPACE_LLAMA_SERVER", "")
pytestmark = pytest.mark.skipif(not BINARY, reason="OUTPACE_LLAMA_SERVER does not name a llama-server")
KEY_VARIABLE = "OUTPACE_TEST_KEY"
KEY = "secret-key-for-tests"
ARMS = {
    "plain": (),
    "draft": ("--spec-type", "draft-simple", "--spec-draft-n-max", "3"),
    "ngram": ("--spec-type", "ngram-simple", "--spec-ngram-simple-size-n", "3", "--spec-ngram-simple-size-m", "8"),
}
QUESTION = "Return a JSON record for a person named Ada."


@contextlib.contextmanager
def running(*arguments: str) -> Iterator[str]:
    """A server with these arguments; gives its address when it is ready."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [BINARY, "--host", "127.0.0.1", "--port", str(port), "--metrics", "--api-key", KEY, *arguments]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        until = time.monotonic() + 60
        while True:
            assert process.poll() is None, "the server ended"
            assert time.monotonic() < until
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{address}/health", timeout=5) as response:
                if response.status == 200:
                    break
            time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def counters(address: str, model: str = "") -> dict[str, int]:
    """The server's own counters of speculation."""
    query = f"?model={model}" if model else ""
    request = urllib.request.Request(f"{address}/metrics{query}", headers={"Authorization": f"Bearer {KEY}"})
    with urllib.request.urlopen(request, timeout=10) as response:
        text = response.read().decode()
    return {name: int(float(value)) for name, value in re.findall(r"^llamacpp:(\w+) ([\d.e+]+)$", text, re.MULTILINE)}


def cli(*arguments: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "app", "--role", "cli", *arguments, "--key-env", KEY_VARIABLE, "--json"]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, env=os.environ | {KEY_VARIABLE: KEY}, check=False
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def ask(address: str, model: str) -> dict[str, Any]:
    return cli(
        *("generate", "--server", address, "--model", model, "--prompt", QUESTION),
        *("--temperature", "0", "--max-tokens", "200"),
    )


@pytest.fixture
def models(demo_target: Path, demo_draft: Path) -> tuple[str, ...]:
    return ("-m", str(demo_target), "-c", "2048", "-np", "1", "-t", "1", "--alias", "demo")


@pytest.mark.parametrize("arm", sorted(ARMS))
def test_the_command_line_tells_what_the_counters_tell(arm: str, models: tuple[str, ...], demo_draft: Path) -> None:
    draft = ("-md", str(demo_draft)) if arm == "draft" else ()
    with running(*models, *draft, *ARMS[arm]) as address:
        probed = cli("servers", "probe", address)
        assert probed["state"] == "ready"
        assert probed["models"][0]["speculation"] == ("off" if arm == "plain" else "on")
        before = counters(address)
        answer = ask(address, "demo")
        after = counters(address)
    proposed, accepted = (
        after[name] - before[name]
        for name in ("spec_decode_num_draft_tokens_total", "spec_decode_num_accepted_tokens_total")
    )
    assert (answer["proposed"], answer["accepted"]) == (proposed, accepted)
    assert answer["generated_tokens"] > 50
    assert answer["passes"] == answer["generated_tokens"] - accepted
    assert answer["server"]["kind"] == "llama_server"
    assert answer["verified"] == (0 if arm == "plain" else None)
    assert bool(proposed) is (arm != "plain")


def test_all_arms_say_the_same(models: tuple[str, ...], demo_draft: Path) -> None:
    texts = []
    for arm, options in ARMS.items():
        draft = ("-md", str(demo_draft)) if arm == "draft" else ()
        with running(*models, *draft, *options) as address:
            texts.append(ask(address, "demo")["text"])
    assert len(set(texts)) == 1


def preset(folder: Path, target: Path, draft: Path) -> Path:
    """A router's two models that differ in speculation only."""
    common = f"model = {target}\nctx-size = 2048\nparallel = 1\nthreads = 1\nmetrics = 1\n"
    path = folder / "models.ini"
    path.write_text(
        f"[demo]\n{common}\n[demo+draft]\n{common}model-draft = {draft}\nspec-type = draft-simple\n", encoding="utf-8"
    )
    return path


def test_the_switch_of_a_router(tmp_path: Path, demo_target: Path, demo_draft: Path) -> None:
    with running("--models-preset", str(preset(tmp_path, demo_target, demo_draft))) as address, kit() as remote:
        loaded = remote.load(ServerAccess(address=address, model="demo", key=KEY))
        assert loaded.server is not None
        assert loaded.server.can_switch
        plain = remote.ask(drafter="off", max_tokens=100)
        drafted = remote.ask(drafter="mixed", max_tokens=100)
        found = counters(address, "demo%2Bdraft")
    assert plain.text == drafted.text
    assert plain.finished.speculation.state == "off"
    assert drafted.stats.accepted == found["spec_decode_num_accepted_tokens_total"] > 0
    assert drafted.stats.proposed == found["spec_decode_num_draft_tokens_total"]
    # The router says what drafts, so that the ink is known, and its counts are those of the server.
    assert drafted.sources.count("draft_model") == drafted.stats.accepted


def test_the_ink_of_a_single_server_is_known_after_its_first_answer(models: tuple[str, ...], demo_draft: Path) -> None:
    from app.engine.cancel import CancelFlag

    with running(*models, "-md", str(demo_draft), *ARMS["draft"]) as address, kit() as remote:
        remote.load(ServerAccess(address=address, model="demo", key=KEY))
        assert remote.ask().sources == []
        remote.backend.idle(CancelFlag())
        second = remote.ask(max_tokens=200)
    assert second.sources.count("draft_model") == second.stats.accepted > 0
    assert len(second.sources) == second.stats.generated_tokens


def test_a_cancel_frees_the_server(models: tuple[str, ...]) -> None:
    with running(*models) as address, kit() as remote:
        remote.load(ServerAccess(address=address, model="demo", key=KEY))
        answer = remote.ask(on_event=lambda _event, cancel: cancel.set(), max_tokens=1900)
        assert answer.finished.reason == "cancelled"
        until = time.monotonic() + 10
        while counters(address)["requests_processing"] and time.monotonic() < until:
            time.sleep(0.02)
        assert counters(address)["requests_processing"] == 0


def compare(address: str, *arguments: str) -> dict[str, Any]:
    return cli(
        *("compare", "--server", address, "--model", "demo", "--prompt", QUESTION),
        *("--temperature", "0", "--max-tokens", "64", "--repeats", "1", *arguments),
    )


def test_comparisons(tmp_path: Path, demo_target: Path, demo_draft: Path) -> None:
    with running("--models-preset", str(preset(tmp_path, demo_target, demo_draft))) as address:
        by_switch = compare(address, "--drafter", "draft_model")
        by_name = compare(address, "--against", "demo+draft")
        with_local = compare(address, "--against", str(demo_target), "--against-server", "local")
    assert by_switch["identical"]
    assert by_switch["speculation"]["tokens"] == by_switch["plain"]["tokens"] == 64
    assert by_switch["acceptance_rate"] > 0.5
    assert by_name["identical"]
    assert by_name["tokens_per_pass"] > 1.5
    assert "demo+draft @" in by_name["sentence"] or "demo @" in by_name["sentence"]
    assert with_local["plain"]["tokens"] == with_local["speculation"]["tokens"] == 64
    assert "outpace-demo-target-q8_0.gguf" in with_local["sentence"]
