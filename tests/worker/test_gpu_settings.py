"""GPU layers as they are decided, without a GPU: the library ignores what it cannot do."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from app.core.errors import UserError
from app.engine.backends import loading
from app.engine.backends.llamacpp import Device
from app.engine.backends.local import LocalBackend
from app.engine.cancel import CancelFlag
from app.protocol.messages import Load, Loaded

MIB = 1024 * 1024


@dataclass
class Gpu:
    """A device whose free memory shrinks by what the loaded models are said to take."""

    backend: LocalBackend
    free: int
    plans: list[tuple[int, int, int]] = field(default_factory=list)

    def load(self, target: Path, draft: Path | None = None, **settings: object) -> Loaded:
        request = Load(id="load", target=str(target), draft=str(draft or ""), **settings)  # type: ignore[arg-type]
        return self.backend.load(request, CancelFlag(), lambda _event: None)


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gpu]:
    backend = LocalBackend()
    gpu = Gpu(backend, free=0)
    monkeypatch.setattr(loading, "devices", lambda: (Device("GPU0", "a pretended one", gpu.free, 1024 * MIB),))
    yield gpu
    backend.close()


def test_automatic_takes_all_layers_where_they_fit(gpu: Gpu, demo_target: Path) -> None:
    gpu.free = 1024 * MIB
    assert gpu.load(demo_target).target.gpu_layers == 7


def test_automatic_takes_what_fits_beside_a_reserve(gpu: Gpu, demo_target: Path) -> None:
    gpu.free = 512 * MIB + 7 * MIB
    assert 0 < gpu.load(demo_target).target.gpu_layers < 7
    gpu.free = 100 * MIB
    assert gpu.load(demo_target, threads=1).target.gpu_layers == 0


def test_the_same_again_is_kept_although_less_is_free_now(gpu: Gpu, demo_target: Path, demo_draft: Path) -> None:
    gpu.free = 1024 * MIB
    first = gpu.load(demo_target, demo_draft)
    gpu.free = 1 * MIB
    again = gpu.load(demo_target, demo_draft)
    assert again.target_loaded_at == first.target_loaded_at
    assert again.target.gpu_layers == first.target.gpu_layers
    assert gpu.load(demo_target).target_loaded_at == first.target_loaded_at


def test_what_a_model_holds_counts_as_free_for_its_successor(gpu: Gpu, demo_target: Path) -> None:
    gpu.free = 512 * MIB + 20 * MIB
    first = gpu.load(demo_target)
    assert first.target.gpu_layers == 7
    gpu.free = 512 * MIB
    second = gpu.load(demo_target, context=1024)
    assert second.target_loaded_at > first.target_loaded_at
    assert second.target.gpu_layers == 7


def test_a_number_is_honoured(gpu: Gpu, demo_target: Path) -> None:
    gpu.free = 1024 * MIB
    assert gpu.load(demo_target, gpu_layers=3).target.gpu_layers == 3
    assert gpu.load(demo_target, gpu_layers=0).target.gpu_layers == 0
    with pytest.raises(UserError, match="-1 GPU layers are not possible"):
        gpu.load(demo_target, gpu_layers=-1)
