"""The Connections page: servers on the left, one of them on the right."""

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QMessageBox, QVBoxLayout, QWidget

from app.bridge.connections import ConnectionsDesk
from app.chat.banner import Banner
from app.chat.connections import Connection, target_of
from app.chat.conversation import new_id
from app.protocol.messages import Notice
from app.protocol.servers import Probed
from app.ui.banner import BannerView
from app.ui.connections_page import words
from app.ui.connections_page.form import ConnectionForm
from app.ui.connections_page.result import ResultView
from app.ui.models_page.buttons import button
from app.ui.models_page.style import stylesheet
from app.ui.theme import GRID, Theme
from app.ui.widgets.column import ScrollColumn, centre
from app.ui.widgets.labels import label

_WIDTH = 1000
_LIST_WIDTH = 220
_NARROW_LIST = 150
_ROOMY_FROM = 820


class ConnectionsPage(QWidget):
    """Adds, changes, tests and removes connections.

    Signals:
        back_wanted: Show the chat again.
        model_chosen: The target (see `target_of`) to chat with.
    """

    back_wanted = Signal()
    model_chosen = Signal(str)

    def __init__(self, theme: Theme, desk: ConnectionsDesk, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("connections page")
        self.setStyleSheet(stylesheet(theme))
        self._desk = desk
        self._shown = ""
        self._testing: set[str] = set()
        self.back = button(self.tr("Back to the chat"), self.back_wanted.emit)
        self.notes = BannerView(theme)
        self.notes.action_chosen.connect(lambda _action: self.notes.show_banner(None))
        self.servers = QListWidget()
        self.servers.setProperty("frame", "card")
        self.servers.setAccessibleName(self.tr("Servers"))
        self.servers.setFixedWidth(_LIST_WIDTH)
        self.servers.currentItemChanged.connect(self._on_current)
        self.add = button(self.tr("Add a server"), self.start_new)
        self.form = ConnectionForm(theme)
        self.result = ResultView()
        self._build()
        self.form.save_wanted.connect(self._on_save)
        self.form.remove_wanted.connect(self._on_remove)
        self.result.model_chosen.connect(lambda model: self.model_chosen.emit(target_of(self._shown, model)))
        desk.changed.connect(lambda _value: self._fill())
        desk.tested.connect(self._on_tested)
        desk.notice.connect(self._on_notice)
        self._fill()
        if desk.connections.servers:
            self.servers.setCurrentRow(0)
        else:
            self.start_new()

    def _build(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(2 * GRID)
        head.addWidget(label(self.tr("Connections"), "title"))
        head.addStretch(1)
        head.addWidget(self.back)
        left = QVBoxLayout()
        left.setSpacing(GRID)
        left.addWidget(self.servers, 1)
        left.addWidget(self.add)
        area = ScrollColumn()
        area.column.setContentsMargins(0, 0, GRID, GRID)
        area.column.setSpacing(GRID)
        area.column.addWidget(self.result)
        area.column.addWidget(self.form)
        area.column.addStretch(1)
        body = QHBoxLayout()
        body.setSpacing(2 * GRID)
        body.addLayout(left)
        body.addWidget(area, 1)
        column = QVBoxLayout()
        column.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, GRID)
        column.setSpacing(GRID)
        column.addLayout(head)
        words_ = self.tr(
            "A model on another machine answers in the same window. What you write to it leaves this machine; the badge"
            " names the server while you chat."
        )
        column.addWidget(label(words_, "soft", wrap=True))
        column.addWidget(self.notes)
        column.addLayout(body, 1)
        centre(self, column, _WIDTH)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.servers.setFixedWidth(_LIST_WIDTH if self.width() >= _ROOMY_FROM else _NARROW_LIST)

    def set_theme(self, theme: Theme) -> None:
        """Wear another theme."""
        self.setStyleSheet(stylesheet(theme))
        self.notes.set_theme(theme)
        self.form.set_theme(theme)

    def start_new(self) -> None:
        """Empty fields for another server."""
        self.servers.setCurrentRow(-1)
        self._show(Connection(id=new_id()), is_new=True)
        self.form.name.setFocus()

    # --- steps ------------------------------------------------------------------------------------------------------

    def _fill(self) -> None:
        self.servers.blockSignals(True)
        self.servers.clear()
        for connection in self._desk.connections.servers:
            item = QListWidgetItem(connection.title)
            item.setData(Qt.ItemDataRole.UserRole, connection.id)
            result = self._desk.results.get(connection.id)
            state = words.state_words(result.state) if result is not None else ""
            item.setToolTip("\n".join(line for line in (connection.address, state) if line))
            self.servers.addItem(item)
            if connection.id == self._shown:
                self.servers.setCurrentItem(item)
        self.servers.blockSignals(False)
        # Without any, the empty fields are what there is to do.
        for widget in (self.servers, self.add):
            widget.setVisible(bool(self._desk.connections.servers))

    def _on_current(self, item: QListWidgetItem | None) -> None:
        if item is None:
            return
        connection = self._desk.connections.find(item.data(Qt.ItemDataRole.UserRole))
        if connection is not None:
            self._show(connection, is_new=False)
            if connection.id not in self._desk.results and connection.id not in self._testing:
                self._test(connection)

    def _show(self, connection: Connection, *, is_new: bool) -> None:
        self._shown = connection.id
        desk = self._desk
        self.form.show_connection(connection, desk.connections, keys_last=desk.keys_last, is_new=is_new)
        self._show_result()

    def _show_result(self) -> None:
        found = self._desk.results.get(self._shown)
        if self._shown in self._testing:
            self.result.show_nothing(self.tr("Looking at the server…"))
        elif found is not None:
            self.result.show_result(found)
        else:
            self.result.show_nothing("")

    def _on_save(self, connection: Connection, key: str | None) -> None:
        if connection.asks_first:
            self._ask(connection, key)
            return
        self._save(connection, key)

    def _save(self, connection: Connection, key: str | None) -> None:
        problem = self._desk.save(connection, key)
        if problem is not None:
            self._on_notice(problem)
            return
        self.notes.show_banner(None)
        self._fill()
        saved = self._desk.connections.find(connection.id)
        if saved is not None:
            self._show(saved, is_new=False)
            self._test(saved)

    def _ask(self, connection: Connection, key: str | None) -> None:
        box = QMessageBox(self.window())
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setObjectName("plain http")
        box.setIcon(QMessageBox.Icon.Warning)
        box.setText(self.tr("{0} is a public address without encryption.").format(connection.origin))
        box.setInformativeText(
            self.tr("Anybody on the way can read your chats and the key. Use https:// if the server has it.")
        )
        agree = box.addButton(self.tr("Send anyway"), QMessageBox.ButtonRole.AcceptRole)
        refuse = box.addButton(self.tr("Do not send"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(refuse)
        box.setEscapeButton(refuse)
        agreed = replace(connection, plain_http=connection.origin)
        agree.clicked.connect(lambda _checked=False: self._save(agreed, key))
        box.open()

    def _test(self, connection: Connection) -> None:
        self._testing.add(connection.id)
        self._show_result()
        self._desk.test(connection.id)

    def _on_tested(self, connection_id: str, _found: Probed) -> None:
        self._testing.discard(connection_id)
        self._fill()
        if connection_id == self._shown:
            self._show_result()

    def _on_remove(self, connection_id: str) -> None:
        self._desk.remove(connection_id)
        self._testing.discard(connection_id)
        if self._desk.connections.servers:
            self._shown = ""
            self.servers.setCurrentRow(0)
        else:
            self.start_new()

    def _on_notice(self, notice: Notice) -> None:
        self.notes.show_banner(Banner("warning", notice.text))
