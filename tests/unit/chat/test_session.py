"""The state machine without Qt, processes or time."""

from collections.abc import Iterable
from dataclasses import replace

import pytest

from app.chat.banner import CONTEXT_FULL, STOP_IS_OVERDUE, Banner
from app.chat.changes import (
    BannerChanged,
    Change,
    ConversationReplaced,
    MessageAdded,
    MessageEnded,
    MessageGrew,
    ModelLoaded,
    ModelProgress,
    NoticeGiven,
    PhaseChanged,
)
from app.chat.conversation import Message
from app.chat.session import ChatSession
from app.chat.settings import LoadOptions, Pair
from app.protocol.messages import Cancel, Event, Generate, Load, Notice, Progress, Request, Turn
from app.protocol.options import SamplingOptions, SpeculationOptions
from app.protocol.stats import SpeculationState
from tests.helpers.wire_values import ACTIVE, delta, failed, finished, loaded, stats

DEMO = Pair(target="/demo/target.gguf", draft="/demo/draft.gguf")
BIG = Pair(target="/models/big.gguf", draft="/models/small.gguf")
MIXED = SpeculationOptions(drafter="mixed")


class Engine:
    """Writes down what it is asked."""

    def __init__(self) -> None:
        self.requests: list[Request] = []

    def send(self, request: Request) -> None:
        self.requests.append(request)

    def last(self, kind: type[Load] | type[Generate]) -> Load | Generate:
        return next(r for r in reversed(self.requests) if isinstance(r, kind))

    @property
    def load(self) -> Load:
        request = self.last(Load)
        assert isinstance(request, Load)
        return request

    @property
    def generate(self) -> Generate:
        request = self.last(Generate)
        assert isinstance(request, Generate)
        return request

    @property
    def cancels(self) -> list[str]:
        return [r.id for r in self.requests if isinstance(r, Cancel)]


@pytest.fixture
def engine() -> Engine:
    return Engine()


@pytest.fixture
def session(engine: Engine) -> ChatSession:
    """Nothing is loaded."""
    session = ChatSession(engine, fallback=DEMO)
    session.speculation = MIXED
    return session


@pytest.fixture
def ready(session: ChatSession, engine: Engine) -> ChatSession:
    """The demo pair is loaded."""
    session.load(DEMO, LoadOptions())
    session.apply(loaded(engine.load.id))
    assert session.phase == "idle"
    return session


def asked(ready: ChatSession, engine: Engine, *, text: str = "hi", deltas: int = 1) -> str:
    """Ask, get some rounds, return the request's id."""
    ready.say(text)
    for _ in range(deltas):
        ready.apply(delta(engine.generate.id, ("word ", "draft_model")))
    return engine.generate.id


def phases(changes: Iterable[Change]) -> list[str]:
    return [change.phase for change in changes if isinstance(change, PhaseChanged)]


def banners(changes: Iterable[Change]) -> list[Banner | None]:
    return [change.banner for change in changes if isinstance(change, BannerChanged)]


def ended(changes: Iterable[Change]) -> Message:
    (message,) = [change.message for change in changes if isinstance(change, MessageEnded)]
    return message


# --- loading --------------------------------------------------------------------------------------------------------


def test_load(session: ChatSession, engine: Engine) -> None:
    changes = session.load(BIG, LoadOptions(context=512, threads=3, gpu_layers=7), draft_required=True)
    assert phases(changes) == ["loading"]
    request = engine.load
    assert (request.target, request.draft, request.draft_required) == (BIG.target, BIG.draft, True)
    assert (request.context, request.threads, request.gpu_layers) == (512, 3, 7)
    progress = Progress(id=request.id, stage="load_target", done=1, total=2)
    assert session.apply(progress) == [ModelProgress(progress)]
    event = loaded(request.id, notices=(Notice(code="no_template", text="No template."),))
    assert session.apply(event) == [ModelLoaded(event), NoticeGiven(event.notices[0]), PhaseChanged("idle")]
    assert session.loaded is event
    assert session.load_request is request


