"""The one object the Models page talks to."""

from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from app.bridge.background import Background
from app.bridge.browser import Browser
from app.bridge.chat_controller import ChatController
from app.bridge.download_client import DownloadClient
from app.bridge.download_desk import DownloadDesk
from app.bridge.gain_keeper import GainKeeper
from app.bridge.hub_access import HubAccess
from app.bridge.hub_questions import HubQuestions
from app.bridge.importer import How, Importer
from app.bridge.item_models.catalogue import CatalogueModel
from app.bridge.item_models.library import LibraryModel
from app.bridge.library_service import Found, LibraryService
from app.bridge.load_planner import fitted
from app.bridge.machine_facts import MachineFacts, look
from app.bridge.pair_desk import PairDesk
from app.bridge.settings_store import SettingsStore
from app.chat.settings import HubOptions, Pair, Settings
from app.core import paths
from app.core.errors import AppError
from app.hub import catalogue
from app.hub.credentials import Credentials
from app.hub.disk import place
from app.hub.keychain import SystemKeychain
from app.hub.library import Scanner
from app.hub.memory_plan import Plan
from app.hub.model_file import ModelFile
from app.protocol.download_messages import (
    DownloadProgress,
    StartPair,
)
from app.protocol.inspection_store import InspectionStore
from app.protocol.messages import Loaded

_LOOK_MS = 3000


