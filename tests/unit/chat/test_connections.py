"""Connections, what stands for their models, their keys, and the badge of a server."""

import pytest

from app.chat.answer import Answer
from app.chat.connections import Connection, Connections, is_remote, parts_of, shown_name, target_of
from app.chat.conversation import Conversation, Message
from app.chat.overflow import without_oldest
from app.chat.remote_badge import describe
from app.core.errors import EnvironmentFault, UserError
from app.hub.server_keys import ServerKeys
from app.protocol.messages import Delta, Piece
from app.protocol.options import SpeculationOptions
from app.protocol.servers import ServerFacts
from app.protocol.stats import GenerationStats, SpeculationState


@pytest.mark.parametrize("model", ["demo+draft", "org/model:8b", "m ö/ä %2F", "server:x/y"])
def test_what_stands_for_a_model_can_be_taken_apart(model: str) -> None:
    target = target_of("abc", model)
    assert is_remote(target)
    assert parts_of(target) == ("abc", model)
    assert shown_name(target) == model


def test_files_are_no_models_on_servers() -> None:
    assert parts_of("/models/server:x.gguf") == ("", "")
    assert shown_name("/models/llama.gguf") == "llama.gguf"


def test_links_go_with_what_they_link_to() -> None:
    one, two = Connection(id="1", address="a", linked="2", linked_model="m"), Connection(id="2", address="b")
    left = Connections(servers=(one, two)).without("2")
    assert left.servers == (Connection(id="1", address="a"),)


@pytest.mark.parametrize("connection", [Connection(id="x"), Connection(id="x", address="a", first_s=0)])
def test_what_makes_no_sense_is_refused(connection: Connection) -> None:
    with pytest.raises(UserError):
        connection.check()


def test_agreeing_to_plain_http_is_for_one_place() -> None:
    agreed = Connection(id="x", address="http://a.example.org", plain_http="http://a.example.org:80")
    assert not agreed.asks_first
    assert Connection(id="x", address="http://a.example.org:81", plain_http=agreed.plain_http).asks_first


def test_keys_without_a_keychain_last_for_the_session() -> None:
    keys = ServerKeys(None)
    keys.store("c", "http://a:1", " k ")
    assert keys.find("c", "http://a:1") == "k"
    assert keys.find("c", "http://a:2") == ""
    assert keys.find("d", "http://a:1") == ""
    assert ServerKeys(None).find("c", "http://a:1") == ""
    with pytest.raises(UserError):
        keys.store("c", "http://a:1", "two words")


def test_a_keychain_that_refuses_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def get_password(self, service: str, name: str) -> str | None:
            raise OSError("locked")

        set_password = delete_password = get_password

    keys = ServerKeys(Broken())  # type: ignore[arg-type]
    assert keys.find("c", "o") == ""
    with pytest.raises(EnvironmentFault):
        keys.store("c", "o", "k")
    assert keys.find("c", "o") == "k"
    monkeypatch.setenv("A_KEY", "from the environment")
    assert keys.find("c", "o", "A_KEY") == "from the environment"


SERVER = ServerFacts(name="Box", origin="http://box:1", kind="llama_server", speculation="on", drafter="ngram")


def badge(stats: GenerationStats, state: SpeculationState):
    return describe(SERVER, SpeculationOptions(), Message(role="assistant", stats=stats, speculation=state))


def test_the_badge_before_the_first_answer() -> None:
    view = describe(SERVER, SpeculationOptions(drafter="mixed"), None)
    assert (view.state, view.parts) == ("idle", ("Box", "n-gram"))


def test_zero_drafted_tokens_never_look_active() -> None:
    view = badge(GenerationStats(generated_tokens=9), SpeculationState(state="idle", reason="nothing"))
    assert (view.state, view.parts) == ("idle", ("nothing drafted", "Box"))


def test_unknown_is_a_dash_with_its_reason() -> None:
    stats = GenerationStats(
        generated_tokens=64, passes=20, unknown={"proposed": "x", "accepted": "never counted", "verified": "x"}
    )
    view = badge(stats, SpeculationState(state="active"))
    assert view.parts[0] == "- accepted"
    assert "Accepted: - (never counted)" in view.tooltip


def test_a_chat_with_a_server_of_unknown_context_can_go_on_without_its_oldest_messages() -> None:
    conversation = Conversation()
    for number in range(6):
        conversation = conversation.with_message(
            Message(role="user", text=f"Question {number} " * 400, parent=conversation.tip)
        )
        conversation = conversation.with_message(
            Message(role="assistant", text="Answer " * 400, parent=conversation.tip)
        )
    shorter, count = without_oldest(conversation, 0)
    assert 0 < count < 12
    assert len(shorter.turns()) < len(conversation.turns())


def test_unknown_tokens_of_servers_are_not_kept() -> None:
    answer = Answer(Message(role="assistant", status="streaming"))
    answer.add(
        Delta(id="x", pieces=(Piece(text="Hi", source="target"),), tokens=(-1,), sources=("target",), lengths=(2,))
    )
    answer.cancel()
    assert answer.message().tokens == ()
    assert answer.message().text == "Hi"
