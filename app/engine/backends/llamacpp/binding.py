"""Imports the native library, after setting what it reads once, when it is loaded.

`GOMP_SPINCOUNT`: how long a thread of libgomp spins at a barrier before it sleeps. The default is to spin for
milliseconds, which is fine on an idle machine and a disaster on a busy one: every barrier waits for a thread that does
not run, while the spinning one holds its core. A pass has hundreds of barriers. 10,000 is as fast as the default on an
idle machine, where 1,000 costs a plain pass of a 0.3 B model about a tenth.

`GGML_NO_BACKTRACE`: a failed assertion ends the process at once. By default the library first starts a debugger on it,
which takes seconds, can hang for ever where several threads fail together, and holds our pipes meanwhile.
"""

import os

os.environ.setdefault("GOMP_SPINCOUNT", "10000")
os.environ.setdefault("GGML_NO_BACKTRACE", "1")

import llama_cpp
from llama_cpp import _ggml
from llama_cpp import llama_cpp as native
from llama_cpp import llama_cpp_ext as extensions
from llama_cpp.llama_chat_format import Jinja2ChatFormatter

__all__ = ["Jinja2ChatFormatter", "_ggml", "extensions", "llama_cpp", "native"]
