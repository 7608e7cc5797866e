"""The doctor: what is looked at, and the advice when something is missing; with a real engine and a real Qt."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.core import paths
from app.core.errors import EnvironmentFault
from app.engine import doctor, doctor_children
from app.engine.doctor_children import DeviceFacts, EngineFacts, QtFacts

GIB = 1024**3
FEATURES = "CPU : SSE3 = 1 | AVX = 1 | AVX2 = 1 | F16C = 1 | FMA = 1 | BMI2 = 1 | REPACK = 1"
FLAGS = frozenset({"avx", "avx2", "f16c", "fma", "bmi2"})


def run_cli(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "app", "--role", "cli", "doctor", *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=120)


def test_this_computer_is_examined_for_real() -> None:
    done = run_cli("--json")
    told = json.loads(done.stdout)
    checks = {check["name"]: check for check in told["checks"]}
    assert list(checks) == [
        "Python",
        "Qt",
        "Engine",
        "Processor",
        "Devices",
        "Cores",
        "Memory",
        "Settings folder",
        "Data folder",
        "Cache folder",
        "Log folder",
        "Libraries",
        "Demo pair",
    ]
    for name in ("Python", "Qt", "Engine", "Settings folder", "Libraries", "Demo pair"):
        assert checks[name]["state"] == "ok", checks[name]
    assert checks["Engine"]["found"].startswith("llama-cpp-python 0.3.36, llama.cpp ")
    assert checks["Demo pair"]["found"] == "Outpace Demo Target and Outpace Demo Draft"
    assert told["ok"] is True
    assert done.returncode == 0
    assert all(bool(check["advice"]) == (check["state"] != "ok") for check in told["checks"])


def test_for_people_it_is_lines_and_a_problem_is_the_exit_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "plain file"
    blocked.write_text("", encoding="utf-8")
    monkeypatch.setenv(paths.HOME_VARIABLE, str(blocked))
    done = run_cli()
    assert done.returncode == 1
    assert "ok       Python" in done.stdout
    assert f"problem  Settings folder  {blocked / 'config'}: " in done.stdout
    assert f"Make it writable, or set {paths.HOME_VARIABLE}" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_an_engine_that_cannot_be_loaded_is_one_problem_among_other_checks(tmp_path: Path) -> None:
    def engine() -> EngineFacts:
        raise EnvironmentFault("not_loaded", "The engine cannot be loaded: no library.")

    checks = list(doctor.examine(paths.below(tmp_path), engine=engine, qt=lambda: QtFacts("6.11.3", "6.11.3", "")))
    told = {check.name: check for check in checks}
    assert told["Engine"].state == "problem"
    assert told["Engine"].found == "The engine cannot be loaded: no library."
    assert told["Engine"].advice.endswith("python3 packaging/dev.py run --rebuild-engine")
    assert "Devices" not in told
    assert told["Demo pair"].state == "ok"


# --- children ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "error", "sentence"),
    [
        ("import no_such_module", "not_loaded", "It cannot be loaded: No module named 'no_such_module'."),
        ("raise OSError('libEGL.so.1: cannot open')", "not_loaded", "It cannot be loaded: libEGL.so.1: cannot open."),
        ("pass", "not_loaded", "It cannot be loaded: ."),
        pytest.param(
            "import os, signal; os.kill(os.getpid(), signal.SIGILL)",
            "illegal_instruction",
            "It was compiled for another kind of processor.",
            marks=pytest.mark.skipif(os.name != "posix", reason="signals"),
        ),
        pytest.param(
            "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
            "crashed",
            "It crashed while loading (signal 11).",
            marks=pytest.mark.skipif(os.name != "posix", reason="signals"),
        ),
        ("import time; time.sleep(30)", "timeout", "It did not answer within 0 seconds."),
    ],
)
def test_a_child_that_fails_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, code: str, error: str, sentence: str
) -> None:
    if error == "timeout":
        monkeypatch.setattr(doctor_children, "TIMEOUT_S", 0.3)
    with pytest.raises(EnvironmentFault) as caught:
        doctor_children._ask([sys.executable, "-c", code], "It", {})
    assert (caught.value.code, caught.value.sentence) == (error, sentence)


def test_noise_before_the_answer_is_ignored() -> None:
    code = "import sys; print('ggml: hello'); print('{\"a\": 1}'); print('warning', file=sys.stderr)"
    assert doctor_children._ask([sys.executable, "-c", code], "It", {}) == {"a": 1}


def test_the_library_that_a_display_needs_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = "libxcb-icccm.so.4: cannot open shared object file: No such file or directory"
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    check = doctor.check_qt(lambda: QtFacts("6.11.3", "6.11.3", missing))
    assert check.state == "problem"
    assert missing in check.found
    assert check.advice.startswith("Install what Qt needs")
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert doctor.check_qt(lambda: QtFacts("6.11.3", "6.11.3", missing)).state == "advice"


# --- single checks ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "state"), [((3, 10), "problem"), ((3, 11), "ok"), ((3, 14), "ok"), ((3, 15), "problem")]
)
def test_python(version: tuple[int, int], state: str) -> None:
    check = doctor.check_python(version, "x")
    assert check.state == state
    assert check.advice == ("Use a 64 bit Python from 3.11 to 3.14." if state == "problem" else "")


def test_the_qt_release_that_crashes_old_pythons() -> None:
    def facts() -> QtFacts:
        return QtFacts("6.12.0", "6.12.0", "")

    assert doctor.check_qt(facts, (3, 11)).state == "problem"
    assert doctor.check_qt(facts, (3, 12)).state == "ok"


def test_an_engine_for_another_processor() -> None:
    check = doctor.check_cpu("Old", FLAGS - {"avx2", "fma"}, FEATURES)
    assert check.state == "problem"
    assert check.found.endswith("but the processor has no AVX2, FMA")
    assert check.advice.startswith("The engine will crash. Compile it on this computer: ")


def test_an_engine_that_could_be_faster() -> None:
    check = doctor.check_cpu("New", FLAGS | {"avx512f"}, FEATURES)
    assert check.state == "advice"
    assert check.found == "New; the engine uses AVX, AVX2, FMA, F16C, BMI2, not AVX512"


@pytest.mark.parametrize(("flags", "features"), [(FLAGS, FEATURES), (frozenset(), FEATURES), (FLAGS, "")])
def test_a_processor_that_fits_or_is_unknown(flags: frozenset[str], features: str) -> None:
    assert doctor.check_cpu("X", flags, features).state == "ok"


def test_devices() -> None:
    card = DeviceFacts("CUDA0", "A Card", 3 * GIB, 8 * GIB)
    found = doctor.check_devices(EngineFacts("1", "2", "", (card,)), nvidia=True)
    assert (found.state, found.found) == ("ok", "CUDA0: A Card, 3.0 GiB of 8.0 GiB free")
    unused = doctor.check_devices(EngineFacts("1", "2", ""), nvidia=True)
    assert unused.state == "advice"
    assert unused.advice.endswith("run --gpu cuda")
    assert doctor.check_devices(EngineFacts("1", "2", ""), nvidia=False).state == "ok"


def test_memory() -> None:
    assert doctor.check_memory(8 * GIB, 4 * GIB).found == "4.0 GiB of 8.0 GiB available"
    assert doctor.check_memory(8 * GIB, GIB).state == "advice"
    assert doctor.check_memory(None, None).found == "unknown"
    assert doctor.check_memory(8 * GIB, None).found == "8.0 GiB in all"


def test_a_folder_is_asked_without_making_it(tmp_path: Path) -> None:
    deep = tmp_path / "Größe & 'x'" / "config"
    assert doctor.check_folder("Settings folder", deep).state == "ok"
    assert list(tmp_path.iterdir()) == []
    assert doctor.check_folder("Settings folder", tmp_path).state == "ok"
    assert list(tmp_path.iterdir()) == []


def test_little_room_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = doctor.shutil.disk_usage(tmp_path)
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda path: usage._replace(free=GIB))
    check = doctor.check_folder("Data folder", tmp_path)
    assert (check.state, check.advice) == ("advice", "Free some space: models need gigabytes.")


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="a folder in which even root cannot write")
def test_a_folder_that_cannot_be_written_to() -> None:
    check = doctor.check_folder("Data folder", Path("/proc/self"))
    assert check.state == "problem"
    assert check.advice == f"Make it writable, or set {paths.HOME_VARIABLE} to a folder that is."


def test_libraries_of_another_version() -> None:
    pins = {"a": "1.0", "b": "2.0"}
    assert doctor.check_versions(pins, {"a": "1.0", "b": "2.0"}.get).found == "a 1.0, b 2.0"
    other = doctor.check_versions(pins, {"a": "1.0", "b": "2.1"}.get)
    assert (other.state, other.found) == ("advice", "b 2.1 instead of 2.0")
    missing = doctor.check_versions(pins, {"a": "1.0"}.get)
    assert (missing.state, missing.found) == ("problem", "missing: b")
    assert doctor.check_versions({}, {}.get).found == "as bundled"


def test_a_damaged_demo_pair(tmp_path: Path, demo_draft: Path) -> None:
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(demo_draft.read_bytes()[:1000])
    for pair in ((cut, demo_draft), (demo_draft, tmp_path / "missing.gguf")):
        check = doctor.check_demo_pair(pair)
        assert check.state == "problem"
        assert check.found.strip().endswith(".")
        assert "resources/demo" in check.advice
