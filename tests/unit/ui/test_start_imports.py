"""What the first window does not need is not loaded for it."""

import subprocess
import sys

LATER = (
    "markdown_it",
    "pygments",
    "ziamath",
    "huggingface_hub",
    "app.ui.models_page.page",
    "app.ui.connections_page.page",
)


def test_the_first_window_loads_neither_parsers_nor_pages() -> None:
    code = f"import sys, app.bootstrap; print([name for name in {LATER!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.strip() == "[]"
