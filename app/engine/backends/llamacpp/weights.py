"""A model file in memory, with its vocabulary."""

import ctypes
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import jinja2

from app.core.errors import CancelledByUser, EngineFault, UserError
from app.core.thinking import HARMONY_CONTROLS, VISIBLE_CONTROLS
from app.engine.backends.llamacpp import huge_pages, library
from app.engine.backends.llamacpp.binding import Jinja2ChatFormatter, native
from app.engine.cancel import CancelFlag

VOCABULARY_TYPES = {0: "none", 1: "SPM", 2: "BPE", 3: "WPM", 4: "UGM", 5: "RWKV", 6: "PLaMo-2"}
_CONTROL = native.LLAMA_TOKEN_ATTR_CONTROL | native.LLAMA_TOKEN_ATTR_UNKNOWN
_REASON = "error loading model: "
_UNKNOWN = re.compile(r"unknown (model (?P<what>architecture)|(pre-)?tokenizer( type)?): '(?P<name>.*)'")

LoadProgress = Callable[[float], None]
LoadMode = Literal["whole", "vocabulary", "rehearsal"]
"""What is read: everything; header and vocabulary; or all but the weights, as if there were memory for them."""


class Weights:
    """A model file in memory, with its vocabulary.

    Args:
        path: A GGUF file whose header was already found good.
        gpu_layers: Layers to keep on the accelerator.
        progress: Told the loaded share, 0 to 1.
        cancel: Checked while loading.
        heads: Read the extra prediction heads too; the file must have them.
        mode: How much to read; only with "whole" can anything be computed.

    Raises:
        CancelledByUser: `cancel` was set.
        UserError: the library refuses the file.
    """

    def __init__(
        self,
        path: Path,
        gpu_layers: int,
        progress: LoadProgress,
        cancel: CancelFlag,
        *,
        heads: bool = False,
        mode: LoadMode = "whole",
    ) -> None:
        library.start()
        parameters = native.llama_model_default_params()
        parameters.n_gpu_layers = gpu_layers
        parameters.load_mtp = heads
        parameters.vocab_only = mode == "vocabulary"
        if mode == "rehearsal":
            parameters.no_alloc = True
            parameters.load_mode = native.LLAMA_LOAD_MODE_NONE  # the library insists
        self.mapped = mode != "whole" or gpu_layers > 0 or bool(library.devices()) or not huge_pages.copy_pays(path)
        if not self.mapped:
            parameters.load_mode = native.LLAMA_LOAD_MODE_NONE
        pages = huge_pages.Asker()

        def report(share: float, _data: object) -> bool:
            pages.ask()  # by now all memory is taken, and nothing is read
            progress(share)
            return not cancel.is_set()

        hook = native.llama_progress_callback(report)
        parameters.progress_callback = hook
        library.native_log.since()
        self._model: Any = native.llama_model_load_from_file(_file_name(path), parameters)
        if not self._model:
            if cancel.is_set():
                raise CancelledByUser
            raise _refused(path, library.native_log.since())
        self.path = path
        self.gpu_layers = gpu_layers
        self.with_heads = heads
        self._vocab: Any = native.llama_model_get_vocab(self._model)
        self.n_vocab = int(native.llama_vocab_n_tokens(self._vocab))
        self._pieces: dict[int, bytes] = {}
        self._buffer = ctypes.create_string_buffer(64)  # for a piece
        # User-defined tokens are none of these: they are split off from any text, whoever wrote it.
        special = [t for t in range(self.n_vocab) if native.llama_vocab_get_attr(self._vocab, t) & _CONTROL]
        self.special_texts = tuple(text for text in map(self.token_text, special) if text)
        self._shown_controls = _shown(dict(zip(special, map(self.token_text, special), strict=True)))
        # A file may name an ordinary token as its end.
        ends = {*special, self.eos, int(native.llama_vocab_eot(self._vocab))}
        self.end_tokens = frozenset(t for t in ends if t >= 0 and native.llama_vocab_is_eog(self._vocab, t))

    def close(self) -> None:
        """Free the memory. Twice is fine."""
        if self._model:
            native.llama_model_free(self._model)
            self._model = None

    # facts

    @property
    def handle(self) -> Any:
        """The native model, for contexts."""
        return self._model

    @property
    def memory(self) -> Literal["attention", "recurrent", "hybrid"]:
        """What its cache is made of."""
        if native.llama_model_is_hybrid(self._model):
            return "hybrid"
        return "recurrent" if native.llama_model_is_recurrent(self._model) else "attention"

    @property
    def can_truncate(self) -> bool:
        """Whether a cache of this model can be cut: not with recurrent state."""
        return self.memory == "attention"

    @property
    def parameters(self) -> int:
        return int(native.llama_model_n_params(self._model))

    @property
    def size_bytes(self) -> int:
        return int(native.llama_model_size(self._model))

    @property
    def context_trained(self) -> int:
        return int(native.llama_model_n_ctx_train(self._model))

    @property
    def layers(self) -> int:
        return int(native.llama_model_n_layer(self._model))

    @property
    def vocabulary_type(self) -> str:
        return VOCABULARY_TYPES.get(int(native.llama_vocab_type(self._vocab)), "unknown")

    def meta(self, key: str) -> str:
        """A value of the file's metadata as text, "" if there is none."""
        size = native.llama_model_meta_val_str(self._model, key.encode(), None, 0)
        if size < 0:
            return ""
        buffer = ctypes.create_string_buffer(size + 1)
        native.llama_model_meta_val_str(self._model, key.encode(), buffer, size + 1)
        return buffer.value.decode("utf-8", "replace")

    # vocabulary

    @property
    def adds_bos(self) -> bool:
        return bool(native.llama_vocab_get_add_bos(self._vocab))

    @property
    def adds_eos(self) -> bool:
        return bool(native.llama_vocab_get_add_eos(self._vocab))

    @property
    def bos(self) -> int:
        """Id of the begin-of-sequence token, -1 if there is none."""
        return int(native.llama_vocab_bos(self._vocab))

    @property
    def eos(self) -> int:
        return int(native.llama_vocab_eos(self._vocab))

    def token_text(self, token: int) -> str:
        """The entry of the vocabulary, "" for no such token."""
        if not 0 <= token < self.n_vocab:
            return ""
        text: bytes | None = native.llama_vocab_get_text(self._vocab, token)
        return (text or b"").decode("utf-8", "replace")

    def piece(self, token: int) -> bytes:
        """What a token adds to the visible text; b"" for control tokens that do not mark thinking."""
        known = self._pieces.get(token)
        if known is None:
            known = self._pieces[token] = self._read_piece(token)
        return known

    def _read_piece(self, token: int) -> bytes:
        shown = token in self._shown_controls
        while True:
            buffer, size = self._buffer, len(self._buffer)
            written = native.llama_token_to_piece(self._vocab, token, buffer, size, 0, shown)
            if written >= 0:
                return buffer.raw[:written]
            self._buffer = ctypes.create_string_buffer(-written)

    def tokenise(self, text: str, *, specials: bool, add_bos: bool) -> list[int]:
        """Token ids of `text`. `specials`: control tokens written in it are understood as such."""
        data = text.encode("utf-8", "replace")
        size = len(data) + 8
        buffer = (native.llama_token * size)()
        # The library's own switch for the begin token would also add the end token, where a file says so.
        count = native.llama_tokenize(self._vocab, data, len(data), buffer, size, False, specials)  # noqa: FBT003 (native)
        if count < 0:
            raise EngineFault("tokenise_failed", "The text could not be split into tokens.", detail=f"{count}")
        begin = [self.bos] if add_bos and self.bos >= 0 else []
        return begin + list(buffer[:count])

    def template(self) -> str:
        """The chat template of the file, "" if it has none."""
        text: bytes | None = native.llama_model_chat_template(self._model, None)
        return (text or b"").decode("utf-8", "replace")

    def formatter(self, template: str) -> Callable[[list[Any]], str]:
        """A function that renders messages with `template` in llama-cpp-python's sandbox.

        Raises:
            Exception: whatever the template engine says about a template that does not parse.
        """
        if any(kind == "operator" and value == "**" for _, kind, value in jinja2.Environment().lex(template)):
            # Constants are computed when it is parsed, and 9**9**9 keeps the process for hours where nothing stops it.
            raise ValueError("it computes powers")
        render = Jinja2ChatFormatter(
            template=template, eos_token=self.token_text(self.eos), bos_token=self.token_text(self.bos)
        )

        def text(messages: list[Any]) -> str:
            return str(render(messages=messages).prompt)

        return text


def _shown(controls: dict[int, str]) -> frozenset[int]:
    """Control tokens that mark thinking."""
    marks = VISIBLE_CONTROLS | (HARMONY_CONTROLS if set(controls.values()) >= HARMONY_CONTROLS else frozenset())
    return frozenset(token for token, text in controls.items() if text in marks)


def _file_name(path: Path) -> bytes:
    return str(path).encode("utf-8") if sys.platform == "win32" else str(path).encode("utf-8", "surrogateescape")


def _refused(path: Path, detail: str) -> UserError:
    reason = next((line.split(_REASON, 1)[1].strip() for line in detail.splitlines() if _REASON in line), "")
    unknown = _UNKNOWN.search(reason)
    if unknown is not None:
        name = unknown["name"]
        what = f'is a "{name}" model' if unknown["what"] == "architecture" else f'splits text by rules ("{name}")'
        return UserError(
            f"unsupported_{unknown['what'] or 'tokenizer'}",
            f"{path.name} {what}, which this engine does not know.",
            "Update Outpace, or choose another model.",
            detail,
        )
    return UserError(
        "load_refused",
        f"The engine cannot load {path.name}{f': {reason}' if reason else ''}.",
        "The file may be damaged: download it again, or choose another one.",
        detail,
    )
