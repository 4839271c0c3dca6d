"""The outputs of layers and functions for symbolic tensors: a call is traced, and nothing is computed."""

from __future__ import annotations

from typing import Any

from eagerflow import _core, nest
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.context import running_eagerly
from eagerflow.framework.func_graph import FuncGraph, dims_of
from eagerflow.keras import naming
from eagerflow.keras.engine.calls.arguments import map_arguments
from eagerflow.keras.engine.calls.context import context, inferring_shapes
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor, symbolic_tensor

Tensor = _core.Tensor

# Classes that packages register: layers get such values of earlier layers as they are, which are no
# tensors, such as distributions.
_kept_types: list[type] = []

# Longer vectors of integers are not shapes: their values are not stored.
_MAX_RANK = 254


def register_symbolic_tensor_type(cls: type) -> None:
    """Has layers get values of a class as they are when a functional model is built.

    >>> from eagerflow.keras.engine.functional.shape_inference import register_symbolic_tensor_type
    >>> class Scaled:
    ...     def __init__(self, value):
    ...         self.value, self.shape, self.dtype = value, value.shape, value.dtype
    >>> register_symbolic_tensor_type(Scaled)
    >>> scaled = tf.keras.layers.Lambda(Scaled)(tf.keras.Input([2]))
    >>> tf.keras.layers.Lambda(lambda scaled: scaled.value)(scaled).shape
    TensorShape([None, 2])
    """
    _kept_types.append(cls)


def _placeholder(graph: FuncGraph, tensor: KerasTensor) -> Any:
    """A placeholder for a symbolic tensor, with its known value and its mask."""
    kept_in, value = tensor._kept
    if kept_in is graph:
        return value
    name = tensor.name or "input"
    if tensor._composite_spec is not None:
        return graph.placeholder_for(tensor._composite_spec, name)
    placeholder = graph.placeholder(tensor.dtype, dims_of(tensor.shape), name)
    if tensor._inferred_value is not None:
        _core.set_partial_value(placeholder, tensor._inferred_value)
    mask = tensor._keras_mask
    if isinstance(mask, KerasTensor):
        placeholder._keras_mask = _placeholder(graph, mask)
    elif mask is not None:
        placeholder._keras_mask = mask
    return placeholder


def _keras_tensor(result: Any) -> Any:
    """A symbolic tensor without a history for a tensor of a graph."""
    if isinstance(result, CompositeTensor):
        return symbolic_tensor(result._type_spec)
    if not hasattr(result, "shape") or not hasattr(result, "dtype"):
        return result
    known = None
    if isinstance(result, Tensor) and result.dtype.is_integer and result.ndim in (0, 1):
        known = _core.partial_value(result)
        if known is not None and len(known) > _MAX_RANK:
            known = None
    tensor = KerasTensor(result.shape, result.dtype, inferred_value=known)
    if isinstance(result, tuple(_kept_types)):
        tensor._kept = (_core.building(), result)
    mask = getattr(result, "_keras_mask", None)
    if mask is not None:
        tensor._keras_mask = _keras_tensor(mask)
        tensor._keras_mask._mask_of = tensor
    return tensor


def infer(function: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
    """A function's outputs for symbolic arguments, as symbolic tensors without a history."""
    kept = (v._kept[0] for v in nest.flatten([args, kwargs]) if isinstance(v, KerasTensor))
    graph = next(filter(None, kept), None)
    if graph is None:
        # The scratch graph is independent of a graph that the program builds.
        with running_eagerly():
            graph = FuncGraph("keras_scratch_graph")
        # A layer may read in one call what it kept in an earlier one: they also run one after another.
        graph.set_scratch()
    # Repeated symbolic tensors share a placeholder.
    known: dict[int, Any] = {}

    def in_graph(value: Any) -> Any:
        if not isinstance(value, KerasTensor):
            return value
        if id(value) not in known:
            known[id(value)] = _placeholder(graph, value)
        return known[id(value)]

    context.inferred_losses = []
    apart = naming.apart(until_building=True)
    with graph.as_default(), inferring_shapes(), _core.stop_recording(), apart:
        traced_args, traced_kwargs = map_arguments(in_graph, args, kwargs)
        return nest.map_structure(_keras_tensor, function(*traced_args, **traced_kwargs))
