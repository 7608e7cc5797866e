"""How a pair fits into memory, and what has to be given up for it."""

from collections.abc import Callable
from dataclasses import replace

from app.bridge.library_service import LibraryService
from app.bridge.machine_facts import MachineFacts
from app.chat.settings import Fit, LoadOptions, Pair
from app.core.gguf import heads_beside
from app.hub.memory_plan import Plan, make_plan
from app.hub.model_file import ModelFile
from app.protocol.messages import Loaded
from app.protocol.options import CacheType

AUTOMATIC_CONTEXT = 8192
"""What the engine takes at most when the length is left to it."""


class LoadPlanner:
    """Makes plans for the machine as it is now.

    Attributes:
        machine: What there is to spare.
        options: How loads are done.
        loaded: What is loaded; a target that is, stays as it is.
    """

    def __init__(self, library: LibraryService) -> None:
        self._library = library
        self.machine = MachineFacts()
        self.options = LoadOptions()
        self.loaded: Loaded | None = None

    def plan(
        self, target: ModelFile, draft: ModelFile | None, then: Callable[[Plan], object], *, key: str = "plan"
    ) -> None:
        """Work one out, elsewhere; a later call with the same key replaces one that is not answered."""
        facts, draft_facts = target.facts, draft.facts if draft is not None else None
        if facts is None:
            return
        options, budget = self.options, self.machine.budget
        context = options.context or min(facts.context_trained or AUTOMATIC_CONTEXT, AUTOMATIC_CONTEXT)
        layers = None if options.gpu_layers == "auto" else options.gpu_layers
        cache_type: CacheType = "F16"
        with_heads = options.heads
        stays = self.loaded is not None and self.loaded.target.path == str(target.path)
        if self.loaded is not None and stays:
            context, layers, cache_type = self.loaded.context, self.loaded.target.gpu_layers, self.loaded.cache_type
            with_heads = self.loaded.target.heads_bytes > 0

        def work(_task: object) -> Plan:
            return make_plan(
                facts,
                draft_facts,
                context,
                budget,
                gpu_layers=layers,
                kv_type=cache_type,
                target_stays=stays,
                side=heads_beside(facts),
                with_heads=with_heads,
            )

        self._library.work(work, then, key)

    def forget(self) -> None:
        """A plan that was asked for is not of interest any more."""
        self._library.forget("plan")


def fitted(pair: Pair, plan: Plan) -> Pair:
    """The pair, to be loaded as the plan says."""
    taken, placement = {step.code for step in plan.steps}, plan.placement
    if not plan.steps:
        return pair
    fit = Fit(
        cache_type=placement.kv_type,
        draft_context=placement.draft_context if "draft_context" in taken else 0,
        draft_on_cpu="draft_on_cpu" in taken,
        gpu_layers=placement.gpu_layers if "fewer_layers" in taken else None,
    )
    return replace(pair, draft=pair.draft if placement.with_draft else "", fit=fit)
