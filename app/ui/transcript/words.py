"""The words below an answer, apart from the widget that shows them."""

from app.chat.badge import gain_words, percent_words, speed_words
from app.chat.conversation import Message
from app.protocol.options import TokenSource
from app.protocol.stats import GenerationStats, SpeculationState

SOURCE_WORDS: dict[TokenSource, str] = {
    "draft_model": "draft model",
    "ngram": "n-gram",
    "heads": "heads",
    "correction": "corrected",
    "target": "target",
}
_ENDS = {
    "stop_string": "ended at a stop text",
    "token_limit": "stopped at the token limit",
    "context_limit": "stopped: the context is full",
    "cancelled": "stopped by you",
}
_WITHOUT_GAIN = {
    "off": "speculation off",
    "idle": "nothing drafted",
    "paused": "speculation paused",
    "unavailable": "speculation unavailable",
}


def numbers(message: Message) -> tuple[str, ...]:
    """Speed, acceptance, gain, time to the first token and how it ended, as far as they are known."""
    parts: list[str] = []
    stats = message.stats
    if stats is not None and stats.generated_tokens:
        parts.append(speed_words(stats.speed))
        parts += _speculation(stats, message.speculation)
        parts.append(f"first token {stats.ttft_ms / 1000:.2f} s")
    if message.reason in _ENDS:
        parts.append(_ENDS[message.reason])
    return tuple(parts)


def details(message: Message) -> str:
    """More numbers, one a line, for those who ask."""
    lines: list[str] = []
    stats, speculation = message.stats, message.speculation
    if stats is not None:
        lines.append(f"Prompt: {stats.prompt_tokens} tokens, {stats.cached_tokens} of them from the cache")
        lines.append(f"Answer: {stats.generated_tokens} tokens in {stats.passes} passes")
        if stats.verified:
            lines.append(f"Accepted: {stats.accepted} of {stats.verified} verified, {stats.proposed} proposed")
    if speculation is not None and speculation.reason:
        lines.append(speculation.reason)
    if message.seed is not None:
        lines.append(f"Seed: {message.seed}")
    return "\n".join(lines)


def problem(message: Message) -> str:
    """Why the answer ended badly, "" if it did not."""
    if message.status == "failed":
        return message.error or "The answer failed and nobody said why. Try again."
    if message.status == "interrupted" and message.reason != "cancelled":
        return message.error or "The answer was interrupted. What came before it is kept."
    return ""


def announcement(message: Message) -> str:
    """What a screen reader says when an answer has ended."""
    return problem(message) or " ".join(("Answer finished.", *remarks(message)))


def remarks(message: Message) -> tuple[str, ...]:
    """What the engine said with the end, and that an answer is empty."""
    said = tuple(notice.text for notice in message.notices)
    if message.role == "assistant" and message.status == "complete" and not message.text:
        return ("The model ended its answer without a word.", *said)
    return said


def legend(message: Message) -> tuple[tuple[TokenSource, int], ...]:
    """Sources and their token counts in the order of the legend, without those that gave nothing."""
    known = dict(message.token_counts)
    return tuple((source, known[source]) for source in SOURCE_WORDS if known.get(source))


def _speculation(stats: GenerationStats, state: SpeculationState | None) -> list[str]:
    if state is None:
        return [f"{percent_words(stats.acceptance_rate)} accepted"] if stats.verified else []
    if state.state == "off":
        return [_WITHOUT_GAIN["off"]]
    if not stats.verified:
        return [_WITHOUT_GAIN["idle" if state.state == "active" else state.state]]
    parts = [f"{percent_words(stats.acceptance_rate)} accepted"]
    if state.state != "active":
        parts.append(_WITHOUT_GAIN[state.state])
    elif state.gain is not None:
        parts.append(gain_words(state))
    return parts
