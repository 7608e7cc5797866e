"""Whatever a server does wrong: a sentence, the text so far, a chat that goes on, and no key at another place."""

import gzip
import json
import socket
import time
from typing import Any

import pytest

from app.core.errors import AppError
from app.protocol.servers import ServerAccess
from tests.helpers.remote_kit import Reply as Heard
from tests.helpers.remote_kit import kit
from tests.helpers.replay_server import (
    Asked,
    ReplayServer,
    Reply,
    as_json,
    as_stream,
    delta,
    recorded,
)

KEY = "secret-key-for-tests"
ONE = delta("One", None)
GOOD = as_stream(delta(None), ONE, delta(" two"), delta("", "stop"), "[DONE]")


def fails(chat: Any, *, text: str = "", **access: Any) -> AppError:
    """The error of an answer; afterwards the same connection answers well."""
    with ReplayServer(chat) as server, kit() as remote:
        remote.load(server.access(key=KEY, **access))
        heard = Heard()
        with pytest.raises(AppError) as caught:
            remote.ask(reply=heard)
        assert heard.text == text
        server.routes["/v1/chat/completions"] = GOOD
        assert remote.ask().text == "One two"
    error = caught.value
    assert error.sentence[0].isupper()
    assert error.sentence.endswith(".")
    assert KEY not in f"{error} {error.detail}"
    assert "Traceback" not in f"{error} {error.detail}"
    return error


REFUSALS = {
    "string": (as_json({"error": "Unauthorized"}, 401), "server_key"),
    "object": (recorded("llama-server/key-missing"), "server_key"),
    "forbidden": (as_json({"detail": "no"}, 403), "server_key"),
    "path": (as_json({"detail": "Not Found"}, 404), "server_wrong"),
    "flat": (as_json({"object": "error", "message": "bad thing", "code": 400}, 400), "server_refused"),
    "nested": (recorded("vllm/err-bad-temperature"), "server_refused"),
    "validation": (as_json({"detail": [{"loc": ["body"], "msg": "nope"}]}, 422), "server_refused"),
    "html": (Reply((b"<html><body><h1>Bad Gateway</h1></body></html>",), 502, "text/html"), "server_busy"),
    "too many": (as_json({"error": {"message": "slow down"}}, 429), "server_busy"),
    "long llama-server": (recorded("llama-server/err-too-long-stream"), "prompt_too_long"),
    "long vllm": (recorded("vllm/err-too-long-stream"), "prompt_too_long"),
    "limit": (recorded("vllm/err-max-tokens"), "server_refused"),
    "dead": (recorded("vllm/err-after-engine-died"), "server_dead"),
    "loading": (recorded("llama-server/health-503"), "server_loading"),
    "moved": (Reply((), 307, headers={"Location": "http://127.0.0.1:9/v1/chat/completions"}), "server_moved"),
}


@pytest.mark.parametrize("name", sorted(REFUSALS))
def test_refusals(name: str) -> None:
    reply, code = REFUSALS[name]
    assert fails(reply, first_s=0.4).code == code


def test_a_model_that_is_gone_is_named() -> None:
    gone = as_json({"error": {"message": "The model `m` does not exist.", "code": 404}}, 404)
    assert fails(gone).code == "server_no_model"
    with ReplayServer() as server, kit() as remote, pytest.raises(AppError, match=r"It has: m\."):
        remote.load(server.access("no-such-model"))


BROKEN = {
    "empty": (recorded("llama-cpp-python/err-too-long-stream"), "", "server_empty"),
    "torn": (as_stream(ONE, ending="torn"), "One", "server_broke_off"),
    "no finish": (as_stream(ONE, "[DONE]"), "One", "server_broke_off"),
    "error then done": (as_stream(ONE, {"error": {"message": "boom", "code": 500}}, "[DONE]"), "One", "server_failed"),
    "not json": (as_stream(ONE, "<html>"), "One", "server_garbled"),
    "not an object": (as_stream(ONE, "[1, 2]"), "One", "server_garbled"),
    "deep": (as_stream(ONE, "[" * 5000), "One", "server_garbled"),
    "deep object": (as_stream(ONE, json.dumps({"a": json.loads("[" * 60 + "]" * 60)})), "One", "server_garbled"),
    "huge": (as_stream(ONE, json.dumps(delta("x" * 2_000_000))), "One", "server_garbled"),
}


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_broken_streams_keep_their_text(name: str) -> None:
    reply, text, code = BROKEN[name]
    assert fails(reply, text=text).code == code


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("vllm/err-engine-dies-midstream", "server_dead"),
        ("vllm/err-server-killed-midstream", "server_broke_off"),
        ("llama-server/err-server-killed-midstream", "server_broke_off"),
        ("llama-server/err-server-sigterm-midstream", "server_broke_off"),
    ],
)
def test_recorded_deaths(name: str, code: str) -> None:
    with ReplayServer(recorded(name)) as server, kit() as remote:
        remote.load(server.access())
        heard = Heard()
        with pytest.raises(AppError) as caught:
            remote.ask(reply=heard)
    assert caught.value.code == code
    assert heard.text