def test_a_newer_load_takes_the_place_of_the_one_under_way(session: ChatSession, engine: Engine) -> None:
    session.load(DEMO, LoadOptions())
    first = engine.load.id
    session.load(BIG, LoadOptions())
    assert engine.cancels == [first]
    assert session.apply(loaded(first)) == []
    assert session.apply(failed(first, "cancelled")) == []
    assert session.phase == "loading"
    session.apply(loaded(engine.load.id))
    assert session.load_request is not None
    assert session.load_request.target == BIG.target


def test_a_failed_load_goes_back_to_what_was_loaded(ready: ChatSession, engine: Engine) -> None:
    ready.load(BIG, LoadOptions(), draft_required=True)
    changes = ready.apply(failed(engine.load.id, sentence="Damaged.", hint="Download it."))
    assert banners(changes) == [Banner("error", "Damaged.", "Download it.", "ret = -3")]
    assert ready.phase == "loading"
    assert (engine.load.target, engine.load.draft_required) == (DEMO.target, False)
    changes = ready.apply(loaded(engine.load.id))
    assert ready.phase == "idle"
    assert banners(changes) == [], "the banner stays until the person has seen it"
    assert ready.banner is not None


def test_options_that_cannot_be_loaded_go_back_to_the_old_ones(ready: ChatSession, engine: Engine) -> None:
    ready.load(DEMO, LoadOptions(context=10_000_000))
    ready.apply(failed(engine.load.id, "not_enough_memory"))
    assert (engine.load.target, engine.load.context) == (DEMO.target, 0)
    ready.apply(loaded(engine.load.id))
    assert ready.phase == "idle"


def test_the_fallback_is_tried_once(session: ChatSession, engine: Engine) -> None:
    session.load(BIG, LoadOptions())
    changes = session.apply(failed(engine.load.id, sentence="First."))
    assert engine.load.target == DEMO.target
    changes += session.apply(failed(engine.load.id, sentence="Second."))
    assert session.phase == "no_model"
    assert session.loaded is None
    assert [b.sentence for b in banners(changes) if b] == ["First."], "the person asked for the first one"
    assert len(engine.requests) == 2


def test_good_then_fallback(session: ChatSession, engine: Engine) -> None:
    session.load(BIG, LoadOptions())
    session.apply(loaded(engine.load.id))
    session.load(Pair(target="/models/bad.gguf"), LoadOptions())
    session.apply(failed(engine.load.id))
    assert engine.load.target == BIG.target
    session.apply(failed(engine.load.id))
    assert engine.load.target == DEMO.target
    session.apply(loaded(engine.load.id))
    assert session.phase == "idle"


def test_a_remembered_model_that_is_gone_is_a_notice(session: ChatSession, engine: Engine) -> None:
    session.load(BIG, LoadOptions(), remembered=True)
    changes = session.apply(failed(engine.load.id, "missing_file", "There is no file big.gguf."))
    (notice,) = [change.notice for change in changes if isinstance(change, NoticeGiven)]
    assert notice.code == "last_model_failed"
    assert "There is no file big.gguf." in notice.text
    assert banners(changes) == []
    assert engine.load.target == DEMO.target


def test_stopping_a_load_goes_back_without_a_banner(ready: ChatSession, engine: Engine) -> None:
    ready.load(BIG, LoadOptions())
    request = engine.load.id
    assert phases(ready.stop()) == ["stopping"]
    assert engine.cancels == [request]
    progress = Progress(id=request, stage="load_target", done=1, total=2)
    assert phases(ready.apply(progress)) == []
    changes = ready.apply(failed(request, "cancelled"))
    assert banners(changes) == []
    assert phases(changes) == ["loading"]
    assert engine.load.target == DEMO.target


def test_stopping_a_load_too_late(ready: ChatSession, engine: Engine) -> None:
    ready.load(BIG, LoadOptions())
    ready.stop()
    assert phases(ready.apply(loaded(engine.load.id))) == ["idle"]


