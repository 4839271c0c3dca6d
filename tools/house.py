"""Figures of the source tree that may only fall, held to those in tools/house.txt.

    python tools/house.py            # print them; fail where one has risen
    python tools/house.py --update   # write down those that have fallen

Nothing is built. The objects that a header rebuilds are the .cpp files of core/ that include it, also
through other headers.
"""

import argparse
import collections
import pathlib
import re
import sys

import any_counts

ROOT = pathlib.Path(__file__).parent.parent
HELD = ROOT / "tools" / "house.txt"
PACKAGES = ("eagerflow", "eagerflow_compat")
# Headers that change often. Others hold types that every source file may use.
HEADERS = ("ops/op.h", "ops/attrs.h", "tensor/tensor.h", "eager/variable.h")
LONG_FILE = 800


def rebuilt_objects() -> dict[str, int]:
    """For each of `HEADERS`, how many .cpp files include it, directly or not."""
    core = ROOT / "core"
    includes = {}
    for path in core.rglob("*"):
        if path.suffix in (".cpp", ".h"):
            named = re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE)
            includes[path.relative_to(core).as_posix()] = named
    counts: collections.Counter[str] = collections.Counter()
    for source in includes:
        if source.endswith(".cpp"):
            seen: set[str] = set()
            pending = [source]
            while pending:
                new = set(includes.get(pending.pop(), [])) - seen
                seen |= new
                pending += new
            counts.update(seen.intersection(HEADERS))
    return {header: counts[header] for header in HEADERS}


def measure() -> dict[str, dict[str, int]]:
    """The figures by section and name."""
    lines: collections.Counter[str] = collections.Counter()
    for path in any_counts.files():
        lines[any_counts.package(path.relative_to(ROOT))] += path.read_text().count("\n")
    long_files = {}
    for folder in (
        "core",
        *PACKAGES,
        "tests",
        "tools",
        "fuzz",
        "stress",
        "differential",
        "benchmarks",
    ):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".py", ".cpp", ".h"):
                length = path.read_text().count("\n")
                if length > LONG_FILE:
                    long_files[path.relative_to(ROOT).as_posix()] = length
    any_types = any_counts.counts()
    for counts in (lines, any_types):
        for package in PACKAGES:
            counts[f"{package}/*"] = sum(
                figure for name, figure in counts.items() if name.split("/")[0] == package
            )
    return {
        "objects": rebuilt_objects(),
        "lines": dict(lines),
        "any": dict(any_types),
        "long": long_files,
    }


def read_held() -> dict[tuple[str, str], int]:
    """The figures that are written down."""
    held = {}
    for line in HELD.read_text().splitlines():
        section, name, figure = line.split()
        held[section, name] = int(figure)
    return held


def main() -> int:
    """Prints the figures; 1 if one has risen."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="write down figures that have fallen")
    update = parser.parse_args().update
    held = read_held() if HELD.exists() else None
    figures = {
        (section, name): figure
        for section, names in measure().items()
        for name, figure in sorted(names.items())
    }
    risen = []
    for (section, name), figure in figures.items():
        limit = figure if held is None else held.get((section, name))
        # New entries have no limit, except for long files; the totals include them.
        if limit is None:
            limit = 0 if section == "long" else figure
        mark = "" if figure == limit else f"  (was {limit})"
        print(f"{section:8} {name:44} {figure:7,}{mark}")
        if figure > limit:
            risen.append(f"{section} {name}: {figure:,}, at most {limit:,}")
    if risen:
        print("\nThese have risen:", *risen, sep="\n  ", file=sys.stderr)
        return 1
    if update or held is None:
        HELD.write_text("".join(f"{s} {name} {figure}\n" for (s, name), figure in figures.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
