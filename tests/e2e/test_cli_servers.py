"""The command line with servers, over real sockets and processes."""

import json
import os
import subprocess
import sys

import pytest

from tests.helpers.replay_server import ReplayServer, as_json, as_stream, delta, recorded

KEY = "secret-key-for-tests"
ASK = ("--temperature", "0", "--max-tokens", "64", "--prompt", "Return a JSON record for a person named Ada.")


def cli(*arguments: str, code: int = 0, **environment: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "app", "--role", "cli", *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, env=os.environ | environment, check=False
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert KEY not in done.stdout + done.stderr
    return done


def test_an_answer_with_the_json_of_every_answer(demo_target) -> None:
    models = recorded("vllm/draft-models")
    with ReplayServer(recorded("vllm/draft-chat-stream"), v1_models=models) as server:
        remote = ("generate", "--server", server.address, "--model", "outpace-demo", "--key-env", "THE_KEY", "--json")
        found = json.loads(cli(*remote, *ASK, THE_KEY=KEY).stdout)
        assert {asked.headers["authorization"] for asked in server.asked} == {f"Bearer {KEY}"}
    local = json.loads(cli("generate", "--model", str(demo_target), "--json", *ASK).stdout)
    assert set(found) == {*local, "server", "unknown", "origins", "hint"}
    assert (found["passes"], found["proposed"], found["accepted"]) == (20, 57, 45)
    assert found["verified"] is None
    assert found["split_ms"] is None
    assert found["origins"]["accepted"] == "server"
    assert found["text"] == local["text"]


def test_probing(demo_target) -> None:
    with ReplayServer(v1_models=recorded("llama-server/router-models")) as server:
        done = cli("servers", "probe", server.address)
        assert done.stdout.splitlines()[1:] == [
            "  demo: 2048 tokens, speculation off, the other position of the switch: demo+draft",
            "  demo+draft: 2048 tokens, speculation on, the other position of the switch: demo",
        ]
        server.routes["/v1/models"] = as_json({"error": "Unauthorized"}, 401)
        done = cli("servers", "probe", server.address, code=1)
        address = server.address
    assert done.stdout.startswith(f"The server at {address} does not accept the key.")


def test_a_broken_answer_keeps_its_text() -> None:
    with ReplayServer(as_stream(delta("Half"), ending="torn")) as server:
        done = cli("generate", "--server", server.address, "--model", "m", "--prompt", "x", code=1)
    assert done.stdout.startswith("Half")
    assert "broke off" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("servers", "probe", "ftp://x"), 1, "is not the address of a server"),
        (("servers", "probe", "http://models.example.org"), 2, "public address without encryption"),
        (("generate", "--model", "m", "--key-env", "A", "--prompt", "x"), 2, "--key-env needs --server"),
        (("generate", "--server", "h", "--key-env", "NO_SUCH_KEY", "--model", "m", "--prompt", "x"), 2, "no key in"),
    ],
)
def test_what_makes_no_sense(arguments: tuple[str, ...], code: int, words: str) -> None:
    assert words in cli(*arguments, code=code).stderr
