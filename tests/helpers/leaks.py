"""What a test left running: Python threads and Qt objects, each as a line that says what it is.

Leftovers are stopped after they are reported, so that one careless test does not spoil the next ones.
"""

import gc
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PySide6.QtCore import QObject, QProcess, QThread

GRACE_S = 2.0


def threads_now() -> set[threading.Thread]:
    return set(threading.enumerate())


def new_threads(before: set[threading.Thread]) -> list[str]:
    """Threads that run now and did not before; they get a moment to end."""
    deadline = time.monotonic() + GRACE_S
    while (fresh := threads_now() - before) and time.monotonic() < deadline:
        time.sleep(0.01)
    return [_describe_thread(thread) for thread in fresh]


def _describe_thread(thread: threading.Thread) -> str:
    frame = sys._current_frames().get(thread.ident or 0)
    where = "".join(traceback.format_stack(frame)[-3:]) if frame else "already ended"
    return f"thread {thread.name!r} ({type(thread).__qualname__}), now at:\n{where.rstrip()}"


def qt_leftovers() -> list[str]:
    """Running threads, timers, processes and animations, and top-level widgets that nobody deleted."""
    from PySide6.QtCore import QThreadPool

    _settle()
    left = list(_running()) + list(_widgets())
    if left:
        # Reference cycles keep wrappers, and what they own, alive until the collector comes by.
        gc.collect()
        _settle()
        left = list(_running()) + list(_widgets())
    lines = []
    for line, stop in left:
        lines.append(line)
        stop()
    _settle()
    pool = QThreadPool.globalInstance()
    if not pool.waitForDone(int(GRACE_S * 1000)):
        lines.append(f"{pool.activeThreadCount()} runnables in the global QThreadPool")
    return lines


def _settle() -> None:
    from PySide6.QtCore import QCoreApplication, QEvent

    # deleteLater() outside of a running event loop waits for exactly this.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def _running() -> Iterator[tuple[str, Callable[[], object]]]:
    import shiboken6
    from PySide6.QtCore import QAbstractAnimation, QProcess, QThread, QTimer

    kinds = (QThread, QTimer, QProcess, QAbstractAnimation)
    # `type`, not `isinstance`: proxies and mocks would run code when asked for their class.
    found = [item for item in gc.get_objects() if issubclass(type(item), kinds) and shiboken6.isValid(item)]
    for item in found:
        name = f"{type(item).__qualname__} {item.objectName()!r} of {_owner(item)}"
        if isinstance(item, QThread) and item.isRunning() and item is not QThread.currentThread():
            yield f"{name} is running: quit() and wait() before the end", _quitter(item)
        elif isinstance(item, QTimer) and item.isActive():
            yield f"{name} is active, every {item.interval()} ms: give it a parent that goes, or stop() it", item.stop
        elif isinstance(item, QProcess) and item.state() != QProcess.ProcessState.NotRunning:
            yield f"{name} runs {item.program()} {item.arguments()}: end it and wait", _killer(item)
        elif isinstance(item, QAbstractAnimation) and item.state() == QAbstractAnimation.State.Running:
            yield f"{name} is running: stop() it", item.stop


def _owner(item: "QObject") -> str:
    parent = item.parent()
    return f"{type(parent).__qualname__} {parent.objectName()!r}" if parent is not None else "nobody"


def _quitter(thread: "QThread") -> Callable[[], object]:
    def quit_and_wait() -> None:
        thread.requestInterruption()
        thread.quit()
        thread.wait(int(GRACE_S * 1000))

    return quit_and_wait


def _killer(process: "QProcess") -> Callable[[], object]:
    def kill_and_wait() -> None:
        process.kill()
        process.waitForFinished(int(GRACE_S * 1000))

    return kill_and_wait


def _widgets() -> Iterator[tuple[str, Callable[[], object]]]:
    from PySide6.QtWidgets import QApplication

    for widget in QApplication.topLevelWidgets():
        if widget.parent() is None and widget.objectName() != "qtooltip_label":
            size = f"{widget.width()}x{widget.height()}"
            title = widget.windowTitle()
            yield (
                f"top-level {type(widget).__qualname__} {widget.objectName()!r} {title!r} {size}: qtbot.addWidget() it",
                widget.deleteLater,
            )