class ModelsController(QObject):
    """Library, pairing, catalogue and downloads, joined; everything slow happens elsewhere.

    Attributes:
        library_model, catalogue, downloads: Lists for views.
        queue: The downloads, and what can be done with them.
        desk: The chosen target and its drafts.
        browser: Searches and listings of the hub.
        importer: Copies of files from elsewhere.
        access: Folders, address, token.
        machine: The newest `MachineFacts`.

    Signals:
        library_changed: A `Found`.
        scanning: (done, total) of a scan that takes a while; 0, 0 when it is over.
        machine_changed: `MachineFacts`.
        deleted: (name, bytes that became free) of a model.
        failed: An `AppError` that belongs to no row.
        load_wanted: A `Pair` to load.
        adjusted: Sentences: what was given up to make it fit into memory.
    """

    library_changed = Signal(object)
    scanning = Signal(int, int)
    machine_changed = Signal(object)
    deleted = Signal(str, object)
    failed = Signal(object)
    load_wanted = Signal(object)
    adjusted = Signal(str)

    def __init__(
        self,
        chat: ChatController,
        settings: SettingsStore[Settings],
        gains: GainKeeper,
        folders: paths.Paths,
        parent: QObject | None = None,
        *,
        catalogue_file: Path | None = None,
    ) -> None:
        """`catalogue_file`: another catalogue than the one that comes with the program."""
        super().__init__(parent)
        self.setObjectName("models controller")
        self._chat = chat
        self._settings = settings
        self._gains = gains
        self._folders = folders
        self._catalogue_file = catalogue_file or paths.resources() / "catalogue.toml"
        self._pairs: tuple[catalogue.Pair, ...] = ()
        self._suggested_for: object = None
        self._is_open = False
        self._background = Background("models", self)
        self._keychain = Background("keychain", self)
        self.machine = MachineFacts()
        self.access = HubAccess(
            settings,
            folders.models,
            lambda: Credentials(folders.config / "tokens.json", SystemKeychain()),
            # Of its own: a keychain may wait for a password.
            self._keychain,
            self,
        )
        self.client = DownloadClient(self.access.command, self)
        self.questions = HubQuestions(self.client, self)
        self.library = LibraryService(
            Scanner(folders.cache / "library.json"),
            InspectionStore(folders.cache / "inspected.json"),
            self._background,
            self,
        )
        self.library_model = LibraryModel(self)
        self.desk = PairDesk(self.library, lambda target: settings.value.pair_for(target).draft, self)
        self.queue = DownloadDesk(self.client, self)
        self.downloads = self.queue.downloads
        self.catalogue = CatalogueModel(self)
        self.catalogue.use_downloads(self.downloads.find)
        self.browser = Browser(self.questions, self.downloads.find, self._is_here, self)
        self.importer = Importer(Background("import", self), self)
        self._clock = QTimer(self)
        self._clock.setObjectName("look at the machine")
        self._clock.setInterval(_LOOK_MS)
        self._clock.timeout.connect(self.look_at_machine)
        self._listen()

    def _listen(self) -> None:
        self.queue.changed.connect(self._on_downloads)
        self.queue.finished.connect(lambda _id: self.rescan())
        self.library.changed.connect(self._on_found)
        self.library.progress.connect(self.scanning)
        self.desk.failed.connect(self.failed)
        self.importer.added.connect(lambda _path: self.rescan())
        self.importer.failed.connect(self.failed)
        self.browser.failed.connect(self.failed)
        self.access.refused.connect(self.failed)
        self.access.changed.connect(self._on_access)
        self._chat.model_loaded.connect(self._on_loaded)
        self._chat.options_changed.connect(lambda: self.desk.note_options(self._chat.load_options))
        self.desk.note_options(self._chat.load_options)
        self.desk.note_gains(self._gains.gains)
        self._gains.changed.connect(self.desk.note_gains)

    # --- coming and going -------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Go on with downloads of the last time, if there are any."""

        def left_over(_task: object) -> bool:
            try:
                return (self._folders.data / "downloads.json").stat().st_size > len("[]")
            except OSError:
                return False

        self._background.run(left_over, lambda there: self.client.start() if there else None)

    def open(self) -> None:
        """The page is shown: look at everything, and go on looking at the machine."""
        self._is_open = True
        self._on_loaded(self._chat.loaded)
        if not self._pairs:
            load = catalogue.load
            self._background.run(lambda _task: load(self._catalogue_file), self._on_catalogue, self.failed.emit)
        self.rescan()
        self.look_at_machine()
        self._clock.start()

    def leave(self) -> None:
        """The page is not shown any more; downloads go on."""
        self._is_open = False
        self._clock.stop()

    def shut_down(self) -> None:
        """End everything; downloads go on the next time. For the end of the application."""
        self._clock.stop()
        self.importer.shut_down()
        self.library.shut_down()
        self._background.shut_down()
        self._keychain.shut_down()
        self.client.wait()
        self._gains.shut_down()

    def rescan(self) -> None:
        """Look at the folders again."""
        options = self.access.options
        self.library.scan(self.access.models, options.folders, paths.demo_pair()[0].parent)

    def look_at_machine(self) -> None:
        """Ask how much memory and disk is free."""
        models, loaded = self.access.models, self._chat.loaded
        self._background.run(lambda _task: look(models, loaded), self._on_machine, key="machine")

    # --- what the person does ---------------------------------------------------------------------------------------

    def choose_target(self, path: str) -> None:
        """Look at a model of the library."""
        self.desk.choose_target(self.library.library.find(Path(path)) if path else None)

    def load(self) -> None:
        """Load the chosen target with the chosen draft."""
        if self.desk.pair is not None:
            self.load_pair(self.desk.pair)

    def load_pair(self, pair: Pair) -> None:
        """Load these two the way they fit into memory, or say why they cannot."""
        find = self.library.library.find
        target, draft = find(Path(pair.target)), find(Path(pair.draft)) if pair.draft else None
        if target is None or target.facts is None:
            self.load_wanted.emit(pair)  # the engine says what is wrong with it
            return

        def load(plan: Plan) -> None:
            if plan.problem is not None:
                self.failed.emit(plan.problem)
                return
            self.load_wanted.emit(fitted(pair, plan))
            if plan.steps:
                self.adjusted.emit(" ".join(step.sentence for step in plan.steps))

        self.desk.planner.plan(target, draft, load, key="load")

    def delete(self, model: ModelFile) -> None:
        """Remove the files of a model."""

        def done(freed: int) -> None:
            self.deleted.emit(model.name, freed)
            self.rescan()

        def failed(fault: AppError) -> None:
            self.failed.emit(fault)
            self.rescan()

        self.library.delete(model, self.access.models, done, failed)

    def import_files(self, files: list[Path], how: How) -> None:
        """Make files from elsewhere part of the models folder."""
        self.importer.start(files, self.access.models, how)

    def get_pair(self, pair_id: str) -> None:
        """Download a pair of the catalogue, as one."""
        row = self.catalogue.find(pair_id)
        if row is None or row.asking:
            return
        self.catalogue.change(pair_id, asking=True, fault=None)
        request = StartPair(id=row.download_id, title=row.title, models=tuple(part.wanted for part in row.parts))
        self.questions.start_pair(
            request,
            lambda _progress: self.catalogue.change(pair_id, asking=False),
            lambda fault: self.catalogue.change(pair_id, asking=False, fault=fault),
        )

    def get_draft(self) -> None:
        """Download the draft that is offered for the chosen target."""
        part = self.desk.offer
        if part is not None:
            request = StartPair(id=f"draft:{part.repo}/{part.file}", title=short_title(part), models=(part.wanted,))
            self.questions.start_pair(request, lambda _progress: None, self.failed.emit)

    def choose_catalogue_draft(self, pair_id: str, number: int) -> None:
        """Take another draft of a pair."""
        self.catalogue.change(pair_id, draft=number, fault=None)

    def load_download(self, download_id: str) -> None:
        """Load what was downloaded: the first model as target, the second as its draft."""
        pair = self.pair_of(self.downloads.find(download_id))
        if pair is not None:
            self.load_pair(pair)

    def pair_of(self, progress: DownloadProgress | None) -> Pair | None:
        """What a complete download can be loaded as; None while its files are not in the library."""
        paths_of = progress.paths if progress is not None else ()
        found = dict.fromkeys(self.library.library.find(Path(path)) for path in paths_of)
        models = [str(model.path) for model in found if model is not None and model.role == "chat"]
        return Pair(target=models[0], draft=models[1] if len(models) > 1 else "") if models else None

    # --- what happens -----------------------------------------------------------------------------------------------

    def _on_downloads(self) -> None:
        self.catalogue.refresh()
        self.browser.refresh()

    def _on_found(self, found: Found) -> None:
        self.library_model.show_library(found.library)
        self.catalogue.show_library(found.library)
        self.browser.refresh()
        self.desk.note_library()
        self.library_changed.emit(found)

    def _on_catalogue(self, pairs: tuple[catalogue.Pair, ...]) -> None:
        self._pairs = pairs
        self.desk.note_catalogue(pairs)
        self.browser.note_catalogue(pairs)
        self._suggest()

    def _on_machine(self, facts: MachineFacts) -> None:
        self.machine = facts
        self.desk.note_machine(facts)
        self._suggest()
        self.machine_changed.emit(facts)

    def _suggest(self) -> None:
        # Once for a machine: recommendations that change with every second of free memory help nobody.
        about = (self.machine.ram_total, self.machine.device_total, len(self._pairs))
        if self._pairs and self.machine.ram_total is not None and about != self._suggested_for:
            self._suggested_for = about
            self.catalogue.show_suggestions(catalogue.suggest(self._pairs, self.machine.budget))
            self.browser.note_budget(self.machine.budget)

    def _on_access(self, _options: HubOptions) -> None:
        self.client.use(self.access.command)
        self.rescan()
        self.look_at_machine()

    def _on_loaded(self, loaded: Loaded | None) -> None:
        draft = loaded.draft.path if loaded is not None and loaded.draft is not None else ""
        self.library_model.show_use(loaded.target.path if loaded is not None else "", draft)
        self.desk.note_loaded(loaded)
        if self._is_open:
            self.look_at_machine()

    def _is_here(self, repo: str, name: str) -> bool:
        try:
            path = place(self.access.models, repo, name)
        except AppError:
            return False
        return self.library.library.find(path) is not None


def short_title(part: catalogue.Part) -> str:
    """The name of a part without folder and ending."""
    return part.file.rsplit("/", 1)[-1].removesuffix(".gguf")
