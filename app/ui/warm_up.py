"""Loads what the first window does not need and the first answer does, while the person looks at the window."""

import contextlib
import importlib
import threading

_NEEDED_SOON = (
    "app.ui.transcript.stream",
    "app.ui.transcript.highlight",
    "app.ui.models_page.page",
    "app.ui.models_page.presenter",
    "app.ui.connections_page.page",
)


class WarmUp:
    """Imports modules on a thread of its own."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._load, name="warm-up", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def finish(self) -> None:
        """Load nothing more, and wait for what is being loaded."""
        self._stop.set()
        with contextlib.suppress(RuntimeError):  # it was never started
            self._thread.join()

    def _load(self) -> None:
        for name in _NEEDED_SOON:
            if self._stop.is_set():
                return
            importlib.import_module(name)
