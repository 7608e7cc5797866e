"""What a request may ask for, and the check that it makes sense.

The same check serves the window, the command line and the engine, so that a silly number gets the same sentence
everywhere.
"""

import math
from dataclasses import dataclass, fields
from typing import Literal

from app.core.errors import UserError

DrafterName = Literal["off", "ngram", "draft_model", "heads", "mixed"]
DRAFTERS: tuple[DrafterName, ...] = ("off", "ngram", "draft_model", "heads", "mixed")
TokenSource = Literal["target", "correction", "draft_model", "ngram", "heads"]
DRAFT_SOURCES: frozenset[TokenSource] = frozenset({"draft_model", "ngram", "heads"})
CacheType = Literal["F16", "Q8_0", "Q4_0"]
CACHE_TYPES: tuple[CacheType, ...] = ("F16", "Q8_0", "Q4_0")
"""How the numbers in a cache are kept; the later ones take less memory and are less exact."""
FlashAttention = Literal["auto", "on", "off"]
FLASH_ATTENTION: tuple[FlashAttention, ...] = ("auto", "on", "off")
"""Attention in one step; "auto" is on where the device can. Off needs more memory."""
MAX_LOOKAHEAD = 32
HEADS_AUTO, HEADS_OFF = "auto", "off"
"""Prediction heads: those in the target's file or beside it, or none. Anything else is the path of a file of heads."""
MAX_SEED = 2**32 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingOptions:
    """How the target's choice is shaped. Filters and their order are llama.cpp's.

    `temperature`: 0 takes the most likely token. `top_k`: 0 is off. `top_p`: 1 is off. `min_p`: 0 is off.
    Penalties look at the last `penalty_window` tokens of the context; `repeat_penalty` 1 is off.
    `seed`: None lets the engine draw one, which it reports.
    """

    temperature: float = 0.8
    top_k: int = 40
    top_p: float = 0.95
    min_p: float = 0.05
    repeat_penalty: float = 1.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    penalty_window: int = 64
    seed: int | None = None

    def check(self) -> None:
        """Raise `UserError` with a sentence for the first setting that makes no sense."""
        for name in (f.name for f in fields(self)):
            value = getattr(self, name)
            if isinstance(value, float) and not math.isfinite(value):
                raise _silly(name, value, "a finite number")
        _between("temperature", self.temperature, 0.0, 100.0)
        _between("top_k", self.top_k, 0, 1_000_000)
        _between("top_p", self.top_p, 0.0, 1.0, above=True)
        _between("min_p", self.min_p, 0.0, 1.0)
        _between("repeat_penalty", self.repeat_penalty, 0.0, 100.0, above=True)
        _between("presence_penalty", self.presence_penalty, -100.0, 100.0)
        _between("frequency_penalty", self.frequency_penalty, -100.0, 100.0)
        _between("penalty_window", self.penalty_window, 0, 1_000_000)
        if self.seed is not None:
            _between("seed", self.seed, 0, MAX_SEED)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeculationOptions:
    """How tokens are proposed.

    `lookahead`: tokens proposed in a round, 1 to 32, or "auto".
    `min_confidence`: the draft stops before a token it gives less probability than this, 0 to 1.
    `explicit`: the person chose this drafter; if it cannot be used the request is refused instead of answered plain.
    """

    drafter: DrafterName = "off"
    lookahead: int | Literal["auto"] = "auto"
    min_confidence: float = 0.0
    explicit: bool = False

    def check(self) -> None:
        """Raise `UserError` with a sentence for the first setting that makes no sense."""
        if self.drafter not in DRAFTERS:
            raise UserError(
                "bad_option", f'There is no drafter called "{self.drafter}".', f"Choose one of: {', '.join(DRAFTERS)}."
            )
        if self.lookahead != "auto":
            _between("lookahead", self.lookahead, 1, MAX_LOOKAHEAD)
        _between("min_confidence", self.min_confidence, 0.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitOptions:
    """Where an answer ends.

    `max_tokens`: 0 means up to the end of the context. `stop`: texts that end the answer and are not part of it.
    `fixed_shape`: rows every pass is padded to (the proof mode), 0 for none; at least lookahead + 1.
    """

    max_tokens: int = 0
    stop: tuple[str, ...] = ()
    fixed_shape: int = 0

    def check(self) -> None:
        """Raise `UserError` with a sentence for the first setting that makes no sense."""
        _between("max_tokens", self.max_tokens, 0, 10_000_000)
        _between("fixed_shape", self.fixed_shape, 0, MAX_LOOKAHEAD + 1)
        if any(not text for text in self.stop):
            raise UserError("bad_option", "A stop text is empty.", "Remove it, or say which text ends the answer.")


def _between(name: str, value: object, low: float, high: float, *, above: bool = False) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:  # NaN differs from itself
        raise _silly(name, value, "a number")
    if not low <= value <= high or (above and value == low):
        span = f"above {low:,.10g} and at most {high:,.10g}" if above else f"from {low:,.10g} to {high:,.10g}"
        raise _silly(name, value, span)


def _silly(name: str, value: object, wanted: str) -> UserError:
    label = name.replace("_", " ")
    return UserError("bad_option", f"The {label} cannot be {value}.", f"It must be {wanted}.")