def test_another_load_while_one_is_being_stopped(ready: ChatSession, engine: Engine) -> None:
    ready.load(Pair(target="/models/slow.gguf"), LoadOptions())
    slow = engine.load.id
    ready.stop()
    assert phases(ready.load(BIG, LoadOptions())) == ["loading"]
    assert ready.apply(failed(slow, "cancelled")) == []
    ready.apply(loaded(engine.load.id))
    assert ready.load_request is not None
    assert ready.load_request.target == BIG.target


def test_a_load_that_does_not_stop(ready: ChatSession, engine: Engine) -> None:
    ready.load(BIG, LoadOptions())
    ready.stop()
    assert banners(ready.stop_is_overdue()) == [STOP_IS_OVERDUE]
    assert banners(ready.apply(failed(engine.load.id, "cancelled"))) == [None]
    ready.apply(loaded(engine.load.id))
    assert ready.phase == "idle"


def test_a_load_waits_for_the_answer(ready: ChatSession, engine: Engine) -> None:
    request = asked(ready, engine)
    (change,) = ready.load(BIG, LoadOptions())
    assert isinstance(change, NoticeGiven)
    assert engine.load.target == DEMO.target
    assert ready.phase == "streaming"
    changes = ready.apply(finished(request))
    assert phases(changes) == ["idle", "loading"]
    assert engine.load.target == BIG.target


# --- asking ---------------------------------------------------------------------------------------------------------


def test_an_answer_from_end_to_end(ready: ChatSession, engine: Engine) -> None:
    ready.sampling = SamplingOptions(temperature=0.0, seed=3)
    changes = ready.say("Hello?")
    assert phases(changes) == ["prefill"]
    question, answer = [change.message for change in changes if isinstance(change, MessageAdded)]
    assert (question.role, question.text) == ("user", "Hello?")
    assert (answer.role, answer.text, answer.status) == ("assistant", "", "streaming")
    request = engine.generate
    assert request.turns == (Turn(role="user", content="Hello?"),)
    assert request.chat == ready.conversation.id
    assert (request.sampling, request.speculation) == (ready.sampling, MIXED)
    assert request.prompt is None

    progress = Progress(id=request.id, stage="prefill", done=1, total=2)
    assert ready.apply(progress) == [ModelProgress(progress)]
    changes = ready.apply(delta(request.id, ("Hi", "target")))
    assert changes == [PhaseChanged("streaming"), MessageGrew()]
    assert ready.apply(delta(request.id, (" there", "ngram"))) == [MessageGrew()]
    assert ready.apply(stats(request.id)) == [MessageGrew()]
    assert ready.last is not None
    assert (ready.last.id, ready.last.text, ready.last.status) == (answer.id, "Hi there", "streaming")

    notice = Notice(code="dropped", text="Old turns were dropped.")
    changes = ready.apply(finished(request.id, notices=(notice,)))
    message = ended(changes)
    assert (message.id, message.text, message.status, message.seed) == (answer.id, "Hi there", "complete", 7)
    assert NoticeGiven(notice) in changes
    assert phases(changes) == ["idle"]
    assert ready.conversation.messages == (question, message)


def test_a_full_context_is_told(ready: ChatSession, engine: Engine) -> None:
    changes = ready.apply(finished(asked(ready, engine), "context_limit"))
    assert ended(changes).status == "complete"
    assert banners(changes) == [CONTEXT_FULL]
    assert ready.phase == "idle"


def test_the_next_turn_sends_the_whole_conversation(ready: ChatSession, engine: Engine) -> None:
    ready.apply(finished(asked(ready, engine, text="one")))
    ready.say("two")
    assert [(t.role, t.content) for t in engine.generate.turns] == [
        ("user", "one"),
        ("assistant", "word "),
        ("user", "two"),
    ]


@pytest.mark.parametrize("text", ["", "  \n\t "])
def test_blank_text_is_nothing(ready: ChatSession, text: str) -> None:
    assert ready.say(text) == []
    assert ready.conversation.messages == ()


def test_nothing_is_said_twice_at_a_time(ready: ChatSession, engine: Engine) -> None:
    asked(ready, engine)
    before = len(engine.requests)
    assert ready.say("again") == []
    assert ready.retry(plain=True) == []
    assert len(engine.requests) == before


