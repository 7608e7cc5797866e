"""How models, downloads and machines are named on the page."""

import html
import re

from app.bridge.machine_facts import MachineFacts
from app.core.gguf import is_beside
from app.core.translation import translate
from app.hub.model_file import ModelFile
from app.protocol.download_messages import DownloadProgress
from app.ui import figures

_ADDRESS = re.compile(r"https?://[^\s<>\"]+[^\s<>\".,;:!?)]")
_DOT = " \N{MIDDLE DOT} "
_NARROW = "\N{NARROW NO-BREAK SPACE}"


def machine(facts: MachineFacts) -> str:
    """The line below the page's title."""
    parts = []
    if facts.ram_total:
        free = figures.size(facts.ram_free) if facts.ram_free is not None else figures.UNKNOWN
        parts.append(translate("words", "{0} free of {1} memory").format(free, figures.size(facts.ram_total)))
    if facts.device_total:
        words = translate("words", "{0} free of {1} accelerator memory")
        parts.append(words.format(figures.size(facts.device_free), figures.size(facts.device_total)))
    if facts.disk_free is not None:
        parts.append(
            translate("words", "{0} free on disk").format(figures.size(facts.disk_free) if facts.disk_free else "0 B")
        )
    if not facts.models_writable:
        parts.append(translate("words", "nothing can be put into the models folder"))
    return _DOT.join(parts)


def facts_of(model: ModelFile) -> str:
    """What a chat model is, in one or two lines."""
    facts = model.facts
    if facts is None:
        return figures.size(model.size_bytes)
    first = [
        facts.architecture,
        figures.parameters(facts.parameters),
        facts.quantisation,
        figures.size(model.size_bytes),
    ]
    if facts.split > 1:
        first.append(translate("words", "{0} files").format(facts.split))
    second = []
    if facts.context_trained:
        second.append(translate("words", "{0} tokens of context").format(figures.count(facts.context_trained)))
    second.append(translate("words", "chat template") if facts.has_template else translate("words", "no chat template"))
    if facts.nextn:
        second.append(translate("words", "prediction heads"))
    if facts.memory != "attention":
        second.append(translate("words", "keeps a running state"))
    if facts.licence:
        second.append(translate("words", "licence {0}").format(facts.licence))
    return "\n".join((_DOT.join(part for part in first if part), _DOT.join(second)))


def attachment(drafter: ModelFile, target: ModelFile) -> str:
    """What a drafter file that belongs to a target does for it."""
    if drafter.facts is None or not drafter.facts.nextn:
        return translate("words", "Made to draft for the model above; Outpace cannot use such files.")
    if target.facts is not None and target.facts.nextn:
        return translate("words", "Prediction heads; the model above has its own.")
    if is_beside(target.path, drafter.path):
        return translate("words", "Prediction heads of the model above, loaded with it.")
    return translate("words", "Prediction heads of the model above. Put the file beside it to use them.")


def short_facts(model: ModelFile) -> str:
    """Size and kind of a model for a list."""
    facts = model.facts
    parts = [figures.size(model.size_bytes)]
    if facts is not None:
        parts = [figures.parameters(facts.parameters), facts.quantisation, *parts]
    return _DOT.join(part for part in parts if part and part != figures.UNKNOWN)


def source(model: ModelFile) -> str:
    """Whose a file is, where that is not obvious."""
    return {
        "huggingface": translate("words", "Hugging Face cache"),
        "lmstudio": translate("words", "LM Studio"),
        "builtin": translate("words", "built in"),
    }.get(model.source, "")


def speed(bytes_per_second: float | None) -> str:
    """For example "41.0 MB/s"."""
    return f"{figures.size(round(bytes_per_second))}/s" if bytes_per_second else figures.UNKNOWN


def time_left(seconds: float | None) -> str:
    """For example "55 s left", "12 min left"."""
    if seconds is None:
        return ""
    if seconds < 90:
        return translate("words", "{0} s left").format(max(round(seconds), 1))
    if seconds < 90 * 60:
        return translate("words", "{0} min left").format(round(seconds / 60))
    if seconds < 48 * 3600:
        return translate("words", "{0} h left").format(round(seconds / 3600))
    return translate("words", "days left")


def amount(progress: DownloadProgress) -> str:
    """For example "62 % . 3.5 GB of 5.7 GB"."""
    if not progress.total:
        return figures.size(progress.done) if progress.done else ""
    share = figures.share(min(progress.done / progress.total, 1.0))
    done = figures.size(progress.done) if progress.done else "0 B"
    return _DOT.join((share, translate("words", "{0} of {1}").format(done, figures.size(progress.total))))


def progress(download: DownloadProgress) -> str:
    """How far a download is and what it is doing, in one line."""
    state = {
        "queued": translate("words", "waiting for its turn"),
        "waiting": translate("words", "tries again soon"),
        "paused": translate("words", "paused"),
        "failed": translate("words", "stopped"),
        "done": translate("words", "complete"),
    }.get(download.state, "")
    if download.state == "done":
        return _DOT.join((state, figures.size(download.total)))
    parts = [amount(download)]
    if download.state == "running":
        whole = download.total and download.done >= download.total
        parts += (
            [translate("words", "checking")] if whole else [speed(download.speed), time_left(download.seconds_left)]
        )
    parts.append(state)
    return _DOT.join(part for part in parts if part and part != figures.UNKNOWN)


def with_links(text: str) -> str:
    """Text as the little HTML a label understands, with addresses as links."""
    pieces, end = [], 0
    for found in _ADDRESS.finditer(text):
        address = html.escape(found[0])
        pieces += [html.escape(text[end : found.start()]), f'<a href="{address}">{address}</a>']
        end = found.end()
    return "".join((*pieces, html.escape(text[end:]))).replace("\n", "<br>")
