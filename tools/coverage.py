"""Writes docs/coverage.md: which of TensorFlow's public names the package has.

python tools/coverage.py            # write it
python tools/coverage.py --check    # fail if it is not up to date
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import re
import sys
import textwrap
import warnings
from pathlib import Path
from typing import Any

import keras_arguments

ROOT = Path(__file__).resolve().parent.parent
EXPORTED = ROOT / "tools" / "exported_operations.txt"
NAMES = ROOT / "tools" / "api_names.txt"
REASONS = ROOT / "tools" / "coverage_reasons.txt"
REPORT = ROOT / "docs" / "coverage.md"
PEER_COUNTS = ROOT / "tools" / "peer_counts.json"

INTRODUCTION = """\
# Coverage

Which public names of TensorFlow 2.21, and of its Keras 2 under `tf.keras`, eagerflow has.
`python tools/coverage.py` writes this page from `tools/api_names.txt` and the package. A name
counts only if it can be imported; what is missing, and why, is listed below the table.
"""


PEERS = """
## Tests of TensorFlow and Keras 2

`make peers` runs tests that TensorFlow and Keras 2 wrote for themselves, and programs whose answers
TensorFlow gave, where a copy of them lies beside the project. Tests of what is not public are not
counted. The last run:

| | pass | of | |
|---|---:|---:|---:|
"""

REFUSED = """
### Refused, or other than TensorFlow, on purpose

These are most of the tests that do not pass:

1. Python lambdas in model files of any format, and in the configurations of cell wrappers, are not run
   unless the program says `safe_mode=False`: Keras runs those of HDF5 files and SavedModels, whoever wrote
   them. In SavedModels the functions of the layers take their place.
2. A configuration names what Keras has and what the program has registered or passed, no other function
   of any module: a model file must not choose what a program calls.
3. "accuracy" of a loaded model is that which fits the first batch. Keras guesses it from the shapes of the
   outputs alone, and shows a wrong accuracy for sparse labels until the model is compiled again.
4. `tf.sparse` takes symbolic sparse tensors, where Keras raises because they are no `SparseTensor`.
5. Sounds are resampled with SciPy, where Keras asks for tensorflow_io.
6. `partitioner=` is accepted, and variables are whole: partitions were for parameter servers.
7. `layers.experimental.DynamicLookup`, `DynamicEmbedding` and the callback that updates it are missing:
   they count words in tables that change while a graph runs, and their results depend on the order in
   which threads do so. `dtensor.experimental.LayoutMap` is, because there are no layouts.
8. Messages are Keras's where its tests match them; where theirs name no remedy, ours do.
"""

SUITES = {
    "keras2": "Keras 2's own tests",
    "keras2-programs": "programs with Keras 2",
    "tensorflow": "TensorFlow's own tests",
    "functions": "programs with traced functions",
}

ARGUMENTS = """
## Arguments of `tf.keras`

Of {compared} classes, functions and methods of Keras 2, {alike} take the same arguments in the same
order with the same defaults (`tools/keras_arguments.txt` has them; arguments that come in addition
are not counted). Where they differ, this is what is missing, or has another place or default:
"""


OPERATIONS = """
## Operations of TensorFlow

TensorFlow 2.21 declares {declared} operations. {called} can be called as `tf.raw_ops` and run in imported
graphs, and {more} more, those of control flow, run there. What is written when our graphs are exported is
among them; `tests/oracle/not_exported.txt` has the {refused} recorded programs that are not exported. The
others are refused by name when the function that holds them is called:

{missing}

`tools/exported_operations.txt` has the operations in {files} SavedModels that TensorFlow exports: Keras's
applications and layers, and functions with texts, ragged and sparse tensors, images, sound, control flow and
random numbers. They are {held}. Of these are missing:

