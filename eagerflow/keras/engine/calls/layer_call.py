"""The general way to call a layer: conversion, masks, training, building, casts and regularizers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from eagerflow import _core, nest
from eagerflow.autograph import libraries
from eagerflow.checkpoint.trackable import GROWING
from eagerflow.framework import random_seed
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.context import building_graph, process
from eagerflow.framework.name_scope import get_current_name_scope, name_scope
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras import naming
from eagerflow.keras.engine.calls import training_mode
from eagerflow.keras.engine.calls.arguments import CallSpec
from eagerflow.keras.engine.calls.composite_inputs import composite_handler
from eagerflow.keras.engine.calls.context import context
from eagerflow.keras.engine.calls.errors import explained
from eagerflow.keras.engine.calls.first_call import note_arguments, note_inputs
from eagerflow.keras.engine.calls.input_spec import assert_input_compatibility
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor
from eagerflow.keras.engine.functional.node import call_symbolically
from eagerflow.keras.engine.tracking import restore_grown
from eagerflow.keras.program_code import convertible
from eagerflow.util import lazy

if TYPE_CHECKING:
    from eagerflow.keras.engine.layer import Layer

# Imported when it is first used: it imports this module.
graphs = lazy.Module("eagerflow.graph.graph")
# Imported when it is first used: it imports this module.
graph_mode = lazy.Module("eagerflow.keras.engine.graph_mode")
quantization = lazy.Module("eagerflow.keras.engine.quantization")

_Tensor = _core.Tensor


class CallPlan:
    """The checks that a call of a built layer with plain tensors still needs.

    A layer makes its plan after its first call, unless it regularizes its outputs or
    computes masks; `Layer.__call__` then skips everything that `call_layer` does.
    """

    __slots__ = ("cast", "converts", "default_training", "seen", "takes_training")

    def __init__(self, spec: CallSpec, converts: bool) -> None:
        self.converts = converts  # whether `call` is the program's code
        self.takes_training = spec.expects_training
        self.default_training = spec.default_training
        self.seen: Any = None  # the shapes and dtypes that were checked last
        self.cast = False


def plan_for(layer: Any) -> CallPlan | None:
    """The plan for the next calls of a layer; None if they need `call_layer`."""
    if (
        layer._activity_regularizer is not None
        or not layer.built
        or (
            layer._supports_masking
            and not layer._compute_output_and_mask_jointly
            and layer._computes_mask()
            and not layer._masks_only_from_masks
        )
    ):
        return None
    return CallPlan(layer._call_spec, not libraries.runs_as_it_is(layer.call))


def call_layer(layer: Any, args: tuple, kwargs: dict[str, Any], recorded: bool = False) -> Any:
    """Calls a layer with any arguments.

    Args:
        layer: the layer.
        args: the arguments.
        kwargs: those by keyword.
        recorded: whether the caller records a call in a program's graph.

    Raises:
        RuntimeError: if the layer's constructor did not call `super().__init__()`.
        ValueError: if the first argument is missing, or inputs do not fit the layer.
    """
    if "_keras_layer_is_ready" not in layer.__dict__:
        raise RuntimeError(
            "You must call `super().__init__()` in the layer constructor: "
            f"{type(layer).__name__} does not."
        )
    if process.graphs_used and not recorded:
        graph = graph_mode.recording_graph()
        if graph is not None:
            return graph_mode.call(graph, layer, args, kwargs)
    spec = layer._call_spec
    if args:
        inputs, rest = args[0], args[1:]
    elif spec.first in kwargs:
        kwargs = dict(kwargs)
        inputs, rest = kwargs.pop(spec.first), ()
    else:
        raise spec.missing_first(layer._name, kwargs)
    flat = nest.flatten(inputs)
    if _any_symbolic(flat) or (
        (rest or kwargs) and _any_symbolic(nest.flatten([rest, list(kwargs.values())]))
    ):
        return call_symbolically(layer, inputs, rest, kwargs)
    if any(isinstance(value, np.ndarray | np.generic | float | int) for value in flat):
        inputs = nest.map_structure(_as_tensor, inputs)
        flat = nest.flatten(inputs)
    given = flat
    if _any_read(flat) or ((rest or kwargs) and _any_read(nest.flatten([rest, kwargs]))):
        if layer._reads_variables and libraries.runs_as_it_is(layer.call):
            inputs, rest, kwargs = nest.map_structure(_read, (inputs, rest, kwargs))
            flat = nest.flatten(inputs)
    if layer._composite_call is not None:
        handler = composite_handler(layer, flat)
        if handler is not None:
            return handler(inputs, rest, dict(kwargs))
    if not context.layers and context.layers_with_losses:
        layer._clear_losses()
    masks = None
    if spec.expects_mask or layer._supports_masking:
        masks, rest, kwargs = resolve_mask(spec, inputs, flat, rest, kwargs)
    before = context.training
    training, rest, kwargs = resolve_training(spec, inputs, rest, kwargs)
    context.training = training
    context.layers.append(layer)
    program = building_graph() if process.graphs_used else None
    start = 0 if program is None else len(_core.building())
    scoped = context.scoped
    scope: Any = None
    try:
        assert_input_compatibility(layer._input_spec, inputs, layer._name)
        if not layer.built:
            if rest or kwargs:
                note_arguments(layer, rest, kwargs)
            infer_dtype(layer, flat)
            layer._maybe_build(inputs)
        if layer._autocast:
            inputs = layer._maybe_cast_inputs(inputs, given)
        if program is not None:
            scope = program.name_scope(layer._name)
            scope.__enter__()
            context.scoped = len(context.layers)
        try:
            outputs = convertible(layer.call)(inputs, *rest, **kwargs)
        except Exception as error:
            raise error_of_call(layer, error, (inputs, *rest), kwargs) from None
        if layer._activity_regularizer is not None:
            layer._add_activity_loss(outputs)
        if program is not None:
            outputs = graphs.with_effects(start, outputs)
        if layer._supports_masking:
            _set_mask(layer, inputs, outputs, masks)
    finally:
        if scope is not None:
            scope.__exit__(None, None, None)
        context.scoped = scoped
        context.layers.pop()
        context.training = before
    if layer._plan is None and program is None:
        layer.__dict__["_plan"] = plan_for(layer)
        if GROWING:
            restore_grown()
    return outputs


def error_of_call(layer: Any, error: Exception, args: tuple, kwargs: dict[str, Any]) -> Exception:
    """An error of `layer.call`, with the layer's name and the arguments of the call.

    While shapes are inferred, the arguments are placeholders, which do not help a user.
    """
    return error if context.inferring else explained(error, layer, layer.call, args, kwargs)


def default_training(spec_default: object) -> Any:
    """The value of `training` if no call has set it: the learning phase, or the default."""
    if process.graphs_used:
        is_set = training_mode.learning_phase_is_set()
        return training_mode.learning_phase() if is_set else spec_default
    return getattr(training_mode.phase, "value", spec_default)


def resolve_training(
    spec: CallSpec, inputs: Any, rest: tuple, kwargs: dict[str, object]
) -> tuple[Any, tuple, dict[str, Any]]:
    """Whether a call is in training, and its arguments, with `training` if `call` takes it."""
    if not spec.expects_training:
        if "training" in kwargs:
            kwargs = dict(kwargs)
            training = kwargs.pop("training")
            return context.training if training is None else training, rest, kwargs
        return context.training, rest, kwargs
    args = (inputs, *rest)
    training = spec.value("training", args, kwargs) if spec.has("training", args, kwargs) else None
    if training is None:
        training = context.training
        if training is None:
            training = default_training(spec.default_training)
        (_, *others), kwargs = spec.with_value("training", training, args, kwargs)
        rest = tuple(others)
    return training, rest, kwargs


def resolve_mask(
    spec: CallSpec, inputs: Any, flat: list[object], rest: tuple, kwargs: dict[str, object]
) -> tuple[Any, tuple, dict[str, Any]]:
    """The masks of a call's inputs, and its arguments, with `mask` if `call` takes it."""
    if spec.expects_mask and spec.has("mask", (inputs, *rest), kwargs):
        masks = spec.value("mask", (inputs, *rest), kwargs)
        if masks is not None:
            return masks, rest, kwargs
    flat_masks = [getattr(value, "_keras_mask", None) for value in flat]
    if all(mask is None for mask in flat_masks):
        return None, rest, kwargs
    masks = nest.pack_sequence_as(inputs, flat_masks)
    if spec.expects_mask:
        (_, *others), kwargs = spec.with_value("mask", masks, (inputs, *rest), kwargs)
        rest = tuple(others)
    return masks, rest, kwargs


