"""Pairs with the costs of real models and the text of the demo pair, made on any machine without a download.

The demo target is inflated without changing what it computes (up to rounding): the width is padded with zeros, the
weights of the norms rescaled by sqrt(old / new) and their epsilon by old / new; extra heads and hidden units end in
zero columns; extra layers have zero output projections. Every product then costs what it would in a model of that size.
The prediction head of the target grows with it.

    python benchmarks/pair.py [--folder DIR] [--targets 0.3b,1.1b] [--types f16,q8_0,q4_k_m]
"""

import argparse
import ctypes
import sys
from collections.abc import Callable
from pathlib import Path

import platformdirs

ROOT = Path(__file__).resolve().parents[1]
DEMO = ROOT / "resources" / "demo"
TARGET_FILE = DEMO / "outpace-demo-target-q8_0.gguf"
DRAFT_FILE = DEMO / "outpace-demo-draft-q8_0.gguf"
VERSION = 2

Shape = tuple[int, int, int]
"""Width, hidden units, layers."""
TARGETS: dict[str, Shape] = {"0.3b": (1024, 2816, 24), "1.1b": (2048, 5632, 22)}
DRAFTS = {
    ("0.3b", "1/20"): (384, 1024, 8),
    ("0.3b", "1/100"): (192, 512, 4),
    ("1.1b", "1/20"): (640, 1728, 10),
    ("1.1b", "1/100"): (320, 864, 8),
}
AS_IT_IS = "demo"
"""A size that stands for the demo pair itself."""
TYPES = ("f16", "q8_0", "q4_k_m")
_Q4_K_M = 15  # LLAMA_FTYPE_MOSTLY_Q4_K_M


def folder() -> Path:
    """Where inflated models are kept between runs."""
    return Path(platformdirs.user_cache_dir("outpace", appauthor=False)) / "benchmarks"


def target(size: str, kind: str, where: Path | None = None) -> Path:
    """The demo target inflated to `size`, stored as `kind`; made at the first call."""
    if size == AS_IT_IS:
        return TARGET_FILE
    where = where or folder()
    if kind == "q4_k_m":
        return _made(
            where / f"target-{size}-q4_k_m-v{VERSION}.gguf",
            lambda out: _quantise(target(size, "f16", where), out),
        )
    return _made(
        where / f"target-{size}-{kind}-v{VERSION}.gguf", lambda out: _inflate(TARGET_FILE, out, TARGETS[size], kind)
    )


def draft(size: str, ratio: str, where: Path | None = None, *, unrelated: bool = False) -> Path:
    """A Q8_0 draft of 1/20 or 1/100 of `size`; `unrelated` weights make one that is nearly always wrong."""
    if size == AS_IT_IS:
        return DRAFT_FILE
    where = where or folder()
    name = f"draft-{size}-{ratio.replace('/', '_')}{'-unrelated' if unrelated else ''}-v{VERSION}.gguf"
    return _made(where / name, lambda out: _inflate(DRAFT_FILE, out, DRAFTS[size, ratio], "q8_0", unrelated=unrelated))


def _made(path: Path, make: Callable[[Path], None]) -> Path:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        print(f"making {path.name} ...", file=sys.stderr, flush=True)
        part = path.with_suffix(".part")
        make(part)
        part.replace(path)
    return path


def _inflate(source: Path, out: Path, shape: Shape, kind: str, *, unrelated: bool = False) -> None:
    try:
        import inflate
    except ImportError:
        sys.exit("Making a pair needs the package gguf: uv sync --inexact --group bench")
    inflate.inflate(source, out, inflate.Shape(*shape), kind, unrelated=unrelated)


def _quantise(source: Path, out: Path) -> None:
    import llama_cpp.llama_cpp as native

    options = native.llama_model_quantize_default_params()
    options.ftype = _Q4_K_M
    options.nthread = 2
    result = native.llama_model_quantize(str(source).encode(), str(out).encode(), ctypes.byref(options))
    if result != 0:
        raise RuntimeError(f"llama_model_quantize returned {result} for {source.name}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=folder())
    parser.add_argument("--targets", default="0.3b,1.1b")
    parser.add_argument("--types", default=",".join(TYPES))
    options = parser.parse_args()
    for size in options.targets.split(","):
        for kind in options.types.split(","):
            print(target(size, kind, options.folder))
        for ratio in ("1/20", "1/100"):
            for unrelated in (False, True):
                print(draft(size, ratio, options.folder, unrelated=unrelated))


if __name__ == "__main__":
    main()
