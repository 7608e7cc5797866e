"""The models in a repository's listing: split sets as one, quantisations by name, and the one to take."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.core.gguf.split import part_of
from app.hub.remote import RemoteFile

_LABEL = re.compile(
    r"(?:^|[-._ /])((?:UD-)?(?:I?Q\d(?:_[A-Z0-9]+)*|TQ\d_\d|MXFP4(?:_MOE)?|NVFP4|BF16|F16|F32|FP16))(?=$|[-._ /])",
    re.IGNORECASE,
)
_NO_MODELS = ("mmproj", "imatrix", "mtp-", "dflash", "eagle")


@dataclass(frozen=True, slots=True)
class Offer:
    """A model in a repository: a file, or the complete split set. `quantisation`: "" if the name does not say."""

    name: str
    quantisation: str
    files: tuple[RemoteFile, ...]

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)


def offers(files: Iterable[RemoteFile]) -> tuple[Offer, ...]:
    """The models among `files`, the smallest first. Incomplete sets, projectors and drafter files are left out."""
    single: list[Offer] = []
    sets: dict[tuple[str, int], dict[int, RemoteFile]] = {}
    for file in files:
        base = file.name.rsplit("/", 1)[-1]
        if not base.lower().endswith(".gguf") or base.lower().startswith(_NO_MODELS):
            continue
        part = part_of(base)
        if part is None:
            single.append(Offer(file.name, label(file.name), (file,)))
        else:
            stem, number, count = part
            sets.setdefault((file.name.removesuffix(base) + stem, count), {})[number] = file
    for (stem, count), parts in sets.items():
        if len(parts) == count:
            single.append(Offer(stem, label(stem), tuple(parts[number] for number in sorted(parts))))
    return tuple(sorted(single, key=lambda offer: (offer.size, offer.name)))


def choose(available: Sequence[Offer], preferred: Sequence[str]) -> Offer | None:
    """The first quantisation of `preferred` that is there; None if none is. Names decide among equals."""
    for wanted in preferred:
        matching = [offer for offer in available if offer.quantisation.upper() == wanted.upper()]
        if matching:
            return min(matching, key=lambda offer: (len(offer.name), offer.name))
    return None


def label(name: str) -> str:
    """The quantisation a file name speaks of, for example "Q4_K_M"; "" if none."""
    found = _LABEL.findall(name.removesuffix(".gguf"))
    return found[-1].upper().replace("FP16", "F16") if found else ""
