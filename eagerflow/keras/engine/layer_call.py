"""How a layer is called: building, masks, training, casts, and the short way for plain tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core, nest, random_seed
from eagerflow import dtype as dtypes
from eagerflow.checkpoint.trackable import GROWING
from eagerflow.context import process
from eagerflow.keras import naming
from eagerflow.keras.engine import call_context
from eagerflow.keras.engine.call_context import context
from eagerflow.keras.engine.call_errors import explained
from eagerflow.keras.engine.call_spec import CallSpec, call_spec_of
from eagerflow.keras.engine.composite_calls import way_of
from eagerflow.keras.engine.input_spec import assert_input_compatibility
from eagerflow.keras.engine.keras_tensor import KerasTensor
from eagerflow.keras.engine.layer_losses import LayerLosses
from eagerflow.keras.engine.tracking import restore_grown
from eagerflow.keras.mixed_precision import policy as policies
from eagerflow.keras.mixed_precision.autocast import reading_casts
from eagerflow.name_scope import get_current_name_scope, name_scope
from eagerflow.ops.conversion import cast
from eagerflow.shapes import TensorShape

_ops = _core.ops
_Tensor = _core.Tensor


class _Plan:
    """What a built layer that is called with one tensor needs to look at."""

    __slots__ = ("cast", "default_training", "seen", "takes_training")

    def __init__(self, spec: CallSpec) -> None:
        self.takes_training = spec.expects_training
        self.default_training = spec.default_training
        self.seen: Any = None
        self.cast = False


class LayerCall(LayerLosses):
    """What happens between a layer's call and its `call`."""

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
    _composite_call: str | None = None  # how ragged and sparse inputs are taken
    _initial_weights: Any = None
    _build_input_shape: Any = None
    _stateful = False
    _dynamic = False
    built = False

    def _set_dtype_policy(self, dtype: Any) -> None:
        self.__dict__["_dtype_policy"] = policies.get(dtype)
        self.__dict__["_plan"] = None

    def set_weights(self, weights: Any) -> None:
        """Sets all weights from arrays."""
        raise TypeError(f"{type(self).__name__} has no weights to set.")

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
            self._clear_losses()
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
        except Exception as error:
            kwargs = {"training": training} if plan.takes_training else {}
            raise self._explained(error, (inputs,), kwargs) from None
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
        if process.graphs_used:
            from eagerflow.graph import keras_layers

            if keras_layers.applies((inputs, rest, kwargs)):
                return keras_layers.call(self, inputs, rest, kwargs)
        flat = nest.flatten(inputs)
        if _any_symbolic(flat) or (
            (rest or kwargs) and _any_symbolic(nest.flatten([rest, list(kwargs.values())]))
        ):
            from eagerflow.keras.engine.node import call_symbolically

            return call_symbolically(self, inputs, rest, kwargs)
        if self._composite_call is not None:
            way = way_of(self, flat)
            if way is not None:
                return way(inputs, rest, dict(kwargs))
        for value in flat:
            if isinstance(value, np.ndarray | np.generic | float | int):
                inputs = nest.map_structure(_tensor_of, inputs)
                flat = nest.flatten(inputs)
                break
        local = context
        if not local.layers and local.layers_with_losses:
            self._clear_losses()
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
            try:
                if policy.compute is policy.variable or not self._autocast:
                    outputs = self.call(inputs, *rest, **kwargs)
                else:
                    with reading_casts(self._casting_layers()):
                        outputs = self.call(inputs, *rest, **kwargs)
            except Exception as error:
                raise self._explained(error, (inputs, *rest), kwargs) from None
            if self._activity_regularizer is not None:
                self._add_activity_loss(outputs)
            if self._supports_masking:
                self._set_mask(inputs, outputs, masks)
        finally:
            local.layers.pop()
            local.training = before
        if self._plan is None:
            self._make_plan()
            if GROWING:
                restore_grown()
        return outputs

    def _explained(self, error: Exception, args: tuple, kwargs: dict[str, Any]) -> Exception:
        """What `call` raised, with this layer's name and the arguments of the call.

        While shapes are inferred, arguments are stand-ins that nobody should read about.
        """
        return error if context.inferring else explained(error, self, self.call, args, kwargs)

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
        return getattr(method, "__func__", method) is not LayerCall.compute_mask

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
        with Building(self):
            self.build(shapes)
        if GROWING:
            restore_grown()
        # A `build` that was overridden need not call this one.
        if not self.built or self._build_input_shape is None:
            LayerCall.build(self, shapes)
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


class Building:
    """Puts the names of the layers being called before those of new weights.

    New weights draw their numbers as the program does, not as the function that calls the layer.
    """

    def __init__(self, layer: Any, top: bool = False) -> None:
        layers = [layer] if top else context.layers
        parts = [item._name for item in layers]
        around = get_current_name_scope()
        scope = "/".join([around, *parts] if around and not context.building else parts)
        self._scope = name_scope(scope + "/" if scope else "")

    def __enter__(self) -> None:
        self._before = context.building
        self._drawing = random_seed.drawing(None)
        self._drawing.__enter__()
        self._names = naming.enter_building()
        self._scope.__enter__()
        context.building = True

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        context.building = self._before
        self._scope.__exit__(kind, value, traceback)
        self._drawing.__exit__(None, None, None)
        naming.leave_building(self._names)


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


def _default_training(default: Any) -> Any:
    """What `training` is that nobody gave: None lets the layers within choose, too."""
    return call_context.learning_phase() if call_context.learning_phase_is_set() else default


def _any_symbolic(values: list[Any]) -> bool:
    for value in values:
        if isinstance(value, KerasTensor):
            return True
    return False


def _tensor_of(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic | float | int):
        return _core.as_tensor(value)
    return value


def _shape_of(value: Any) -> TensorShape:
    return value.shape if isinstance(value.shape, TensorShape) else TensorShape(value.shape)


# What tensors say that have no mask.
_Tensor._keras_mask = None