def test_nothing_is_said_without_a_model(session: ChatSession, engine: Engine) -> None:
    assert session.say("hi") == []
    session.load(DEMO, LoadOptions())
    assert session.say("hi") == []
    assert [type(r) for r in engine.requests] == [Load]


def test_options_take_effect_at_the_next_message(ready: ChatSession, engine: Engine) -> None:
    first = asked(ready, engine)
    ready.speculation = SpeculationOptions(drafter="ngram")
    ready.apply(finished(first))
    ready.say("two")
    assert engine.generate.speculation.drafter == "ngram"


def test_events_of_other_requests_are_ignored(ready: ChatSession, engine: Engine) -> None:
    asked(ready, engine)
    strange: list[Event] = [delta("x", ("no", "target")), stats("x"), finished("x"), failed("x"), loaded("x")]
    assert [ready.apply(event) for event in strange] == [[]] * 5
    assert ready.last is not None
    assert ready.last.text == "word "


def test_a_failure_nobody_asked_for_is_a_notice(ready: ChatSession) -> None:
    (change,) = ready.apply(failed("", "protocol", "A line makes no sense.", ""))
    assert change == NoticeGiven(Notice(code="protocol", text="A line makes no sense."))


# --- stopping -------------------------------------------------------------------------------------------------------


def test_stop_keeps_the_text(ready: ChatSession, engine: Engine) -> None:
    request = asked(ready, engine)
    assert phases(ready.stop()) == ["stopping"]
    assert engine.cancels == [request]
    ready.apply(delta(request, ("more", "target")))
    assert ready.phase == "stopping", "late text does not look like going on"
    message = ended(ready.apply(finished(request, "cancelled")))
    assert (message.text, message.status) == ("word more", "interrupted")
    assert (message.reason, message.error) == ("cancelled", "")
    assert ready.phase == "idle"


def test_stop_in_prefill(ready: ChatSession, engine: Engine) -> None:
    ready.say("a long text")
    ready.stop()
    changes = ready.apply(failed(engine.generate.id, "cancelled", "Cancelled."))
    message = ended(changes)
    assert (message.text, message.status, message.reason, message.error) == ("", "interrupted", "cancelled", "")
    assert banners(changes) == []
    assert ready.phase == "idle"


def test_an_engine_that_does_not_stop_can_be_restarted(ready: ChatSession, engine: Engine) -> None:
    request = asked(ready, engine)
    assert ready.stop_is_overdue() == [], "nobody asked it to stop"
    ready.stop()
    assert banners(ready.stop_is_overdue()) == [STOP_IS_OVERDUE]
    changes = ready.apply(finished(request, "cancelled"))
    assert banners(changes) == [None], "it did stop"


def test_restart_while_stopping(ready: ChatSession, engine: Engine) -> None:
    old = asked(ready, engine)
    ready.stop()
    ready.stop_is_overdue()
    changes = ready.restart()
    message = ended(changes)
    assert (message.text, message.status, message.error) == ("word ", "interrupted", "The engine was restarted.")
    assert phases(changes) == ["loading"]
    assert banners(changes) == [None]
    assert ready.apply(finished(old)) == []
    ready.apply(loaded(engine.load.id))
    assert ready.phase == "idle"


def test_stop_with_nothing_to_stop(ready: ChatSession, engine: Engine) -> None:
    assert ready.stop() == []
    assert engine.cancels == []


def test_new_chat(ready: ChatSession, engine: Engine) -> None:
    ready.apply(finished(asked(ready, engine)))
    old = ready.conversation
    changes = ready.new_chat()
    assert changes == [ConversationReplaced(ready.conversation)]
    assert ready.conversation.messages == ()
    assert ready.conversation.id != old.id


def test_new_chat_in_the_middle_of_an_answer(ready: ChatSession, engine: Engine) -> None:
    request = asked(ready, engine)
    changes = ready.new_chat()
    assert engine.cancels == [request]
    assert phases(changes) == ["stopping"]
    assert ready.apply(delta(request, ("late", "target"))) == []
    assert ready.apply(stats(request)) == []
    assert ready.apply(finished(request, "cancelled")) == [PhaseChanged("idle")]
    assert ready.conversation.messages == ()


