"""Names of things the protocol knows by code."""

from PySide6.QtCore import QCoreApplication

from app.protocol.options import DrafterName


def drafter_name(drafter: DrafterName) -> str:
    """What a person reads for a drafter."""
    translate = QCoreApplication.translate
    return {
        "off": translate("drafters", "Off"),
        "ngram": translate("drafters", "N-gram"),
        "draft_model": translate("drafters", "Draft model"),
        "heads": translate("drafters", "Prediction heads"),
        "mixed": translate("drafters", "Draft model + n-gram"),
    }[drafter]
