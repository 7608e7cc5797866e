"""What a search found, or what a repository offers."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from app.bridge.browser import Browser, View
from app.bridge.item_models.catalogue import short_name
from app.bridge.item_models.offers import OfferRow
from app.protocol.download_messages import FoundRepository
from app.ui import figures
from app.ui.models_page import words
from app.ui.models_page.buttons import button
from app.ui.models_page.download_controls import Trouble
from app.ui.models_page.row_delegate import RowLook, Tone
from app.ui.models_page.row_list import RowList
from app.ui.theme import GRID, Theme
from app.ui.widgets.flow import FlowLayout
from app.ui.widgets.labels import label

_DOT = " \N{MIDDLE DOT} "


class HubView(QWidget):
    """Shows a `Browser`.

    Signals:
        downloads_wanted: Show the downloads.
        link_chosen: The address of a page.
    """

    downloads_wanted = Signal()
    link_chosen = Signal(str)

    def __init__(self, theme: Theme, browser: Browser, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._browser = browser
        self.back = button(self.tr("Back"), browser.back)
        self._title = label("", "strong", wrap=True)
        self._facts = label("", "soft", wrap=True)
        self.trouble = Trouble()
        self.trouble.link_chosen.connect(self.link_chosen)
        self.again = button(self.tr("Try again"), browser.again, "primary")
        self.hits = RowList(theme, self.tr("Repositories"), browser.hits, self._look_hit)
        self.offers = RowList(theme, self.tr("Models of this repository"), browser.offers, self._look_offer)
        for view in (self.hits, self.offers):
            view.setProperty("frame", "card")
        self.open = button(self.tr("Show models"), self._open, "primary")
        self.get = button(self.tr("Download"), self._get, "primary")
        self.get.setAccessibleDescription(self.tr("Downloads the chosen model"))
        self.get_pair = button(self.tr("With the draft that fits"), self._get_pair)
        self._lists = QStackedWidget()
        for widget in (QWidget(), self.hits, self.offers):
            self._lists.addWidget(widget)
        head = QHBoxLayout()
        head.addWidget(self.back)
        head.addWidget(self._title, 1)
        foot = FlowLayout()
        for action in (self.open, self.get, self.get_pair):
            foot.addWidget(action)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GRID)
        layout.addLayout(head)
        layout.addWidget(self._facts)
        layout.addWidget(self.trouble)
        layout.addWidget(self.again)
        layout.addWidget(self._lists, 1)
        layout.addLayout(foot)
        self.hits.used.connect(lambda _row: self._open())
        self.offers.used.connect(lambda _row: self._get())
        self.hits.chosen.connect(lambda _row: self._update())
        self.offers.chosen.connect(lambda _row: self._update())
        for changed in (browser.offers.dataChanged, browser.offers.modelReset, browser.hits.modelReset):
            changed.connect(self._update)
        browser.changed.connect(self._show)
        self._show(browser.view)

    def set_theme(self, theme: Theme) -> None:
        self.hits.set_theme(theme)
        self.offers.set_theme(theme)

    def _show(self, view: View) -> None:
        ellipsis = "…"
        if view.kind == "asking":
            title = self.tr("Looking for {0}").format(view.repo or view.text) + ellipsis
        elif view.kind == "hits":
            count = len(self._browser.hits.rows)
            found = self.tr("Nothing was found for {0}") if not count else self.tr("Found for {0}")
            title = found.format(f"\N{LEFT DOUBLE QUOTATION MARK}{view.text}\N{RIGHT DOUBLE QUOTATION MARK}")
        else:
            title = view.repo or view.text
        self._title.setText(title)
        self._facts.setText(self._facts_of(view))
        self._facts.setVisible(bool(self._facts.text()))
        fault = view.fault if view.kind == "failed" else None
        self.trouble.show_trouble(fault.sentence if fault else "", fault.hint if fault else "")
        self._lists.setCurrentIndex({"hits": 1, "repository": 2}.get(view.kind, 0))
        if view.kind == "hits" and self._browser.hits.rows:
            self.hits.go_to(0)
        if view.kind == "repository" and self._browser.offers.rows:
            self.offers.go_to(self._usual_offer())
        self._update()

    def _facts_of(self, view: View) -> str:
        if view.kind == "hits" and not self._browser.hits.rows:
            return self.tr("Only repositories with GGUF files are searched. Try fewer words, or owner/model.")
        if view.kind != "repository":
            return ""
        if not self._browser.offers.rows:
            return self.tr("This repository has no GGUF model. Another one may have: search for its name and GGUF.")
        parts = [self.tr("licence {0}").format(view.licence) if view.licence else self.tr("licence not named")]
        if view.gated:
            parts.append(self.tr("its terms have to be accepted first, and a token is needed"))
        return _DOT.join(parts)

    def _usual_offer(self) -> int:
        rows = self._browser.offers.rows
        for wanted in ("Q4_K_M", "Q4_0", "Q5_K_M", "Q8_0"):
            for number, row in enumerate(rows):
                if row.model.quantisation == wanted:
                    return number
        return 0

    def _update(self) -> None:
        kind = self._browser.view.kind
        offer = self.offers.current()
        self.again.setVisible(kind == "failed")
        self.open.setVisible(kind == "hits" and bool(self._browser.hits.rows))
        self.open.setEnabled(self.hits.current() is not None)
        self.get.setVisible(kind == "repository" and bool(self._browser.offers.rows))
        self.get.setEnabled(isinstance(offer, OfferRow))
        self._offer_pair(offer if isinstance(offer, OfferRow) and kind == "repository" else None)
        if isinstance(offer, OfferRow):
            under_way = offer.download is not None
            self.get.setText(
                self.tr("Show download")
                if under_way
                else self.tr("In your library")
                if offer.here
                else self.tr("Download ({0})").format(figures.size(offer.model.size))
            )
            self.get.setEnabled(under_way or not offer.here)

    def _offer_pair(self, offer: OfferRow | None) -> None:
        draft = self._browser.draft_of(offer) if offer is not None else None
        self.get_pair.setVisible(draft is not None and offer is not None and offer.download is None and not offer.here)
        if draft is not None:
            words_ = self.tr("With the draft that fits: {0} ({1} more)")
            self.get_pair.setText(words_.format(short_name(draft), figures.size(draft.size)))

    def _get_pair(self) -> None:
        offer = self.offers.current()
        if isinstance(offer, OfferRow):
            self._browser.get_pair(offer)

    def _open(self) -> None:
        hit = self.hits.current()
        if isinstance(hit, FoundRepository):
            self._browser.open_repository(hit.repo)

    def _get(self) -> None:
        offer = self.offers.current()
        if not isinstance(offer, OfferRow) or not self.get.isEnabled():
            return
        if offer.download is None:
            self._browser.get(offer)
        else:
            self.downloads_wanted.emit()

    def _look_hit(self, row: FoundRepository) -> RowLook:
        chips: tuple[tuple[str, Tone], ...] = ((self.tr("needs a token"), "warn"),) if row.gated else ()
        return RowLook(name=row.repo, chips=chips, right=self.tr("{0} downloads").format(figures.count(row.downloads)))

    def _look_offer(self, row: OfferRow) -> RowLook:
        chip: tuple[str, Tone] = (self.tr("fits"), "good")
        if row.here:
            chip = (self.tr("in your library"), "good")
        elif row.fit == "too_large":
            chip = (self.tr("more than is free"), "warn")
        named = row.model.quantisation.lower() in row.model.name.lower()
        parts = [] if named else [row.model.quantisation]
        if len(row.model.files) > 1:
            parts.append(self.tr("{0} files").format(len(row.model.files)))
        if row.download is not None:
            parts.append(words.progress(row.download))
        line = _DOT.join(part for part in parts if part)
        size = figures.size(row.model.size)
        name = row.model.name.removesuffix(".gguf")
        return RowLook(name=name, chips=(chip,), right=size, lines=(line,) if line else ())
