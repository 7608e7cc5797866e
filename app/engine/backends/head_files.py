"""Where the prediction heads of a target are, and why they cannot be used."""

from dataclasses import dataclass

from app.core import paths
from app.core.errors import UserError
from app.core.gguf import GgufFacts, heads_beside, heads_problem, side_heads, why_not_beside
from app.protocol.options import HEADS_AUTO, HEADS_OFF


@dataclass(frozen=True, slots=True)
class FoundHeads:
    """`side`: the file they are in, None where that is the target's own. `problem`: why there are none, "" if any.

    `changed`: when the side file was written, so that a better one in its place is another one.
    """

    side: GgufFacts | None = None
    problem: str = ""
    changed: int = 0


def find_heads(target: GgufFacts, asked: str) -> FoundHeads:
    """The heads that go with a target.

    Args:
        target: Its header.
        asked: "auto" for those in its file or beside it, "off" for none, or the path of a file of heads.
    """
    own = heads_problem(target)
    if asked == HEADS_OFF:
        if own and heads_beside(target) is None:
            return FoundHeads(problem=own)
        return FoundHeads(problem="The prediction heads were not loaded. The model's settings can change that.")
    if asked != HEADS_AUTO:
        try:
            return _in(side_heads(target, paths.typed(asked)))
        except UserError as error:
            return FoundHeads(problem=str(error))
    if not own:
        return FoundHeads()
    side = heads_beside(target)
    return _in(side) if side is not None else FoundHeads(problem=why_not_beside(target) or own)


def _in(side: GgufFacts) -> FoundHeads:
    try:
        return FoundHeads(side, changed=side.path.stat().st_mtime_ns)
    except OSError:
        return FoundHeads(problem=f"{side.path.name} is gone.")
