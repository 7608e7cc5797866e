"""What a memory plan can give up, done by the real engine: smaller caches, a shorter draft, a draft in main memory."""

from pathlib import Path

import pytest

from app.core.errors import UserError
from app.core.gguf import describe, kv_bytes, read_header
from app.engine.backends import caches, loading
from app.engine.backends.llamacpp import Device
from app.protocol.messages import Load
from app.protocol.options import CacheType
from tests.helpers import gguf_kit
from tests.helpers.engine import LocalEngine

LONG = "hello"


@pytest.mark.parametrize("cache_type", ["Q8_0", "Q4_0"])
def test_a_quantised_cache_is_smaller_and_drafting_still_changes_nothing(
    demo_target: Path, demo_draft: Path, cache_type: CacheType
) -> None:
    with LocalEngine(demo_target, demo_draft) as engine:
        usual = engine.loaded
        loaded = engine.load(demo_target, demo_draft, context=1024, threads=1, cache_type=cache_type)
        assert (usual.cache_type, loaded.cache_type) == ("F16", cache_type)
        facts = describe(read_header(demo_target))
        saved = usual.target.memory_bytes - loaded.target.memory_bytes
        assert saved == kv_bytes(facts, 1024) - kv_bytes(facts, 1024, cache_type, cache_type) > 0
        assert loaded.target_loaded_at > usual.target_loaded_at
        plain = engine.ask(LONG, "off", max_tokens=60, fixed_shape=8)
        drafted = engine.ask(LONG, "draft_model", max_tokens=60, fixed_shape=8)
        assert drafted.tokens == plain.tokens
        assert drafted.drafted > 0
        again = engine.load(demo_target, demo_draft, context=1024, threads=1, cache_type=cache_type)
        assert again.target_loaded_at == loaded.target_loaded_at


def test_a_shorter_draft_drafts_to_its_end_and_says_so(demo_target: Path, demo_draft: Path) -> None:
    with LocalEngine(demo_target, demo_draft) as engine:
        first = engine.loaded
        loaded = engine.load(demo_target, demo_draft, context=1024, threads=1, draft_context=128)
        assert loaded.target_loaded_at == first.target_loaded_at
        assert (first.draft_context, loaded.draft_context, loaded.context) == (1024, 128, 1024)
        assert [notice.code for notice in loaded.notices] == ["draft_context"]
        assert "128 tokens" in loaded.notices[0].text
        plain = engine.ask("hello", "off", max_tokens=300, fixed_shape=8)
        drafted = engine.ask("hello", "draft_model", max_tokens=300, fixed_shape=8)
        assert drafted.tokens == plain.tokens
        assert len(plain.tokens) == 300
        last = max(place for place, source in enumerate(drafted.sources) if source == "draft_model")
        assert 20 < drafted.stats.prompt_tokens + last <= 128
        assert [notice.code for notice in drafted.notices] == ["draft_outgrown"]
        short = engine.ask("hello", "draft_model", max_tokens=20)
        assert short.notices == ()
        held = engine.load(demo_target, demo_draft, context=1024, threads=1, draft_context=128)
        assert held.target_loaded_at == loaded.target_loaded_at
        whole = engine.load(demo_target, demo_draft, context=1024, threads=1)
        assert (whole.draft_context, whole.notices) == (1024, first.notices)


def test_where_memory_is_short_the_draft_follows_less(
    demo_target: Path, demo_draft: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft = describe(read_header(demo_draft))
    room = loading.need_bytes(draft, 5000)
    with LocalEngine(demo_target, context=16_384) as engine:
        monkeypatch.setattr("app.core.machine.memory_available", lambda: room)
        loaded = engine.load(demo_target, demo_draft, context=16_384, threads=1)
        assert loaded.target_loaded_at == engine.loaded.target_loaded_at
        assert loaded.draft_context == 4096
        assert "draft_context" in [notice.code for notice in loaded.notices]
        # It is kept, and asked for in vain only once.
        monkeypatch.setattr(loading, "open_model", lambda *_, **__: pytest.fail("read again"))
        assert engine.load(demo_target, demo_draft, context=16_384, threads=1).draft_context == 4096
        monkeypatch.undo()
        monkeypatch.setattr("app.core.machine.memory_available", lambda: loading.need_bytes(draft, 2048) - 1)
        engine.load(demo_target, context=16_384, threads=1)
        alone = engine.load(demo_target, demo_draft, context=16_384, threads=1)
        assert alone.draft is None
        assert "of memory" in alone.why_not["draft_model"]
        assert alone.target_loaded_at == engine.loaded.target_loaded_at


def test_the_draft_stays_off_the_accelerator(
    demo_target: Path, demo_draft: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, draft = (describe(read_header(path)) for path in (demo_target, demo_draft))
    monkeypatch.setattr(loading, "devices", lambda: (Device("GPU", "a card", 8 << 30, 8 << 30),))
    blocks = len(target.layer_bytes)  # those of prediction heads too
    both = loading.gpu_plan(target, draft, 2048, "auto")
    assert both[:2] == (blocks + 1, draft.layers + 1)
    assert loading.gpu_plan(target, draft, 2048, "auto", draft_asked=0)[:2] == (blocks + 1, 0)
    quantised = loading.gpu_plan(target, draft, 2048, "auto", cache_type="Q8_0")
    full, small = (kv_bytes(target, 2048, kind, kind) // target.layers for kind in ("F16", "Q8_0"))
    assert both[2] - quantised[2] == (full - small) * blocks
    with pytest.raises(UserError, match="-1 GPU layers are not possible"):
        loading.gpu_plan(target, draft, 2048, "auto", draft_asked=-1)


def test_what_cannot_be_asked_for(tmp_path: Path, demo_target: Path, demo_draft: Path) -> None:
    with LocalEngine(demo_target) as engine:
        for wrong, sentence in (
            ({"cache_type": "Q2_K"}, 'A cache cannot be kept in "Q2_K".'),
            ({"flash_attention": "of"}, 'Flash attention cannot be "of".'),
            (
                {"flash_attention": "off", "cache_type": "Q8_0"},
                "A cache in Q8_0 needs flash attention, which is switched off.",
            ),
            ({"draft_context": -1}, "A draft's context of -1 tokens is not possible."),
        ):
            with pytest.raises(UserError, match=sentence):
                engine.load(demo_target, demo_draft, context=1024, threads=1, draft_required=True, **wrong)
    model = gguf_kit.load(demo_draft)
    for key in ("key_length", "value_length"):
        model.number(f"llama.attention.{key}", 24)
    odd = describe(read_header(model.write(tmp_path / "odd.gguf")))
    caches.check_cache_type(odd, "F16")
    with pytest.raises(UserError, match=r"odd.gguf cannot be kept in Q8_0: its heads have 24 numbers"):
        caches.check_cache_type(odd, "Q8_0")
    assert caches.draft_context(Load(id="", target="", draft_context=9000), odd, 4096) == 4096
