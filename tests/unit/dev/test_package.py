"""What `dev.py package` does around compilers and PyInstaller; the packages themselves are tried by packaging/smoke."""

import hashlib
import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[3]
LINUX = ROOT / "packaging" / "linux"


@pytest.fixture
def release() -> ModuleType:
    return importlib.import_module("release.command")


@pytest.fixture
def libraries() -> ModuleType:
    if not shutil.which("objdump"):
        pytest.skip("needs objdump")
    return importlib.import_module("release.libraries")


@pytest.fixture
def linux() -> ModuleType:
    return importlib.import_module("release.linux")


def native() -> Path:
    import llama_cpp

    return Path(llama_cpp.__file__).parent / "lib"


# --- the command ------------------------------------------------------------------------------------------------------


def test_what_cannot_be_made_here_is_a_usage_error(release: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        release.main(ROOT, lambda: "uv", "none", ["floppy"])
    assert stop.value.code == 2
    assert "floppy cannot be made on this system; one of: bundle" in capsys.readouterr().err


def test_a_package_is_not_made_for_the_device_that_is_remembered(dev: ModuleType, monkeypatch) -> None:
    seen: list[object] = []
    monkeypatch.setattr(dev, "ensure_packages", lambda names: seen.append(names))
    monkeypatch.setattr(dev.release, "main", lambda _root, _uv, device, rest: seen.append((device, rest)) or 0)
    importlib.import_module("dev_environment").remember_device("vulkan")
    assert dev.main(["package", "deb", "--quick"]) == 0
    assert seen[-1] == ("none", ["deb", "--quick"])
    assert {"binutils", "zstd"} <= set(seen[0])
    if sys.platform != "darwin":
        assert dev.main(["package", "--gpu", "vulkan"]) == 0
        assert seen[-1] == ("vulkan", [])


def test_the_engine_of_a_package_is_not_made_for_this_processor() -> None:
    told = importlib.import_module("release.engine").definitions()
    assert told["GGML_NATIVE"] == "OFF"
    if sys.platform != "darwin":
        assert (told["GGML_BACKEND_DL"], told["GGML_CPU_ALL_VARIANTS"]) == ("ON", "ON")
        assert told["CMAKE_INSTALL_BINDIR"] == "llama_cpp/lib"


# --- libraries --------------------------------------------------------------------------------------------------------


def test_what_a_bundle_lacks_is_named(libraries: ModuleType, tmp_path: Path) -> None:
    inside = tmp_path / "_internal"
    inside.mkdir()
    shutil.copy(native() / "libggml.so", inside / "libggml.so.0")
    with pytest.raises(importlib.import_module("dev_system").SetupError) as problem:
        libraries.find_needs(tmp_path)
    assert "libggml.so.0 needs libggml-base.so.0" in str(problem.value)
    for name in ("libggml-base", "libggml-cpu"):
        shutil.copy(native() / f"{name}.so", inside / f"{name}.so.0")
    (inside / "libgomp.so.1").write_bytes(b"\x7fELF and nothing else")
    with pytest.raises(importlib.import_module("dev_system").SetupError, match="no library that objdump can read"):
        libraries.find_needs(tmp_path)


def test_what_every_system_has_becomes_a_dependency(libraries: ModuleType) -> None:
    needs = libraries.Needs(
        frozenset({"libc.so.6", "libm.so.6", "libEGL.so.1"}), frozenset({"libvulkan.so.1", "libcuda.so.1"}), (2, 35)
    )
    assert needs.packages() == ["libc6 (>= 2.35)", "libegl1"]
    assert needs.recommended() == ["libvulkan1"]


def test_a_missing_library_fails_the_build_only_if_its_asker_is_bundled(tmp_path: Path) -> None:
    bundle = importlib.import_module("release.bundle")
    line = "99 WARNING: Library not found: could not resolve 'libgtk-3.so.0', dependency of '/env/plugins/libqgtk3.so'."
    bundle.refuse_missing_libraries(line, tmp_path)
    (tmp_path / "libqgtk3.so").touch()
    with pytest.raises(importlib.import_module("dev_system").SetupError, match=r"libqgtk3\.so needs libgtk-3\.so\.0"):
        bundle.refuse_missing_libraries(line, tmp_path)


def test_a_driver_that_is_not_here_is_no_missing_library(tmp_path: Path) -> None:
    """A machine that makes a bundle for a GPU need not have one."""
    line = "WARNING: Library not found: could not resolve 'libcuda.so.1', dependency of '/x/libggml-cuda.so'."
    (tmp_path / "libggml-cuda.so").touch()
    importlib.import_module("release.bundle").refuse_missing_libraries(line, tmp_path)


def test_a_language_without_the_words_of_qt_does_not_get_into_a_bundle(tmp_path: Path) -> None:
    bundle = importlib.import_module("release.bundle")
    with pytest.raises(importlib.import_module("dev_system").SetupError, match=r"^qtbase_de\.qm, Qt's own words"):
        bundle.refuse_missing_words(ROOT, tmp_path)
    (tmp_path / "qtbase_de.qm").touch()
    bundle.refuse_missing_words(ROOT, tmp_path)


def test_a_bundle_for_cuda_brings_the_licence_of_nvidia(tmp_path: Path) -> None:
    licences = importlib.import_module("release.licences")
    texts, empty, toolkit = (tmp_path / name for name in ("texts", "empty", "toolkit"))
    for folder in (texts, empty, toolkit):
        folder.mkdir()
    with pytest.raises(importlib.import_module("dev_system").SetupError, match="CUDA_PATH"):
        licences.nvidia_licence(texts, [empty])
    (toolkit / "EULA.txt").write_text("terms", encoding="utf-8")
    assert licences.nvidia_licence(texts, [empty, toolkit]) == toolkit / "EULA.txt"
    (texts / "NVIDIA CUDA.txt").write_text("kept", encoding="utf-8")
    assert licences.nvidia_licence(texts, [toolkit]) == texts / "NVIDIA CUDA.txt"


# --- icons ------------------------------------------------------------------------------------------------------------


def test_icons_are_drawn_in_all_sizes(tmp_path: Path) -> None:
    script = ROOT / "packaging" / "release" / "draw_icons.py"
    command = [sys.executable, str(script), str(ROOT / "resources" / "icons"), str(tmp_path)]
    subprocess.run(command, check=True, env={**os.environ, "QT_QPA_PLATFORM": "offscreen"}, timeout=120)
    from PySide6.QtGui import QImage, QImageReader

    for size in (16, 24, 48, 256, 512):
        image = QImage(str(tmp_path / f"outpace-{size}.png"))
        assert (image.width(), image.height()) == (size, size)
        assert len({image.pixel(x, y) for x in range(size) for y in range(size)}) > 8
    reader = QImageReader(str(tmp_path / "outpace.ico"))
    assert reader.imageCount() == 7
    assert {reader.read().width() for number in range(7) if reader.jumpToImage(number)} == {
        16,
        24,
        32,
        48,
        64,
        128,
        256,
    }
    content = (tmp_path / "outpace.icns").read_bytes()
    assert content[:4] == b"icns"
    assert int.from_bytes(content[4:8], "big") == len(content)


# --- installing -------------------------------------------------------------------------------------------------------


@pytest.fixture
def archive(linux: ModuleType, tmp_path: Path) -> Path:
    """An unpacked archive whose programs are scripts."""
    folder = tmp_path / "outpace-1.2.3-linux-x86_64"
    (folder / "app" / "_internal").mkdir(parents=True)
    for name in ("outpace", "outpace-engine"):
        (folder / "app" / name).write_text(f"#!/bin/sh\necho {name} $*\n", encoding="utf-8")
        (folder / "app" / name).chmod(0o755)
    for script in ("install.sh", "uninstall.sh"):
        shutil.copy(LINUX / script, folder / script)
        (folder / script).chmod(0o755)
    (folder / "VERSION").write_text("1.2.3\n", encoding="utf-8")
    (folder / "LICENSE").write_text("Apache", encoding="utf-8")
    linux.put_desktop_files(ROOT, folder / "share")
    return folder


def run(*command: str | Path, home: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HOME": str(home)}
    return subprocess.run(
        list(map(str, command)), env=environment, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize("name", ["plain", "Programme & mehr | 100 % $HOME `ü`"])
def test_the_archive_installs_upgrades_and_uninstalls(archive: Path, tmp_path: Path, name: str) -> None:
    prefix = tmp_path / name
    home = tmp_path / "home"
    (home / ".local/share/outpace").mkdir(parents=True)
    done = run(archive / "install.sh", "--prefix", prefix, home=home)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"Outpace 1.2.3 is installed in {prefix}/lib/outpace." in done.stdout
    assert run(prefix / "bin" / "outpace", "x.gguf", home=home).stdout == "outpace x.gguf\n"
    assert run(prefix / "bin" / "outpace-cli", "doctor", home=home).stdout == "outpace-engine doctor\n"
    entry = (prefix / "share/applications/outpace.desktop").read_text(encoding="utf-8")
    (line,) = (line for line in entry.splitlines() if line.startswith("Exec="))
    # As the specification of desktop entries has it: %% is %, and in quotes a backslash takes `"$\ literally.
    quoted = line.removeprefix('Exec="').removesuffix('/bin/outpace" %f').replace("%%", "%")
    for sign in '\\"`$':
        quoted = quoted.replace(f"\\{sign}", sign)
    assert quoted == str(prefix)
    (prefix / "lib/outpace/_internal/old").touch()
    before = sorted(prefix.rglob("*"))
    assert run(archive / "install.sh", "--prefix", prefix, home=home).returncode == 0
    assert sorted(prefix.rglob("*")) == [path for path in before if path.name != "old"]
    (prefix / "bin" / "other").touch()
    done = run(prefix / "lib" / "outpace" / "uninstall.sh", home=home)
    assert (done.returncode, done.stderr) == (0, "")
    files = [path for path in prefix.rglob("*") if path.is_file() and path.suffix != ".cache"]
    assert [path.name for path in files if "mime/packages" in str(path) or "mime" not in path.parts] == ["other"]
    assert (home / ".local/share/outpace").is_dir()


def test_the_archive_refuses_what_it_would_spoil(archive: Path, tmp_path: Path) -> None:
    foreign = tmp_path / "prefix" / "lib" / "outpace"
    foreign.mkdir(parents=True)
    (foreign / "precious").touch()
    done = run(archive / "install.sh", "--prefix", tmp_path / "prefix", home=tmp_path)
    assert done.returncode == 1
    assert "exists and is no Outpace" in done.stderr
    assert [path.name for path in foreign.iterdir()] == ["precious"]
    assert run(archive / "install.sh", "--fast", home=tmp_path).returncode == 2
    done = run(archive / "uninstall.sh", home=tmp_path)
    assert (done.returncode, archive.is_dir()) == (1, True)
    shutil.rmtree(archive / "app")
    done = run(archive / "install.sh", "--prefix", tmp_path / "other", home=tmp_path)
    assert done.returncode == 1
    assert "Unpack the whole archive" in done.stderr


def test_checksums_are_those_of_sha256sum(linux: ModuleType, tmp_path: Path) -> None:
    files = [tmp_path / "b.deb", tmp_path / "a.tar.zst"]
    for file in files:
        file.write_bytes(file.name.encode())
    sums = linux.write_checksums(files).read_text(encoding="ascii").splitlines()
    assert sums == [f"{hashlib.sha256(name.encode()).hexdigest()}  {name}" for name in ("a.tar.zst", "b.deb")]
