"""Large pages for the weights, on Linux.

A pass reads all weights once. In pages of 4 kB the processor looks up where they lie half a million times for every
2 GB, pushes out of its caches what is known of other memory, and fetches ahead to the next page's border only. On two
cores, a 0.3 B model (medians of pairs of processes that take turns): in Q4_K_M, passes with one and with four rows take
1 to 2 % less in pages of 2 MB; in F16 6, 5 and 3 % less with one, four and eight rows; in Q8_0 3 %.

Linux leaves memory in small pages unless asked, and has no large ones for a mapped file. So what a library takes for
weights is asked for as large pages before anything is in it (`Asker`), weights are copied from their file into such
memory where there is room for that (`copy_pays`), and what came to be in use without being asked for is moved later
(`HugePages`): only blocks that are wholly in use, so that no memory is taken beyond it. Where the system says "never",
or has no large pages to give, everything stays as it is.
"""

import ctypes
import mmap
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from app.core import machine
from app.core.gguf.split import part_of

BLOCK = 2 * 2**20
"""Bytes of a large page."""
_PAGE = 4096
_IN_BLOCK = BLOCK // _PAGE
_ADVISE = 14  # MADV_HUGEPAGE
_COLLAPSE = 25  # MADV_COLLAPSE, Linux 6.1
_PRESENT = np.uint64(63)  # bit of an entry of /proc/PID/pagemap
_LEAST = 4 * BLOCK
_PATIENCE = 16
_SHARE = 3
"""A file is copied if this many of it would fit into the memory that is free: a mapped one can be given back."""
_MAPS = Path("/proc/self/maps")
_SETTING = Path("/sys/kernel/mm/transparent_hugepage/enabled")


def copy_pays(path: Path) -> bool:
    """Whether a model is better read into memory than used where its file is mapped."""
    free = machine.memory_available()
    if free is None or not _wanted():
        return False
    part = part_of(path.name)
    try:
        return path.stat().st_size * (part[2] if part else 1) * _SHARE <= free
    except OSError:
        return False


class Asker:
    """Asks for large pages for the memory that was taken since this was made, as long as nothing is in it."""

    def __init__(self) -> None:
        self._before = _mappings() if _wanted() else None

    def ask(self) -> None:
        """Ask once; further calls do nothing."""
        if self._before is None:
            return
        before, self._before = self._before, None
        for start, stop in _mappings():
            for left, right in _outside(start, stop, before):
                _advise(left, right - left, _ADVISE)


class HugePages:
    """Moves the private memory this process has now to large pages, a piece at a time."""

    def __init__(self) -> None:
        self._blocks = _in_use() if _wanted() else iter(())
        self._failed = 0

    def move(self, most: int) -> bool:
        """Look at `most` bytes, and move what can be; False when there is nothing left to do. Takes 1 to 3 ms a MB."""
        for _ in range(max(1, most // BLOCK)):
            block = next(self._blocks, None)
            if block is None or self._failed > _PATIENCE:
                return False
            if block:
                self._failed = 0 if _collapse(block) else self._failed + 1
        return True


def _wanted() -> bool:
    if sys.platform != "linux" or mmap.PAGESIZE != _PAGE:
        return False
    try:
        return "[never]" not in _SETTING.read_text(encoding="ascii")
    except OSError:
        return False


def _in_use() -> Iterator[int]:
    """Addresses of aligned blocks of which every small page is there; 0 for a block of which that is not so."""
    try:
        with Path("/proc/self/pagemap").open("rb", buffering=0) as pages:
            for start, stop in _mappings():
                for block in range(start, stop, BLOCK):
                    entries = np.frombuffer(os.pread(pages.fileno(), _IN_BLOCK * 8, block // _PAGE * 8), dtype="<u8")
                    yield block if len(entries) == _IN_BLOCK and (entries >> _PRESENT).all() else 0
    except OSError:
        return


def _mappings() -> list[tuple[int, int]]:
    """Private memory that belongs to no file and is no stack, cut to whole blocks; only what is large."""
    found = []
    try:
        lines = _MAPS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:  # a box without /proc
        return []
    for line in lines:
        fields = line.split()
        if len(fields) != 5 or fields[1] != "rw-p":
            continue
        start, stop = (int(address, 16) for address in fields[0].split("-"))
        start, stop = -(-start // BLOCK) * BLOCK, stop // BLOCK * BLOCK
        if stop - start >= _LEAST:
            found.append((start, stop))
    return found


def _outside(start: int, stop: int, others: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """What of a range lies in none of the others."""
    for left, right in sorted(others):
        if right <= start or left >= stop:
            continue
        if left > start:
            yield start, left
        start = right
    if start < stop:
        yield start, stop


def _collapse(block: int) -> bool:
    return _advise(block, BLOCK, _COLLAPSE)


def _advise(start: int, size: int, advice: int) -> bool:
    result: int = ctypes.CDLL(None).madvise(ctypes.c_void_p(start), ctypes.c_size_t(size), advice)
    return result == 0
