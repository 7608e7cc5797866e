"""A loaded target with what belongs to it: cache, chat template, notices."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from app.core import log
from app.core.errors import UserError
from app.core.thinking import begins_thinking
from app.engine.backends.loading import Model
from app.engine.cancel import CancelFlag
from app.engine.generation import Cached
from app.engine.prompts import Formatter, PromptBuilder, plain_template
from app.engine.template_guard import GuardedFormatter, guarded
from app.protocol.messages import Count, Counted, Generate, Notice

_log = log.get("engine")
_TAIL = 16
"""Tokens at the end of a prompt in which an opening mark would stand."""


@dataclass(slots=True)
class Target:
    """What answers. `loaded_at`: seconds since the epoch when the weights were read."""

    model: Model
    loaded_at: float
    cached: Cached
    formatter: GuardedFormatter
    builder: PromptBuilder
    plain_builder: PromptBuilder
    plain_template: bool
    notices: tuple[Notice, ...]

    def prompt(self, request: Generate) -> list[int]:
        """Tokens of a request's conversation or raw text."""
        if request.prompt is None:
            builder = self.builder_for(plain=request.plain_template)
            # Of another model they may be none of this one, and native code would end the process.
            known = all(0 <= token < self.model.weights.n_vocab for token in request.answer_tokens)
            return builder.conversation(request.turns, request.answer_tokens if known else ())
        return self.builder.raw(request.prompt)

    def builder_for(self, *, plain: bool) -> PromptBuilder:
        """What renders conversations; `plain` with the plain template."""
        return self.plain_builder if plain else self.builder

    def stops_at_names(self, request: Generate) -> bool:
        """Is a dialogue with names written, in which the model must not speak for the person?"""
        return request.prompt is None and (self.plain_template or request.plain_template)

    def begins_thinking(self, request: Generate, prompt: Sequence[int]) -> bool:
        """Does a new answer begin inside of a thinking part, since the template has opened it?"""
        if request.prompt is not None or (request.turns and request.turns[-1].role == "assistant"):
            return False
        weights = self.model.weights
        tail = b"".join(weights.piece(token) or weights.token_text(token).encode() for token in prompt[-_TAIL:])
        return begins_thinking(tail.decode("utf-8", "replace"))

    def count(self, request: Count, cancel: CancelFlag) -> Counted:
        """See `Backend.count`."""
        builder = self.builder_for(plain=request.plain_template)
        history, problem = 0, ""
        self.formatter.watch(cancel)
        try:
            history = builder.count(request.turns)
        except UserError as error:
            problem = error.sentence
            history = self.model.context.n_ctx if error.code == "prompt_too_long" else 0
        texts = tuple(builder.count_text(text, cancel.is_set) for text in request.texts)
        return Counted(id=request.id, history=history, texts=texts, context=self.model.context.n_ctx, problem=problem)


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
        plain_builder=PromptBuilder(weights, plain_template, room=model.context.n_ctx),
        plain_template=plain,
        notices=tuple(notices),
    )
