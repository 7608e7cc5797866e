"""The pairs this program knows: what they are, whether this machine can run them, and which files they are now."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from app.core.errors import EngineFault, UserError
from app.core.plain import PlainError, from_plain
from app.hub.memory_plan import Budget
from app.hub.quantisation import Offer, choose, offers
from app.hub.remote import Listing
from app.protocol.download_messages import WantedModel

Fit = Literal["accelerator", "memory", "too_large"]
_WORKING = 1_500_000_000
"""Bytes for caches and buffers beside the weights, before the files' headers can tell."""
_SLOW_ABOVE = 6_000_000_000
"""Larger targets are too slow on a processor alone to be recommended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A model of a pair. `size` in bytes, as last seen; `source`: how it was checked; `gated`: terms come first."""

    repo: str
    file: str
    quantisations: tuple[str, ...]
    size: int
    source: str
    gated: bool = False

    @property
    def wanted(self) -> WantedModel:
        """What to ask the download process for."""
        return WantedModel(repo=self.repo, file=self.file, quantisations=self.quantisations)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A target with the drafts that suit it, the best first; none where it drafts by n-grams or by heads of its own.

    `parameters` in thousand millions. With the drafter "heads" the only draft is a file of heads.
    """

    id: str
    title: str
    good_for: str
    licence: str
    parameters: float
    target: Part
    draft: tuple[Part, ...] = ()
    drafter: Literal["draft_model", "ngram", "heads"] = "draft_model"

    @property
    def size(self) -> int:
        """Bytes of the target and its first draft."""
        return self.target.size + (self.draft[0].size if self.draft else 0)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A pair, judged for a machine. `slow`: it fits, but a processor alone takes its time with it."""

    pair: Pair
    fit: Fit
    recommended: bool
    slow: bool = False


def load(path: Path) -> tuple[Pair, ...]:
    """Read the catalogue.

    Raises:
        EngineFault: the file is missing or wrong; it is part of this program.
    """
    try:
        body: Any = tomllib.loads(path.read_text(encoding="utf-8"))
        pairs: tuple[Pair, ...] = from_plain(tuple[Pair, ...], body["pair"], "catalogue")
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, PlainError, KeyError, TypeError) as error:
        raise EngineFault(
            "catalogue", "The list of recommended models cannot be read.", "Install Outpace again.", f"{path}: {error}"
        ) from error
    return pairs


def suggest(pairs: Sequence[Pair], budget: Budget) -> tuple[Suggestion, ...]:
    """The pairs for a machine with this free memory: the recommended one first, then what runs, then what does not."""
    fits = {pair.id: _fit(pair, budget) for pair in pairs}
    # Pairs with heads are offered, not recommended: what they gain on such models has not been measured here.
    candidates = [pair for pair in pairs if fits[pair.id] != "too_large" and pair.drafter != "heads"]
    best = max(candidates, key=lambda p: _merit(p, fits), default=None)
    ranks = {"accelerator": 0, "memory": 1, "too_large": 2}

    def place(pair: Pair) -> tuple[bool, int, bool, float]:
        fit = fits[pair.id]
        # The largest that runs, and the smallest that does not: either is the nearest to what the machine can do.
        size = pair.parameters if fit == "too_large" else -pair.parameters
        return pair is not best, ranks[fit], _is_slow(pair, fit), size

    ordered = sorted(pairs, key=place)
    return tuple(Suggestion(pair, fits[pair.id], pair is best, _is_slow(pair, fits[pair.id])) for pair in ordered)


def find(pairs: Sequence[Pair], text: str) -> Pair | None:
    """The pair with this id or title, in any case."""
    wanted = text.strip().lower()
    return next((pair for pair in pairs if wanted in (pair.id.lower(), pair.title.lower())), None)


def resolve(wanted: WantedModel, listing: Listing) -> Offer:
    """The files of a model, out of what its repository has now.

    Raises:
        UserError: it has nothing that would do.
    """
    available = offers(listing.files)
    for offer in available:
        if wanted.file in (offer.name, *(file.name for file in offer.files)):
            return offer
    exact = next((file for file in listing.files if file.name == wanted.file), None)
    if exact is not None:
        return Offer(exact.name, "", (exact,))  # a file of heads, which is no model and so not among the offers
    chosen = choose(available, wanted.quantisations)
    if chosen is None:
        there = ", ".join(sorted({offer.quantisation or offer.name for offer in available})) or "no models at all"
        raise UserError(
            "file_not_found",
            f'"{wanted.repo}" has no file in {" or ".join(wanted.quantisations)}; it has {there}.',
            "Choose a file of it by hand.",
        )
    return chosen


def _fit(pair: Pair, budget: Budget) -> Fit:
    need = pair.size + _WORKING
    if budget.vram >= need:
        return "accelerator"
    return "memory" if budget.ram + budget.vram >= need else "too_large"


def _is_slow(pair: Pair, fit: Fit) -> bool:
    return fit == "memory" and pair.size > _SLOW_ABOVE


def _merit(pair: Pair, fits: dict[str, Fit]) -> tuple[bool, float]:
    """The largest that runs at a good speed; where none does, the smallest."""
    quick = fits[pair.id] == "accelerator" or pair.size <= _SLOW_ABOVE
    return quick, pair.parameters if quick else -pair.parameters
