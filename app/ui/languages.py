"""The language of the window: Qt Linguist files in the resources, chosen by the person or by the system."""

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from app.core import paths, translation

SOURCE = "en"
"""The language the words in the program are written in."""
_CONTEXT_NAME = "outpace"


def folder() -> Path:
    """Where the compiled translations lie."""
    return paths.resources() / "translations"


def available() -> tuple[str, ...]:
    """Codes of the languages there is a translation for, English first."""
    found = sorted(path.stem.removeprefix(f"{_CONTEXT_NAME}_") for path in folder().glob(f"{_CONTEXT_NAME}_*.qm"))
    return (SOURCE, *found)


def own_name(code: str) -> str:
    """What speakers of a language call it."""
    name = QLocale(code).nativeLanguageName()
    return name[:1].upper() + name[1:] if name else code


def wanted(choice: str) -> str:
    """The language to show: the chosen one, else the first of the system's that there is, else English."""
    known = available()
    if choice in known:
        return choice
    for name in QLocale.system().uiLanguages():
        code = name.replace("_", "-").split("-")[0]
        if code in known:
            return code
    return SOURCE


def install(app: QCoreApplication, choice: str) -> tuple[QTranslator, ...]:
    """Show all windows made from now on in this language ("" for the system's); give back what was installed."""
    code = wanted(choice)
    if QLocale.system().language() != QLocale(code).language():
        # Numbers and names of months go with the words.
        QLocale.setDefault(QLocale(code))
    installed: list[QTranslator] = []
    if code != SOURCE:
        for name, place in ((_CONTEXT_NAME, str(folder())), ("qtbase", _qt_folder())):
            translator = QTranslator(app)
            if translator.load(f"{name}_{code}", place):
                app.installTranslator(translator)
                installed.append(translator)
    translation.install(QCoreApplication.translate)
    return tuple(installed)


def uninstall(app: QCoreApplication, installed: tuple[QTranslator, ...]) -> None:
    """Take back what `install` did."""
    for translator in installed:
        app.removeTranslator(translator)
        translator.deleteLater()
    translation.install(None)
    QLocale.setDefault(QLocale.system())


def _qt_folder() -> str:
    return QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
