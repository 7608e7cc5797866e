"""One program, five roles: the window, the engine, downloads, looking at model files, the command line.

Two more, `probe-engine` and `probe-window`, only say whether native libraries can be loaded, for the doctor.
"""

import signal
import sys


def main(arguments: list[str] | None = None) -> int:
    """Run the role named by `--role` (default: the window) and return its exit code."""
    rest = list(sys.argv[1:] if arguments is None else arguments)
    role = "gui"
    if rest[:1] == ["--role"] and len(rest) > 1:
        role, rest = rest[1], rest[2:]
    # Imports inside: the engine process must not pay for Qt, nor the window for the engine.
    if role == "gui":
        from app import bootstrap

        return bootstrap.main(rest)
    if role == "engine":
        from app.engine import worker

        return worker.main(rest)
    if role == "inspect":
        from app.engine import inspector

        return inspector.main(rest)
    if role == "download":
        from app.hub import worker as download_worker

        return download_worker.main(rest)
    if role == "cli":
        # Whoever presses Ctrl+C while this still starts gets an end, not a traceback through our imports.
        before = signal.signal(signal.SIGINT, signal.SIG_DFL)
        from app import cli

        signal.signal(signal.SIGINT, before)
        return cli.main(rest)
    if role == "probe-engine":
        from app.engine import probe

        return probe.main()
    if role == "probe-window":
        from app.ui import probe as window_probe

        return window_probe.main()
    known = "gui, engine, inspect, download, cli, probe-engine, probe-window"
    print(f"unknown role {role!r}; one of: {known}", file=sys.stderr)  # noqa: T201 (before any logging)
    return 2


def gui_entry() -> None:
    """Console script `outpace`."""
    sys.exit(main(["--role", "gui", *sys.argv[1:]]))


def cli_entry() -> None:
    """Console script `outpace-cli`."""
    sys.exit(main(["--role", "cli", *sys.argv[1:]]))


if __name__ == "__main__":
    sys.exit(main())
