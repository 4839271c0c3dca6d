"""The layer calls of functional models as a layer sees them: its inputs and outputs."""

from __future__ import annotations

from typing import Any

from eagerflow import nest
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras.engine.tracking import TrackedModule


class LayerNodes(TrackedModule):
    """A layer in functional models: its calls, and their symbolic inputs and outputs."""

    # The keyword arguments whose symbolic tensors are inputs beside the first argument.
    _further_inputs: tuple[str, ...] = ()

    @property
    def _inbound_nodes(self) -> list[Any]:
        """The calls of this layer."""
        return self._list("_inbound_nodes_value")

    @property
    def _outbound_nodes(self) -> list[Any]:
        """The calls of other layers that use the outputs of this one."""
        return self._list("_outbound_nodes_value")

    @property
    def inbound_nodes(self) -> list[Any]:
        """The calls of this layer with symbolic tensors."""
        return self._inbound_nodes

    @property
    def outbound_nodes(self) -> list[Any]:
        """The calls of other layers with this one's outputs."""
        return self._outbound_nodes

    def _node_attribute(self, index: int, attribute: str, what: str) -> Any:
        nodes = self._inbound_nodes
        if not nodes:
            raise RuntimeError(
                f"The layer {self.name} has never been called and thus has no defined {what}."
            )
        if not len(nodes) > index:
            raise ValueError(
                f"Asked to get {what} at node {index}, but the layer has only {len(nodes)} "
                "inbound nodes."
            )
        return getattr(nodes[index], attribute)

    def _of_first_call(self, attribute: str, what: str) -> Any:
        nodes = self._inbound_nodes
        if not nodes:
            raise AttributeError(
                f"Layer {self.name} has no inbound nodes: it was never called with a symbolic "
                f"tensor, so there is no {what} to return."
            )
        return getattr(nodes[0], attribute)

    def get_input_at(self, node_index: int) -> Any:
        """The inputs of a call of this layer."""
        return self._node_attribute(node_index, "input_tensors", "input")

    def get_output_at(self, node_index: int) -> Any:
        """The outputs of a call of this layer."""
        return self._node_attribute(node_index, "outputs", "output")

    def get_input_shape_at(self, node_index: int) -> Any:
        """The shapes of a call's inputs."""
        return _shapes(self._node_attribute(node_index, "input_tensors", "input shape"))

    def get_output_shape_at(self, node_index: int) -> Any:
        """The shapes of a call's outputs."""
        return _shapes(self._node_attribute(node_index, "outputs", "output shape"))

    def get_input_mask_at(self, node_index: int) -> Any:
        """The masks of a call's inputs."""
        inputs = self.get_input_at(node_index)
        return nest.map_structure(lambda x: x._keras_mask, inputs)

    def get_output_mask_at(self, node_index: int) -> Any:
        """The masks of a call's outputs."""
        outputs = self.get_output_at(node_index)
        return nest.map_structure(lambda x: x._keras_mask, outputs)

    @property
    def input(self) -> Any:
        """The input of the layer's first call with symbolic tensors.

        Raises:
            AttributeError: if it was never called so.
        """
        return self._of_first_call("input_tensors", "input")

    @property
    def output(self) -> Any:
        """The output of the layer's first call with symbolic tensors.

        Raises:
            AttributeError: if it was never called so.
        """
        return self._of_first_call("outputs", "output")

    @property
    def input_shape(self) -> Any:
        """The shape of the input, as a tuple, or a structure of them.

        Raises:
            AttributeError: if there is none, or there are several.
        """
        return self._only_shape("input_tensors", "input")

    @property
    def output_shape(self) -> Any:
        """The shape of the output, as a tuple, or a structure of them.

        Raises:
            AttributeError: if there is none, or there are several.
        """
        return self._only_shape("outputs", "output")

    def _only_shape(self, attribute: str, what: str) -> Any:
        nodes = self._inbound_nodes
        if not nodes:
            raise AttributeError(
                f'The layer "{self.name}" has never been called and thus has no defined {what} '
                "shape. Note that the layer must be called with a symbolic tensor, or be in a "
                "model that is."
            )
        shapes = [_shapes(getattr(node, attribute)) for node in nodes]
        if any(shape != shapes[0] for shape in shapes):
            raise AttributeError(
                f'The layer "{self.name}" has multiple inbound nodes, with different {what} '
                f'shapes. Hence the notion of "{what} shape" is ill-defined for the layer. Use '
                f"`get_{what}_shape_at(node_index)` instead."
            )
        return shapes[0]

    @property
    def input_mask(self) -> Any:
        """The mask of the input, or None."""
        return nest.map_structure(lambda x: getattr(x, "_keras_mask", None), self.input)

    @property
    def output_mask(self) -> Any:
        """The mask of the output, or None."""
        return nest.map_structure(lambda x: getattr(x, "_keras_mask", None), self.output)


def _shapes(tensors: Any) -> Any:
    return nest.map_structure(_shape, tensors)


def _shape(tensor: Any) -> tuple | None:
    shape = TensorShape(tensor.shape)
    return None if shape.rank is None else tuple(shape.as_list())