def test_new_chat_and_the_old_answer_fails(ready: ChatSession, engine: Engine) -> None:
    request = asked(ready, engine)
    ready.new_chat()
    assert ready.apply(failed(request)) == [PhaseChanged("idle")], "nobody wants to know any more"


# --- failing --------------------------------------------------------------------------------------------------------


def test_a_failure_on_the_way_keeps_the_text(ready: ChatSession, engine: Engine) -> None:
    request = asked(ready, engine)
    changes = ready.apply(failed(request))
    message = ended(changes)
    assert (message.text, message.status, message.error) == ("word ", "interrupted", "It failed.")
    assert banners(changes) == [
        Banner("error", "It failed.", "Do this.", "ret = -3", ("retry", "retry_plain", "dismiss"))
    ]
    assert ready.phase == "idle"


def test_a_refused_question(ready: ChatSession, engine: Engine) -> None:
    ready.speculation = SpeculationOptions()
    ready.say("hi")
    changes = ready.apply(failed(engine.generate.id, "template_failed", "The template refuses."))
    message = ended(changes)
    assert (message.text, message.status, message.error) == ("", "failed", "The template refuses.")
    (banner,) = banners(changes)
    assert banner is not None
    assert banner.actions == ("plain_template", "new_chat", "dismiss")
    ready.use_plain_template()
    assert engine.generate.plain_template
    assert ready.conversation.options.plain_template, "this chat stays with it"
    changes = ready.apply(failed(engine.generate.id, "decode_failed", "It broke."))
    assert banners(changes)[-1].actions == ("retry", "dismiss"), "it was plain already"
    ready.say("shorter")
    assert [turn.content for turn in engine.generate.turns] == ["shorter"]


def test_retry_takes_the_place_of_the_answer(ready: ChatSession, engine: Engine) -> None:
    request = asked(ready, engine)
    ready.apply(failed(request))
    changes = ready.retry(plain=True)
    assert [type(change) for change in changes] == [ConversationReplaced, MessageAdded, BannerChanged, PhaseChanged]
    assert engine.generate.speculation.drafter == "off"
    assert [m.role for m in ready.conversation.messages] == ["user", "assistant"]
    assert ready.last is not None
    assert ready.last.text == ""
    ready.apply(finished(engine.generate.id))
    ready.say("next")
    assert engine.generate.speculation == MIXED, "plain was for once"


def test_retry_with_nothing_to_answer(ready: ChatSession) -> None:
    assert ready.retry(plain=False) == []


def test_dismiss(ready: ChatSession, engine: Engine) -> None:
    ready.apply(failed(asked(ready, engine)))
    assert ready.dismiss() == [BannerChanged(None)]
    assert ready.dismiss() == []


def test_saying_something_takes_the_banner_away(ready: ChatSession, engine: Engine) -> None:
    ready.apply(failed(asked(ready, engine)))
    assert banners(ready.say("next")) == [None]


def test_the_engine_dies_in_the_middle_of_an_answer(ready: ChatSession, engine: Engine) -> None:
    request = asked(ready, engine)
    changes = ready.engine_stopped("The engine crashed (SIGSEGV).", "Restart it.", "last words")
    message = ended(changes)
    assert (message.text, message.status, message.error) == ("word ", "interrupted", "The engine crashed (SIGSEGV).")
    assert phases(changes) == ["engine_down"]
    actions = ("restart", "retry", "retry_plain", "dismiss")
    assert banners(changes) == [Banner("error", "The engine crashed (SIGSEGV).", "Restart it.", "last words", actions)]
    assert ready.loaded is None
    assert ready.apply(failed(request, "engine_gone")) == [], "it was told already"
    assert ready.say("hi") == []


def test_the_engine_dies_while_nobody_asks(ready: ChatSession) -> None:
    (banner,) = banners(ready.engine_stopped("The engine exited with code 3.", "", ""))
    assert banner is not None
    assert banner.actions == ("restart", "dismiss")


