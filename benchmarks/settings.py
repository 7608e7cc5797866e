"""Are the settings Outpace chooses for a model the fast ones here? Each stage of an answer, with others beside them.

Every arm is a context on the same weights that differs from ours in one setting: flash attention, tokens computed at
once, threads, precision of the cache. They take turns, in another order each round; printed are the medians of their
times divided by ours, so that above 1 the other setting is slower. A second context with our settings (`null`) shows
the noise.

Stages: prefill, decoding after it, and checking, which is a pass of 8 rows, seven of them proposals.

    python benchmarks/settings.py [--target FILE] [--rounds N] [--prompt N] [--tokens N] [--json FILE]
"""

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pair

from app.core import machine
from app.engine.backends.llamacpp import context
from app.engine.backends.llamacpp.binding import native
from app.engine.backends.llamacpp.weights import Weights
from app.engine.cancel import CancelFlag

Change = Callable[[Any], None]

ROWS = 8
STAGES = ("prefill", "decoding", "checking")


def _set(**values: int) -> Change:
    def change(parameters: Any) -> None:
        for name, value in values.items():
            setattr(parameters, name, value)

    return change


def arms(threads: int) -> dict[str, Change]:
    """Changes of our settings, by name."""
    return {
        "ours": _set(),
        "null": _set(),
        "flash attention on": _set(flash_attn_type=native.LLAMA_FLASH_ATTN_TYPE_ENABLED),
        "flash attention off": _set(flash_attn_type=native.LLAMA_FLASH_ATTN_TYPE_DISABLED),
        "128 at once": _set(n_ubatch=128),
        "256 at once": _set(n_ubatch=256),
        "half the threads": _set(n_threads=max(1, threads // 2), n_threads_batch=max(1, threads // 2)),
        "every logical core": _set(n_threads=os.cpu_count() or 1, n_threads_batch=os.cpu_count() or 1),
        "cache in Q8_0": _set(type_k=native.GGML_TYPE_Q8_0, type_v=native.GGML_TYPE_Q8_0),
    }


def make(weights: Weights, length: int, threads: int, change: Change) -> context.Context:
    """A context as Outpace makes it, but for `change`."""
    create = native.llama_init_from_model

    def changed(model: Any, parameters: Any) -> Any:
        change(parameters)
        return create(model, parameters)

    native.llama_init_from_model = changed
    try:
        return context.Context(weights, length, threads)
    finally:
        native.llama_init_from_model = create


def timed(model: context.Context, prompt: list[int], tokens: int) -> tuple[float, float, float]:
    """Milliseconds that a token of the prompt takes, one decoded after it, and a pass of `ROWS` rows after it."""
    model.clear()
    started = time.perf_counter()
    model.decode(prompt)
    filled = time.perf_counter()
    for token in prompt[:tokens]:
        model.decode([token], every_row=True)
    decoded = time.perf_counter()
    passes = max(1, tokens // 4)
    for _ in range(passes):
        model.truncate(len(prompt))
        model.decode(prompt[:ROWS], every_row=True)
    checked = time.perf_counter()
    spans = ((filled - started) / len(prompt), (decoded - filled) / tokens, (checked - decoded) / passes)
    prefill, decoding, checking = (span * 1000 for span in spans)
    return prefill, decoding, checking


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--target", type=Path, help="default: the 0.3 B pair in Q4_K_M")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--prompt", type=int, default=512, help="tokens")
    parser.add_argument("--tokens", type=int, default=24, help="decoded after it")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    target = options.target or pair.target("0.3b", "q4_k_m")
    threads = machine.physical_cores()
    weights = Weights(target, 0, lambda _: None, CancelFlag())
    models = {
        name: make(weights, options.prompt + options.tokens, threads, change) for name, change in arms(threads).items()
    }
    prompt = np.random.default_rng(1).integers(0, weights.n_vocab, options.prompt).tolist()
    times: dict[str, list[tuple[float, float, float]]] = {name: [] for name in models}
    for number in range(options.rounds + 1):
        names = list(models)
        for name in names[number % len(names) :] + names[: number % len(names)]:
            spent = timed(models[name], prompt, options.tokens)
            if number:  # the first round warms up
                times[name].append(spent)
    ours = times["ours"]
    medians = [statistics.median(part) for part in zip(*ours, strict=True)]
    result: dict[str, Any] = {"target": target.name, "threads": threads, "ms": dict(zip(STAGES, medians, strict=True))}
    result["arms"] = {}
    prefill, decoding, checking = medians
    print(
        f"{target.name}, {threads} threads: a token takes {prefill:.2f} ms in prefill, {decoding:.2f} ms in decoding; "
        f"checking {ROWS - 1} takes {checking:.2f} ms"
    )
    print("setting              prefill  decoding  checking   (times those of ours: above 1 is slower)")
    for name, spent in times.items():
        ratios = [
            statistics.median(other[part] / mine[part] for other, mine in zip(spent, ours, strict=True))
            for part in range(len(STAGES))
        ]
        result["arms"][name] = dict(zip(STAGES, ratios, strict=True))
        print(f"{name:20} {ratios[0]:7.3f} {ratios[1]:9.3f} {ratios[2]:9.3f}")
    for model in models.values():
        model.close()
    weights.close()
    if options.json:
        options.json.write_text(json.dumps(result, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
