"""The composition root of the window: build, connect, run, tear down in reverse."""

import argparse
import os
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from types import TracebackType

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QMessageLogContext,
    QObject,
    QSocketNotifier,
    Qt,
    QTimer,
    QtMsgType,
    Signal,
    qInstallMessageHandler,
)
from PySide6.QtWidgets import QApplication

import app
from app.bridge.chat_controller import ChatController
from app.bridge.compare_desk import CompareDesk
from app.bridge.compare_guest import CompareGuest
from app.bridge.comparison_shelf import ComparisonShelf
from app.bridge.connections import ConnectionsDesk
from app.bridge.engine_client import EngineClient
from app.bridge.gain_keeper import GainKeeper
from app.bridge.history import History
from app.bridge.models_controller import ModelsController
from app.bridge.preset_desk import PresetDesk
from app.bridge.settings_store import SettingsStore
from app.bridge.single_instance import SingleInstance
from app.chat.banner import Banner
from app.chat.connections import Connections
from app.chat.gains import Gains
from app.chat.presets import Presets
from app.chat.settings import Pair, Settings, WindowState
from app.core import log, paths, report
from app.core.settings import SettingsFile
from app.core.translation import translate
from app.hub.keychain import SystemKeychain
from app.hub.server_keys import ServerKeys
from app.protocol.messages import Notice
from app.ui import icons, languages
from app.ui.appearance import Appearance
from app.ui.chat_section import ChatSectionPresenter
from app.ui.compare_page.door import CompareDoor
from app.ui.connections_page.door import ConnectionsDoor
from app.ui.help_menu import HelpMenu
from app.ui.main_window import MainWindow
from app.ui.models_page.door import ModelsDoor
from app.ui.notifications import Notifier
from app.ui.presenter import Presenter
from app.ui.warm_up import WarmUp

_log = log.get("window")


def main(arguments: Sequence[str]) -> int:
    """Run the window and return the exit code: 0, 1 without a display, 2 for a wrong option."""
    try:
        options = _parser().parse_args(list(arguments))
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 2
    if options.file and options.model:
        _say("outpace: one model at a time: FILE or --model FILE.")
        return 2
    options.model = options.model or options.file
    if options.draft and not options.model:
        _say("outpace: --draft needs --model.")
        return 2
    if _no_display():
        _say("Outpace needs a screen, and there is none here (DISPLAY and WAYLAND_DISPLAY are not set).")
        _say("On a machine without a screen use outpace-cli.")
        return 1
    folders = paths.find()
    qt = _application()
    instance = SingleInstance(folders.config)
    if not instance.claim():
        if instance.ask_first(_asked_pair(options)):
            return 0
        _say("Outpace is running already with this profile, but does not answer. End it first.")
        return 1
    crashed = report.keep_crashes(folders.logs)
    log.configure(folders.logs, "window", stream=sys.stderr)
    faults = Faults()
    faults.install()
    try:
        return _run(qt, folders, faults, options, instance, crashed="window" in crashed)
    finally:
        faults.uninstall()
        instance.release()


