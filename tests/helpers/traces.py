"""Recorded texts with what a draft proposes at each of their positions (benchmarks/record_traces.py)."""

import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from app.engine.ports import Proposal

_FOLDER = Path(__file__).parents[1] / "traces"
TRACES = _FOLDER / "demo_pair.json.gz"
FILES = (TRACES, _FOLDER / "demo_pair_2.json.gz")
"""Splits of the first: tuning and held_out; of the second: tuning and unseen."""
HEAD_TRACES = TRACES.with_name("demo_heads.json.gz")


@dataclass
class Text:
    """One recorded text: position i is what is proposed after `tokens[: i + 1]`."""

    workload: str
    temperature: float
    split: str
    question: str
    prompt: tuple[int, ...]
    tokens: tuple[int, ...]
    target_margins: tuple[float, ...]
    right: tuple[bool, ...]
    proposals: tuple[Proposal, ...]
    after_wrong: dict[int, tuple[Proposal, ...]] = field(default_factory=dict)

    def __len__(self) -> int:
        """Tokens to decode: all but the first, which the prefill gives."""
        return len(self.tokens) - 1

    @cached_property
    def runs(self) -> tuple[int, ...]:
        """How many proposals in a row are right from each position on."""
        runs = [0] * (len(self) + 1)
        for i in range(len(self) - 1, -1, -1):
            runs[i] = runs[i + 1] + 1 if self.right[i] else 0
        return tuple(runs)

    def proposal(self, position: int, n: int) -> Proposal | None:
        """The n-th (from 0) proposal of a round that starts at `position`; None beyond the recording."""
        run = self.runs[position]
        if n <= run:
            return self.proposals[position + n] if position + n < len(self) else None
        tail = self.after_wrong.get(position + run, ())
        return tail[n - run - 1] if n - run - 1 < len(tail) else None


def load(path: Path = TRACES) -> list[Text]:
    """All recorded texts."""
    data = json.loads(gzip.decompress(path.read_bytes()))
    steps = data["steps"]
    texts = []
    for entry in data["texts"]:
        greedy = entry["temperature"] == 0.0
        wrong = {int(place): (token, tail) for place, (token, tail) in entry["wrong"].items()}
        tokens = entry["text"]
        # The engine's draft model computes no confidence at temperature 0.
        sure: Callable[[int], float | None] = (lambda _: None) if greedy else (lambda percent: percent / 100)
        proposals = tuple(
            Proposal(wrong[i][0] if i in wrong else tokens[i + 1], "draft_model", margin / steps, sure(percent))
            for i, (margin, percent) in enumerate(zip(entry["margins"], entry["confidences"], strict=True))
        )
        # What follows a wrong token is never kept; its ids and probabilities are not recorded.
        after = {
            place: tuple(Proposal(-2 - n, "draft_model", m / steps, sure(60)) for n, m in enumerate(tail))
            for place, (_, tail) in wrong.items()
        }
        texts.append(
            Text(
                workload=entry["workload"],
                temperature=entry["temperature"],
                split=entry["split"],
                question=entry["question"],
                prompt=tuple(entry["prompt"]),
                tokens=tuple(tokens),
                target_margins=tuple(m / steps for m in entry["target_margins"]),
                right=tuple(i not in wrong for i in range(len(proposals))),
                proposals=proposals,
                after_wrong=after,
            )
        )
    return texts


def always_wrong(length: int = 200, margin: float = 1.2) -> Text:
    """A text of which the draft never gets a token right."""
    wrong = tuple(Proposal(1, "draft_model", margin) for _ in range(length))
    return Text(
        workload="always wrong",
        temperature=0.0,
        split="held_out",
        question="",
        prompt=(2,) * 20,
        tokens=(3,) * (length + 1),
        target_margins=(1.0,) * (length + 1),
        right=(False,) * length,
        proposals=wrong,
        after_wrong=dict.fromkeys(range(length), wrong[:15]),
    )


def joined(first: Text, second: Text) -> Text:
    """`second` right after `first`, as one answer: a change of subject in mid-text."""
    offset = len(first.tokens)
    # The place between the two: the first token of the second text, which nothing foresaw.
    gap = Proposal(-1, "draft_model", 0.1, None if first.temperature == 0.0 else 0.3)
    return Text(
        workload=f"{first.workload}, then {second.workload}",
        temperature=first.temperature,
        split=first.split,
        question=first.question,
        prompt=first.prompt,
        tokens=first.tokens + second.tokens,
        target_margins=first.target_margins + second.target_margins,
        right=(*first.right, False, *second.right),
        proposals=(*first.proposals, gap, *second.proposals),
        after_wrong=first.after_wrong | {offset + place: tail for place, tail in second.after_wrong.items()},
    )


def beginning(text: Text, length: int) -> Text:
    """Its first `length` tokens to decode: a short answer."""
    return replace(
        text,
        tokens=text.tokens[: length + 1],
        target_margins=text.target_margins[: length + 1],
        right=text.right[:length],
        proposals=text.proposals[:length],
        after_wrong={place: tail for place, tail in text.after_wrong.items() if place < length},
    )


def rewrite(text: Text, every: int = 40) -> Text:
    """An answer that repeats its prompt but for a token here and there: what n-grams are best at."""
    tokens = tuple(4_000 + i if i % every == every - 1 else token for i, token in enumerate(text.tokens))
    return replace(text, workload="rewrite", prompt=text.prompt + text.tokens, tokens=tokens)


@dataclass
class HeadText(Text):
    """A text with a whole draft of the target's heads at every position: what they go on with is their own."""

    drafts: tuple[tuple[Proposal, ...], ...] = ()

    @cached_property
    def runs(self) -> tuple[int, ...]:
        """See `Text.runs`."""
        runs = []
        for position, draft in enumerate(self.drafts):
            follow = self.tokens[position + 1 :]
            same = [proposal.token == token for proposal, token in zip(draft, follow, strict=False)]
            runs.append(same.index(False) if False in same else len(same))
        return (*runs, 0)

    def proposal(self, position: int, n: int) -> Proposal | None:
        """See `Text.proposal`."""
        draft = self.drafts[position]
        return draft[n] if n < len(draft) else None


def load_heads(path: Path = HEAD_TRACES) -> list[HeadText]:
    """All texts recorded with the heads of the demo target."""
    data = json.loads(gzip.decompress(path.read_bytes()))
    steps = data["steps"]
    texts = []
    for entry in data["texts"]:
        greedy = entry["temperature"] == 0.0
        drafts = tuple(
            tuple(
                # As with a draft model, the engine computes no confidence at temperature 0.
                Proposal(token, "heads", margin / steps, None if greedy else percent / 100)
                for token, margin, percent in zip(*draft, strict=True)
            )
            for draft in entry["drafts"]
        )
        tokens = tuple(entry["text"])
        texts.append(
            HeadText(
                workload=entry["workload"],
                temperature=entry["temperature"],
                split=entry["split"],
                question=entry["question"],
                prompt=tuple(entry["prompt"]),
                tokens=tokens,
                target_margins=tuple(m / steps for m in entry["target_margins"]),
                right=tuple(d[0].token == token for d, token in zip(drafts, tokens[1:], strict=True)),
                proposals=tuple(d[0] for d in drafts),
                drafts=drafts,
            )
        )
    return texts