def _set_mask(layer: Any, inputs: Any, outputs: Any, masks: Any) -> None:
    """Attaches what `compute_mask` returns to the outputs, unless `call` has attached masks."""
    if masks is None and not layer._computes_mask():
        return
    flat = nest.flatten(outputs)
    if layer._compute_output_and_mask_jointly or all(
        getattr(value, "_keras_mask", None) is not None for value in flat
    ):
        return
    computed = layer.compute_mask(inputs, masks)
    if computed is None:
        return
    for value, mask in zip(flat, nest.flatten(computed), strict=False):
        if mask is not None and isinstance(value, _Tensor):
            value._keras_mask = mask


class Building:
    """Prefixes the names of new weights with the names of the running layers.

    New weights are initialized at once, even while a function is traced, from the program's
    random state, not from that of the function that calls the layer.
    """

    def __init__(self, layer: Any, top: bool = False) -> None:
        self._layer = layer
        layers = [layer] if top else context.layers[context.scoped :]
        parts = [item._name for item in layers]
        around = get_current_name_scope()
        scope = "/".join([around, *parts] if around and context.building is None else parts)
        self._scope = name_scope(scope + "/" if scope else "")

    def __enter__(self) -> None:
        self._before = context.building
        self._drawing = random_seed.drawing(None)
        self._drawing.__enter__()
        _core.begin_eager()
        self._names = naming.enter_building()
        self._scope.__enter__()
        context.building = self._layer

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        context.building = self._before
        self._scope.__exit__(kind, value, traceback)
        _core.end_eager()
        self._drawing.__exit__(None, None, None)
        naming.leave_building(self._names)


