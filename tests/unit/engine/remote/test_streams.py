"""Every recorded stream gives its figures, however it is cut; streams of servers nobody recorded are made by hand."""

from typing import Any

import pytest

from app.protocol.servers import ServerKind
from tests.helpers.remote_kit import kit
from tests.helpers.replay_server import (
    CUTTINGS,
    Asked,
    Cutting,
    ReplayServer,
    Reply,
    as_json,
    as_stream,
    delta,
    recorded,
    streams,
)

KINDS: dict[str, ServerKind] = {"llama-server": "llama_server", "vllm": "vllm", "llama-cpp-python": "openai"}
COUNTS = ("prompt_tokens", "cached_tokens", "generated_tokens", "passes", "proposed", "accepted")
# Prompt, of it cached, answer, passes, proposed, accepted; None is unknown.
EXPECTED: dict[str, tuple[int | None, ...]] = {
    "llama-cpp-python/chat-stream": (None,) * 6,
    "llama-server/draft-chat-stream": (20, 0, 64, 20, 52, 44),
    "llama-server/draft-chat-stream-nousage": (20, 19, 12, 4, 8, 8),
    "llama-server/draft-chat-stream-timings-per-token": (14, 0, 16, 6, 12, 10),
    "llama-server/ngram-cache-chat-stream": (20, 0, 64, None, None, None),
    "llama-server/ngram-map-k-chat-stream": (20, 0, 64, 52, 24, 12),
    "llama-server/ngram-mod-chat-stream": (20, 0, 64, 62, 4, 2),
    "llama-server/ngram-simple-chat-stream": (20, 0, 64, 49, 28, 15),
    "llama-server/plain-chat-stream": (20, 0, 24, None, None, None),
    "llama-server/router-chat-demo": (20, 0, 48, None, None, None),
    "llama-server/router-chat-demo-draft": (20, 0, 48, 15, 40, 33),
    "vllm/draft-chat-stream": (20, 0, 64, 20, 57, 45),
    "vllm/draft-chat-stream-cont-usage": (14, 0, 24, 8, 21, 19),
    "vllm/draft-chat-stream-nousage": (None,) * 6,
    "vllm/keepalive-first-request": (10, None, 4, None, None, None),
    "vllm/ngram-chat-stream": (20, None, 48, 36, 34, 12),
    "vllm/ngram-chat-stream-short": (10, None, 4, 3, 4, 1),
    "vllm/plain-chat-stream": (20, None, 64, None, None, None),
    "vllm/plain-chat-stream-cont-usage": (14, None, 24, None, None, None),
    "vllm/plain-chat-stream-nousage": (None,) * 6,
}


def test_every_recorded_stream_is_expected() -> None:
    assert sorted(EXPECTED) == sorted(streams())


@pytest.mark.parametrize("cutting", CUTTINGS)
@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_figures_of_recorded_streams(name: str, cutting: Cutting) -> None:
    with ReplayServer(recorded(name, cutting)) as server, kit() as remote:
        remote.load(server.access(kind=KINDS[name.partition("/")[0]]))
        answer = remote.ask()
    stats = answer.stats
    known = tuple(None if name in stats.unknown else getattr(stats, name) for name in COUNTS)
    assert known == EXPECTED[name]
    assert all(stats.unknown[name] for name in COUNTS if name in stats.unknown)
    assert "verified" in stats.unknown
    assert stats.acceptance_rate == (stats.accepted / stats.proposed if stats.proposed else None)
    assert answer.text
    assert answer.finished.reason == "token_limit"
    assert answer.finished.speculation.state == ("active" if stats.proposed else "idle")


@pytest.mark.parametrize("cutting", CUTTINGS)
def test_the_text_does_not_depend_on_cuttings_or_drafters(cutting: Cutting) -> None:
    texts = set()
    for name in ("llama-server/draft-chat-stream", "llama-server/ngram-mod-chat-stream", "vllm/draft-chat-stream"):
        with ReplayServer(recorded(name, cutting)) as server, kit() as remote:
            remote.load(server.access())
            texts.add(remote.ask().text)
    assert len(texts) == 1


