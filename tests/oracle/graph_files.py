"""Graphs and SavedModels that TensorFlow wrote, as `tests/graphdef` reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from graphdef import programs, version1_programs

FOLDER = Path(__file__).parents[1] / "graphdef" / "files"


def record(tf: Any) -> int:
    """Writes the files; returns the number of failures, 0."""
    for name, (make, arguments) in programs.PROGRAMS.items():
        traced = tf.function(make(tf)).get_concrete_function(*programs.specs(tf, arguments))
        results = tf.nest.flatten(traced(*map(tf.constant, arguments)))
        (FOLDER / f"{name}.pb").write_bytes(traced.graph.as_graph_def().SerializeToString())
        np.savez_compressed(
            FOLDER / f"{name}.npz",
            inputs=[tensor.name for tensor in traced.inputs],
            outputs=[tensor.name for tensor in traced.outputs],
            **{f"result{k}": result.numpy() for k, result in enumerate(results)},
        )
    for name, make in version1_programs.PROGRAMS.items():
        _record_version1(tf, name, make)
    return 0


def _record_version1(tf: Any, name: str, make: Any) -> None:
    """Writes the graph of a program of version 1, and what it gives for each feed."""
    tf.compat.v1.disable_control_flow_v2()
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        tensors = version1_programs.built(tf, make)
        results = [session.run(tensors, feed) for feed in version1_programs.FEEDS]
        content = graph.as_graph_def().SerializeToString()
    (FOLDER / f"version1_{name}.pb").write_bytes(content)
    found = {f"{k}_{key}": value for k, part in enumerate(results) for key, value in part.items()}
    np.savez_compressed(FOLDER / f"version1_{name}.npz", **found)
