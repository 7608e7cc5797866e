"""Real models in this process: load them, ask them, look into them."""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from app.core import machine
from app.engine.backends.llamacpp import Context, Weights
from app.engine.backends.local import LocalBackend
from app.engine.cancel import CancelFlag
from app.engine.noise import gumbel
from app.engine.ports import Logits
from app.engine.prompts import PromptBuilder, plain_template
from app.engine.sampling import Sampler
from app.protocol.messages import Delta, Event, Finished, FinishReason, Generate, Load, Loaded, Notice, Turn
from app.protocol.options import (
    DRAFT_SOURCES,
    DrafterName,
    LimitOptions,
    SamplingOptions,
    SpeculationOptions,
    TokenSource,
)
from app.protocol.stats import GenerationStats, SpeculationState

GREEDY = SamplingOptions(temperature=0.0)
UNFILTERED = {"top_k": 0, "top_p": 1.0, "min_p": 0.0}
NEAR_TIE = 0.6
"""Logits. Gaps up to 0.25 were seen on gemma-3-270m Q4_K_M; an error of the loop makes differences of any size."""


@dataclass(frozen=True)
class Reply:
    """A whole answer, put together from its events."""

    tokens: tuple[int, ...]
    sources: tuple[TokenSource, ...]
    text: str
    reason: FinishReason
    stats: GenerationStats
    speculation: SpeculationState
    seed: int
    notices: tuple[Notice, ...]

    @property
    def drafted(self) -> int:
        """Tokens marked as drafted."""
        return sum(source in DRAFT_SOURCES for source in self.sources)


def reply(events: Iterable[Event]) -> Reply:
    """The answer in `events`; fails unless it ends with `Finished`."""
    events = list(events)
    finished = events[-1]
    assert isinstance(finished, Finished), f"an answer ends with Finished, not {finished}"
    deltas = [event for event in events if isinstance(event, Delta)]
    assert all(len(delta.tokens) == len(delta.sources) for delta in deltas)
    return Reply(
        tokens=tuple(token for delta in deltas for token in delta.tokens),
        sources=tuple(source for delta in deltas for source in delta.sources),
        text="".join(piece.text for delta in deltas for piece in delta.pieces),
        reason=finished.reason,
        stats=finished.stats,
        speculation=finished.speculation,
        seed=finished.seed,
        notices=finished.notices,
    )


def check_counters(answer: Reply) -> None:
    """What holds for the numbers of any answer."""
    stats = answer.stats
    assert 0 <= stats.accepted <= stats.verified <= stats.proposed
    assert stats.accepted == answer.drafted == sum(stats.accepted_by_position)
    assert stats.verified == sum(stats.verified_by_position)
    assert stats.generated_tokens == len(answer.tokens)
    later = answer.tokens[1:]  # the first comes from the prefill
    assert len(later) <= stats.accepted + stats.passes
    assert stats.passes <= len(later)
    for of_place, before in zip(stats.accepted_by_position[1:], stats.accepted_by_position, strict=False):
        assert of_place <= before, "a token can only be accepted after the one before it"
    split = stats.draft_ms + stats.verify_ms + stats.sample_ms + stats.other_ms
    assert abs(split - stats.decode_ms) < 0.01 + stats.decode_ms * 0.01
    assert (stats.acceptance_rate is None) == (stats.verified == 0)


