"""The only door to llama.cpp.

Everything native stays behind `Weights` (a file in memory, with its vocabulary) and `Context` (one cached sequence).
No callback runs Python code while a pass is computed: the library's abort hook gets the C function `strlen` and the
request's cancel flag, whose text is empty until it is cancelled.
"""

from app.engine.backends.llamacpp.context import BATCH, ROWS, Context
from app.engine.backends.llamacpp.heads import HeadContext
from app.engine.backends.llamacpp.library import Device, devices, start, versions
from app.engine.backends.llamacpp.weights import Weights

__all__ = [
    "BATCH",
    "ROWS",
    "Context",
    "Device",
    "HeadContext",
    "Weights",
    "devices",
    "start",
    "versions",
]
