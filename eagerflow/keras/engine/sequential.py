"""Sequential: models that are a sequence of layers."""

from __future__ import annotations

from typing import Any

from eagerflow import _core, nest
from eagerflow.framework.module import Module
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras.engine.calls.context import context
from eagerflow.keras.engine.calls.first_call import note_inputs
from eagerflow.keras.engine.calls.layer_call import Building, names_from_here
from eagerflow.keras.engine.functional.functional import (
    Functional,
    deserialize_layer,
    serialize_layer,
)
from eagerflow.keras.engine.functional.input_layer import Input, InputLayer
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor
from eagerflow.keras.engine.functional.node import symbols
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.engine.layer_config import default, plain_shape
from eagerflow.keras.engine.model import Model, is_empty
from eagerflow.keras.engine.tracking import structure_changed
from eagerflow.keras.typing import Config, CustomObjects
from eagerflow.typing import Structure

# Imported when it is first used: few programs need it.


class Sequential(Functional):
    """A sequence of layers: the output of each is the input of the next.

    Args:
        layers: a list of layers; `add` appends more.
        name: the model's name.

    Raises:
        TypeError: for something that is no layer.
        ValueError: for a layer with several inputs or outputs, or a name that is taken.

    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(4, activation="relu")])
    >>> model.add(tf.keras.layers.Dense(2))
    >>> model(tf.ones([1, 3])).shape
    TensorShape([1, 2])
    """

    _input_given = False  # whether the program set the input's shape
    _inferred_shape: Any = None
    _inferred_dtype: Any = None
    _stale = False  # whether the graph is of an earlier input shape

    def __init__(self, layers: Any = None, name: str | None = None, **kwargs: Any) -> None:
        trainable = kwargs.pop("trainable", True)
        super().__init__(name=name, **kwargs)
        self._supports_masking = True
        self.__dict__["_autocast"] = False
        self.__dict__["_compute_output_and_mask_jointly"] = True
        self.__dict__["_chain"] = []
        self._trained_from_start = trainable
        if layers is not None:
            if not isinstance(layers, list | tuple):
                layers = [layers]
            for layer in layers:
                self.add(layer)
        if not trainable:
            self.trainable = False

    _TF_MODULE_IGNORED_PROPERTIES = Model._TF_MODULE_IGNORED_PROPERTIES | {
        "_chain",
        "_pending_input",
        "_made_nodes",
    }
    _chain: list[Layer]

    @property
    def _layers_are_ordered(self) -> bool:
        return True

    @property
    def layers(self) -> list[Layer]:
        """The layers in order, without the input."""
        self._refresh()  # layers tell their shapes, too
        return [layer for layer in self._chain if not isinstance(layer, InputLayer)]

    @property
    def _has_explicit_input_shape(self) -> bool:
        """Whether the program set the input's shape."""
        return self._input_given

    @property
    def _graph_initialized(self) -> bool:
        """Whether the model has symbolic inputs and outputs."""
        return self._graph is not None and not self._stale

    @property
    def _inferred_input_shape(self) -> Any:
        """The shape that the first call has set, as a tuple, or None."""
        return None if self._inferred_shape is None else tuple(self._inferred_shape)

    def _is_layer_name_unique(self, layer: Layer) -> bool:
        """Whether no other layer of the model has the name of this one."""
        return not any(layer.name == other.name and layer is not other for other in self._chain)

    def add(self, layer: Any) -> None:
        """Appends a layer.

        Args:
            layer: a layer, or a symbolic tensor of `tf.keras.Input` as the first.

        Raises:
            TypeError: for something that is no layer.
            ValueError: for a layer with several inputs or outputs, or a name that is taken.
        """
        layer = symbols(layer)
        if isinstance(layer, KerasTensor) and layer._keras_history is not None:
            origin = layer._keras_history.layer
            if isinstance(origin, InputLayer):
                layer = origin
        if not isinstance(layer, Layer):
            if not isinstance(layer, Module):
                raise TypeError(
                    "The added layer must be an instance of class Layer. "
                    f"Received: layer={layer} of type {type(layer)}."
                )
            layer = ModuleWrapper(layer)
        if not self._is_layer_name_unique(layer):
            raise ValueError(
                "All layers added to a Sequential model should have unique names. Name "
                f'"{layer.name}" is already the name of a layer in this model. Update the `name` '
                "argument to pass a unique name."
            )
        self.__dict__["_plan"] = None
        self.__dict__["built"] = False
        if not self._chain:
            self._start(layer)
        elif self._graph is not None and not self._stale:
            self._chain.append(layer)
            self._track(layer)
            self._connect(layer(self.outputs[0]))
        else:
            self._chain.append(layer)
            self._track(layer)
            self.__dict__["_stale"] = self._graph is not None

    def _require_weights(self) -> None:
        if self._graph is None:
            raise ValueError(
                f"Weights for model {self.name!r} have not yet been created. Weights are created "
                "when the model is first called on inputs or `build()` is called with an "
                "`input_shape`."
            )

    def _refresh(self) -> None:
        """Builds a new graph after calls with inputs of other shapes."""
        if self._stale and self.__dict__.get("_next_shape") is not None:
            self.__dict__["_stale"] = False
            self._infer_from(self.__dict__["_next_shape"], None)

    @property
    def inputs(self) -> list[KerasTensor]:
        """The symbolic input, in a list; None if it is not known yet."""
        self._refresh()
        return super().inputs

    @property
    def outputs(self) -> Any:
        """The symbolic output, in a list; None if it is not known yet."""
        self._refresh()
        return super().outputs

    @property
    def input(self) -> Any:
        """The symbolic input."""
        self._refresh()
        return super().input

    @property
    def output(self) -> Any:
        """The symbolic output."""
        self._refresh()
        return super().output

    @property
    def input_shape(self) -> Any:
        """The shape of the input."""
        self._refresh()
        return super().input_shape

    @property
    def output_shape(self) -> Any:
        """The shape of the output."""
        self._refresh()
        return super().output_shape

    def _track(self, layer: Layer) -> None:
        self._add_once("_self_tracked_trackables", layer)
        structure_changed()
        if "_pending_restorations" in self.__dict__:
            self.__dict__["_pending_restorations"].settle(self)

    def _start(self, layer: Layer) -> None:
        """Adds the first layer, and builds a graph if it has an input shape."""
        if isinstance(layer, InputLayer):
            self._chain.append(layer)
            self._track(layer)
            self.__dict__["_input_given"] = True
            self.__dict__["_pending_input"] = layer._inbound_nodes[0].outputs
            self._connect(layer._inbound_nodes[0].outputs)
            return
        shape, dtype = _first_input(layer)
        self._chain.append(layer)
        self._track(layer)
        if shape is None:
            return
        x = Input(batch_shape=shape, dtype=dtype, name=f"{layer.name}_input")
        self.__dict__["_input_given"] = True
        self._chain.insert(0, x._keras_history.layer)
        self.__dict__["_pending_input"] = x
        self._connect(layer(x))

    def _connect(self, outputs: object, inputs: object = None) -> None:
        """Builds the graph with these `outputs`."""
        if len(nest.flatten(outputs)) != 1:
            raise ValueError(
                "All layers in a Sequential model should have a single output tensor. For "
                "multi-output layers, use the functional API."
            )
        outputs = nest.flatten(outputs)[0]
        if inputs is None:
            inputs = self.__dict__["_pending_input"] if self._input_given else self.inputs[0]
        inputs, outputs = symbols((inputs, outputs))
        self.__dict__["_inbound_nodes_value"] = [
            node for node in self._inbound_nodes if not node.is_own
        ]
        others = list(self._inbound_nodes)
        self.__dict__["_inbound_nodes_value"] = []
        tracked = list(self._list("_self_tracked_trackables"))
        self._set_graph(inputs, outputs)
        if not self._input_given:
            # Inputs of other shapes make another graph.
            self.__dict__["_input_spec"] = None
        self._inbound_nodes.extend(others)
        # The model tracks the input layer, and the layers in the order in which they were added.
        chain = list(self._chain)
        extra = [
            item
            for item in tracked
            if not any(item is layer for layer in chain) and not isinstance(item, InputLayer)
        ]
        self._self_tracked_trackables = chain + extra
        self.__dict__["_is_graph_network"] = True

    def pop(self) -> None:
        """Removes the last layer.

        Raises:
            TypeError: if there is none.
        """
        if not self.layers:
            raise TypeError("There are no layers in the model.")
        layer = self._chain.pop()
        tracked = self._list("_self_tracked_trackables")
        tracked[:] = [item for item in tracked if item is not layer]
        structure_changed()
        self.__dict__["_plan"] = None
        if not self.layers:
            self.__dict__.update(
                {"_graph": None, "built": False, "_input_given": False, "_inferred_shape": None}
            )
            self.__dict__["_is_graph_network"] = False
            self._chain.clear()
        elif self._graph is not None and not self._stale:
            call = next(node for node in reversed(self._graph.nodes) if node.layer is layer)
            self.layers[-1]._outbound_nodes.remove(call)
            self._connect(call.keras_inputs[0])

    def _symbolic_output(self, x: object) -> Any:
        for layer in self.layers:
            x = layer(x)
        return x

    @default
    def build(self, input_shape: Any = None) -> None:
        """Creates all weights for inputs of a shape, which includes the batch size.

        An empty shape leaves them to the first call.

        Raises:
            ValueError: if there is no shape.
        """
        if self._graph is not None and not self._stale:
            self.built = True
            return
        if self._input_given:
            self._connect(self._symbolic_output(self.__dict__["_pending_input"]))
            return
        if input_shape is None:
            raise ValueError("You must provide an `input_shape` argument.")
        if is_empty(input_shape):
            Layer.build(self, input_shape)
            return
        self._infer_from(input_shape, None)

    def _infer_from(self, shape: object, dtype: object) -> None:
        """Builds the graph for the input shape of a call or of `build`."""
        if isinstance(shape, dict):
            self._build_layers(shape)
            return
        if isinstance(shape, list | tuple) and any(
            isinstance(item, list | tuple | TensorShape) for item in shape
        ):
            super().build(shape)  # several inputs: there is no graph
            return
        sizes = tuple(TensorShape(shape).as_list())
        before = self._inferred_shape
        if before is not None and len(before) == len(sizes):
            sizes = tuple(a if a == b else None for a, b in zip(sizes, before, strict=True))
        self.__dict__["_inferred_shape"] = sizes
        self.__dict__["_inferred_dtype"] = dtype or self._inferred_dtype
        for layer in self.layers:
            layer.__dict__["_inbound_nodes_value"] = [
                node for node in layer._inbound_nodes if node not in self._made_nodes
            ]
        first = self.layers[0]
        self._chain[:] = self.layers
        counts = {id(layer): len(layer._inbound_nodes) for layer in self.layers}
        x = Input(
            batch_shape=sizes,
            dtype=self._inferred_dtype or first.compute_dtype,
            name=f"{first.name}_input",
        )
        with names_from_here():
            outputs = self._symbolic_output(x)
        self.__dict__["_made_nodes"] = [
            node for layer in self.layers for node in layer._inbound_nodes[counts[id(layer)] :]
        ]
        self.__dict__["_stale"] = False
        self._chain.insert(0, x._keras_history.layer)
        self._connect(outputs, x)

    def _build_layers(self, shape: object) -> None:
        """Builds layer after layer for a dictionary of inputs, for which there is no graph."""
        Layer.build(self, shape)
        outer, context.layers = context.layers, [*context.layers, self]
        try:
            for layer in self.layers:
                context.layers.append(layer)
                if not layer.built:
                    with Building(layer):
                        layer.build(shape)
                    layer.built = True
                context.layers.pop()
                shape = layer.compute_output_shape(shape)
        finally:
            context.layers = outer

    _made_nodes: list[Any] = []

    def _fits_inferred(self, inputs: Any) -> bool:
        """Whether the graph covers inputs of this shape."""
        known = self._inferred_shape
        sizes = inputs._shape_tuple()
        if known is None or len(known) != len(sizes):
            return False
        for wanted, size in zip(known, sizes, strict=True):
            if wanted is not None and wanted != size:
                return False
        return True

    def _build_for(self, inputs: Any) -> None:
        # A program's own `call` may not call the layers in sequence.
        chains = self._input_given or type(self).call is Sequential.call
        symbolic = isinstance(inputs, _core.Tensor | KerasTensor)
        if chains and self._graph is None and symbolic and self.layers:
            if self._input_given:
                self.build()
            else:
                note_inputs(self, inputs)
                try:
                    self._infer_from(inputs.shape, inputs.dtype)
                except Exception:
                    # Layers that cannot run without values are built by the call itself.
                    self.__dict__["_graph"] = None
                    if not isinstance(inputs, _core.Tensor):
                        raise
        if not self.built:
            Layer.build(self, nest.map_structure(lambda x: TensorShape(x.shape), inputs))

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """Computes the outputs of the last layer.

        Args:
            inputs: a tensor.
            training: whether layers behave as in training.
            mask: the mask of the inputs.
        """
        if self._input_given:
            if self._graph is None:
                self.build()
            assert self._graph is not None
            return self._graph.call(inputs, mask, self._name)
        x = inputs
        if mask is not None and isinstance(x, _core.Tensor):
            x._keras_mask = mask
        if self._graph is not None and isinstance(x, _core.Tensor) and not self._fits_inferred(x):
            self.__dict__["_stale"] = True
            self.__dict__["_next_shape"] = x.shape
        for layer in self._chain:
            if not isinstance(layer, InputLayer):
                x = layer(x)
        return x

    def compute_mask(self, inputs: Structure, mask: Structure = None) -> Structure:
        """The mask of the outputs."""
        outputs = self.call(inputs, mask=mask)
        return getattr(outputs, "_keras_mask", None)

    def compute_output_shape(self, input_shape: Structure) -> Any:
        """The shape of the outputs for inputs of a shape."""
        shape = input_shape
        for layer in self.layers:
            shape = layer.compute_output_shape(shape)
        return shape

    @property
    def input_spec(self) -> Any:
        """The InputSpec of the first layer."""
        if self._input_given:
            return self._input_spec
        return self._chain[0].input_spec if self._chain else None

    @input_spec.setter
    def input_spec(self, value: Any) -> None:
        self._input_spec = value

    def _is_functional(self) -> bool:
        return False

    def get_config(self) -> Config:
        """The arguments that make a model like this one."""
        config = {
            "name": self.name,
            "layers": [serialize_layer(layer, self) for layer in self._chain],
        }
        if self._graph is None and self._build_input_shape is not None:
            config["build_input_shape"] = plain_shape(self._build_input_shape)
        return config

    @classmethod
    def from_config(cls, config: Config, custom_objects: CustomObjects | None = None) -> Any:
        """A model from what `get_config` returned; its weights are new."""
        if isinstance(config, dict) and "name" in config:
            name, entries = config["name"], config["layers"]
            shape = config.get("build_input_shape")
        else:
            name, entries, shape = None, config, None
        model = cls(name=name)
        for entry in entries:
            model.add(deserialize_layer(entry, custom_objects))
        if not model.built and shape is not None and model.layers:
            if isinstance(shape, list | tuple):
                shape = tuple(shape)
            model.build(shape)
        return model


