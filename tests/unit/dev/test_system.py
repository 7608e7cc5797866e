"""What dev.py asks of the machine, and its sentences when something is missing."""

import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

Script = Callable[[str, str], Path]
Calls = Callable[[], list[str]]


def test_only_missing_packages_are_named_and_renamed_ones_count(system: ModuleType, script: Script) -> None:
    script(
        "dpkg-query",
        "echo 'libglib2.0-0t64 installed'; echo 'libgl1 installed'; echo 'libegl1 config-files'; "
        "echo 'dpkg-query: no packages found matching x' >&2; exit 1",
    )
    assert system.missing_packages(["libglib2.0-0", "libgl1", "libegl1", "xvfb"]) == ["libegl1", "xvfb"]


@pytest.mark.skipif(not Path("/usr/bin/dpkg-query").exists(), reason="not a Debian")
def test_the_real_dpkg_is_understood(system: ModuleType) -> None:
    assert system.missing_packages(["dpkg", "no-such-package-as-this"]) == ["no-such-package-as-this"]


def test_without_root_it_says_the_one_command(
    system: ModuleType, script: Script, monkeypatch: pytest.MonkeyPatch, calls: Calls
) -> None:
    script("dpkg-query", "echo 'libgl1 installed'")
    script("apt-get", 'echo "$@" >> "$CALLS"')
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(system.SetupError) as caught:
        system.ensure_packages(["libgl1", "libegl1", "xvfb"])
    assert "\n  sudo apt-get install -y --no-install-recommends libegl1 xvfb\n" in str(caught.value)
    assert calls() == []


def test_as_root_it_installs_what_is_missing(
    system: ModuleType,
    script: Script,
    monkeypatch: pytest.MonkeyPatch,
    calls: Calls,
    capsys: pytest.CaptureFixture[str],
) -> None:
    script("dpkg-query", "echo 'libgl1 installed'")
    script("apt-get", 'echo "$DEBIAN_FRONTEND $@" >> "$CALLS"; [ "$1" = install ] || exit 100; echo noise')
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    system.ensure_packages(["libgl1", "libegl1"])
    assert calls() == [
        "noninteractive update",
        "noninteractive install -y --no-install-recommends libegl1",
    ]
    assert capsys.readouterr() == ("", "Installing system packages: libegl1\n")


