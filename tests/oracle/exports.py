"""Cases as graphs in files: what TensorFlow and we compute of them again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

import eagerflow as ef
from eagerflow import nest
from eagerflow.framework import func_graph
from eagerflow.graphdef import exporting
from eagerflow.protos.graph import MESSAGES
from oracle import in_graphs, registry

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


def traced(case: Any, sizes_known: bool) -> tuple[Any, list[Any]] | None:
    """A case's graph, and values for its placeholders; None if it cannot be traced or read without state."""
    graph = func_graph.FuncGraph("case")
    given = in_graphs.Placeholders(ef, graph, sizes_known)
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
        for sizes_known in (True, False) if number % every == 0 else (True,):
            found = None if case.raises else traced(case, sizes_known)
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
