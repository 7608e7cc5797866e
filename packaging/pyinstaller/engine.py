"""Everything of a bundle that has no window: the engine, downloads, and, without a role, the command line."""

import os
import sys

from app.__main__ import main

# As in window.py.
before = os.environ.pop("LD_LIBRARY_PATH_ORIG", None)
os.environ.pop("LD_LIBRARY_PATH", None)
if before is not None:
    os.environ["LD_LIBRARY_PATH"] = before
# A child that is the same program would take the paths of its parent for its own, and not set them up again.
os.environ["PYINSTALLER_RESET_ENVIRONMENT"] = "1"

rest = sys.argv[1:]
sys.exit(main(rest if rest[:1] == ["--role"] else ["--role", "cli", *rest]))
