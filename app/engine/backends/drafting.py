"""Everything that can propose tokens for one loaded target, and why not."""

import copy
from dataclasses import dataclass, field

from app.core.errors import EngineFault, UserError
from app.core.pairing import mismatch
from app.engine.backends.loading import Model
from app.engine.cancel import CancelFlag
from app.engine.costs import PairCosts, PassCosts
from app.engine.drafters.draft_model import DraftModel
from app.engine.drafters.heads import Heads
from app.engine.drafters.mixed import Mixed
from app.engine.drafters.ngram import Ngram
from app.engine.drafters.off import Off
from app.engine.lookahead import PairHistory
from app.engine.ports import Drafter, LookaheadPolicy
from app.engine.sampling import Sampler
from app.protocol.messages import ModelFacts
from app.protocol.options import DrafterName, SpeculationOptions

_TINY = 64 * 2**20
"""Bytes of a draft below which building a graph anew costs more than a pass."""
NO_DRAFT = "No draft model is loaded."


@dataclass(slots=True)
class Learnt:
    """What answers have taught about one drafter on one target."""

    costs: PairCosts
    history: PairHistory = field(default_factory=PairHistory)

    def apart(self) -> "Learnt":
        """For an answer that must neither know nor teach anything: costs as they are now, and no history."""
        return Learnt(copy.deepcopy(self.costs))


class Drafting:
    """The drafters of one target.

    Args:
        target: Outlives this.
    """

    def __init__(self, target: Model) -> None:
        self._target = target
        self._ngram = Ngram()
        self._heads = Heads(target.heads, target.context.end_tokens) if target.heads else None
        self._draft: Model | None = None
        self._draft_model: DraftModel | None = None
        self._why_no_draft = NO_DRAFT
        self.passes = PassCosts()
        """What a pass of the target costs; the same for every drafter."""
        self._learnt: dict[str, Learnt] = {}

    @property
    def draft(self) -> Model | None:
        """The loaded draft model."""
        return self._draft

    def draft_facts(self) -> ModelFacts | None:
        return self._draft.facts() if self._draft else None

    def set_draft(self, draft: Model) -> None:
        """Draft with this model from now on; it is closed with this, or when another one comes."""
        self.drop_draft(NO_DRAFT)
        self._draft = draft
        tiny = draft.weights.size_bytes < _TINY and draft.facts().gpu_layers == 0
        self._draft_model = DraftModel(draft.context, self._target.weights.n_vocab, one_by_one=tiny)
        self._why_no_draft = ""

    def drop_draft(self, reason: str) -> None:
        """Go on without a draft model; `reason` is what the person is told."""
        if self._draft is not None:
            self._draft.close()
        self._draft = None
        self._draft_model = None
        self._why_no_draft = reason
        # What was learnt from one draft must not be used for another.
        self._learnt.pop("draft_model", None)

    def why_not(self) -> dict[str, str]:
        """Drafter -> why it cannot be used; those that can are missing."""
        if not self._target.context.can_truncate:
            return dict.fromkeys(("ngram", "draft_model", "mixed", "heads"), str(self._target.cannot_forget()))
        reasons = {}
        if self._heads is None:
            reasons["heads"] = self._target.why_no_heads
        if self._why_no_draft:
            reasons["draft_model"] = self._why_no_draft
            if self._heads is None:
                reasons["mixed"] = self._why_no_draft
        return reasons

    def usable(self, options: SpeculationOptions) -> tuple[DrafterName, str]:
        """The drafter to use, and why it cannot be used after all ("" if it can).

        Raises:
            UserError: the person chose it, and it cannot be used.
        """
        reason = self.why_not().get(options.drafter, "")
        if reason and options.explicit:
            label = options.drafter.replace("_", " ")
            raise UserError(
                "drafter_unavailable",
                f"The drafter you chose ({label}) cannot be used: {reason}",
                "Choose another drafter, or switch speculation off.",
            )
        if reason and options.drafter == "mixed" and self._target.context.can_truncate:
            return "ngram", ""
        return options.drafter, reason

    def learnt(self, name: DrafterName) -> Learnt:
        """What is known about a drafter here. A draft model is the same one when n-grams go first, and so are heads."""
        kind = self._behind_ngrams() if name == "mixed" else name
        if kind not in self._learnt:
            self._learnt[kind] = Learnt(PairCosts(self.passes))
        return self._learnt[kind]

    def make(self, name: DrafterName, policy: LookaheadPolicy) -> Drafter:
        """A drafter for one answer.

        Raises:
            EngineFault: it is not there; `why_not` would have said so.
        """
        if name == "off":
            return Off()
        if name == "ngram":
            return self._ngram
        chosen = self._behind_ngrams() if name == "mixed" else name
        drafter = self._heads if chosen == "heads" else self._draft_model
        if drafter is None:
            raise EngineFault("drafter_missing", f"The drafter {name} is not ready.")
        return Mixed(self._ngram, drafter, policy.wants) if name == "mixed" else drafter

    def _behind_ngrams(self) -> DrafterName:
        """What `mixed` asks where n-grams have nothing."""
        return "heads" if self._heads is not None and self._draft_model is None else "draft_model"

    def prepare(self, sampler: Sampler, cancel: CancelFlag, *, confident: bool, clean: bool) -> None:
        """Before an answer: share its choice rule and cancel flag; `clean` starts from empty caches and tables."""
        if clean:
            self._ngram.close()
        if self._heads is not None:
            self._heads.use(sampler, confident=confident)
        if self._draft is None or self._draft_model is None:
            return
        self._draft.context.watch(cancel)
        self._draft_model.use(sampler, confident=confident)
        if clean:
            self._draft_model.forget()

    def close(self) -> None:
        """Free the draft model. Twice is fine."""
        self.drop_draft(NO_DRAFT)
        self._ngram.close()


def draft_problem(target: Model, draft: Model) -> UserError | None:
    """Why `draft` cannot draft for `target`, None if it can."""
    name = draft.key.path.name
    if draft.context.keeps_state:
        return UserError(
            "incompatible_draft",
            f"{name} cannot draft: it is a {draft.gguf.architecture} model, which cannot take back tokens cheaply.",
            "Choose another draft model.",
        )
    found = mismatch(target.vocabulary(), draft.vocabulary())
    if found is None:
        return None
    return UserError(
        "incompatible_draft",
        f"{name} cannot draft for {target.key.path.name}: {found.sentence}",
        "Choose a smaller model of the target's own family.",
    )
