"""One job at a time, every failure as a sentence."""

import traceback
from collections.abc import Callable

from app.core import log, paths
from app.core.errors import AppError, CancelledByUser, EnvironmentFault
from app.engine.backends.either import EitherBackend
from app.engine.cancel import CancelFlag
from app.engine.costs import CostStore
from app.engine.ports import Backend
from app.protocol.inspection_store import InspectionStore
from app.protocol.messages import Count, Event, Failed, Finished, Generate, Load, Unload, Unloaded
from app.protocol.servers import Probe
from app.protocol.stats import GenerationStats, SpeculationState

_log = log.get("service")

Emit = Callable[[Event], None]
Job = Load | Generate | Count | Unload | Probe


class Service:
    """Runs jobs on a backend that is made at the first job.

    Args:
        make_backend: Called once; an error it raises answers every job (the native library may be missing).
        emit: Takes every event.
    """

    def __init__(self, make_backend: Callable[[], EitherBackend], emit: Emit) -> None:
        self._make_backend = make_backend
        self._backend: EitherBackend | None = None
        self._emit = emit

    def run(self, job: Job, cancel: CancelFlag) -> None:
        """Do one job. Whatever happens, its last event is the one that answers it, or `Failed`."""
        try:
            self._run(job, cancel)
        except CancelledByUser:
            self._emit(_cancelled(job))
        except AppError as error:
            _log.info("%s: %s %s", error.code, error, error.detail)
            self._emit(
                Failed(id=job.id, code=error.code, sentence=error.sentence, hint=error.hint, detail=error.detail)
            )
        except MemoryError:
            self._emit(
                Failed(
                    id=job.id,
                    code="not_enough_memory",
                    sentence="There is not enough memory for this.",
                    hint="Close other programs, choose a shorter context or a smaller model.",
                )
            )
        except Exception as error:  # noqa: BLE001 (the process must outlive its bugs; the person gets a sentence)
            detail = traceback.format_exc()
            _log.info("unexpected: %s", detail)
            self._emit(
                Failed(
                    id=job.id,
                    code="internal",
                    sentence=f"The engine ran into an error of its own ({type(error).__name__}).",
                    hint="Try again. If it happens again, restart the engine and report the details.",
                    detail=detail,
                )
            )

    def idle(self, cancel: CancelFlag) -> bool:
        """Do a little work that nobody waits for; False when there is none."""
        try:
            return self._backend is not None and self._backend.idle(cancel)
        except Exception:  # noqa: BLE001 (nobody asked for it, nobody is told)
            _log.info("idle work failed: %s", traceback.format_exc())
            return False

    def close(self) -> None:
        """Free everything."""
        if self._backend is not None:
            self._backend.close()
            self._backend = None

    def _run(self, job: Job, cancel: CancelFlag) -> None:
        if self._backend is None:
            self._backend = self._make_backend()
        if isinstance(job, Load):
            self._emit(self._backend.load(job, cancel, self._emit))
        elif isinstance(job, Generate):
            for event in self._backend.generate(job, cancel):
                self._emit(event)
        elif isinstance(job, Count):
            self._emit(self._backend.count(job, cancel))
        elif isinstance(job, Probe):
            self._emit(self._backend.probe(job, cancel))
        else:
            self._backend.unload()
            self._emit(Unloaded(id=job.id))


def _cancelled(job: Job) -> Event:
    if not isinstance(job, Generate):
        return Failed(id=job.id, code="cancelled", sentence="Cancelled.")
    # Before the answer began, and an answer ends as one wherever it is stopped.
    return Finished(
        id=job.id,
        reason="cancelled",
        stats=GenerationStats(),
        speculation=SpeculationState(),
        seed=job.sampling.seed or 0,
    )


def engine_backend() -> EitherBackend:
    """The backend for models on this machine and on servers."""
    return EitherBackend(local_backend)


def local_backend() -> Backend:
    """The backend on llama.cpp.

    Raises:
        EnvironmentFault: the native library cannot be loaded.
    """
    try:
        from app.engine.backends.local import LocalBackend
    except (ImportError, OSError, RuntimeError) as error:
        raise EnvironmentFault(
            "engine_missing",
            "The inference engine (llama.cpp) cannot be loaded on this computer.",
            "Run the doctor to see what is missing, then install Outpace again.",
            repr(error),
        ) from error
    cache = paths.find().cache
    return LocalBackend(CostStore(cache / "costs.json"), InspectionStore(cache / "inspected.json"))
