"""Made-up comparisons."""

from app.comparison.result import Comparison, Sample, Side
from app.comparison.run import PLAIN, Plan
from app.protocol.messages import Turn
from app.protocol.options import LimitOptions, SamplingOptions, SpeculationOptions
from app.protocol.stats import GenerationStats

DRAFT = SpeculationOptions(drafter="draft_model", lookahead=3, explicit=True)
STATS = GenerationStats(generated_tokens=30, passes=15, proposed=20, verified=20, accepted=15, decode_ms=500)


def side(drafter: str, *speeds: float, waits: float = 2.0, parts_at: int | None = None) -> Side:
    return Side(
        drafter=drafter,  # type: ignore[arg-type]  # tests name known ones
        lookahead="auto",
        samples=tuple(Sample(tokens=10, speed=speed, ttft_ms=240.0, wait_s=waits) for speed in speeds),
        stats=STATS if drafter != "off" else GenerationStats(generated_tokens=30, passes=30),
        state="active" if drafter != "off" else "off",
        why="",
        text="one two three",
        times_ms=(500, 1000, 1900),
        characters=(3, 7, 13),
        identical=len(speeds) if parts_at is None else 0,
        parts_at=parts_at,
        gap=None if parts_at is None else 0.012,
    )


def comparison(
    name: str = "a", *others: Side, created: float = 1.0, target: str = "/m/target.gguf", prompt: str = "Why?"
) -> Comparison:
    sides = (side("off", 30.0, 30.0), *(others or (side("draft_model", 60.0, 63.0, waits=1.0),)))
    return Comparison(
        id=name,
        created=created,
        target=target,
        draft="/m/draft.gguf",
        plan=Plan(
            turns=(Turn(role="user", content=prompt),),
            sampling=SamplingOptions(seed=3),
            limits=LimitOptions(max_tokens=10),
            arms=(PLAIN, *(SpeculationOptions(drafter=one.drafter, explicit=True) for one in sides[1:])),
            repeats=2,
        ),
        sides=sides,
    )