class LocalEngine:
    """A `LocalBackend` with models in it. Use it as a context manager.

    Args:
        target: The model file.
        draft: A draft model's file; it has to be usable.
        context: Tokens.
        threads: 1 for tiny models, whose threads would wait for each other; 0 for the physical cores.
    """

    def __init__(self, target: Path, draft: Path | None = None, *, context: int = 1024, threads: int = 1) -> None:
        self.backend = LocalBackend()
        self.loaded = self.load(target, draft, context=context, threads=threads, draft_required=draft is not None)

    def __enter__(self) -> "LocalEngine":
        return self

    def __exit__(self, *_: object) -> None:
        self.backend.close()

    def load(self, target: Path, draft: Path | None = None, **options: Any) -> Loaded:
        request = Load(id="load", target=str(target), draft=str(draft or ""), gpu_layers=0, **options)
        return self.backend.load(request, CancelFlag(), lambda _event: None)

    def ask(
        self,
        prompt: str | Sequence[Turn],
        drafter: DrafterName = "off",
        lookahead: int | Literal["auto"] = 7,
        *,
        sampling: SamplingOptions = GREEDY,
        max_tokens: int = 24,
        stop: tuple[str, ...] = (),
        fixed_shape: int = 0,
        reuse_cache: bool = True,
        min_confidence: float = 0.0,
    ) -> Reply:
        """One answer: a text is continued as it stands, turns get the chat template. The drafter has to be usable."""
        request = Generate(
            id="ask",
            turns=() if isinstance(prompt, str) else tuple(prompt),
            prompt=prompt if isinstance(prompt, str) else None,
            sampling=sampling,
            speculation=SpeculationOptions(
                drafter=drafter, lookahead=lookahead, min_confidence=min_confidence, explicit=True
            ),
            limits=LimitOptions(max_tokens=max_tokens, stop=stop, fixed_shape=fixed_shape),
            reuse_cache=reuse_cache,
        )
        answer = reply(self.backend.generate(request, CancelFlag()))
        check_counters(answer)
        return answer


@dataclass(frozen=True)
class Parting:
    """Where two answers to one prompt part ways.

    `gap`: what the target gives the one token before the other, in logits, noise included. A gap that rounding can
    close is a near-tie.
    """

    place: int
    tokens: tuple[int, int]
    gap: float

    def __str__(self) -> str:
        return f"token {self.place}: {self.tokens[0]} or {self.tokens[1]}, gap {self.gap:.3f}"


class Probe:
    """The target's own opinion, from a context of its own. Use it as a context manager."""

    def __init__(self, path: Path, *, context: int = 1024, threads: int = 1) -> None:
        self.weights = Weights(path, 0, lambda _share: None, CancelFlag())
        self.context = Context(self.weights, context, threads or machine.physical_cores())
        template = self.weights.template()
        self.builder = PromptBuilder(
            self.weights, self.weights.formatter(template) if template.strip() else plain_template
        )

    def __enter__(self) -> "Probe":
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()
        self.weights.close()

    def prompt(self, prompt: str | Sequence[Turn]) -> list[int]:
        """The tokens an engine gets for this prompt."""
        return self.builder.raw(prompt) if isinstance(prompt, str) else self.builder.conversation(prompt)

    def scores(self, history: Sequence[int]) -> Logits:
        """Scores of the token after `history`, decoded in one go."""
        self.context.clear()
        self.context.decode(history)
        return self.context.logits(-1)

    def near_tie(self, prompt: str | Sequence[Turn], answer: Reply, place: int) -> float:
        """The gap between the two best tokens at this place of an answer, in logits."""
        best = np.sort(self.scores([*self.prompt(prompt), *answer.tokens[:place]]))[-2:]
        return float(best[1] - best[0])

    def parting(
        self, prompt: str | Sequence[Turn], one: Reply, two: Reply, sampling: SamplingOptions = GREEDY
    ) -> Parting | None:
        """The first difference of two answers, None if there is none. `sampling` has to be without filters."""
        place = next(
            (at for at, (a, b) in enumerate(itertools.zip_longest(one.tokens, two.tokens)) if a != b),
            None,
        )
        if place is None:
            return None
        history = [*self.prompt(prompt), *one.tokens[:place]]
        row = self.scores(history)
        tokens = (one.tokens[place], two.tokens[place])
        if sampling.temperature == 0.0:
            return Parting(place, tokens, abs(float(row[tokens[0]]) - float(row[tokens[1]])))
        noise = gumbel(Sampler(sampling, one.seed, history)._key, len(history), np.array(tokens))
        gap = float(row[tokens[0]]) - float(row[tokens[1]]) + sampling.temperature * float(noise[0] - noise[1])
        return Parting(place, tokens, abs(gap))
