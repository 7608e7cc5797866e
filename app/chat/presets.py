"""Ways to answer that were given a name, and what new chats with a model begin with."""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path

from app.chat.options import ChatOptions, Overflow
from app.chat.whole_file import write_whole
from app.core.errors import AppError, EnvironmentFault, UserError
from app.core.plain import PlainError, from_plain, to_plain
from app.protocol.options import SamplingOptions, SpeculationOptions

_FORMAT, _VERSION = "outpace-preset", 1
_MOST_BYTES = 1024 * 1024
_LONGEST_NAME = 60
MAX_PRESETS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """System prompt, sampling, speculation and what happens when the context is full."""

    name: str = ""
    system: str = ""
    sampling: SamplingOptions = field(default_factory=SamplingOptions)
    speculation: SpeculationOptions = field(default_factory=lambda: SpeculationOptions(drafter="mixed"))
    overflow: Overflow = "ask"

    def check(self) -> None:
        """Raise `UserError` with a sentence for the first setting that makes no sense."""
        self.sampling.check()
        self.speculation.check()

    def applied(self, options: ChatOptions) -> ChatOptions:
        """A chat's options with everything this says."""
        return replace(
            options,
            system=self.system,
            sampling=self.sampling,
            speculation=replace(self.speculation, explicit=False),
            overflow=self.overflow,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelDefaults:
    """What new chats with a target begin with; `target` is an absolute path."""

    target: str
    preset: Preset


@dataclass(frozen=True, slots=True, kw_only=True)
class Presets:
    """All of them, by name; and the defaults of models."""

    presets: tuple[Preset, ...] = ()
    defaults: tuple[ModelDefaults, ...] = ()

    def find(self, name: str) -> Preset | None:
        """The preset of this name."""
        return next((preset for preset in self.presets if preset.name == name), None)

    def with_preset(self, preset: Preset) -> "Presets":
        """A copy with it; one of the same name goes."""
        others = [known for known in self.presets if known.name != preset.name][: MAX_PRESETS - 1]
        return replace(self, presets=tuple(sorted([*others, preset], key=lambda known: known.name.casefold())))

    def without(self, name: str) -> "Presets":
        """A copy without the preset of this name."""
        return replace(self, presets=tuple(known for known in self.presets if known.name != name))

    def default_for(self, target: str) -> Preset | None:
        """What new chats with this target begin with, None where nobody said."""
        return next((known.preset for known in self.defaults if known.target == target), None)

    def with_default(self, target: str, preset: Preset | None) -> "Presets":
        """A copy in which new chats with this target begin with `preset`, or as others do."""
        others = tuple(known for known in self.defaults if known.target != target)
        mine = () if preset is None else (ModelDefaults(target=target, preset=preset),)
        return replace(self, defaults=(*mine, *others)[:MAX_PRESETS])


def named(name: str) -> str:
    """A name as it is kept: one line, not too long; "" for none."""
    return " ".join(name.split())[:_LONGEST_NAME]


def export_preset(preset: Preset, path: Path) -> None:
    """Write it as JSON.

    Raises:
        EnvironmentFault: it cannot be written; a file that was there is as it was.
    """
    body = {"format": _FORMAT, "version": _VERSION, **to_plain(preset)}
    write_whole(path, json.dumps(body, indent=1, ensure_ascii=False) + "\n")


def import_preset(path: Path) -> Preset:
    """Read what `export_preset` wrote; without a name it gets that of the file.

    Raises:
        UserError: it is no preset, or one with settings that make no sense.
        EnvironmentFault: it cannot be read.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UserError("not_imported", f"{path.name} is too large for a preset.")
        body = json.loads(path.read_bytes())
        if not isinstance(body, dict) or body.get("format") != _FORMAT:
            raise PlainError("no preset of ours")
        preset = from_plain(Preset, body, path.name)
        assert isinstance(preset, Preset)  # from_plain builds what it is told to
        preset.check()
    except OSError as error:
        sentence = f"{path.name} cannot be read ({error.strerror or error})."
        raise EnvironmentFault("not_imported", sentence, detail=repr(error)) from error
    except AppError:
        raise
    except (ValueError, RecursionError) as error:
        hint = "Choose a JSON file that Outpace exported as a preset."
        raise UserError("not_imported", f"{path.name} is no preset of Outpace.", hint, str(error)) from error
    return replace(preset, name=named(preset.name) or named(path.stem))
