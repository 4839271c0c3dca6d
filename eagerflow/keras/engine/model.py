"""Model: layers that are trained, saved and summarized together."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from eagerflow import nest
from eagerflow.checkpoint.trackable import children
from eagerflow.framework.module import Module
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.framework.variable import Variable
from eagerflow.keras.engine.calls import first_call
from eagerflow.keras.engine.calls.context import context
from eagerflow.keras.engine.calls.layer_call import mark_built, names_from_here
from eagerflow.keras.engine.fed_inputs import FedInputs
from eagerflow.keras.engine.fine_tuning import FineTuning
from eagerflow.keras.engine.functional.graph import Graph
from eagerflow.keras.engine.functional.input_layer import with_input_layers
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor
from eagerflow.keras.engine.functional.node import OwnNode, infer_output_shape, shown, symbols
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.engine.layer_config import config_of_call, default
from eagerflow.keras.engine.tracking import weights_of
from eagerflow.keras.engine.training.trainer import Trainer
from eagerflow.keras.mixed_precision import policy as policies
from eagerflow.keras.typing import Config, CustomObjects
from eagerflow.typing import FilePath, Structure
from eagerflow.util import lazy
from eagerflow.util.text import Pictured
from eagerflow.version import VERSION

if TYPE_CHECKING:
    from eagerflow.util.pictures import Picture

# Imported when they are first used: they import this module.
hints = lazy.Module("eagerflow.util.hints")
archive = lazy.Module("eagerflow.keras.export.archive")
api = lazy.Module("eagerflow.keras.saving.api")
functional = lazy.Module("eagerflow.keras.engine.functional.functional")
# Imported when they are first used: few programs need them.
quantization = lazy.Module("eagerflow.keras.engine.quantization")
add_layers = lazy.Module("eagerflow.keras.engine.functional.add_layers")
json_config = lazy.Module("eagerflow.keras.saving.json_config")
layer_utils = lazy.Module("eagerflow.keras.utils.layer_utils")
registration = lazy.Module("eagerflow.keras.saving.registration")

# Imported when it is first used: most programs log nothing.
logging = lazy.Module("eagerflow.framework.logging")

_ACCEPTED = {"trainable", "dtype", "dynamic", "name", "autocast", "inputs", "outputs"}
# With inputs and outputs, the layers have their dtypes already.
_ACCEPTED_WITH_GRAPH = {"trainable", "name", "inputs", "outputs"}


def _with_any_parameters(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method; type checkers let subclasses override it with other parameters."""
    return method


def is_functional_arguments(args: tuple, kwargs: dict[str, object]) -> bool:
    """Whether a model is made from inputs and outputs."""
    return (
        len(args) == 2
        or (len(args) == 1 and "outputs" in kwargs)
        or ("inputs" in kwargs and "outputs" in kwargs)
    )


_Model = TypeVar("_Model", bound="Model")


def is_empty(shape: object) -> bool:
    """Whether a shape has no sizes at all, not even one for the batch."""
    return shape == () or shape == [] or (isinstance(shape, TensorShape) and shape.rank == 0)


