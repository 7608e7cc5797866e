"""Whether the extra prediction heads (MTP/NextN) of a model can be used, by the headers of its files alone.

llama.cpp cannot be asked: it ends the process where a tensor of a head is missing. Heads are in the file of the model,
or in one beside it that holds nothing else, which by convention is called `mtp-*.gguf`.
"""

from itertools import takewhile
from pathlib import Path

from app.core.errors import UserError
from app.core.gguf.facts import GgufFacts, describe
from app.core.gguf.problems import is_drafter
from app.core.gguf.reader import read_header

ARCHITECTURES = frozenset(
    {
        "bailingmoe3",
        "cohere2moe",
        "deepseek2",
        "deepseek32",
        "deepseek4",
        "glm-dsa",
        "glm4moe",
        "hy_v3",
        "mimo2",
        "nemotron_h_moe",
        "qwen35",
        "qwen35moe",
        "qwen3next",
        "step35",
    }
)
"""Architectures with a head graph in the engine's version of llama.cpp."""

SIDE_FILES = "mtp-*.gguf"
SIDE_FOLDER = "MTP"
"""Where they are looked for besides the folder of the model."""


def heads_problem(facts: GgufFacts) -> str:
    """Why the heads in a file cannot be used, in a sentence; "" if they can."""
    elsewhere = f"The MTP version of the model has them, and so has a file called {SIDE_FILES} beside this one."
    if facts.nextn_declared and not facts.nextn:
        return f"This file was made without its prediction heads. {elsewhere}"
    if not facts.nextn or not facts.nextn_declared:
        none = "This file has no prediction heads."
        return (
            f"{none} Some models of its kind were made with them. {elsewhere}"
            if facts.architecture in ARCHITECTURES
            else none
        )
    if facts.architecture not in ARCHITECTURES:
        return f"The engine cannot use the prediction heads of {facts.architecture} models."
    if facts.nextn != facts.nextn_declared:
        return f"Only {facts.nextn} of the {facts.nextn_declared} prediction heads are in this file."
    return ""


def heads_belong(target: GgufFacts, heads: GgufFacts) -> bool:
    """Whether a file of nothing but heads is, by its dimensions, made for this target."""
    return heads.architecture.lower() == target.architecture.lower() and (
        heads.layers,
        heads.embedding_length,
        heads.vocabulary_size,
    ) == (target.layers, target.embedding_length, target.vocabulary_size)


def side_heads(target: GgufFacts, file: Path) -> GgufFacts:
    """The heads in a file that holds nothing else.

    Raises:
        UserError: they cannot be used with this target.
    """
    found = describe(read_header(file))
    if not is_drafter(found) or not found.nextn:
        raise UserError("no_heads", f"{file.name} is no file of prediction heads.", "Choose the model's mtp file.")
    if not heads_belong(target, found):
        raise UserError("other_heads", f"The prediction heads in {file.name} were made for another model.")
    problem = heads_problem(found)
    if problem:
        raise UserError("no_heads", problem)
    return found


def heads_beside(target: GgufFacts) -> GgufFacts | None:
    """The heads in a file beside a target that has none of its own, None if there is no such file."""
    for name in _side_files(target):
        try:
            return side_heads(target, name)
        except (UserError, OSError):
            continue
    return None


def why_not_beside(target: GgufFacts) -> str:
    """Why a file that by its name has the heads of a target cannot be used, "" where there is no such file."""
    stem = target.path.stem.lower()
    for name in _side_files(target):
        if 2 * _alike(stem, _stem(name)) > len(stem):
            try:
                side_heads(target, name)
            except UserError as error:
                return str(error)
            except OSError as error:
                return f"{name.name} cannot be read: {error.strerror or error}."
    return ""


def is_beside(target: Path, file: Path) -> bool:
    """Whether a file of heads lies where it is found with its target."""
    return file.parent in (target.parent, target.parent / SIDE_FOLDER) and file.match(SIDE_FILES)


def _side_files(target: GgufFacts) -> list[Path]:
    """What could be files of heads beside a target that needs one, the likeliest first."""
    if target.nextn or target.architecture not in ARCHITECTURES:
        return []
    folder = target.path.parent
    try:
        files = [file for place in (folder, folder / SIDE_FOLDER) for file in place.glob(SIDE_FILES)]
    except OSError:
        return []
    # Models of one size have heads of one size: the name tells whose they are.
    stem = target.path.stem.lower()
    return sorted(files, key=lambda file: (-_alike(stem, _stem(file)), str(file)))


def _stem(side: Path) -> str:
    return side.stem.lower().removeprefix("mtp-")


def _alike(one: str, other: str) -> int:
    """With how many equal characters two names begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
