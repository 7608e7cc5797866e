"""`outpace-cli doctor`: what this computer has, and what to do about the rest."""

import argparse
import dataclasses
import json

from app import __version__
from app.core import paths
from app.engine.doctor import examine


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Register the command."""
    parser = commands.add_parser("doctor", help="say what this computer has, and what to do about the rest")
    parser.set_defaults(run=run)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    """Examine this computer; 1 if something will not work."""
    checks = []
    for check in examine(paths.find()):
        checks.append(check)
        if not options.json:
            print(f"{check.state:8} {check.name:16} {check.found}", flush=True)
            if check.advice:
                print(f"{'':25} {check.advice}", flush=True)
    problems = sum(check.state == "problem" for check in checks)
    if options.json:
        body = {"version": __version__, "ok": not problems, "checks": [dataclasses.asdict(check) for check in checks]}
        print(json.dumps(body, ensure_ascii=False))
    return 1 if problems else 0
