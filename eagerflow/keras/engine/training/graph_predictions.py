"""Predictions of models in programs of version 1: a session runs the tensors of their graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eagerflow import _core, nest
from eagerflow.framework import context
from eagerflow.keras.engine import graph_mode
from eagerflow.keras.engine.functional.graph import conform
from eagerflow.keras.engine.training.data_adapter import unpack_x_y_sample_weight
from eagerflow.keras.engine.training.steps import Steps
from eagerflow.util import own_code

if TYPE_CHECKING:
    from eagerflow.graph.graph import Graph


def of_model(model: Any) -> GraphPredictions | None:
    """The function that predicts by a session; None for a model that is not of tensors of the graph.

    A program may have replaced what layers compute with, such as a weight by a tensor. Calling the layers
    again, outside of the graph, would not have it.
    """
    graph, tensors = context.surrounding_graph(), model._graph
    if graph is None or tensors is None or model.run_eagerly:
        return None
    known = all(id(x) in graph.keras_tensors for x in (*tensors.inputs, *tensors.outputs))
    is_of_program = not own_code.is_own(model.call.__module__)
    if is_of_program or type(model).predict_step is not Steps.predict_step:
        return None
    steps = model._steps_per_execution
    if not known or model.__dict__.get("_stale") or (steps is not None and int(steps) != 1):
        return None
    return GraphPredictions(model, graph)


class GraphPredictions:
    """Takes an iterator over batches, and returns predictions.

    Args:
        model: a model with a graph of layers.
        graph: the program's graph, which has its tensors.
    """

    def __init__(self, model: Any, graph: Graph) -> None:
        self._model, self._graph = model, graph

    def __call__(self, batches: Any) -> Any:
        """The predictions for the next batch, as tensors."""
        inputs, _, _ = unpack_x_y_sample_weight(next(batches))
        return nest.map_structure(_core.as_tensor, self.arrays(inputs))

    def arrays(self, inputs: Any) -> Any:
        """The predictions for inputs, which need not be of as many samples each, as arrays."""
        layers, tensors = self._model._graph, self._graph.keras_tensors
        fed = [x for x in layers.inputs if x._keras_history.layer.is_placeholder]
        if len(fed) == len(layers.inputs):
            values = layers.conformed(inputs, self._model.name)
        else:
            flat = nest.flatten(inputs)
            if len(flat) != len(fed):
                raise ValueError(
                    f"Model {self._model.name!r} is fed {len(fed)} of its {len(layers.inputs)} "
                    f"inputs, as others have values. It received {len(flat)}."
                )
            values = [conform(*pair) for pair in zip(flat, fed, strict=True)]
        feeds = {tensors[id(x)][1]: v for x, v in zip(fed, values, strict=True)}
        graph_mode.initialize_variables(self._graph)
        fetches = [tensors[id(output)][1] for output in layers.outputs]
        found = graph_mode.get_session().run(fetches, feeds)
        return nest.pack_sequence_as(layers.nested_outputs, found)
