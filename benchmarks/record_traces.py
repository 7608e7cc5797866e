"""Record what a draft would propose at every position of the target's own texts, for replays (tests/traces).

    python benchmarks/record_traces.py [--target FILE --draft FILE] [--out FILE] [--heads]

The text does not depend on the drafter (law 4), so one recording serves every policy and every cost curve. What the
draft proposes after text it got right is what it would propose there anyway; only what it goes on with after a wrong
token has to be recorded besides. Prompts are split: policies are tuned on the one half and judged on the other.

With `--heads` the target's own prediction heads are recorded, on fewer and shorter texts: what they go on with depends
on where they began, so that a whole draft is recorded at every position.
"""

import argparse
import gzip
import json
import os
from pathlib import Path

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

THINGS = ["users", "songs", "cities", "books", "sensors", "recipes", "planets", "rivers", "birds", "products"]
CODE = [
    "textwrap.dedent",
    "shutil.copytree",
    "os.path.join",
    "random.shuffle",
    "json.dumps",
    "statistics.median",
    "heapq.merge",
    "glob.glob",
    "string.capwords",
    "difflib.get_close_matches",
    "collections.namedtuple",
    "inspect.getsource",
    "calendar.isleap",
    "bisect.insort",
    "functools.reduce",
    "ast.walk",
    "tempfile.mkdtemp",
    "urllib.parse.urljoin",
    "copy.deepcopy",
    "traceback.print_exc",
]
TOPICS = [
    "list comprehensions",
    "regular expressions",
    "generators",
    "context managers",
    "logging",
    "sockets",
    "exceptions",
    "threads",
    "dictionaries",
    "file objects",
    "decorators",
    "unit tests",
    "the import system",
    "Unicode",
    "sorting",
    "metaclasses",
    "coroutines",
    "command line arguments",
    "floating point numbers",
    "virtual environments",
]
CALLS = [
    "json.dumps",
    "asyncio.gather",
    "os.walk",
    "re.sub",
    "itertools.chain",
    "subprocess.run",
    "pathlib.Path",
    "socket.create_connection",
    "hashlib.sha256",
    "random.choice",
    "shutil.move",
    "threading.Lock",
    "csv.reader",
    "time.sleep",
    "pickle.loads",
    "zipfile.ZipFile",
    "datetime.timedelta",
    "io.StringIO",
    "contextlib.suppress",
    "queue.Queue",
]
TRACES = Path(__file__).parents[1] / "tests" / "traces" / "demo_pair.json.gz"
HEAD_TRACES = TRACES.with_name("demo_heads.json.gz")
HEAD_TEXTS = 6
HEAD_TOKENS = 120
HEAD_STEPS = 8


def prompts() -> dict[str, list[str]]:
    """Twenty a workload; the first half is for tuning."""
    ask = {
        "json": ["Give me a JSON array of {} {}.", "Write {} {} as JSON.", "List {} {} in JSON."],
        "code": ["Write Python code for `{}`.", "Show me the source of `{}`.", "Write the function `{}`."],
        "prose": ["Tell me about {}.", "Write a short guide to {}.", "Explain {}.", "What should I know about {}?"],
        "doc": ["What does `{}` do?", "Explain `{}`.", "How do I use `{}`?", "Describe `{}` briefly."],
    }

    def pick(kind: str, i: int) -> str:
        return ask[kind][i % len(ask[kind])]

    counts = range(20)
    return {
        "json": [pick("json", i).format(2 + i * 3 % 5, THINGS[(i * 7 + i // 10) % 10]) for i in counts],
        "counting": [f"Count from {1 + i * 7 % 20} to {24 + i * 7 % 20 + i % 3}." for i in counts],
        "table": [
            f"Make a table of {3 + i // 2} people." if i % 2 else f"List {4 + i // 4} {THINGS[i * 3 % 10]}."
            for i in counts
        ],
        "code": [pick("code", i).format(CODE[i]) for i in counts],
        "prose": [pick("prose", i).format(TOPICS[i]) for i in counts],
        "docstring": [pick("doc", i).format(CALLS[i]) for i in counts],
    }


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
    drafter.use(sampler, confident=False)
    target.clear()
    target.decode(prompt)
    text: list[int] = []
    target_margins, drafts = [], []
    while len(text) < HEAD_TOKENS and not (text and text[-1] in target.end_tokens):
        choice = sampler.choose(target.logits(-1), len(prompt) + len(text))
        text.append(choice.token)
        target_margins.append(_margin(choice.margin))
        drafted = drafter.propose([*prompt, *text], HEAD_STEPS, lambda _proposal: Verdict.GO_ON)
        drafts.append([[p.token for p in drafted], [_margin(p.margin or 0.0) for p in drafted]])
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
    parser.add_argument("--out", type=Path, default=TRACES)
    parser.add_argument("--heads", action="store_true", help="of the target, instead of the draft")
    arguments = parser.parse_args()
    if arguments.heads:
        _record_all_heads(arguments.target, HEAD_TRACES if arguments.out == TRACES else arguments.out)
        return
    weights = [Weights(file, 0, lambda _: None, CancelFlag()) for file in (arguments.target, arguments.draft)]
    target, draft = (Context(w, 1024, os.cpu_count() or 1) for w in weights)
    texts = []
    for workload, questions in prompts().items():
        for temperature in (0.0, 0.8):
            for index, question in enumerate(questions):
                trace = record(target, draft, weights[0], question, temperature, seed=1000 + index)
                texts.append({"workload": workload, "split": "tuning" if index < 10 else "held_out", **trace})
                right = 1 - len(trace["wrong"]) / max(1, len(trace["margins"]))
                print(f"{workload:9} {temperature:3} {len(trace['text']):4} tokens, agreement {right:.2f}  {question}")
    _write(texts, arguments.out)


def _record_all_heads(file: Path, out: Path) -> None:
    weights = Weights(file, 0, lambda _: None, CancelFlag(), heads=True)
    target = Context(weights, 1024, 1)
    heads = HeadContext(target, 1)
    texts = []
    for workload, questions in prompts().items():
        for temperature in (0.0, 0.8):
            for index, question in enumerate(questions[-HEAD_TEXTS:]):
                trace = record_heads(target, heads, question, temperature, seed=1000 + index)
                texts.append({"workload": workload, "split": "held_out", **trace})
                right = sum(d[0][:1] == [t] for d, t in zip(trace["drafts"], trace["text"][1:], strict=True))
                print(f"{workload:9} {temperature:3} {right:3} of {len(trace['text']) - 1:3} right  {question}")
    _write(texts, out)


def _write(texts: list[dict], out: Path) -> None:
    data = json.dumps({"version": 1, "steps": STEPS, "texts": texts}, separators=(",", ":")).encode()
    out.write_bytes(gzip.compress(data, 9, mtime=0))
    print(f"{len(texts)} texts, {out.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
