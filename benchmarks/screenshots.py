"""Draws the pictures of the documentation with the real window, the real engine and the demo pair.

    python -m benchmarks.screenshots FOLDER

window.png, window-dark.png   the window after an answer of the demo pair; what it shows was measured meanwhile
badge.png                     the five states of the badge, light and dark; the numbers are examples

All at two pixels a point.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QPoint, Qt, QTimer
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication, QWidget

from app.bridge.chat_controller import ChatController
from app.bridge.engine_client import EngineClient
from app.bridge.settings_store import SettingsStore
from app.chat.badge import BadgeView
from app.chat.settings import Pair, Settings, WindowState
from app.core import paths
from app.core.settings import SettingsFile
from app.protocol.options import SamplingOptions
from app.ui.appearance import Appearance
from app.ui.badge import Badge
from app.ui.main_window import MainWindow
from app.ui.presenter import Presenter
from app.ui.theme import DARK, LIGHT, Theme

PROMPT = "Give me a JSON array of 2 recipes."
SAMPLING = SamplingOptions(temperature=0.7, seed=7)
SIZE = (1160, 896)
PATIENCE_MS = 60_000
COLOURS = 256
BADGES = (
    BadgeView("off", "Speculation off", ("29 tok/s",)),
    BadgeView("active", "61 tok/s", ("72 % accepted", "2.1× measured")),
    BadgeView("idle", "29 tok/s", ("nothing drafted: no text repeats yet",)),
    BadgeView("paused", "29 tok/s", ("paused: plain is faster here (0.9×)",)),
    BadgeView("unavailable", "29 tok/s", ("unavailable: no draft model is chosen",)),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    # The pictures must not depend on the screen of whoever makes them.
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ["QT_SCALE_FACTOR"] = "2"
    app = QApplication(["screenshots"])
    with tempfile.TemporaryDirectory() as profile:
        for theme in ("light", "dark"):
            name = "window.png" if theme == "light" else "window-dark.png"
            save(window_picture(app, Path(profile), theme), folder / name)
    save(badge_sheet(app), folder / "badge.png")
    return 0


def window_picture(app: QApplication, profile: Path, theme: str) -> QImage:
    """The window with one finished answer."""
    appearance = Appearance(app, theme)
    store = SettingsStore(SettingsFile(profile / f"{theme}.json", Settings), Settings(theme=theme))
    target, draft = (str(path) for path in paths.demo_pair())
    client = EngineClient()
    controller = ChatController(client, store, Pair(target=target, draft=draft))
    window = MainWindow(appearance.theme, WindowState())
    presenter = Presenter(window, controller, appearance)
    window.resize(*SIZE)
    window.show()
    controller.start()
    wait(controller, lambda: controller.phase == "idle")
    controller.set_sampling(SAMPLING)
    controller.send_text(PROMPT)
    wait(controller, lambda: controller.phase == "idle" and len(controller.conversation.messages) == 2)
    window.composer.clearFocus()
    settle(600)
    image = window.grab().toImage()
    window.close()
    controller.shut_down()
    for thing in (presenter, window, controller, client, store, appearance):
        thing.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return image


def badge_sheet(app: QApplication) -> QImage:
    """The badge in each of its states, light on the left, dark on the right."""
    halves = [badge_column(app, theme) for theme in (LIGHT, DARK)]
    width = max(half.width() for half in halves)
    sheet = QImage(2 * width, halves[0].height(), QImage.Format.Format_RGB32)
    painter = QPainter(sheet)
    for number, (half, theme) in enumerate(zip(halves, (LIGHT, DARK), strict=True)):
        half.setDevicePixelRatio(1.0)
        painter.fillRect(number * width, 0, width, sheet.height(), QColor(theme.bg))
        painter.drawImage(QPoint(number * width, 0), half)
    painter.end()
    return sheet


def badge_column(app: QApplication, theme: Theme) -> QImage:
    appearance = Appearance(app, theme.name)
    host = QWidget()
    host.setProperty("ground", "bg")
    top = 16
    for view in BADGES:
        badge = Badge(theme, host)
        badge.show_view(view)
        badge.setGeometry(16, top, badge.sizeHint().width(), badge.sizeHint().height())
        top += badge.sizeHint().height() + 12
    host.resize(440, top + 4)
    image = host.grab().toImage()
    host.deleteLater()
    appearance.deleteLater()
    return image


def wait(controller: ChatController, done) -> None:
    """Run the event loop until `done()`; a `RuntimeError` if that takes too long."""
    loop = QEventLoop()
    clock = QTimer(loop)
    clock.timeout.connect(lambda: loop.quit() if done() else None)
    clock.start(20)
    QTimer.singleShot(PATIENCE_MS, loop, loop.quit)
    loop.exec()
    if not done():
        raise RuntimeError(f"nothing happened for {PATIENCE_MS / 1000:.0f} s; the phase is {controller.phase}")


def settle(ms: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(ms, loop, loop.quit)
    loop.exec()


def save(image: QImage, path: Path) -> None:
    """With its 256 most frequent colours: a window like ours has few more, all of them edges of letters."""
    plain = image.convertToFormat(QImage.Format.Format_RGB32)
    colours, counts = np.unique(np.frombuffer(plain.constBits(), np.uint32), return_counts=True)
    table = colours[np.argsort(counts)[::-1][:COLOURS]].tolist()
    flags = Qt.ImageConversionFlag.ThresholdDither | Qt.ImageConversionFlag.AvoidDither
    plain.convertToFormat(QImage.Format.Format_Indexed8, table, flags).save(str(path), "PNG", 0)
    print(f"{path}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    sys.exit(main())
