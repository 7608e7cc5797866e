"""What llama.cpp does with heads when it is used wrongly, each in a process of its own, and what the engine does there.

If one of these stops ending the process (a newer library), the engine's own check for it can go.
"""

import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from app.core.errors import EngineFault
from app.core.gguf import describe, read_header
from app.engine.backends.head_files import find_heads
from app.engine.backends.llamacpp import ROWS, Context, HeadContext, Weights
from app.engine.backends.llamacpp.binding import extensions
from app.engine.backends.llamacpp.context import view_of
from app.engine.cancel import CancelFlag
from tests.helpers import gguf_kit
from tests.helpers.gguf_kit import RawTensor
from tests.helpers.head_kit import without_heads
from tests.helpers.walks import Walk, drafts

ALIVE = "still alive"
START = """
    import sys
    from llama_cpp import llama_cpp as native
    from llama_cpp import llama_cpp_ext as extensions

    native.llama_backend_init()
    path = sys.argv[1].encode()
    loading = native.llama_model_default_params()
    parameters = native.llama_context_default_params()
    parameters.n_ctx = 256

    def load(heads=True):
        loading.load_mtp = heads
        model = native.llama_model_load_from_file(path, loading)
        assert model
        return model

    def with_heads(model):
        target = native.llama_init_from_model(model, parameters)
        assert target
        parameters.ctx_type, parameters.ctx_other = native.LLAMA_CONTEXT_TYPE_MTP, target
        return native.llama_init_from_model(model, parameters)

    def head_step(context, token):
        # After nothing; returns its scores. Without a token none is lent to the batch.
        width = native.llama_model_n_embd_out(native.llama_get_model(context))
        batch = native.llama_batch_init(1, width, 1)
        lent = (native.llama_token * 1)(token or 0)
        if token is not None:
            batch.token = lent
        batch.n_tokens, batch.pos[0], batch.n_seq_id[0], batch.logits[0] = 1, 0, 1, 1
        batch.seq_id[0][0] = 0
        for index in range(width):
            batch.embd[index] = 0.5
        native.llama_memory_seq_rm(native.llama_get_memory(context), 0, 0, -1)
        assert native.llama_decode(context, batch) == 0
        keep.append((lent, batch))
        return native.llama_get_logits_ith(context, 0)[:64]

    keep = []

    def decode(context, tokens, outputs):
        batch = native.llama_batch_init(len(tokens), 0, 1)
        batch.n_tokens = len(tokens)
        for index, token in enumerate(tokens):
            batch.token[index], batch.pos[index], batch.n_seq_id[index] = token, index, 1
            batch.seq_id[index][0], batch.logits[index] = 0, index >= len(tokens) - outputs
        return native.llama_decode(context, batch)
"""


def child(code: str, path: Path) -> subprocess.CompletedProcess[str]:
    """Run `code` after `START` on a model file."""
    program = f"{textwrap.dedent(START)}\n{textwrap.dedent(code)}\nprint({ALIVE!r})"
    command = [sys.executable, "-c", program, str(path)]
    return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=100, check=False)


def died(done: subprocess.CompletedProcess[str]) -> bool:
    """Ended by the library, not by an exception of Python."""
    return done.returncode != 0 and ALIVE not in done.stdout and "Traceback" not in done.stderr


def loaded(path: Path, *, heads: bool = True) -> Weights:
    return Weights(path, 0, lambda _share: None, CancelFlag(), heads=heads)


def test_a_context_on_heads_that_were_not_loaded(tiny: dict[str, Path]) -> None:
    done = child("with_heads(load(heads=False))", tiny["qwen35"])
    assert died(done), done.stderr[-500:]
    weights = loaded(tiny["qwen35"], heads=False)
    context = Context(weights, 256, 1)
    with pytest.raises(EngineFault, match="loaded without its prediction heads"):
        HeadContext(context, 1)
    context.close()
    weights.close()


def test_a_context_on_heads_that_are_not_in_the_file(demo_target: Path, tmp_path: Path) -> None:
    path = without_heads(gguf_kit.load(demo_target), declared=True).write(tmp_path / "trunk.gguf")
    done = child("with_heads(load())", path)
    assert died(done), done.stderr[-500:]
    assert find_heads(describe(read_header(path)), "auto").problem.startswith("This file was made without")


def test_heads_of_an_architecture_that_cannot_use_them(demo_draft: Path, tmp_path: Path) -> None:
    model = gguf_kit.load(demo_draft)
    model.number("llama.nextn_predict_layers", 1)
    model.facts["llama.block_count"].value += 1
    path = model.write(tmp_path / "llama.gguf")
    done = child("assert not with_heads(load())", path)
    assert ALIVE in done.stdout, done.stderr[-500:]  # this one is harmless
    assert find_heads(describe(read_header(path)), "auto").problem


def test_more_rows_than_were_announced(demo_target: Path) -> None:
    done = child(
        """
        parameters.n_outputs_max = parameters.n_outputs_max_per_seq = 2
        target = native.llama_init_from_model(load(), parameters)
        assert target
        decode(target, [5, 6, 7, 8], outputs=4)
        """,
        demo_target,
    )
    assert died(done), done.stderr[-500:]
    weights = loaded(demo_target)
    context = Context(weights, 256, 1)
    with pytest.raises(EngineFault, match=f"{ROWS + 1} rows"):
        context.decode([5] * (ROWS + 1), every_row=True)
    context.decode([5] * ROWS, every_row=True)
    context.close()
    weights.close()


