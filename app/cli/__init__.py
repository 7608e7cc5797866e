"""The same engine without a window: `outpace-cli`.

Exit codes: 0 done, 1 the request failed (a sentence on stderr), 2 wrong usage, 130 interrupted.
"""

import argparse
import contextlib
import os
import sys
from typing import TextIO

from app import __version__
from app.cli import bench, compare, doctor, generate, inspect, servers
from app.cli.fitting import free_device_memory
from app.core import log, paths
from app.core.errors import AppError, UserError
from app.hub import commands as models

_COMMANDS = (generate, compare, bench, inspect, doctor, servers)


def main(arguments: list[str]) -> int:
    """Run one command and return its exit code."""
    _stand_in_for_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        _never_fail_on_characters(stream)
    options = _parser().parse_args(arguments)
    log.configure(paths.find().logs, "cli")
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except AppError as error:
        print(f"outpace-cli: {error}", file=sys.stderr)
        return 2 if isinstance(error, UserError) and error.code == "bad_option" else 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        _let_go_of_output()
        return 0  # whoever read our output has seen enough
    except OSError as error:
        _let_go_of_output()
        print(f"outpace-cli: The output cannot be written: {error.strerror or error}.", file=sys.stderr)
        return 1
    return code


def _stand_in_for_closed_streams() -> None:
    """A program started without standard streams has None in their place, and its next files get their numbers."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 (lives as long as we do)


def _let_go_of_output() -> None:
    """Keep the interpreter from complaining at exit about what it still wanted to write."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="outpace-cli", description="Answers of a local language model, faster and word for word the same."
    )
    parser.add_argument("--version", action="version", version=f"outpace {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in _COMMANDS:
        command.add_to(commands)
    models.add_to(commands, free_device_memory)
    return parser


def _never_fail_on_characters(stream: TextIO) -> None:
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8", errors="replace")
