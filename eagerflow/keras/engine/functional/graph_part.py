"""Layers for operations of a program's graph between results of layers."""

from __future__ import annotations

from typing import Any

from eagerflow import _core, nest
from eagerflow.functions.concrete_function import ConcreteFunction
from eagerflow.functions.pruning import function_of_part
from eagerflow.graph.graph import Graph
from eagerflow.keras import naming
from eagerflow.keras.engine.layer import Layer


class GraphPart(Layer):
    """A layer that computes what operations of a graph compute.

    Args:
        graph: the graph.
        feeds: the tensors of the graph that the layer is called with.
        fetch: the tensor of the graph that the layer computes from them.
    """

    def __init__(self, graph: Graph, feeds: list[_core.Tensor], fetch: _core.Tensor) -> None:
        name = naming.unique_name(f"tf_op_layer_{_core.node_of(fetch).name}")
        super().__init__(name=name, trainable=False, autocast=False)
        part = function_of_part(ConcreteFunction, graph, feeds, fetch, self.name)
        self.__dict__["_part"] = part
        self.built = True

    def call(self, inputs: Any) -> Any:
        """The tensor that the operations compute from other values."""
        return self.__dict__["_part"](*nest.flatten(inputs))

    def get_config(self) -> Any:
        """Raises NotImplementedError: operations of a graph have no configuration."""
        raise NotImplementedError(
            f"Layer {self.name} computes operations that the program added to its graph, which a "
            "configuration does not describe. Put them into a `tf.keras.layers.Lambda` layer to "
            "save or clone the model, or save its weights only."
        )
