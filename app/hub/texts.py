"""Sizes, numbers and models as people read them."""

from app.hub.model_file import ModelFile


def amount(size: int) -> str:
    """Bytes, for example "0.6 GB" or "7 MB"."""
    return f"{size / 1e9:.1f} GB" if size >= 1e8 else f"{size / 1e6:.1f} MB"


def count(number: int, thing: str) -> str:
    """For example "1 file" or "3 files"."""
    return f"{number:,} {thing}" + ("" if number == 1 else "s")


def parameters(number: int) -> str:
    """For example "8.2 B" or "270 M"."""
    return f"{number / 1e9:.1f} B" if number >= 1e9 else f"{number / 1e6:.0f} M" if number >= 1e6 else f"{number:,}"


def duration(seconds: float | None) -> str:
    """For example "2:05"; "-" where it cannot be said."""
    if seconds is None or seconds > 99 * 3600:
        return "-"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def describe_model(model: ModelFile) -> str:
    """One line: what it is, or why it is no chat model."""
    facts = model.facts
    if facts is None:
        return str(model.problem)
    parts = [facts.architecture, f"{parameters(facts.parameters)} parameters", facts.quantisation]
    if facts.context_trained:
        parts.append(f"context {facts.context_trained:,}")
    parts.append(amount(model.size_bytes))
    if facts.split > 1:
        parts.append(count(facts.split, "file"))
    if facts.nextn:
        parts.append(count(facts.nextn, "prediction head"))
    if facts.licence:
        parts.append(f"licence {facts.licence}")
    line = ", ".join(part for part in parts if part)
    return line if model.problem is None else f"{model.problem.sentence} ({line})"