def test_a_step_beyond_the_chained_heads(demo_target: Path) -> None:
    step = "heads = with_heads(load())\nextensions.llama_set_nextn_layer_offset(heads, {0})\nhead_step(heads, 5)"
    done = child(step.format(1), demo_target)
    assert died(done), done.stderr[-500:]
    assert ALIVE in child(step.format(0), demo_target).stdout
    weights = loaded(demo_target)
    context = Context(weights, 256, 1)
    heads = HeadContext(context, 1)
    assert heads.count == 1  # one head is used again and again; of a chain no more steps than heads are asked for
    heads.close()
    context.close()
    weights.close()


def test_tokens_that_are_not_lent_to_the_batch(demo_target: Path) -> None:
    """A batch of rows is made without tokens; the library takes what lies there for some, which may be anything."""
    done = child(
        """
        heads = with_heads(load())
        head_step(heads, 900)
        without = head_step(heads, None)
        assert without != head_step(heads, 5) == head_step(heads, 5)
        """,
        demo_target,
    )
    assert died(done) or ALIVE in done.stdout, done.stderr[-500:]


def test_lent_tokens_are_not_the_librarys_to_free(demo_target: Path) -> None:
    batch = "heads = with_heads(load())\nhead_step(heads, 5)\nlent, batch = keep[0]\n"
    done = child(f"{batch}native.llama_batch_free(batch)", demo_target)
    assert died(done), done.stderr[-500:]
    back = "import ctypes\nbatch.token = ctypes.POINTER(native.llama_token)()\n"
    assert ALIVE in child(f"{batch}{back}native.llama_batch_free(batch)", demo_target).stdout
    weights = loaded(demo_target)
    context = Context(weights, 256, 1)
    for _ in range(3):
        HeadContext(context, 1).close()
    context.close()
    weights.close()


def test_a_masked_target_gives_the_rows_of_outputs_only(tiny: dict[str, Path]) -> None:
    """The heads need a row of every token of the prompt."""
    weights = loaded(tiny["qwen35"])
    context = Context(weights, 256, 1)
    heads = HeadContext(context, 1)
    text = list(range(100, 110))
    found = []
    for masked in (False, True):
        context.listener = None
        extensions.llama_set_embeddings_nextn(context.handle, True, masked)
        context.clear()
        context.decode(text)
        pointer = extensions.llama_get_embeddings_nextn(context.handle)
        found.append(view_of(pointer, heads._width, np.dtype(np.float32)).copy())
    assert np.abs(found[0] - found[1]).max() > 0.01, "masked, row 0 is that of the last token"
    heads.close()
    context.close()
    weights.close()


def test_norms_of_64_bits(demo_target: Path, tmp_path: Path) -> None:
    """Some writers make them by mistake; llama.cpp loads them and dies when it computes."""
    model = gguf_kit.load(demo_target)
    norm = model.tensor("blk.0.attn_norm.weight")
    wide = np.frombuffer(norm.data, np.float32).astype(np.float64).tobytes()
    model.tensors[model.tensors.index(norm)] = RawTensor(norm.name, norm.shape, 28, wide)
    gguf_kit._BLOCKS.setdefault(28, (1, 8))
    path = model.write(tmp_path / "wide.gguf")
    done = child("decode(native.llama_init_from_model(load(), parameters), [5, 6, 7], outputs=1)", path)
    assert ALIVE not in done.stdout


def test_the_hidden_row_of_the_last_of_several(tiny: dict[str, Path]) -> None:
    """Asked for the last of several rows the library gives the first one's: every step decodes one row."""
    weights = loaded(tiny["qwen35"])
    context = Context(weights, 256, 1)
    heads = HeadContext(context, 1)
    text = list(range(100, 140))
    context.decode(text)
    right = drafts(heads, len(text), [7, 8, 9])
    heads._decode([7, 8, 9], np.stack([heads._row_before()] * 3), heads._done, output=True)
    pointer = extensions.llama_get_embeddings_nextn_ith(heads._context, 2)
    last = view_of(pointer, heads._width, np.dtype(np.float32)).copy()
    heads.end_steps()
    _, first = heads.step([7], [None], 0)
    heads.end_steps()
    assert np.abs(last - first).max() < 1e-3, "the library gives the right row now: heads may decode several at once"
    for one, other in zip(right, drafts(heads, len(text), [7, 8, 9]), strict=True):
        assert np.array_equal(one, other)
    heads.close()
    context.close()
    weights.close()


WALKS = {"demo": 0.3, "qwen35": 0.005, "hy_v3": 0.005}
"""Model -> largest difference that is rounding; the demo target is quantised."""


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", WALKS)
def test_heads_follow_whatever_happens_to_the_text(
    demo_target: Path, tiny: dict[str, Path], name: str, seed: int
) -> None:
    """Reading, passes, cuts, marks, aborted passes: what the heads draft is what fresh ones would."""
    weights = loaded(demo_target if name == "demo" else tiny[name])
    walk = Walk(weights, seed, heads=True, close=WALKS[name])
    walk.go(40)
    walk.close()
    weights.close()