@pytest.mark.parametrize("ending", ["hang", "pings"])
def test_silence_ends_and_pings_are_no_progress(ending: Any) -> None:
    error = fails(as_stream(ONE, ending=ending), text="One", between_s=0.3)
    assert error.code == "server_silent"
    error = fails(as_stream(ending=ending), first_s=0.3)
    assert error.code == "server_silent"


def test_nothing_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with kit() as remote:
        gone = ServerAccess(address=f"http://127.0.0.1:{port}", model="m")
        with pytest.raises(AppError, match="Nothing answers at"):
            remote.load(gone)
        assert remote.probe(gone).state == "unreachable"


def test_https_to_a_plain_server() -> None:
    with ReplayServer() as server, kit() as remote:
        access = ServerAccess(address=f"https://127.0.0.1:{server.port}", model="m")
        with pytest.raises(AppError) as caught:
            remote.load(access)
    assert caught.value.code == "server_tls"


def test_a_server_that_loads_is_waited_for() -> None:
    answers = [recorded("llama-server/health-503"), as_json({"data": [{"id": "m"}]})]

    def models(_asked: Asked) -> Reply:
        return answers.pop(0) if len(answers) > 1 else answers[0]

    with ReplayServer(GOOD, v1_models=models) as server, kit() as remote:
        assert remote.probe(server.access()).state == "loading"
        answers.insert(0, recorded("llama-server/health-503"))
        remote.load(server.access())
        # It loads again, for this very message.
        chats = [recorded("llama-server/health-503"), GOOD]
        server.routes["/v1/chat/completions"] = lambda _asked: chats.pop(0)
        assert remote.ask().text == "One two"
        assert chats == []


def test_no_key_goes_to_another_host() -> None:
    with ReplayServer(GOOD) as elsewhere:
        away = {"Location": f"{elsewhere.address}/v1/chat/completions"}
        with ReplayServer(Reply((), 307, headers=away)) as server, kit() as remote:
            remote.load(server.access(key=KEY))
            with pytest.raises(AppError, match="sends on to another address"):
                remote.ask()
            server.routes["/v1/models"] = Reply((), 302, headers={"Location": f"{elsewhere.address}/v1/models"})
            assert remote.probe(server.access(key=KEY)).state == "wrong"
            keys = {asked.headers.get("authorization") for asked in server.asked}
        assert elsewhere.asked == []
    assert keys == {f"Bearer {KEY}"}


def test_no_proxy_for_near_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    with ReplayServer() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.address)
        with ReplayServer(GOOD) as server, kit() as remote:
            remote.load(server.access(key=KEY))
            assert remote.ask().text == "One two"
        assert proxy.asked == []


def test_a_proxy_that_cannot_be_used_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    with kit() as remote:
        probed = remote.probe(ServerAccess(address="http://models.example.org", name="Far"))
    assert probed.state == "wrong"
    assert "proxy settings" in probed.sentence


def test_the_server_sees_a_cancel() -> None:
    """How fast is measured by `benchmarks/remote_latency.py`."""
    endless = as_stream(*[delta("x")] * 3000, pause_s=0.01)
    with ReplayServer(endless) as server, kit() as remote:
        remote.load(server.access())
        answer = remote.ask(on_event=lambda _event, cancel: cancel.set())
        until = time.monotonic() + 4
        while server.closed_at is None and time.monotonic() < until:
            time.sleep(0.01)
        assert server.closed_at is not None
        server.routes["/v1/chat/completions"] = GOOD
        assert remote.ask().text == "One two"
    assert answer.finished.reason == "cancelled"
    assert answer.text


