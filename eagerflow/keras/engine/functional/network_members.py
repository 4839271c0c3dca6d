"""What programs that walk through functional models read of them: Keras 2's tables of the graph."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable
from typing import Any

from eagerflow import nest
from eagerflow.keras.engine.functional.graph import Graph, conform
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor
from eagerflow.keras.engine.functional.node import Node, symbols


class NetworkMembers:
    """Names that Keras 2's functional models have for parts of their graph.

    All but the methods raise AttributeError in a model without a graph.
    """

    _graph: Graph | None
    _name: str
    _set_graph: Callable[..., None]
    _extend_graph: Callable[[Any], None]
    _add_symbolic_loss: Callable[[Any], None]
    _add_symbolic_metric: Callable[[Any, str], None]

    def _network(self, name: str) -> Graph:
        graph = self._graph
        if graph is None:
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute {name!r}: it has no graph, which "
                "models of symbolic inputs and outputs have, and Sequential models that are built"
            )
        return graph

    @property
    def _nested_inputs(self) -> Any:
        """The symbolic inputs in their structure."""
        return self._network("_nested_inputs").nested_inputs

    @property
    def _nested_outputs(self) -> Any:
        """The symbolic outputs in their structure."""
        return self._network("_nested_outputs").nested_outputs

    @property
    def _nodes_by_depth(self) -> dict[int, list[Node]]:
        """The calls in the graph by their largest distance from the outputs."""
        found: dict[int, list[Node]] = {}
        for node, depth in self._network("_nodes_by_depth").node_depths.values():
            found.setdefault(depth, []).append(node)
        return found

    @property
    def _network_nodes(self) -> set[str]:
        """A name for each call in the graph: that of the layer, and the number of the call."""
        graph = self._network("_network_nodes")
        inside = {id(node) for node in graph.nodes}
        return {
            f"{layer.name}_ib-{index}"
            for layer in graph.layers
            for index, node in enumerate(layer._inbound_nodes)
            if id(node) in inside
        }

    @property
    def _input_coordinates(self) -> list[tuple[Any, int, int]]:
        """For each input its layer, the number of the call, and the number of its output."""
        return [tuple(x._keras_history) for x in self._network("_input_coordinates").inputs]

    @property
    def _output_coordinates(self) -> list[tuple[Any, int, int]]:
        """For each output its layer, the number of the call, and the number of its output."""
        return [tuple(x._keras_history) for x in self._network("_output_coordinates").outputs]

    @property
    def _input_layers(self) -> list[Any]:
        """The layers of the inputs."""
        return [x._keras_history.layer for x in self._network("_input_layers").inputs]

    @property
    def _output_layers(self) -> list[Any]:
        """The layers of the outputs."""
        return [x._keras_history.layer for x in self._network("_output_layers").outputs]

    @property
    def _feed_inputs(self) -> list[KerasTensor]:
        """The inputs that data are fed to: all."""
        return list(self._network("_feed_inputs").inputs)

    @property
    def _feed_input_names(self) -> list[str]:
        """The names of these inputs."""
        return self._network("_feed_input_names").input_names

    @property
    def _feed_input_shapes(self) -> list[Any]:
        """The shapes of these inputs."""
        inputs = self._network("_feed_input_shapes").inputs
        return [None if x.shape.rank is None else tuple(x.shape.as_list()) for x in inputs]

    @property
    def _tensor_usage_count(self) -> Counter[str]:
        """How often each symbolic tensor is an argument of a call or an output, by its id as text."""
        graph = self._network("_tensor_usage_count")
        used = [x for node in graph.nodes for x in node.keras_inputs if not node.is_own]
        return Counter(str(id(x)) for x in [*used, *graph.outputs, *graph.extra_outputs])

    @property
    def _layer_call_argspecs(self) -> dict[Any, inspect.FullArgSpec]:
        """The signatures of the layers' `call`."""
        layers = self._network("_layer_call_argspecs").layers
        return {layer: inspect.getfullargspec(layer.call) for layer in layers}

    def _flatten_to_reference_inputs(self, tensors: Any) -> list[Any]:
        """Values in the order of the inputs, whether they come in order or by name."""
        graph = self._network("_flatten_to_reference_inputs")
        if isinstance(tensors, dict):
            return graph._flatten_inputs(tensors, self._name)
        return nest.flatten(tensors)

    def _conform_to_reference_input(self, tensor: Any, ref_input: KerasTensor) -> Any:
        """A value with the rank and dtype of an input."""
        return tensor if isinstance(tensor, KerasTensor) else conform(tensor, symbols(ref_input))

    def _run_internal_graph(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """The outputs for inputs, as `call` computes them."""
        return self._network("_run_internal_graph").call(inputs, mask, self._name)

    def _init_graph_network(self, inputs: Any, outputs: Any) -> None:
        """Makes this the model of symbolic inputs and outputs."""
        self._set_graph(*symbols((inputs, outputs)))

    def _insert_layers(self, layers: Any, relevant_nodes: Any = None) -> None:
        """Adds calls of layers to the graph that no output needs.

        Args:
            layers: the layers.
            relevant_nodes: which of their calls; by default all.
        """
        chosen = None if relevant_nodes is None else {id(node) for node in relevant_nodes}
        for layer in nest.flatten(layers):
            for node in layer._inbound_nodes:
                if chosen is None or id(node) in chosen:
                    for tensor in nest.flatten(node.outputs):
                        self._extend_graph(tensor)

    def _graph_network_add_loss(self, symbolic_loss: Any) -> None:
        """Adds a loss that is a symbolic tensor of the graph."""
        self._add_symbolic_loss(symbolic_loss)

    def _graph_network_add_metric(self, value: Any, aggregation: str | None, name: str) -> None:
        """Adds a metric of a symbolic tensor of the graph."""
        self._add_symbolic_metric(value, name)
