"""What `TokenModel` promises, of the real thing and of the fake."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from app.core.errors import CancelledByUser, EngineFault
from app.engine.backends.fake import SPARE, ContractError, Failure, FakeModel
from app.engine.backends.llamacpp import ROWS, Context, Weights
from app.engine.cancel import CancelFlag
from app.engine.ports import TokenModel

N_CTX = 128


@pytest.fixture(scope="module")
def weights(demo_target: Path) -> Iterator[Weights]:
    loaded = Weights(demo_target, 0, lambda _share: None, CancelFlag())
    yield loaded
    loaded.close()


@pytest.fixture(scope="module")
def native(weights: Weights) -> Iterator[Context]:
    context = Context(weights, N_CTX, 1)
    yield context
    context.close()


@pytest.fixture(params=["fake", "native"])
def model(request: pytest.FixtureRequest) -> TokenModel:
    if request.param == "fake":
        return FakeModel(4096, N_CTX, order=0)
    context: Context = request.getfixturevalue("native")
    context.watch(CancelFlag())
    context.clear()
    return context


def best(model: TokenModel, row: int = -1) -> int:
    return int(model.logits(row).argmax())


TEXT = [10, 20, 30, 40, 50, 60, 70]


def test_facts(model: TokenModel) -> None:
    assert (model.n_ctx, model.n_vocab, model.length, model.can_truncate) == (N_CTX, 4096, 0, True)


def test_every_row_is_a_prediction_after_that_row(model: TokenModel) -> None:
    model.decode(TEXT, every_row=True)
    assert model.length == len(TEXT)
    rows = [model.logits(row).copy() for row in range(len(TEXT))]
    assert all(row.shape == (4096,) and row.dtype == np.float32 for row in rows)
    assert (model.logits(-1) == rows[-1]).all()
    for end in range(1, len(TEXT) + 1):
        model.clear()
        model.decode(TEXT[:end])
        # Another shape of the pass rounds differently, no more.
        assert np.abs(model.logits(-1) - rows[end - 1]).max() < 0.05


def test_a_cut_forgets_and_nothing_else(model: TokenModel) -> None:
    model.decode(TEXT)
    model.decode([1, 2, 3])
    model.truncate(len(TEXT))
    assert model.length == len(TEXT)
    model.decode([80])
    after_cut = model.logits(-1).copy()
    model.clear()
    assert model.length == 0
    model.decode(TEXT)
    model.decode([80])
    assert np.array_equal(model.logits(-1), after_cut)
    model.truncate(0)
    assert model.length == 0
    model.decode([80])
    assert not np.array_equal(model.logits(-1), after_cut)


def test_what_was_cut_off_leaves_no_trace_in_padded_passes(model: TokenModel) -> None:
    """Fixed shapes write padding into the cache and cut it off again."""
    model.decode(TEXT)
    plain = []
    for token in (80, 90, 100):
        model.decode([token] * 8, every_row=True)
        plain.append(model.logits(0).copy())
        model.truncate(model.length - 7)
    model.truncate(len(TEXT))
    model.decode([80, 90, 100, *[100] * 5], every_row=True)
    for row in range(3):
        assert np.array_equal(model.logits(row), plain[row])


def test_the_cache_holds_spare_tokens_and_not_one_more(model: TokenModel) -> None:
    for start in range(0, N_CTX, 32):
        model.decode([5] * min(32, N_CTX - start))
    model.decode([5] * SPARE, every_row=True)
    assert model.length == N_CTX + SPARE
    with pytest.raises((EngineFault, ContractError)):
        model.decode([5])
    assert model.length == N_CTX + SPARE
    model.truncate(3)
    model.decode([5])
    assert model.length == 4


def test_too_many_rows_are_refused(model: TokenModel) -> None:
    with pytest.raises((EngineFault, ContractError)):
        model.decode([5] * (ROWS + 1), every_row=True)
    assert model.length == 0
    model.decode([5] * ROWS, every_row=True)
    assert model.logits(ROWS - 1).shape == (4096,)


def test_the_real_one_stops_when_it_is_told_to(native: Context) -> None:
    flag = CancelFlag()
    native.clear()
    native.watch(flag)
    native.decode(TEXT)
    flag.set()
    with pytest.raises(CancelledByUser):
        native.decode([80] * 20)
    assert native.length == len(TEXT)
    native.watch(CancelFlag())
    native.decode([80])
    after = native.logits(-1).copy()
    native.clear()
    native.decode(TEXT)
    native.decode([80])
    assert np.array_equal(native.logits(-1), after)


def test_a_file_may_name_an_ordinary_token_as_its_end(demo_target: Path, tmp_path: Path) -> None:
    from tests.helpers import gguf_kit

    changed = gguf_kit.load(demo_target)
    changed.number("tokenizer.ggml.eos_token_id", 77)
    changed.flag("tokenizer.ggml.add_eos_token", value=True)
    changed.flag("tokenizer.ggml.add_bos_token", value=True)
    odd = Weights(changed.write(tmp_path / "odd.gguf"), 0, lambda _share: None, CancelFlag())
    try:
        assert 77 in odd.end_tokens
        # The prompt is not closed with the end token, although the file asks for it.
        assert odd.tokenise("hello", specials=True, add_bos=True)[0] == odd.bos
        assert odd.tokenise("hello", specials=True, add_bos=True)[-1] != 77
    finally:
        odd.close()


def test_user_defined_tokens_are_no_control_tokens(demo_target: Path, tmp_path: Path) -> None:
    from tests.helpers import gguf_kit

    changed = gguf_kit.load(demo_target)
    changed.facts["tokenizer.ggml.token_type"].value[1] = 4
    odd = Weights(changed.write(tmp_path / "odd.gguf"), 0, lambda _share: None, CancelFlag())
    try:
        assert "<|im_start|>" not in odd.special_texts
        assert "<|im_end|>" in odd.special_texts
        text = "a<|im_start|>b"
        assert odd.tokenise(text, specials=False, add_bos=False) == odd.tokenise(text, specials=True, add_bos=False)
    finally:
        odd.close()


# --- what the fake watches ----------------------------------------------------------------------------------------


def test_the_fake_says_the_same_for_the_same_context_only() -> None:
    one, two = FakeModel(50, 100), FakeModel(50, 100)
    one.decode([1, 2, 3], every_row=True)
    two.decode([1])
    two.decode([2, 3])
    assert np.array_equal(one.logits(-1), two.logits(-1))
    assert np.array_equal(one.scores([1, 2, 3]), one.logits(2))
    two.truncate(1)
    two.decode([9, 3])
    assert not np.array_equal(one.logits(-1), two.logits(-1))
    other = FakeModel(50, 100, seed=1)
    assert not np.array_equal(one.scores([1]), other.scores([1]))
    alike, unlike = FakeModel(50, 100, unlike=0.1), FakeModel(50, 100, unlike=50.0)
    contexts = [[at, at + 1] for at in range(40)]
    agree = [sum(one.scores(c).argmax() == draft.scores(c).argmax() for c in contexts) for draft in (alike, unlike)]
    assert agree[0] > 30 > 10 > agree[1]
    short = FakeModel(50, 100, order=2)
    assert np.array_equal(short.scores([1, 2, 3]), short.scores([7, 2, 3]))
    short.decode([1, 2, 3])
    assert np.array_equal(short.scores([2, 3]), short.logits(-1))


def test_the_fake_notices_misuse() -> None:
    def breach(action: object) -> str:
        with pytest.raises(ContractError) as caught:
            action()  # type: ignore[operator]
        return str(caught.value)

    model = FakeModel(10, 8)
    assert breach(lambda: model.logits(-1)) == "logits without a pass before"
    assert breach(lambda: model.decode([])) == "an empty pass"
    assert breach(lambda: model.decode([1, 10, -1])) == "tokens outside of the vocabulary: [10, -1]"
    model.decode([1, 2, 3])
    assert breach(lambda: model.logits(0)) == "row 0 of a pass that computed the last row only"
    assert breach(lambda: model.truncate(4)) == "a cut to 4 of 3 tokens"
    assert breach(lambda: model.truncate(-1)) == "a cut to -1 of 3 tokens"
    model.decode([4, 5], every_row=True)
    assert breach(lambda: model.logits(2)) == "row 2 of 2"
    assert breach(lambda: model.decode([1] * 37)) == "5 + 37 tokens in a context of 8"
    assert len(model.violations) == 8
    stale = model.logits(0)
    with pytest.raises(ValueError, match="read-only"):
        stale[0] = 1.0
    model.decode([6])
    assert np.isnan(stale).all()
    model.clear()
    assert breach(lambda: model.logits(-1)) == "logits without a pass before"


def test_the_fake_fails_on_request() -> None:
    model = FakeModel(10, 20)
    error = EngineFault("x", "x")
    model.fail = lambda number: Failure(error, 2) if number == 1 else None
    model.decode([1])
    with pytest.raises(EngineFault):
        model.decode([2, 3, 4])
    assert model.tokens == (1, 2)
    with pytest.raises(ContractError):
        model.logits(-1)


def test_the_fake_may_keep_a_state() -> None:
    model = FakeModel(50, 100, keeps_state=True)
    model.decode([1, 2, 3])
    model.mark()
    model.decode([4])
    model.decode([5, 6, 7], every_row=True)
    model.truncate(5)
    assert (model.length, model.owed) == (5, 1)  # back to before the last pass
    model.decode([8])
    assert model.passes[-1] == (5, 8)
    assert model.owed == 0
    plain = FakeModel(50, 100)
    plain.decode([1, 2, 3, 4, 5, 8])
    assert np.array_equal(model.logits(-1), plain.logits(-1))
    model.truncate(4)
    assert (model.length, model.owed) == (4, 1)  # back to the mark
    model.truncate(2)
    assert (model.length, model.owed) == (2, 2)  # from the start
    recurrent = FakeModel(10, 20, can_truncate=False)
    recurrent.decode([1, 2])
    recurrent.truncate(2)
    with pytest.raises(EngineFault):
        recurrent.truncate(1)
    assert recurrent.length == 0
