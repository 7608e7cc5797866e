"""Connections in the window: real widgets, a real engine process, replayed servers."""

import pytest
from PySide6.QtWidgets import QMessageBox

from app.chat.connections import Connection, target_of
from tests.helpers.replay_server import ReplayServer, Reply, as_json, as_stream, delta, recorded
from tests.helpers.servers_kit import MemoryKeychain, ServerRoom, server_rooms

KEY = "secret-key-for-tests"
ROUTED = {
    "demo": recorded("llama-server/router-chat-demo"),
    "demo+draft": recorded("llama-server/router-chat-demo-draft"),
}
VLLM = {"v1_models": recorded("vllm/draft-models")}


@pytest.fixture
def room(qtbot, qapp, tmp_path):
    """Makes rooms of one profile."""
    with server_rooms(qapp) as made:

        def make(keychain: MemoryKeychain | None = None) -> ServerRoom:
            made.append(ServerRoom(qtbot, tmp_path, keychain))
            return made[-1]

        yield make


def router() -> ReplayServer:
    return ReplayServer(lambda asked: ROUTED[asked.body["model"]], v1_models=recorded("llama-server/router-models"))


def test_the_switch_chooses_between_presets_of_a_router(room) -> None:
    with router() as server:
        here = room()
        here.start()
        here.add("The box", server.address)
        assert here.page.result.sentence.text().startswith("llama-server is ready with 2 models")
        here.use("demo")
        panel = here.window.panel.speculation
        assert panel.toggle.isEnabled()
        assert not panel._local.isVisibleTo(panel)
        here.controller.switch_speculation(True)
        here.ask("With drafts")
        badge = here.window.top.badge.view
        assert badge.state == "active"
        assert "The box" in badge.parts
        assert "82 % accepted" in badge.parts
        here.window.panel.speculation.toggle.click()
        here.ask("And without")
        assert here.window.top.badge.view.state == "off"
        assert [asked.body["model"] for asked in server.chats] == ["demo+draft", "demo"]
        texts = {message.text for message in here.controller.conversation.messages if message.role == "assistant"}
        assert len(texts) == 1
        # It did not tell token by token, so nobody knows which ones were drafted.
        assert here.controller.conversation.messages[1].token_counts == ()
        menu = here.window.top.model._menu
        here.window.top.model._fill_menu()
        assert any(action.menu() and action.text() == "The box" for action in menu.actions())


def test_what_is_not_known_is_said(room) -> None:
    with ReplayServer(recorded("vllm/plain-chat-stream"), **VLLM) as server:
        here = room()
        here.start()
        here.add("Rented", server.address)
        here.use("outpace-demo")
        panel = here.window.panel
        assert not panel.speculation.toggle.isEnabled()
        assert "--speculative-config" in panel.speculation.remote.command.toPlainText()
        assert not panel.sampling.numbers["temperature"].toolTip().startswith("vLLM")
        here.ask("Anything")
        view = here.window.top.badge.view
        assert view.parts == ("speculation not told", "Rented")
        assert "--per-request-spec-decode-metrics" in view.tooltip
        figures = panel.last_answer.figures
        assert (figures.value("accepted"), figures.value("per_pass")) == ("-", "-")
        assert "without figures per answer" in figures._values["accepted"].toolTip()
        assert figures.value("prompt") == "20"
        assert figures._values["prompt"].toolTip() == "from the server"


def test_states_are_words_and_a_broken_answer_is_kept(room) -> None:
    torn = as_stream(delta("Half an "), delta("answer"), ending="torn")
    with (
        ReplayServer(v1_models=recorded("llama-server/key-models-open")) as locked,
        ReplayServer(v1_models=recorded("llama-server/health-503")) as loading,
        ReplayServer(torn) as server,
    ):
        here = room()
        here.start()
        chips = []
        for name, address in (("Locked", locked.address), ("Slow", loading.address), ("None", "127.0.0.1:9")):
            here.add(name, address)
            chips.append(here.page.result.state.text())
        assert chips == ["Key needed", "Loading its model", "Not reachable"]
        here.add("Shaky", server.address)
        here.use("m")
        here.ask("Tell me")
        last = here.controller.conversation.messages[-1]
        assert (last.status, last.text) == ("interrupted", "Half an answer")
        assert "broke off" in here.window.banner.banner.sentence
        server.routes["/v1/chat/completions"] = as_stream(delta("Whole."), delta("", "stop"))
        here.ask("Again")
        assert here.controller.conversation.messages[-1].text == "Whole."


