"""Laws 3 and 8: an answer ends exactly where plain decoding ends it, also in the middle of an accepted draft."""

import codecs
import itertools

import pytest

from app.core.errors import UserError
from app.engine.backends.fake import FakeModel
from app.engine.detokeniser import TextStream
from tests.helpers.fakes import VOCABULARY, Steady, World, piece, twins

# --- exact cuts inside accepted drafts ----------------------------------------------------------------------------


def test_twins_accept_everything() -> None:
    answer = twins().ask([1, 2, 3], "draft_model", Steady(7), max_tokens=81)
    assert answer.stats.acceptance_rate == 1.0
    assert answer.stats.passes == 10
    assert answer.stats.tokens_per_pass == 8.1
    assert answer.sources == ("target", *(["draft_model"] * 7 + ["target"]) * 10)


@pytest.mark.parametrize("place", range(1, 18))
def test_an_end_token_inside_an_accepted_draft(place: int) -> None:
    plain = twins().ask([1, 2, 3], max_tokens=40)
    end = plain.tokens[place]
    first = plain.tokens.index(end)
    world = twins(end_tokens=frozenset({end}))
    answer = world.ask([1, 2, 3], "draft_model", Steady(7), max_tokens=40)
    assert answer.tokens == plain.tokens[: first + 1]
    assert answer.reason == "end"
    assert answer.text == text_of(plain.tokens[:first])
    assert world.target.tokens == (1, 2, 3, *plain.tokens[:first])
    assert answer.stats.generated_tokens == first + 1


@pytest.mark.parametrize("limit", range(1, 20))
def test_a_token_limit_inside_an_accepted_draft(limit: int) -> None:
    plain = twins().ask([1, 2, 3], max_tokens=40)
    world = twins()
    answer = world.ask([1, 2, 3], "draft_model", Steady(7), max_tokens=limit)
    assert answer.tokens == plain.tokens[:limit]
    assert answer.reason == "token_limit"
    # Nothing is drafted that could not be kept: every pass also adds a token of the target's own.
    assert answer.stats.accepted == answer.stats.verified == limit - 1 - answer.stats.passes


@pytest.mark.parametrize("room", range(1, 20))
def test_the_end_of_the_context_inside_an_accepted_draft(room: int) -> None:
    plain = twins().ask([1, 2, 3], max_tokens=40)
    world = twins(n_ctx=3 + room)
    answer = world.ask([1, 2, 3], "draft_model", Steady(7))
    assert answer.tokens == plain.tokens[:room]
    assert answer.reason == "context_limit"
    assert world.target.length == 3 + room - 1


@pytest.mark.parametrize("fixed_shape", [0, 8])
@pytest.mark.parametrize("place", range(1, 30))
def test_a_stop_text_inside_an_accepted_draft(place: int, fixed_shape: int) -> None:
    plain = twins().ask([1, 2, 3], max_tokens=40)
    whole = text_of(plain.tokens)
    stop = whole[place : place + 3]
    at = whole.find(stop)
    world = twins()
    answer = world.ask([1, 2, 3], "draft_model", Steady(7), max_tokens=40, stop=(stop,), fixed_shape=fixed_shape)
    assert answer.reason == "stop_string"
    assert answer.text == whole[:at]
    # The last token is the one that completed the stop text.
    assert stop in sure_text(answer.tokens)
    assert stop not in sure_text(answer.tokens[:-1])
    assert answer.tokens == plain.tokens[: len(answer.tokens)]


def test_a_stop_text_that_ends_inside_a_token_and_inside_a_character() -> None:
    # Tokens 6 and 7 are the two halves of an emoji, 10 is "User:".
    pieces = {6: b"x\xf0\x9f", 7: b"\x98\x80y", 10: b"User:"}
    assert b"".join(pieces[token] for token in (6, 7)).decode() == "x😀y"
    for stop, text in [("😀", "x"), ("x😀", ""), ("😀y", "x"), ("y", "x😀"), ("er", "x😀yUs")]:
        stream = TextStream((stop,))
        for token in (6, 7, 10):
            if stream.push(pieces[token], "draft_model"):
                break
        stream.finish()
        assert "".join(part.text for part in stream.take()) == text


def sure_text(tokens: tuple[int, ...]) -> str:
    """Without an unfinished character at the end."""
    return codecs.getincrementaldecoder("utf-8")("replace").decode(b"".join(map(piece, tokens)))


def text_of(tokens: tuple[int, ...]) -> str:
    return b"".join(map(piece, tokens)).decode("utf-8", "replace")


# --- context as a budget ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("drafter", ["off", "ngram", "draft_model", "mixed"])
@pytest.mark.parametrize("fixed_shape", [0, 33])
def test_a_thousand_tokens_do_not_fit_into_a_small_context(drafter: str, fixed_shape: int) -> None:
    for order, lookahead in itertools.product([0, 1], [1, 7, 32]):
        world = World(FakeModel(VOCABULARY, 256, seed=1, order=order))
        answer = world.ask([5, 6, 7], drafter, Steady(lookahead), max_tokens=1000, fixed_shape=fixed_shape)
        assert answer.reason == "context_limit"
        assert len(answer.tokens) == 253
        assert world.target.length == 255


def test_a_prompt_that_fills_the_context_is_refused_with_numbers() -> None:
    world = World(FakeModel(VOCABULARY, 64))
    with pytest.raises(UserError) as caught:
        world.ask([1] * 64)
    assert caught.value.sentence == "The text has 64 tokens, but the context holds 64."
    assert world.target.passes == []
    assert len(world.ask([1] * 63).tokens) == 1
