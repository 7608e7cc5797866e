"""The tiny models of `hybrid_kit` as files, written once for all tests."""

from pathlib import Path

import pytest

from tests.helpers import gguf_kit, hybrid_kit


@pytest.fixture(scope="session")
def tiny(demo_draft: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Architecture -> file; "bigrams" is a draft model for all of them."""
    vocabulary = gguf_kit.load(demo_draft)
    folder = tmp_path_factory.mktemp("tiny models")
    makers = {**hybrid_kit.KEEPING_STATE, "hy_v3": hybrid_kit.hy_v3, "bigrams": hybrid_kit.bigrams}
    return {name: make(vocabulary).write(folder / f"{name}.gguf") for name, make in makers.items()}
