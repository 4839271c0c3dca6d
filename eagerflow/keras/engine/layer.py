"""Layer: the base of all layers and models."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core, nest
from eagerflow import dtype as dtypes
from eagerflow.keras import constraints, initializers, regularizers
from eagerflow.keras.engine import call_context
from eagerflow.keras.engine.call_context import context
from eagerflow.keras.engine.call_spec import CallSpec, call_spec_of
from eagerflow.keras.engine.input_spec import assert_input_compatibility
from eagerflow.keras.engine.keras_tensor import KerasTensor
from eagerflow.keras.engine.layer_losses import LayerLosses
from eagerflow.keras.engine.layer_nodes import LayerNodes
from eagerflow.keras.engine.tracking import TrackedModule
from eagerflow.keras.engine.weights import make_weight, set_weights
from eagerflow.keras.mixed_precision import policy as policies
from eagerflow.keras.mixed_precision.autocast import reading_casts
from eagerflow.name_scope import get_current_name_scope, name_scope
from eagerflow.shapes import TensorShape
from eagerflow.variable import VariableAggregation, VariableSynchronization

_ops = _core.ops
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


class _Plan:
    """What a built layer that is called with one tensor needs to look at."""

    __slots__ = ("cast", "default_training", "seen", "takes_training")

    def __init__(self, spec: CallSpec) -> None:
        self.takes_training = spec.expects_training
        self.default_training = spec.default_training
        self.seen: Any = None
        self.cast = False


class Layer(LayerLosses, LayerNodes, TrackedModule):
    """A computation with weights, which are made when the first input's shape is known.

    Subclasses set themselves up in `__init__`, make weights in `build` and compute in `call`.

    Args:
        trainable: whether the weights are to be trained.
        name: the layer's name; by default the class's in snake case, with a number.
        dtype: the dtype of computations and weights, or a dtype policy.
        dynamic: accepted: every layer runs eagerly.
        **kwargs: `input_shape`, `batch_input_shape`, `input_dim`, `batch_size`, `weights`,
            `activity_regularizer` and `autocast`.

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

    _dtype_policy: policies.Policy
    _autocast: Any
    _batch_input_shape: tuple
    _supports_masking = False
    _compute_output_and_mask_jointly = False
    # Whether `compute_mask` gives None where no input has a mask.
    _masks_only_from_masks = False
    _must_restore_from_config = False
    _preserve_input_structure_in_config = False
    _input_spec: Any = None
    _initial_weights: Any = None
    _build_input_shape: Any = None
    _stateful = False
    _dynamic = False
    built = False
    _auto_arguments: Any = None

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        self = super().__new__(cls)
        self.__dict__["_auto_arguments"] = (args, kwargs)
        return self

    def __init__(
        self,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
        dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        unknown = [key for key in kwargs if key not in _ARGUMENTS]
        if unknown:
            raise TypeError(
                f"{type(self).__name__}.__init__() got an unexpected keyword argument: the keyword "
                f"argument(s) {unknown} are not understood by the layer."
            )
        if not isinstance(trainable, bool) and not (
            isinstance(trainable, _core.Tensor | _core.Variable | np.bool_ | int)
        ):
            raise TypeError(
                "Expected `trainable` argument to be a boolean, but got: "
                f"{trainable} (of type {type(trainable)})"
            )
        attributes = self.__dict__
        attributes["_trainable"] = trainable
        self._set_name(name)
        self._set_dtype_policy(dtype)
        attributes["_dynamic"] = bool(dynamic)
        attributes["_autocast"] = kwargs.get("autocast", kwargs.get("experimental_autocast", True))
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
        attributes["_keras_layer_is_ready"] = True

    def _set_dtype_policy(self, dtype: Any) -> None:
        self.__dict__["_dtype_policy"] = policies.get(dtype)
        self.__dict__["_plan"] = None

    def build(self, input_shape: Any) -> None:
        """Makes the weights; subclasses override it.

        Args:
            input_shape: the TensorShape of the first argument of `call`, or a structure of them.
        """
        self.__dict__["_build_input_shape"] = input_shape
        self.built = True

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Computes the outputs; subclasses override it.

        Args:
            inputs: a tensor, or a structure of tensors.
            *args: more arguments, if the subclass takes any.
            **kwargs: as `training` and `mask`.
        """
        return inputs

    def add_weight(
        self,
        name: str | None = None,
        shape: Any = None,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        trainable: bool | None = None,
        constraint: Any = None,
        use_resource: bool | None = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        **kwargs: Any,
    ) -> Any:
        """Makes a variable that belongs to the layer.

        Args:
            name: the variable's name.
            shape: its shape; a scalar by default.
            dtype: its dtype; by default the layer's variable dtype.
            initializer: what it holds at first; by default Glorot's uniform numbers, or zeros if
                the dtype is no float.
            regularizer: a term of the loss.
            trainable: whether it is to be trained.
            constraint: projects its values after each update.
            use_resource: ignored.
            synchronization: kept with the variable; ON_READ variables are not trained.
            aggregation: kept with the variable.
            **kwargs: `autocast=False` keeps a mixed dtype policy from casting it; others of
                Keras's are accepted.

        Raises:
            ValueError: for both ON_READ and `trainable=True`, or a dtype without an initializer.
        """
        # Keras 3 puts the shape first.
        if name is not None and not isinstance(name, str):
            name, shape = (shape if isinstance(shape, str) else None), name
        shape = () if shape is None else shape
        policy = self._dtype_policy
        if dtype is None:
            dtype = policy.variable or dtypes.as_dtype(initializers.config.floatx())
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
        cast = (
            kwargs.get("autocast", kwargs.get("experimental_autocast", True))
            and self._autocast
            and policy.compute is not policy.variable
            and dtype.is_floating
        )
        variable = make_weight(
            self._variable_prefix(),
            name,
            shape,
            dtype,
            initializer,
            trainable,
            constraints.get(constraint),
            synchronization,
            aggregation,
            cast,
            type(self).__name__,
        )
        if regularizer is not None:
            self._add_regularizer(variable, regularizers.get(regularizer))
        self._track_variable(variable)
        return variable

    add_variable = add_weight

    def _variable_prefix(self) -> str:
        """What stands before the name of a weight made outside of `build`."""
        if context.building:
            return ""
        return "".join(f"{layer._name}/" for layer in context.layers)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Builds the layer if it is not built yet, and computes its outputs.

        Args:
            *args: the inputs, then what else `call` takes. Arrays and numbers in the first become
                tensors. Symbolic tensors give symbolic outputs.
            **kwargs: what else `call` takes; `training` and `mask` are passed on by themselves.

        Raises:
            ValueError: if the inputs do not fit the layer.
            RuntimeError: if `super().__init__()` was not called.
        """
        plan = self._plan
        if plan is not None and len(args) == 1:
            inputs = args[0]
            if not kwargs or (len(kwargs) == 1 and "training" in kwargs):
                kind = type(inputs)
                if kind is _Tensor:
                    if inputs._keras_mask is None:
                        seen: Any = (inputs._shape_tuple(), inputs.dtype)
                        return self._call_planned(plan, inputs, seen, kwargs)
                elif kind is list:
                    seen = []
                    for value in inputs:
                        if type(value) is not _Tensor or value._keras_mask is not None:
                            break
                        seen.append((value._shape_tuple(), value.dtype))
                    else:
                        return self._call_planned(plan, inputs, seen, kwargs)
        return self._call_checked(args, kwargs)

    def _call_planned(self, plan: _Plan, inputs: Any, seen: Any, kwargs: dict[str, Any]) -> Any:
        """A call of a built layer with a tensor, or a list of tensors, of certain shapes."""
        if plan.seen != seen:
            assert_input_compatibility(self._input_spec, inputs, self._name)
            plan.seen = seen
            plan.cast = any(self._cast_target(value) is not None for value in nest.flatten(inputs))
        if plan.cast:
            inputs = nest.map_structure(self._cast_one, inputs)
        # The attributes of a thread-local object, without the way to them each time.
        local = context.__dict__
        layers = local["layers"]
        if not layers and local["layers_with_losses"]:
            _clear_losses()
        before = local["training"]
        training = kwargs["training"] if kwargs else None
        if training is None:
            training = before
            if training is None and plan.takes_training:
                training = _default_training(plan.default_training)
        local["training"] = training
        layers.append(self)
        try:
            if plan.takes_training:
                return self.call(inputs, training=training)
            return self.call(inputs)
        finally:
            layers.pop()
            local["training"] = before

    def _call_checked(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        """A call with any arguments."""
        if "_keras_layer_is_ready" not in self.__dict__:
            raise RuntimeError(
                "You must call `super().__init__()` in the layer constructor: "
                f"{type(self).__name__} does not."
            )
        spec = self._call_spec
        if args:
            inputs, rest = args[0], args[1:]
        elif spec.first in kwargs:
            kwargs = dict(kwargs)
            inputs, rest = kwargs.pop(spec.first), ()
        else:
            raise spec.missing_first(self._name, kwargs)
        flat = nest.flatten(inputs)
        if _any_symbolic(flat) or (
            (rest or kwargs) and _any_symbolic(nest.flatten([rest, list(kwargs.values())]))
        ):
            from eagerflow.keras.engine.node import call_symbolically

            return call_symbolically(self, inputs, rest, kwargs)
        for value in flat:
            if isinstance(value, np.ndarray | np.generic | float | int):
                inputs = nest.map_structure(_tensor_of, inputs)
                flat = nest.flatten(inputs)
                break
        local = context
        if not local.layers and local.layers_with_losses:
            _clear_losses()
        masks = None
        if spec.expects_mask or self._supports_masking:
            masks, rest, kwargs = self._with_mask(spec, inputs, flat, rest, kwargs)
        before = local.training
        training, rest, kwargs = self._with_training(spec, inputs, rest, kwargs)
        local.training = training
        local.layers.append(self)
        try:
            assert_input_compatibility(self._input_spec, inputs, self._name)
            if not self.built:
                self._build_for(inputs)
            if self._autocast:
                inputs = self._cast_inputs(inputs, flat)
            policy = self._dtype_policy
            if policy.compute is policy.variable or not self._autocast:
                outputs = self.call(inputs, *rest, **kwargs)
            else:
                with reading_casts(self._casting_layers()):
                    outputs = self.call(inputs, *rest, **kwargs)
            if self._activity_regularizer is not None:
                self._add_activity_loss(outputs)
            if self._supports_masking:
                self._set_mask(inputs, outputs, masks)
        finally:
            local.layers.pop()
            local.training = before
        if self._plan is None:
            self._make_plan()
        return outputs

    def _make_plan(self) -> None:
        """Lets the next calls take the short way, if nothing is special about this layer."""
        policy = self._dtype_policy
        special = (
            self._activity_regularizer is not None
            or not self.built
            or (policy.compute is not policy.variable and self._autocast)
            or (
                self._supports_masking
                and not self._compute_output_and_mask_jointly
                and self._computes_mask()
                and not self._masks_only_from_masks
            )
        )
        if not special:
            self.__dict__["_plan"] = _Plan(self._call_spec)

    def _casting_layers(self) -> list[Any]:
        """The layers whose weights this layer's `call` may read."""
        return self._all_inner_layers()

    def _computes_mask(self) -> bool:
        method = self.compute_mask
        return getattr(method, "__func__", method) is not Layer.compute_mask

    @property
    def _call_spec(self) -> CallSpec:
        return call_spec_of(self.call)

    def _with_mask(
        self, spec: CallSpec, inputs: Any, flat: list[Any], rest: tuple, kwargs: dict[str, Any]
    ) -> tuple[Any, tuple, dict[str, Any]]:
        """The inputs' masks, and the arguments with them if `call` takes masks."""
        if spec.expects_mask and spec.has("mask", (inputs, *rest), kwargs):
            masks = spec.value("mask", (inputs, *rest), kwargs)
            if masks is not None:
                return masks, rest, kwargs
        found = [getattr(value, "_keras_mask", None) for value in flat]
        if all(mask is None for mask in found):
            return None, rest, kwargs
        masks = nest.pack_sequence_as(inputs, found)
        if spec.expects_mask:
            (_, *others), kwargs = spec.with_value("mask", masks, (inputs, *rest), kwargs)
            rest = tuple(others)
        return masks, rest, kwargs

    def _with_training(
        self, spec: CallSpec, inputs: Any, rest: tuple, kwargs: dict[str, Any]
    ) -> tuple[Any, tuple, dict[str, Any]]:
        """Whether this call is in training, and the arguments with it if `call` takes it."""
        if not spec.expects_training:
            if "training" in kwargs:
                kwargs = dict(kwargs)
                training = kwargs.pop("training")
                return context.training if training is None else training, rest, kwargs
            return context.training, rest, kwargs
        args = (inputs, *rest)
        training = (
            spec.value("training", args, kwargs) if spec.has("training", args, kwargs) else None
        )
        if training is None:
            training = context.training
            if training is None:
                training = _default_training(spec.default_training)
            if spec.positional or "training" in spec.full_names or spec.takes_any_keyword:
                (_, *others), kwargs = spec.with_value("training", training, args, kwargs)
                rest = tuple(others)
        return training, rest, kwargs

    def _build_for(self, inputs: Any) -> None:
        """Builds the layer for the shapes of these inputs."""
        policy = self._dtype_policy
        if policy.compute is None:
            for value in nest.flatten(inputs):
                if hasattr(value, "dtype"):
                    self._set_dtype_policy(value.dtype)
                    break
        shapes = None
        if all(hasattr(value, "shape") for value in nest.flatten(inputs)):
            shapes = nest.map_structure(_shape_of, inputs)
        with _Building(self):
            self.build(shapes)
        # A `build` that was overridden need not call this one.
        if not self.built or self._build_input_shape is None:
            Layer.build(self, shapes)
        if self._initial_weights is not None:
            self.set_weights(self._initial_weights)
            self.__dict__["_initial_weights"] = None

    def _cast_target(self, tensor: Any) -> Any:
        """The dtype that an input must be cast to, or None."""
        compute = self._dtype_policy.compute
        dtype = getattr(tensor, "dtype", None)
        if (
            not self._autocast
            or compute is None
            or not compute.is_floating
            or dtype is compute
            or dtype is None
            or not dtypes.as_dtype(dtype).is_floating
        ):
            return None
        return compute

    def _cast_inputs(self, inputs: Any, flat: list[Any]) -> Any:
        for value in flat:
            if self._cast_target(value) is not None:
                return nest.map_structure(self._cast_one, inputs)
        return inputs

    def _cast_one(self, value: Any) -> Any:
        target = self._cast_target(value)
        if target is None:
            return value
        from eagerflow.ops.conversion import cast

        result = cast(value, target)
        mask = getattr(value, "_keras_mask", None)
        if mask is not None:
            result._keras_mask = mask
        return result

    def _set_mask(self, inputs: Any, outputs: Any, masks: Any) -> None:
        """Attaches what `compute_mask` gives to the outputs, unless `call` has done it."""
        if masks is None and not self._computes_mask():
            return
        flat = nest.flatten(outputs)
        if self._compute_output_and_mask_jointly or all(
            getattr(value, "_keras_mask", None) is not None for value in flat
        ):
            return
        computed = self.compute_mask(inputs, masks)
        if computed is None:
            return
        found = nest.flatten(computed)
        for value, mask in zip(flat, found, strict=False):
            if mask is not None and isinstance(value, _Tensor):
                value._keras_mask = mask

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The mask of the outputs: by default that of the inputs.

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

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of the outputs for inputs of a shape; nothing is computed.

        Args:
            input_shape: a shape (a tuple or TensorShape), or a structure of shapes.
        """
        from eagerflow.keras.engine.node import infer_output_shape

        return infer_output_shape(self, input_shape)

    def compute_output_signature(self, input_signature: Any) -> Any:
        """The TensorSpecs of the outputs for inputs described by TensorSpecs."""
        from eagerflow.type_spec import TensorSpec

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
    def dtype(self) -> str | None:
        """The name of the weights' dtype."""
        return self._dtype_policy.variable_dtype

    @property
    def variable_dtype(self) -> str | None:
        """The name of the weights' dtype."""
        return self._dtype_policy.variable_dtype

    @property
    def compute_dtype(self) -> str | None:
        """The name of the dtype of computations."""
        return self._dtype_policy.compute_dtype

    @property
    def _compute_dtype(self) -> str | None:
        return self._dtype_policy.compute_dtype

    @property
    def _compute_dtype_object(self) -> Any:
        return self._dtype_policy.compute

    @property
    def dtype_policy(self) -> policies.Policy:
        """The dtype policy."""
        return self._dtype_policy

    @property
    def supports_masking(self) -> bool:
        """Whether masks of inputs are passed on to outputs."""
        return self._supports_masking

    @supports_masking.setter
    def supports_masking(self, value: bool) -> None:
        self._supports_masking = value

    @property
    def dynamic(self) -> bool:
        """What was given as `dynamic`."""
        return any(layer._dynamic for layer in self._flatten_layers())

    @property
    def stateful(self) -> bool:
        """Whether some layer keeps a state from one batch to the next."""
        return any(layer.__dict__.get("_stateful", False) for layer in self._flatten_layers())

    @stateful.setter
    def stateful(self, value: bool) -> None:
        self.__dict__["_stateful"] = value

    @property
    def input_spec(self) -> Any:
        """The InputSpec of the inputs, or a structure of them."""
        return self._input_spec

    @input_spec.setter
    def input_spec(self, value: Any) -> None:
        from eagerflow.keras.engine.input_spec import InputSpec

        for spec in nest.flatten(value):
            if spec is not None and not isinstance(spec, InputSpec):
                raise TypeError(f"Layer input_spec must be an instance of InputSpec. Got: {spec}")
        self._input_spec = value

    @property
    def activity_regularizer(self) -> Any:
        """A regularizer of the outputs."""
        return self._activity_regularizer

    @activity_regularizer.setter
    def activity_regularizer(self, regularizer: Any) -> None:
        self._activity_regularizer = regularizer

    @property
    def updates(self) -> list[Any]:
        """Empty: layers update their variables when they are called."""
        return []

    def get_weights(self) -> list[Any]:
        """The values of all weights, as NumPy arrays, in the order of `weights`."""
        return [variable.numpy() for variable in self.weights]

    def set_weights(self, weights: Any) -> None:
        """Sets all weights from arrays in the order of `get_weights`.

        Raises:
            ValueError: if their number or a shape does not fit; nothing is changed then.
        """
        set_weights(self.name, self.weights, list(weights))

    def count_params(self) -> int:
        """How many numbers the weights hold.

        Raises:
            ValueError: if the layer has not been built.
        """
        if not self.built:
            raise ValueError(
                f"You tried to call `count_params` on layer {self.name}, but the layer isn't "
                "built. You can build it manually via: "
                f"`{self.name}.build(batch_input_shape)`."
            )
        return sum(int(np.prod(variable.shape.as_list())) for variable in self.weights)

    def _own_variables(self) -> list[Any]:
        """The layer's own weights, without those of layers inside."""
        attributes = self.__dict__
        trainable = attributes.get("_trainable_weights") or []
        return [*trainable, *(attributes.get("_non_trainable_weights") or [])]

    def save_own_variables(self, store: dict[str, Any]) -> None:
        """Puts the layer's own weights into a store, by number; files of weights ask for it."""
        for k, variable in enumerate(self._own_variables()):
            store[str(k)] = variable.numpy()

    def load_own_variables(self, store: Any) -> None:
        """Takes the weights that `save_own_variables` stored.

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

    def finalize_state(self) -> None:
        """Called when everything that adapts to data has seen it; subclasses may override it."""

    def get_config(self) -> dict[str, Any]:
        """The arguments that make a layer like this one.

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
        if type(self).get_config is Layer.get_config:
            return arguments_config(self, config)
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A layer from what `get_config` returned; its weights are new.

        Raises:
            TypeError: if the class does not take these arguments.
        """
        try:
            return cls(**config)
        except Exception as error:
            raise TypeError(
                f"Error when deserializing class '{cls.__name__}' using config={config}."
                f"\n\nException encountered: {error}"
            ) from error

    def _argument_names(self) -> list[str]:
        """The names of the positional arguments of `call`."""
        return self._call_spec.positional

    def _call_from_config(self, inputs: Any, kwargs: dict[str, Any]) -> Any:
        """The call that a model's configuration describes."""
        return self(inputs, **kwargs)

    def _call_again(self, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """A call like one that was made before, with other symbolic tensors."""
        return self(*args, **kwargs)

    def _first_dtype(self) -> Any:
        """The dtype of the inputs that a layer which starts a model takes."""
        return self.compute_dtype

    def get_build_config(self) -> dict[str, Any] | None:
        """The shape that the layer was built for."""
        if self._build_input_shape is None:
            return None
        return {"input_shape": _plain_shape(self._build_input_shape)}

    def build_from_config(self, config: dict[str, Any]) -> None:
        """Builds the layer for the shape in what `get_build_config` returned."""
        shape = config["input_shape"]
        if shape is not None and not self.built:
            with _Building(self, top=True):
                self.build(shape)

    def __repr__(self) -> str:
        module = type(self).__module__
        return f"<{module}.{type(self).__qualname__} object at {id(self):#x}>"


class _Building:
    """Puts the names of the layers being called before those of new weights."""

    def __init__(self, layer: Layer, top: bool = False) -> None:
        layers = [layer] if top else context.layers
        parts = [item._name for item in layers]
        around = get_current_name_scope()
        scope = "/".join([around, *parts] if around and not context.building else parts)
        self._scope = name_scope(scope + "/" if scope else "")

    def __enter__(self) -> None:
        self._before = context.building
        self._scope.__enter__()
        context.building = True

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        context.building = self._before
        self._scope.__exit__(kind, value, traceback)


class names_from_here:
    """Inside a `with` block, new weights get no names of the layers around."""

    def __enter__(self) -> None:
        self._before = context.layers, context.building
        context.layers, context.building = [], False
        self._scope = name_scope("")
        self._scope.__enter__()

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        self._scope.__exit__(kind, value, traceback)
        context.layers, context.building = self._before


def arguments_config(layer: Layer, config: dict[str, Any]) -> dict[str, Any]:
    """A configuration made of the arguments the layer was made with, if they are plain."""
    args, kwargs = layer._auto_arguments
    parameters = list(inspect.signature(type(layer).__init__).parameters.values())[1:]
    names = [p.name for p in parameters if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    takes_any = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters)
    given = dict(zip(names, args, strict=False)) | kwargs
    if not takes_any:
        config = {key: value for key, value in config.items() if key in names}
    for key, value in given.items():
        if key in ("name", "trainable", "dtype"):
            continue
        if not _is_plain(value):
            raise NotImplementedError(
                f"Layer {type(layer).__name__} was created by passing non-serializable argument "
                f"values in `__init__()`, and therefore the layer must override `get_config()` in "
                f"order to be serializable: `{key}` is {value!r}."
            )
        config[key] = value
    return config


def _is_plain(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(map(_is_plain, value.values()))
    return value is None or isinstance(value, str | int | float | bool)


def _default_training(default: Any) -> Any:
    if call_context.learning_phase_is_set():
        return call_context.learning_phase()
    return False if default is None else default


def _clear_losses() -> None:
    """Forgets the losses of the call before, which the next call adds anew."""
    for layer in context.layers_with_losses:
        layer._list("_losses").clear()
    context.layers_with_losses.clear()


def _any_symbolic(values: list[Any]) -> bool:
    for value in values:
        if isinstance(value, KerasTensor):
            return True
    return False


def _tensor_of(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic | float | int):
        return _core.convert(value, None, None)
    return value


def _shape_of(value: Any) -> TensorShape:
    return value.shape if isinstance(value.shape, TensorShape) else TensorShape(value.shape)


def _plain_shape(shape: Any) -> Any:
    if isinstance(shape, TensorShape):
        return None if shape.rank is None else tuple(shape.as_list())
    if isinstance(shape, dict):
        return {key: _plain_shape(value) for key, value in shape.items()}
    if isinstance(shape, list):
        return [_plain_shape(value) for value in shape]
    if isinstance(shape, tuple):
        return tuple(_plain_shape(value) for value in shape)
    return shape


Activation = Callable[[Any], Any]
# What tensors say that have no mask.
_Tensor._keras_mask = None
