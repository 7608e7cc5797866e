"""Views of native memory."""

import ctypes

import numpy as np
import pytest

from app.core.errors import EngineFault
from app.engine.backends.llamacpp.context import NativeRows


def test_rows_are_seen_and_not_copied() -> None:
    numbers = (ctypes.c_float * 6)(*range(6))
    rows = NativeRows(3)
    seen = rows.at(ctypes.addressof(numbers), 2)
    assert np.array_equal(seen, [[0, 1, 2], [3, 4, 5]])
    numbers[4] = 9.0
    assert seen[1, 1] == 9.0
    assert rows.at(ctypes.addressof(numbers), 2) is seen


def test_no_address_is_an_error_and_no_crash() -> None:
    with pytest.raises(EngineFault):
        NativeRows(3).at(0, 1)
