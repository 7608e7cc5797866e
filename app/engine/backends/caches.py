"""What can be given up about caches where memory is short, and whether a model allows it."""

from dataclasses import replace

from app.core.errors import UserError
from app.core.gguf import GgufFacts, can_be_quantised
from app.engine.backends import loading
from app.protocol.messages import Finished, Load, Notice
from app.protocol.options import CACHE_TYPES, FLASH_ATTENTION, CacheType, FlashAttention

LEAST_DRAFT_CONTEXT = 2048
"""Tokens; a draft that follows less is not worth its memory."""


def check_cache_type(gguf: GgufFacts, cache_type: CacheType, flash_attention: FlashAttention = "auto") -> None:
    """Refuse what llama.cpp cannot do, or would answer in a way nobody understands.

    Raises:
        UserError: no such type, the heads of this model cannot be cut into blocks, or it needs flash attention.
    """
    if flash_attention not in FLASH_ATTENTION:
        raise UserError(
            "bad_option",
            f'Flash attention cannot be "{flash_attention}".',
            f"Choose one of: {', '.join(FLASH_ATTENTION)}.",
        )
    if cache_type not in CACHE_TYPES:
        raise UserError("bad_option", f'A cache cannot be kept in "{cache_type}".', f"Choose {', '.join(CACHE_TYPES)}.")
    if cache_type != "F16" and not can_be_quantised(gguf):
        raise UserError(
            "cache_type",
            f"The cache of {gguf.path.name} cannot be kept in {cache_type}: its heads have {gguf.key_length} numbers.",
            "Keep it in F16.",
        )
    if cache_type != "F16" and flash_attention == "off":
        raise UserError(
            "cache_type",
            f"A cache in {cache_type} needs flash attention, which is switched off.",
            "Keep the cache in F16, or leave flash attention on.",
        )


def draft_context(request: Load, draft: GgufFacts, target_context: int) -> int:
    """Tokens the draft is to follow: as asked, else as many as the target, halved until main memory holds them.

    Raises:
        UserError: the number makes no sense.
    """
    if request.draft_context < 0:
        asked = f"{request.draft_context:,} tokens"
        raise UserError("bad_option", f"A draft's context of {asked} is not possible.", "Choose 0 for automatic.")
    if request.draft_context:
        return min(request.draft_context, target_context)
    size = target_context
    how = request.cache_type, request.flash_attention
    while size // 2 >= LEAST_DRAFT_CONTEXT and not loading.fits(draft, size, *how):
        size //= 2
    return size if loading.fits(draft, size, *how) else target_context


def with_outgrown(event: Finished, followed: int) -> Finished:
    """The end of an answer, with a notice where it went on beyond the tokens its draft follows (0 for no draft)."""
    length = event.stats.prompt_tokens + event.stats.generated_tokens
    # The last token is never drafted from.
    if not followed or length - 1 <= followed:
        return event
    text = (
        f"This chat is longer than the {followed:,} tokens the draft model follows, so it no longer drafts. "
        "A new chat, or more free memory, brings it back."
    )
    return replace(event, notices=(*event.notices, Notice(code="draft_outgrown", text=text)))


def shorter_draft(draft_context: int) -> Notice:
    """What a person should know about a draft that does not follow as far as the target."""
    return Notice(
        code="draft_context",
        text=f"The draft model follows the first {draft_context:,} tokens of a chat, since memory is short; beyond "
        "that it stops drafting.",
    )