{lacking}
"""


# Why operations are missing, by what their names have; the first that fits counts.
FAMILIES = {
    "TPUs and XLA": (
        "TPU|Xla|SparseCore|Infeed|Outfeed|CrossReplica|AllToAll|CollectivePermute|Prelinearize"
        "|PhysicalReplica|Minibatch|WorkerHeartbeat|ConvertToCooTensor|GlobalIterId"
    ),
    "Datasets, which are objects here": (
        "Dataset|Iterator|Optional|MemoryCache|SeedGenerator|ThreadPool|StatsAggregator|CompressElement"
        "|GetElementAtIndex|GetOptions|MapDefun|ComputeBatchSize|WindowOp|IterationCounter"
    ),
    "Exchange between processes and devices": (
        "Collective|Nccl|^Send$|^Recv$|DistributedSave|SyncDevice|Session|FileSystemSetConfiguration"
    ),
    "Trees and linear models of estimators, which TensorFlow no longer has": "BoostedTrees|Sdca",
    "cuDNN": "Cudnn",
    "TensorFlow's debugger": "Debug",
    "Arithmetic with quantized numbers, which oneDNN and mobile runtimes do": (
        "Quantized|Requanti|UniformQ|UniformDe|QuantizeDown"
    ),
    "Queues, readers, barriers and staging areas of version 1, which are objects here": (
        "Queue|Reader|Barrier|^(OrderedMap|Map)|Stage|Accumulator|RecordInput|^(Unb|B)atch(Grad|Function)?$"
    ),
    "Summaries, which `tf.summary` writes": "Summary|ImportEvent",
    "Sparse matrices by rows": "CSRSparse|SparseMatrix",
}


def _by_family(missing: list[str], fill: textwrap.TextWrapper) -> str:
    parts = []
    left = missing
    for reason, pattern in FAMILIES.items():
        names = [name for name in left if re.search(pattern, name)]
        left = [name for name in left if name not in names]
        parts.append(f"### {reason} ({len(names)})\n\n{fill.fill(' '.join(names))}")
    parts.append(f"### Others ({len(left)})\n\n{fill.fill(' '.join(left))}")
    return "\n\n".join(parts)


def operations() -> str:
    """Which of TensorFlow's operations there are."""
    import eagerflow as tf
    from eagerflow.graphdef import op_defs, version1_control_flow

    declared = op_defs.names()
    called = set(dir(tf.raw_ops))
    only = sorted({*version1_control_flow.OPERATIONS, "Placeholder"} - called)
    missing = [name for name in declared if name not in called and name not in only]
    exported = [
        line.partition(": ")[2].split()
        for line in EXPORTED.read_text().splitlines()
        if not line.startswith("#")
    ]
    held = {name for names in exported for name in names}
    lacking = sorted(held.intersection(missing))
    fill = textwrap.TextWrapper(100, break_long_words=False, break_on_hyphens=False)
    refused = (ROOT / "tests" / "oracle" / "not_exported.txt").read_text().splitlines()
    return OPERATIONS.format(
        declared=len(declared),
        called=len(called),
        more=len(only),
        missing=_by_family(missing, fill),
        files=len(exported),
        held=len(held),
        refused=sum(not line.startswith("#") for line in refused),
        lacking=fill.fill(" ".join(lacking)) if lacking else "All of them run here.",
    )


def sections(text: str) -> dict[str, list[str]]:
    """The names in each section of the list, by the section's title."""
    names_by_title: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.startswith("["):
            names = names_by_title.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            names += line.split()
    return names_by_title


def resolve(path: str) -> Any:
    """The object with a dotted name that starts with `tf`; None if there is none."""
    import eagerflow

    value: Any = eagerflow
    for part in path.split(".")[1:]:
        value = getattr(value, part, None)
        if value is None:
            return None
    return value


def has(owner: Any, name: str) -> bool:
    """Whether the namespace or class has the name."""
    try:
        return owner is not None and hasattr(owner, name)
    except Exception:  # an attribute that is broken is not there
        return False


def reason_of(namespace: str, name: str) -> str:
    """Why a name is missing.

    Raises:
        LookupError: if the list of reasons does not mention it.
    """
    for line in REASONS.read_text().splitlines():
        if line and not line.startswith("#"):
            where, pattern, reason = line.split(None, 2)
            if where == namespace and fnmatch.fnmatchcase(name, pattern):
                return reason
    raise LookupError(f"{namespace}.{name} is missing, and {REASONS.name} does not say why")


def explained(namespace: str, missing: list[str]) -> str:
    """The missing names of a namespace as a list, grouped by reason."""
    names: dict[str, list[str]] = {}
    for name in missing:
        names.setdefault(reason_of(namespace, name), []).append(f"`{name}`")
    items = [f"- {' '.join(group)}: {reason}" for reason, group in names.items()]
    fill = textwrap.TextWrapper(
        100, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(map(fill.fill, items))


def peers() -> str:
    """The table of what passes of the peers' tests."""
    counts = json.loads(PEER_COUNTS.read_text())
    rows = [
        f"| {shown} | {counts[name][0]} | {counts[name][1]} | "
        f"{100 * counts[name][0] // counts[name][1]}% |"
        for name, shown in SUITES.items()
        if name in counts
    ]
    return PEERS + "\n".join(rows) + "\n" + REFUSED.rstrip()


def report() -> str:
    """The page's text."""
    rows, lists = [], []
    present = total = 0
    for title, names in sections(NAMES.read_text()).items():
        path = title.removeprefix("class ")
        shown = f"members of `{path}`" if title.startswith("class ") else f"`{path}`"
        owner = resolve(path)
        missing = [name for name in names if not has(owner, name)]
        count = len(names) - len(missing)
        present += count
        total += len(names)
        rows.append(f"| {shown} | {count} | {len(names)} | {100 * count // len(names)}% |")
        if missing:
            lists.append(f"### {shown}\n\n{explained(path, missing)}\n")
    table = ["| namespace | there | of | |", "|---|---:|---:|---:|", *rows]
    table.append(f"| all | {present} | {total} | {100 * present // total}% |")
    alike, compared, lines = keras_arguments.compare(resolve)
    shown = [ARGUMENTS.format(alike=alike, compared=compared), *lines]
    parts = [INTRODUCTION, "\n".join(table), peers(), "\n".join(shown), operations()]
    parts += ["\n## Missing\n", "\n".join(lists)]
    return "\n".join(parts).rstrip() + "\n"


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only compare")
    arguments = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        text = report()
    if not arguments.check:
        REPORT.write_text(text)
        return 0
    if REPORT.exists() and REPORT.read_text() == text:
        return 0
    print("docs/coverage.md is not up to date: run python tools/coverage.py")
    return 1


if __name__ == "__main__":
    sys.exit(main())
