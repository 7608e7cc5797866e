"""Errors that carry a sentence for the person in front of the screen.

The class says who has to act: `UserError` the person (another file, another number), `EnvironmentFault` the machine
(memory, disk, permissions), `EngineFault` nobody outside this project. Cancelling is an outcome, not an error of these.
"""


class AppError(Exception):
    """Something that can be explained.

    Attributes:
        code: Stable identifier, lower case with underscores; programs and tests compare this.
        sentence: What happened, one plain sentence.
        hint: What to do about it, or "".
        detail: Technical text for "Copy details" and logs, or "".
    """

    def __init__(self, code: str, sentence: str, hint: str = "", detail: str = "") -> None:
        super().__init__(sentence)
        self.code = code
        self.sentence = sentence
        self.hint = hint
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.sentence} {self.hint}".strip()


class UserError(AppError):
    """The input cannot be used; another input can."""


class EnvironmentFault(AppError):  # noqa: N818 (a fault of the machine, a category)
    """The machine does not have what is needed: memory, disk space, permissions, a library."""


class EngineFault(AppError):  # noqa: N818 (a fault of ours, a category)
    """Inference failed in a way the input does not explain."""


class CancelledByUser(Exception):  # noqa: N818 (an outcome, not an error)
    """The person asked to stop; never shown as an error."""
