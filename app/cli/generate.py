"""`outpace-cli generate`: one answer, streamed or as JSON."""

import argparse
import contextlib
import json
import signal
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, BinaryIO, Literal

from app.cli import servers
from app.cli.engine_process import EngineProcess
from app.cli.fitting import fitted, free_device_memory
from app.core import paths
from app.core.errors import UserError
from app.protocol.messages import Delta, Finished, Generate, Load, Loaded, Turn
from app.protocol.options import (
    CACHE_TYPES,
    DRAFTERS,
    FLASH_ATTENTION,
    HEADS_AUTO,
    DrafterName,
    LimitOptions,
    SamplingOptions,
    SpeculationOptions,
)

MOST_PROMPT_BYTES = 8 * 1024 * 1024
"""Far more than any context holds, and little enough for one line of the wire."""

_COUNTS = ("prompt_tokens", "cached_tokens", "generated_tokens", "passes", "proposed", "verified", "accepted")
_REASONS = {
    "end": "the model ended its answer",
    "stop_string": "a stop text came",
    "token_limit": "the token limit was reached",
    "context_limit": "the context is full",
    "cancelled": "stopped",
}


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Register the command."""
    parser = commands.add_parser("generate", help="answer a prompt")
    parser.set_defaults(run=run)
    add_model_options(parser)
    servers.add_options(parser)
    add_answer_options(parser)
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--prompt", metavar="TEXT", help="the question; without it, standard input is read")
    source.add_argument("--prompt-file", metavar="FILE", help="read the question from a file")
    parser.add_argument("--raw", action="store_true", help="continue the text as it stands, without the chat template")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """What is loaded, and how."""
    parser.add_argument("--model", required=True, metavar="FILE", help="the target, a GGUF file")
    parser.add_argument("--draft", metavar="FILE", default="", help="a draft model, a GGUF file")
    parser.add_argument("--ctx", type=int, default=0, metavar="N", help="context length in tokens (0: automatic)")
    parser.add_argument("--threads", type=int, default=0, metavar="N", help="threads (0: the physical cores)")
    parser.add_argument("--gpu-layers", type=_auto_or_int, default="auto", metavar="N", help='a number or "auto"')
    heads = "prediction heads: those of the target, none, or a file of them"
    parser.add_argument("--heads", default=HEADS_AUTO, metavar="auto|off|FILE", help=heads)
    attention = "auto: where the device can; off needs more memory, and is faster on some processors"
    parser.add_argument("--flash-attention", choices=FLASH_ATTENTION, default="auto", help=attention)
    parser.add_argument("--cache-type", choices=CACHE_TYPES, default="F16", help="how the caches are kept")
    parser.add_argument("--draft-ctx", type=int, default=0, metavar="N", help="tokens the draft follows (0: automatic)")
    parser.add_argument("--draft-gpu-layers", type=_auto_or_int, default="auto", metavar="N", help="0: in main memory")
    parser.add_argument("--fit", action="store_true", help="give up what has to be given up to fit into memory")


def add_answer_options(parser: argparse.ArgumentParser) -> None:
    """How answers are made."""
    sampling = SamplingOptions()
    parser.add_argument("--drafter", choices=DRAFTERS, help="default: draft_model with --draft, else off")
    parser.add_argument("--lookahead", type=_auto_or_int, default="auto", metavar="N", help='1 to 32, or "auto"')
    parser.add_argument("--min-confidence", type=float, default=0.0, metavar="P", help="0 to 1")
    parser.add_argument("--temperature", type=float, default=sampling.temperature)
    parser.add_argument("--top-k", type=int, default=sampling.top_k)
    parser.add_argument("--top-p", type=float, default=sampling.top_p)
    parser.add_argument("--min-p", type=float, default=sampling.min_p)
    parser.add_argument("--repeat-penalty", type=float, default=sampling.repeat_penalty)
    parser.add_argument("--presence-penalty", type=float, default=sampling.presence_penalty)
    parser.add_argument("--frequency-penalty", type=float, default=sampling.frequency_penalty)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--max-tokens", type=int, default=0, metavar="N", help="0: up to the end of the context")
    parser.add_argument("--stop", action="append", default=[], metavar="TEXT", help="ends the answer; may be repeated")
    parser.add_argument("--system", default="", metavar="TEXT", help="the system prompt")
    parser.add_argument("--fixed-shape", type=int, default=0, metavar="ROWS", help="pad every pass to this many rows")


def load_request(options: argparse.Namespace) -> Load:
    """What the options ask to load. A draft that was named has to work."""
    server = servers.access(options)
    if server is not None:
        return Load(id="load", target=options.model, server=server)
    load = Load(
        id="load",
        target=options.model,
        draft=options.draft,
        draft_required=bool(options.draft),
        context=options.ctx,
        threads=options.threads,
        gpu_layers=options.gpu_layers,
        heads=options.heads,
        flash_attention=options.flash_attention,
        cache_type=options.cache_type,
        draft_context=options.draft_ctx,
        draft_gpu_layers=options.draft_gpu_layers,
    )
    if options.fit:
        load = fitted(load, free_device_memory())
        options.draft = load.draft  # without one, nothing may be asked of it
    return load


def speculation(options: argparse.Namespace) -> SpeculationOptions:
    """The drafter and its lookahead. Named on the command line, so that it is used or refused."""
    chosen: DrafterName = options.drafter or ("draft_model" if options.draft else "off")
    result = SpeculationOptions(
        drafter=chosen, lookahead=options.lookahead, min_confidence=options.min_confidence, explicit=True
    )
    result.check()
    return result


def sampling(options: argparse.Namespace) -> SamplingOptions:
    """How tokens are chosen."""
    result = SamplingOptions(
        temperature=options.temperature,
        top_k=options.top_k,
        top_p=options.top_p,
        min_p=options.min_p,
        repeat_penalty=options.repeat_penalty,
        presence_penalty=options.presence_penalty,
        frequency_penalty=options.frequency_penalty,
        seed=options.seed,
    )
    result.check()
    return result


def limits(options: argparse.Namespace) -> LimitOptions:
    """Where the answer ends."""
    result = LimitOptions(max_tokens=options.max_tokens, stop=tuple(options.stop), fixed_shape=options.fixed_shape)
    result.check()
    return result


def run(options: argparse.Namespace) -> int:
    """Answer one prompt."""
    prompt = _prompt(options)
    for text, name in (
        (options.prompt, "prompt"),
        (options.system, "system prompt"),
        *((s, "stop text") for s in options.stop),
    ):
        _check_characters(text or "", name)
    turns = (Turn(role="system", content=options.system),) if options.system else ()
    request = Generate(
        id="answer",
        turns=() if options.raw else (*turns, Turn(role="user", content=prompt)),
        prompt=prompt if options.raw else None,
        sampling=sampling(options),
        speculation=speculation(options),
        limits=limits(options),
    )
    load = load_request(options)
    with EngineProcess() as engine:
        engine.send(load)
        loaded = next(event for event in engine.answers(load.id) if isinstance(event, Loaded))
        engine.send(request)
        deltas: list[Delta] = []
        with _first_interrupt(lambda: engine.cancel(request.id)):
            for event in engine.answers(request.id):
                if isinstance(event, Finished):
                    _report(options, loaded, deltas, event)
                    return 130 if event.reason == "cancelled" else 0
                if isinstance(event, Delta):
                    deltas.append(event)
                    if not options.json:
                        sys.stdout.write("".join(piece.text for piece in event.pieces))
                        sys.stdout.flush()
    return 1


@contextlib.contextmanager
def _first_interrupt(action: Callable[[], None]) -> Iterator[None]:
    """The first Ctrl+C runs `action`, the next gives up as usual.

    A handler and not an exception: that could come in the middle of a line from the engine, or of one to the screen.
    """

    def handle(_signal: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, before)
        action()

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _report(options: argparse.Namespace, loaded: Loaded, deltas: list[Delta], finished: Finished) -> None:
    if options.json:
        print(json.dumps(as_json(options.lookahead, loaded, deltas, finished), ensure_ascii=False))
        return
    sys.stdout.write("\n")
    sys.stdout.flush()
    for notice in (*loaded.notices, *finished.notices):
        print(notice.text, file=sys.stderr)
    print(_summary(finished), file=sys.stderr)


def as_json(
    lookahead: int | Literal["auto"], loaded: Loaded, deltas: list[Delta], finished: Finished
) -> dict[str, Any]:
    """Everything about one answer, for programs."""
    stats = finished.stats
    sources = [source for delta in deltas for source in delta.sources]
    return {
        "text": "".join(piece.text for delta in deltas for piece in delta.pieces),
        "token_ids": [token for delta in deltas for token in delta.tokens if token >= 0],
        "sources": ["target" if source == "correction" else source for source in sources],
        "reason": finished.reason,
        **{name: None if name in stats.unknown else getattr(stats, name) for name in _COUNTS},
        "accepted_by_position": None if "positions" in stats.unknown else list(stats.accepted_by_position),
        "acceptance_rate": stats.acceptance_rate,
        "tokens_per_pass": stats.tokens_per_pass,
        "speed": stats.speed,
        "ttft_ms": stats.ttft_ms,
        "prefill_ms": stats.prefill_ms,
        "decode_ms": stats.decode_ms,
        "split_ms": None
        if "split" in stats.unknown
        else {
            "draft": stats.draft_ms,
            "verify": stats.verify_ms,
            "sample": stats.sample_ms,
            "other": stats.other_ms,
        },
        "seed": finished.seed,
        "target": loaded.target.path,
        "draft": loaded.draft.path if loaded.draft else None,
        "gpu_layers": loaded.target.gpu_layers,
        "draft_gpu_layers": loaded.draft.gpu_layers if loaded.draft else None,
        "drafter": finished.speculation.drafter,
        "lookahead": lookahead,
        **_about_server(loaded, finished),
        "notices": [notice.text for notice in (*loaded.notices, *finished.notices)],
    }


def _about_server(loaded: Loaded, finished: Finished) -> dict[str, Any]:
    """Where the answer comes from, and where its figures do; nothing for a model on this machine."""
    if loaded.server is None:
        return {}
    facts, stats = loaded.server, finished.stats
    server = {"origin": facts.origin, "kind": facts.kind, "speculation": facts.speculation}
    return {"server": server, "unknown": stats.unknown, "origins": stats.origins, "hint": facts.hint}


def _summary(finished: Finished) -> str:
    stats = finished.stats
    count = "-" if "generated_tokens" in stats.unknown else f"{stats.generated_tokens}"
    parts = [
        f"{count} token{'' if count == '1' else 's'}",
        f"{_number(stats.speed, '.1f')} tokens/s",
        f"first token after {stats.ttft_ms:.0f} ms",
        f"{_number(stats.tokens_per_pass, '.2f')} per pass",
    ]
    speculation_state = finished.speculation
    if speculation_state.state == "off":
        parts.append("speculation off")
    elif stats.acceptance_rate is None:
        word = "speculation not told" if "proposed" in stats.unknown else speculation_state.state
        parts.append(f"{word}: {speculation_state.reason}".rstrip(": ").rstrip("."))
    else:
        rate = f"{stats.acceptance_rate:.0%} accepted ({stats.accepted} of {stats.checked})"
        parts.append(f"{speculation_state.drafter.replace('_', ' ')} {rate}".strip())
    parts += [f"seed {finished.seed}", _REASONS[finished.reason]]
    return " · ".join(parts)


def _number(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)


def _prompt(options: argparse.Namespace) -> str:
    if options.prompt is not None:
        return str(options.prompt)
    path = None if options.prompt_file is None else paths.typed(options.prompt_file)
    try:
        if path is None:
            return _text(sys.stdin.buffer, "Standard input")
        with path.open("rb") as file:
            return _text(file, path.name)
    except OSError as error:
        name = f"The prompt file {path}" if path else "Standard input"
        raise UserError("prompt_file", f"{name} cannot be read: {error.strerror or error}.") from error


def _check_characters(text: str, name: str) -> None:
    """Bytes of an argument that are no text arrive as lone surrogates, which no tokeniser understands."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise UserError("not_utf8", f"The {name} is not valid UTF-8.", "Write it in UTF-8 and try again.") from error


def _text(stream: BinaryIO, name: str) -> str:
    data = stream.read(MOST_PROMPT_BYTES + 1)
    if len(data) > MOST_PROMPT_BYTES:
        raise UserError("prompt_too_long", f"{name} has more than {MOST_PROMPT_BYTES >> 20} MB of text.", "Shorten it.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(
            "not_utf8",
            f"{name} is not valid UTF-8: byte {data[error.start]:#04x} at position {error.start:,}.",
            "Save the text as UTF-8 and try again.",
        ) from error


def _auto_or_int(text: str) -> int | str:
    if text == "auto":
        return text
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f'"{text}" is neither a number nor "auto"') from None
