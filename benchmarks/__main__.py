"""Measures eagerflow beside TensorFlow, PyTorch, JAX, MLX and NumPy.

python benchmarks                      # everything; writes docs/benchmarks.md, its charts and summaries
python benchmarks add traced          # some workloads, or a module's; prints only
python benchmarks --headlines         # the rows of README's chart; prints only
python benchmarks --keep FILE gpt     # these anew; writes the pages when FILE has the others
python benchmarks --redraw            # charts and summaries anew from the tables, without measuring
python benchmarks processes           # several processes, which MPI starts; prints only
"""

import argparse
import sys
import time
from pathlib import Path

import charts
import processes
import report
import suite
from harness import ROUNDS, Harness
from kept import Kept
from workload import CONTENDERS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def main() -> int:
    """The command line; exits with 1 when a contender is missing or fails."""
    if sys.argv[1:2] == ["processes"]:
        return processes.main(sys.argv[2:])
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument(
        "workloads",
        nargs="*",
        help=f"families ({', '.join(suite.FAMILIES)}) or some of: {', '.join(suite.WORKLOADS)}",
    )
    parser.add_argument("--headlines", action="store_true", help="the rows of README's chart")
    parser.add_argument("--contenders", nargs="+", choices=CONTENDERS, default=list(CONTENDERS))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--docs", type=Path, default=DOCS, help="where a full run writes")
    parser.add_argument(
        "--keep",
        type=Path,
        help="a file that gets each measurement as it comes; what it has is not measured again "
        "unless it is named",
    )
    parser.add_argument(
        "--redraw",
        action="store_true",
        help="measure nothing: draw the charts and write the summaries from the tables in the page",
    )
    arguments = parser.parse_args()
    if arguments.redraw:
        write(report.refreshed((arguments.docs / "benchmarks.md").read_text()), arguments.docs)
        return 0
    chosen = list(charts.HEADLINES) if arguments.headlines else []
    for name in arguments.workloads:
        found = suite.named(name)
        if not found:
            parser.error(f"no such workload or family: {name}")
        chosen += found

    started = time.perf_counter()
    kept = Kept(arguments.keep, suite.WORKLOADS)
    names = chosen or [name for name in suite.WORKLOADS if name not in kept.results]
    needed = {contender for name in names for contender in suite.WORKLOADS[name].contenders}
    contenders = [contender for contender in arguments.contenders if contender in needed]
    harness = Harness(contenders, arguments.threads, arguments.rounds)
    for contender, reason in harness.missing.items():
        print(f"{contender} is left out: {reason}")
    results = []
    try:
        for i, name in enumerate(names, start=1):
            result = harness.measure(suite.WORKLOADS[name])
            results.append(result)
            kept.add(result, harness.versions)
            show(result, f"[{i}/{len(names)}]")
    finally:
        harness.close()

    print(f"\n{time.perf_counter() - started:.0f} s\n")
    print(*report.targets_table(results), sep="\n")
    if kept.results.keys() == suite.WORKLOADS.keys():
        versions = {c: kept.versions[c] for c in CONTENDERS if c in kept.versions}
        page = report.page(kept.in_order(), versions, harness.threads, harness.rounds)
        write(page, arguments.docs)
    return 1 if harness.missing or any(result.errors for result in results) else 0


def show(result, position: str) -> None:
    """Prints a workload's medians as they come."""
    measure = result.workload.measure
    medians = "  ".join(
        f"{CONTENDERS[c]} {report.quantity(result.median(c), measure)}" for c in result.samples
    )
    share = result.of_the_limit()
    limit = "" if share is None else f"  ({report.percent(share)} {report.LIMIT})"
    print(f"{position} {result.workload.title}: {medians}{limit}", flush=True)
    for contender, error in result.errors.items():
        print(f"    {contender} failed: {error}")


def write(text: str, folder: Path) -> None:
    """Writes the page, its charts, and what other documents say of them if they are this project's own."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "benchmarks.md").write_text(text)
    charts.draw_all(text, folder)
    if folder == DOCS:
        for document, link in (
            (ROOT / "README.md", "docs/benchmarks.md"),
            (DOCS / "index.md", "benchmarks.md"),
        ):
            document.write_text(report.fill(document.read_text(), report.summary(text, link)))


if __name__ == "__main__":
    sys.exit(main())
