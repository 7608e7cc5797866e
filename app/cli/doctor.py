"""`outpace-cli doctor`: is everything here that Outpace needs?"""

import argparse
import dataclasses
import json

from app.core import paths
from app.engine.doctor import Check, examine

_SIGNS = {"ok": "ok", "advice": "hint", "problem": "PROBLEM"}


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Register the command."""
    parser = commands.add_parser("doctor", help="examine this computer and say what is missing")
    parser.set_defaults(run=run)
    parser.add_argument("--json", action="store_true", help="print one JSON list")


def run(options: argparse.Namespace) -> int:
    """Examine; 1 if something will not work."""
    checks: list[Check] = []
    for check in examine(paths.find()):
        checks.append(check)
        if not options.json:
            print(f"{_SIGNS[check.state]:8} {check.name:16} {check.found}", flush=True)
            if check.advice:
                print(f"{'':25} {check.advice}", flush=True)
    if options.json:
        print(json.dumps([dataclasses.asdict(check) for check in checks], ensure_ascii=False))
    return 1 if any(check.state == "problem" for check in checks) else 0
