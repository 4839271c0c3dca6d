"""Functions traced without `tf.function`: what the nodes of one graph do."""

from __future__ import annotations

from typing import Any

import eagerflow as tf
from eagerflow.framework import func_graph


def traced(function: Any, *specs: Any) -> Any:
    """A function that runs the graph of a function for inputs with these specs."""
    graph = func_graph.trace(function, specs, name=getattr(function, "__name__", "f"))

    def run(*args: Any) -> Any:
        inputs = [
            tf.convert_to_tensor(arg, dtype=spec.dtype)
            for arg, spec in zip(args, specs, strict=True)
        ]
        return func_graph.pack_outputs(graph, graph.run(inputs))

    run.graph = graph
    return run


def lists(structure: Any) -> Any:
    """The tensors of a structure as lists."""
    return tf.nest.map_structure(lambda t: t.numpy().tolist(), structure)
