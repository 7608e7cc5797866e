"""What a pass costs outside the model: the loop, the choice of tokens, the pacing, the events and their encoding.

First a model that costs nothing (its logits are recorded rows of the demo pair) runs through the real loop, so that
whatever time passes is ours: processor time of this process, the least of several answers, so that a busy machine
disturbs little. Then the same on a real pair: what the loop spent outside its passes and draft steps, and the time to
the first token with speculation against without.

    python benchmarks/loop.py [--tokens N] [--repeat N] [--json FILE] [--no-real | --target FILE --draft FILE]
"""

import argparse
import dataclasses
import json
import os
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from app.core import paths
from app.engine.backends.llamacpp.context import Context
from app.engine.backends.llamacpp.weights import Weights
from app.engine.backends.local import LocalBackend
from app.engine.cancel import CancelFlag
from app.engine.costs import PairCosts
from app.engine.drafters.draft_model import DraftModel
from app.engine.drafters.mixed import Mixed
from app.engine.drafters.ngram import Ngram
from app.engine.drafters.off import Off
from app.engine.generation import Answer, Cached, Task
from app.engine.lookahead import PairHistory, make
from app.engine.ports import Drafter, Logits, LookaheadPolicy, RoundOutcome
from app.engine.sampling import Sampler
from app.protocol.codec import encode
from app.protocol.messages import Finished, Generate, Load
from app.protocol.options import LimitOptions, SamplingOptions, SpeculationOptions

MOST_MS = {4096: 0.25, 262144: 1.0}
"""Bars: milliseconds a pass may cost besides the model, by the size of the vocabulary."""
CHOICES = 8
"""Choices of target and draft the bars are for (3 tokens are proposed and checked); longer rounds may take longer."""
MOST_TTFT = 1.02
"""Bar: time to the first token with speculation / without."""
ARMS = {
    "off": SpeculationOptions(drafter="off"),
    "fixed 3": SpeculationOptions(drafter="draft_model", lookahead=3),
    "auto": SpeculationOptions(drafter="draft_model"),
    "mixed": SpeculationOptions(drafter="mixed"),
}
ROWS = 16
"""Places of a text; few enough for their logits to be near the processor, as they are after a pass."""
PASS_S, ROW_S, STEP_S = 0.010, 0.0002, 0.0004
"""What the policy is told that passes and draft steps take: a machine on which drafting pays."""


class FreeModel:
    """A `TokenModel` whose passes cost nothing. The next token depends on the position only."""

    can_truncate = True
    keeps_state = False
    owed = 0
    end_tokens: frozenset[int] = frozenset()

    def __init__(self, rows: Logits, n_ctx: int) -> None:
        self._rows = rows
        self.n_vocab = rows.shape[1]
        self.n_ctx = n_ctx
        self.length = 0
        self._first = 0

    def decode(self, tokens: Sequence[int], *, every_row: bool = False) -> None:
        self._first = self.length if every_row else self.length + len(tokens) - 1
        self.length += len(tokens)

    def logits(self, row: int) -> Logits:
        at = self.length - 1 if row < 0 else self._first + row
        return self._rows[at % len(self._rows)]

    def truncate(self, keep: int) -> None:
        self.length = min(self.length, keep)

    def clear(self) -> None:
        self.length = 0

    def pay(self, most: int) -> None:
        pass

    def mark(self) -> None:
        pass


class Told:
    """A policy that is told the times of a machine on which drafting pays."""

    def __init__(self, policy: LookaheadPolicy) -> None:
        self._policy = policy
        self.plan, self.go_on, self.begin, self.wants = policy.plan, policy.go_on, policy.begin, policy.wants

    def observe(self, outcome: RoundOutcome) -> None:
        steps = sum(proposal.source != "ngram" for proposal in outcome.offered)
        pass_s, draft_s = PASS_S + ROW_S * (outcome.rows - 1), STEP_S * steps
        self._policy.observe(outcome._replace(pass_s=pass_s, draft_s=draft_s))

    @property
    def pause_reason(self) -> str:
        return self._policy.pause_reason

    @property
    def gain(self) -> float | None:
        return self._policy.gain


