"""The hub client: listings, search, and a sentence for everything that can go wrong before the first byte."""

import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from app.core.errors import AppError
from app.hub.download import Hub, HubSettings
from app.hub.faults import Cause, Interrupted, Trouble, explain, explain_disk
from app.hub.remote import RemoteFile
from tests.helpers.fake_hub import COMMIT, GOOD, LOGIN_PAGE, POOR, FakeHub, Stall, Status

DATA = b"x" * 1000


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    with FakeHub() as fake:
        fake.add("org/Model-GGUF", {"model-Q8_0.gguf": DATA, "README.md": b"hello"}, licence="mit")
        yield fake


def client(endpoint: str, token: str = "", *, offline: bool = False) -> Hub:
    return Hub(HubSettings(endpoint, offline), lambda _: token)


def refusal(hub: Hub, repo: str = "org/Model-GGUF", revision: str = "main") -> AppError:
    with pytest.raises(AppError) as caught:
        hub.listing(repo, revision)
    assert caught.value.sentence.endswith(".")
    return caught.value


def test_a_listing_pins_the_commit(hub: FakeHub) -> None:
    listing = client(hub.url).listing("org/Model-GGUF")
    assert (listing.revision, listing.gated, listing.licence) == (COMMIT, False, "mit")
    model, readme = listing.files
    assert model.name == "model-Q8_0.gguf"
    assert (model.size, len(model.sha256)) == (1000, 64)
    assert readme == RemoteFile(name="README.md", size=5, sha256="")
    assert client(hub.url).listing("org/Model-GGUF", COMMIT) == listing


def test_a_search(hub: FakeHub) -> None:
    hub.add("other/thing", {})
    (found,) = client(hub.url).search("model")
    assert (found.repo, found.gated) == ("org/Model-GGUF", False)
    assert client(hub.url).search("no such words") == ()
    assert "filter=gguf" in hub.log[-1].path


def test_access(hub: FakeHub) -> None:
    hub.repos["org/Model-GGUF"].private = True
    anonymous = refusal(client(hub.url))
    assert anonymous.code == "repository_not_found"
    assert "needs a token" in anonymous.hint
    assert refusal(client(hub.url, POOR)).code == "repository_not_found"
    assert client(hub.url, GOOD).listing("org/Model-GGUF").files
    assert refusal(client(hub.url, "wrong")).code == "token_refused"


def test_not_there_and_not_a_name(hub: FakeHub) -> None:
    assert refusal(client(hub.url), "org/nothing").code == "repository_not_found"
    assert refusal(client(hub.url), revision="old").code == "revision_not_found"
    for name in ("a/b/c", "no spaces please", "", "https://huggingface.co/org/model"):
        assert refusal(client(hub.url), name).code in ("bad_repository", "repository_not_found"), name


@pytest.mark.parametrize(
    ("status", "headers", "code", "words"),
    [
        (429, (("Retry-After", "120"),), "rate_limited", "120 seconds"),
        (500, (), "hub_error", "Try again later"),
        (503, (), "hub_error", "Try again later"),
        (403, (), "forbidden", "to see why"),
        (407, (), "proxy", "proxy settings"),
        (418, (), "hub_error", "Try again later"),
    ],
)
def test_statuses(hub: FakeHub, status: int, headers: tuple[tuple[str, str], ...], code: str, words: str) -> None:
    hub.api_faults = [Status(status, headers)]
    error = refusal(client(hub.url))
    assert error.code == code
    assert words in error.hint


def test_a_page_instead_of_data(hub: FakeHub) -> None:
    hub.api_faults = [LOGIN_PAGE]
    assert refusal(client(hub.url)).code == "hub_garbled"


def test_offline_mode_sends_nothing(hub: FakeHub) -> None:
    offline = client(hub.url, offline=True)
    assert refusal(offline).code == "offline"
    with pytest.raises(AppError, match="Offline mode"):
        offline.locate("org/Model-GGUF", "model-Q8_0.gguf", "main")
    with pytest.raises(AppError, match="Offline mode"):
        offline.search("model")
    assert hub.log == []


def test_a_dead_endpoint_is_said_within_seconds() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    start = time.monotonic()
    assert refusal(client(f"http://127.0.0.1:{port}")).code == "hub_down"
    with pytest.raises(Interrupted):
        client(f"http://127.0.0.1:{port}").locate("org/model", "x.gguf", "main")
    assert time.monotonic() - start < 5


def test_an_endpoint_that_takes_the_connection_and_says_nothing(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.hub.download.READ_S", 0.3)
    hub.api_faults = [Stall(0, 5.0)]
    assert refusal(client(hub.url)).code == "hub_slow"


def test_an_endpoint_that_does_not_even_take_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.hub.download.CONNECT_S", 0.3)
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        # Whoever comes after the queue is full gets no answer.
        queue = [socket.socket() for _ in range(4)]
        for waiting in queue:
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        error = refusal(client(f"http://127.0.0.1:{full.getsockname()[1]}"))
        for waiting in queue:
            waiting.close()
    assert error.code in ("hub_down", "hub_slow")


def test_a_name_that_does_not_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(variable, raising=False)
    script = (
        "from app.hub.download import Hub, HubSettings\n"
        "from app.core.errors import AppError\n"
        "try: Hub(HubSettings('http://no-such-host.invalid')).listing('a/b')\n"
        "except AppError as error: print(error.code)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "no_network"


def test_a_certificate_nobody_knows(tmp_path: Path) -> None:
    if subprocess.run(["openssl", "version"], capture_output=True, check=False).returncode:
        pytest.skip("openssl is not installed")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-keyout",
            str(key),
            "-out",
            str(certificate),
            *subject,
        ],
        capture_output=True,
        check=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                try:
                    context.wrap_socket(connection, server_side=True).close()
                except (ssl.SSLError, OSError):
                    return

        thread = threading.Thread(target=serve)
        thread.start()
        error = refusal(client(f"https://127.0.0.1:{server.getsockname()[1]}"))
        thread.join()
    assert error.code == "certificate"
    assert "not trusted" in error.sentence


def test_the_token_is_in_no_message(hub: FakeHub) -> None:
    secret = "hf_very_secret"
    for fault in (Status(403), Status(500), Status(401), LOGIN_PAGE):
        hub.api_faults = [fault]
        error = refusal(client(hub.url, secret))
        assert secret not in f"{error.sentence}{error.hint}{error.detail}"


def test_every_cause_has_its_own_sentence() -> None:
    said = {
        explain(Trouble(cause, "https://hub.example", "org/m", "f.gguf", 418)).sentence for cause in get_args(Cause)
    }
    assert len(said) == len(get_args(Cause))


@pytest.mark.parametrize(
    ("number", "code"),
    [(28, "disk_full"), (13, "folder_read_only"), (30, "folder_read_only"), (27, "file_too_large"), (5, "disk_error")],
)
def test_disk_errors(number: int, code: str) -> None:
    error = explain_disk(OSError(number, "what the system says"), "/some/where")
    assert error.code == code
    assert error.hint
