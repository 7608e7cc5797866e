"""Tables of `speed.py`, and whether its bars hold."""

import math
import statistics
from collections.abc import Collection, Iterable, Sequence
from typing import Any

Row = dict[str, Any]
PLAIN = "plain", "null"
"""Both are the same; their mean is less uncertain than one of them."""
_ORDER = ("null", "1", "3", "5", "7", "auto", "mixed", "h3", "h7", "heads", "simple 3", "simple 7", "simple default")
_WIDTH = {"simple 3": "s-3", "simple 7": "s-7", "simple default": "s-def"}


def ratios(rows: Iterable[Row], arm: str, *bases: str, key: str = "ms") -> list[float]:
    """The geometric mean of `bases` ("plain" if there are none) divided by `arm`, case by case: above 1 is faster."""
    rows = [row for row in rows if "case" in row]
    by_case: dict[tuple[Any, ...], list[float]] = {}
    for r in rows:
        if r["arm"] in (bases or ("plain",)) and r.get(key):
            by_case.setdefault((r["run"], r["section"], r["case"]), []).append(r[key])
    return [
        statistics.geometric_mean(by_case[place]) / r[key]
        for r in rows
        if r["arm"] == arm and r.get(key) and (place := (r["run"], r["section"], r["case"])) in by_case
    ]


def spread(values: Sequence[float]) -> float:
    """Half the distance of the quartiles."""
    if len(values) < 4:
        return max((abs(value - 1.0) for value in values), default=math.nan)
    low, _, high = statistics.quantiles(values, n=4)
    return (high - low) / 2


def noise(rows: Sequence[Row]) -> float:
    """Spread of the null arm over the cells: of the medians that the bars judge, so that it falls with more pairs."""
    cells = dict.fromkeys((r["section"], r["workload"], r["temperature"]) for r in rows if r["arm"] == "null")
    medians = []
    for section, workload, temperature in cells:
        here = [r for r in _of(rows, workload) if r["section"] == section and r["temperature"] == temperature]
        if values := ratios(here, "null"):
            medians.append(statistics.median(values))
    return spread(medians)


def geometric(values: Sequence[float]) -> float | None:
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def show(title: str, rows: Sequence[Row], section: str, runs: Collection[int]) -> list[dict[str, Any]]:
    """Print and return the table of one section."""
    mine = [row for row in rows if row["section"] == section and row["run"] in runs]
    arms = [arm for arm in _ORDER if any(row["arm"] == arm for row in mine)]
    print(f"\n{title}\n{'workload':10} {'T':>4} {'plain/s':>8} " + " ".join(f"{_WIDTH.get(a, a):>6}" for a in arms))
    table = []
    for temperature in sorted({row["temperature"] for row in mine if "case" in row}):
        for workload in dict.fromkeys(row["workload"] for row in mine if "case" in row):
            here = [row for row in mine if row.get("workload") == workload and row.get("temperature") == temperature]
            plain = [row["ms"] for row in here if row["arm"] == "plain"]
            if not plain:
                continue
            speed = 1000 / statistics.median(plain)
            line: dict[str, Any] = {"workload": workload, "temperature": temperature, "plain_tokens_per_s": speed}
            for arm in arms:
                values = ratios(here, arm)
                line[arm] = statistics.median(values) if values else None
            table.append(line)
            cells = " ".join("     -" if line[arm] is None else f"{line[arm]:6.2f}" for arm in arms)
            print(f"{workload:10} {temperature:4} {speed:8.1f} {cells}")
    bench = [row["ms"] for row in mine if row["arm"] == "llama-bench"]
    if bench:
        paired = statistics.median(ratios(mine, "bare", "llama-bench"))
        print(f"llama-bench {1000 / statistics.median(bench):.1f} tokens/s, plain {paired:.3f} of it in pairs")
    print(f"null arm: spread {spread(ratios(mine, 'null')):.3f} of {len(ratios(mine, 'null'))} pairs")
    return table


def judge(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Print and return every bar: what was reached, what is asked, whether it holds."""
    main = [row for row in rows if row["section"].endswith("draft 1/20")]
    null = noise(rows)
    bars: list[dict[str, Any]] = []

    def bar(name: str, reached: float | None, least: float, slack: float = 0.0) -> None:
        verdict = None if reached is None else bool(reached + slack >= least)
        bars.append({"bar": name, "reached": reached, "least": least, "slack": slack, "passed": verdict})

    for section in dict.fromkeys(row["section"] for row in main):
        here = [row for row in main if row["section"] == section]
        against = ratios(here, "bare", "llama-bench")
        if against:
            bar(f"{section}: plain / llama-bench", statistics.median(against), 0.98)
        for length in ("3", "7"):
            for workload in _workloads(here):
                values = ratios(_of(here, workload), length, f"simple {length}")
                if values:
                    name = f"{section}: {workload}, fixed {length} / llama-speculative-simple {length}"
                    bar(name, statistics.median(values), 1.05)
    for section in dict.fromkeys(row["section"] for row in rows):
        here = [row for row in rows if row["section"] == section]
        for temperature in sorted({row["temperature"] for row in here if "case" in row}):
            for workload in _workloads(here):
                cell = [row for row in _of(here, workload) if row["temperature"] == temperature]
                for arm in ("auto", "mixed", "heads"):
                    values = ratios(cell, arm, *PLAIN)
                    if values:
                        name = f"{section}: {workload}, T {temperature}, {arm} / plain"
                        bar(name, statistics.median(values), 0.98, slack=null)
    bar("auto / llama-speculative-simple default, mean", geometric(ratios(main, "auto", "simple default")), 1.25)
    for kind, least in (("q4_k_m", 1.3), ("f16", 2.0)):
        values = ratios(_of([r for r in rows if r["section"] == f"{kind}, draft 1/100"], "json"), "auto", *PLAIN)
        bar(f"{kind}, draft 1/100: json, auto / plain", statistics.median(values) if values else None, least)
    copies = [row for row in main if row["section"].startswith("q4_k_m") and row.get("workload") == "rewrite"]
    # Sampled anew, an answer is another text and no copy.
    values = ratios([row for row in copies if row["temperature"] == 0], "auto", *PLAIN)
    bar("q4_k_m: rewrite with n-grams, auto / plain", statistics.median(values) if values else None, 1.8)
    bar("spread of the null arm over the cells (at most)", -null, -0.02)
    firsts = [value for arm in ("auto", "3", "7") for value in ratios(main, arm, key="ttft_ms")]
    bar("time to first token, plain / with speculation", statistics.median(firsts) if firsts else None, 1 / 1.02)
    print("\nbars")
    for entry in bars:
        mark = {True: "ok", False: "MISSED", None: "not measured"}[entry["passed"]]
        reached = "-" if entry["reached"] is None else f"{abs(entry['reached']):.3f}"
        slack = f" (- {entry['slack']:.3f})" if entry["slack"] else ""
        print(f"{mark:12} {reached:>6} of {abs(entry['least']):.2f}{slack}  {entry['bar']}")
    return bars


def _workloads(rows: Iterable[Row]) -> list[str]:
    return list(dict.fromkeys(row["workload"] for row in rows if "case" in row))


def _of(rows: Iterable[Row], workload: str) -> list[Row]:
    return [row for row in rows if row.get("workload") == workload]