class Model(FedInputs, Trainer, FineTuning, Layer, Pictured):
    """A model: made from symbolic inputs and outputs, or subclassed.

    Args:
        *args: inputs and outputs: symbolic tensors in any structure.
        **kwargs: `inputs`, `outputs`, `name`, `trainable`, `dtype`, `autocast`, `dynamic`.

    Raises:
        TypeError: for other arguments.
        ValueError: if the outputs do not follow from the inputs.

    >>> x = tf.keras.Input([3])
    >>> model = tf.keras.Model(x, tf.keras.layers.Dense(2)(x))
    >>> model.count_params()
    8
    >>> class Twice(tf.keras.Model):
    ...     def call(self, inputs):
    ...         return 2 * inputs
    >>> Twice()(tf.constant([1.0])).numpy()
    array([2.], dtype=float32)
    """

    _graph: Graph | None = None
    _is_model = True
    _reads_variables = False
    _base_model_initialized = False
    _is_graph_network = False
    # Attributes in which no weights and layers are looked for.
    _TF_MODULE_IGNORED_PROPERTIES = Layer._TF_MODULE_IGNORED_PROPERTIES | {
        "_graph",
        "_graph_layers",
        "_says_its_inputs",
        "_counters",
        "_compile_arguments",
        "_compiled_trainable",
        "_steps_per_execution",
        "_steps_per_execution_tuner",
        "_user_metrics",
        "compiled_loss",
        "compiled_metrics",
        "loss",
        "history",
    }

    def __new__(cls: type[_Model], *args: Any, **kwargs: Any) -> _Model:
        if cls is Model and is_functional_arguments(args, kwargs):
            return functional.Functional.__new__(functional.Functional, *args, **kwargs)
        return super().__new__(cls, *args, **kwargs)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        has_graph = is_functional_arguments(args, kwargs)
        if has_graph:
            functional.derive(type(self))
        accepted = _ACCEPTED_WITH_GRAPH if has_graph else _ACCEPTED
        unknown = [key for key in kwargs if key not in accepted]
        others = _bases_after_models(type(self)) if has_graph else []
        of_others = {key: kwargs.pop(key) for key in unknown} if others else {}
        if unknown and not others:
            raise TypeError(
                "Keyword argument not understood:",
                unknown[0],
                f"{type(self).__name__} takes {sorted(accepted)}"
                + (hints.of_keyword(unknown[0], accepted) or "."),
            )
        if not has_graph:
            for name in ("inputs", "outputs"):
                if name in kwargs:
                    raise TypeError("Keyword argument not understood:", name)
        # Other positional arguments are ignored: many subclasses call `super().__init__(self)`.
        inputs = args[0] if args and has_graph else kwargs.pop("inputs", None)
        outputs = args[1] if len(args) > 1 and has_graph else kwargs.pop("outputs", None)
        self.__dict__["_base_model_initialized"] = True
        super().__init__(**kwargs)
        if has_graph:
            self._set_graph(*with_input_layers(*symbols((inputs, outputs))))
        for base in others:
            base.__init__(self, **of_others)

    def __setattr__(self, name: str, value: object) -> None:
        # Programs of TensorFlow 2.0 make variables before they call `super().__init__()`.
        if not self._base_model_initialized and _holds_layers(value):
            raise RuntimeError(
                "It looks like you are subclassing `Model` and you forgot to call "
                "`super().__init__()`. Always start with this line."
            )
        super().__setattr__(name, value)

    # A model lists the layers' weights before its own.
    def _inner_weights(self, attribute: str) -> list[Any]:
        tracked = self._list("_self_tracked_trackables")
        return [weight for item in tracked for weight in weights_of(item, attribute)]

    def _collect_trainable(self) -> list[Any]:
        if not self.trainable:
            return []
        return self._inner_weights("trainable_variables") + self._own_trained()

    def _collect_non_trainable(self) -> list[Any]:
        others = self._inner_weights("non_trainable_variables")
        if self.trainable:
            return others + self._own_untrained()
        trainable = self._inner_weights("trainable_variables") + self._list("_trainable_weights")
        return trainable + others + self._list("_non_trainable_weights")

    def _collect_all(self) -> list[Any]:
        own = self._list("_trainable_weights") + self._list("_non_trainable_weights")
        return self._inner_weights("variables") + own

    @property
    def weights(self) -> list[Any]:
        """All variables: those of each layer and each container in turn, then the model's own.

        Raises:
            ValueError: if a `build` of the program's own was not called yet.
        """
        if not self.built:
            self._require_weights()
        return self._collected("all")

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables that training changes."""
        if not self.built:
            self._require_weights()
        return self._collected("trainable")

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The variables that training leaves to the layers."""
        if not self.built:
            self._require_weights()
        return self._collected("non_trainable")

    def _require_weights(self) -> None:
        """Raises a ValueError for a model that is not built and whose weights will be made later."""
        has_build = "build" in type(self).__dict__ and type(self) is not Model
        if has_build and context.building is None:
            raise ValueError(
                f"Weights for model {self.name} have not yet been created. Weights are created when "
                "the Model is first called on inputs or `build()` is called with an `input_shape`."
            )

    def _set_graph(
        self, inputs: object, outputs: object, extra_outputs: list[KerasTensor] | None = None
    ) -> None:
        """Defines the model by symbolic inputs and outputs; None keeps the extra outputs."""
        attributes = self.__dict__
        if extra_outputs is None:
            extra_outputs = [] if self._graph is None else self._graph.extra_outputs
        graph = attributes["_graph"] = Graph(inputs, outputs, extra_outputs)
        attributes["_is_graph_network"] = True
        attributes["_autocast"] = False  # its layers cast what they are called with
        attributes["_compute_output_and_mask_jointly"] = True
        attributes["_supports_masking"] = True
        before = attributes.get("_graph_layers", [])
        if extra_outputs:
            # Layers for losses and metrics come after the model's own.
            positions = {id(layer): position for position, layer in enumerate(before)}
            graph.layers.sort(key=lambda layer: positions.get(id(layer), len(positions)))
        graph_layers = {id(layer) for layer in (*before, *graph.layers)}
        own = [
            item for item in self._list("_self_tracked_trackables") if id(item) not in graph_layers
        ]
        attributes["_graph_layers"] = graph.layers
        self._self_tracked_trackables = graph.layers + own
        mark_built(self, nest.map_structure(lambda x: x.shape, graph.nested_inputs))
        attributes["_input_spec"] = graph.input_spec()
        if not self._inbound_nodes:
            node = OwnNode(self, graph.nested_inputs, graph.nested_outputs)
            self._inbound_nodes.append(node)

    @_with_any_parameters
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
        return self._graph.call(inputs, mask, self._name)

    def _computes_mask(self) -> bool:
        method = self.compute_mask
        own = getattr(method, "__func__", method) is not Model.compute_mask
        return own or self._graph is not None

    @default
    def compute_mask(self, inputs: Structure, mask: Structure = None) -> Structure:
        """The masks of the outputs."""
        if self._graph is None:
            return super().compute_mask(inputs, mask) if self._supports_masking else None
        outputs = self._graph.call(inputs, mask, self._name)
        return nest.map_structure(lambda x: getattr(x, "_keras_mask", None), outputs)

    def _add_symbolic_loss(self, loss: object) -> None:
        self._extend_graph(add_layers.AddLoss()(loss))

    def _add_symbolic_metric(self, value: object, name: str) -> None:
        self._extend_graph(add_layers.AddMetric(metric_name=name)(value))

    def _extend_graph(self, tensor: KerasTensor) -> None:
        graph = self._graph
        if graph is None:
            raise ValueError(
                "Symbolic losses and metrics can be added to models that are made from inputs and "
                "outputs only. In a subclassed model, add them in `call`."
            )
        extra_outputs = [*graph.extra_outputs, symbols(tensor)]
        self._set_graph(graph.nested_inputs, graph.nested_outputs, extra_outputs)

    @property
    def _layers_are_ordered(self) -> bool:
        return self._graph is not None

    def _checkpoint_children(self) -> dict[str, Any]:
        """The layers of a graph by their indices, and the attributes by their names."""
        by_index = {}
        if self._layers_are_ordered:
            weighted = 0
            counted = True
            for k, layer in enumerate(self.layers):
                # The next layer's index depends on whether this one will have weights.
                counted = counted and layer.built
                if counted and layer.weights:
                    by_index[f"layer_with_weights-{weighted}"] = layer
                    weighted += 1
                by_index[f"layer-{k}"] = layer
        return by_index | super()._checkpoint_children()

    @property
    def layers(self) -> list[Any]:
        """The layers directly inside, as attributes, in containers, or in the graph."""
        return list(self._flatten_layers(include_self=False, recursive=False))

    @property
    def inputs(self) -> Any:
        """The symbolic inputs, a list; None for subclassed models."""
        return None if self._graph is None else shown(self._graph.inputs)

    @property
    def outputs(self) -> Any:
        """The symbolic outputs, a list; None for subclassed models."""
        return None if self._graph is None else shown(self._graph.outputs)

    @property
    def input(self) -> Any:
        """The symbolic input, or the structure of them."""
        if self._graph is None:
            return super().input
        return shown(self._graph.nested_inputs)

    @property
    def output(self) -> Any:
        """The symbolic output, or the structure of them."""
        if self._graph is None:
            return super().output
        return shown(self._graph.nested_outputs)

    @property
    def input_shape(self) -> Any:
        """The shape of the input, as a tuple, or a structure of them."""
        if self._graph is None:
            return super().input_shape
        return nest.map_structure(lambda x: tuple(x.shape.as_list()), self._graph.nested_inputs)

    @property
    def output_shape(self) -> Any:
        """The shape of the output, as a tuple, or a structure of them."""
        if self._graph is None:
            return super().output_shape
        return nest.map_structure(lambda x: tuple(x.shape.as_list()), self._graph.nested_outputs)

    @property
    def input_names(self) -> list[str]:
        """The names of the input layers."""
        if self._graph is None:
            return self.__dict__.get("_input_names", [])
        return self._graph.input_names

    @input_names.setter
    def input_names(self, names: list[str]) -> None:
        self.__dict__["_input_names"] = names

    @property
    def output_names(self) -> list[str]:
        """The names of the outputs: those of their layers, each once."""
        if self._graph is None:
            return self.__dict__.get("_output_names", [])
        return self._graph.output_names

    @output_names.setter
    def output_names(self, names: list[str]) -> None:
        self.__dict__["_output_names"] = names

    @property
    def state_updates(self) -> list[Any]:
        """Empty: layers update their variables when they are called."""
        return []

    def get_layer(self, name: str | None = None, index: int | None = None) -> Any:
        """A layer by its name or its index.

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

    @default
    def build(self, input_shape: Any) -> None:
        """Creates all weights for inputs of a shape, by a symbolic call.

        Args:
            input_shape: a shape with the batch size, which may be None, or a structure of shapes. An
                empty one leaves the weights to the first call.

        Raises:
            ValueError: if the shape does not fit, or `call` needs more than one argument.
        """
        if self._graph is not None:
            super().build(input_shape)
            return
        if context.building is not None and context.layers and context.layers[-1] is self:
            Layer.build(self, input_shape)  # a running call creates the weights
            return
        if is_empty(input_shape):
            Layer.build(self, input_shape)
            return
        if input_shape is None:
            raise ValueError(
                "Input shape must be defined when calling `build()` on a `Model` subclass."
            )
        if isinstance(input_shape, TensorShape | tuple | list | dict):
            kwargs = self._arguments_for_building()
            self.__dict__["built"] = True
            try:
                if type(self).call is not Model.call:
                    with names_from_here():
                        call = functools.partial(self.call, **kwargs) if kwargs else self.call
                        infer_output_shape(self, input_shape, call)
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

    def _arguments_for_building(self) -> dict[str, Any]:
        """The required arguments of `call` after the inputs.

        Raises:
            ValueError: if that is more than `training`.
        """
        parameters = list(inspect.signature(self.call).parameters.values())[1:]
        needed = {
            p.name
            for p in parameters
            if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        }
        if needed - {"training"}:
            raise ValueError(
                "Currently, you cannot build your model if it has positional or keyword arguments "
                "that are not inputs to the model, but are required for its `call()` method. "
                "Instead, in order to instantiate and build your model, `call()` your model on real "
                "tensor data with all expected call arguments. The argument for `call()` can be a "
                "single list/tuple that contains multiple inputs."
            )
        return {"training": False} if needed else {}

    def _set_save_spec(self, inputs: Any, args: Any = None, kwargs: Any = None) -> None:
        """Sets the specs of the arguments with which the model is saved; calls no longer change them.

        Args:
            inputs: tensors or specs, in the structure of the first argument.
            args: the further positional arguments, likewise.
            kwargs: the keyword arguments.
        """
        first_call.say(self, inputs, list(args or ()), dict(kwargs or {}))

    def save_spec(self, dynamic_batch: bool = True) -> tuple[list, dict[str, Any]] | None:
        """The specs of the model's arguments: positional and keyword arguments.

        Args:
            dynamic_batch: whether the batch size is None if only a call has set it.

        Returns:
            None for a model that has no inputs yet and was not called.

        >>> model = tf.keras.Sequential([tf.keras.layers.Dense(2)])
        >>> _ = model(tf.ones([4, 3]))
        >>> model.save_spec()[0][0].shape
        TensorShape([None, 3])
        """
        graph = self._graph
        if graph is not None:
            known = nest.map_structure(lambda x: x.type_spec, graph.nested_inputs)
            called = self.__dict__.get("_called_with")
            if called is not None:
                # The inputs were made for a call: their first sizes are that call's.
                flat = [
                    TensorSpec(spec.shape, spec.dtype, name=own.name)
                    for spec, own in zip(nest.flatten(called), nest.flatten(known), strict=True)
                ]
                known = nest.pack_sequence_as(known, flat)
                if dynamic_batch:
                    known = nest.map_structure(first_call.open_batch, known)
            if isinstance(known, list) and len(known) == 1:
                known = known[0]
            return [known], {}
        return first_call.known_specs(self, dynamic_batch)

    def get_weight_paths(self) -> dict[str, Variable]:
        """The weights by the attributes that lead to them, joined by dots.

        >>> x = tf.keras.Input((3,))
        >>> model = tf.keras.Model(x, tf.keras.layers.Dense(2, name="d1")(x))
        >>> list(model.get_weight_paths())
        ['d1.kernel', 'd1.bias']
        """
        paths: dict[str, Variable] = {}
        level = [("", self)]
        if self._graph is not None:
            level = [(layer.name, layer) for layer in self.layers]
        seen = {id(item) for _, item in level}
        while level:
            following = []
            for path, owner in level:
                for name, item in children(owner).items():
                    if id(item) in seen:
                        continue
                    seen.add(id(item))
                    whole = f"{path}.{name}" if path else name
                    if isinstance(item, Variable):
                        paths[whole] = item
                    following.append((whole, item))
            level = following
        return paths

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

        Notebooks show a table of HTML, unless there are `line_length`, `positions` or `print_fn`.

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
        if not self.built:
            raise ValueError(
                "This model has not yet been built. Build the model first by calling `build()` or "
                "by calling the model on a batch of data."
            )
        layer_utils.print_summary(
            self,
            line_length=line_length,
            positions=positions,
            print_fn=print_fn,
            expand_nested=expand_nested,
            show_trainable=show_trainable,
            layer_range=layer_range,
        )

    def _picture(self) -> Picture | None:
        """The summary; nothing, for the usual text, before the model is built."""
        return layer_utils.summary_table(self) if self.built else None

    def save(
        self,
        filepath: FilePath,
        overwrite: bool = True,
        save_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        """Saves configuration, weights and compilation; see `tf.keras.models.save_model`."""
        api.save_model(self, filepath, overwrite, save_format, **kwargs)

    def export(
        self,
        filepath: FilePath,
        format: str = "tf_saved_model",
        verbose: bool = False,
        input_signature: Any = None,
        opset_version: int | None = None,
    ) -> None:
        """Writes the model's call for inference, or its weights, for programs without its class.

        Args:
            filepath: the folder of a SavedModel, or the file.
            format: "tf_saved_model" (its endpoint is `serve`), "onnx" (inputs and outputs have the
                names of the model's) or "safetensors" (the weights alone, as `save_weights` writes
                them to `NAME.safetensors`).
            verbose: whether the endpoint of a SavedModel is printed.
            input_signature: the specs of the call's arguments; by default `save_spec()`.
            opset_version: for ONNX, the version of its operators: 13 to 18, by default 18.

        Raises:
            ValueError: if the model's inputs are not known, or for other formats.
            ImportError: if the package that the format needs is not installed.
            tf.errors.UnimplementedError: if a layer does what TensorFlow's graphs or ONNX cannot do;
                the message names operation and, for ONNX, layer.
        """
        if format == "onnx":
            archive.export_onnx(self, filepath, input_signature, opset_version)
        elif format == "safetensors":
            api.save_arrays(self, filepath)
        elif format == "tf_saved_model":
            archive.export_model(self, filepath, input_signature, bool(verbose))
        else:
            raise ValueError(
                f"Unrecognized format={format}. The formats are 'tf_saved_model', 'onnx' and "
                "'safetensors'."
            )

    def save_weights(
        self,
        filepath: FilePath,
        overwrite: bool = True,
        save_format: str | None = None,
        options: Any = None,
    ) -> None:
        """Saves the weights.

        Args:
            filepath: `NAME.weights.h5` (Keras 3's format), `NAME.h5` (HDF5 of Keras 2),
                `NAME.safetensors`, `NAME.npz`, or another name for a TensorFlow checkpoint, which
                also has the optimizer's state.
            overwrite: whether files that are there are replaced.
            save_format: "h5" or "tf", if the name does not say it.
            options: ignored.

        Raises:
            ValueError: for an unknown format, or a model without weights.
            tf.errors.OpError: of the kind that fits, if the file cannot be written.
        """
        api.save_weights(self, filepath, overwrite, save_format)

    def load_weights(
        self,
        filepath: FilePath,
        skip_mismatch: bool = False,
        by_name: bool = False,
        options: Any = None,
    ) -> Any:
        """Loads the weights that `save_weights` saved, here or in Keras.

        Args:
            filepath: the file, or a checkpoint's path without endings.
            skip_mismatch: whether layers with other shapes are left out.
            by_name: whether to match layers by name instead of order (HDF5 only).
            options: ignored.

        Returns:
            For checkpoints the status of `tf.train.Checkpoint.restore`. Layers that have no weights
            yet get them as soon as they make them, and unused values are logged in the end.

        Raises:
            ValueError: if weights do not fit; it names all that do not, and none is loaded.
            AssertionError: if a checkpoint has nothing for this model.
            tf.errors.NotFoundError: if there is no such file.
        """
        return api.load_weights(self, filepath, skip_mismatch, by_name)

    def quantize(self, mode: str, filters: Any = None) -> None:
        """Quantizes weights of layers to integers, for faster or smaller inference.

        Dense and EinsumDense layers, attention, convolutions, embeddings and recurrent layers of
        float32 are quantized, see `Layer.quantize`; others stay as they are.

        Args:
            mode: "int8", "int4" or "float8", which trains Dense and EinsumDense layers on.
            filters: which layers: a pattern that their names match, a list of patterns, or a
                function of a layer. By default all.

        Raises:
            ValueError: for other modes or filters, and if the model is not built.

        >>> model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
        >>> model.quantize("int8")
        >>> model.predict(tf.zeros([1, 3]), verbose=0)
        array([[0., 0.]], dtype=float32)
        """
        quantization.quantize_model(self, mode, filters)
        self.train_function = self.test_function = self.predict_function = None

    def to_json(self, **kwargs: Any) -> str:
        """The model's configuration as JSON; `kwargs` go to `json.dumps`."""
        import json

        return json.dumps(self._model_config(), default=json_config.json_default, **kwargs)

    def to_yaml(self, **kwargs: Any) -> str:
        """Removed: raises a RuntimeError, since loading YAML could run code."""
        raise RuntimeError(
            "Method `model.to_yaml()` has been removed due to security risk of arbitrary code "
            "execution. Please use `model.to_json()` instead."
        )

    def _model_config(self) -> Config:
        return {
            "class_name": type(self).__name__,
            "config": self.get_config(),
            "keras_version": VERSION,
            "backend": "tensorflow",
        }

    @default
    def get_config(self) -> Config:
        """The arguments that make a model like this one; nothing, with a warning, if they are no
        plain values.
        """
        if self._graph is not None and self._is_functional():
            return functional.functional_config(self)
        if type(self).get_config is Model.get_config and type(self).__init__ is not (
            Model.__init__
        ):
            config = {
                "name": self.name,
                "trainable": self.trainable,
                "dtype": policies.serialize(self._dtype_policy),
            }
            try:
                return config_of_call(self, self._init_arguments, config)
            except NotImplementedError:
                logging.warning(
                    "Model's `__init__()` arguments contain non-serializable objects. Please "
                    "implement a `get_config()` method in the subclassed Model for proper saving "
                    "and loading. Defaulting to empty config."
                )
        return {}

    def _is_functional(self) -> bool:
        """Whether the graph is all there is to the model."""
        return self._is_graph_network

    @classmethod
    def from_config(cls, config: Config, custom_objects: CustomObjects | None = None) -> Any:
        """A model from what `get_config` returned; its weights are new."""
        with registration.CustomObjectScope(custom_objects or {}):
            if all(key in config for key in ("name", "layers", "input_layers", "output_layers")):
                return functional.functional_from_config(cls, config)
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


def _bases_after_models(cls: type) -> list[Any]:
    """The classes that a class extends besides models, and names behind them."""
    bases = list(cls.__bases__)
    first = next((k for k, base in enumerate(bases) if issubclass(base, Model)), len(bases))
    return [base for base in bases[first:] if not issubclass(base, Model)]


def _holds_layers(value: object) -> bool:
    if isinstance(value, list | tuple | dict):
        return any(isinstance(leaf, Module) for leaf in nest.flatten(value))
    return isinstance(value, Module)