def _run(
    qt: QApplication,
    folders: paths.Paths,
    faults: "Faults",
    options: argparse.Namespace,
    instance: SingleInstance,
    *,
    crashed: bool,
) -> int:
    settings_file = SettingsFile(folders.settings_file, Settings)
    state_file = SettingsFile(folders.config / "window.json", WindowState)
    settings, problems = settings_file.load()
    state, _ = state_file.load()
    store, states = SettingsStore(settings_file, settings), SettingsStore(state_file, state)
    tongue = languages.install(qt, settings.language)
    appearance = Appearance(qt, settings.theme, text_size=settings.text_size)
    client = EngineClient()
    target, draft = (str(path) for path in paths.demo_pair())
    presets_file = SettingsFile(folders.config / "presets.json", Presets)
    kept, more_problems = presets_file.load()
    notices = [Notice(code=problem.code, text=problem.text) for problem in (*problems, *more_problems)]
    history = History(folders.database)
    controller = ChatController(client, store, Pair(target=target, draft=draft), notices=notices, history=history)
    window = MainWindow(appearance.theme, state)
    # Before the presenter, which puts a banner away as soon as one of its buttons is pressed.
    helpful = HelpMenu(window, lambda detail: report.compose(folders, detail))
    window.top.add_to_menu(helpful.actions)
    window.notes.action_chosen.connect(lambda action: helpful.obey_banner(action, window.notes.banner))
    presenter = Presenter(window, controller, appearance)
    gains_file = SettingsFile(folders.data / "gains.json", Gains)
    gains = GainKeeper(controller, SettingsStore(gains_file, gains_file.load()[0]))
    connections = _connections(folders)
    client.prepare, controller.unlock = connections.prepare, connections.unlock
    shelf = ComparisonShelf(folders.data / "comparisons.jsonl")
    compare = CompareDesk(controller, client, shelf, gains)
    guest = CompareGuest(connections, EngineClient())
    compare.invite_with(guest)
    CompareDoor(window, controller, compare, appearance)
    presets = PresetDesk(controller, SettingsStore(presets_file, kept))
    ChatSectionPresenter(window, controller, presets)
    models = ModelsController(controller, store, gains, folders)
    Notifier(window, controller)
    ModelsDoor(window, controller, models, appearance)
    ConnectionsDoor(window, controller, connections, appearance)
    faults.reported.connect(lambda detail: presenter.show_note(_fault_banner(detail)))
    if crashed:
        presenter.show_note(_crash_banner())
    window.closing.connect(states.replace_value)
    instance.asked.connect(lambda pair: _come_forward(window, controller, pair))
    signals = TerminationSignals(window.close)
    window.show()
    # After the first paint: a person sees the window before the engine starts.
    QTimer.singleShot(0, controller, lambda: controller.start(_asked_pair(options)))
    QTimer.singleShot(0, models, models.start)
    QTimer.singleShot(0, shelf, shelf.start)
    warm_up = WarmUp()
    QTimer.singleShot(0, window, warm_up.start)
    if options.screenshot:
        QTimer.singleShot(max(options.quit_after - 200, 0), window, lambda: window.grab().save(options.screenshot))
    if options.quit_after:
        QTimer.singleShot(options.quit_after, window, window.close)
    code = qt.exec()
    warm_up.finish()
    signals.uninstall()
    models.shut_down()
    guest.shut_down()
    connections.shut_down()
    shelf.shut_down()
    controller.shut_down()
    presets.shut_down()
    states.flush()
    window.deleteLater()
    languages.uninstall(qt, tongue)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return code


def _connections(folders: paths.Paths) -> ConnectionsDesk:
    file = SettingsFile(folders.config / "connections.json", Connections)
    return ConnectionsDesk(SettingsStore(file, file.load()[0]), ServerKeys(SystemKeychain()), EngineClient())


