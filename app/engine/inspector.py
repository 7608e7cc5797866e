"""The process that looks at model files, so that a file that is no good ends nothing but this process.

Requests on stdin, one after the other; the end of stdin ends it. The library can abort, crash or hang over a file whose
header makes sense to us: whoever asked sees the end of the process instead of an answer.
"""

import contextlib
import logging
import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from app import __version__
from app.core import log, paths
from app.core.errors import AppError, EnvironmentFault
from app.core.pairing import facts_of
from app.engine.cancel import CancelFlag
from app.protocol.codec import MAX_LINE_BYTES, ProtocolError, decode
from app.protocol.inspect_messages import FileFacts, InspectFile, Rehearsed
from app.protocol.messages import Failed, Hello
from app.protocol.wire import Wire, WireHandler, private_stdout

if TYPE_CHECKING:
    from app.engine.backends.llamacpp import Weights

FILE_S = 120.0
"""For one file; a process that needs longer has lost its way."""
_REHEARSED_CONTEXT = 512


def inspect_file(wire: Wire, request: InspectFile) -> None:
    """Tell what can be told about one file; the last event is `Rehearsed` or `Failed`."""
    from app.engine.backends.llamacpp import Context, Weights

    path, flag = Path(request.path), CancelFlag()
    try:
        if request.heads_of:
            wire.send(Rehearsed(id=request.id, layers=_rehearse_heads(path, Path(request.heads_of), flag)))
            return
        weights = Weights(path, 0, _ignore, flag, mode="vocabulary")
        try:
            wire.send(_facts(request.id, weights))
        finally:
            weights.close()
        weights = Weights(path, 0, _ignore, flag, mode="rehearsal")
        try:
            # An orderly refusal is told when it is really loaded; this is about what the library does not survive.
            with contextlib.suppress(EnvironmentFault):
                Context(weights, _REHEARSED_CONTEXT, 1).close()
            layers = weights.layers
        finally:
            weights.close()
        wire.send(Rehearsed(id=request.id, layers=layers))
    except AppError as error:
        wire.send(Failed(id=request.id, code=error.code, sentence=error.sentence, hint=error.hint, detail=error.detail))


def _rehearse_heads(path: Path, target: Path, flag: CancelFlag) -> int:
    """Load a target with the prediction heads in a file, as the engine would; returns its layers."""
    from app.engine.backends.llamacpp import Context, HeadContext, Weights

    with contextlib.ExitStack() as stack:
        weights = Weights(target, 0, _ignore, flag, heads=path == target, mode="rehearsal")
        stack.callback(weights.close)
        # An orderly refusal is told when they are really loaded, as with a model.
        with contextlib.suppress(EnvironmentFault):
            context = Context(weights, _REHEARSED_CONTEXT, 1)
            stack.callback(context.close)
            side = None
            if path != target:
                side = Weights(path, 0, _ignore, flag, heads=True, mode="rehearsal")
                stack.callback(side.close)
            HeadContext(context, 1, side).close()
        return weights.layers


def _facts(request_id: str, weights: "Weights") -> FileFacts:
    from app.engine.backends.loading import vocabulary_of

    architecture = weights.meta("general.architecture")
    trained = weights.meta(f"{architecture}.context_length")
    return FileFacts(
        id=request_id,
        architecture=architecture,
        parameters=weights.parameters,
        context_trained=int(trained) if trained.isdecimal() else 0,
        vocabulary=facts_of(vocabulary_of(weights)),
        has_template=bool(weights.template().strip()),
        memory=weights.memory,
    )


def _ignore(_share: float) -> None:
    pass


def main(arguments: list[str]) -> int:
    """Run the process."""
    if arguments:
        print(f"inspecting takes no arguments, got {arguments}", file=sys.stderr)  # noqa: T201 (no log exists yet)
        return 2
    wire = Wire(private_stdout())
    log.configure(paths.find().logs, "inspect", stream=None)
    logging.getLogger(log.ROOT).addHandler(WireHandler(wire))
    _stay_small()
    from app.engine.backends.llamacpp import start

    start()
    wire.send(Hello(name="inspect", detail=__version__))
    while line := sys.stdin.buffer.readline(MAX_LINE_BYTES + 1):
        try:
            request = decode(line)
        except ProtocolError as error:
            wire.send(Failed(id="", code="protocol", sentence="A line was not understood.", detail=str(error)))
            continue
        if not isinstance(request, InspectFile):
            continue
        timer = threading.Timer(FILE_S, os._exit, args=(75,))
        timer.daemon = True
        timer.start()
        inspect_file(wire, request)
        timer.cancel()
    return 0


def _stay_small() -> None:
    """No core files of crashes that are expected, and nobody has to wait for this process."""
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(5)
