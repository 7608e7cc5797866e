"""All downloads: one at a time, in order, remembered over restarts."""

import contextlib
import json
import os
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import filelock

from app.core import log
from app.core.errors import AppError, EngineFault
from app.hub.control import Control, Stopped
from app.hub.disk import RESERVE
from app.hub.job import Job
from app.hub.part_file import check_room_for, discard, have_bytes
from app.hub.speed import Speedometer
from app.hub.transfer import RETRY_DELAYS_S, Source, Wanted, fetch
from app.protocol.download_messages import DownloadCancelled, DownloadProgress, DownloadState, StartDownload

TELL_EVERY_S = 0.1
_log = log.get("download")

Emit = Callable[[DownloadProgress | DownloadCancelled], None]


class DownloadQueue:
    """Runs in a thread of its own between `start_thread` and `close`. Every method returns at once.

    Args:
        hub: Where from.
        models: The folder files go below.
        state: Remembers what is not done. A second queue with the same file starts empty and remembers nothing.
        emit: Told about every change; from any thread.
        delays: See `transfer.fetch`.
        reserve: Bytes to leave free on the disk.
    """

    def __init__(
        self,
        hub: Source,
        models: Path,
        state: Path,
        emit: Emit,
        *,
        delays: tuple[float, ...] = RETRY_DELAYS_S,
        reserve: int = RESERVE,
    ) -> None:
        self._hub = hub
        self._models = models
        self._state = state
        self._emit = emit
        self._delays = delays
        self._reserve = reserve
        self._changed = threading.Condition()
        self._closing = False
        self._jobs: dict[str, Job] = {}
        self._working: Job | None = None
        self._thread = threading.Thread(target=self._run, name="downloads", daemon=True)
        self._over = threading.Event()
        self._saying = threading.Lock()
        self._teller = threading.Thread(target=self._tell, name="download progress", daemon=True)
        self._lock = _lock_of(state)
        if self._lock is not None:
            self._load()

    def start_thread(self) -> None:
        """Begin with what was left from an earlier run."""
        self._thread.start()
        self._teller.start()

    def close(self) -> None:
        """Stop; what is not done goes on in the next run."""
        with self._changed:
            self._closing = True
            for job in self._jobs.values():
                job.control.stop()
            self._changed.notify_all()
        self._over.set()
        for thread in (self._thread, self._teller):
            if thread.is_alive():
                thread.join()
        if self._lock is not None:
            self._lock.release()

    def start(self, request: StartDownload) -> None:
        """Put a download at the end of the queue; one that exists already goes on.

        Raises:
            UserError: a file name that leads nowhere good.
        """
        job = Job.make(request.id, request.title, request.files, self._models)
        with self._changed:
            known = self._jobs.get(request.id)
            if known is None or known.state == "done":
                self._jobs[request.id] = job
                self._save()
        self.resume(request.id)

    def pause(self, job_id: str) -> None:
        """Stop it, keep what is there."""
        with self._changed:
            job = self._jobs.get(job_id)
            if job is None or job.state in ("paused", "failed", "done"):
                return
            job.state, job.fault = "paused", None
            job.control.stop()
            self._save()
            self._changed.notify_all()
        self._say(job)

    def resume(self, job_id: str) -> None:
        """Let it go on."""
        with self._changed:
            job = self._jobs.get(job_id)
            if job is None or job.state == "running":
                return
            if job.state != "done":
                job.state, job.fault, job.tries = "queued", None, 0
                self._save()
                self._changed.notify_all()
        self._say(job)

    def cancel(self, job_id: str) -> None:
        """Forget it and remove its incomplete files."""
        with self._changed:
            job = self._jobs.pop(job_id, None)
            if job is None:
                return
            working = job is self._working
            job.state = "paused"  # nothing more is told about it
            job.control.stop()
            self._save()
            self._changed.notify_all()
        if not working:
            self._remove_parts(job)

    def statuses(self) -> tuple[DownloadProgress, ...]:
        """All downloads, in the order of the queue."""
        with self._changed:
            return tuple(job.progress() for job in self._jobs.values())

    # the thread

    def _run(self) -> None:
        while (job := self._next()) is not None:
            fault: AppError | None = None
            try:
                self._work(job)
            except Stopped:
                pass
            except AppError as error:
                fault = error
            except Exception as error:  # noqa: BLE001 (a fault of ours must not end the queue)
                _log.exception("%s", job.title)
                fault = EngineFault("internal", "The download failed for an unexpected reason.", detail=repr(error))
            self._after(job, fault)

    def _next(self) -> Job | None:
        """The next one to work on, as soon as there is one; None at the end."""
        with self._changed:
            while not self._closing:
                now = time.monotonic()
                for job in self._jobs.values():
                    if job.state == "queued" or (job.state == "waiting" and job.due <= now):
                        job.state, job.fault = "running", None
                        job.control, job.meter = Control(), Speedometer()
                        self._working = job
                        return job
                dues = [job.due - now for job in self._jobs.values() if job.state == "waiting"]
                self._changed.wait(min(dues) if dues else None)
        return None

    def _work(self, job: Job) -> None:
        job.count()
        self._say(job)
        check_room_for(self._models, job.total - job.done, self._reserve)
        sizes = [file.size for file in job.files]
        for index, (file, path) in enumerate(zip(job.files, job.places, strict=True)):
            job.file = path.name
            wanted = Wanted(repo=file.repo, name=file.name, revision=file.revision, size=file.size, sha256=file.sha256)
            self._fetch(job, wanted, path, sizes, index)

    def _fetch(self, job: Job, wanted: Wanted, path: Path, sizes: list[int], index: int) -> None:
        others = sum(have_bytes(place) for place in job.places if place != path)

        def report(done: int, total: int) -> None:
            sizes[index] = total
            job.done, job.total = others + done, max(sum(sizes), others + done)
            job.meter.note(job.done)
            job.tries = 0

        fetch(self._hub, wanted, path, job.control, report, delays=self._delays, reserve=self._reserve)

    def _tell(self) -> None:
        """Tell how far the running one is: often while it moves, and its falling speed while it does not."""
        told: tuple[int, int] = (0, 0)
        while not self._over.wait(TELL_EVERY_S):
            job = self._working
            # A second without news is news.
            if job is not None and (job.done, int(time.monotonic())) != told:
                told = (job.done, int(time.monotonic()))
                self._say(job, only="running")

    def _say(self, job: Job, only: DownloadState | None = None) -> None:
        # Looked up and told under one lock, so that nothing older can follow.
        with self._saying:
            if only is None or job.state == only:
                self._emit(job.progress())

    def _after(self, job: Job, fault: AppError | None) -> None:
        with self._changed:
            self._working = None
            cancelled = self._jobs.get(job.id) is not job
            if not cancelled and job.state == "running":
                if fault is not None:
                    _log.info("%s: %s %s", job.title, fault, fault.detail)
                    job.note_fault(fault)
                else:
                    job.state = "queued" if job.control.stopped else "done"
                self._save()
        if cancelled:
            self._remove_parts(job)
        elif not self._closing:
            self._say(job)

    def _remove_parts(self, job: Job) -> None:
        for path in job.places:
            try:
                discard(path)
            except AppError as error:
                _log.warning("%s: %s", path.name, error)
        self._emit(DownloadCancelled(id=job.id))

    # memory

    def _load(self) -> None:
        try:
            records = json.loads(self._state.read_bytes())
        except FileNotFoundError:
            return
        except (OSError, ValueError, RecursionError) as error:
            _log.info("the list of downloads cannot be read: %s", error)
            return
        for record in records if isinstance(records, list) else ():
            job = Job.from_record(record, self._models)
            if job is not None:
                self._jobs[job.id] = job

    def _save(self) -> None:
        if self._lock is None:
            return
        records = [job.to_record() for job in self._jobs.values() if job.state != "done"]
        try:
            descriptor, name = tempfile.mkstemp(dir=self._state.parent, prefix=f".{self._state.name}.", suffix=".tmp")
            try:
                with os.fdopen(descriptor, "w", encoding="ascii") as file:
                    json.dump(records, file)
                Path(name).replace(self._state)
            except OSError:
                with contextlib.suppress(OSError):
                    Path(name).unlink()
                raise
        except OSError as error:
            _log.info("the list of downloads is not kept: %s", error)


def _lock_of(state: Path) -> filelock.FileLock | None:
    """Whoever holds it owns the list; a second instance, and one that may not write, does without."""
    lock = filelock.FileLock(state.with_name(f"{state.name}.lock"), thread_local=False)
    try:
        state.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except (OSError, filelock.Timeout) as error:
        _log.info("downloads are not remembered: %s", error)
        return None
    return lock
