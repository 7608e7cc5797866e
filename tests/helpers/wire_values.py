"""Events as an engine would send them, with everything filled in that a test does not care about."""

from app.protocol.messages import Delta, Failed, Finished, FinishReason, Loaded, ModelFacts, Notice, Piece, Stats
from app.protocol.options import TokenSource
from app.protocol.stats import GenerationStats, SpeculationState

NUMBERS = GenerationStats(
    prompt_tokens=20,
    generated_tokens=101,
    passes=40,
    proposed=120,
    verified=100,
    accepted=72,
    accepted_by_position=(45, 27),
    verified_by_position=(50, 50),
    template_ms=1.0,
    prefill_ms=200.0,
    first_sample_ms=39.0,
    decode_ms=1639.3,
    draft_ms=295.1,
    verify_ms=1180.3,
    sample_ms=98.4,
    other_ms=65.5,
)
ACTIVE = SpeculationState(state="active", drafter="mixed", lookahead=5, gain=2.13, gain_kind="measured")


def facts(path: str) -> ModelFacts:
    return ModelFacts(
        path=path,
        name=path.rpartition("/")[2].removesuffix(".gguf"),
        architecture="llama",
        parameters=6_000_000,
        size_bytes=6_000_000,
        quantisation="Q8_0",
        context_trained=2048,
        vocabulary_type="BPE",
        vocabulary_size=4096,
        has_template=True,
        can_truncate=True,
        heads=0,
        layers=4,
        gpu_layers=0,
        memory_bytes=9_000_000,
    )


def loaded(
    request_id: str = "load",
    *,
    target: str = "/models/target.gguf",
    draft: str = "/models/draft.gguf",
    why_not: dict[str, str] | None = None,
    notices: tuple[Notice, ...] = (),
) -> Loaded:
    return Loaded(
        id=request_id,
        target=facts(target),
        draft=facts(draft) if draft else None,
        context=2048,
        threads=2,
        devices=("CPU",),
        template="model",
        why_not=why_not or {},
        notices=notices,
        target_loaded_at=1.0,
    )


def delta(request_id: str, *pieces: tuple[str, TokenSource]) -> Delta:
    """One token a piece."""
    return Delta(
        id=request_id,
        pieces=tuple(Piece(text=text, source=source) for text, source in pieces if text),
        tokens=tuple(range(len(pieces))),
        sources=tuple(source for _, source in pieces),
    )


def stats(request_id: str, numbers: GenerationStats = NUMBERS, state: SpeculationState = ACTIVE) -> Stats:
    return Stats(id=request_id, stats=numbers, speculation=state)


def finished(
    request_id: str,
    reason: FinishReason = "end",
    numbers: GenerationStats = NUMBERS,
    state: SpeculationState = ACTIVE,
    notices: tuple[Notice, ...] = (),
) -> Finished:
    return Finished(id=request_id, reason=reason, stats=numbers, speculation=state, seed=7, notices=notices)


def failed(
    request_id: str, code: str = "decode_failed", sentence: str = "It failed.", hint: str = "Do this."
) -> Failed:
    return Failed(id=request_id, code=code, sentence=sentence, hint=hint, detail="ret = -3")
