"""Counters of one answer, and the numbers derived from them.

Raw counters and times cross the wire; rates are properties, so that they cannot disagree with the counters.
Unknown is None, never 0: a rate over nothing does not exist.
"""

import itertools
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

BadgeState = Literal["off", "active", "idle", "paused", "unavailable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationStats:
    """What one answer cost and what speculation did for it. Times in ms.

    `proposed`: tokens a drafter offered. `verified`: those of them that went into a target pass. `accepted`: those of
    them kept. accepted <= verified <= proposed, always.
    `passes`: target passes of the decode phase (the prefill is none).
    `ttft_ms` = `template_ms` + `prefill_ms` + `first_sample_ms`.
    `decode_ms` = `draft_ms` + `verify_ms` + `sample_ms` + `other_ms`, from the first token to the last.
    `unknown`: figure -> why it is not known, for answers of servers; its value is then 0 and means nothing. Figures are
    the names of fields, and "split" for the four parts of `decode_ms`. `origins`: figure -> where it comes from
    ("server", "measured here", "computed"); empty for the local engine, which measures all of them.
    `accepted_by_position[i]` and `verified_by_position[i]` count drafted tokens at place i (0 is the first) of a round.
    """

    prompt_tokens: int = 0
    cached_tokens: int = 0
    generated_tokens: int = 0
    passes: int = 0
    proposed: int = 0
    verified: int = 0
    accepted: int = 0
    accepted_by_position: tuple[int, ...] = ()
    verified_by_position: tuple[int, ...] = ()
    template_ms: float = 0.0
    prefill_ms: float = 0.0
    first_sample_ms: float = 0.0
    decode_ms: float = 0.0
    draft_ms: float = 0.0
    verify_ms: float = 0.0
    sample_ms: float = 0.0
    other_ms: float = 0.0
    unknown: dict[str, str] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)

    @property
    def checked(self) -> int:
        """Drafted tokens the target judged: `verified`, or `proposed` where a server tells only those."""
        return self.proposed if "verified" in self.unknown else self.verified

    @property
    def ttft_ms(self) -> float:
        """From the moment the engine has the request to its first token event."""
        return self.template_ms + self.prefill_ms + self.first_sample_ms

    @property
    def acceptance_rate(self) -> float | None:
        """Accepted / checked, 0 to 1; None when nothing was."""
        return self.accepted / self.checked if self.checked and "accepted" not in self.unknown else None

    @property
    def tokens_per_pass(self) -> float | None:
        """Generated tokens / target passes of the decode phase; None before the first pass."""
        return self.generated_tokens / self.passes if self.passes else None

    @property
    def speed(self) -> float | None:
        """(generated - 1) / (time of the last token - time of the first), tokens/s; None for a single token."""
        if self.generated_tokens < 2 or self.decode_ms <= 0:
            return None
        return (self.generated_tokens - 1) / self.decode_ms * 1000.0

    def __add__(self, other: "GenerationStats") -> "GenerationStats":
        """Counters and times of both, for running totals."""
        return replace(self, **{f.name: _add(getattr(self, f.name), getattr(other, f.name)) for f in fields(self)})


def _add(one: Any, two: Any) -> Any:
    if isinstance(one, dict):
        return one | two
    if isinstance(one, tuple):
        return tuple(a + b for a, b in itertools.zip_longest(one, two, fillvalue=0))
    return one + two


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeculationState:
    """What the badge says about speculation right now, with the reason in words.

    `state`: "off" by choice; "active" while drafted tokens are verified; "idle" when on but nothing was drafted;
    "paused" when `auto` found plain decoding faster; "unavailable" when asked for and impossible.
    `gain`: speed against plain decoding of the same target on this machine, None if unknown.
    `gain_kind`: where it comes from; "" if unknown.
    """

    state: BadgeState = "off"
    reason: str = ""
    drafter: str = "off"
    lookahead: int = 0
    gain: float | None = None
    gain_kind: Literal["", "measured", "estimated"] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CostCurve:
    """What a target pass and a draft step cost here, in ms.

    `pass_ms[n - 1]`: a target pass with n rows. `draft_ms`: one draft step. Empty when not known yet.
    """

    pass_ms: tuple[float, ...] = field(default=())
    draft_ms: float = 0.0
