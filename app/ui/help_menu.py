"""The end of the menu: reporting a problem, and the About box."""

from collections.abc import Callable

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.chat.banner import Banner
from app.core.translation import translate
from app.ui.about import AboutBox
from app.ui.report_sheet import ReportSheet


class HelpMenu:
    """Both as actions of the window, which the list of commands finds too.

    Attributes:
        actions: For the menu.
    """

    def __init__(self, window: QWidget, compose: Callable[[str], str]) -> None:
        """`compose`: makes a report, from what is known about the problem."""
        self._window = window
        self._compose = compose
        report = QAction(translate("help", "Report a problem…"), window)
        report.setObjectName("report a problem")
        report.triggered.connect(lambda _checked=False: self.show_report())
        about = QAction(translate("help", "About Outpace"), window)
        about.setObjectName("about outpace")
        about.setMenuRole(QAction.MenuRole.AboutRole)
        about.triggered.connect(lambda _checked=False: self.show_about())
        self.actions = [report, about]
        window.addActions(self.actions)

    def obey_banner(self, action: str, banner: Banner | None) -> None:
        """The person chose an action of a banner; one of them is ours."""
        if action == "report" and banner is not None:
            self.show_report("\n".join(filter(None, (banner.sentence, banner.detail))))

    def show_about(self) -> AboutBox:
        """Open the About box."""
        box = AboutBox(self._window)
        box.report_wanted.connect(self.show_report)
        box.open()
        return box

    def show_report(self, detail: str = "") -> ReportSheet:
        """Open a report; `detail` is what is known about the problem."""
        sheet = ReportSheet(self._compose(detail), self._window)
        sheet.open()
        return sheet
