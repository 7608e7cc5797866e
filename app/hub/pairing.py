"""Which models can draft for a target: a verdict for every one, with the reason in words, best first."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from app.core.gguf import GgufFacts
from app.core.pairing import Vocabulary, VocabularyFacts, mismatch
from app.hub.model_file import ModelFile

ReadVocabulary = Callable[[ModelFile], Vocabulary]
BEST_RATIO = 1 / 14
"""Draft size / target size in the middle (geometric mean) of the range that pays best, 1/10 to 1/20."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What became of one candidate.

    `code`: "fits", or the rule that failed: "larger", "cannot_forget", or a rule of `app.core.pairing` ("type", "bos",
    "eos", "size", "text"). `sentence`: the reason, or what to expect. `ratio`: parameters / those of the target.
    `gain`: measured on this machine, None if never. `token`: the first differing id, -1 unless the code is "text".
    """

    model: ModelFile
    code: str
    sentence: str
    ratio: float
    gain: float | None = None
    token: int = -1

    @property
    def fits(self) -> bool:
        return self.code == "fits"


def judge_all(
    target: ModelFile,
    candidates: Iterable[ModelFile],
    read: ReadVocabulary,
    gains: Mapping[Path, float] | None = None,
) -> tuple[Verdict, ...]:
    """A verdict for every chat model but the target itself, in the order to show them.

    Args:
        target: A model of the role "chat".
        candidates: Any models; other roles are left out.
        read: Gives the vocabulary of a model; called only where the digests differ, and once for the target.
        gains: Measured gain by draft file.

    Raises:
        UserError: `read` could not read the target.
    """
    known = gains or {}
    cache: list[Vocabulary] = []

    def read_target() -> Vocabulary:
        if not cache:
            cache.append(read(target))
        return cache[0]

    verdicts = [
        judge(target, model, read, read_target, known.get(model.path))
        for model in candidates
        if model.role == "chat" and model.path != target.path
    ]
    return tuple(sorted(verdicts, key=lambda verdict: _order(target, verdict)))


def judge(
    target: ModelFile,
    draft: ModelFile,
    read: ReadVocabulary,
    read_target: Callable[[], Vocabulary],
    gain: float | None = None,
) -> Verdict:
    """The verdict for one candidate; both models have the role "chat"."""
    facts, vocabulary = _known(draft)
    target_facts, target_vocabulary = _known(target)
    ratio = facts.parameters / max(target_facts.parameters, 1)

    def no(code: str, sentence: str, token: int = -1) -> Verdict:
        return Verdict(model=draft, code=code, sentence=sentence, ratio=ratio, gain=gain, token=token)

    if vocabulary.digest != target_vocabulary.digest:
        # The facts decide most cases without reading a quarter of a million texts.
        found = mismatch(_without_texts(target_vocabulary), _without_texts(vocabulary))
        found = found or mismatch(read_target(), read(draft))
        if found is not None:
            return no(found.rule, found.sentence, found.token)
    if facts.memory != "attention":
        return no("cannot_forget", f"It cannot take back tokens ({facts.memory} model), so it cannot draft.")
    if ratio >= 1:
        size = "as large as the target" if ratio < 1.001 else f"larger than the target ({_times(ratio)})"
        return no("larger", f"It is {size}; a draft has to be much smaller.")
    return Verdict(model=draft, code="fits", sentence=_expectation(ratio, gain), ratio=ratio, gain=gain)


def ratio_in_words(ratio: float) -> str:
    """For example "about 1/14 of the target"."""
    if ratio > 0.75:
        return "almost as large as the target"
    return f"about 1/{max(round(1 / ratio), 2):,} of the target" if ratio > 0 else "of unknown size"


def _expectation(ratio: float, gain: float | None) -> str:
    size = ratio_in_words(ratio)
    if gain is not None:
        return f"Measured here: {gain:.2f} times as fast; {size}."
    if ratio > 1 / 4:
        return f"It is {size}: likely too big to pay."
    if ratio > 1 / 8:
        return f"It is {size}: a little big, pays where it is often right."
    if ratio >= 1 / 25:
        return f"It is {size}: in the sweet spot."
    return f"It is {size}: very fast, but less often right."


def _known(model: ModelFile) -> tuple[GgufFacts, VocabularyFacts]:
    if model.facts is None or model.vocabulary is None:
        raise ValueError(f"{model.path} is no chat model")
    return model.facts, model.vocabulary


def _times(ratio: float) -> str:
    return f"{ratio:.1f} times" if ratio < 10 else f"{ratio:.0f} times"


def _without_texts(facts: VocabularyFacts) -> Vocabulary:
    blank = [""]
    return Vocabulary(
        type=facts.type,
        size=facts.size,
        adds_bos=facts.adds_bos,
        adds_eos=facts.adds_eos,
        bos=facts.bos,
        eos=facts.eos,
        texts=lambda start, stop: blank * (stop - start),
    )


def _order(target: ModelFile, verdict: Verdict) -> tuple[object, ...]:
    """Fitting ones first: by measured gain, then family, then how near the ratio is to the best; the rest by name."""
    other_family = _known(verdict.model)[0].architecture != _known(target)[0].architecture
    distance = max(verdict.ratio, 1e-9) / BEST_RATIO
    distance = max(distance, 1 / distance)
    sweet = 1 / 25 <= verdict.ratio <= 1 / 8
    return (
        not verdict.fits,
        -(verdict.gain if verdict.gain is not None else 1.0),
        not sweet if verdict.fits else 0,
        other_family,
        distance if verdict.fits else 0.0,
        verdict.model.name.lower(),
        str(verdict.model.path),
    )
