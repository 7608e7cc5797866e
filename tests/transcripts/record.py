"""Records what the real engine says, for tests that replay it: python -m tests.transcripts.record

Each file holds the events of one run, one line each, in the order they came, without what only one machine has.
"""

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from app.core import paths
from app.protocol.codec import decode, encode
from app.protocol.messages import (
    Cancel,
    Delta,
    Event,
    Failed,
    Finished,
    Generate,
    Hello,
    Load,
    Loaded,
    Request,
    Turn,
    Unloaded,
)
from app.protocol.options import DrafterName, LimitOptions, SamplingOptions, SpeculationOptions

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).resolve().parent
TARGET, DRAFT = map(str, paths.demo_pair())
QUESTION = "Write a JSON object with the keys name, size and tags."


def ask(drafter: DrafterName, text: str = QUESTION, *, explicit: bool = False) -> Generate:
    return Generate(
        id="ask",
        chat="chat",
        turns=(Turn(role="user", content=text),),
        sampling=SamplingOptions(temperature=0.8, seed=7),
        speculation=SpeculationOptions(drafter=drafter, lookahead=4, explicit=explicit),
        # One shape for all passes, so that the same text is certain (law 5).
        limits=LimitOptions(max_tokens=120, fixed_shape=5),
    )


LOAD = Load(id="load", target=TARGET, draft=DRAFT, context=512, threads=1)
RUNS: dict[str, tuple[Request, ...]] = {
    "answer_mixed": (LOAD, ask("mixed")),
    "answer_draft_model": (LOAD, ask("draft_model")),
    "answer_ngram": (LOAD, ask("ngram")),
    "answer_heads": (LOAD, ask("heads")),
    "answer_plain": (LOAD, ask("off")),
    "answer_stopped": (LOAD, ask("draft_model"), Cancel(id="ask")),
    "drafter_refused": (replace(LOAD, draft=""), ask("draft_model", explicit=True)),
    "prompt_too_long": (LOAD, ask("mixed", "word " * 2000)),
    "load_missing_file": (replace(LOAD, target="/models/gone.gguf"),),
    "load_no_gguf": (replace(LOAD, target=__file__),),
    "load_draft_missing": (replace(LOAD, draft="/models/gone.gguf", draft_required=True),),
}
LAST = (Loaded, Finished, Failed, Unloaded)


def record(requests: Sequence[Request]) -> list[Event]:
    """Send the requests one after the other; a cancel goes out when the first text has come."""
    command = [sys.executable, "-m", "app", "--role", "engine"]
    events: list[Event] = []
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as engine:
        assert engine.stdin is not None
        assert engine.stdout is not None
        engine.stdin.write(encode(Hello(name="window")))
        waiting = list(requests)
        ready = False
        for line in engine.stdout:
            events.append(decode(line))
            event = events[-1]
            ready = isinstance(event, (Hello, *LAST))
            cancels = bool(waiting) and isinstance(waiting[0], Cancel) and isinstance(event, Delta)
            if ready and (not waiting or isinstance(waiting[0], Cancel)):
                break
            if cancels or ready:
                engine.stdin.write(encode(waiting.pop(0)))
                engine.stdin.flush()
        engine.stdin.close()
    return events


def clean(event: Event) -> Event:
    """Without what only this machine has."""
    if isinstance(event, Loaded):
        target = replace(event.target, path="/models/target.gguf")
        draft = replace(event.draft, path="/models/draft.gguf") if event.draft else None
        return replace(
            event,
            target=target,
            draft=draft,
            devices=("CPU: a processor",),
            target_loaded_at=1.0,
            device_free=0,
            device_total=0,
        )
    if isinstance(event, Failed):
        words = {str(FOLDER): "/models", str(Path(TARGET).parent): "/models"}
        for old, new in words.items():
            event = replace(event, sentence=event.sentence.replace(old, new), detail=event.detail.replace(old, new))
    return event


def main() -> None:
    for name, requests in RUNS.items():
        lines = [encode(clean(event)) for event in record(requests)]
        (FOLDER / f"{name}.jsonl").write_bytes(b"".join(lines))


if __name__ == "__main__":
    main()
