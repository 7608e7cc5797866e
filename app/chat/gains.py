"""How much faster pairs were on this machine, remembered between starts."""

from dataclasses import dataclass

MAX_GAINS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """A measured gain: speed with this draft / plain speed of the target. Absolute paths."""

    target: str
    draft: str
    gain: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Gains:
    """The newest measurement of each pair, the newest first."""

    measured: tuple[Gain, ...] = ()

    def with_gain(self, target: str, draft: str, gain: float) -> "Gains":
        """A copy with another measurement."""
        others = (known for known in self.measured if (known.target, known.draft) != (target, draft))
        return Gains(measured=(Gain(target=target, draft=draft, gain=round(gain, 3)), *others)[:MAX_GAINS])

    def of(self, target: str) -> dict[str, float]:
        """Gain by draft."""
        return {known.draft: known.gain for known in self.measured if known.target == target}
