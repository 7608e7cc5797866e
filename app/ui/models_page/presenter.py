"""Connects the Models page to its controller, both ways."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog, QMessageBox

from app.bridge.library_service import Found
from app.bridge.models_controller import ModelsController
from app.chat.banner import Banner
from app.chat.settings import Pair
from app.core.errors import AppError
from app.hub.folders import Folder
from app.hub.model_file import ModelFile
from app.ui import figures
from app.ui.models_page.download_card import DownloadCard
from app.ui.models_page.downloads_tab import DownloadsTab
from app.ui.models_page.get_tab import GetTab
from app.ui.models_page.page import ModelsPage
from app.ui.models_page.pair_card import PairCard
from app.ui.models_page.reveal import reveal
from app.ui.models_page.setup_tab import SetupTab


class ModelsPresenter(QObject):
    """Shows what the controller says and tells it what the person does."""

    def __init__(self, page: ModelsPage, controller: ModelsController, load: Callable[[Pair], object]) -> None:
        """`load`: loads a pair and shows the chat."""
        super().__init__(page)
        self._page = page
        self._controller = controller
        self._load = load
        self._elsewhere: tuple[Folder, ...] = ()
        self._listen()
        self._obey()
        page.show_active_downloads(controller.downloads.active)

    # --- what the controller says -----------------------------------------------------------------------------------

    def _listen(self) -> None:
        controller, page = self._controller, self._page
        controller.library_changed.connect(self._on_found)
        controller.scanning.connect(self._on_scanning)
        controller.machine_changed.connect(page.show_machine)
        controller.failed.connect(self._on_failed)
        controller.deleted.connect(self._on_deleted)
        controller.load_wanted.connect(self._load)
        controller.importer.progress.connect(page.imports.show_progress)
        controller.queue.changed.connect(self._on_downloads)
        controller.desk.target_changed.connect(self._on_target)

    def _on_found(self, found: Found) -> None:
        page, controller = self._page, self._controller
        own = [model for model in found.library.models if model.source != "builtin"]
        page.library.show_empty(empty=not own)
        page.library.show_problems(found.library.problems)
        listed = set(controller.access.options.folders)
        if page.library.empty is not None:
            page.library.empty.show_elsewhere(tuple(one for one in found.elsewhere if str(one.path) not in listed))
        self._elsewhere = found.elsewhere
        if controller.desk.target is None and own:
            self._choose_first()
        elif controller.desk.target is not None:
            page.library.go_to(str(controller.desk.target.path))

    def _choose_first(self) -> None:
        """The loaded target, else the first chat model."""
        rows = [row for row in self._controller.library_model.rows if row.kind == "model"]
        first = next((row for row in rows if row.use == "target"), rows[0] if rows else None)
        if first is not None:
            self._controller.choose_target(first.path)
            self._page.library.go_to(first.path)

    def _on_target(self, model: ModelFile | None) -> None:
        self._page.library.details.set_loaded(in_use=model is not None and self._controller.desk.is_in_use(model))

    def _on_scanning(self, done: int, total: int) -> None:
        self._page.library.show_scanning(done, total)

    def _on_failed(self, fault: AppError) -> None:
        self._page.notes.show_banner(Banner("error", fault.sentence, fault.hint, fault.detail, actions=("dismiss",)))

    def _on_deleted(self, name: str, freed: int) -> None:
        words = self.tr("{0} is deleted; {1} are free again.").format(name, figures.size(freed) if freed else "0 B")
        self._page.notes.show_banner(Banner("info", words, actions=("dismiss",)))

    def _on_downloads(self) -> None:
        self._page.show_active_downloads(self._controller.downloads.active)

    # --- what the person does ---------------------------------------------------------------------------------------

    def _obey(self) -> None:
        controller, page = self._controller, self._page
        library, details = page.library, page.library.details
        page.opened.connect(controller.open)
        page.left.connect(controller.leave)
        page.looked_at.connect(controller.rescan)
        page.files_dropped.connect(page.imports.ask)
        page.folders_dropped.connect(controller.access.add_folders)
        page.notes.action_chosen.connect(lambda _action: page.notes.show_banner(None))
        page.imports.copy_wanted.connect(
            lambda files: controller.importer.start(files, controller.access.models, "copy")
        )
        page.imports.link_wanted.connect(
            lambda files: controller.importer.start(files, controller.access.models, "link")
        )
        page.imports.cancel_wanted.connect(controller.importer.cancel)
        library.chosen.connect(controller.choose_target)
        library.used.connect(controller.load)
        library.delete_wanted.connect(self._ask_to_delete)
        library.empty_made.connect(self._connect_empty)
        details.load_wanted.connect(controller.load)
        details.reveal_wanted.connect(lambda model: reveal(model.path))
        details.delete_wanted.connect(self._ask_to_delete)
        details.offer_wanted.connect(self._get_draft)
        page.tab_made.connect(self._on_tab_made)

    def _on_tab_made(self, tab: str) -> None:
        if tab == "get":
            self._connect_get(self._page.get)
        elif tab == "downloads":
            self._connect_downloads(self._page.downloads)
        else:
            self._connect_setup(self._page.setup)

    def _connect_empty(self) -> None:
        empty = self._page.library.empty
        if empty is not None:
            empty.card_made.connect(self._connect_card)
            empty.catalogue_wanted.connect(lambda: self._page.show_tab("get"))
            empty.folder_wanted.connect(self._ask_for_folder)
            empty.elsewhere_wanted.connect(self._controller.access.add_folder)
            empty.show_card()

    def _connect_get(self, get: GetTab) -> None:
        access = self._controller.access
        get.catalogue.card_made.connect(self._connect_card)
        get.catalogue.fill()
        get.settings_wanted.connect(lambda: self._page.show_tab("setup"))
        get.hub.downloads_wanted.connect(lambda: self._page.show_tab("downloads"))
        get.hub.link_chosen.connect(_open_link)
        get.show_offline(offline=access.options.offline)
        access.changed.connect(lambda options: get.show_offline(offline=options.offline))

    def _connect_downloads(self, downloads: DownloadsTab) -> None:
        downloads.card_made.connect(self._connect_download)
        downloads.fill()
        downloads.catalogue_wanted.connect(lambda: self._page.show_tab("get"))
        self._controller.library_changed.connect(lambda _found: downloads.refresh())

    def _connect_setup(self, setup: SetupTab) -> None:
        access = self._controller.access
        setup.show_elsewhere(self._elsewhere)
        self._controller.library_changed.connect(lambda found: setup.show_elsewhere(found.elsewhere))
        setup.models_folder_wanted.connect(self._ask_for_models_folder)
        setup.folder_wanted.connect(self._ask_for_folder)
        setup.folder_chosen.connect(access.add_folder)
        setup.reveal_wanted.connect(lambda path: reveal(Path(path)))
        access.look_for_token()

    def _connect_card(self, card: PairCard) -> None:
        controller = self._controller
        card.get_wanted.connect(controller.get_pair)
        card.draft_chosen.connect(controller.choose_catalogue_draft)
        card.load_wanted.connect(self._controller.load_pair)
        card.pause_wanted.connect(controller.queue.pause)
        card.resume_wanted.connect(controller.queue.resume)
        card.cancel_wanted.connect(controller.queue.cancel)
        card.settings_wanted.connect(lambda: self._page.show_tab("setup"))
        card.link_chosen.connect(_open_link)

    def _connect_download(self, card: DownloadCard) -> None:
        controller = self._controller
        card.pause_wanted.connect(controller.queue.pause)
        card.resume_wanted.connect(controller.queue.resume)
        card.cancel_wanted.connect(controller.queue.cancel)
        card.load_wanted.connect(controller.load_download)
        card.settings_wanted.connect(lambda: self._page.show_tab("setup"))
        card.link_chosen.connect(_open_link)

    def _get_draft(self) -> None:
        self._controller.get_draft()
        self._page.show_tab("downloads")

    def _ask_to_delete(self, model: ModelFile) -> None:
        details = self._page.library.details
        if not details.delete.isEnabled():
            return
        size = figures.size(model.size_bytes)
        box = QMessageBox(self._page)
        box.setWindowTitle(self.tr("Delete a model"))
        box.setText(self.tr("Delete {0}?").format(model.name))
        files = self.tr("{0} files").format(len(model.parts)) if len(model.parts) > 1 else str(model.path)
        words = self.tr("{0} become free: {1}. This cannot be undone, but the model can be downloaded again.")
        box.setInformativeText(words.format(size, files))
        box.setTextFormat(box.textFormat().PlainText)
        delete = box.addButton(self.tr("Delete"), QMessageBox.ButtonRole.DestructiveRole)
        keep = box.addButton(self.tr("Keep it"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(keep)
        box.setEscapeButton(keep)
        box.finished.connect(lambda _code: box.deleteLater())
        delete.clicked.connect(lambda _checked=False: self._controller.delete(model))
        box.open()

    def _ask_for_folder(self) -> None:
        self._folder_dialog(self.tr("Add a folder with models")).fileSelected.connect(
            self._controller.access.add_folder
        )

    def _ask_for_models_folder(self) -> None:
        self._folder_dialog(self.tr("Download models to")).fileSelected.connect(self._controller.access.set_models)

    def _folder_dialog(self, title: str) -> QFileDialog:
        dialog = QFileDialog(self._page, title, str(self._controller.access.models.parent))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.open()
        return dialog


def _open_link(link: str) -> None:
    url = QUrl(link)
    if url.scheme().lower() in ("http", "https"):
        QDesktopServices.openUrl(url)