def overhead(rows: Logits, draft_rows: Logits, temperature: float, arm: str, tokens: int) -> dict[str, float]:
    """Milliseconds of processor time per target pass, everything but the model, and what a pass did."""
    vocabulary = rows.shape[1]
    target, draft = FreeModel(rows, tokens + 100), FreeModel(draft_rows, tokens + 100)
    sampling = SamplingOptions(temperature=temperature)
    sampler = Sampler(sampling, 1, [1, 2, 3])
    options = ARMS[arm]
    costs = PairCosts()
    for n in range(1, 18):
        costs.passes.tell(n, PASS_S + ROW_S * (n - 1))
    costs.tell_step(STEP_S)
    policy = Told(make(options, costs, PairHistory()))
    model = DraftModel(draft, vocabulary)
    model.use(sampler, confident=temperature > 0 and options.lookahead == "auto")  # as the app does
    drafters: dict[str, Drafter] = {
        "off": Off(),
        "draft_model": model,
        "mixed": Mixed(Ngram(), model, policy.wants),
    }
    task = Task(
        id="1",
        prompt=[1, 2, 3],
        sampling=sampling,
        seed=1,
        limits=LimitOptions(max_tokens=tokens),
        stop=("\nUser:",),
        reuse_cache=False,
        drafter=drafters[options.drafter],
        drafter_name=options.drafter,
        policy=policy,
        piece=lambda token: b"word ",
        cancel=CancelFlag(),
    )
    finished = None
    started = time.process_time()
    for event in Answer(Cached(target), task, sampler).events():
        encode(event)
        finished = event
    spent = (time.process_time() - started) * 1000
    assert isinstance(finished, Finished)
    stats = finished.stats
    return {
        "ms_per_pass": spent / stats.passes,
        "ms_per_token": spent / stats.generated_tokens,
        "tokens_per_pass": stats.generated_tokens / stats.passes,
        "proposed_per_pass": stats.proposed / stats.passes,
    }


def recorded_rows() -> tuple[Logits, Logits]:
    """What the demo pair says at some places of a text: rows of logits as sure and as alike as those of real pairs."""
    files = paths.demo_pair()
    weights = [Weights(file, 0, lambda _: None, CancelFlag()) for file in files]
    target, draft = (Context(w, 1024, os.cpu_count() or 1) for w in weights)
    text = weights[0].tokenise(
        "<|im_start|>user\nExplain `json.dumps`.<|im_end|>\n<|im_start|>assistant\n",
        specials=True,
        add_bos=weights[0].adds_bos,
    )
    for model in (target, draft):
        model.decode(text)
    sampler = Sampler(SamplingOptions(temperature=0.8), 1, text)
    rows: tuple[list[Logits], list[Logits]] = ([], [])
    for place in range(ROWS):
        for kept, model in zip(rows, (target, draft), strict=True):
            kept.append(model.logits(-1).copy())
        token = sampler.choose(rows[0][-1], len(text) + place).token
        for model in (target, draft):
            model.decode([token])
    for model in (target, draft):
        model.close()
    for w in weights:
        w.close()
    return np.array(rows[0]), np.array(rows[1])


def spread_out(rows: Logits, vocabulary: int) -> Logits:
    """The same choices among `vocabulary` tokens: those there are too many of are very unlikely."""
    if vocabulary <= rows.shape[1]:
        return rows[:, :vocabulary]
    random = np.random.default_rng(1)
    low = np.quantile(rows, 0.1, axis=1, keepdims=True).astype(np.float32)
    result = low - random.exponential(2.0, (len(rows), vocabulary)).astype(np.float32)
    result[:, random.permutation(vocabulary)[: rows.shape[1]]] = rows
    return result


