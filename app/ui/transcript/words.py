"""The words below an answer, apart from the widget that shows them."""

from app.chat import phrases
from app.chat.attachments import Attachment
from app.chat.badge import UNKNOWN, accepted_words, drafter_words, gain_words, speed_words
from app.chat.conversation import Message
from app.core.thinking import split
from app.core.translation import translate
from app.protocol.options import TokenSource
from app.protocol.stats import GenerationStats, SpeculationState

_COUNTS = ("prompt_tokens", "cached_tokens", "generated_tokens", "passes")
SOURCES: tuple[TokenSource, ...] = ("draft_model", "ngram", "heads", "correction", "target")
"""In the order of the legend."""


def source_words(source: TokenSource) -> str:
    """Where a token came from, as the legend calls it."""
    return {
        "draft_model": translate("answer", "draft model"),
        "ngram": translate("answer", "n-gram"),
        "heads": translate("answer", "heads"),
        "correction": translate("answer", "corrected"),
        "target": translate("answer", "target"),
    }[source]


def numbers(message: Message) -> tuple[str, ...]:
    """Speed, acceptance, gain, time to the first token, drafter, seed and how it ended, as far as they are known."""
    parts: list[str] = []
    stats = message.stats
    if stats is not None and (stats.generated_tokens or "generated_tokens" in stats.unknown):
        parts.append(speed_words(stats.speed))
        parts += _speculation(stats, message.speculation)
        parts.append(translate("answer", "first token {0} s").format(f"{stats.ttft_ms / 1000:.2f}"))
        if message.speculation is not None and message.speculation.drafter not in ("", "off"):
            parts.append(drafter_words(message.speculation.drafter, message))
    if message.seed is not None:
        parts.append(translate("answer", "seed {0}").format(message.seed))
    end = _end(message.reason)
    return (*parts, end) if end else tuple(parts)


def details(message: Message) -> str:
    """More numbers, one a line, for those who ask."""
    lines: list[str] = []
    stats, speculation = message.stats, message.speculation
    if stats is not None:
        known = {name: UNKNOWN if name in stats.unknown else getattr(stats, name) for name in _COUNTS}
        prompt = translate("answer", "Prompt: {0} tokens, {1} of them from the cache")
        lines.append(prompt.format(known["prompt_tokens"], known["cached_tokens"]))
        answer = translate("answer", "Answer: {0} tokens in {1} passes")
        lines.append(answer.format(known["generated_tokens"], known["passes"]))
        if stats.verified:
            accepted = translate("answer", "Accepted: {0} of {1} verified, {2} proposed")
            lines.append(accepted.format(stats.accepted, stats.verified, stats.proposed))
    if speculation is not None and speculation.reason:
        lines.append(phrases.said(speculation.reason))
    if message.seed is not None:
        lines.append(translate("answer", "Seed: {0}").format(message.seed))
    return "\n".join(lines)


def problem(message: Message) -> str:
    """Why the answer ended badly, "" if it did not."""
    if message.status == "failed":
        return message.error or translate("answer", "The answer failed and nobody said why. Try again.")
    if message.status == "interrupted" and message.reason != "cancelled":
        return message.error or translate("answer", "The answer was interrupted. What came before it is kept.")
    return ""


def announcement(message: Message) -> str:
    """What a screen reader says when an answer has ended."""
    return problem(message) or " ".join((translate("answer", "Answer finished."), *remarks(message)))


def remarks(message: Message) -> tuple[str, ...]:
    """Files that went with a question; what the engine said with the end of an answer, and that it is empty."""
    said = tuple(notice.text for notice in message.notices)
    if message.attachments:
        said = (*map(_attached, message.attachments), *said)
    if message.status != "streaming" and _still_thinking(message):
        return (_cut_off_thinking(message), *said)
    if message.role == "assistant" and message.status == "complete" and not message.text:
        return (translate("answer", "The model ended its answer without a word."), *said)
    return said


def thinking(message: Message, *, is_open: bool) -> str:
    """How long a thinking part took, or takes."""
    thought = message.thought
    tokens = thought.tokens if thought is not None else 0
    seconds = f"{thought.seconds:.{1 if thought.seconds < 9.95 else 0}f}" if thought is not None else ""
    streams = is_open and message.status == "streaming"
    if not tokens:
        return translate("answer", "Thinking…") if streams else translate("answer", "Thoughts")
    if streams:
        return translate("answer", "Thinking for {0} s, {1} tokens").format(seconds, f"{tokens:,}")
    return translate("answer", "Thought for {0} s, {1} tokens").format(seconds, f"{tokens:,}")


def _still_thinking(message: Message) -> bool:
    if message.role != "assistant" or not (message.thought or message.text.lstrip().startswith(("<", "["))):
        return False
    return split(message.text, opened=message.thought is not None and message.thought.opened).is_open


def _cut_off_thinking(message: Message) -> str:
    if message.reason == "token_limit":
        return translate("answer", "The answer used up its token limit while it was still thinking.")
    if message.reason == "context_limit":
        return translate("answer", "The answer filled the context while it was still thinking.")
    return translate("answer", "The answer ended while it was still thinking.")


def _attached(item: Attachment) -> str:
    if not item.tokens:
        return translate("answer", "Attached: {0}").format(item.name)
    return translate("answer", "Attached: {0}, {1} tokens").format(item.name, f"{item.tokens:,}")


def legend(message: Message) -> tuple[tuple[TokenSource, int], ...]:
    """Sources and their token counts in the order of the legend, without those that gave nothing."""
    known = dict(message.token_counts)
    return tuple((source, known[source]) for source in SOURCES if known.get(source))


def _speculation(stats: GenerationStats, state: SpeculationState | None) -> list[str]:
    if state is None:
        return [accepted_words(stats)] if stats.checked else []
    if state.state == "off":
        return [_without_gain("off")]
    if "proposed" in stats.unknown:
        active = state.state == "active"
        return [accepted_words(stats)] if active else [translate("answer", "speculation not told")]
    if not stats.checked:
        return [_without_gain("idle" if state.state == "active" else state.state)]
    parts = [accepted_words(stats)]
    if state.state != "active":
        parts.append(_without_gain(state.state))
    elif state.gain is not None:
        parts.append(gain_words(state))
    return parts


def _end(reason: str | None) -> str:
    return {
        "stop_string": translate("answer", "ended at a stop text"),
        "token_limit": translate("answer", "stopped at the token limit"),
        "context_limit": translate("answer", "stopped: the context is full"),
        "cancelled": translate("answer", "stopped by you"),
    }.get(reason or "", "")


def _without_gain(state: str) -> str:
    return {
        "off": translate("answer", "speculation off"),
        "idle": translate("answer", "nothing drafted"),
        "paused": translate("answer", "speculation paused"),
        "unavailable": translate("answer", "speculation unavailable"),
    }[state]