class ModuleWrapper(Layer):
    """A layer that calls a module.

    Args:
        module: the module.
        method_name: which method; by default `__call__`, or `call`.
        **kwargs: arguments of `Layer`.

    Raises:
        ValueError: if the module has no such method.
    """

    def __init__(self, module: Any, method_name: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if method_name is None:
            methods = (name for name in ("__call__", "call") if hasattr(module, name))
            method_name = next(methods, None)
        if method_name is None or not hasattr(module, method_name):
            raise ValueError(f"{method_name} is not defined on object {module}")
        self._module = module
        self._method_name = method_name

    def call(self, inputs: Any) -> Any:
        """Calls the module."""
        return getattr(self._module, self._method_name)(inputs)


def _first_input(layer: Layer) -> tuple[Any, Any]:
    """The input shape and dtype of a layer, or of the first layer of a model."""
    while isinstance(layer, Model):
        if layer._graph is not None and not isinstance(layer, Sequential):
            first = layer._graph.inputs[0]
            return tuple(first.shape.as_list()), first.dtype
        inside = layer.__dict__.get("_chain") if isinstance(layer, Sequential) else layer.layers
        if not inside:
            return None, None
        layer = inside[0]
    shape = layer.__dict__.get("_batch_input_shape")
    return shape, layer.compute_dtype if shape is None else layer._first_dtype()