def test_restart_loads_the_last_pair(session: ChatSession, engine: Engine) -> None:
    options = LoadOptions(context=256)
    session.load(BIG, options, draft_required=True)
    session.apply(loaded(engine.load.id))
    old = engine.load
    session.engine_stopped("The engine crashed.", "", "")
    changes = session.restart()
    assert phases(changes) == ["loading"]
    assert banners(changes) == [None]
    assert replace(engine.load, id="") == replace(old, id="", draft_required=False)
    assert engine.load.id != old.id


def test_a_model_that_kills_the_engine_is_not_loaded_again(ready: ChatSession, engine: Engine) -> None:
    ready.load(BIG, LoadOptions())
    (banner,) = banners(ready.engine_stopped("The engine crashed.", "Restart it.", ""))
    assert banner is not None
    assert banner.hint == "It was loading big.gguf. Restart it."
    ready.restart()
    assert engine.load.target == DEMO.target


@pytest.mark.parametrize("plain", [False, True])
def test_retry_after_restart_waits_for_the_models(ready: ChatSession, engine: Engine, plain: bool) -> None:
    asked(ready, engine, text="why?")
    ready.engine_stopped("The engine crashed.", "", "")
    ready.restart()
    before = len(engine.requests)
    assert ready.retry(plain=plain) == []
    assert len(engine.requests) == before
    changes = ready.apply(loaded(engine.load.id))
    assert phases(changes) == ["idle", "prefill"]
    assert engine.generate.turns == (Turn(role="user", content="why?"),)
    assert (engine.generate.speculation.drafter == "off") is plain


def test_a_retry_that_waits_is_forgotten_when_loading_fails(ready: ChatSession, engine: Engine) -> None:
    asked(ready, engine)
    ready.engine_stopped("The engine crashed.", "", "")
    ready.restart()
    ready.retry(plain=False)
    ready.apply(failed(engine.load.id))
    assert ready.phase == "no_model"
    ready.load(DEMO, LoadOptions())
    ready.apply(loaded(engine.load.id))
    assert ready.phase == "idle"


# --- the badge ------------------------------------------------------------------------------------------------------


def test_the_badge_follows_the_answer(ready: ChatSession, engine: Engine) -> None:
    assert ready.badge.headline == "Ready"
    request = asked(ready, engine)
    assert ready.badge.headline == "Ready", "no numbers yet"
    ready.apply(stats(request))
    assert ready.badge.state == "active"
    ready.apply(finished(request, state=replace(ACTIVE, state="paused", reason="plain is faster")))
    assert ready.badge.state == "paused"
    ready.say("next")
    assert ready.badge.headline == "Ready", "the old numbers are not those of the next answer"


def test_the_badge_follows_the_options(ready: ChatSession, engine: Engine) -> None:
    request = asked(ready, engine)
    ready.apply(stats(request))
    ready.speculation = SpeculationOptions()
    assert ready.badge.state == "active", "this answer goes on as it was asked for"
    ready.apply(finished(request))
    assert ready.badge.headline == "Speculation off"
    ready.speculation = MIXED
    assert (ready.badge.state, ready.badge.headline) == ("idle", "Ready")


def test_the_badge_keeps_the_numbers_of_a_plain_retry(ready: ChatSession, engine: Engine) -> None:
    ready.apply(failed(asked(ready, engine)))
    ready.retry(plain=True)
    ready.apply(finished(engine.generate.id, state=SpeculationState()))
    assert (ready.badge.headline, ready.badge.parts) == ("Speculation off", ("61 tok/s",))


def test_the_badge_says_that_the_drafter_was_refused(ready: ChatSession, engine: Engine) -> None:
    ready.say("hi")
    ready.apply(failed(engine.generate.id, "drafter_unavailable", "The drafter you chose cannot be used."))
    assert (ready.badge.state, ready.badge.parts) == ("unavailable", ("The drafter you chose cannot be used.",))
    ready.speculation = SpeculationOptions(drafter="ngram")
    assert ready.badge.state == "idle"


def test_the_badge_without_a_model(session: ChatSession) -> None:
    assert session.badge.headline == "No model"