def test_plain_http_to_a_public_address_asks_first(room, monkeypatch) -> None:
    here = room()
    tested: list[str] = []
    monkeypatch.setattr(here.desk, "test", tested.append)
    page = here.page
    page.form.address.setText("http://models.example.org")
    assert page.form._open_words.isVisibleTo(page.form)
    page.form.save.click()
    box = here.window.findChild(QMessageBox, "plain http")
    assert box.defaultButton().text() == "Do not send"
    box.reject()
    assert here.desk.connections.servers == ()
    assert tested == []
    page.form.save.click()
    box = [found for found in here.window.findChildren(QMessageBox, "plain http") if found.isVisible()][-1]
    next(button for button in box.buttons() if button.text() == "Send anyway").click()
    here.until(lambda: here.desk.connections.servers)
    (saved,) = here.desk.connections.servers
    assert not saved.asks_first
    assert tested == [saved.id]
    page._testing.clear()


def test_a_server_that_was_not_agreed_to_gets_nothing(room) -> None:
    here = room()
    assert here.desk.save(Connection(id="c", address="http://models.example.org"), KEY) is None
    here.page  # noqa: B018 (opening it looks at the server)
    here.until(lambda: "c" in here.desk.results)
    assert here.desk.results["c"].sentence.startswith("Nothing was sent")


def test_keys_stay_in_the_keychain_and_with_their_address(room, tmp_path) -> None:
    keychain = MemoryKeychain()
    answer = as_stream(delta("Hello"), delta("", "stop"))
    with ReplayServer(answer) as server, ReplayServer(answer) as other:
        here = room(keychain)
        here.start()
        connection = here.add("Mine", server.address, KEY)
        here.use("m")
        here.ask("Hi")
        assert {asked.headers.get("authorization") for asked in server.asked} == {f"Bearer {KEY}"}
        assert list(keychain.kept.values()) == [KEY]
        # The same connection at another port: another origin, and the key was not for that.
        page = here.page
        page.form.address.setText(other.address)
        page.form.save.click()
        here.until(lambda: other.asked and not page._testing)
        assert {asked.headers.get("authorization") for asked in other.asked} == {None}
        here.until(lambda: not keychain.kept)
        here.desk.remove(connection)
        here.settings.flush()
        here.store.flush()
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert written
    assert not [path for path in written if KEY.encode() in path.read_bytes()]


def test_the_model_of_last_time_and_a_connection_that_is_gone(room) -> None:
    keychain = MemoryKeychain()

    def chat(asked) -> Reply:
        return as_stream(delta("Yes"), delta("", "stop")) if "authorization" in asked.headers else as_json({}, 401)

    with ReplayServer(chat) as server:
        first = room(keychain)
        first.start()
        connection = first.add("Mine", server.address, KEY)
        first.use("m")
        first.ask("Hi")
        first.settings.flush()
        first.store.flush()
        assert first.settings.value.last.target == target_of(connection, "m")
        second = room(keychain)
        second.start()
        second.until(lambda: second.on_server)
        second.ask("Still there?")
        assert second.controller.conversation.messages[-1].text == "Yes"
        second.desk.remove(connection)
        second.controller.open_model(target_of(connection, "m"))
        second.until(lambda: second.window.banner.banner is not None)
        assert "no longer among your connections" in second.window.banner.banner.sentence


def test_comparisons_with_servers(room) -> None:
    """Both positions of a router's switch, and the model on this machine against one on a server."""
    with router() as server:
        here = room()
        here.start()
        here.add("The box", server.address)
        here.compare_door.open()
        page = here.compare_door.page
        setup = page.setup
        setup.prompt.setPlainText("Return a JSON record for a person named Ada.")
        setup.repeats.setValue(1)
        setup.tokens.setValue(48)
        assert [setup.other.itemText(place) for place in range(1, setup.other.count())] == [
            "The loaded model with demo @ The box",
            "The loaded model with demo+draft @ The box",
        ]
        setup.other.setCurrentIndex(2)
        setup.start.click()
        here.until(lambda: page.verdict.comparison is not None)
        found = page.verdict.comparison
        assert [place.name for place in found.plan.places][1] == "demo+draft @ The box"
        assert found.sides[1].by_character
        assert found.sides[1].stats.accepted == 33
        assert found.sides[0].stats.generated_tokens > 0
        assert "demo+draft @ The box" in page.race.other.name.text()
        here.use("demo")
        setup.other.setCurrentIndex(0)
        assert setup.arms["draft_model"].isEnabled()
        assert not setup.arms["ngram"].isEnabled()
        setup.choose(("draft_model",))
        setup.start.click()
        here.until(lambda: page.verdict.comparison is not found)
        by_switch = page.verdict.comparison
        assert by_switch.sides[1].identical == 1
        assert (by_switch.sides[0].stats.accepted, by_switch.sides[1].stats.accepted) == (0, 33)
        assert not here.compare.prove(by_switch)
