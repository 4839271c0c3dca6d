"""Graphs and SavedModels that TensorFlow wrote, as `tests/graphdef` reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from graphdef import programs

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
    return 0
