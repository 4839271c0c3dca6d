"""Layer: the base of all layers and models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, TypeVar, overload

import numpy as np

from eagerflow import _core, nest
from eagerflow.framework import dtypes
from eagerflow.framework.aggregation import VariableAggregation, VariableSynchronization
from eagerflow.framework.context import process, running_eagerly, surrounding_graph
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.framework.variable import Variable
from eagerflow.keras import config, constraints, regularizers
from eagerflow.keras.engine import layer_losses
from eagerflow.keras.engine.calls.arguments import CallSpec, call_spec_of
from eagerflow.keras.engine.calls.context import context
from eagerflow.keras.engine.calls.input_spec import InputSpec, assert_input_compatibility
from eagerflow.keras.engine.calls.layer_call import (
    Building,
    CallPlan,
    build_layer,
    call_layer,
    default_training,
    error_of_call,
    mark_built,
)
from eagerflow.keras.engine.functional.node import infer_output_shape
from eagerflow.keras.engine.layer_config import (
    config_of_call,
    default,
    plain_shape,
    serialize_argument,
    tensor_shapes,
)
from eagerflow.keras.engine.layer_dtypes import LayerDtypes
from eagerflow.keras.engine.layer_members import LayerMembers
from eagerflow.keras.engine.weights import check_options, make_weight, set_weights
from eagerflow.keras.mixed_precision import policy as policies
from eagerflow.keras.mixed_precision.autocast import autocast
from eagerflow.keras.program_code import convertible
from eagerflow.keras.saving.init_arguments import arguments_config
from eagerflow.keras.saving.memory_limit import limits, spend
from eagerflow.keras.typing import Config, ConstraintLike, InitializerLike, RegularizerLike
from eagerflow.typing import DTypeLike, ShapeLike, Structure, TensorLike
from eagerflow.util import advice, lazy
from eagerflow.util.argument_docs import complete_docs

# Imported when they are first used: few programs need them.
graph_mode = lazy.Module("eagerflow.keras.engine.graph_mode")
hints = lazy.Module("eagerflow.util.hints")
quantization = lazy.Module("eagerflow.keras.engine.quantization")

_Tensor = _core.Tensor
_ARGUMENTS = {
    "input_dim",
    "input_shape",
    "batch_input_shape",
    "batch_size",
    "weights",
    "activity_regularizer",
    "autocast",
    "implementation",
    "experimental_autocast",
    "input_dtype",
}

_Layer = TypeVar("_Layer", bound="Layer")


class Layer(LayerMembers, LayerDtypes):
    """A computation with weights, which are made when the first input's shape is known.

    Subclasses set themselves up in `__init__`, make weights in `build` and compute in `call`.

    Args:
        trainable: whether the weights are to be trained.
        name: the layer's name; by default the class's in snake case, with a number.
        dtype: the dtype of computations and weights, or a dtype policy.
        dynamic: accepted: every layer runs eagerly.
        **kwargs: arguments of all layers that are not named here: `name`, `dtype`, `trainable`,
            `input_shape`, `batch_input_shape`, `input_dim`, `batch_size`, `weights`,
            `activity_regularizer`, and `autocast`: False leaves inputs as they are.

    Raises:
        TypeError: for other keyword arguments.

    >>> class Scale(tf.keras.layers.Layer):
    ...     def build(self, input_shape):
    ...         self.factor = self.add_weight("factor", [input_shape[-1]], initializer="ones")
    ...
    ...     def call(self, inputs):
    ...         return inputs * self.factor
    >>> layer = Scale()
    >>> layer(tf.ones([2, 3])).shape, len(layer.trainable_weights)
    (TensorShape([2, 3]), 1)
    """

    _init_arguments: tuple[tuple, dict[str, Any]]  # of the constructor's call
    _batch_input_shape: tuple | None
    _plan: CallPlan | None = None
    _input_spec: Structure = None
    _activity_regularizer: Any = None
    _initial_weights: Any = None
    _build_input_shape: Structure = None
    _supports_masking = False
    _compute_output_and_mask_jointly = False
    # Whether `compute_mask` returns None where no input has a mask.
    _masks_only_from_masks = False
    _must_restore_from_config = False
    _preserve_input_structure_in_config = False
    # The handler in `composite_inputs` of ragged and sparse inputs; None: `call` itself.
    _composite_call: str | None = None
    # Whether variables among the arguments of `call` are read first, if `call` is not the program's.
    _reads_variables = True
    _is_model = False
    _stateful = False
    _dynamic = False
    built = False

    @property
    def _layers_are_ordered(self) -> bool:
        """Whether this is a model whose layers have indices in files."""
        return False

    def __new__(cls: type[_Layer], *args: object, **kwargs: object) -> _Layer:
        self = super().__new__(cls)
        self.__dict__["_init_arguments"] = (args, kwargs)
        return self

    # Describes arguments that many layers have, for docstrings that do not.
    _argument_docs = {
        "activation": "a function or its name; None for none.",
        "use_bias": "whether a bias is added.",
        "kernel_regularizer": "adds a loss for the kernel.",
        "kernel_constraint": "is applied to the kernel after each step of an optimizer.",
        "recurrent_activation": "for the gates.",
        "recurrent_regularizer": "adds a loss for the recurrent kernel.",
        "recurrent_constraint": "is applied to the recurrent kernel after each step.",
        "dropout": "the share of inputs that are dropped in training.",
        "recurrent_dropout": "the share of the state that is dropped in training.",
        "unit_forget_bias": "whether the forget gate's bias is one at first.",
        "bias_regularizer": "adds a loss for the bias.",
        "bias_constraint": "is applied to the bias after each step.",
        "activity_regularizer": "adds a loss for the result.",
        "data_format": '"channels_last" or "channels_first".',
        "seed": "the random seed.",
    }

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        complete_docs(cls)

    def __init__(
        self,
        trainable: bool = True,
        name: str | None = None,
        dtype: DTypeLike | policies.Policy | None = None,
        dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        unknown = [key for key in kwargs if key not in _ARGUMENTS]
        if unknown:
            raise TypeError(
                f"Keyword argument not understood: {type(self).__name__}.__init__() got an "
                f"unexpected keyword argument, {', '.join(map(repr, unknown))}"
                + (hints.of_constructor(type(self), unknown, _ARGUMENTS) or ".")
            )
        known = isinstance(trainable, bool | _core.Tensor | _core.Variable | np.bool_)
        if not known and surrounding_graph() is None:  # version 1 has taken everything
            raise _no_boolean("trainable", trainable)
        if not isinstance(dynamic, bool | np.bool_):
            raise _no_boolean("dynamic", dynamic)
        attributes = self.__dict__
        attributes["_trainable"] = trainable
        self._init_set_name(name)
        self._set_dtype_policy(dtype)
        attributes["_dynamic"] = bool(dynamic)
        attributes["_autocast"] = kwargs.get(
            "autocast", kwargs.get("experimental_autocast", process.v2_dtypes)
        )
        regularizer = kwargs.get("activity_regularizer")
        if regularizer is not None:
            self._activity_regularizer = regularizers.get(regularizer)
        attributes["_initial_weights"] = kwargs.get("weights")
        if "input_dim" in kwargs and "input_shape" not in kwargs:
            kwargs["input_shape"] = (kwargs["input_dim"],)
        if "batch_input_shape" in kwargs:
            attributes["_batch_input_shape"] = tuple(kwargs["batch_input_shape"])
        elif "input_shape" in kwargs:
            shape = kwargs["input_shape"]
            shape = (shape,) if isinstance(shape, int) else tuple(shape)
            attributes["_batch_input_shape"] = (kwargs.get("batch_size"), *shape)
        if self._computes_mask():
            attributes["_supports_masking"] = True
        attributes["_keras_layer_is_ready"] = True

    @default
    def build(self, input_shape: Any) -> None:
        """Makes the weights; subclasses override it.

        Args:
            input_shape: the TensorShape of the first argument of `call`, or a structure of them.
        """
        mark_built(self, input_shape)

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Computes the outputs; subclasses override it.

        Args:
            inputs: a tensor, or a structure of tensors.
            *args: more arguments, if the subclass takes any.
            **kwargs: as `training` and `mask`.
        """
        return inputs

    @overload
    def __call__(self, inputs: _Tensor, /, *args: Any, **kwargs: Any) -> _Tensor: ...
    @overload
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Builds the layer if it is not built yet, and computes its outputs.

        Args:
            *args: the inputs, then the other arguments of `call`. Arrays and scalars in the inputs
                become tensors. Symbolic inputs have symbolic outputs.
            **kwargs: other arguments of `call`. The defaults of `training` and `mask` come
                from the calling layer and from the inputs.

        Raises:
            ValueError: if the inputs do not fit the layer.
            RuntimeError: if `super().__init__()` was not called.
        """
        plan = None if process.graphs_used and surrounding_graph() is not None else self._plan
        seen: Any = (
            None  # the shapes and dtypes of tensors without masks, of a call that the plan covers
        )
        if plan is not None and len(args) == 1:
            inputs = args[0]
            if not kwargs or (len(kwargs) == 1 and "training" in kwargs):
                if isinstance(inputs, _Tensor):
                    if inputs._keras_mask is None:
                        seen = (inputs._shape_tuple(), inputs.dtype)
                elif type(inputs) is list or type(inputs) is dict:
                    seen = list(inputs) if type(inputs) is dict else []
                    for value in inputs.values() if isinstance(inputs, dict) else inputs:
                        if not isinstance(value, _Tensor) or value._keras_mask is not None:
                            seen = None
                            break
                        seen.append((value._shape_tuple(), value.dtype))
        if plan is None or seen is None:
            return call_layer(self, args, kwargs)
        if plan.seen != seen:
            assert_input_compatibility(self._input_spec, inputs, self._name)
            plan.seen = seen
            plan.cast = any(self._cast_target(value) is not None for value in nest.flatten(inputs))
        if plan.cast:
            inputs = self._maybe_cast_inputs(inputs)
        # A thread-local object is looked up once, instead of once for each attribute.
        local = context.__dict__
        layers = local["layers"]
        if not layers and local["layers_with_losses"]:
            self._clear_losses()
        before = local["training"]
        training = kwargs["training"] if kwargs else None
        if training is None:
            training = before
            if training is None and plan.takes_training:
                training = default_training(plan.default_training)
        local["training"] = training
        layers.append(self)
        try:
            call = self.call
            if plan.converts and _core.building() is not None:
                call = convertible(call)
            if plan.takes_training:
                return call(inputs, training=training)
            return call(inputs)
        except Exception as error:
            kwargs = {"training": training} if plan.takes_training else {}
            raise error_of_call(self, error, (inputs,), kwargs) from None
        finally:
            layers.pop()
            local["training"] = before

    @property
    def _call_spec(self) -> CallSpec:
        return call_spec_of(self.call)

    def _build_for(self, inputs: Structure) -> None:
        """Builds the layer for the shapes of these inputs."""
        build_layer(self, inputs)

    @default
    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The mask of the outputs: by default the mask of the inputs.

        Raises:
            TypeError: if there is a mask and the layer does not support masking.
        """
        if not self._supports_masking:
            if any(m is not None for m in nest.flatten(mask)):
                raise TypeError(
                    f"Layer {self.name} does not support masking, but was passed an input_mask: "
                    f"{mask}"
                )
            return None
        return mask

    def _computes_mask(self) -> bool:
        """Whether a subclass overrides `compute_mask`."""
        method = self.compute_mask
        return getattr(method, "__func__", method) is not Layer.compute_mask

    def add_weight(
        self,
        name: str | None = None,
        shape: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        initializer: InitializerLike | None = None,
        regularizer: RegularizerLike = None,
        trainable: bool | None = None,
        constraint: ConstraintLike = None,
        use_resource: bool | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        **kwargs: Any,
    ) -> Variable:
        """Makes a variable that belongs to the layer.

        Args:
            name: the variable's name.
            shape: its shape; a scalar by default.
            dtype: its dtype; by default the layer's variable dtype.
            initializer: its initial values; by default Glorot's uniform values, or zeros if the
                dtype is not floating.
            regularizer: a term of the loss.
            trainable: whether it is to be trained.
            constraint: projects its values after each update.
            use_resource: ignored.
            synchronization: the variable's attribute; ON_READ variables are not trained.
            aggregation: the variable's attribute.
            **kwargs: `autocast=False` keeps a mixed dtype policy from casting it; `getter` is a
                function that creates the variable; `collections=[]` leaves it out of a graph's
                collections; Keras's other options have no effect.

        Raises:
            TypeError: for an option that does not exist.
            ValueError: for both ON_READ and `trainable=True`, or a dtype without an initializer.
        """
        check_options(kwargs)
        # Keras 3 puts the shape first.
        if name is not None and not isinstance(name, str):
            name, shape = (shape if isinstance(shape, str) else None), name
        shape = () if shape is None else shape
        policy = self._dtype_policy
        if dtype is None:
            dtype = policy.variable or dtypes.as_dtype(config.floatx())
        dtype = dtypes.as_dtype(dtype)
        if policy.variable is None:
            self._set_dtype_policy(dtype)
            policy = self._dtype_policy
        if synchronization is VariableSynchronization.ON_READ:
            if trainable:
                raise ValueError(
                    "Synchronization value can be set to VariableSynchronization.ON_READ only for "
                    "non-trainable variables. You have specified trainable=True and "
                    "synchronization=VariableSynchronization.ON_READ."
                )
            trainable = False
        elif trainable is None:
            trainable = True
        casts = (
            kwargs.get("autocast", kwargs.get("experimental_autocast", True))
            and policy.compute is not policy.variable
            and dtype.is_floating
        )
        if limits.left is not None:
            spend(name, shape, dtype)
        make = make_weight
        if process.graphs_used:
            listed = kwargs.get("collections") is None
            make = graph_mode.make_listed_weight if listed else graph_mode.make_unlisted_weight

        def make_variable() -> Any:
            if "getter" in kwargs:
                # Layers are built eagerly; a program's function makes variables of its graph.
                graph = surrounding_graph()
                with nullcontext() if graph is None else graph.as_default():
                    return kwargs["getter"](
                        name=name,
                        shape=shape,
                        dtype=dtype,
                        initializer=initializer,
                        trainable=trainable,
                    )
            return make(
                self._variable_prefix(),
                name,
                shape,
                dtype,
                initializer,
                trainable,
                constraints.get(constraint),
                synchronization,
                aggregation,
                type(self).__name__,
            )

        def getter(**_: object) -> Any:
            return autocast(make_variable()) if casts else make_variable()

        variable = self._add_variable_with_custom_getter(
            name=name or "variable", getter=getter, shape=shape, dtype=dtype, trainable=trainable
        )
        if regularizer is not None:
            layer_losses.add_regularizer(self, variable, regularizers.get(regularizer))
        self._track_variable(variable, trainable if "getter" in kwargs else None)
        self._note_name(name or "variable", variable)
        return variable

    add_variable = add_weight

    def _variable_prefix(self) -> str:
        """The prefix of the names of weights that are made outside of `build`."""
        if context.building is not None:
            return ""
        return "".join(f"{layer._name}/" for layer in context.layers[context.scoped :])

    def compute_output_shape(self, input_shape: Structure) -> Any:
        """The shape of the outputs for inputs of a shape; nothing is computed.

        Args:
            input_shape: a shape (a tuple or TensorShape), or a structure of shapes.
        """
        return infer_output_shape(self, input_shape)

    def compute_output_signature(self, input_signature: Structure) -> Structure:
        """The TensorSpecs of the outputs for inputs described by TensorSpecs.

        Raises:
            TypeError: if a part of the signature is no TensorSpec.
        """
        for spec in nest.flatten(input_signature):
            if not isinstance(spec, TensorSpec):
                raise TypeError(f"Only TensorSpec signature types are supported. Received: {spec}.")
        shapes = nest.map_structure(lambda spec: spec.shape, input_signature)
        output = self.compute_output_shape(shapes)
        dtype = self._dtype_policy.compute or nest.flatten(input_signature)[0].dtype
        if isinstance(output, TensorShape):
            return TensorSpec(output, dtype)
        if isinstance(output, tuple) and all(isinstance(n, int | None) for n in output):
            return TensorSpec(output, dtype)
        return nest.map_structure(lambda shape: TensorSpec(shape, dtype), output)

    @property
    def name(self) -> str:
        """The layer's name."""
        return self._name

    @property
    def supports_masking(self) -> bool:
        """Whether masks of inputs are passed on to outputs."""
        return self._supports_masking

    @supports_masking.setter
    def supports_masking(self, value: bool) -> None:
        self._supports_masking = value

    @property
    def dynamic(self) -> bool:
        """The argument `dynamic` of this layer or of one inside."""
        return any(layer._dynamic for layer in self._flatten_layers())

    @property
    def stateful(self) -> bool:
        """Whether some layer keeps a state from one batch to the next."""
        return any(layer.__dict__.get("_stateful", False) for layer in self._flatten_layers())

    @stateful.setter
    def stateful(self, value: bool) -> None:
        self.__dict__["_stateful"] = value

    @property
    def input_spec(self) -> Structure:
        """The InputSpec of the inputs, or a structure of them."""
        return self._input_spec

    @input_spec.setter
    def input_spec(self, value: Any) -> None:
        for spec in nest.flatten(value):
            if spec is not None and not isinstance(spec, InputSpec):
                raise TypeError(f"Layer input_spec must be an instance of InputSpec. Got: {spec}")
        self._input_spec = value

    @property
    def activity_regularizer(self) -> Any:
        """A regularizer of the outputs."""
        return self._activity_regularizer

    @activity_regularizer.setter
    def activity_regularizer(self, regularizer: RegularizerLike) -> None:
        self._activity_regularizer = regularizer

    def add_loss(
        self, losses: TensorLike | Callable[[], Any] | Sequence[Any], **kwargs: Any
    ) -> None:
        """Adds terms to the loss of the model this layer is in.

        Args:
            losses: a tensor or a list of them, which count for the present call; or functions
                without arguments, which are called whenever the loss is needed. Outside of a call
                a model accepts symbolic tensors, too.
            **kwargs: `inputs` is ignored.

        Raises:
            TypeError: for other keyword arguments.
            ValueError: for a tensor with a value outside of a call.

        >>> class Small(tf.keras.layers.Layer):
        ...     def call(self, inputs):
        ...         self.add_loss(0.01 * tf.reduce_sum(inputs))
        ...         return inputs
        >>> layer = Small()
        >>> _ = layer(tf.ones([2, 2]))
        >>> print(round(float(layer.losses[0]), 4))
        0.04
        """
        kwargs.pop("inputs", None)
        if kwargs:
            raise TypeError(f"Unknown keyword arguments: {list(kwargs)}")
        for loss in nest.flatten(losses):
            if loss is not None:
                layer_losses.add_loss(self, loss)

    def _add_symbolic_loss(self, loss: object) -> None:
        self._list("_symbolic_losses").append(loss)

    def _add_activity_loss(self, outputs: object) -> None:
        layer_losses.add_activity_loss(self, outputs)

    @property
    def losses(self) -> list[Any]:
        """The losses that the last call added and those of regularizers, of this and all inner layers.

        Before the first call with values, the losses of symbolic calls are symbolic tensors.
        """
        return layer_losses.collect_losses(self._all_inner_layers())

    def _clear_losses(self) -> None:
        layer_losses.clear_losses(self._all_inner_layers())

    def add_metric(self, value: Any, name: str | None = None, **kwargs: Any) -> None:
        """Adds a value to be averaged over batches and reported with the model's metrics.

        Args:
            value: a tensor, or the result of a metric object.
            name: the metric's name.
            **kwargs: `aggregation` may be "mean".

        Raises:
            ValueError: without a name, for another aggregation or several metrics of that name, or
                for a tensor with a value outside of a call.
        """
        aggregation = kwargs.pop("aggregation", None)
        unknown = [key for key in kwargs if key != "inputs"]
        if unknown:
            raise TypeError(f"Unknown keyword arguments: {unknown}")
        layer_losses.add_metric(self, value, name, aggregation)

    def _add_symbolic_metric(self, value: object, name: str) -> None:
        raise ValueError(
            "Expected concrete values for the metric inside of a layer's call, got the symbolic "
            f"tensor {value}."
        )

    @property
    def metrics(self) -> list[Any]:
        """The metric objects of this layer and of the layers inside."""
        return [
            metric
            for layer in self._flatten_layers()
            for metric in layer.__dict__.get("_metrics", ())
        ]

    @property
    def updates(self) -> list[Any]:
        """Empty: layers update their variables when they are called, or their outputs computed."""
        return []

    def add_update(self, updates: Any) -> None:
        """Runs updates that are functions; operations have run by now.

        A layer that is not to be trained runs none while it is called.

        Args:
            updates: a function, an operation's result, or several of them.
        """
        if context.layers and not context.layers[-1].trainable:
            return
        for update in nest.flatten(updates):
            if callable(update):
                update()

    def get_weights(self) -> list[np.ndarray]:
        """The values of all weights, as NumPy arrays, in the order of `weights`."""
        weights = self.weights
        return [variable.numpy() for variable in weights]

    def set_weights(self, weights: Sequence[TensorLike]) -> None:
        """Sets all weights from arrays in the order of `get_weights`.

        Raises:
            ValueError: if their count or a shape does not fit; nothing is changed then.
        """
        with running_eagerly():
            set_weights(self.name, self.weights, list(weights))
            for layer in self._flatten_layers():
                layer.finalize_state()

    # Whether the kernel can have products of 8-bit floats.
    _takes_float8 = False
    # Whether the layers inside get the layer's dtype policy.
    _passes_dtype_policy = False

    def _quantizable_weights(self) -> dict[str, tuple[tuple[int, ...], list[int] | None]]:
        """The weights that can be quantized: by attribute, the axes along which values share a scale,
        and the shape in which operations read them, if it differs.
        """
        return {}

    def quantize(self, mode: str) -> None:
        """Quantizes the weights to integers, or trains with products of 8-bit floats.

        Integers have a scale for each output channel. Inputs are rounded to 8 bits when the layer is
        called, with a scale for each row or image, and multiplied as such. Meant for inference: these
        weights are not trained any more.

        With "float8", the kernel of a Dense or EinsumDense layer is trained on. Its values and the inputs
        are rounded to float8_e4m3fn, gradients of the outputs to float8_e5m2, with scales that follow
        the greatest values of the last 1024 training steps. Products are computed in float32, so this
        shows what such hardware would compute, and is slower.

        Args:
            mode: "int8"; "int4": two integers share a byte, and are unpacked by each call; "float8".

        Raises:
            ValueError: for other modes, and if the layer is not built, is quantized already, or is
                not of float32.
            NotImplementedError: for layers without such weights.

        >>> layer = tf.keras.layers.Dense(2)
        >>> layer.build([None, 3])
        >>> layer.quantize("int8")
        >>> layer.dtype_policy, [weight.dtype.name for weight in layer.weights]
        (<Policy "int8_from_float32">, ['float32', 'int8', 'float32'])
        """
        quantization.quantize_layer(self, mode)

    def count_params(self) -> int:
        """The number of values that the weights hold.

        Raises:
            ValueError: if the layer has not been built.
        """
        if not self.built:
            raise ValueError(
                f"You tried to call `count_params` on layer {self.name}, but the layer isn't "
                "built. You can build it manually via: "
                f"`{self.name}.build(batch_input_shape)`."
            )
        return sum(variable.shape.num_elements() or 0 for variable in self.weights)

    def _own_variables(self) -> list[Any]:
        """The layer's own weights, without those of layers inside."""
        self._container_variables()
        attributes = self.__dict__
        trainable = attributes.get("_trainable_weights") or []
        return [*trainable, *(attributes.get("_non_trainable_weights") or [])]

    def save_own_variables(self, store: dict[str, Any]) -> None:
        """Puts the layer's own weights into a store, by index; called when files are written."""
        for k, variable in enumerate(self._own_variables()):
            store[str(k)] = variable.numpy()

    def load_own_variables(self, store: Any) -> None:
        """Loads the weights that `save_own_variables` stored.

        Raises:
            ValueError: if there are more or fewer.
        """
        variables = self._own_variables()
        if len(store.keys()) != len(variables):
            raise ValueError(
                f"Layer '{self.name}' expected {len(variables)} variables, but received "
                f"{len(store.keys())} variables during loading. "
                f"Expected: {[variable.name for variable in variables]}"
            )
        for k, variable in enumerate(variables):
            variable.assign(store[str(k)])

    @default
    def get_config(self) -> Config:
        """The arguments that make a layer like this one.

        Layers of this package store each argument in an attribute of its name. Other layers whose
        constructors have more arguments than `Layer` override this method.

        Raises:
            NotImplementedError: if a subclass does not override it and was made with arguments
                that are no plain values.
        """
        config: dict[str, Any] = {
            "name": self.name,
            "trainable": self.trainable,
            "dtype": policies.serialize(self._dtype_policy),
        }
        if "_batch_input_shape" in self.__dict__:
            config["batch_input_shape"] = self._batch_input_shape
        # A class of a program may extend one of ours and call only the `__init__` of `Layer`.
        own = arguments_config(self, Layer, serialize_argument, optional=True)
        if not own and type(self).get_config is Layer.get_config:
            return config_of_call(self, self._init_arguments, config)
        return config | own

    @classmethod
    def from_config(cls, config: Config) -> Any:
        """A layer from what `get_config` returned; its weights are new.

        Raises:
            TypeError: if the class does not take these arguments.
        """
        try:
            return cls(**config)
        except Exception as error:  # whatever a constructor raises
            raise TypeError(
                f"Error when deserializing class '{cls.__name__}' using config={config}."
                f"\n\nException encountered: {error}"
            ) from error

    def get_build_config(self) -> Config | None:
        """The shape that the layer was built for."""
        if self._build_input_shape is None:
            return None
        return {"input_shape": plain_shape(self._build_input_shape)}

    def build_from_config(self, config: Config) -> None:
        """Builds the layer for the shape in what `get_build_config` returned."""
        shape = config.get(
            "input_shape"
        )  # Layers of several inputs are built when they are called.
        if shape is not None and not self.built:
            with Building(self, top=True):
                self.build(tensor_shapes(shape))

    def finalize_state(self) -> None:
        """Called when everything that adapts to data has seen it; subclasses may override it."""

    def _check_hdf5(self) -> None:
        """Raises if the layer has a state that HDF5's files of weights cannot hold."""

    def _argument_names(self) -> list[str]:
        """The names of the positional arguments of `call`."""
        return self._call_spec.positional

    def _call_from_config(self, inputs: object, kwargs: dict[str, object]) -> Any:
        """The call that a model's configuration describes."""
        return self(inputs, **kwargs)

    def _call_again(self, args: list[object], kwargs: dict[str, object]) -> Any:
        """Repeats a call with other symbolic tensors."""
        return self(*args, **kwargs)

    def _first_dtype(self) -> str | None:
        """The default dtype of a model's inputs if this is the first layer."""
        return self.compute_dtype

    def __repr__(self) -> str:
        module = type(self).__module__
        return f"<{module}.{type(self).__qualname__} object at {id(self):#x}>"


advice.lacks(
    Layer,
    "LAYER",
    "train eval state_dict load_state_dict requires_grad_ register_buffer register_parameter "
    "register_forward_hook add_module weight in_features out_features half predict_proba score "
    "partial_fit",
)


def _no_boolean(argument: str, value: object) -> TypeError:
    return TypeError(
        f"Expected `{argument}` argument to be a boolean, but got: {value} (of type {type(value)})"
    )
