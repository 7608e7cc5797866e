"""Answers from fake models: exact, fast, and in any combination of drafters, policies and mishaps."""

import random
from collections.abc import Iterator, Sequence
from typing import Any

from app.engine.backends.fake import FakeModel
from app.engine.cancel import CancelFlag
from app.engine.drafters.draft_model import DraftModel
from app.engine.drafters.mixed import Mixed
from app.engine.drafters.ngram import Ngram
from app.engine.drafters.off import Off
from app.engine.generation import Answer, Cached, Task
from app.engine.ports import Drafter, GoOn, LookaheadPolicy, Proposal, RoundOutcome, Verdict
from app.engine.sampling import Sampler
from app.protocol.messages import Event
from app.protocol.options import LimitOptions, SamplingOptions, TokenSource
from tests.helpers.engine import GREEDY, Reply, check_counters, reply

# Bytes of the tokens, repeated for larger vocabularies: letters, halves of characters, nothing at all, broken bytes.
_PIECES = (
    b"a",
    b"b",
    b"ab",
    b"\n",
    b" ",
    "é".encode(),
    "😀".encode()[:2],
    "😀".encode()[2:],
    b"",
    b"\xff",
    b"User:",
    b"b ",
)


def piece(token: int) -> bytes:
    """The bytes of a fake token."""
    return _PIECES[token % len(_PIECES)]


class Steady:
    """Proposes `lookahead` tokens in every round; 0 is plain decoding."""

    pause_reason = ""
    gain = None

    def __init__(self, lookahead: int) -> None:
        self.lookahead = lookahead
        self.seen: list[RoundOutcome] = []

    def begin(self, source: TokenSource, behind: int = 0, context: int = 0, prompt: Sequence[int] = ()) -> None:
        self.begun = (source, behind)
        self.prompt = tuple(prompt)

    def wants(self, source: TokenSource) -> bool:
        return True

    def plan(self, room: int) -> int:
        return min(self.lookahead, room)

    def go_on(self, proposal: Proposal) -> Verdict:
        return Verdict.GO_ON

    def observe(self, outcome: RoundOutcome) -> None:
        self.seen.append(outcome)


class Whim(Steady):
    """Proposes what it feels like, repeatably."""

    def __init__(self, seed: int) -> None:
        super().__init__(32)
        self._rng = random.Random(seed)

    def wants(self, source: TokenSource) -> bool:
        return self._rng.random() < 0.7

    def plan(self, room: int) -> int:
        return self._rng.randint(0, min(room, 32))

    def go_on(self, proposal: Proposal) -> Verdict:
        return self._rng.choices([Verdict.GO_ON, Verdict.DROP, Verdict.LAST], [8, 1, 1])[0]


