"""Memory in use is moved to large pages, and nothing else changes."""

import ctypes
import mmap
import sys
from pathlib import Path

import pytest

from app.core import machine
from app.engine.backends.llamacpp import huge_pages
from app.engine.backends.llamacpp.huge_pages import BLOCK, Asker, HugePages, copy_pays
from app.engine.backends.llamacpp.weights import Weights
from app.engine.cancel import CancelFlag

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="large pages are asked for on Linux only")

SIZE = 16 * BLOCK


class Region:
    """Private memory, of which nothing is there yet."""

    def __init__(self) -> None:
        self._map = mmap.mmap(-1, SIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self._map.madvise(mmap.MADV_NOHUGEPAGE)  # else the system might do it by itself
        start = ctypes.addressof(ctypes.c_char.from_buffer(self._map))
        self.blocks = range(-(-start // BLOCK) * BLOCK, start + SIZE - BLOCK + 1, BLOCK)
        self._start = start

    def use(self, block: int, *, but: int = -1) -> None:
        """Write to every page of a block, or to every page but one."""
        for page in range(512):
            if page != but:
                self._map[block - self._start + page * 4096] = page % 251

    def read(self, block: int) -> bytes:
        return bytes(self._map[block - self._start + page * 4096] for page in range(512))

    def allow(self) -> None:
        self._map.madvise(mmap.MADV_HUGEPAGE)


def large_kb(address: int) -> int:
    """What of the mapping around an address is in large pages."""
    inside = False
    for line in Path("/proc/self/smaps").read_text(encoding="utf-8").splitlines():
        first = line.split()[0]
        if "-" in first and not first.endswith(":"):
            start, stop = (int(part, 16) for part in first.split("-"))
            inside = start <= address < stop
        elif inside and first == "AnonHugePages:":
            return int(line.split()[1])
    return -1


@pytest.fixture
def region(monkeypatch: pytest.MonkeyPatch) -> Region:
    if not huge_pages._wanted():
        pytest.skip("this system wants no large pages")
    made = Region()
    made.allow()
    made.use(made.blocks[0])
    if not huge_pages._collapse(made.blocks[0]):
        pytest.skip("this kernel moves nothing when asked, or has no large pages")
    made = Region()
    only(made, monkeypatch)
    return made


def only(region: Region, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest of the test process is nobody's business."""
    monkeypatch.setattr(huge_pages, "_mappings", lambda: [(region.blocks[0], region.blocks[-1] + BLOCK)])


def finish(pages: HugePages) -> None:
    for _ in range(1000):
        if not pages.move(2 * BLOCK):
            return
    raise AssertionError("there is no end to it")


def test_what_is_in_use_moves_and_keeps_its_contents(region: Region) -> None:
    used = region.blocks[2:6]
    for block in used:
        region.use(block)
    contents = [region.read(block) for block in used]
    region.allow()
    assert large_kb(region.blocks[2]) == 0
    finish(HugePages())
    assert large_kb(region.blocks[2]) == 4 * 2048
    assert [region.read(block) for block in used] == contents


def test_what_is_not_all_in_use_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would take memory that nobody uses."""
    moved: list[int] = []
    monkeypatch.setattr(huge_pages, "_wanted", lambda: True)
    monkeypatch.setattr(huge_pages, "_collapse", lambda block: moved.append(block) is None)
    region = Region()
    only(region, monkeypatch)
    region.use(region.blocks[3])
    region.use(region.blocks[5], but=100)
    finish(HugePages())
    assert moved == [region.blocks[3]]


def test_where_the_system_says_never_nothing_is_looked_at(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    setting = tmp_path / "enabled"
    setting.write_text("always madvise [never]")
    monkeypatch.setattr(huge_pages, "_SETTING", setting)
    monkeypatch.setattr(huge_pages, "_mappings", lambda: pytest.fail("looked"))
    assert not HugePages().move(BLOCK)
    monkeypatch.setattr(huge_pages, "_SETTING", tmp_path / "missing")
    assert not HugePages().move(BLOCK)


def test_a_system_without_large_pages_is_asked_a_few_times_only(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(huge_pages, "_wanted", lambda: True)
    monkeypatch.setattr(huge_pages, "_in_use", lambda: iter(range(BLOCK, 1000 * BLOCK, BLOCK)))
    monkeypatch.setattr(huge_pages, "_collapse", lambda block: asked.append(block) is not None)
    finish(HugePages())
    assert len(asked) < 30


def test_large_mappings_of_this_process_are_found_and_files_are_not() -> None:
    region = Region()
    found = huge_pages._mappings()
    assert any(start <= region.blocks[0] and region.blocks[-1] + BLOCK <= stop for start, stop in found)
    assert all(start % BLOCK == stop % BLOCK == 0 for start, stop in found)


def test_only_what_was_taken_since_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int, int]] = []
    there = [(10 * BLOCK, 20 * BLOCK), (40 * BLOCK, 60 * BLOCK)]
    monkeypatch.setattr(huge_pages, "_wanted", lambda: True)
    monkeypatch.setattr(huge_pages, "_mappings", lambda: list(there))
    monkeypatch.setattr(huge_pages, "_advise", lambda *what: asked.append(what) is None)
    asker = Asker()
    there[:] = [(6 * BLOCK, 24 * BLOCK), (40 * BLOCK, 60 * BLOCK), (80 * BLOCK, 90 * BLOCK)]
    asker.ask()
    asker.ask()
    assert [(start // BLOCK, size // BLOCK) for start, size, _ in asked] == [(6, 4), (20, 4), (80, 10)]


def test_a_box_without_proc_is_left_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(huge_pages, "_wanted", lambda: True)
    monkeypatch.setattr(huge_pages, "_MAPS", tmp_path / "missing")
    Asker().ask()
    assert not HugePages().move(BLOCK)


def test_nothing_is_asked_where_the_system_says_never(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(huge_pages, "_wanted", lambda: False)
    monkeypatch.setattr(huge_pages, "_mappings", lambda: pytest.fail("looked"))
    Asker().ask()


def test_memory_asked_for_comes_in_large_pages(region: Region, monkeypatch: pytest.MonkeyPatch) -> None:
    there: list[tuple[int, int]] = []
    monkeypatch.setattr(huge_pages, "_mappings", lambda: list(there))
    asker = Asker()
    there.append((region.blocks[0], region.blocks[-1] + BLOCK))
    asker.ask()
    region.use(region.blocks[4])
    assert large_kb(region.blocks[4]) == 2048


@pytest.mark.parametrize(
    ("name", "free", "pays"),
    [
        ("one.gguf", 3000, True),
        ("one.gguf", 2999, False),
        ("one.gguf", None, False),
        ("set-00001-of-00004.gguf", 12000, True),
        ("set-00001-of-00004.gguf", 11999, False),
        ("missing.gguf", 3000, False),
    ],
)
def test_a_file_is_copied_only_where_there_is_room(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, free: int | None, pays: bool
) -> None:
    monkeypatch.setattr(huge_pages, "_wanted", lambda: True)
    monkeypatch.setattr(machine, "memory_available", lambda: free)
    if name != "missing.gguf":
        (tmp_path / name).write_bytes(bytes(1000))
    assert copy_pays(tmp_path / name) is pays


@pytest.mark.parametrize("pays", [True, False])
def test_weights_are_copied_or_used_where_the_file_is_mapped(
    monkeypatch: pytest.MonkeyPatch, demo_target: Path, pays: bool
) -> None:
    monkeypatch.setattr(huge_pages, "copy_pays", lambda path: pays)
    weights = Weights(demo_target, 0, lambda _share: None, CancelFlag())
    mapped = str(demo_target) in Path("/proc/self/maps").read_text(encoding="utf-8")
    weights.close()
    assert mapped is not pays
