"""The window with a real llama-server; see tests/e2e/test_real_llama_server.py for how to run it."""

import pytest

from app.protocol.options import SamplingOptions
from tests.e2e.test_real_llama_server import ARMS, BINARY, KEY, QUESTION, counters, preset, running
from tests.helpers.servers_kit import MemoryKeychain, ServerRoom, server_rooms

pytestmark = pytest.mark.skipif(not BINARY, reason="OUTPACE_LLAMA_SERVER does not name a llama-server")
PROPOSED, ACCEPTED = "spec_decode_num_draft_tokens_total", "spec_decode_num_accepted_tokens_total"


@pytest.fixture
def here(qtbot, qapp, tmp_path):
    with server_rooms(qapp) as made:
        made.append(ServerRoom(qtbot, tmp_path / "profile", MemoryKeychain()))
        made[0].controller.set_sampling(SamplingOptions(temperature=0.0))
        made[0].start()
        yield made[0]


@pytest.mark.parametrize("arm", sorted(ARMS))
def test_every_arm_answers_in_the_window(here: ServerRoom, arm: str, demo_target, demo_draft) -> None:
    draft = ("-md", str(demo_draft)) if arm == "draft" else ()
    options = ("-m", str(demo_target), "-c", "2048", "-np", "1", "-t", "1", "--alias", "demo", *draft, *ARMS[arm])
    with running(*options) as address:
        here.add("Real", address, KEY)
        here.use("demo")
        before = counters(address)
        here.ask(QUESTION)
        after = counters(address)
    stats = here.controller.conversation.messages[-1].stats
    assert (stats.proposed, stats.accepted) == (after[PROPOSED] - before[PROPOSED], after[ACCEPTED] - before[ACCEPTED])
    assert here.window.top.badge.view.state == ("off" if arm == "plain" else "active")
    assert not here.window.panel.speculation.toggle.isEnabled()


def test_the_switch_of_a_real_router(here: ServerRoom, tmp_path, demo_target, demo_draft) -> None:
    with running("--models-preset", str(preset(tmp_path, demo_target, demo_draft))) as address:
        here.add("Router", address, KEY)
        here.use("demo+draft")
        here.controller.switch_speculation(True)
        here.ask(QUESTION)
        drafted = here.controller.conversation.messages[-1]
        assert here.window.top.badge.view.state == "active"
        # The ink of the message is what the server told token by token.
        assert dict(drafted.token_counts)["draft_model"] == drafted.stats.accepted
        here.window.panel.speculation.toggle.click()
        here.controller.new_chat()
        here.ask(QUESTION)
        assert here.window.top.badge.view.state == "off"
        assert here.controller.conversation.messages[-1].text == drafted.text