def test_a_failed_installation_shows_its_last_lines(
    system: ModuleType, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    script("dpkg-query", "exit 1")
    script("apt-get", "echo first; for i in 1 2 3 4; do echo line; done; echo 'E: Unable to locate'; exit 100")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(system.SetupError) as caught:
        system.ensure_packages(["libegl1"])
    text = str(caught.value)
    assert text.startswith("The system packages could not be installed. This failed:\n  apt-get install")
    assert "    E: Unable to locate\n" in text
    assert "first" not in text
    assert Path(text.rsplit("The whole log: ")[1]).read_text(encoding="utf-8").startswith("first")


def test_nothing_is_asked_where_there_is_no_apt(system: ModuleType, script: Script) -> None:
    system.ensure_packages(["libegl1"])


def test_tests_need_a_display_server_and_fonts_and_the_app_does_not(
    system: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system, "compiler_works", lambda: False)
    assert "xvfb" in system.packages_for("test", "none", compiler=False)
    assert "xvfb" not in system.packages_for("run", "none", compiler=False)
    assert "build-essential" not in system.packages_for("run", "none", compiler=False)
    assert "build-essential" in system.packages_for("run", "none", compiler=True)
    assert "glslc" in system.packages_for("run", "vulkan", compiler=True)


def test_an_unwritable_cache_is_a_sentence(system: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    with pytest.raises(system.SetupError, match=r"cannot be written to .*Make it writable"):
        system.log_file("uv")


def test_no_compiler(system: ModuleType, script: Script) -> None:
    assert not system.compiler_works()


def test_a_compiler_without_headers_is_none(system: ModuleType, script: Script) -> None:
    script("cc", "exit 0")
    script("c++", "cat > /dev/null; exit 1")
    assert system.compilers() == {"CC": "cc", "CXX": "c++"}
    assert not system.compiler_works()


def test_a_compiler_with_options_from_the_environment(
    system: ModuleType, script: Script, monkeypatch: pytest.MonkeyPatch, calls: Calls
) -> None:
    script("mycc", "exit 0")
    script("myc++", 'echo "$@" >> "$CALLS"')
    monkeypatch.setenv("CC", "mycc")
    monkeypatch.setenv("CXX", "myc++ -pipe")
    assert system.compiler_works()
    assert calls() == ["-pipe -x c++ -fsyntax-only -"]


@pytest.mark.parametrize(
    ("platform", "tool", "command"),
    [
        ("linux", "apt-get", "sudo apt-get install -y build-essential"),
        ("linux", "dnf", "sudo dnf install -y gcc gcc-c++"),
        ("linux", "pacman", "sudo pacman -S --needed base-devel"),
        ("linux", "none of these", "Install gcc and g++"),
        ("darwin", "", "xcode-select --install"),
        ("win32", "", "winget install Microsoft.VisualStudio.2022.BuildTools"),
    ],
)
def test_a_missing_compiler_is_a_sentence_with_the_command(
    system: ModuleType, monkeypatch: pytest.MonkeyPatch, platform: str, tool: str, command: str
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    advice = system.compiler_advice(lambda name: name if name == tool else None)
    assert advice.startswith("The engine is compiled on this machine, and there is no working C++ compiler.")
    assert command in advice


def test_a_device_needs_its_compiler(system: ModuleType, script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_PATH", "/nowhere")
    with pytest.raises(system.SetupError, match="needs NVIDIA's compiler nvcc"):
        system.require_device_compiler("cuda")
    with pytest.raises(system.SetupError, match="needs the shader compiler glslc"):
        system.require_device_compiler("vulkan")
    nvcc = script("nvcc", "exit 0")
    script("glslc", "exit 0")
    assert system.require_device_compiler("cuda") == {"CUDACXX": str(nvcc)}
    assert system.require_device_compiler("none") == {}


@pytest.mark.parametrize("variable", ["VULKAN_SDK", "CPATH"])
def test_headers_of_vulkan_that_are_too_old_are_a_sentence(
    system: ModuleType, script: Script, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, variable: str
) -> None:
    script("glslc", "exit 0")
    for name in ("VULKAN_SDK", "CPATH", "CPLUS_INCLUDE_PATH"):
        monkeypatch.delenv(name, raising=False)
    include = tmp_path / "sdk" / "include"
    header = include / "vulkan" / "vulkan_core.h"
    header.parent.mkdir(parents=True)
    monkeypatch.setenv(variable, str(include.parent if variable == "VULKAN_SDK" else include))
    lines = (
        "// Version of this file\n#define VK_HEADER_VERSION {0}\n"
        "#define VK_HEADER_VERSION_COMPLETE VK_MAKE_API_VERSION(0, 1, {1}, VK_HEADER_VERSION)\n"
    )
    header.write_text(lines.format(239, 3), encoding="utf-8")
    with pytest.raises(system.SetupError) as caught:
        system.require_device_compiler("vulkan")
    assert "needs the headers of Vulkan 1.3.272 or newer; those in " in str(caught.value)
    assert f"{header.parent} are 1.3.239." in str(caught.value)
    assert "set VULKAN_SDK" in str(caught.value)
    for last, minor in ((272, 3), (1, 4)):
        header.write_text(lines.format(last, minor), encoding="utf-8")
        assert system.require_device_compiler("vulkan") == {}
    header.write_text("of another world", encoding="utf-8")
    assert system.require_device_compiler("vulkan") == {}


@pytest.mark.parametrize(
    ("library", "complaint"),
    [(("glibc", "2.31"), "this system has glibc 2.31"), (("", ""), "this system has another C library")],
)
def test_an_old_c_library_is_a_sentence(
    system: ModuleType, monkeypatch: pytest.MonkeyPatch, library: tuple[str, str], complaint: str
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(system.platform, "libc_ver", lambda: library)
    with pytest.raises(system.SetupError, match=complaint):
        system.require_known_system()
    monkeypatch.setattr(system.platform, "libc_ver", lambda: ("glibc", "2.34"))
    system.require_known_system()


_TILES = """#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int count, char **) {
    syscall(SYS_arch_prctl, 0x1023, 18);  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
    struct { unsigned char palette, none[15]; unsigned short bytes[16]; unsigned char rows[16]; } config = {};
    config.palette = 1;
    for (int tile = 0; tile < 8; tile++) { config.bytes[tile] = 64; config.rows[tile] = 16; }
    config.bytes[7] = count + 63;
    _tile_loadconfig(&config);
    _tile_zero(7);
    return 0;
}
"""


@pytest.fixture
def engine_flags(system: ModuleType) -> list[str]:
    """What the engine is compiled with."""
    flags = shlex.split(system.engine_compiler().get("CXXFLAGS", ""))
    if not flags or not shutil.which("g++"):
        pytest.skip("for GCC on Linux, x86-64")
    return flags


@pytest.fixture
def compile_tiles(engine_flags: list[str]) -> Callable[..., str]:
    """Compiles a program that configures tiles of AMX, the way the engine is compiled."""

    def compile_with(*arguments: str) -> str:
        command = ["g++", "-O3", "-mamx-tile", *engine_flags, *arguments, "-x", "c++", "-"]
        return subprocess.run(command, input=_TILES, text=True, check=True, capture_output=True).stdout

    return compile_with


def test_the_compiler_keeps_the_whole_configuration_of_tiles(compile_tiles: Callable[..., str]) -> None:
    before, loads, _ = compile_tiles("-S", "-o", "-").partition("ldtilecfg")
    assert loads
    assert re.search(r"\$63\b|\b63\(", before), before  # the sum is computed, for it is stored


def test_tiles_work_where_the_processor_has_them(compile_tiles: Callable[..., str], tmp_path: Path) -> None:
    if "amx_tile" not in Path("/proc/cpuinfo").read_text(encoding="utf-8"):
        pytest.skip("this processor has no AMX")
    compile_tiles("-o", str(tmp_path / "program"))
    assert subprocess.run([str(tmp_path / "program")], check=False).returncode == 0


def test_the_engine_does_not_add_up_in_half_precision(engine_flags: list[str]) -> None:
    source = """#include <immintrin.h>
    #ifdef __AVX512FP16__
    half precision
    #endif
    """
    command = ["g++", "-mavx512fp16", "-x", "c++", "-E", "-P"]
    plain = subprocess.run([*command, "-"], input=source, text=True, capture_output=True, check=False)
    if plain.returncode != 0:
        pytest.skip("this GCC does not know it")
    assert "half precision" in plain.stdout
    ours = subprocess.run([*command, *engine_flags, "-"], input=source, text=True, capture_output=True, check=True)
    assert "half precision" not in ours.stdout


def test_other_options_for_the_compiler_are_kept(system: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    monkeypatch.setenv("CXXFLAGS", "-pipe")
    monkeypatch.setattr(system, "X86_HEADER", Path("/a folder/x86.h"))
    assert system.engine_compiler()["CXXFLAGS"] == "-pipe -include '/a folder/x86.h'"
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    assert "CXXFLAGS" not in system.engine_compiler()
