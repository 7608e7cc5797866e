"""A child process that speaks the engine's wire and misbehaves to order. Started by path, not imported by tests.

    python fake_engine.py [--deltas 5] [--crash-after 2] ...

Without options it says hello, loads everything and answers every question with the same text from alternating sources.
"""

import argparse
import contextlib
import os
import signal
import sys
import threading
import time
from pathlib import Path

from app.protocol.codec import decode, encode
from app.protocol.messages import (
    Cancel,
    Count,
    Counted,
    Delta,
    Event,
    Failed,
    Finished,
    FinishReason,
    Generate,
    Hello,
    Load,
    Loaded,
    Log,
    ModelFacts,
    Notice,
    Piece,
    Progress,
    Shutdown,
    Stage,
    Stats,
    Thinking,
    Unload,
    Unloaded,
)
from app.protocol.options import TokenSource
from app.protocol.stats import GenerationStats, SpeculationState

SOURCES: tuple[TokenSource, ...] = ("draft_model", "draft_model", "target", "ngram", "correction")


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--deltas", type=int, default=5, help="rounds of an answer")
    parser.add_argument("--text", default="wort ä😀 ", help="what every token says")
    parser.add_argument("--say", default="", help="what the tokens say instead, parted by |")
    parser.add_argument("--thinks", action="store_true", help="the template opens the thinking")
    parser.add_argument("--fits", type=int, default=0, help="refuse conversations of more words")
    parser.add_argument("--template-fails", default="", help="refuse conversations with this reason, unless plain")
    parser.add_argument("--reason", default="token_limit", help="how answers end")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each round")
    parser.add_argument("--prefill", type=float, default=0.0, help="seconds of prefill, with progress")
    parser.add_argument("--load-s", type=float, default=0.0, help="seconds of loading, with progress")
    parser.add_argument("--load-fails", default="", help="targets with this in their path cannot be loaded")
    parser.add_argument("--draft-fails", default="", help="required drafts with this in their path cannot be loaded")
    parser.add_argument("--load-crashes", default="", help="targets with this in their path kill the engine")
    parser.add_argument("--crash-after", type=int, default=-1, help="kill itself after so many rounds")
    parser.add_argument("--exit-after", type=int, default=-1, help="exit with code 7 after so many rounds")
    parser.add_argument("--cut-after", type=int, default=-1, help="exit in the middle of a line after so many rounds")
    parser.add_argument("--fail-after", type=int, default=-1, help="answer Failed after so many rounds")
    parser.add_argument("--fail-code", default="decode_failed")
    parser.add_argument("--fail-plain-too", action="store_true", help="also without speculation")
    parser.add_argument("--garbage", type=int, default=0, help="lines that are no events before each round")
    parser.add_argument("--huge", type=int, default=0, help="bytes of one line before the first round")
    parser.add_argument("--noise", type=int, default=0, help="lines on stderr before the first round")
    parser.add_argument("--silent", action="store_true", help="no hello")
    parser.add_argument("--version", type=int, default=1, help="of the protocol, in the hello")
    parser.add_argument("--deaf", action="store_true", help="does not react to cancel")
    parser.add_argument("--stubborn", action="store_true", help="ends only when killed")
    parser.add_argument("--speculation", default="active", help="what the statistics say")
    parser.add_argument("--record", default="", help="append every request to this file")
    return parser.parse_args()


