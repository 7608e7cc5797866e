"""How much faster pairs were on this machine, remembered between starts."""

from dataclasses import dataclass

MAX_GAINS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """A measured gain: speed with this drafter / plain speed of the target. Absolute paths.

    `draft`: "" for a drafter without a draft model. `drafter`: "" where an older version measured.
    """

    target: str
    draft: str
    gain: float
    drafter: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gains:
    """The newest measurement of each pair and drafter, the newest first."""

    measured: tuple[Gain, ...] = ()

    def with_gain(self, target: str, draft: str, gain: float, drafter: str = "") -> "Gains":
        """A copy with another measurement."""
        made = Gain(target=target, draft=draft, gain=round(gain, 3), drafter=drafter)
        others = (known for known in self.measured if not _same(known, made))
        return Gains(measured=(made, *others)[:MAX_GAINS])

    def of(self, target: str) -> dict[str, float]:
        """Gain by draft model, the newest measurement of each."""
        found: dict[str, float] = {}
        for known in self.measured:
            if known.target == target and known.draft:
                found.setdefault(known.draft, known.gain)
        return found

    def with_drafter(self, target: str, draft: str, drafter: str) -> float | None:
        """What this drafter gained there, None if that was never measured."""
        wanted = Gain(target=target, draft=draft, gain=0.0, drafter=drafter)
        return next((known.gain for known in self.measured if _same(known, wanted)), None)


def _same(one: Gain, two: Gain) -> bool:
    return (one.target, one.draft, one.drafter) == (two.target, two.draft, two.drafter)
