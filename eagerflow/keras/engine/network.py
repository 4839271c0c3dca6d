"""What models are besides layers: the layers inside, a graph of calls, saving, a summary."""

from __future__ import annotations

from typing import Any

from eagerflow import _core, nest
from eagerflow.keras.engine.call_context import context
from eagerflow.keras.engine.graph import Graph
from eagerflow.keras.engine.input_spec import InputSpec
from eagerflow.keras.engine.keras_tensor import KerasTensor
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.saving.methods import SavingMethods
from eagerflow.module import Module
from eagerflow.shapes import TensorShape
from eagerflow.version import VERSION

_ops = _core.ops
_ACCEPTED = {"trainable", "dtype", "dynamic", "name", "autocast", "inputs", "outputs"}
# Where the layers are there, they know their dtypes.
_ACCEPTED_WITH_GRAPH = {"trainable", "name", "inputs", "outputs"}


def is_functional_arguments(args: tuple, kwargs: dict[str, Any]) -> bool:
    """Whether a model is made from inputs and outputs."""
    return (
        len(args) == 2
        or (len(args) == 1 and "outputs" in kwargs)
        or ("inputs" in kwargs and "outputs" in kwargs)
    )


class Network(SavingMethods, Layer):
    """A layer made of layers, with a graph of layer calls if it was made from symbolic tensors."""

    _graph: Graph | None = None
    _nested_inputs: Any = None
    _nested_outputs: Any = None
    _base_model_initialized = False
    _is_graph_network = False
    _extra_outputs: list[KerasTensor] | None = None
    # Tensors and graphs are no weights, and are looked into by nobody.
    _TF_MODULE_IGNORED_PROPERTIES = Layer._TF_MODULE_IGNORED_PROPERTIES | {
        "_graph",
        "_graph_layers",
        "_nested_inputs",
        "_nested_outputs",
        "_extra_outputs",
        "_saved_inputs",
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        functional = is_functional_arguments(args, kwargs)
        accepted = _ACCEPTED_WITH_GRAPH if functional else _ACCEPTED
        unknown = [key for key in kwargs if key not in accepted]
        if unknown:
            raise TypeError(
                "Keyword argument not understood:",
                unknown[0],
                f"{type(self).__name__} takes {sorted(accepted)}.",
            )
        # What a subclass passes on by position beside that, many say `super().__init__(self)`, is
        # ignored, as Keras does.
        inputs = args[0] if args and functional else kwargs.pop("inputs", None)
        outputs = args[1] if len(args) > 1 and functional else kwargs.pop("outputs", None)
        self.__dict__["_base_model_initialized"] = True
        super().__init__(**kwargs)
        if functional:
            self._set_graph(inputs, outputs)

    def __setattr__(self, name: str, value: Any) -> None:
        # Programs of TensorFlow 2.0 make variables before they call `super().__init__()`.
        if not self._base_model_initialized and _holds_layers(value):
            raise RuntimeError(
                "It looks like you are subclassing `Model` and you forgot to call "
                "`super().__init__()`. Always start with this line."
            )
        super().__setattr__(name, value)

    def _tracked_modules(self) -> list[Any]:
        """What became an attribute, or is in a list that did: layers, modules and metrics."""
        found: list[Any] = []
        waiting = list(reversed(self._list("_self_tracked_trackables")))
        while waiting:
            value = waiting.pop()
            if isinstance(value, Module):
                found.append(value)
            elif isinstance(value, dict):
                waiting.extend(reversed(list(value.values())))
            elif isinstance(value, list | tuple):
                waiting.extend(reversed(value))
        return found

    def _inner_weights(self, attribute: str) -> list[Any]:
        return [v for module in self._tracked_modules() for v in getattr(module, attribute)]

    # A model lists the layers' weights before its own.
    def _collect_trainable(self) -> list[Any]:
        if not self.trainable:
            return []
        return self._inner_weights("trainable_variables") + self._list("_trainable_weights")

    def _collect_non_trainable(self) -> list[Any]:
        others = self._inner_weights("non_trainable_variables")
        if self.trainable:
            return others + self._list("_non_trainable_weights")
        trainable = self._inner_weights("trainable_variables") + self._list("_trainable_weights")
        return trainable + others + self._list("_non_trainable_weights")

    def _collect_all(self) -> list[Any]:
        own = self._list("_trainable_weights") + self._list("_non_trainable_weights")
        return self._inner_weights("variables") + own

    @property
    def weights(self) -> list[Any]:
        """All variables: those of each layer in turn, then the model's own.

        Raises:
            ValueError: if a `build` of the program's own was not called yet.
        """
        self._require_weights()
        return self._collected("all")

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables that training changes."""
        self._require_weights()
        return self._collected("trainable")

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The variables that training leaves to the layers."""
        self._require_weights()
        return self._collected("non_trainable")

    def _require_weights(self) -> None:
        if not self.built and "build" in type(self).__dict__ and not context.building:
            raise ValueError(
                f"Weights for model {self.name} have not yet been created. Weights are created when "
                "the Model is first called on inputs or `build()` is called with an `input_shape`."
            )

    def _set_graph(self, inputs: Any, outputs: Any) -> None:
        """Makes this the model between symbolic tensors."""
        if isinstance(inputs, list) and len(nest.flatten(inputs)) == 1 and len(inputs) == 1:
            inputs = inputs[0]
        if isinstance(outputs, list) and len(nest.flatten(outputs)) == 1 and len(outputs) == 1:
            outputs = outputs[0]
        flat_inputs = nest.flatten(inputs)
        flat_outputs = nest.flatten(outputs)
        for tensor in flat_inputs + flat_outputs:
            if not isinstance(tensor, KerasTensor) or tensor._keras_history is None:
                raise ValueError(
                    "Found unexpected instance while processing input tensors for keras "
                    f"functional model. Expecting KerasTensor which is from tf.keras.Input() or "
                    f"output from keras layer call(). Got: {tensor}"
                )
        if len({id(tensor) for tensor in flat_inputs}) != len(flat_inputs):
            raise ValueError(
                "The list of inputs passed to the model contains the same input multiple times. "
                f"All inputs should only appear once. Received inputs={inputs}"
            )
        attributes = self.__dict__
        attributes["_nested_inputs"] = inputs
        attributes["_nested_outputs"] = outputs
        attributes["_graph"] = Graph(flat_inputs, flat_outputs + (self._extra_outputs or []))
        attributes["_is_graph_network"] = True
        attributes["_compute_output_and_mask_jointly"] = True
        attributes["_supports_masking"] = True
        graph: Graph = attributes["_graph"]
        if not isinstance(outputs, KerasTensor):
            graph.chain = None  # it gives what its last layer does, without a structure around it
        before = attributes.get("_graph_layers", [])
        if self._extra_outputs:
            # Layers for losses and metrics come after the model's own.
            places = {id(layer): place for place, layer in enumerate(before)}
            graph.layers.sort(key=lambda layer: places.get(id(layer), len(places)))
        own = [
            item
            for item in self._list("_self_tracked_trackables")
            if not any(item is layer for layer in before)
            and not any(item is layer for layer in graph.layers)
        ]
        attributes["_graph_layers"] = graph.layers
        self._self_tracked_trackables = graph.layers + own
        attributes["_build_input_shape"] = nest.map_structure(lambda x: x.shape, inputs)
        self.built = True
        attributes["_input_spec"] = self._graph_input_spec()
        if not self._inbound_nodes:
            self._connect_own_node()

    def _connect_own_node(self) -> None:
        """The model's first node: from its own inputs to its own outputs."""
        node = _OwnNode(self, self._nested_inputs, self._nested_outputs)
        self._inbound_nodes.append(node)

    def _graph_input_spec(self) -> Any:
        """What each input must look like, batch size left open."""
        inputs = self._nested_inputs
        if isinstance(inputs, list | tuple | dict) and len(nest.flatten(inputs)) != len(inputs):
            return None  # nested deeper: not checked
        if isinstance(inputs, dict):
            names = sorted(inputs)
        else:
            # Values may come by the names of the inputs' layers.
            names = [tensor._keras_history.layer.name for tensor in nest.flatten(inputs)]
        specs = []
        for name, tensor in zip(names, nest.flatten(inputs), strict=True):
            shape = None
            if tensor.shape.rank is not None:
                shape = (None, *tensor.shape.as_list()[1:])
            optional = getattr(tensor._keras_history.layer, "optional", False)
            specs.append(
                InputSpec(shape=shape, allow_last_axis_squeeze=True, name=name, optional=optional)
            )
        return specs[0] if not nest.is_nested(inputs) else specs

    def _casting_layers(self) -> list[Any]:
        """Only the model itself: the layers inside are called and cast their own weights."""
        return [self]

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """Computes the outputs.

        Args:
            inputs: a tensor or a structure of tensors.
            training: whether layers behave as in training.
            mask: a mask, or a list of masks, one for each input.
        """
        if self._graph is None:
            raise NotImplementedError(
                "Unimplemented `tf.keras.Model.call()`: if you intend to create a `Model` with the "
                "Functional API, please provide `inputs` and `outputs` arguments. Otherwise, "
                "subclass `Model` with an overridden `call()` method."
            )
        return self._run_graph(inputs, mask)

    def _run_graph(self, inputs: Any, mask: Any) -> Any:
        graph = self._graph
        assert graph is not None
        if graph.only_input and isinstance(inputs, _core.Tensor):
            if graph.chain is not None and mask is None:
                if inputs.dtype is not graph.first_dtype or inputs.ndim != graph.first_rank:
                    inputs = _conform(inputs, graph.inputs[0])
                for layer in graph.chain:
                    inputs = layer(inputs)
                return inputs
            flat = [inputs]
        else:
            flat = self._flat_inputs(inputs)
        if mask is not None:
            for tensor, one in zip(flat, nest.flatten(mask), strict=False):
                if one is not None and isinstance(tensor, _core.Tensor):
                    tensor._keras_mask = one
        flat = [_conform(value, like) for value, like in zip(flat, graph.inputs, strict=True)]
        outputs = graph.run(flat)
        nested = self._nested_outputs
        if isinstance(nested, KerasTensor):
            return outputs[0]
        if self._extra_outputs:
            outputs = outputs[: len(nest.flatten(nested))]
        return nest.pack_sequence_as(nested, outputs)

    def _flat_inputs(self, inputs: Any) -> list[Any]:
        """Inputs in the order of the graph's, whether they come in order or by name."""
        reference = self._nested_inputs
        if isinstance(inputs, dict):
            if isinstance(reference, dict):
                names = sorted(reference)
            else:
                names = [x._keras_history.layer.name for x in nest.flatten(reference)]
            if all(name in inputs for name in names):
                return [value for name in names for value in nest.flatten(inputs[name])]
            missing = next(name for name in names if name not in inputs)
            raise ValueError(
                f'Missing data for input "{missing}". You passed a data dictionary with keys '
                f"{list(inputs)}. Expected the following keys: {names}"
            )
        flat = nest.flatten(inputs)
        expected = len(nest.flatten(reference))
        if len(flat) != expected:
            raise ValueError(
                f'Layer "{self.name}" expects {expected} input(s), but it received {len(flat)} '
                f"input tensors. Inputs received: {inputs}"
            )
        return flat

    def _computes_mask(self) -> bool:
        method = self.compute_mask
        own = getattr(method, "__func__", method) is not Network.compute_mask
        return own or getattr(self, "_graph", None) is not None

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The masks of the outputs."""
        if self._graph is None:
            return super().compute_mask(inputs, mask) if self._supports_masking else None
        outputs = self._run_graph(inputs, mask)
        return nest.map_structure(lambda x: getattr(x, "_keras_mask", None), outputs)

    def _add_symbolic_loss(self, loss: Any) -> None:
        from eagerflow.keras.engine.add_layers import AddLoss

        self._extend_graph(AddLoss()(loss))

    def _add_symbolic_metric(self, value: Any, name: str) -> None:
        from eagerflow.keras.engine.add_layers import AddMetric

        self._extend_graph(AddMetric(metric_name=name)(value))

    def _extend_graph(self, tensor: KerasTensor) -> None:
        if self._graph is None:
            raise ValueError(
                "Symbolic losses and metrics can be added to models that are made from inputs and "
                "outputs only. In a subclassed model, add them in `call`."
            )
        self.__dict__["_extra_outputs"] = [*(self._extra_outputs or []), tensor]
        self._set_graph(self._nested_inputs, self._nested_outputs)

    def _checkpoint_children(self) -> dict[str, Any]:
        """The layers of a graph by their numbers, and the attributes by their names."""
        found: dict[str, Any] = {}
        if self._graph is not None or hasattr(self, "add"):
            weighted = 0
            counted = True
            for k, layer in enumerate(self.layers):
                # Which number the next one has, nobody knows before this one has its weights.
                counted = counted and layer.built
                if counted and layer.weights:
                    found[f"layer_with_weights-{weighted}"] = layer
                    weighted += 1
                found[f"layer-{k}"] = layer
        return found | super()._checkpoint_children()

    @property
    def layers(self) -> list[Any]:
        """The layers directly inside, as attributes, in containers, or in the graph."""
        return list(self._flatten_layers(include_self=False, recursive=False))

    @property
    def inputs(self) -> Any:
        """The symbolic inputs, a list; None for subclassed models."""
        if self._graph is None:
            return self.__dict__.get("_saved_inputs")
        return self._graph.inputs

    @property
    def outputs(self) -> Any:
        """The symbolic outputs, a list; None for subclassed models."""
        if self._graph is None:
            return self.__dict__.get("_saved_outputs")
        return self._graph.outputs[: len(nest.flatten(self._nested_outputs))]

    @property
    def input(self) -> Any:
        """The symbolic input, or the structure of them."""
        if self._graph is None:
            return super().input
        return self._nested_inputs

    @property
    def output(self) -> Any:
        """The symbolic output, or the structure of them."""
        if self._graph is None:
            return super().output
        return self._nested_outputs

    @property
    def input_shape(self) -> Any:
        """The shape of the input, as a tuple, or a structure of them."""
        if self._graph is None:
            return super().input_shape
        return nest.map_structure(lambda x: tuple(x.shape.as_list()), self._nested_inputs)

    @property
    def output_shape(self) -> Any:
        """The shape of the output, as a tuple, or a structure of them."""
        if self._graph is None:
            return super().output_shape
        return nest.map_structure(lambda x: tuple(x.shape.as_list()), self._nested_outputs)

    @property
    def input_names(self) -> list[str]:
        """The names of the input layers."""
        if self._graph is None:
            return self.__dict__.get("_input_names", [])
        return [tensor._keras_history.layer.name for tensor in self._graph.inputs]

    @input_names.setter
    def input_names(self, names: list[str]) -> None:
        self.__dict__["_input_names"] = names

    @property
    def output_names(self) -> list[str]:
        """The names of the outputs: those of their layers, each once."""
        if self._graph is None:
            return self.__dict__.get("_output_names", [])
        counts: dict[str, int] = {}
        names = []
        for tensor in self.outputs:
            name = tensor._keras_history.layer.name
            number = counts[name] = counts.get(name, -1) + 1
            names.append(name if number == 0 else f"{name}_{number}")
        return names

    @output_names.setter
    def output_names(self, names: list[str]) -> None:
        self.__dict__["_output_names"] = names

    @property
    def state_updates(self) -> list[Any]:
        """Empty: layers update their variables when they are called."""
        return []

    def get_layer(self, name: str | None = None, index: int | None = None) -> Any:
        """A layer by its name or its place.

        Raises:
            ValueError: if there is none, or both or neither are given.
        """
        if index is not None and name is not None:
            raise ValueError(
                f"Provide only a layer name or a layer index. Received: index={index}, name={name}."
            )
        layers = self.layers
        if index is not None:
            if len(layers) <= index:
                raise ValueError(
                    f"Was asked to retrieve layer at index {index} but model only has "
                    f"{len(layers)} layers."
                )
            return layers[index]
        if name is None:
            raise ValueError("Provide either a layer name or layer index at `get_layer`.")
        for layer in layers:
            if layer.name == name:
                return layer
        raise ValueError(
            f"No such layer: {name}. Existing layers are: {[layer.name for layer in layers]}."
        )

    def build(self, input_shape: Any) -> None:
        """Makes all weights for inputs of a shape, by a call that computes nothing.

        Args:
            input_shape: a shape with the batch size, which may be None, or a structure of shapes.

        Raises:
            ValueError: if the shape does not fit, or `call` needs more than one argument.
        """
        if self._graph is not None:
            super().build(input_shape)
            return
        if context.building and context.layers and context.layers[-1] is self:
            Layer.build(self, input_shape)  # a call is under way and makes the weights
            return
        if input_shape is None:
            raise ValueError(
                "Input shape must be defined when calling `build()` on a `Model` subclass."
            )
        if isinstance(input_shape, TensorShape | tuple | list | dict):
            from eagerflow.keras.engine.layer_call import names_from_here
            from eagerflow.keras.engine.node import infer_output_shape

            self.__dict__["built"] = True
            try:
                if type(self).call is not Network.call:
                    with names_from_here():
                        infer_output_shape(self, input_shape, self.call)
            except Exception as error:
                self.__dict__["built"] = False
                raise ValueError(
                    "You cannot build your model by calling `build` if your layers do not support "
                    "float type inputs. Instead, in order to instantiate and build your model, "
                    "call your model on real tensor data (of the correct dtype).\n\nThe actual "
                    f"error from `call` is: {error}."
                ) from error
            super().build(input_shape)
            return
        raise ValueError(
            "Specified input shape is not one of the valid types. Please specify a batch input "
            f"shape of type tuple or list of input shapes. User provided input type: "
            f"{type(input_shape)}."
        )

    def reset_states(self) -> None:
        """Sets the states of stateful layers back."""
        for layer in self.layers:
            if hasattr(layer, "reset_states") and getattr(layer, "stateful", False):
                layer.reset_states()

    def summary(
        self,
        line_length: int | None = None,
        positions: list[float] | None = None,
        print_fn: Any = None,
        expand_nested: bool = False,
        show_trainable: bool = False,
        layer_range: Any = None,
    ) -> None:
        """Prints a table of the layers, their output shapes and how many weights they have.

        Args:
            line_length: how long lines are.
            positions: where columns end, as parts of a line.
            print_fn: called with each line; by default they are printed.
            expand_nested: whether to list the layers of models inside.
            show_trainable: whether to show which layers are trained.
            layer_range: names, or patterns, of the first and last layer to list.

        Raises:
            ValueError: if the model has not been built.
        """
        from eagerflow.keras.utils.layer_utils import print_summary

        if not self.built:
            raise ValueError(
                "This model has not yet been built. Build the model first by calling `build()` or "
                "by calling the model on a batch of data."
            )
        print_summary(
            self,
            line_length=line_length,
            positions=positions,
            print_fn=print_fn,
            expand_nested=expand_nested,
            show_trainable=show_trainable,
            layer_range=layer_range,
        )

    def to_json(self, **kwargs: Any) -> str:
        """The model's configuration as JSON; `kwargs` go to `json.dumps`."""
        import json

        from eagerflow.keras.saving.json_config import json_default

        return json.dumps(self._model_config(), default=json_default, **kwargs)

    def to_yaml(self, **kwargs: Any) -> str:
        """No longer there: raises a RuntimeError, since loading YAML could run code."""
        raise RuntimeError(
            "Method `model.to_yaml()` has been removed due to security risk of arbitrary code "
            "execution. Please use `model.to_json()` instead."
        )

    def _model_config(self) -> dict[str, Any]:
        return {
            "class_name": type(self).__name__,
            "config": self.get_config(),
            "keras_version": VERSION,
            "backend": "tensorflow",
        }

    def get_config(self) -> dict[str, Any]:
        """The arguments that make a model like this one.

        Raises:
            NotImplementedError: for subclassed models made with arguments that are no plain values.
        """
        if self._graph is not None and self._is_functional():
            from eagerflow.keras.engine.functional_config import functional_config

            return functional_config(self)
        if type(self).get_config is Network.get_config and type(self).__init__ is not (
            Network.__init__
        ):
            from eagerflow.keras.engine.layer_config import arguments_config

            config: dict[str, Any] = {"name": self.name, "trainable": self.trainable}
            return arguments_config(self, config)
        return {}

    def _is_functional(self) -> bool:
        """Whether the graph is all there is to the model."""
        return self._is_graph_network

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        """A model from what `get_config` returned; its weights are new."""
        from eagerflow.keras.saving.registration import CustomObjectScope

        with CustomObjectScope(custom_objects or {}):
            if all(key in config for key in ("name", "layers", "input_layers", "output_layers")):
                from eagerflow.keras.engine.functional_config import functional_from_config

                return functional_from_config(cls, config)
            try:
                return cls(**config)
            except TypeError as error:
                raise TypeError(
                    "Unable to revive model from config. When overriding the `get_config()` method, "
                    "make sure that the returned config contains all items used as arguments in "
                    f"the  constructor to {cls}, which is the default behavior. You can override "
                    f"this default behavior by defining a `from_config(cls, config)` class method "
                    f"to specify how to create an instance of {cls.__name__} from its config.\n\n"
                    f"Received config={config}\n\nError encountered during deserialization: {error}"
                ) from error


class _OwnNode:
    """The call that a model stands for by itself."""

    is_input = False

    def __init__(self, layer: Any, inputs: Any, outputs: Any) -> None:
        self.layer = layer
        self.input_tensors = inputs
        self.outputs = outputs
        self.output_tensors = outputs
        self.call_args = (inputs,)
        self.call_kwargs: dict[str, Any] = {}
        self.keras_inputs = nest.flatten(inputs)

    @property
    def input_shapes(self) -> Any:
        """The shapes of the inputs."""
        return nest.map_structure(lambda x: tuple(x.shape.as_list()), self.input_tensors)

    @property
    def output_shapes(self) -> Any:
        """The shapes of the outputs."""
        return nest.map_structure(lambda x: tuple(x.shape.as_list()), self.outputs)

    @property
    def parent_nodes(self) -> list[Any]:
        """The calls that the inputs come from."""
        return [tensor.node for tensor in self.keras_inputs]

    def iterate_inbound(self) -> Any:
        """Layer, node index, tensor index and tensor of each input."""
        for tensor in self.keras_inputs:
            yield (*tensor._keras_history, tensor)


def _holds_layers(value: Any) -> bool:
    if isinstance(value, list | tuple | dict):
        return any(isinstance(leaf, Layer | Module) for leaf in nest.flatten(value))
    return isinstance(value, Layer | Module)


def _conform(value: Any, like: KerasTensor) -> Any:
    """An input in the rank and dtype of the symbolic one, where only these differ."""
    if not isinstance(value, _core.Tensor):
        if value is None and getattr(like._keras_history.layer, "optional", False):
            return None
        if isinstance(value, _core.Variable):
            value = value.read_value()
        elif not hasattr(value, "shape") or not hasattr(value, "dtype"):
            value = _core.convert(value, None, like.dtype)
        if not isinstance(value, _core.Tensor):
            return value
    rank = like.shape.rank
    mask = value._keras_mask
    result = value
    if rank is not None and value.ndim != rank:
        if value.ndim == rank - 1 and like.shape[-1] == 1:
            result = _ops.expand_dims(value, -1)
        elif value.ndim == rank + 1 and value.shape[-1] == 1:
            result = _ops.squeeze(value, [value.ndim - 1])
    if result.dtype is not like.dtype and result.dtype != like.dtype:
        result = _ops.cast(result, like.dtype)
    if mask is not None and result is not value:
        result._keras_mask = mask
    return result
