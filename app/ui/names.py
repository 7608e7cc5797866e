"""Names of things the protocol knows by code."""

from PySide6.QtCore import QCoreApplication

UNKNOWN = "-"


def drafter_name(drafter: str) -> str:
    """What a person reads for a drafter; a name from a newer engine is shown as it is."""
    translate = QCoreApplication.translate
    return {
        "": UNKNOWN,
        "off": translate("drafters", "Off"),
        "ngram": translate("drafters", "N-gram"),
        "draft_model": translate("drafters", "Draft model"),
        "heads": translate("drafters", "Prediction heads"),
        "mixed": translate("drafters", "Draft model + n-gram"),
    }.get(drafter, drafter)
