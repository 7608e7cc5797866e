"""What is found at an address, and which position of the switch a message goes to."""

import pytest

from app.core.errors import AppError, UserError
from app.core.server_address import parse
from app.protocol.servers import ServerAccess
from tests.helpers.remote_kit import kit
from tests.helpers.replay_server import ReplayServer, as_json, recorded

ROUTER = "llama-server/router-models"


def test_llama_server_says_in_its_slots_whether_it_drafts() -> None:
    routes = {"v1_models": recorded("llama-server/draft-models"), "slots": recorded("llama-server/draft-slots-idle")}
    with ReplayServer(**routes) as server, kit() as remote:
        probed = remote.probe(server.access())
    assert probed.sentence == "llama-server is ready with 1 model; speculation is on."
    assert probed.models[0].context == 2048


def test_vllm_says_it_in_its_counters() -> None:
    models, metrics = recorded("vllm/draft-models"), recorded("vllm/draft-metrics-after")
    with ReplayServer(v1_models=models, metrics=metrics) as server, kit() as remote:
        probed = remote.probe(server.access(key="k"))
        assert probed.models[0].speculation == "on"
        assert "/metrics" in probed.hint
        server.routes["/metrics"] = recorded("vllm/plain-metrics-after")
        assert remote.probe(server.access()).models[0].speculation == "off"
        server.routes["/health"] = as_json({}, 503)
        assert remote.probe(server.access()).state == "dead"


def test_a_router_has_both_positions_of_the_switch() -> None:
    chats = {
        "demo": recorded("llama-server/router-chat-demo"),
        "demo+draft": recorded("llama-server/router-chat-demo-draft"),
    }
    with ReplayServer(lambda asked: chats[asked.body["model"]], v1_models=recorded(ROUTER)) as server, kit() as remote:
        probed = remote.probe(server.access())
        assert [(m.id, m.speculation, m.twin, m.context) for m in probed.models] == [
            ("demo", "off", "demo+draft", 2048),
            ("demo+draft", "on", "demo", 2048),
        ]
        for chosen in chats:
            loaded = remote.load(server.access(chosen))
            assert loaded.server is not None
            assert loaded.server.can_switch
            assert loaded.server.drafter == "draft_model"
            with_drafts = remote.ask(drafter="mixed").finished
            without = remote.ask(drafter="off").finished
            assert (with_drafts.speculation.state, with_drafts.stats.accepted) == ("active", 33)
            assert (without.speculation.state, without.stats.passes) == ("off", 48)
        remote.load(server.access("demo", exact=True))
        assert remote.ask(drafter="mixed").finished.speculation.state == "off"


def test_paths_of_a_router_stay_there() -> None:
    with ReplayServer(v1_models=recorded(ROUTER)) as server, kit() as remote:
        assert ".gguf" not in repr(remote.probe(server.access()))


def test_two_linked_connections_are_a_switch() -> None:
    slots = as_json([{"speculative": True}])
    models = recorded("llama-server/draft-models")
    plain_chat, draft_chat = recorded("llama-server/plain-chat-stream"), recorded("llama-server/draft-chat-stream")
    off = as_json([{"speculative": False}])
    with (
        ReplayServer(plain_chat, v1_models=models, slots=off) as plain,
        ReplayServer(draft_chat, v1_models=models, slots=slots) as drafting,
        kit() as remote,
    ):
        for one, two in ((plain, drafting), (drafting, plain)):
            loaded = remote.load(one.access("outpace-demo"), two.access("outpace-demo"))
            assert loaded.server is not None
            assert loaded.server.can_switch
            assert remote.ask(drafter="mixed").stats.accepted == 44
            assert remote.ask(drafter="off").stats.generated_tokens == 24


def test_a_wrong_kind_does_not_break_the_chat() -> None:
    with ReplayServer(recorded("vllm/draft-chat-stream")) as server, kit() as remote:
        for kind in ("llama_server", "sglang", "tensorrt_llm", "openai", "lm_studio"):
            remote.load(server.access(kind=kind))  # type: ignore[arg-type]
            assert remote.ask().text.startswith("Here is the table")


def test_figures_are_recognised_behind_a_proxy() -> None:
    with ReplayServer(recorded("vllm/draft-chat-stream")) as server, kit() as remote:
        loaded = remote.load(server.access())
        assert loaded.server is not None
        assert loaded.server.kind == "openai"
        assert remote.ask().stats.accepted == 45


@pytest.mark.parametrize(
    ("text", "base"),
    [
        ("127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://box/v1/", "http://box:80"),
        ("models.example.org", "https://models.example.org:443"),
        ("https://example.org/llm/v1", "https://example.org:443/llm"),
        ("http://[::1]:8080", "http://[::1]:8080"),
        (" gpu.local:9000 ", "http://gpu.local:9000"),
    ],
)
def test_addresses(text: str, base: str) -> None:
    assert parse(text).base == base


@pytest.mark.parametrize(
    "text", ["", "http://", "ftp://box", "http://a b", "http://box:99999", "http://box?x=1", "http://u:p@box", "h\nx"]
)
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(UserError):
        parse(text)


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        ("http://192.168.1.5", False),
        ("http://127.0.0.1", False),
        ("http://box", False),
        ("http://10.1.2.3:80", False),
        ("http://8.8.8.8", True),
        ("http://models.example.org", True),
        ("https://models.example.org", False),
    ],
)
def test_where_others_can_read_along(text: str, is_open: bool) -> None:
    assert parse(text).is_open is is_open


def test_a_key_is_not_shown_by_accident() -> None:
    assert "hush" not in repr(ServerAccess(address="x", key="hush"))


def test_an_address_that_is_none() -> None:
    with kit() as remote:
        assert remote.probe(ServerAccess(address="not an address")).state == "wrong"
        with pytest.raises(AppError):
            remote.load(ServerAccess(address="://", model="m"))
