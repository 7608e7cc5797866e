"""Figures of one answer as a server tells them: a number, or None with the reason why it is not known."""

from dataclasses import dataclass, field, replace
from typing import Any

from app.protocol.servers import Told
from app.protocol.stats import GenerationStats, SpeculationState

NO_USAGE = "the server does not count tokens in its answers"
NO_FIGURES = "this kind of server tells nothing about speculation"
NO_SPLIT = "a server does not tell how its time is divided"
NOT_PER_ANSWER = "the server does not tell how many of the proposed tokens it checked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """None is unknown; `why` has the reason by name, `origins` where a known figure comes from.

    `passes` as everywhere else; `lookahead`: the most tokens proposed in a round; `speculation`: what was seen.
    """

    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    generated_tokens: int | None = None
    passes: int | None = None
    proposed: int | None = None
    verified: int | None = None
    accepted: int | None = None
    decode_ms: float | None = None
    wait_ms: float = 0.0
    lookahead: int | None = None
    accepted_by_position: tuple[int, ...] = ()
    verified_by_position: tuple[int, ...] = ()
    speculation: Told = "unknown"
    drafter: str = ""
    why: dict[str, str] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)

    @property
    def tokens_per_pass(self) -> float | None:
        return self.stats().tokens_per_pass

    @property
    def acceptance_rate(self) -> float | None:
        return self.stats().acceptance_rate

    def known(self, origin: str, **values: Any) -> "Figures":
        """A copy with these; the ones that are None stay unknown."""
        there = {name: value for name, value in values.items() if value is not None}
        return replace(self, **there, origins=self.origins | dict.fromkeys(there, origin))

    def unknown(self, reason: str, *names: str) -> "Figures":
        """A copy that says why these are not known."""
        return replace(self, why=self.why | dict.fromkeys(names, reason))

    def stats(self) -> GenerationStats:
        """As the rest of the program has them."""
        counts = ("prompt_tokens", "cached_tokens", "generated_tokens", "passes", "proposed", "verified", "accepted")
        missing = {name: self.why.get(name, NO_FIGURES) for name in counts if getattr(self, name) is None}
        if not self.verified_by_position:
            missing["positions"] = self.why.get("positions", NO_FIGURES)
        decode = self.decode_ms or 0.0
        return GenerationStats(
            **{name: getattr(self, name) or 0 for name in counts},
            accepted_by_position=self.accepted_by_position,
            verified_by_position=self.verified_by_position,
            prefill_ms=self.wait_ms,
            decode_ms=decode,
            other_ms=decode,
            unknown=missing | {"split": NO_SPLIT},
            origins=self.origins | {"ttft": "measured here"},
        )

    def state(self, hint: str) -> SpeculationState:
        """What the badge says. `hint`: what would reveal more."""
        drafter, lookahead = self.drafter or "", self.lookahead or 0
        per_pass = self.tokens_per_pass
        if self.speculation == "off":
            return SpeculationState(state="off", reason="the server runs without speculation")
        if self.proposed or (self.proposed is None and per_pass is not None and per_pass > 1.0):
            return SpeculationState(state="active", drafter=drafter, lookahead=lookahead)
        if self.proposed == 0 and self.speculation == "on":
            return SpeculationState(state="idle", reason="the server proposed no token", drafter=drafter)
        reason = self.why.get("proposed", NO_FIGURES)
        words = f"{reason}. {hint}" if hint else reason
        return SpeculationState(state="idle", reason=words, drafter=drafter)