def test_a_cancel_while_the_server_is_silent() -> None:
    with ReplayServer(as_stream(ONE, ending="hang")) as server, kit() as remote:
        remote.load(server.access())
        answer = remote.ask(on_event=lambda _event, cancel: cancel.set())
        until = time.monotonic() + 4
        while server.closed_at is None and time.monotonic() < until:
            time.sleep(0.01)
        assert server.closed_at is not None
    assert answer.finished.reason == "cancelled"


TEXTS = {
    "line separators": "a\u2028b\u0085c\u2029d",
    "astral": "\N{GRINNING FACE} \u00e4",
    "carriage return": "a\rb\r\nc",
}


@pytest.mark.parametrize("newline", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("name", sorted(TEXTS))
def test_text_arrives_as_it_is(name: str, newline: str) -> None:
    chunks = (json.dumps(delta(TEXTS[name]), ensure_ascii=False), json.dumps(delta("", "stop")))
    raw = "".join(f": ping{newline}event: x{newline}data:{chunk}{newline}{newline}" for chunk in chunks).encode()
    for pieces in ((raw,), tuple(bytes([byte]) for byte in raw)):
        with ReplayServer(Reply(pieces, 200, "text/event-stream")) as server, kit() as remote:
            remote.load(server.access())
            assert remote.ask().text == TEXTS[name]


def test_compressed_though_nobody_asked() -> None:
    raw = gzip.compress(b"".join(GOOD.pieces))
    reply = Reply((raw,), 200, "text/event-stream", {"Content-Encoding": "gzip"})
    with ReplayServer(reply) as server, kit() as remote:
        remote.load(server.access())
        assert remote.ask().text == "One two"
        assert server.chats[0].headers["accept-encoding"] == "identity"


def test_an_answer_that_is_not_streamed() -> None:
    body = {"choices": [{"message": {"content": "All at once"}, "finish_reason": "stop"}]}
    with ReplayServer(as_json(body | {"usage": {"completion_tokens": 3}})) as server, kit() as remote:
        remote.load(server.access())
        answer = remote.ask()
    assert answer.text == "All at once"
    assert answer.stats.generated_tokens == 3


def test_thoughts_stand_where_a_local_model_has_them() -> None:
    thought = {"choices": [{"delta": {"reasoning_content": "Hm."}, "finish_reason": None}]}
    with ReplayServer(as_stream(thought, thought, delta("So"), delta("", "stop"))) as server, kit() as remote:
        remote.load(server.access())
        assert remote.ask().text == "<think>\nHm.Hm.\n</think>\n\nSo"


def test_fields_a_server_does_not_know_are_left_out() -> None:
    def chat(asked: Asked) -> Reply:
        if "min_p" in asked.body:
            return as_json({"error": {"message": "Unrecognized request argument supplied: min_p"}}, 400)
        return GOOD

    with ReplayServer(chat) as server, kit() as remote:
        remote.load(server.access(kind="llama_server"))
        answer = remote.ask()
        assert len(server.chats) == 2
    assert answer.text == "One two"
    assert [notice.code for notice in answer.finished.notices] == ["server_fields"]


def test_an_unknown_server_gets_the_common_fields_only() -> None:
    with ReplayServer(GOOD) as server, kit() as remote:
        loaded = remote.load(server.access())
        remote.ask()
        sent = set(server.chats[0].body)
    assert sent == {"model", "messages", "stream", "stream_options", "temperature", "top_p", "seed", "max_tokens"}
    assert loaded.server is not None
    assert set(loaded.server.sampling) == {"top_k", "min_p", "repeat_penalty", "penalty_window"}


def test_another_model_than_asked_for_is_told() -> None:
    one, end = delta("x"), delta("", "stop")
    one["model"] = end["model"] = "another"
    models = as_json({"data": [{"id": "m", "owned_by": "llamacpp"}]})
    with ReplayServer(as_stream(one, end), v1_models=models) as server, kit() as remote:
        remote.load(server.access())
        notices = remote.ask().finished.notices
    assert [notice.code for notice in notices] == ["server_other_model"]


def test_a_conversation_id_is_never_sent() -> None:
    """With it llama-server goes on writing for a client that is gone."""
    with ReplayServer(GOOD) as server, kit() as remote:
        remote.load(server.access())
        remote.ask()
        assert not any("conversation" in name for asked in server.asked for name in asked.headers)