class names_from_here:
    """Inside a `with` block, names of new weights have no prefix of the layers around."""

    def __enter__(self) -> None:
        self._before = context.layers, context.scoped, context.building, context.apart
        context.apart |= bool(context.layers)
        context.layers, context.scoped, context.building = [], 0, None
        self._scope = name_scope("")
        self._scope.__enter__()

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        self._scope.__exit__(kind, value, traceback)
        context.layers, context.scoped, context.building, context.apart = self._before


def mark_built(layer: Layer, input_shape: object) -> None:
    """Notes that a layer has its weights, and for which input shape."""
    layer.__dict__["_build_input_shape"] = input_shape
    layer.built = True
    if layer._dtype_policy.quantization_mode is not None:
        quantization.quantize_weights(layer)


def infer_dtype(layer: Layer, inputs: Sequence[object]) -> None:
    """Gives a layer whose policy says so the dtype of its first input."""
    if layer._dtype_policy.compute is None:
        for value in inputs:
            if hasattr(value, "dtype"):
                layer._set_dtype_policy(value.dtype)
                break


def build_layer(layer: Layer, inputs: Any) -> None:
    """Builds a layer for the shapes of its first inputs."""
    note_inputs(layer, inputs)
    flat = nest.flatten(inputs)
    infer_dtype(layer, flat)
    shapes = None
    if all(hasattr(value, "shape") for value in flat):
        shapes = nest.map_structure(_shape_of, inputs)
    with Building(layer):
        layer.build(shapes)
    if GROWING:
        restore_grown()
    # An overriding `build` need not call `Layer.build`, and may give it another shape.
    if not layer.built or layer._build_input_shape is None:
        mark_built(layer, shapes)
    layer.__dict__["_build_input_shape"] = shapes
    if layer._initial_weights is not None:
        layer.set_weights(layer._initial_weights)
        layer.__dict__["_initial_weights"] = None


def _any_symbolic(values: list[object]) -> bool:
    for value in values:
        if isinstance(value, KerasTensor):
            return True
    return False


def _any_read(values: list[object]) -> bool:
    for value in values:
        if not isinstance(value, _Tensor) and _is_read(value):
            return True
    return False


def _is_read(value: object) -> bool:
    """Whether a value is a variable, or an object of a program's that is converted to a tensor."""
    if isinstance(value, _core.Variable):
        return True
    others = (_Tensor, CompositeTensor, np.ndarray, np.generic)
    return hasattr(value, "dtype") and hasattr(value, "shape") and not isinstance(value, others)


def _read(value: Any) -> _Tensor:
    """The tensor that a value is read as; other arguments as they are."""
    if not _is_read(value):
        return value
    if not isinstance(value, _core.Variable):
        return _core.convert(value, None, None)
    tensor = _core.ops.identity(value)
    mask = getattr(value, "_keras_mask", None)
    if mask is not None:
        tensor._keras_mask = mask
    return tensor


def _as_tensor(value: object) -> Any:
    if isinstance(value, np.ndarray | np.generic | float | int):
        return _core.as_tensor(value)
    return value


def _shape_of(value: Any) -> TensorShape:
    return value.shape if isinstance(value.shape, TensorShape) else TensorShape(value.shape)


# The mask of tensors that have none.
_Tensor._keras_mask = None
