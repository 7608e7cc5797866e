"""Record what a draft would propose at every position of the target's own texts, for replays (tests/traces).

    python benchmarks/record_traces.py [--series 0|1] [--target FILE --draft FILE] [--out FILE] [--heads]

The text does not depend on the drafter (law 4), so one recording serves every policy and every cost curve. What the
draft proposes after text it got right is what it would propose there anyway; only what it goes on with after a wrong
token has to be recorded besides. Prompts are split: policies are tuned on the one half and judged on the other.

With `--heads` the target's own prediction heads are recorded, on the prompts for judging of both series and on shorter
texts: what they go on with depends on where they began, so that a whole draft is recorded at every position.
"""

import argparse
import gzip
import json
from pathlib import Path

from trace_prompts import prompts

from app.core import paths
from app.engine.backends.llamacpp.context import Context
from app.engine.backends.llamacpp.heads import HeadContext
from app.engine.backends.llamacpp.weights import Weights
from app.engine.cancel import CancelFlag
from app.engine.drafters.heads import Heads
from app.engine.ports import Verdict
from app.engine.sampling import Sampler
from app.protocol.options import SamplingOptions

TOKENS = 200
AFTER_WRONG = 15
STEPS = 16
"""Margins are stored in 1/16, confidences in 1/100."""

TRACES = Path(__file__).parents[1] / "tests" / "traces"
FILES = (TRACES / "demo_pair.json.gz", TRACES / "demo_pair_2.json.gz")
"""One for each series of prompts."""
SPLITS = (("tuning", "held_out"), ("tuning", "unseen"))
"""By series, of the first and the second half of the prompts. Constants were later chosen with an eye on them all."""
HEAD_TRACES = TRACES / "demo_heads.json.gz"
HEAD_TEXTS = 10
"""Of each series the last: those the policy was not tuned on."""
HEAD_TOKENS = 120
HEAD_SEED = 5000
"""Others than while the policy was made."""
HEAD_STEPS = 8


def record(target: Context, draft: Context, weights: Weights, question: str, temperature: float, seed: int) -> dict:
    """One text and what the draft would have said to it."""
    chat = f"<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n"
    prompt = weights.tokenise(chat, specials=True, add_bos=weights.adds_bos)
    sampler = Sampler(SamplingOptions(temperature=temperature), seed, prompt)
    target.clear()
    target.decode(prompt)
    text: list[int] = []
    target_margins = []
    while len(text) < TOKENS and not (text and text[-1] in target.end_tokens):
        choice = sampler.choose(target.logits(-1), len(prompt) + len(text))
        text.append(choice.token)
        target_margins.append(_margin(choice.margin))
        target.decode([choice.token])
    draft.clear()
    draft.decode(prompt)
    margins, confidences, wrong = [], [], {}
    for place in range(1, len(text)):
        draft.decode([text[place - 1]])
        at = len(prompt) + place
        choice = sampler.choose(draft.logits(-1), at, confident=True)
        margins.append(_margin(choice.margin))
        confidences.append(round((choice.confidence or 0.0) * 100))
        if choice.token != text[place]:
            tail = []
            token = choice.token
            for step in range(1, AFTER_WRONG + 1):
                draft.decode([token])
                going_on = sampler.choose(draft.logits(-1), at + step)
                token = going_on.token
                tail.append(_margin(going_on.margin))
            draft.truncate(at)
            wrong[place - 1] = [choice.token, tail]
    return {
        "question": question,
        "temperature": temperature,
        "prompt": prompt,
        "text": text,
        "target_margins": target_margins,
        "margins": margins,
        "confidences": confidences,
        "wrong": wrong,
    }


def record_heads(target: Context, heads: HeadContext, question: str, temperature: float, seed: int) -> dict:
    """One text and what the target's heads would draft from every position of it."""
    chat = f"<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n"
    prompt = target.weights.tokenise(chat, specials=True, add_bos=target.weights.adds_bos)
    sampler = Sampler(SamplingOptions(temperature=temperature), seed, prompt)
    drafter = Heads(heads, target.end_tokens)
    drafter.use(sampler, confident=True)
    target.clear()
    target.decode(prompt)
    text: list[int] = []
    target_margins, drafts = [], []
    while len(text) < HEAD_TOKENS and not (text and text[-1] in target.end_tokens):
        choice = sampler.choose(target.logits(-1), len(prompt) + len(text))
        text.append(choice.token)
        target_margins.append(_margin(choice.margin))
        drafted = drafter.propose([*prompt, *text], HEAD_STEPS, lambda _proposal: Verdict.GO_ON)
        sure = [round((p.confidence or 0.0) * 100) for p in drafted]
        drafts.append([[p.token for p in drafted], [_margin(p.margin or 0.0) for p in drafted], sure])
        target.decode([choice.token])
    return {
        "question": question,
        "temperature": temperature,
        "prompt": prompt,
        "text": text,
        "target_margins": target_margins,
        "drafts": drafts[:-1],
    }


def _margin(value: float) -> int:
    return round(min(value, 20.0) * STEPS)


def main() -> None:
    demo = paths.demo_pair()
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--target", type=Path, default=demo[0])
    parser.add_argument("--draft", type=Path, default=demo[1])
    parser.add_argument("--series", type=int, default=0, choices=(0, 1), help="which prompts")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--heads", action="store_true", help="of the target, instead of the draft")
    arguments = parser.parse_args()
    if arguments.heads:
        _record_all_heads(arguments.target, arguments.out or HEAD_TRACES)
        return
    series = arguments.series
    out = arguments.out or FILES[series]
    weights = [Weights(file, 0, lambda _: None, CancelFlag()) for file in (arguments.target, arguments.draft)]
    target, draft = (Context(w, 1024, arguments.threads) for w in weights)
    texts = []
    for workload, questions in prompts(series).items():
        for temperature in (0.0, 0.8):
            for index, question in enumerate(questions):
                trace = record(target, draft, weights[0], question, temperature, seed=1000 + 1000 * series + index)
                texts.append({"workload": workload, "split": SPLITS[series][index >= 10], **trace})
                right = 1 - len(trace["wrong"]) / max(1, len(trace["margins"]))
                print(f"{workload:9} {temperature:3} {len(trace['text']):4} tokens, agreement {right:.2f}  {question}")
    _write(texts, out)


def _record_all_heads(file: Path, out: Path) -> None:
    weights = Weights(file, 0, lambda _: None, CancelFlag(), heads=True)
    target = Context(weights, 1024, 1)
    heads = HeadContext(target, 1)
    texts = []
    for series, (_, split) in enumerate(SPLITS):
        for workload, questions in prompts(series).items():
            for temperature in (0.0, 0.8):
                for index, question in enumerate(questions[-HEAD_TEXTS:]):
                    trace = record_heads(target, heads, question, temperature, seed=HEAD_SEED + 1000 * series + index)
                    texts.append({"workload": workload, "split": split, **trace})
                    right = sum(d[0][:1] == [t] for d, t in zip(trace["drafts"], trace["text"][1:], strict=True))
                    print(f"{workload:9} {temperature:3} {right:3} of {len(trace['text']) - 1:3} right  {question}")
    _write(texts, out)


def _write(texts: list[dict], out: Path) -> None:
    data = json.dumps({"version": 1, "steps": STEPS, "texts": texts}, separators=(",", ":")).encode()
    out.write_bytes(gzip.compress(data, 9, mtime=0))
    print(f"{len(texts)} texts, {out.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
