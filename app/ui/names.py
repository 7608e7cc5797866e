"""Names of things the protocol knows by code."""

from PySide6.QtCore import QCoreApplication

from app.chat.badge import mixes_heads
from app.chat.conversation import Message
from app.protocol.messages import Loaded

UNKNOWN = "-"


def drafter_name(drafter: str, models: Loaded | Message | None = None) -> str:
    """What a person reads for a drafter of these models; a name from a newer engine is shown as it is."""
    translate = QCoreApplication.translate
    if drafter == "mixed" and mixes_heads(models):
        return translate("drafters", "Prediction heads + n-gram")
    return {
        "": UNKNOWN,
        "off": translate("drafters", "Off"),
        "ngram": translate("drafters", "N-gram"),
        "draft_model": translate("drafters", "Draft model"),
        "heads": translate("drafters", "Prediction heads"),
        "mixed": translate("drafters", "Draft model + n-gram"),
    }.get(drafter, drafter)
