"""A loaded target with what belongs to it: cache, chat template, notices."""

import time
from dataclasses import dataclass

from app.core import log
from app.engine.backends.loading import Model
from app.engine.cancel import CancelFlag
from app.engine.generation import Cached
from app.engine.prompts import Formatter, PromptBuilder, plain_template
from app.engine.template_guard import GuardedFormatter, guarded
from app.protocol.messages import Generate, Notice

_log = log.get("engine")


@dataclass(slots=True)
class Target:
    """What answers. `loaded_at`: seconds since the epoch when the weights were read."""

    model: Model
    loaded_at: float
    cached: Cached
    formatter: GuardedFormatter
    builder: PromptBuilder
    plain_template: bool
    notices: tuple[Notice, ...]

    def prompt(self, request: Generate) -> list[int]:
        """Tokens of a request's conversation or raw text."""
        if request.prompt is None:
            return self.builder.conversation(request.turns)
        return self.builder.raw(request.prompt)


def make_target(model: Model) -> Target:
    """Wrap a loaded model, with the plain template where its own cannot be used."""
    weights = model.weights
    notices: list[Notice] = []
    formatter: Formatter = plain_template
    plain = True
    template = weights.template()
    if not template.strip():
        text = "This model has no chat template (a base model?). A plain dialogue is used; answers may ramble."
        notices.append(Notice(code="no_template", text=text))
    else:
        try:
            formatter = guarded(lambda: weights.formatter(template), CancelFlag(), every_line=False)
            plain = False
        except Exception as error:  # noqa: BLE001 (a template is a program from a file; its parser can raise anything)
            _log.info("chat template does not parse: %r", error)
            reason = " ".join(str(error).split())[:200]
            text = f"The model's chat template cannot be read ({reason}). A plain dialogue is used instead."
            notices.append(Notice(code="bad_template", text=text))
    if not model.context.can_truncate:
        notices.append(Notice(code="cannot_truncate", text=str(model.cannot_forget())))
    bounded = GuardedFormatter(formatter)
    return Target(
        model=model,
        loaded_at=time.time(),
        cached=Cached(model.context),
        formatter=bounded,
        builder=PromptBuilder(weights, bounded, room=model.context.n_ctx),
        plain_template=plain,
        notices=tuple(notices),
    )
