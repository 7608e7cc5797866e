"""A conversation as tokens: the model's chat template, or a plain one where it has none.

Special tokens written by a person are plain text, not control tokens: whoever pastes "<|im_end|>" must not end a turn.
Their texts are marked before the template runs, with a character that no template touches; the marked places of the
rendered prompt are tokenised as text and everything else with control tokens understood.
"""

import os
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from app.core.errors import CancelledByUser, UserError
from app.protocol.messages import Turn

Formatter = Callable[[list[Any]], str]

_MARK = "\U0010fffd"  # private use, plane 16

_PART = 16_384  # characters tokenised at once to find out whether a text is far too long

_PLACEHOLDER = "x"

PLAIN_STOP = "\nUser:"
"""With the plain template a model that goes on with the conversation by itself is stopped here."""


class Tokeniser(Protocol):
    """What of a vocabulary prompts need."""

    @property
    def special_texts(self) -> Sequence[str]: ...

    @property
    def adds_bos(self) -> bool: ...

    @property
    def bos(self) -> int: ...

    def token_text(self, token: int) -> str: ...

    def piece(self, token: int) -> bytes: ...

    def tokenise(self, text: str, *, specials: bool, add_bos: bool) -> list[int]: ...


def plain_template(messages: list[Any]) -> str:
    """For models without a chat template: a dialogue with names."""
    lines = []
    for message in messages:
        name = {"user": "User: ", "assistant": "Assistant: "}.get(message["role"], "")
        lines.append(f"{name}{message['content']}")
    return "\n".join([*lines, "Assistant:"])


class PromptBuilder:
    """Turns conversations into tokens for one model.

    Args:
        tokeniser: The target's vocabulary.
        formatter: Renders messages, a dictionary with "role" and "content" each; raises what it likes.
        room: Tokens of the context; texts far beyond it are refused before they are tokenised as a whole. 0: no limit.
    """

    def __init__(self, tokeniser: Tokeniser, formatter: Formatter, room: int = 0) -> None:
        self._tokeniser = tokeniser
        self._formatter = formatter
        self._room = room
        special = tokeniser.special_texts
        self._special = re.compile(_any_of(special)) if special else None
        self._marked = re.compile(_any_of([text[0] + _MARK + text[1:] for text in special])) if special else None

    def conversation(self, turns: Sequence[Turn], answer_tokens: Sequence[int] = ()) -> list[int]:
        """Tokens of the whole conversation, up to where the answer begins, or goes on.

        Args:
            turns: If the last one is the assistant's, its answer goes on.
            answer_tokens: What that answer was written with. A text can be cut into tokens in many ways, and only the
                way it was written in goes on as it would have.

        Raises:
            UserError: there is nothing to answer, the conversation is far too long, or the template refuses it (its
                words in the sentence).
            CancelledByUser: the formatter was cancelled.
        """
        *before, last = turns or (Turn(role="user", content=""),)
        continued = last.content if last.role == "assistant" else ""
        turns = before if continued else turns
        if not turns or not turns[-1].content.strip():
            raise empty_prompt()
        self._refuse_hopeless("\n".join([*(turn.content for turn in turns), continued]))
        messages = [{"role": turn.role, "content": self._escape(turn.content)} for turn in turns]
        rendered = self._render(messages)
        self._refuse_hopeless(rendered)
        known = self._known(continued, answer_tokens)
        tokens = self._tokens(rendered if known else rendered + self._escape(continued))
        if not tokens:
            raise _template_failed("it leaves nothing of it")
        return [*tokens, *known]

    def raw(self, text: str) -> list[int]:
        """Tokens of `text` as it stands, control tokens understood.

        Raises:
            UserError: the text is empty or far too long.
        """
        if not text:
            raise empty_prompt()
        self._refuse_hopeless(text)
        tokens = self._tokeniser.tokenise(text, specials=True, add_bos=self._wants_bos(text))
        if not tokens:
            raise empty_prompt()
        return tokens

    def _render(self, messages: list[dict[str, str]]) -> str:
        try:
            return self._formatter(messages)
        except CancelledByUser:
            raise
        except Exception as error:
            merged = _without_system(messages)
            if merged is not None and not isinstance(error, TimeoutError):
                return self._render(merged)
            raise _template_failed(_one_line(error)) from error

    def _known(self, text: str, tokens: Sequence[int]) -> Sequence[int]:
        """The beginning of `tokens` that says `text`; empty if none does, as with tokens of another model."""
        wanted, said, count = text.encode("utf-8", "replace"), bytearray(), 0
        for number, token in enumerate(tokens, 1):
            piece = self._tokeniser.piece(token)
            if not piece:
                break  # a control token, which nobody may bring in from outside
            said += piece
            if said == wanted:
                count = number
            elif not wanted.startswith(bytes(said)):
                break
        return tokens[:count] if text else ()

    def count(self, turns: Sequence[Turn]) -> int:
        """Tokens of `turns` when a question follows them, the question left out.

        Raises:
            UserError: see `conversation`.
        """
        return len(self.conversation([*turns, Turn(role="user", content=_PLACEHOLDER)])) - 1

    def count_text(self, text: str, stop: Callable[[], bool]) -> int:
        """Tokens of a text by itself, give or take a few in a long one; `stop` is asked now and then.

        Raises:
            CancelledByUser: `stop` said so.
        """
        count = 0
        for start in range(0, len(text), _PART):
            if stop():
                raise CancelledByUser
            count += len(self._tokeniser.tokenise(text[start : start + _PART], specials=False, add_bos=False))
        return count

    def _refuse_hopeless(self, text: str) -> None:
        """Tokenising is native code that cannot be stopped, and for some texts its time grows with the square."""
        if not self._room or len(text) <= max(_PART, 4 * self._room):
            return
        count = 0
        for start in range(0, len(text), _PART):
            count += len(self._tokeniser.tokenise(text[start : start + _PART], specials=False, add_bos=False))
            if count > 2 * self._room:
                raise prompt_too_long(f"more than {2 * self._room:,}", self._room)

    def _escape(self, text: str) -> str:
        text = text.replace(_MARK, "\ufffd")
        if self._special is None:
            return text
        return self._special.sub(lambda found: found.group()[0] + _MARK + found.group()[1:], text)

    def _tokens(self, rendered: str) -> list[int]:
        add_bos = self._wants_bos(rendered)
        if self._marked is None or _MARK not in rendered:
            return self._tokeniser.tokenise(rendered.replace(_MARK, ""), specials=True, add_bos=add_bos)
        tokens: list[int] = []
        at = 0
        for found in self._marked.finditer(rendered):
            before = rendered[at : found.start()].replace(_MARK, "")
            tokens += self._tokeniser.tokenise(before, specials=True, add_bos=add_bos and not tokens)
            tokens += self._tokeniser.tokenise(found.group().replace(_MARK, ""), specials=False, add_bos=False)
            at = found.end()
        return tokens + self._tokeniser.tokenise(rendered[at:].replace(_MARK, ""), specials=True, add_bos=False)

    def _wants_bos(self, text: str) -> bool:
        """Many templates write the begin token themselves; two of them harm the answer."""
        begin = self._tokeniser.token_text(self._tokeniser.bos)
        return self._tokeniser.adds_bos and not (begin and text.startswith(begin))


