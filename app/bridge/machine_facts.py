"""What this computer has to spare for models right now."""

from dataclasses import dataclass
from pathlib import Path

from app.core import machine
from app.hub.disk import free_bytes, is_writable
from app.hub.memory_plan import Budget
from app.protocol.messages import Loaded, ModelFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineFacts:
    """Bytes; None where unknown. `device_*`: of all accelerators together, 0 without one or while nothing is loaded."""

    ram_free: int | None = None
    ram_total: int | None = None
    disk_free: int | None = None
    models_writable: bool = True
    device_free: int = 0
    device_total: int = 0

    @property
    def budget(self) -> Budget:
        """What a plan may use. Unknown main memory counts as without limit: nothing is refused for want of a number."""
        ram = self.ram_free if self.ram_free is not None else self.ram_total
        return Budget(ram=1 << 60 if ram is None else ram, vram=self.device_free)


def look(models: Path, loaded: Loaded | None) -> MachineFacts:
    """Ask the system; reads files, so not for the window's thread.

    Args:
        models: The folder downloads go to.
        loaded: What is loaded now. Its caches make room for what is loaded instead, so they count as free, and so do
            its weights; where their file is mapped, the system counts them as free by itself.
    """
    free = machine.memory_available()
    device_free = 0
    if loaded is not None:
        parts = [loaded.target, loaded.draft] if loaded.draft is not None else [loaded.target]
        if free is not None:
            free += sum(_held(part) for part in parts)
        device_free = loaded.device_free + sum(_on_device(part) for part in parts)
    return MachineFacts(
        ram_free=free,
        ram_total=machine.memory_total(),
        disk_free=free_bytes(models),
        models_writable=is_writable(models),
        device_free=min(device_free, loaded.device_total) if loaded is not None else 0,
        device_total=loaded.device_total if loaded is not None else 0,
    )


def _share_on_device(part: ModelFacts) -> float:
    return min(part.gpu_layers / (part.layers + 1), 1.0) if part.layers else 0.0


def _held(part: ModelFacts) -> int:
    counted = part.size_bytes if part.weights_mapped else 0
    return round(max(part.memory_bytes - counted, 0) * (1 - _share_on_device(part)))


def _on_device(part: ModelFacts) -> int:
    return round(part.memory_bytes * _share_on_device(part))
