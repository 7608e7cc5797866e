"""Disk work on another thread; what came of it is told in the window's thread."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Signal

from app.core import log
from app.core.errors import AppError, CancelledByUser, EngineFault

T = TypeVar("T")
_log = log.get("background")


class Task:
    """One piece of work. `cancelled` may be asked from any thread."""

    def __init__(
        self, work: Callable[["Task"], Any], then: Callable[[Any], object], failed: Callable[[AppError], object]
    ) -> None:
        self._work = work
        self._then = then
        self._failed = failed
        self._stop = threading.Event()
        self._result: Any = None
        self._fault: AppError | None = None

    @property
    def cancelled(self) -> bool:
        return self._stop.is_set()

    def cancel(self) -> None:
        """Nothing more is told about it; work that looks at `cancelled` ends early."""
        self._stop.set()

    def run(self) -> None:
        """Do it; for the other thread."""
        if self.cancelled:
            return
        try:
            self._result = self._work(self)
        except CancelledByUser:
            self.cancel()
        except AppError as fault:
            self._fault = fault
        except Exception as fault:  # noqa: BLE001 (a bug in one task must not end the thread; the person gets a sentence)
            _log.exception("a task failed")
            self._fault = EngineFault("internal", "Something went wrong in Outpace itself.", detail=repr(fault))

    def tell(self) -> None:
        """Say what came of it; for the window's thread."""
        if self.cancelled:
            return
        if self._fault is not None:
            self._failed(self._fault)
        else:
            self._then(self._result)


class Background(QObject):
    """Runs tasks one after the other on a thread of its own."""

    _ended = Signal(object)

    def __init__(self, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._pool: ThreadPoolExecutor | None = None
        self._tasks: dict[Task, str] = {}
        self._closed = False
        self._ended.connect(self._on_ended)

    def run(
        self,
        work: Callable[[Task], T],
        then: Callable[[T], object],
        failed: Callable[[AppError], object] = lambda _fault: None,
        *,
        key: str = "",
    ) -> Task:
        """Do `work` there, then call `then` or `failed` here. A task with the same `key` that is not done is cancelled.

        Nothing happens after `shut_down`.
        """
        task = Task(work, then, failed)
        if self._closed:
            task.cancel()
            return task
        if key:
            self.cancel(key)
        self._tasks[task] = key
        if self._pool is None:
            self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix=self.objectName())
        self._pool.submit(self._run, task)
        return task

    def cancel(self, key: str) -> None:
        """Forget the tasks with this key."""
        for task, its_key in self._tasks.items():
            if its_key == key:
                task.cancel()

    @property
    def busy(self) -> bool:
        """Is there work to do or to tell?"""
        return any(not task.cancelled for task in self._tasks)

    def shut_down(self) -> None:
        """Forget everything and wait for what is running; for the end of the application."""
        self._closed = True
        for task in self._tasks:
            task.cancel()
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def finish(self) -> None:
        """Do everything that was given, wait for it and tell nothing more; for the end of the application."""
        self._closed = True
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
        for task in self._tasks:
            task.cancel()

    def _run(self, task: Task) -> None:
        task.run()
        self._ended.emit(task)

    def _on_ended(self, task: Task) -> None:
        del self._tasks[task]
        task.tell()
