"""One download of the queue: its files, how far it is, what is wrong with it."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.core.errors import AppError
from app.core.plain import PlainError, from_plain, to_plain
from app.hub.control import Control
from app.hub.disk import place
from app.hub.part_file import have_bytes
from app.hub.speed import Speedometer
from app.protocol.download_messages import DownloadProgress, DownloadState, WantedFile

RETRY_S = (5.0, 15.0, 30.0, 60.0)
"""Seconds until a waiting download tries again; the last one from then on."""
PASSING = frozenset(
    {"no_network", "hub_down", "hub_slow", "connection_lost", "rate_limited", "hub_error", "downloading_elsewhere"}
)
"""Codes of troubles that may pass by themselves."""


@dataclass(slots=True)
class Job:
    """Changed only under the lock of the queue, except by the thread that works on it."""

    id: str
    title: str
    files: tuple[WantedFile, ...]
    places: tuple[Path, ...]
    state: DownloadState = "queued"
    fault: AppError | None = None
    file: str = ""
    done: int = 0
    total: int = 0
    tries: int = 0
    due: float = 0.0
    control: Control = field(default_factory=Control)
    meter: Speedometer = field(default_factory=Speedometer)

    @classmethod
    def make(cls, job_id: str, title: str, files: Sequence[WantedFile], models: Path) -> "Job":
        """A new job, or one from an earlier run.

        Raises:
            UserError: a file name that leads nowhere good.
        """
        places = tuple(place(models, file.repo, file.name) for file in files)
        job = cls(job_id, title, tuple(files), places)
        job.count()
        return job

    def count(self) -> None:
        """Look at the disk for what is there already."""
        self.done = sum(map(have_bytes, self.places))
        self.total = max(sum(file.size for file in self.files), self.done)

    def progress(self) -> DownloadProgress:
        """For the window."""
        running = self.state == "running"
        return DownloadProgress(
            id=self.id,
            title=self.title,
            state=self.state,
            file=self.file,
            done=self.done,
            total=self.total,
            speed=self.meter.speed() if running else None,
            seconds_left=self.meter.seconds_left(max(self.total - self.done, 0)) if running else None,
            code=self.fault.code if self.fault else "",
            sentence=self.fault.sentence if self.fault else "",
            hint=self.fault.hint if self.fault else "",
            paths=tuple(map(str, self.places)) if self.state == "done" else (),
        )

    def to_record(self) -> dict[str, Any]:
        """For the file of the queue."""
        return {"id": self.id, "title": self.title, "files": to_plain(self.files), "paused": self.state in _STAY}

    def note_fault(self, fault: AppError) -> None:
        """What became of it after a failure."""
        self.fault = fault
        if fault.code in PASSING:
            self.state = "waiting"
            self.due = time.monotonic() + RETRY_S[min(self.tries, len(RETRY_S) - 1)]
            self.tries += 1
        else:
            self.state = "paused" if fault.code == "disk_full" else "failed"

    @classmethod
    def from_record(cls, record: Any, models: Path) -> "Job | None":
        """A job of an earlier run, None if the record makes no sense."""
        try:
            files = from_plain(tuple[WantedFile, ...], record["files"], "files")
            job = cls.make(str(record["id"]), str(record["title"]), files, models)
        except (PlainError, KeyError, TypeError, AppError):
            return None
        job.state = "paused" if record.get("paused") else "queued"
        return job


_STAY = frozenset({"paused", "failed"})