class FakeEngine:
    def __init__(self, wanted: argparse.Namespace) -> None:
        self.wanted = wanted
        self.out = os.fdopen(os.dup(1), "wb", buffering=0)
        os.dup2(2, 1)
        self.cancelled: set[str] = set()
        self.jobs: list[Load | Generate | Count | Unload] = []
        self.wake = threading.Condition()
        self.over = False
        self.context = 1024

    def run(self) -> None:
        if self.wanted.stubborn:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        threading.Thread(target=self.read, daemon=True).start()
        if not self.wanted.silent:
            self.send(Hello(version=self.wanted.version, name="fake"))
            self.send(Log(level="info", topic="fake", text="hello"))
        while True:
            with self.wake:
                self.wake.wait_for(lambda: self.jobs or self.over)
                if self.over:
                    break
                job = self.jobs.pop(0)
            self.answer(job)
        while self.wanted.stubborn:
            time.sleep(1)

    def read(self) -> None:
        for line in sys.stdin.buffer:
            message = decode(line)
            if self.wanted.record:
                with Path(self.wanted.record).open("ab") as file:
                    file.write(line)
            with self.wake:
                if isinstance(message, Cancel):
                    self.cancelled.add(message.id)
                elif isinstance(message, Load | Generate | Count | Unload):
                    self.jobs.append(message)
                self.wake.notify()
            if isinstance(message, Shutdown):
                break
        with self.wake:
            self.over = True
            self.wake.notify()

    def send(self, event: Event) -> None:
        self.out.write(encode(event))

    def stopped(self, job_id: str) -> bool:
        return job_id in self.cancelled and not self.wanted.deaf

    def pause(self, seconds: float, job_id: str, stage: Stage) -> bool:
        """Spend time like a long load or prefill; True if it was cancelled."""
        steps = max(1, round(seconds / 0.02)) if seconds else 0
        for step in range(steps):
            self.send(Progress(id=job_id, stage=stage, done=step, total=steps))
            time.sleep(0.02)
            if self.stopped(job_id) or self.over:
                return True
        return False

    def answer(self, job: Load | Generate | Count | Unload) -> None:
        if isinstance(job, Load):
            self.load(job)
        elif isinstance(job, Generate):
            self.generate(job)
        elif isinstance(job, Count):
            self.count(job)
        else:
            self.send(Unloaded(id=job.id))

    def load(self, job: Load) -> None:
        if self.wanted.load_crashes and self.wanted.load_crashes in job.target:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.wanted.load_fails and self.wanted.load_fails in job.target:
            sentence = f"{Path(job.target).name} is damaged."
            self.send(Failed(id=job.id, code="damaged", sentence=sentence, hint="Download it again.", detail="magic"))
            return
        bad_draft = bool(self.wanted.draft_fails) and self.wanted.draft_fails in job.draft
        if bad_draft and job.draft_required:
            sentence = f"{Path(job.draft).name} cannot draft for {Path(job.target).name}."
            self.send(Failed(id=job.id, code="incompatible_draft", sentence=sentence))
            return
        if self.pause(self.wanted.load_s, job.id, "load_target"):
            self.send(Failed(id=job.id, code="cancelled", sentence="Cancelled."))
            return
        drafting = bool(job.draft) and not bad_draft
        no_draft = {} if drafting else dict.fromkeys(("draft_model", "mixed"), "No draft model is loaded.")
        self.context = job.context or 1024
        self.send(
            Loaded(
                id=job.id,
                target=facts(job.target),
                draft=facts(job.draft) if drafting else None,
                context=self.context,
                threads=job.threads or 2,
                devices=("CPU",),
                template="model",
                why_not={"heads": "This file has no prediction heads.", **no_draft},
                notices=(Notice(code="fake", text="This is a fake."),) if "notice" in job.target else (),
                target_loaded_at=1.0,
            )
        )

    def count(self, job: Count) -> None:
        """Words are tokens, and a turn has two more."""
        history = sum(len(turn.content.split()) + 2 for turn in job.turns) + 1
        texts = tuple(len(text.split()) for text in job.texts)
        self.send(Counted(id=job.id, history=history, texts=texts, context=self.context))

    def generate(self, job: Generate) -> None:
        wanted = self.wanted
        if wanted.template_fails and not job.plain_template:
            sentence = f"The model's chat template refuses this conversation: {wanted.template_fails}"
            self.send(Failed(id=job.id, code="template_failed", sentence=sentence, hint="Start a new chat."))
            return
        words = sum(len(turn.content.split()) for turn in job.turns)
        if wanted.fits and words > wanted.fits:
            sentence = f"The text has {words} tokens, but the context holds {wanted.fits}."
            self.send(Failed(id=job.id, code="prompt_too_long", sentence=sentence, hint="Shorten it."))
            return
        if wanted.thinks:
            self.send(Thinking(id=job.id))
        drafting = job.speculation.drafter != "off"
        sys.stderr.write("a native print\n" * wanted.noise)
        sys.stderr.flush()
        if wanted.huge:
            self.out.write(b"x" * wanted.huge + b"\n")
        reason: FinishReason = "cancelled" if self.pause(wanted.prefill, job.id, "prefill") else wanted.reason
        sources: list[TokenSource] = []
        for number in range(wanted.deltas if reason != "cancelled" else 0):
            self.misbehave(number)
            if number == wanted.fail_after and (drafting or wanted.fail_plain_too):
                self.fail(job)
                return
            for _ in range(wanted.garbage):
                self.out.write(b"llama_decode: native \xff print {\n")
            if wanted.delay:
                time.sleep(wanted.delay)
            if self.stopped(job.id):
                reason = "cancelled"
                break
            source = SOURCES[number % len(SOURCES)] if drafting else "target"
            sources.append(source)
            scripted = wanted.say.split("|")
            said = scripted[number % len(scripted)] if wanted.say else f"{wanted.text}{number} "
            piece = Piece(text=said, source=source)
            sure = 80 if source in ("draft_model", "heads", "correction") else -1
            notes = {"lengths": (len(piece.text),), "sure": (sure,)}
            self.send(Delta(id=job.id, pieces=(piece,), tokens=(number,), sources=(source,), **notes))
            if number % 10 == 5:
                stats, speculation = self.numbers(job, sources)
                self.send(Stats(id=job.id, stats=stats, speculation=speculation))
        if wanted.fail_after == wanted.deltas:
            self.fail(job)
            return
        stats, speculation = self.numbers(job, sources)
        self.send(
            Finished(id=job.id, reason=reason, stats=stats, speculation=speculation, seed=job.sampling.seed or 42)
        )

    def misbehave(self, number: int) -> None:
        if number == self.wanted.crash_after:
            os.kill(os.getpid(), signal.SIGKILL)
        if number == self.wanted.exit_after:
            os._exit(7)
        if number == self.wanted.cut_after:
            self.out.write(b'{"kind":"delta","id":"')
            os._exit(3)

    def fail(self, job: Generate) -> None:
        sentence, hint = "The model could not be evaluated.", "Try a shorter context."
        self.send(Failed(id=job.id, code=self.wanted.fail_code, sentence=sentence, hint=hint, detail="ret = -3"))

    def numbers(self, job: Generate, sources: list[TokenSource]) -> tuple[GenerationStats, SpeculationState]:
        drafted = sum(source in ("draft_model", "ngram") for source in sources)
        stats = GenerationStats(
            prompt_tokens=12,
            generated_tokens=len(sources),
            passes=max(1, len(sources) - drafted),
            proposed=2 * drafted,
            verified=2 * drafted,
            accepted=drafted,
            accepted_by_position=(drafted,),
            verified_by_position=(2 * drafted,),
            prefill_ms=5.0,
            decode_ms=10.0 * len(sources),
            draft_ms=2.0 * len(sources),
            verify_ms=7.0 * len(sources),
            other_ms=1.0 * len(sources),
        )
        if job.speculation.drafter == "off":
            return stats, SpeculationState()
        return stats, SpeculationState(
            state=self.wanted.speculation,
            reason="" if self.wanted.speculation == "active" else "plain is faster here (0.9×)",
            drafter=job.speculation.drafter,
            lookahead=3,
            gain=2.1,
            gain_kind="estimated",
        )


def facts(path: str) -> ModelFacts:
    return ModelFacts(
        path=path,
        name=Path(path).stem,
        architecture="llama",
        parameters=1000,
        size_bytes=1000,
        quantisation="Q8_0",
        context_trained=1024,
        vocabulary_type="BPE",
        vocabulary_size=1000,
        has_template=True,
        can_truncate=True,
        heads=0,
        layers=2,
        gpu_layers=0,
        memory_bytes=1000,
    )


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        FakeEngine(options()).run()