def free_model(tokens: int, repeat: int) -> list[dict[str, Any]]:
    """The table of the model that costs nothing."""
    found = []
    print("a model that costs nothing, processor time")
    print("vocabulary  choice   drafter   ms/pass ms/token  kept proposed  bar")
    real = recorded_rows()
    for vocabulary, most in MOST_MS.items():
        rows, draft_rows = (spread_out(logits, vocabulary) for logits in real)
        for temperature in (0.0, 0.8):
            for arm in ARMS:
                runs = [overhead(rows, draft_rows, temperature, arm, tokens) for _ in range(repeat)]
                least = min(runs, key=lambda run: run["ms_per_pass"])
                choice = "greedy" if temperature == 0 else "sampled"
                choices = 1 + 2 * least["proposed_per_pass"]
                passed = least["ms_per_pass"] < most * max(1.0, choices / CHOICES)
                found.append({"vocabulary": vocabulary, "choice": choice, "arm": arm, **least, "passed": passed})
                print(
                    f"{vocabulary:10}  {choice:8} {arm:8} {least['ms_per_pass']:8.3f} {least['ms_per_token']:8.3f} "
                    f"{least['tokens_per_pass']:5.2f} {least['proposed_per_pass']:8.2f}  {'ok' if passed else 'MISSED'}"
                )
    return found


PROMPT = "Tell me about list comprehensions. " * 12


def real_pair(target: Path, draft: Path, tokens: int, repeat: int) -> dict[str, Any]:
    """What a pass of a real pair costs outside its passes and draft steps, and the times to the first token."""
    backend = LocalBackend()
    load = Load(id="load", target=str(target), draft=str(draft), draft_required=True, context=1024)
    backend.load(load, CancelFlag(), lambda event: None)
    while backend.idle(CancelFlag()):
        pass
    outside: dict[str, list[float]] = {arm: [] for arm in ARMS}
    first: dict[str, list[float]] = {arm: [] for arm in ARMS}
    plain = []
    for place in range(repeat):
        for arm in sorted(ARMS, key=lambda name: hash((name, place))):
            request = Generate(
                id="answer",
                prompt=PROMPT,
                sampling=SamplingOptions(temperature=0.8, seed=place),
                speculation=dataclasses.replace(ARMS[arm], explicit=arm != "off"),
                limits=LimitOptions(max_tokens=tokens),
                reuse_cache=False,
            )
            *_, finished = backend.generate(request, CancelFlag())
            assert isinstance(finished, Finished)
            stats = finished.stats
            outside[arm].append((stats.sample_ms + stats.other_ms) / max(1, stats.passes))
            first[arm].append(stats.ttft_ms)
            if arm == "off":
                plain.append(stats.verify_ms / max(1, stats.passes))
    backend.close()
    v1 = statistics.median(plain)
    result: dict[str, Any] = {"target": target.name, "plain_pass_ms": v1, "arms": []}
    print(f"\n{target.name}: a plain pass takes {v1:.2f} ms")
    print("drafter   ms/pass outside  share of V(1)  TTFT ms  against off")
    for arm in ARMS:
        spent = min(outside[arm])
        ratio = min(first[arm]) / min(first["off"])
        result["arms"].append({"arm": arm, "ms_outside": spent, "share": spent / v1, "ttft_ratio": ratio})
        mark = "ok" if ratio <= MOST_TTFT else "MISSED"
        print(f"{arm:8} {spent:16.3f} {spent / v1:14.1%} {min(first[arm]):8.2f} {ratio:12.3f} {mark}")
    return result


def main() -> None:
    demo = paths.demo_pair()
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tokens", type=int, default=400)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--no-real", action="store_true", help="only the model that costs nothing")
    parser.add_argument("--target", type=Path, default=demo[0])
    parser.add_argument("--draft", type=Path, default=demo[1])
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    result: dict[str, Any] = {"free": free_model(options.tokens, options.repeat)}
    if not options.no_real:
        result["real"] = real_pair(options.target, options.draft, min(options.tokens, 100), options.repeat)
    if options.json:
        options.json.write_text(json.dumps(result, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
