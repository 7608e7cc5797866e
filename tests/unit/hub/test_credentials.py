"""Tokens: by host, only readable for their owner, never in a log."""

import json
import os
import stat
import threading
from pathlib import Path

import pytest

from app.core import log
from app.core.errors import EnvironmentFault, UserError
from app.hub.credentials import Credentials
from app.hub.keychain import KeychainError, SystemKeychain

HUB, MIRROR = "https://huggingface.co", "https://mirror.example:8443/hf"
TOKEN = "hf_secretsecretsecret"


class MemoryKeychain:
    exists = True

    def __init__(self) -> None:
        self.secrets: dict[tuple[str, str], str] = {}
        self.locked = False

    def _check(self) -> None:
        if self.locked:
            raise RuntimeError("the collection is locked")

    def get_password(self, service: str, name: str) -> str | None:
        self._check()
        return self.secrets.get((service, name))

    def set_password(self, service: str, name: str, secret: str) -> None:
        self._check()
        self.secrets[service, name] = secret

    def delete_password(self, service: str, name: str) -> None:
        self._check()
        del self.secrets[service, name]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config é" / "tokens.json"


def test_without_a_keychain_the_file_is_for_its_owner_only(file: Path) -> None:
    credentials = Credentials(file, None)
    assert credentials.token_for(HUB) == ""
    credentials.store(HUB, f" {TOKEN}\n")
    assert credentials.token_for(HUB) == TOKEN
    assert credentials.token_for(MIRROR) == ""
    assert str(file) in credentials.place
    if os.name == "posix":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        file.chmod(0o644)
        assert Credentials(file, None).token_for(HUB) == TOKEN
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    credentials.store(HUB, "")
    assert credentials.token_for(HUB) == ""
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_a_token_belongs_to_one_host(file: Path) -> None:
    credentials = Credentials(file, None)
    credentials.store(HUB, TOKEN)
    credentials.store(MIRROR, "other")
    assert credentials.token_for(HUB + "/") == TOKEN
    assert credentials.token_for("https://user:pw@HuggingFace.co") == TOKEN
    assert credentials.token_for(MIRROR) == "other"
    assert credentials.token_for("https://huggingface.co.evil.example") == ""


def test_the_keychain_comes_first(file: Path) -> None:
    Credentials(file, None).store(HUB, "from the file".replace(" ", "-"))
    keychain = MemoryKeychain()
    credentials = Credentials(file, keychain)
    assert credentials.token_for(HUB) == "from-the-file"
    credentials.store(HUB, TOKEN)
    assert keychain.secrets == {("outpace", "huggingface.co"): TOKEN}
    assert json.loads(file.read_text()) == {}
    assert credentials.token_for(HUB) == TOKEN
    assert "keychain" in credentials.place
    credentials.store(HUB, "")
    credentials.store(HUB, "")
    assert keychain.secrets == {}


def test_a_locked_keychain_falls_back_to_the_file_and_nothing_is_logged_of_the_token(file: Path) -> None:
    ring = log.configure(None, "test")
    keychain = MemoryKeychain()
    keychain.locked = True
    credentials = Credentials(file, keychain)
    credentials.store(HUB, TOKEN)
    assert credentials.token_for(HUB) == TOKEN
    assert len(ring.lines) == 2
    assert not any(TOKEN in line for line in ring.lines)


@pytest.mark.parametrize("bad", ["two words", "tab\there", "ünïcode", "new\nline"])
def test_what_cannot_be_a_token(file: Path, bad: str) -> None:
    with pytest.raises(UserError, match="no spaces"):
        Credentials(file, None).store(HUB, bad)
    assert not file.exists()


@pytest.mark.parametrize("damage", ["{", "[]", '{"huggingface.co": 7}'])
def test_a_damaged_file_counts_as_empty(file: Path, damage: str) -> None:
    file.parent.mkdir()
    file.write_text(damage)
    credentials = Credentials(file, None)
    assert credentials.token_for(HUB) == ""
    credentials.store(HUB, TOKEN)
    assert credentials.token_for(HUB) == TOKEN


def test_a_token_that_cannot_be_kept(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(EnvironmentFault, match="cannot be kept"):
        Credentials(tmp_path / "taken" / "tokens.json", None).store(HUB, TOKEN)


# --- the keychain of the system ---------------------------------------------------------------------------------------


def test_a_system_without_a_keychain_uses_the_file(file: Path) -> None:
    keychain = SystemKeychain()  # the tests run with one of keyring's that keeps nothing
    credentials = Credentials(file, keychain)
    assert credentials.token_for(HUB) == ""
    assert not keychain.exists
    assert str(file) in credentials.place
    credentials.store(HUB, TOKEN)
    assert Credentials(file, SystemKeychain()).token_for(HUB) == TOKEN
    keychain.delete_password("outpace", "nothing")


def test_nothing_is_looked_up_before_it_is_needed() -> None:
    looked: list[object] = []
    keychain = SystemKeychain(lambda: looked.append(1))
    assert keychain.exists  # as far as one knows
    assert looked == []
    assert keychain.get_password("outpace", "a") is None
    assert keychain.get_password("outpace", "a") is None
    assert looked == [1]
    assert not keychain.exists


def test_a_working_keychain_keeps_and_forgets() -> None:
    memory = MemoryKeychain()
    keychain = SystemKeychain(lambda: memory)
    keychain.set_password("outpace", "host", TOKEN)
    assert keychain.get_password("outpace", "host") == TOKEN
    keychain.delete_password("outpace", "host")
    assert memory.secrets == {}
    memory.locked = True
    with pytest.raises(RuntimeError, match="locked"):
        keychain.get_password("outpace", "host")


class Waiting(MemoryKeychain):
    """Waits for somebody who never comes."""

    def __init__(self) -> None:
        super().__init__()
        self.come = threading.Event()
        self.asked = 0

    def _check(self) -> None:
        self.asked += 1
        self.come.wait()


def test_a_keychain_that_never_answers_holds_up_nobody(file: Path) -> None:
    waiting = Waiting()
    keychain = SystemKeychain(lambda: waiting, (5.0, 0.05, 0.05))
    credentials = Credentials(file, keychain)
    credentials.store(HUB, TOKEN)
    assert credentials.token_for(HUB) == TOKEN
    assert credentials.token_for(HUB) == TOKEN
    assert waiting.asked == 1  # once it has been silent it is left alone for a while
    with pytest.raises(KeychainError):
        keychain.get_password("outpace", "host")
    waiting.come.set()
    for thread in threading.enumerate():
        if thread.name == "keychain call":
            thread.join()


def test_a_system_that_never_says_whether_there_is_one_counts_as_one_without(file: Path) -> None:
    come = threading.Event()
    credentials = Credentials(file, SystemKeychain(come.wait, (0.05, 5.0, 5.0)))
    assert credentials.token_for(HUB) == ""
    credentials.store(HUB, TOKEN)
    assert credentials.token_for(HUB) == TOKEN
    assert str(file) in credentials.place
    come.set()
    for thread in threading.enumerate():
        if thread.name == "keychain call":
            thread.join()


def test_keyring_is_really_there() -> None:
    import keyring

    assert isinstance(keyring.get_keyring(), keyring.backends.null.Keyring)