def test_vllm_counts_accepted_tokens_beyond_the_limit() -> None:
    """24 tokens, 19 of them "accepted" in 7 rounds after the first pass: fewer than 8 passes are impossible."""
    with ReplayServer(recorded("vllm/draft-chat-stream-cont-usage")) as server, kit() as remote:
        remote.load(server.access(kind="vllm"))
        stats = remote.ask().stats
    assert stats.tokens_per_pass == pytest.approx(3.0)
    assert stats.accepted_by_position == (7, 6, 6)
    assert stats.verified_by_position == (7, 7, 7)


def test_vllm_mean_acceptance_length_is_not_tokens_per_pass() -> None:
    """It says 2.33, of the rounds that drafted; all passes together made 1.33 tokens each."""
    with ReplayServer(recorded("vllm/ngram-chat-stream")) as server, kit() as remote:
        remote.load(server.access(kind="vllm"))
        stats = remote.ask().stats
    assert stats.tokens_per_pass == pytest.approx(1.333, abs=0.001)


def test_vllm_with_no_proposals_has_no_rate() -> None:
    spec = {"mean_acceptance_length": 1.0, "draft_acceptance_rate": 0.0, "num_spec_steps": 0, "num_spec_tokens": 4}
    spec |= {"num_accepted_draft_tokens": 0, "num_draft_tokens": 0, "acceptance_histogram": [0, 0, 0, 0, 0]}
    end = {"choices": [], "usage": {"prompt_tokens": 14, "completion_tokens": 40}}
    stream = as_stream(delta("Some text"), delta("", "length"), end | {"metrics": {"speculative_decoding": spec}})
    with ReplayServer(stream) as server, kit() as remote:
        remote.load(server.access(kind="vllm"))
        finished = remote.ask().finished
    assert (finished.stats.proposed, finished.stats.accepted) == (0, 0)
    assert "proposed" not in finished.stats.unknown
    assert finished.stats.acceptance_rate is None
    assert finished.speculation.state == "idle"


def test_earlier_builds_of_vllm_have_their_figures_elsewhere() -> None:
    spec = {"num_spec_steps": 19, "num_accepted_draft_tokens": 45, "num_draft_tokens": 57, "num_spec_tokens": 3}
    spec["acceptance_histogram"] = {"0": 2, "1": 3, "3": 14}  # type: ignore[assignment]
    last = delta("x", "length")
    last["choices"][0]["speculative_decoding_stats"] = spec
    usage = {"choices": [], "usage": {"prompt_tokens": 20, "completion_tokens": 64}}
    with ReplayServer(as_stream(delta("x"), last, usage)) as server, kit() as remote:
        remote.load(server.access(kind="vllm"))
        stats = remote.ask().stats
    assert (stats.passes, stats.proposed, stats.accepted) == (20, 57, 45)
    assert stats.accepted_by_position == (17, 14, 14)


def test_ink_of_llama_server_counts_what_was_accepted() -> None:
    """Only where the server says what drafts: else the ink would have to guess."""
    name = "llama-server/draft-chat-stream-timings-per-token"
    args = ["--model", "t.gguf", "--model-draft", "d.gguf", "--spec-type", "draft-simple"]
    row = {"id": "m", "owned_by": "llamacpp", "status": {"args": args}}
    with ReplayServer(recorded(name), v1_models=as_json({"data": [row]})) as server, kit() as remote:
        remote.load(server.access())
        answer = remote.ask()
    assert answer.sources.count("draft_model") == answer.stats.accepted == 10
    assert len(answer.sources) == answer.stats.generated_tokens == 16


def test_a_single_token_has_no_speed() -> None:
    timings = {"cache_n": 0, "prompt_n": 5, "predicted_n": 1, "predicted_ms": 0.001, "predicted_per_second": 0.0}
    with ReplayServer(as_stream(delta("x"), delta(None, "length", timings=timings))) as server, kit() as remote:
        remote.load(server.access(kind="llama_server"))
        stats = remote.ask().stats
    assert stats.generated_tokens == 1
    assert stats.speed is None


def test_a_server_that_is_known_not_to_speculate_took_a_pass_a_token() -> None:
    slots = as_json([{"id": 0, "speculative": False}])
    models = as_json({"data": [{"id": "m", "owned_by": "llamacpp"}]})
    stream = recorded("llama-server/plain-chat-stream")
    with ReplayServer(stream, v1_models=models, slots=slots) as server, kit() as remote:
        assert remote.load(server.access()).server.speculation == "off"  # type: ignore[union-attr]
        finished = remote.ask().finished
    assert finished.speculation.state == "off"
    assert (finished.stats.passes, finished.stats.proposed) == (24, 0)


