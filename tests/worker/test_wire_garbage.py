"""Lines that are no requests: each gets an answer, and the engine goes on."""

import json

import pytest

from app.protocol.codec import encode
from app.protocol.messages import PROTOCOL_VERSION, Delta, Failed, Finished, Generate, Progress
from app.protocol.options import LimitOptions, SamplingOptions
from tests.helpers.engine_process import Engine, question

NOT_A_REQUEST = {
    "text": b"hello there",
    "half an object": b'{"kind":"load","id":',
    "two objects": b'{"kind":"shutdown"}{"kind":"shutdown"}',
    "a number": b"17",
    "null": b"null",
    "a list": b'["load"]',
    "no kind": b'{"id":"a"}',
    "an unknown kind": b'{"kind":"explode","id":"a"}',
    "a kind that is no text": b'{"kind":{"kind":"load"},"id":"a"}',
    "no id": b'{"kind":"generate","prompt":"Hello"}',
    "a number as id": b'{"kind":"unload","id":7}',
    "a text as number": b'{"kind":"load","id":"a","target":"t","context":"big"}',
    "a fraction as number of tokens": b'{"kind":"load","id":"a","target":"t","context":0.5}',
    "a yes as number": b'{"kind":"load","id":"a","target":"t","threads":true}',
    "a word as gpu layers": b'{"kind":"load","id":"a","target":"t","gpu_layers":"all"}',
    "turns that are no list": b'{"kind":"generate","id":"a","turns":{"role":"user","content":"x"}}',
    "an unknown role": b'{"kind":"generate","id":"a","turns":[{"role":"root","content":"x"}]}',
    "sampling that is no object": b'{"kind":"generate","id":"a","prompt":"x","sampling":1}',
    "not a number": b'{"kind":"generate","id":"a","prompt":"x","sampling":{"temperature":NaN}}',
    "infinity": b'{"kind":"generate","id":"a","prompt":"x","sampling":{"temperature":Infinity}}',
    "beyond any float": b'{"kind":"generate","id":"a","prompt":"x","sampling":{"temperature":1e999}}',
    "a number of 5,000 digits": b'{"kind":"generate","id":"a","prompt":"x","sampling":{"seed":' + b"9" * 5000 + b"}}",
    "an unknown drafter": b'{"kind":"generate","id":"a","prompt":"x","speculation":{"drafter":"magic"}}',
    "NUL bytes": b"\0\0\0\0\0\0\0\0",
    "bytes that are no text": bytes(range(128, 256)),
    "UTF-16": '{"kind":"unload","id":"a"}'.encode("utf-16")[:-1],
    "a megabyte of one letter": b"x" * 1_000_000,
    "a megabyte of kind": b'{"kind":"' + b"x" * 1_000_000 + b'"}',
    "deep lists": b"[" * 100_000 + b"]" * 100_000,
    "deep objects": b'{"a":' * 100_000,
}


@pytest.mark.parametrize("line", NOT_A_REQUEST.values(), ids=NOT_A_REQUEST.keys())
def test_a_line_that_is_no_request_is_answered(process: Engine, line: bytes) -> None:
    process.logs.clear()
    process.send_bytes(line + b"\n")
    failed = process.next(Failed)
    assert (failed.id, failed.code) == ("", "protocol")
    assert failed.sentence == "The engine got a line it does not understand."
    assert 0 < len(failed.detail) < 500
    # It is also in the window's log, at a length one can read.
    assert len(process.logs) == 1
    assert process.logs[0].level == "warning"
    assert len(process.logs[0].text) < 500


def test_nesting_at_every_depth_around_the_limit(process: Engine) -> None:
    for depth in range(950, 1010):
        process.send_bytes(b'{"kind":"load","id":"a","target":' + b"[" * depth + b"]" * depth + b"}\n")
        assert process.next(Failed).code == "protocol", depth


def test_numbers_no_integer_type_holds_are_silly_numbers(process: Engine) -> None:
    huge = 10**400
    process.send(
        Generate(id="huge", prompt="x", sampling=SamplingOptions(top_k=huge), limits=LimitOptions(max_tokens=huge))
    )
    failed = process.answer("huge").failed
    assert (failed.code, failed.hint) == ("bad_option", "It must be from 0 to 1,000,000.")


def test_an_event_is_not_a_request(process: Engine) -> None:
    process.send(Progress(id="a", stage="prefill", done=1, total=2))  # type: ignore[arg-type]
    failed = process.next(Failed)
    assert failed.sentence == "The engine does not take Progress messages."


def test_empty_lines_and_windows_line_ends_are_fine(process: Engine) -> None:
    request = question("Hello", max_tokens=2)
    process.send_bytes(b"\n\r\n   \n\t\n" + encode(request).replace(b"\n", b"\r\n") + b"\r\n")
    assert process.answer(request.id).finished.reason == "token_limit"


def test_unknown_fields_are_ignored(process: Engine) -> None:
    body = {"kind": "generate", "id": "later", "prompt": "x = ", "limits": {"max_tokens": 1, "mood": "good"}, "v": [1]}
    process.send_bytes(json.dumps(body).encode() + b"\n")
    assert len(process.answer("later").tokens) == 1


def test_a_request_in_many_small_writes(process: Engine) -> None:
    request = question("Hello", max_tokens=2)
    for byte in encode(request):
        process.send_bytes(bytes([byte]))
    assert len(process.answer(request.id).tokens) == 2


def test_half_a_line_and_then_the_end() -> None:
    with Engine() as engine:
        engine.send_bytes(b'{"kind":"hello","version":%d}\n{"kind":"generate","id' % PROTOCOL_VERSION)
        engine.close_stdin()
        # The half line is no request: it is answered as such, and then the process goes.
        assert engine.next(Failed).code == "protocol"
        assert engine.expect_end(3) == 0


def test_garbage_during_an_answer_does_not_disturb_it(process: Engine) -> None:
    request = question("Count to ten.", max_tokens=60, drafter="mixed", temperature=0.0, fixed_shape=5)
    process.send(request)
    undisturbed = process.answer(request.id)
    process.send(request)
    process.send_bytes(b"garbage\n" * 20)
    tokens: list[int] = []
    complaints = 0
    ended = False
    while complaints < 20 or not ended:
        event = process.next_at()[1]
        complaints += isinstance(event, Failed)
        ended |= isinstance(event, Finished)
        if isinstance(event, Delta):
            tokens.extend(event.tokens)
    assert tokens == undisturbed.tokens
