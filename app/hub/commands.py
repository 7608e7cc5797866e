"""`outpace-cli models`: list, inspect, pairs, plan, pull, remove. Results on stdout, progress on stderr."""

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.core import machine, paths
from app.core.errors import UserError
from app.core.gguf import heads_beside, is_beside
from app.core.plain import to_plain
from app.hub import pulling
from app.hub.confirming import apply_known, confirm, unconfirmed
from app.hub.folders import Folder, found_elsewhere
from app.hub.keeping import remove
from app.hub.library import Library, Scanner, inspect, vocabulary_of
from app.hub.memory_plan import Budget, Plan, make_plan
from app.hub.model_file import ModelFile
from app.hub.pairing import Verdict, judge_all
from app.hub.texts import amount, count, describe_model
from app.protocol.inspection import AT_ONCE
from app.protocol.inspection_store import InspectionStore

FreeMemory = Callable[[], int]


def add_to(commands: Any, free_vram: FreeMemory = lambda: 0) -> None:
    """Register `models` below the command line's parser.

    Args:
        commands: What `ArgumentParser.add_subparsers` returned.
        free_vram: Free bytes on the accelerators, asked only when planning.
    """
    models = commands.add_parser("models", help="the models on this computer, and which fit together")
    models.set_defaults(run=run, free_vram=free_vram)
    actions = models.add_subparsers(title="actions", metavar="ACTION", required=True)

    def action(name: str, text: str, handler: Callable[[argparse.Namespace], int]) -> argparse.ArgumentParser:
        parser: argparse.ArgumentParser = actions.add_parser(name, help=text, description=text)
        parser.set_defaults(action=handler)
        parser.add_argument("--json", action="store_true", help="one JSON value instead of text")
        parser.add_argument("--models", type=Path, metavar="FOLDER", help="the models folder")
        parser.add_argument(
            "--folder", type=Path, action="append", default=[], help="look here too (more than once if need be)"
        )
        parser.add_argument("--elsewhere", action="store_true", help="include what other apps downloaded")
        return parser

    action("list", "List the models.", _list)
    action("inspect", "Say what a file is.", _inspect).add_argument("file")
    action("pairs", "Say which models can draft for a target, and why not.", _pairs).add_argument("target")
    plan = action("plan", "Say whether a pair fits into memory.", _plan)
    plan.add_argument("target")
    plan.add_argument("--draft", help="the draft model")
    plan.add_argument("--ctx", type=int, default=4096, metavar="TOKENS")
    plan.add_argument("--ram", type=float, metavar="GB", help="pretend this much memory is free")
    plan.add_argument("--vram", type=float, metavar="GB", help="pretend this much accelerator memory is free")
    pull = action("pull", "Download a pair of the catalogue, or a model of a repository.", _pull)
    pull.add_argument("what", metavar="PAIR-OR-REPOSITORY")
    pull.add_argument("--file", help="the file of the repository, or a quantisation such as Q4_K_M")
    pull.add_argument("--endpoint", help="address of the hub or of a mirror")
    removal = action("remove", "Delete a model.", _remove)
    removal.add_argument("model")
    removal.add_argument("--yes", action="store_true", help="do not ask")


def run(options: argparse.Namespace) -> int:
    """Run one action and return the exit code.

    Raises:
        AppError: it failed; the sentence says why.
    """
    code: int = options.action(options)
    return code


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")


def _note(text: str) -> None:
    sys.stderr.write(text + "\n")


def _library(options: argparse.Namespace) -> Library:
    folders = [Folder(_models(options), "models"), *(Folder(path, "added") for path in options.folder)]
    folders.append(Folder(paths.demo_pair()[0].parent, "builtin"))
    if options.elsewhere:
        folders += found_elsewhere()
    library = Scanner(paths.find().cache / "library.json").scan(folders)
    for problem in library.problems:
        _note(problem)
    return _confirmed(library)


