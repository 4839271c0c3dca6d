"""Cases as graphs in files: what TensorFlow and we compute of them again.

From the folder `tests`, in an environment that has TensorFlow and eagerflow:

    python -m oracle.exports                # run all exported graphs in TensorFlow
    python -m oracle.exports images         # those of a family
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import eagerflow as ef
from eagerflow import nest
from eagerflow.framework import func_graph
from eagerflow.graphdef import exporting
from eagerflow.protos.graph import MESSAGES
from oracle import in_graphs, record, registry

FAMILIES = (
    "elementwise reductions shapes indexing linalg linear_operators decompositions nn special signal "
    "images strings neighbourhoods odd_arguments raw_ops unranked"
).split()

# Variables and functions of a case end with it.
_STATE = {"ReadVariableOp", "PartitionedCall", "StatefulPartitionedCall"}
# What cases do themselves, and what differs in each run.
_OTHER = {"EagerPyFunc", "RandomStream"}
_TOLERANCES = {"float16": 2e-2, "bfloat16": 6e-2, "float64": 1e-8, "complex128": 1e-8}


class Exported(NamedTuple):
    """A case's graph in a file.

    Args:
        name: the case's name.
        graph_def: the GraphDef message, as bytes.
        fetches: the names of the results.
        feeds: values of the placeholders by name.
        results: what our graph gives.
    """

    name: str
    graph_def: bytes
    fetches: list[str]
    feeds: dict[str, np.ndarray]
    results: list[np.ndarray]


class Refused(NamedTuple):
    """A case whose graph cannot be exported."""

    name: str
    reason: str


def traced(case: Any, known: str) -> tuple[Any, list[Any]] | None:
    """A case's graph, and values for its placeholders; None if it cannot be traced or read without state."""
    graph = func_graph.FuncGraph("case")
    given = in_graphs.Placeholders(ef, graph, known)
    try:
        with graph.as_default():
            leaves = nest.flatten(case.run(given), expand_composites=True)
            graph.finish([graph.capture(leaf) for leaf in leaves if isinstance(leaf, ef.Tensor)])
        graph.run(given.values)
    except Exception:  # what is raised is an answer of `test_oracle_in_graphs.py`
        return None
    values = [*given.values, *(outer for outer, _ in graph.captures)]
    if any(value.dtype in (ef.variant, ef.resource) for value in values):
        return None
    if not graph.outputs or any(node.type in _STATE | _OTHER for node in graph.nodes):
        return None
    return graph, given.values


def of_family(family: str, every: int) -> Iterator[Exported | Refused]:
    """The graphs of a family, one in so many of its cases without the sizes, too."""
    for number, (name, case) in enumerate(registry.load(family).items()):
        for known in ("sizes", "ranks") if number % every == 0 else ("sizes",):
            found = None if case.raises else traced(case, known)
            if found is not None:
                yield _exported(name, *found)


def _exported(name: str, graph: Any, values: list[Any]) -> Exported | Refused:
    message = MESSAGES["GraphDef"]()
    exporter = exporting.Exporter(strict=True)
    body = exporting.Body(exporter, message.node, False)
    try:
        exporting.write_graph(body, graph)
    except ef.errors.UnimplementedError as error:
        return Refused(name, str(error))
    exporting.finish_message(message, exporter)
    refs = [body.ref(tensor) for tensor in graph.outputs]
    feeds = dict(zip((t.name for t in graph.inputs), (v.numpy() for v in values), strict=True))
    feeds |= {inner.name: outer.numpy() for outer, inner in graph.captures}
    return Exported(
        name, message.SerializeToString(), [f"{ref.node}:{ref.number}" for ref in refs], feeds,
        [np.asarray(result.numpy()) for result in graph.run(values)],
    )  # fmt: skip


def computed(tf: Any, exported: Exported, message: Any) -> list[Any]:
    """What a package computes of the graph."""
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(message, name="")
        with tf.compat.v1.Session(graph=graph) as session:
            return session.run(exported.fetches, exported.feeds)  # type: ignore[no-any-return]


def difference(found: Any, expected: np.ndarray) -> str:
    """What is wrong with a result; empty if it is right."""
    found = np.asarray(found)
    if found.shape != expected.shape:
        return f"shape {found.shape}, not {expected.shape}"
    if expected.dtype.kind in "OSU":
        return "" if (found == expected).all() else f"{found}, not {expected}"
    if found.dtype != expected.dtype:
        return f"dtype {found.dtype}, not {expected.dtype}"
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    limit = _TOLERANCES.get(expected.dtype.name, 2e-4)
    pair = found.astype(wide), expected.astype(wide)
    return "" if np.allclose(*pair, limit, limit, True) else f"{found}, not {expected}"


# What TensorFlow refuses or answers otherwise although the graph is right, by reason.
NOT_IN_TENSORFLOW = frozenset(
    [
        # It compares ranks before it sees that there are no weights.
        "raw_ops/list(raw.DenseCountSparseOutput(values=n, weights=tf.constant([], tf.int64), "
        "binary_output=False))",
        # Its error function of float64 is not a number far from zero, which `known_differences.txt` has.
        "elementwise/unary_special[nn.gelu-float64]",
        # Its kernels for CPUs have no gradients of convolutions with gaps or groups.
        "nn/conv2d_gradient[dilation 2]",
        "nn/conv2d_gradient[same dilation 2]",
        "nn/conv2d_gradient[dilations 2,3]",
        "nn/conv2d_gradient[dilations of four]",
        "nn/conv2d_gradient[groups 2]",
        "nn/conv2d_gradient[groups 4]",
        # A box overlaps another by 0.1 but for rounding.
        "images/suppression[0.1]",
    ]
)
NOT_EXPORTED = Path(__file__).parent / "not_exported.txt"


KNOWN_DIFFERENCES = Path(__file__).parent / "known_differences.txt"


def listed(path: Path = NOT_EXPORTED) -> frozenset[str]:
    """The cases of a list, as `family/name`: those that are not exported, or compute other values here."""
    lines = path.read_text().splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def main() -> int:
    """Runs the graphs of all cases, or of the families that are named, in TensorFlow."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
    import tensorflow

    known = listed() | listed(KNOWN_DIFFERENCES) | NOT_IN_TENSORFLOW
    wrong = count = 0
    for family in sys.argv[1:] or FAMILIES:
        for one in of_family(family, 3):
            name = f"{family}/{one.name}"
            if isinstance(one, Refused) or name in known:
                continue
            count += 1
            try:
                message = tensorflow.compat.v1.GraphDef.FromString(one.graph_def)
                pairs = zip(computed(tensorflow, one, message), one.results, strict=True)
                reason = next(filter(None, (difference(*pair) for pair in pairs)), "")
            except Exception as error:
                # A kernel that TensorFlow happens not to have says nothing about the graph.
                is_accident = type(error).__name__ in record.ACCIDENTS
                reason = "" if is_accident else f"{type(error).__name__}: {error}"
            if reason:
                wrong += 1
                print(f"{name}: {reason}", flush=True)
        print(f"exported {family}: compared", flush=True)
    print(f"{wrong} of {count} exported graphs differ in TensorFlow")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