# --- made by hand from documentation, until somebody records real ones --------------------------------------------


def _strict(allowed: set[str], stream: Reply) -> Any:
    def answer(asked: Asked) -> Reply:
        strange = asked.body.keys() - allowed
        words = {"object": "error", "message": f"Extra inputs are not permitted: {sorted(strange)}", "code": 400}
        return as_json(words, 400) if strange else stream

    return answer


def test_tensorrt_llm_made_by_hand() -> None:
    first, last = delta("Two words"), delta(" more", "length")
    last["choices"][0]["avg_decoded_tokens_per_iter"] = 3.2
    usage = {"choices": [], "usage": {"prompt_tokens": 20, "completion_tokens": 64}}
    allowed = {"model", "messages", "stream", "stream_options", "temperature", "top_p", "seed", "max_tokens", "stop"}
    allowed |= {"top_k", "min_p", "repetition_penalty", "presence_penalty", "frequency_penalty"}
    chat = _strict(allowed, as_stream(first, last, usage, "[DONE]"))
    models = as_json({"data": [{"id": "m", "owned_by": "tensorrt_llm"}]})
    with ReplayServer(chat, v1_models=models) as server, kit() as remote:
        loaded = remote.load(server.access())
        finished = remote.ask().finished
        paths = {asked.path for asked in server.asked}
    assert loaded.server is not None
    assert loaded.server.kind == "tensorrt_llm"
    assert finished.notices == ()
    assert finished.stats.tokens_per_pass == pytest.approx(3.2)
    assert {"proposed", "accepted"} <= finished.stats.unknown.keys()
    assert finished.stats.acceptance_rate is None
    assert finished.speculation.state == "active"
    assert "/metrics" not in paths  # reading it would take the figures from its owner


def test_sglang_made_by_hand() -> None:
    last = delta("text", "stop")
    last["choices"][0]["meta_info"] = {
        "spec_verify_ct": 19,
        "spec_accept_token_num": 45,
        "spec_draft_token_num": 57,
    }
    usage = {"choices": [], "usage": {"prompt_tokens": 20, "completion_tokens": 64}}
    models = as_json({"data": [{"id": "m", "owned_by": "sglang", "max_model_len": 4096}]})
    with ReplayServer(as_stream(last, usage), v1_models=models) as server, kit() as remote:
        loaded = remote.load(server.access())
        stats = remote.ask().stats
        sent = server.chats[0].body
    assert loaded.context == 4096
    assert sent["return_meta_info"] is True
    assert (stats.passes, stats.proposed, stats.accepted) == (20, 57, 45)


@pytest.mark.parametrize("drafter", ["off", "mixed"])
def test_lm_studio_made_by_hand(drafter: str) -> None:
    """The one server where a request names its draft model."""
    stats = {"generation_time": 2.0, "draft_model": "small", "total_draft_tokens_count": 60}
    stats |= {
        "accepted_draft_tokens_count": 45,
        "rejected_draft_tokens_count": 12,
        "ignored_draft_tokens_count": 3,
    }
    end = {"choices": [], "usage": {"prompt_tokens": 20, "completion_tokens": 64}}
    stream = as_stream(delta("text"), delta("", "stop"), end | ({"stats": stats} if drafter != "off" else {}))
    studio = as_json({"data": [{"id": "m", "type": "llm", "max_context_length": 8192}]})
    with ReplayServer(stream, api_v0_models=studio) as server, kit() as remote:
        loaded = remote.load(server.access(draft="small"))
        finished = remote.ask(drafter=drafter).finished
        sent = server.chats[0]
    assert loaded.server is not None
    assert loaded.server.kind == "lm_studio"
    assert loaded.server.can_switch
    assert sent.path == "/api/v0/chat/completions"
    if drafter == "off":
        assert "draft_model" not in sent.body
        assert finished.speculation.state == "off"
        return
    assert sent.body["draft_model"] == "small"
    assert finished.stats.acceptance_rate == pytest.approx(45 / 57)
    assert finished.stats.speed == pytest.approx(31.5)
    assert finished.stats.passes == 19
