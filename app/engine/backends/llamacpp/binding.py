"""Imports the native library, after setting what it reads once, when it is loaded.

`GGML_NO_BACKTRACE`: a failed assertion ends the process at once. By default the library first starts a debugger on it,
which takes seconds, can hang for ever where several threads fail together, and holds our pipes meanwhile.

How long a thread of libgomp spins at a barrier before it sleeps (`GOMP_SPINCOUNT`) is left as it is: milliseconds. A
thread that sleeps sooner has to be woken for the next pass, since a tenth of a millisecond lies between passes, and
where something else runs it comes back late. Against 10,000 turns the default was up to 4 % faster for plain tokens of
a 0.3 B model on two idle cores, three times as fast beside a busy process, and five times with two engines at once.
"""

import os

os.environ.setdefault("GGML_NO_BACKTRACE", "1")

import llama_cpp
from llama_cpp import _ggml
from llama_cpp import llama_cpp as native
from llama_cpp import llama_cpp_ext as extensions
from llama_cpp.llama_chat_format import Jinja2ChatFormatter

__all__ = ["Jinja2ChatFormatter", "_ggml", "extensions", "llama_cpp", "native"]