class Hostile:
    """A drafter that keeps to no rule: it raises, and proposes too much, nonsense, or what it was told to drop."""

    source: TokenSource = "draft_model"

    def __init__(self, seed: int, vocabulary: int) -> None:
        self._rng = random.Random(seed)
        self._vocabulary = vocabulary
        self._mood = self._rng.choice([0.0, 0.05, 0.5])

    def begin(self, history: Sequence[int]) -> None:
        self._mischief()

    def behind(self, history: Sequence[int]) -> int:
        self._mischief()
        return self._rng.choice([-5, 0, 10**9])

    def propose(self, history: Sequence[int], limit: int, go_on: GoOn) -> Any:
        self._mischief()
        count = self._rng.choice([0, 1, limit, limit + 1, 3 * limit, 100])
        tokens: list[Any] = [self._token(history) for _ in range(count)]
        sources: list[TokenSource] = ["draft_model", "ngram", "heads"]
        proposals = [Proposal(token, self._rng.choice(sources)) for token in tokens]
        for proposal in proposals[: self._rng.choice([0, count // 2, count])]:
            go_on(proposal)
        return self._rng.choices([proposals, tuple(proposals), None, [None]], [20, 1, 1, 1])[0]

    def accept(self, history: Sequence[int], accepted: int) -> None:
        self._mischief()

    def end(self, history: Sequence[int]) -> None:
        self._mischief()

    def close(self) -> None:
        pass

    def _token(self, history: Sequence[int]) -> Any:
        odd = [-1, self._vocabulary, 2**31 - 1, -(2**31), history[-1], None, "1"]
        return self._rng.choices([self._rng.randrange(self._vocabulary), self._rng.choice(odd)], [30, 1])[0]

    def _mischief(self) -> None:
        if self._rng.random() < self._mood:
            raise self._rng.choice(
                [RuntimeError("boo"), ValueError(), KeyError(3), MemoryError(), AssertionError("no")]
            )


class World:
    """A target, a draft and what is kept of them between answers."""

    def __init__(self, target: FakeModel, draft: FakeModel | None = None) -> None:
        self.target = target
        self.draft = draft or FakeModel(target.n_vocab, target.n_ctx, unlike=0.5, end_tokens=target.end_tokens)
        self.cached = Cached(target)
        self.draft_model = DraftModel(self.draft, target.n_vocab)
        self.ngram = Ngram()

    def drafter(self, name: str, policy: LookaheadPolicy, seed: int = 0) -> Drafter:
        """A drafter by name; "hostile" is one, too."""
        match name:
            case "off":
                return Off()
            case "ngram":
                return self.ngram
            case "draft_model":
                return self.draft_model
            case "mixed":
                return Mixed(self.ngram, self.draft_model, policy.wants)
            case "hostile":
                return Hostile(seed, self.target.n_vocab)
        raise ValueError(name)

    def events(
        self,
        prompt: Sequence[int],
        drafter: Drafter,
        policy: LookaheadPolicy,
        *,
        sampling: SamplingOptions = GREEDY,
        seed: int = 0,
        max_tokens: int = 0,
        fixed_shape: int = 0,
        stop: tuple[str, ...] = (),
        reuse_cache: bool = True,
        cancel: CancelFlag | None = None,
    ) -> Iterator[Event]:
        """The events of one answer, as they come."""
        sampler = Sampler(sampling, seed, list(prompt))
        self.draft_model.use(sampler, confident=True)
        task = Task(
            id="fake",
            prompt=prompt,
            sampling=sampling,
            seed=seed,
            limits=LimitOptions(max_tokens=max_tokens, stop=stop, fixed_shape=fixed_shape),
            stop=stop,
            reuse_cache=reuse_cache,
            drafter=drafter,
            drafter_name="off" if isinstance(drafter, Off) else "draft_model",
            policy=policy,
            piece=piece,
            cancel=cancel or CancelFlag(),
        )
        return Answer(self.cached, task, sampler).events()

    def ask(
        self, prompt: Sequence[int], drafter: str = "off", policy: LookaheadPolicy | None = None, **options: Any
    ) -> Reply:
        """A whole answer, with its counters and caches checked. `drafter_seed` is for a hostile one."""
        policy = policy or Steady(0 if drafter == "off" else 7)
        chosen = self.drafter(drafter, policy, options.pop("drafter_seed", 0))
        answer = reply(self.events(prompt, chosen, policy, **options))
        check_counters(answer)
        history = (*prompt, *answer.tokens)
        self.check_caches(history)
        if drafter in ("draft_model", "mixed") and answer.stats.passes:
            self.check_draft(history)
        if answer.reason != "cancelled":
            assert self.target.tokens == history[:-1], "law 2: the cache is the history without its last token"
        return answer

    def check_caches(self, history: Sequence[int]) -> None:
        """Law 2 at any exit: caches hold a beginning of the history without its last token, and it is known which."""
        assert self.target.violations == []
        assert self.draft.violations == []
        assert self.target.tokens == tuple(self.cached.held) == tuple(history[: self.target.length])
        assert self.target.length < len(history)
        assert self.draft.tokens == self.draft_model.held

    def check_draft(self, history: Sequence[int]) -> None:
        """Law 2 for the draft's cache, after an answer in which it was the drafter."""
        assert self.draft.tokens == tuple(history[: self.draft.length])
        assert self.draft.length < len(history)


VOCABULARY = 24


def twins(n_ctx: int = 400, **options: Any) -> World:
    """A target and a draft that always agree."""
    target = FakeModel(VOCABULARY, n_ctx, seed=4, **options)
    return World(target, FakeModel(VOCABULARY, n_ctx, seed=4, **options))


def same(one: Reply, two: Reply) -> None:
    """Fails where two answers differ in tokens, text or reason."""
    assert one.tokens == two.tokens
    assert one.text == two.text
    assert one.reason == two.reason
