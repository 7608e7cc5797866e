"""The fields of one connection."""

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.chat.connections import MAX_NAME, Connection, Connections
from app.core import server_address
from app.core.errors import UserError
from app.protocol.servers import KIND_NAMES
from app.ui.connections_page import words
from app.ui.models_page.buttons import button
from app.ui.theme import GRID, Theme
from app.ui.widgets.labels import label
from app.ui.widgets.number_field import NumberField
from app.ui.widgets.reason_combo import ReasonCombo
from app.ui.widgets.section import Rows


class ConnectionForm(QFrame):
    """Name, address, key, kind, and what is rarely needed.

    Signals:
        save_wanted: The `Connection`, and the key if one was typed, else None.
        remove_wanted: The id of the connection.
    """

    save_wanted = Signal(object, object)
    remove_wanted = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("ground", "card")
        self._connection = Connection(id="")
        self._keys_last = True
        self.name = self._line(self.tr("Name"), self.tr("The box in the corner"))
        self.name.setMaxLength(MAX_NAME)
        self.address = self._line(self.tr("Address"), "http://192.168.1.20:8080")
        self.key = self._line(self.tr("Key"), "")
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self._key_words = label("", "small", wrap=True)
        self._open_words = label("", "warning", wrap=True)
        self.kind = ReasonCombo(theme, self.tr("Kind of server"))
        self.kind.set_items([(kind, words.kind_words(kind), "") for kind in KIND_NAMES])
        self.kind.chosen.connect(lambda _key: self._update())
        self.linked = ReasonCombo(theme, self.tr("Linked with"))
        self.linked.chosen.connect(lambda _key: self._update())
        self.linked_model = self._line(self.tr("Name of the model there"), self.tr("the same name"))
        self.draft = self._line(self.tr("Draft model"), self.tr("its name in LM Studio"))
        self.variable = self._line(self.tr("Environment variable with the key"), "")
        self.ca_file = self._line(self.tr("Certificate file (PEM)"), self.tr("as the system"))
        self.first = NumberField(self.tr("Longest wait for an answer to begin, in seconds"), 1, 3600, step=10)
        self.between = NumberField(self.tr("Longest pause within an answer, in seconds"), 1, 3600, step=10)
        self.save = button(self.tr("Save and test"), self._save, "primary")
        self.remove = button(self.tr("Remove"), lambda: self.remove_wanted.emit(self._connection.id), "danger")
        self._build()
        for line in (self.name, self.address, self.key):
            line.returnPressed.connect(self._save)
        self.address.textChanged.connect(lambda _text: self._update())

    def _line(self, name: str, placeholder: str) -> QLineEdit:
        line = QLineEdit()
        line.setAccessibleName(name)
        line.setPlaceholderText(placeholder)
        return line

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(2 * GRID, 2 * GRID, 2 * GRID, 2 * GRID)
        column.setSpacing(GRID)
        for field in (self.name, self.address):
            column.addWidget(label(field.accessibleName(), "soft"))
            column.addWidget(field)
        column.addWidget(self._open_words)
        column.addWidget(label(self.key.accessibleName(), "soft"))
        column.addWidget(self.key)
        column.addWidget(self._key_words)
        column.addWidget(label(self.tr("Kind of server"), "soft"))
        column.addWidget(self.kind)
        self._draft_caption = label(self.draft.accessibleName(), "soft")
        column.addWidget(self._draft_caption)
        column.addWidget(self.draft)
        self._linked_caption = label(
            self.tr("The same model with the other position of the speculation switch is on"), "soft", wrap=True
        )
        column.addWidget(self._linked_caption)
        column.addWidget(self.linked)
        column.addWidget(self.linked_model)
        more = Rows()
        rare: tuple[tuple[str, QWidget], ...] = (
            (self.tr("Key from the environment variable"), self.variable),
            (self.ca_file.accessibleName(), self.ca_file),
            (self.first.accessibleName(), self.first),
            (self.between.accessibleName(), self.between),
        )
        for caption, widget in rare:
            widget.setMaximumWidth(200)
            more.add(caption, widget)
        column.addLayout(more)
        row = QHBoxLayout()
        row.setSpacing(GRID)
        row.addWidget(self.save)
        row.addStretch(1)
        row.addWidget(self.remove)
        column.addLayout(row)

    def set_theme(self, theme: Theme) -> None:
        self.kind.set_theme(theme)
        self.linked.set_theme(theme)

    def show_connection(self, connection: Connection, others: Connections, *, keys_last: bool, is_new: bool) -> None:
        """Fill the fields; nothing is emitted."""
        self._connection, self._keys_last = connection, keys_last
        for line, text in (
            (self.name, connection.name),
            (self.address, connection.address),
            (self.key, ""),
            (self.linked_model, connection.linked_model),
            (self.draft, connection.draft),
            (self.variable, connection.key_variable),
            (self.ca_file, connection.ca_file),
        ):
            line.setText(text)
        self.kind.set_key(connection.kind)
        rest = [other for other in others.servers if other.id != connection.id]
        self.linked.set_items([("", self.tr("None"), ""), *((other.id, other.title, "") for other in rest)])
        self.linked.set_key(connection.linked)
        for widget in (self._linked_caption, self.linked):
            widget.setVisible(bool(rest))
        self.first.setValue(connection.first_s)
        self.between.setValue(connection.between_s)
        self.remove.setVisible(not is_new)
        self.key.setPlaceholderText(self.tr("none") if is_new else self.tr("unchanged"))
        self._update()

    def wanted(self) -> Connection:
        """What the fields say."""
        return replace(
            self._connection,
            name=self.name.text().strip(),
            address=self.address.text().strip(),
            kind=next((kind for kind in KIND_NAMES if kind == self.kind.key()), "auto"),
            linked=self.linked.key(),
            linked_model=self.linked_model.text().strip() if self.linked.key() else "",
            draft=self.draft.text().strip(),
            key_variable=self.variable.text().strip(),
            ca_file=self.ca_file.text().strip(),
            first_s=self.first.whole(),
            between_s=self.between.whole(),
        )

    def _update(self) -> None:
        self.save.setEnabled(bool(self.address.text().strip()))
        self.linked_model.setVisible(bool(self.linked.key()))
        for widget in (self._draft_caption, self.draft):
            widget.setVisible(self.kind.key() == "lm_studio" or bool(self.draft.text()))
        self._key_words.setText(
            self.tr("It is kept in the keychain of this system, for this address only.")
            if self._keys_last
            else self.tr("This system has no keychain: it is kept until Outpace ends, for this address only.")
        )
        try:
            is_open = server_address.parse(self.address.text()).is_open
        except UserError:
            is_open = False
        self._open_words.setText(self.tr("Public and not encrypted: others can read chats and key.") if is_open else "")
        self._open_words.setVisible(is_open)

    def _save(self) -> None:
        if self.save.isEnabled():
            self.save_wanted.emit(self.wanted(), self.key.text() or None)
