"""What a plan may use of this computer."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.bridge.machine_facts import look
from app.core import machine
from tests.helpers import wire_values


@pytest.mark.parametrize(("mapped", "weights"), [(True, 0), (False, 6_000_000)])
def test_what_is_loaded_makes_room(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mapped: bool, weights: int) -> None:
    """Weights of a mapped file are free by what the system says; copied ones become free."""
    monkeypatch.setattr(machine, "memory_available", lambda: 100_000_000)
    loaded = wire_values.loaded(draft="")
    loaded = replace(loaded, target=replace(loaded.target, weights_mapped=mapped))
    assert look(tmp_path, loaded).ram_free == 103_000_000 + weights
    assert look(tmp_path, None).ram_free == 100_000_000