def _confirmed(library: Library) -> Library:
    store = InspectionStore(paths.find().cache / "inspected.json")
    library = apply_known(library, store)
    new = len(unconfirmed(library))
    if new > AT_ONCE:
        _note(f"Looking at {new:,} models for the first time ...")
    for better in confirm(library, store):
        library = better
    return library


def _models(options: argparse.Namespace) -> Path:
    folder: Path | None = options.models
    return folder or paths.find().models


def _find(library: Library, text: str) -> ModelFile:
    path = paths.typed(text).absolute()
    known = library.find(path)
    if known is not None:
        return known
    if path.suffix.lower() == ".gguf" or path.exists():
        return _look_at(path)
    named = [model for model in library.models if text.lower() in (model.name.lower(), model.path.name.lower())]
    if len(named) == 1:
        return named[0]
    if named:
        places = ", ".join(str(model.path) for model in named)
        raise UserError("ambiguous", f'There are {len(named)} models called "{text}".', f"Say which: {places}")
    raise UserError("model_missing", f'There is no model "{text}".', "See `outpace-cli models list`.")


def _look_at(path: Path) -> ModelFile:
    return _confirmed(Library((inspect(path),), ())).models[0]


def _chat_model(library: Library, text: str) -> ModelFile:
    model = _find(library, text)
    if model.problem is not None:
        raise model.problem
    return model


def _list(options: argparse.Namespace) -> int:
    library = _library(options)
    if options.json:
        _say(json.dumps([_as_plain(model, library) for model in library.models]))
        return 0
    for model in library.models:
        _say(f"{model.name}\n    {describe_model(model)}\n    {model.path}")
        for drafter in library.attachments_of(model):
            _say(f"    drafts for it: {drafter.name}")
    if not library.models:
        _say(f"No models yet. They go to {_models(options)}.")
    return 0


def _inspect(options: argparse.Namespace) -> int:
    model = _look_at(paths.typed(options.file).absolute())
    if options.json:
        _say(json.dumps(_as_plain(model, None)))
    else:
        _say(f"{model.name}\n    {describe_model(model)}")
    return 0 if model.role != "broken" else 1


def _pairs(options: argparse.Namespace) -> int:
    library = _library(options)
    target = _chat_model(library, options.target)
    verdicts = judge_all(target, library.models, vocabulary_of)
    if options.json:
        _say(json.dumps([_verdict_as_plain(verdict) for verdict in verdicts]))
        return 0
    for verdict in verdicts:
        _say(f"{'fits' if verdict.fits else 'no  '}  {verdict.model.name}: {verdict.sentence}")
    for drafter in library.attachments_of(target):
        _say(_of_its_own(target, drafter))
    if not any(verdict.fits for verdict in verdicts):
        _say("No model here can draft for it; the n-gram drafter needs none.")
    return 0


def _of_its_own(target: ModelFile, drafter: ModelFile) -> str:
    """What a drafter file that was made for a target is good for."""
    if drafter.facts is None or not drafter.facts.nextn:
        return f"no    {drafter.name}: It was made for this model, but Outpace cannot use such files."
    if target.facts is not None and target.facts.nextn:
        return f"no    {drafter.name}: It has prediction heads; this model has its own."
    if is_beside(target.path, drafter.path):
        return f"fits  {drafter.name}: It has the prediction heads of this model, and is loaded with it."
    return f"no    {drafter.name}: It has the prediction heads of this model. Put it beside the model, or use --heads."


