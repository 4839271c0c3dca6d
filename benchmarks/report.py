"""Writes what was measured: a page in Markdown, and the sentences beside the chart of the headlines."""

import os
import platform
import re
from collections.abc import Iterable
from pathlib import Path

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    from pip._vendor import tomli as tomllib

import charts
from harness import LEAST_ROUNDS, Result
from workload import CONTENDERS, FASTEST_PEER, ITSELF, OURS, Target

NOTES = Path(__file__).parent / "notes.toml"
START, END = "<!-- benchmarks -->\n", "<!-- end -->"
LOSSES = "## Where others win or tie\n\n"
# A column beside the contenders'.
LIMIT = "of the limit"
UNITS = {
    "time": [(1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")],
    "memory": [(2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")],
}
UNITS["process"] = UNITS["time"]
UNITS["size"] = UNITS["memory"]
UNITS["share"] = [(0.01, "%")]


def quantity(value: float | None, measure: str) -> str:
    """A measurement in three digits and a unit that fits."""
    if value is None:
        return "–"
    factor, unit = next(
        (scale for scale in UNITS[measure] if value >= scale[0]), UNITS[measure][-1]
    )
    number = value / factor
    digits = 0 if number >= 99.5 else 1 if number >= 9.95 else 2
    return f"{number:.{digits}f} {unit}"


def percent(share: float | None) -> str:
    """A share in whole percents; nothing where there is none."""
    return "" if share is None else f"{share:.0%}"


def verdict(result: Result, target: Target) -> str:
    """Whether a target is met."""
    if OURS in result.errors:
        return "failed"
    return {True: "met", False: "**missed**", None: "–"}[result.met(target)]


def peer_name(result: Result, target: Target) -> str:
    """Whom we are compared with."""
    if target.peer == ITSELF:
        return "–"
    if target.peer != FASTEST_PEER:
        return CONTENDERS[target.peer]
    peer = result.peer(target)
    return f"fastest: {CONTENDERS[peer]}" if peer else FASTEST_PEER


def results_table(results: list[Result]) -> list[str]:
    """Every measurement, in Markdown; contenders that did none of the work have no column."""
    shown = [c for c in CONTENDERS if any(result.median(c) is not None for result in results)]
    limited = any(result.of_the_limit() is not None for result in results)
    columns = [CONTENDERS[c] for c in shown] + [LIMIT] * limited
    lines = ["| workload | " + " | ".join(columns) + " |", "|---|" + "---:|" * len(columns)]
    for result in results:
        measure = result.workload.measure
        cells = [quantity(result.median(c), measure) for c in shown]
        cells += [percent(result.of_the_limit())] * limited
        lines.append(f"| {result.workload.title} | " + " | ".join(cells) + " |")
    return lines


def groups(results: list[Result]) -> list[str]:
    """Every measurement, in Markdown, by groups, each with its charts."""
    lines = []
    for title in charts.GROUPS:
        own = [result for result in results if charts.group_of(result.workload.name) == title]
        if not own:
            continue
        drawn = sum(result.median(OURS) is not None for result in own)
        lines += [f"### {title}", ""]
        for name in charts.files_of(title, drawn):
            lines += [
                f"![{title}: others' time or memory as a multiple of eagerflow's]({name})",
                "",
            ]
        lines += [*results_table(own), ""]
    return lines


def losses(rows: Iterable[charts.Row]) -> list[str]:
    """Where a peer needs as little as we do, or less, in Markdown."""
    found = [(row, row.best_peer()) for row in rows]
    lines = [
        f"- {row.title}: {row.standing()}."
        for row, best in found
        if best and (best[1] < 1 or charts.is_tie(best[1]))
    ]
    return lines or ["Nowhere among these."]


def refreshed(text: str) -> str:
    """A page of which the list of losses is written anew from its tables."""
    before, _, rest = text.partition(LOSSES)
    after = rest[rest.index("\n## ") :]
    return before + LOSSES + "\n".join(losses(charts.measurements(text).values())) + "\n" + after


def every_target(results: list[Result]) -> list[tuple[Result, Target]]:
    """Each result with each of its targets."""
    return [(result, target) for result in results for target in result.workload.targets]


def targets_table(results: list[Result]) -> list[str]:
    """Ratios and targets, in Markdown."""
    lines = [
        "| workload | compared with | ours / theirs | at most | |",
        "|---|---|---:|---:|---|",
    ]
    for result, target in every_target(results):
        shown, at_most = compared(result, target)
        lines.append(
            f"| {result.workload.title} | {peer_name(result, target)} | {shown} | "
            f"{at_most} | {verdict(result, target)} |"
        )
    return lines


def compared(result: Result, target: Target) -> tuple[str, str]:
    """What was measured and what is wanted, as text: ratios, or sizes that are judged by themselves."""
    ratio = result.ratio(target)
    if result.workload.measure == "size":
        return quantity(ratio, "size"), quantity(target.at_most, "size")
    places = 3 if target.peer == ITSELF else 2
    return "–" if ratio is None else f"{ratio:.{places}f}", f"{target.at_most:g}"


def misses(results: list[Result]) -> list[str]:
    """A paragraph for each missed target: by how much, and why."""
    notes = tomllib.loads(NOTES.read_text())
    lines = []
    for result, target in every_target(results):
        if result.met(target) is not False:
            continue
        shown, at_most = compared(result, target)
        peer = "" if target.peer == ITSELF else f" beside {peer_name(result, target)}"
        peer = peer.replace("fastest: ", "the fastest, ")
        cause = notes.get(result.workload.name, "The cause is not known yet.")
        lines.append(
            f"- **{result.workload.title}**{peer}: {shown}, target {at_most}. {cause.strip()}"
        )
    return lines or ["None."]


def summary(text: str, link: str) -> list[str]:
    """What the README says beside the chart, in Markdown, from the page of all measurements."""
    machine = re.search(r"`make bench` on (.*?), (\d+) processors", text)
    rows = charts.measurements(text)
    best = [row.best_peer() for row in rows.values()]
    multiples = [found[1] for found in best if found]
    ties = sum(map(charts.is_tie, multiples))
    wins = sum(multiple > 1 and not charts.is_tie(multiple) for multiple in multiples)
    lines = [
        f"Beside the best of the others, eagerflow wins {wins} of {len(multiples)} measurements, ties in "
        f"{ties} and loses {len(multiples) - wins - ties}, on {machine[2]} cores of an {machine[1]}. "
        f"[Benchmarks]({link}) has all of them, and the cases where others win.",
    ]
    if {"wheel", "installed"} <= rows.keys():
        wheel, installed = rows["wheel"].values, rows["installed"].values
        lines += [
            "",
            f"The wheel is {wheel[OURS]}, {installed[OURS]} when installed; TensorFlow takes "
            f"{installed['tensorflow']}.",
        ]
    return lines


def fill(document: str, lines: list[str]) -> str:
    """A document with these lines between its two marks."""
    before, found, rest = document.partition(START)
    _, also_found, after = rest.partition(END)
    if not found or not also_found:
        raise ValueError(f"The document lacks {START.strip()!r} or {END!r}")
    return before + START + "\n".join(lines) + "\n" + END + after


def processor() -> str:
    """The processor's name, if the system tells."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def page(results: list[Result], versions: dict[str, str], threads: int, rounds: int) -> str:
    """The whole page, in Markdown."""
    modules = {
        CONTENDERS[c]: version
        for c, version in versions.items()
        if c not in ("tf.function", "jit_compile", "fit", "eager")
    }
    installed = ", ".join(f"{name} {version}".strip() for name, version in modules.items())
    lines = [
        "# Benchmarks",
        "",
        f"Measured by `make bench` on {processor()}, {len(os.sched_getaffinity(0))} processors, "
        f"{threads} threads for everybody, Python {platform.python_version()}: {installed}.",
        "",
        "Charts show others' time or memory as a multiple of eagerflow's, on a logarithmic axis: a mark "
        "right of the line is a case that eagerflow wins, one on the grey ground a case that it loses. "
        "On the right stands how eagerflow compares with the best of the others. A difference of up to "
        f"{charts.TIE:.0%} is a tie.",
        "",
        "![Others' time or memory as a multiple of eagerflow's: the headlines](benchmarks_headlines.png)",
        "",
        LOSSES.rstrip(),
        "",
        *losses(charts.measurements("\n".join(groups(results))).values()),
        "",
        "## All measurements",
        "",
        *groups(results),
        "## Against the targets",
        "",
        "A ratio below 1 means that eagerflow is faster, or uses less memory.",
        "",
        *targets_table(results),
        "",
        "## Missed targets",
        "",
        *misses(results),
        "",
        "## How it is measured",
        "",
        "Each framework runs in a process of its own. For every workload all of them build the "
        "same inputs and weights, and their results are compared before anything is timed; "
        "compilation and warm-up come before, too. Then they are measured in turns, "
        f"up to {rounds} rounds of about 0.15 seconds each, and {LEAST_ROUNDS} where a run takes "
        "seconds. The table shows the median of the rounds, a ratio is the median of the rounds' "
        "ratios. TensorFlow without `tf.function` runs the very code that eagerflow runs. PyTorch "
        "trains with its fused Adam and images stored channels last; JAX compiles the whole step "
        "and gives its state back to be "
        "overwritten. MLX evaluates every step by `mx.eval`; on a processor it computes in one "
        "thread beside the program's own and has nothing to set, and its products and convolutions "
        "are so slow there that the larger networks are left out. Imports and first steps are "
        "timed inside new processes. Memory is the highest resident size during ten steps in a new "
        "process, less what the process held after its imports. Where a workload's arithmetic and "
        f"memory traffic can be computed, “{LIMIT}” is the time that they need at the rates of "
        "NumPy's float32 product and of a copy, the best of the run, as a share of our time.",
        "",
    ]
    return "\n".join(lines)
