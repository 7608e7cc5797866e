"""What uv says when it fails, as a sentence."""

from pathlib import Path
from types import ModuleType

import pytest

BUILD = """\
DEBUG error: an older one, which uv got over
Resolved 52 packages in 6ms
   Building llama-cpp-python==0.3.36
DEBUG [1/5] Building C object
error: Failed to build `llama-cpp-python==0.3.36`
  cause: The build backend returned an error
  cause: Call to `scikit_build_core.build.build_wheel` failed (exit status: 1)

         [stdout]
         *** scikit-build-core 1.1.2 using CMake 3.25.1 (wheel)
"""
COMPILE_ERROR = """\
         FAILED: CMakeFiles/x.dir/x.c.o
         /usr/bin/gcc -O3 -DNDEBUG -Wno-error: -MD -o CMakeFiles/x.dir/x.c.o -c x.c
         x.c:1:20: error: 'y' undeclared (first use in this function)
         ninja: build stopped: subcommand failed.
"""
NO_COMPILER = """\
         CMake Error: CMAKE_C_COMPILER not set, after EnableLanguage

         *** CMake configuration failed
"""
NO_MEMORY = "         c++: fatal error: Killed signal terminated program cc1plus\n"
NO_NETWORK = """\
error: Request failed after 1 retry in 1.7s
  cause: Failed to fetch: https://packages.example/simple/six/
  cause: error sending request for url (https://packages.example/simple/six/)
  cause: tcp connect error
"""
NO_ENVIRONMENT = """\
error: Project virtual environment directory `/x/.venv` cannot be used because it is not a valid Python environment
"""
NO_SPACE = "error: Failed to install: x.whl\n  cause: No space left on device (os error 28)\n"


@pytest.mark.parametrize(
    ("text", "sentence", "line"),
    [
        (BUILD + COMPILE_ERROR, "The engine did not compile.", "    x.c:1:20: error: 'y' undeclared"),
        (BUILD + NO_COMPILER, "The engine is compiled on this machine, and there is no", "    CMake Error: CMAKE_C_"),
        (BUILD + NO_MEMORY, "The memory ran out while compiling.", "    c++: fatal error: Killed signal"),
        (NO_NETWORK, "Packages could not be fetched. Check the network connection", "    cause: Failed to fetch"),
        (NO_SPACE, "The disk is full.", "    cause: No space left on device"),
        (NO_ENVIRONMENT, "There is a .venv that is no Python environment. Delete it", "    error: Project virtual"),
        ("error: something new\n", "The packages could not be set up in .venv.", "    error: something new"),
    ],
)
def test_a_failure_is_a_sentence_and_the_lines_that_matter(
    environment: ModuleType, text: str, sentence: str, line: str
) -> None:
    told = environment.explain_failure(text, Path("/logs/uv.log"))
    assert told.startswith(sentence)
    assert line in told
    assert told.endswith("The whole log: /logs/uv.log")
    assert "DEBUG" not in told
    assert "-O3" not in told
    assert len(told.splitlines()) < 15


def test_a_failed_build_for_a_device_says_how_to_go_back(environment: ModuleType) -> None:
    told = environment.explain_failure(BUILD + COMPILE_ERROR, Path("log"), "cuda")
    assert told.startswith("The engine did not compile. It was to be built for cuda; --gpu none builds it without.")