def _plan(options: argparse.Namespace) -> int:
    library = _library(options)
    target = _chat_model(library, options.target)
    draft = _chat_model(library, options.draft) if options.draft else None
    if options.ctx < 1:
        raise UserError("bad_option", f"A context of {options.ctx} tokens is not possible.", "Choose a larger number.")
    ram = machine.memory_available() or 0 if options.ram is None else round(options.ram * 1e9)
    vram = options.free_vram() if options.vram is None else round(options.vram * 1e9)
    assert target.facts is not None
    side = heads_beside(target.facts)
    plan = make_plan(target.facts, draft.facts if draft else None, options.ctx, Budget(ram, vram), side=side)
    if options.json:
        body = to_plain(plan) | {"problem": plan.problem and {"code": plan.problem.code, "text": str(plan.problem)}}
        _say(json.dumps(body))
        return 1 if plan.problem else 0
    for segment in plan.segments:
        accelerator = f", {amount(segment.amount.vram)} on the accelerator" if segment.amount.vram else ""
        _say(f"{segment.kind.replace('_', ' '):>14}  {amount(segment.amount.ram):>9}{accelerator}")
    _say(f"{'free':>14}  {amount(ram):>9}" + (f", {amount(vram)} on the accelerator" if vram else ""))
    for step in plan.steps:
        _say(step.sentence)
    if plan.problem is not None:
        raise plan.problem
    _say("It fits." if not plan.steps else f"It fits like this: {' '.join(_as_options(plan))}")
    return 0


def _as_options(plan: Plan) -> list[str]:
    """What to tell `generate`, `compare` and `bench`; their `--fit` does the same by itself."""
    taken, placement = {step.code for step in plan.steps}, plan.placement
    options = ["--ctx", str(placement.context)]
    if "quantised_cache" in taken:
        options += ["--cache-type", placement.kv_type]
    if "draft_context" in taken:
        options += ["--draft-ctx", str(placement.draft_context)]
    if "draft_on_cpu" in taken:
        options += ["--draft-gpu-layers", "0"]
    if "heads_off" in taken:
        options += ["--heads", "off"]
    if "fewer_layers" in taken:
        options += ["--gpu-layers", str(placement.gpu_layers)]
    return options if "draft_off" not in taken else [*options, "and no --draft"]


def _pull(options: argparse.Namespace) -> int:
    places = pulling.pull(options.what, options.file or "", _models(options), options.endpoint or "", sys.stderr)
    if options.json:
        _say(json.dumps([str(place) for place in places]))
    else:
        for place in places:
            _say(str(place))
    return 0


def _remove(options: argparse.Namespace) -> int:
    library = _library(options)
    model = _find(library, options.model)
    if not options.yes:
        if not sys.stdin.isatty():
            raise UserError("bad_option", "Nobody is there to be asked.", "Add --yes to delete without asking.")
        sys.stderr.write(
            f"Delete {count(len(model.parts), 'file')} of {model.name}, {amount(model.size_bytes)}? [y/N] "
        )
        sys.stderr.flush()
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            return 1
    freed = remove(model, _models(options))
    _say(json.dumps({"freed": freed}) if options.json else f"{amount(freed)} are free again.")
    return 0


def _as_plain(model: ModelFile, library: Library | None) -> dict[str, Any]:
    facts = to_plain(model.facts) if model.facts else None
    if facts is not None:
        facts |= {"path": str(model.path), "parts": [str(part) for part in model.parts]}
    return {
        "name": model.name,
        "path": str(model.path),
        "parts": [str(part) for part in model.parts],
        "size_bytes": model.size_bytes,
        "source": model.source,
        "role": model.role,
        "confirmed": model.confirmed,
        "problem": {"code": model.problem.code, "text": str(model.problem)} if model.problem else None,
        "facts": facts,
        "vocabulary": to_plain(model.vocabulary),
        "drafters": [str(drafter.path) for drafter in library.attachments_of(model)] if library else [],
    }


def _verdict_as_plain(verdict: Verdict) -> dict[str, Any]:
    return {
        "name": verdict.model.name,
        "path": str(verdict.model.path),
        "fits": verdict.fits,
        "code": verdict.code,
        "sentence": verdict.sentence,
        "ratio": verdict.ratio,
        "token": verdict.token,
    }
