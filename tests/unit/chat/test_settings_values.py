import pytest

from app.chat.settings import MAX_RECENT, LoadOptions, Pair, Settings
from app.core.errors import UserError
from app.core.plain import from_plain, to_plain


def pair(name: str, draft: str = "") -> Pair:
    return Pair(target=f"/models/{name}.gguf", draft=draft)


def test_recent_models_are_newest_first_each_once_and_limited() -> None:
    settings = Settings()
    for number in range(15):
        settings = settings.with_loaded(pair(str(number)))
    settings = settings.with_loaded(pair("9", "/models/d.gguf"))
    assert len(settings.recent) == MAX_RECENT
    assert settings.recent[0] == settings.last == pair("9", "/models/d.gguf")
    assert len({known.target for known in settings.recent}) == MAX_RECENT


def test_the_demo_pair_is_not_among_them() -> None:
    settings = Settings().with_loaded(pair("a")).with_loaded(None)
    assert settings.last is None
    assert settings.recent == (pair("a"),)


def test_a_target_remembers_its_draft() -> None:
    settings = Settings().with_loaded(pair("a", "/models/d.gguf")).with_loaded(pair("b"))
    assert settings.pair_for("/models/a.gguf") == Pair(target="/models/a.gguf", draft="/models/d.gguf")
    assert settings.pair_for("/models/c.gguf") == Pair(target="/models/c.gguf")


def test_they_survive_being_written() -> None:
    settings = Settings(theme="dark", load=LoadOptions(gpu_layers=12)).with_loaded(pair("a"))
    assert from_plain(Settings, to_plain(settings), "settings") == settings


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (LoadOptions(context=-1), "The context length cannot be -1."),
        (LoadOptions(threads=100_000), "The number of threads cannot be 100000."),
        (LoadOptions(gpu_layers=-5), "The number of GPU layers cannot be -5."),
    ],
)
def test_silly_load_options(options: LoadOptions, sentence: str) -> None:
    with pytest.raises(UserError) as caught:
        options.check()
    assert caught.value.sentence == sentence
    assert caught.value.hint.startswith("It must be from 0 to")