def empty_prompt() -> UserError:
    """The error for nothing to answer."""
    return UserError("empty_prompt", "There is nothing to answer: the prompt is empty.", "Write something first.")


def prompt_too_long(tokens: str, room: int) -> UserError:
    """The error for a text of so many `tokens` (in words or digits) in a context of `room`."""
    return UserError(
        "prompt_too_long",
        f"The text has {tokens} tokens, but the context holds {room:,}.",
        "Shorten it, start a new chat, or load the model with a longer context.",
    )


def _template_failed(reason: str) -> UserError:
    return UserError(
        "template_failed",
        f"The model's chat template refuses this conversation: {reason}",
        "Start a new chat, or remove the system prompt.",
    )


def _any_of(texts: Iterable[str]) -> str:
    """A regular expression for the longest of `texts` at a place.

    It branches like a tree: of thousands of texts in a row, every one would be tried at every "<".
    """
    groups: dict[str, list[str]] = {}
    for text in texts:
        groups.setdefault(text[:1], []).append(text)
    end = "?" if groups.pop("", None) else ""
    branches = []
    for group in groups.values():
        stem = os.path.commonprefix(group)  # noqa: RUF071 (characters are meant)
        branches.append(re.escape(stem) + _any_of(text[len(stem) :] for text in group))
    return f"(?:{'|'.join(branches)}){end}" if branches else ""


def _without_system(messages: list[dict[str, str]]) -> list[dict[str, str]] | None:
    """Templates without a system role: its text in front of the first question. None if that changes nothing."""
    if len(messages) < 2 or messages[0]["role"] != "system" or messages[1]["role"] != "user":
        return None
    first = {"role": "user", "content": f"{messages[0]['content']}\n\n{messages[1]['content']}"}
    return [first, *messages[2:]]


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
