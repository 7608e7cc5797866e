"""What this computer has: cores and memory. Unknown is None."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

_SYSTEM: str = sys.platform  # a plain string: type checkers would skip the code of other systems


def physical_cores() -> int:
    """Cores this process may use, not counting the second thread of a core; at least 1."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
    counted = _linux_cores() if _SYSTEM.startswith("linux") else _sysctl("hw.physicalcpu")
    if counted is None and _SYSTEM == "win32":
        counted = (os.cpu_count() or 2) // 2  # most desktop processors have two threads a core
    return max(1, min(usable, counted or usable, _cpu_quota() or usable))


def memory_total() -> int | None:
    """Bytes of main memory."""
    if _SYSTEM == "darwin":
        return _sysctl("hw.memsize")
    if _SYSTEM == "win32":
        status = _windows_memory()
        return status and status[0]
    return _meminfo("MemTotal")


def memory_available() -> int | None:
    """Bytes a new program can use without swapping, the limit of a control group included."""
    if _SYSTEM == "win32":
        status = _windows_memory()
        return status and status[1]
    if _SYSTEM == "darwin":
        return memory_total()  # macOS compresses and evicts; there is no honest number below the total
    free = _meminfo("MemAvailable")
    limit, used = _number(Path("/sys/fs/cgroup/memory.max")), _number(Path("/sys/fs/cgroup/memory.current"))
    if limit is not None and used is not None:
        room = max(0, limit - used)
        return room if free is None else min(free, room)
    return free


def _linux_cores() -> int | None:
    cores = set()
    usable = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
    for cpu in usable:
        topology = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology")
        package, core = _number(topology / "physical_package_id"), _number(topology / "core_id")
        if core is None:
            return None
        cores.add((package, core))
    return len(cores) or None


def _cpu_quota() -> int | None:
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text(encoding="ascii").split()
        return max(1, int(quota) // int(period))
    except (OSError, ValueError):
        return None


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None


def _meminfo(key: str) -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            name, _, value = line.partition(":")
            if name == key:
                return int(value.split()[0]) * 1024
    except (OSError, ValueError, IndexError):
        return None
    return None


def _sysctl(name: str) -> int | None:
    if _SYSTEM != "darwin":
        return None
    try:
        output = subprocess.run(
            ["/usr/sbin/sysctl", "-n", name], capture_output=True, text=True, timeout=2, check=True
        ).stdout
        return int(output)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None


def _windows_memory() -> tuple[int, int] | None:
    if _SYSTEM != "win32":
        return None

    class Status(ctypes.Structure):
        _fields_ = (
            ("length", ctypes.c_uint32),
            ("load", ctypes.c_uint32),
            *(
                (name, ctypes.c_uint64)
                for name in ("total", "free", "total_page", "free_page", "total_v", "free_v", "ext")
            ),
        )

    status = Status()
    status.length = ctypes.sizeof(Status)
    if not ctypes.CDLL("kernel32").GlobalMemoryStatusEx(ctypes.byref(status)):
        return None
    return int(status.total), int(status.free)
