"""Connects the section of the chat with the conversation and the presets."""

from dataclasses import replace
from pathlib import Path
from typing import cast

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QFileDialog, QInputDialog

from app.bridge.chat_controller import ChatController
from app.bridge.preset_desk import PresetDesk
from app.chat.options import Overflow
from app.ui.main_window import MainWindow


class ChatSectionPresenter(QObject):
    """Both ways; it decides nothing."""

    def __init__(self, window: MainWindow, controller: ChatController, desk: PresetDesk) -> None:
        super().__init__(window)
        self._window = window
        self._controller = controller
        self._desk = desk
        self._section = section = window.panel.chat
        controller.chat_options_changed.connect(section.set_options)
        controller.model_loaded.connect(lambda _loaded: self._show_presets())
        desk.changed.connect(lambda _presets: self._show_presets())
        desk.notice.connect(controller.notice)
        section.system_changed.connect(self._set_system)
        section.overflow_changed.connect(self._set_overflow)
        section.preset_applied.connect(desk.apply)
        section.preset_removed.connect(desk.remove)
        section.preset_saved.connect(self._ask_name)
        section.preset_exported.connect(self._ask_where)
        section.preset_imported.connect(self._ask_which)
        section.default_wanted.connect(lambda wanted: desk.use_as_default() if wanted else desk.forget_default())
        # Enter in the composer sends before the keyboard has left the system prompt.
        window.composer.edit.enter_pressed.connect(section.system.tell)
        controller.about_to_leave.connect(section.system.tell)
        section.set_options(controller.chat_options)
        self._show_presets()

    def _show_presets(self) -> None:
        self._section.set_presets(self._desk.presets, has_defaults=self._desk.has_defaults)

    def _set_system(self, text: str) -> None:
        self._controller.set_chat_options(replace(self._controller.chat_options, system=text))

    def _set_overflow(self, name: str) -> None:
        options = replace(self._controller.chat_options, overflow=cast("Overflow", name))
        self._controller.set_chat_options(options)

    def _ask_name(self) -> None:
        dialog = QInputDialog(self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(self.tr("Save as a preset"))
        dialog.setLabelText(self.tr("Name of the preset"))
        dialog.textValueSelected.connect(self._desk.save)
        dialog.open()

    def _ask_where(self, name: str) -> None:
        dialog = QFileDialog(self._window, self.tr("Export the preset"), str(Path.home() / "preset.json"))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters([self.tr("Presets (*.json)")])
        dialog.setDefaultSuffix("json")
        dialog.fileSelected.connect(lambda path: self._desk.export(name, Path(path)))
        dialog.open()

    def _ask_which(self) -> None:
        dialog = QFileDialog(self._window, self.tr("Import a preset"), str(Path.home()))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([self.tr("Presets (*.json)"), self.tr("All files (*)")])
        dialog.fileSelected.connect(lambda path: self._desk.import_file(Path(path)))
        dialog.open()
