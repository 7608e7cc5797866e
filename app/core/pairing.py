"""May this draft serve this target? llama.cpp's rule, in words.

The rule is that of llama.cpp (`common_speculative_are_compatible` in `common/speculative.cpp`): the same type of
vocabulary; the same add-BOS and add-EOS flags, with the same ids where they are on; sizes within 128; identical texts
for every id from 5 on.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

MAX_SIZE_DIFFERENCE = 128
FIRST_COMPARED_ID = 5

Rule = Literal["type", "bos", "eos", "size", "text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """What the rule looks at. `texts(start, stop)`: the entries start .. stop - 1. `bos`, `eos`: ids, -1 for none."""

    type: str
    size: int
    adds_bos: bool
    adds_eos: bool
    bos: int
    eos: int
    texts: Callable[[int, int], Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class VocabularyFacts:
    """What the pairing rule needs, except the texts; `digest` covers those and everything else."""

    type: str
    size: int
    adds_bos: bool
    bos: int
    adds_eos: bool
    eos: int
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """The first rule that fails. `token`: the first differing id where `rule` is "text", else -1."""

    rule: Rule
    sentence: str
    token: int = -1


def facts_of(vocabulary: Vocabulary) -> VocabularyFacts:
    """The facts, with a digest that is equal exactly for interchangeable vocabularies."""
    return VocabularyFacts(
        type=vocabulary.type,
        size=vocabulary.size,
        adds_bos=vocabulary.adds_bos,
        bos=vocabulary.bos,
        adds_eos=vocabulary.adds_eos,
        eos=vocabulary.eos,
        digest=_digest(vocabulary),
    )


def _digest(vocabulary: Vocabulary) -> str:
    hasher = hashlib.sha256(
        f"{vocabulary.type} {vocabulary.adds_bos} {vocabulary.bos} {vocabulary.adds_eos} {vocabulary.eos}\n".encode()
    )
    for text in vocabulary.texts(0, vocabulary.size):
        data = text.encode("utf-8")
        hasher.update(b"%d:" % len(data))
        hasher.update(data)
    return hasher.hexdigest()


def mismatch(target: Vocabulary, draft: Vocabulary) -> Mismatch | None:
    """The first rule the two vocabularies break, None if the draft can serve the target."""
    if target.type != draft.type:
        return Mismatch(
            rule="type", sentence=f"It has another kind of vocabulary ({draft.type}; the target has {target.type})."
        )
    for rule, name, t_on, d_on, t_id, d_id in (
        ("bos", "begin", target.adds_bos, draft.adds_bos, target.bos, draft.bos),
        ("eos", "end", target.adds_eos, draft.adds_eos, target.eos, draft.eos),
    ):
        if t_on != d_on:
            who, other = ("the target", "it") if t_on else ("it", "the target")
            sentence = f"Only one of the two puts a {name} token around texts: {who} does, {other} does not."
        elif t_on and t_id != d_id:
            sentence = f"Its {name} token has the id {d_id:,}, the target's {t_id:,}."
        else:
            continue
        return Mismatch(rule="bos" if rule == "bos" else "eos", sentence=sentence)
    difference = abs(target.size - draft.size)
    if difference > MAX_SIZE_DIFFERENCE:
        return Mismatch(
            rule="size",
            sentence=f"Its vocabulary has {draft.size:,} tokens, the target's {target.size:,}: "
            f"{difference:,} apart, {MAX_SIZE_DIFFERENCE} are allowed.",
        )
    return _first_difference(target, draft)


def _first_difference(target: Vocabulary, draft: Vocabulary) -> Mismatch | None:
    stop = min(target.size, draft.size)
    step = 4096
    for start in range(FIRST_COMPARED_ID, stop, step):
        ours = target.texts(start, min(start + step, stop))
        theirs = draft.texts(start, min(start + step, stop))
        if ours == theirs:
            continue
        for offset, (one, two) in enumerate(zip(ours, theirs, strict=True)):
            if one != two:
                token = start + offset
                return Mismatch(
                    rule="text",
                    token=token,
                    sentence=f"Token {token:,} differs: {quoted(two)} here, {quoted(one)} in the target.",
                )
    return None


def quoted(text: str) -> str:
    """A token's text for a sentence: quoted, control characters shown, long texts cut."""
    shown = text if len(text) <= 40 else text[:39] + "…"
    return "“" + "".join(c if c.isprintable() else repr(c)[1:-1] for c in shown) + "”"
