"""Writes what was measured: a page in Markdown and a chart."""

import os
import platform
from pathlib import Path

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    from pip._vendor import tomli as tomllib

from harness import Result
from workload import CONTENDERS, FASTEST_PEER, ITSELF, OURS, Target

NOTES = Path(__file__).parent / "notes.toml"
# What the README shows: one line from each part of the work.
HEADLINES = (
    "add",
    "add-recorded",
    "gradient",
    "regression",
    "cnn-small",
    "cnn-large",
    "cnn-large-memory",
    "fit_mlp",
    "fit_lstm",
    "data_shuffle",
    "import",
)
README_START, README_END = "<!-- benchmarks -->\n", "<!-- end -->"
UNITS = {
    "time": [(1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")],
    "memory": [(2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")],
}
UNITS["process"] = UNITS["time"]
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
    lines = [
        "| workload | " + " | ".join(CONTENDERS[c] for c in shown) + " |",
        "|---|" + "---:|" * len(shown),
    ]
    for result in results:
        measure = result.workload.measure
        cells = [quantity(result.median(c), measure) for c in shown]
        lines.append(f"| {result.workload.title} | " + " | ".join(cells) + " |")
    return lines


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
        ratio = result.ratio(target)
        shown = "–" if ratio is None else f"{ratio:.{3 if target.peer == ITSELF else 2}f}"
        lines.append(
            f"| {result.workload.title} | {peer_name(result, target)} | {shown} | "
            f"{target.at_most:g} | {verdict(result, target)} |"
        )
    return lines


def misses(results: list[Result]) -> list[str]:
    """A paragraph for each missed target: by how much, and why."""
    notes = tomllib.loads(NOTES.read_text())
    lines = []
    for result, target in every_target(results):
        if result.met(target) is not False:
            continue
        ratio = result.ratio(target)
        excess = ratio / target.at_most - 1
        cause = notes.get(result.workload.name, "The cause is not known yet.")
        lines.append(
            f"- **{result.workload.title}**: {ratio:.2f} of {peer_name(result, target)} where "
            f"{target.at_most:g} is wanted, {excess:.0%} more. {cause.strip()}"
        )
    return lines or ["None."]


def summary(results: list[Result]) -> list[str]:
    """The README's part: the headlines, and how many targets are met, in Markdown."""
    judged = [result.met(target) for result, target in every_target(results)]
    judged = [reached for reached in judged if reached is not None]
    met = sum(judged)
    return [
        f"On {len(os.sched_getaffinity(0))} cores of an {processor()}, everybody with two threads "
        "(`make bench`). "
        f"{met} of {len(judged)} targets are met; [docs/benchmarks.md](docs/benchmarks.md) has all "
        "of them, and the causes of the misses.",
        "",
        *results_table([result for result in results if result.workload.name in HEADLINES]),
    ]


def fill(readme: str, lines: list[str]) -> str:
    """The README's text with these lines between its two marks."""
    before, found, rest = readme.partition(README_START)
    _, also_found, after = rest.partition(README_END)
    if not found or not also_found:
        raise ValueError(f"The README lacks {README_START.strip()!r} or {README_END!r}")
    return before + README_START + "\n".join(lines) + "\n" + README_END + after


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
        "![Each framework's time or memory as a multiple of eagerflow's](benchmarks.png)",
        "",
        "## Against the targets",
        "",
        "A ratio below 1 means that eagerflow is faster, or uses less memory.",
        "",
        *targets_table(results),
        "",
        "## All measurements",
        "",
        *results_table(results),
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
        f"{rounds} rounds of about 0.15 seconds each. The table shows the median of the "
        "rounds, a ratio is the median of the rounds' ratios. TensorFlow without `tf.function` "
        "runs the very code that eagerflow runs. PyTorch trains with its fused Adam and images "
        "stored channels last; JAX compiles the whole step and gives its state back to be "
        "overwritten. MLX evaluates every step by `mx.eval`; on a processor it computes in one "
        "thread beside the program's own and has nothing to set, and its products and convolutions "
        "are so slow there that the larger networks are left out. Imports and first steps are "
        "timed inside new processes. Memory is the highest resident size during ten steps in a new "
        "process, less what the process held after its imports.",
        "",
    ]
    return "\n".join(lines)


def draw(results: list[Result], path: Path) -> None:
    """Draws every peer's measurement as a multiple of ours."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    shown = [result for result in results if result.median(OURS)][::-1]
    markers = dict(zip(CONTENDERS, "os^DvXp*", strict=True))
    figure, axes = plt.subplots(figsize=(11, 1.4 + 0.26 * len(shown)), layout="constrained")
    axes.axvline(1, color="black", linewidth=1.5, label=CONTENDERS[OURS])
    for contender, name in CONTENDERS.items():
        if contender == OURS:
            continue
        rows = [i for i, result in enumerate(shown) if result.median(contender)]
        multiples = [shown[i].median(contender) / shown[i].median(OURS) for i in rows]
        axes.plot(multiples, rows, markers[contender], markersize=7, alpha=0.85, label=name)
    for i, result in enumerate(shown):
        for target in result.workload.targets:
            if result.peer(target):
                wanted = axes.plot(1 / target.at_most, i, "|k", markersize=14)[0]
    if shown:
        wanted.set_label("target for the named peer")
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}×")
    axes.set_yticks(range(len(shown)), [result.workload.title.replace("`", "") for result in shown])
    axes.set_ylim(-0.8, len(shown) - 0.2)
    axes.set_xlabel("multiple of eagerflow's time or memory\n(right of the line, eagerflow wins)")
    axes.grid(alpha=0.3, which="major")
    figure.legend(loc="outside upper center", ncols=8, frameon=False)
    figure.savefig(path, dpi=120)
    plt.close(figure)
