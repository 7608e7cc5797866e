"""Sentences of the engine in the person's language.

The engine speaks English over the wire, with names and numbers filled in. Here are the sentences people meet most, with
places for what varies; a sentence that is not among them is shown as it came.
"""

import functools
import re

from app.core.translation import QT_TRANSLATE_NOOP, translate

_CONTEXT = "engine"
_PLACE = re.compile(r"\\\{\d\\\}")
TEMPLATES = (
    QT_TRANSLATE_NOOP("engine", "Drafting has cost {0} ms more than it saved in this answer, so it waits."),
    QT_TRANSLATE_NOOP(
        "engine",
        "Plain decoding is faster here: a token takes {0} ms, checking one more {1} ms and drafting it {2} ms, but only"
        " about {3} of the proposals would be kept.",
    ),
    QT_TRANSLATE_NOOP(
        "engine",
        "Plain decoding is faster here: a token takes {0} ms, checking one more {1} ms, but only about {2} of the"
        " proposals would be kept.",
    ),
    QT_TRANSLATE_NOOP("engine", "The answer was over after its first token."),
    QT_TRANSLATE_NOOP("engine", "Every proposed token was below the minimum confidence."),
    QT_TRANSLATE_NOOP("engine", "Nothing in this text has repeated so far."),
    QT_TRANSLATE_NOOP("engine", "Nothing has been proposed so far."),
    QT_TRANSLATE_NOOP("engine", "No draft model is loaded."),
    QT_TRANSLATE_NOOP("engine", "The drafter you chose ({0}) cannot be used: {1}"),
    QT_TRANSLATE_NOOP("engine", "Choose another drafter, or switch speculation off."),
    QT_TRANSLATE_NOOP("engine", "This file has no prediction heads."),
    QT_TRANSLATE_NOOP(
        "engine",
        "This file has no prediction heads. Some models of its kind were made with them. The MTP version of the model"
        " has them, and so has a file called mtp-*.gguf beside this one.",
    ),
    QT_TRANSLATE_NOOP(
        "engine",
        "This file was made without its prediction heads. The MTP version of the model has them, and so has a file"
        " called mtp-*.gguf beside this one.",
    ),
    QT_TRANSLATE_NOOP("engine", "The engine cannot use the prediction heads of {0} models."),
    QT_TRANSLATE_NOOP("engine", "Only {0} of the {1} prediction heads are in this file."),
    QT_TRANSLATE_NOOP("engine", "The prediction heads in {0} were made for another model."),
    QT_TRANSLATE_NOOP("engine", "The prediction heads were not loaded. The model's settings can change that."),
    QT_TRANSLATE_NOOP("engine", "The prediction heads in {0} are not loaded: they make the engine crash."),
    QT_TRANSLATE_NOOP("engine", "The prediction heads in {0} need about {1} of memory; {2} are free."),
    QT_TRANSLATE_NOOP("engine", "The engine does not react to Stop."),
    QT_TRANSLATE_NOOP("engine", "Wait, or restart it. The text so far stays."),
    QT_TRANSLATE_NOOP("engine", "The context is full, so the answer ends here."),
    QT_TRANSLATE_NOOP(
        "engine",
        "Go on without the oldest messages (they stay in the chat, but the model no longer sees them), start a new"
        " chat, or load the model with a longer context.",
    ),
    QT_TRANSLATE_NOOP("engine", "This message alone is too long for the context."),
    QT_TRANSLATE_NOOP("engine", "Shorten it, or load the model with a longer context."),
    QT_TRANSLATE_NOOP("engine", "The text has {0} tokens, but the context holds {1}."),
    QT_TRANSLATE_NOOP("engine", "Shorten it, start a new chat, or load the model with a longer context."),
    QT_TRANSLATE_NOOP("engine", "The model changes as soon as this answer is complete."),
    QT_TRANSLATE_NOOP("engine", "The oldest message was left out of what the model sees: the context was full."),
    QT_TRANSLATE_NOOP("engine", "The {0} oldest messages were left out of what the model sees: the context was full."),
    QT_TRANSLATE_NOOP("engine", "The engine crashed ({0})."),
    QT_TRANSLATE_NOOP("engine", "The engine exited with code {0}."),
    QT_TRANSLATE_NOOP("engine", "The engine could not be started because {0}."),
    QT_TRANSLATE_NOOP("engine", "The engine was ended because {0}."),
    QT_TRANSLATE_NOOP("engine", "The engine was restarted."),
    QT_TRANSLATE_NOOP("engine", "The engine is not running."),
    QT_TRANSLATE_NOOP("engine", "Restart it to go on."),
    QT_TRANSLATE_NOOP("engine", 'There is no file "{0}".'),
    QT_TRANSLATE_NOOP("engine", "Choose another file."),
    QT_TRANSLATE_NOOP("engine", '"{0}" is not a GGUF model, but {1}.'),
    QT_TRANSLATE_NOOP("engine", '"{0}" is a folder, not a model.'),
    QT_TRANSLATE_NOOP("engine", '"{0}" is empty (0 bytes).'),
    QT_TRANSLATE_NOOP("engine", "Choose a file in GGUF format."),
    QT_TRANSLATE_NOOP("engine", "Download it again, or choose another file."),
    QT_TRANSLATE_NOOP("engine", 'You are not allowed to read "{0}".'),
    QT_TRANSLATE_NOOP("engine", "There is not enough memory for this."),
    QT_TRANSLATE_NOOP("engine", "There is not enough memory for a context of {0} tokens with {1}."),
    QT_TRANSLATE_NOOP("engine", "Close other programs, choose a shorter context or a smaller model."),
    QT_TRANSLATE_NOOP("engine", "Choose a shorter context or a smaller model."),
)
"""As English is their own translation, they cost nothing where English is spoken."""


def said(sentence: str) -> str:
    """The sentence in the person's language, or as it is."""
    for template, pattern in _patterns():
        found = pattern.fullmatch(sentence)
        if found is not None:
            return translate(_CONTEXT, template).format(*found.groups())
    return sentence


@functools.cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((template, re.compile(_PLACE.sub("(.+?)", re.escape(template)), re.DOTALL)) for template in TEMPLATES)