def _come_forward(window: MainWindow, controller: ChatController, pair: Pair | None) -> None:
    """Somebody started the program again."""
    window.setWindowState((window.windowState() & ~Qt.WindowState.WindowMinimized) | Qt.WindowState.WindowActive)
    window.show()
    window.raise_()
    window.activateWindow()
    if pair is not None:
        controller.open_pair(pair)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="outpace", description="Chat with a local model, faster.")
    parser.add_argument("--version", action="version", version=f"Outpace {app.__version__}")
    parser.add_argument("file", metavar="FILE", nargs="?", default="", help="the same as --model FILE")
    parser.add_argument("--model", metavar="FILE", default="", help="GGUF file of the target")
    parser.add_argument("--draft", metavar="FILE", default="", help="GGUF file of a draft model for it")
    parser.add_argument("--quit-after", metavar="MS", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--screenshot", metavar="FILE", default="", help=argparse.SUPPRESS)
    return parser


def _asked_pair(options: argparse.Namespace) -> Pair | None:
    if not options.model:
        return None
    return Pair(target=os.path.abspath(options.model), draft=os.path.abspath(options.draft) if options.draft else "")  # noqa: PTH100 (as the controller names files)


def _no_display() -> bool:
    variables = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return sys.platform.startswith("linux") and not any(os.environ.get(name) for name in variables)


def _say(sentence: str) -> None:
    if sys.stderr is not None:
        print(sentence, file=sys.stderr)  # noqa: T201 (before there is a window)


def _application() -> QApplication:
    qInstallMessageHandler(_log_qt)
    qt = QApplication([sys.argv[0] if sys.argv else "outpace"])
    qt.setApplicationName("Outpace")
    qt.setApplicationVersion(app.__version__)
    qt.setDesktopFileName("outpace")
    qt.setWindowIcon(icons.app_icon())
    return qt


def _log_qt(kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
    level = {QtMsgType.QtWarningMsg: 30, QtMsgType.QtCriticalMsg: 40, QtMsgType.QtFatalMsg: 50}.get(kind, 20)
    log.get("qt").log(level, "%s", text)


def _fault_banner(detail: str) -> Banner:
    return Banner(
        "error",
        translate("bootstrap", "Something went wrong in the window."),
        translate(
            "bootstrap", "The chat goes on. If it happens again, restart Outpace and keep the details: they say where."
        ),
        detail,
        ("report", "dismiss"),
    )


def _crash_banner() -> Banner:
    return Banner(
        "warning",
        translate("bootstrap", "Outpace ended unexpectedly last time."),
        translate("bootstrap", "Your chats are here. A report says where it happened; it is sent nowhere."),
        actions=("report", "dismiss"),
    )


class Faults(QObject):
    """Exceptions nobody caught: logged, and told to the person in a sentence.

    Signals:
        reported: The traceback, for "Copy details"; delivered in the window's thread.
    """

    reported = Signal(str)

    def install(self) -> None:
        self._old, self._old_threads = sys.excepthook, threading.excepthook
        sys.excepthook = self._on_fault
        threading.excepthook = self._on_thread_fault

    def uninstall(self) -> None:
        sys.excepthook, threading.excepthook = self._old, self._old_threads

    def _on_fault(self, kind: type[BaseException], fault: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            QCoreApplication.quit()
            return
        detail = "".join(traceback.format_exception(kind, fault, trace))
        _log.error("%s", detail)
        self.reported.emit(detail)

    def _on_thread_fault(self, facts: threading.ExceptHookArgs) -> None:
        if facts.exc_value is not None:
            self._on_fault(facts.exc_type, facts.exc_value, facts.exc_traceback)


class TerminationSignals(QObject):
    """Turns Ctrl+C in the terminal and a polite kill into closing the window."""

    def __init__(self, close: Callable[[], object]) -> None:
        super().__init__()
        self._close = close
        # Python runs signal handlers between bytecodes only, and an idle window runs none: a socket wakes it.
        self._read, self._write = socket.socketpair()
        self._read.settimeout(0)
        self._write.settimeout(0)
        self._old_fd = signal.set_wakeup_fd(self._write.fileno(), warn_on_full_buffer=False)
        self._old = {number: signal.signal(number, self._ignore) for number in (signal.SIGINT, signal.SIGTERM)}
        self._notifier = QSocketNotifier(self._read.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_wake)

    def uninstall(self) -> None:
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._old_fd)
        for number, handler in self._old.items():
            signal.signal(number, handler)
        self._read.close()
        self._write.close()

    def _ignore(self, _number: int, _frame: object) -> None:
        """The wake-up is all that is needed."""

    def _on_wake(self) -> None:
        numbers = self._read.recv(64)
        if {signal.SIGINT, signal.SIGTERM} & set(numbers):
            self._close()
