"""Every message survives the wire, and nothing else gets through."""

import dataclasses
import json
import types
import typing
from typing import Any, Literal, Union

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.plain import hints
from app.protocol.codec import MAX_LINE_BYTES, ProtocolError, decode, encode
from app.protocol.messages import (
    KINDS,
    PROTOCOL_VERSION,
    Delta,
    Generate,
    Hello,
    Load,
    Loaded,
    Message,
    Piece,
    Stats,
)
from app.protocol.stats import CostCurve, GenerationStats, SpeculationState

# File names may hold bytes that are no text, as lone low surrogates; high ones occur nowhere.
texts = st.text(
    st.one_of(
        st.characters(exclude_categories=("Cs",)),
        st.characters(min_codepoint=0xDC80, max_codepoint=0xDCFF),
        st.sampled_from('\u2028\u2029\x00\n\r"\\\x7f\u0085'),
    )
)


def values(hint: Any) -> st.SearchStrategy[Any]:
    """Any value of a field's type."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (Union, types.UnionType):
        return st.one_of(*map(values, arguments))
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin is tuple:
        return st.lists(values(arguments[0]), max_size=3).map(tuple)
    if origin is dict:
        return st.dictionaries(texts, values(arguments[1]), max_size=3)
    if dataclasses.is_dataclass(hint):
        return st.builds(hint, **{name: values(of) for name, of in hints(typing.cast("type", hint)).items()})
    return {
        str: texts,
        int: st.integers(),
        bool: st.booleans(),
        float: st.floats(allow_nan=False, allow_infinity=False),
        types.NoneType: st.none(),
    }[hint]


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(max_examples=60)
def test_every_message_comes_back_equal(kind: str, data: st.DataObject) -> None:
    message: Message = data.draw(values(KINDS[kind]))
    line = encode(message)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert line.isascii()
    assert b"\r" not in line
    assert json.loads(line)["kind"] == kind
    assert decode(line) == decode(line.rstrip(b"\n")) == message


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(max_examples=10)
def test_fields_of_a_newer_version_are_ignored(kind: str, data: st.DataObject) -> None:
    message: Message = data.draw(values(KINDS[kind]))
    body = json.loads(encode(message))
    body["of_the_future"] = {"a": [1, None]}
    assert decode(json.dumps(body).encode()) == message


@pytest.mark.parametrize("kind", KINDS)
def test_required_fields_are_required(kind: str) -> None:
    required = [
        field.name
        for field in dataclasses.fields(KINDS[kind])
        if field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
    ]
    line = json.dumps({"kind": kind}).encode()
    if not required:
        assert isinstance(decode(line), KINDS[kind])
        return
    with pytest.raises(ProtocolError) as caught:
        decode(line)
    assert str(caught.value) == f"{kind}: missing {', '.join(sorted(required))}"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"", "not JSON"),
        (b"\n", "not JSON"),
        (b"hello", "not JSON"),
        (b"{", "not JSON"),
        (b'{"kind": "cancel", "id": "1"} {}', "not JSON"),
        (b"\xff\xfe\xfd", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"kind": "generate", "id": "1", "prompt": NaN}', "NaN is not JSON"),
        (b'{"kind": "generate", "id": "1", "sampling": {"temperature": Infinity}}', "Infinity is not JSON"),
        (b'{"kind": "progress", "id": "a", "stage": "prefill", "total": 1, "done": ' + b"9" * 5000 + b"}", "not JSON"),
        (b"[]", "not an object"),
        (b"null", "not an object"),
        (b'"cancel"', "not an object"),
        (b"{}", "unknown kind None"),
        (b'{"kind": "reboot"}', "unknown kind 'reboot'"),
        (b'{"kind": ["cancel"]}', "unknown kind"),
        (b'{"kind": "cancel", "id": 7}', "cancel.id: 7 is not str"),
        (b'{"kind": "cancel", "id": null}', "cancel.id: None is not str"),
        (b'{"kind": "hello", "version": true}', "hello.version: True is not int"),
        (b'{"kind": "hello", "version": 1.0}', "hello.version: 1.0 is not int"),
        (b'{"kind": "load", "id": "1", "target": "t", "gpu_layers": "most"}', "load.gpu_layers: 'most' has the wrong"),
        (b'{"kind": "generate", "id": "1", "turns": {}}', "generate.turns: not a list"),
        (b'{"kind": "generate", "id": "1", "turns": ["hi"]}', "generate.turns: not an object"),
        (b'{"kind": "generate", "id": "1", "turns": [{"role": "king", "content": ""}]}', "is not one of"),
        (b'{"kind": "generate", "id": "1", "sampling": {"temperature": "hot"}}', "temperature: 'hot' is not float"),
        (b'{"kind": "generate", "id": "1", "sampling": {"temperature": 1e999}}', "temperature: inf is not float"),
        (b'{"kind": "generate", "id": "1", "sampling": {"top_k": false}}', "top_k: False is not int"),
        (b'{"kind": "generate", "id": "1", "limits": {"stop": "a"}}', "stop: not a list"),
    ],
)
def test_what_is_no_message_is_refused_with_a_reason(line: bytes, why: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        decode(line)
    assert why in str(caught.value)
    assert len(str(caught.value)) < 300


@given(line=st.one_of(st.binary(), st.text().map(str.encode)))
@settings(max_examples=200)
def test_garbage_is_never_more_than_a_protocol_error(line: bytes) -> None:
    with pytest.raises(ProtocolError):
        decode(line)


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=6,
)


@given(kind=st.sampled_from(list(KINDS)), data=st.data())
@settings(max_examples=300)
def test_fields_of_any_type_give_a_message_or_a_protocol_error(kind: str, data: st.DataObject) -> None:
    names = [field.name for field in dataclasses.fields(KINDS[kind])]
    body = {name: data.draw(json_values) for name in names if data.draw(st.booleans())}
    try:
        message = decode(json.dumps({**body, "kind": kind}).encode())
    except ProtocolError:
        return
    assert isinstance(message, KINDS[kind])
    assert decode(encode(message)) == message


def test_a_line_has_a_limit() -> None:
    with pytest.raises(ProtocolError, match="over the limit"):
        decode(b" " * (MAX_LINE_BYTES + 1))


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_json_does_not_know_are_not_sent(number: float) -> None:
    message = Stats(id="1", stats=GenerationStats(decode_ms=number), speculation=SpeculationState())
    with pytest.raises(ProtocolError, match="cannot encode stats"):
        encode(message)


def test_a_long_conversation_survives() -> None:
    text = "ä" * 1_000_000
    message = Delta(
        id="1", pieces=(Piece(text=text, source="target"),), tokens=(1,) * 10_000, sources=("ngram",) * 10_000
    )
    assert decode(encode(message)) == message


def test_defaults_are_those_of_the_messages() -> None:
    assert decode(b'{"kind": "hello"}') == Hello(version=PROTOCOL_VERSION)
    assert decode(b'{"kind": "load", "id": "1", "target": "t"}') == Load(id="1", target="t")
    assert decode(b'{"kind": "generate", "id": "1"}') == Generate(id="1")
    assert {field.name: field.default_factory for field in dataclasses.fields(Loaded)}["costs"] is CostCurve
