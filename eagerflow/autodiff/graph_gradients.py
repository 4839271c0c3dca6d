"""Gradients of a traced function's tensors by each other, as nodes of its graph."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from eagerflow import _core, nest
from eagerflow.autodiff.rows import gradients_of_rows
from eagerflow.autodiff.tape import UnconnectedGradients, unit_weights
from eagerflow.framework.type_spec import WeakTensors, weak_as
from eagerflow.util import lazy

# Imported when it is first used: few programs need it.
overridden_gradients = lazy.Module("eagerflow.autodiff.overridden")

_ops = _core.ops
_AGGREGATION_METHODS = (0, 1, 2)


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any,
    aggregation_method: int | None,
    stop_gradients: Any,
    unconnected_gradients: Any,
    colocate: bool = False,
) -> list[_core.Tensor]:
    """`tf.gradients` while a function is traced; see eagerflow.graph.gradients.

    With `colocate`, the gradient of an operation of the program's graph is in its groups.
    """
    if aggregation_method not in (None, *_AGGREGATION_METHODS):
        raise ValueError(
            f"Invalid `aggregation_method` specified {aggregation_method}. Accepted values are "
            f"{list(_AGGREGATION_METHODS)}."
        )
    kind = _unconnected(unconnected_gradients)
    targets = [_core.as_tensor(y) for y in _listed(ys)]
    sources = [_source(x) for x in _listed(xs)]
    weights = _weights(targets, grad_ys)
    stopped = [_core.as_tensor(stop) for stop in nest.flatten(stop_gradients or [])]
    graph = _core.building()
    if not graph.building_function:
        weights = [
            _ones(graph, target, f"grad_ys_{k}", colocate) if weight is None else weight
            for k, (target, weight) in enumerate(zip(targets, weights, strict=True))
        ]
    overridden = graph.overridden_operations()
    if overridden:
        results = overridden_gradients.gradients(
            graph, overridden, targets, weights, sources, stopped, colocate
        )
    else:
        results = added(graph, targets, weights, sources, stopped, colocate)
    if kind is not UnconnectedGradients.NONE:
        results = [
            _ops.zeros_like(_core.as_tensor(source)) if gradient is None else gradient
            for source, gradient in zip(sources, results, strict=True)
        ]
    if WeakTensors.exist:
        results = [
            g if g is None else weak_as(g, x) for g, x in zip(results, _listed(xs), strict=True)
        ]
    return results


def added(
    graph: Any,
    targets: Sequence[Any],
    weights: Sequence[Any],
    sources: Sequence[Any],
    stopped: Sequence[Any],
    colocate: bool,
) -> list[Any]:
    """The gradients that the engine adds; with `colocate`, in the groups of their operations."""
    if not colocate:
        return _core.graph_gradients(graph, targets, weights, sources, stopped)
    origins: list[tuple[int, int]] = []
    results = _core.graph_gradients(graph, targets, weights, sources, stopped, origins)
    graph.note_gradients(origins)
    return results


def _ones(graph: Any, target: Any, name: str, colocate: bool) -> _core.Tensor | None:
    if not target.dtype.is_floating:
        return None
    with graph.colocate_with(target.op) if colocate else contextlib.nullcontext():
        if target.shape.is_fully_defined():
            one = _core.convert(1, target.dtype, None)
            return _ops.fill(one, target.shape.as_list(), name=name)
        return _ops.ones_like(target, name=name)


def _listed(structure: Any) -> list[Any]:
    return list(structure) if isinstance(structure, list | tuple) else [structure]


def _source(x: _core.Tensor) -> _core.Variable | _core.Tensor:
    return x if isinstance(x, _core.Variable) else _core.as_tensor(x)


def _unconnected(value: object) -> UnconnectedGradients:
    try:
        return UnconnectedGradients.NONE if value is None else UnconnectedGradients(value)
    except ValueError:
        raise ValueError(f"Unknown value for unconnected_gradients: {value!r}") from None


def _weights(targets: list[_core.Tensor], grad_ys: Any) -> list[Any]:
    weights = [None] * len(targets) if grad_ys is None else _listed(grad_ys)
    if len(weights) != len(targets):
        raise ValueError(f"Length mismatch. Passed {len(weights)} grad_ys for {len(targets)} ys")
    return [_weight(target, weight) for target, weight in zip(targets, weights, strict=True)]


# Their gradients have the shape of what is reshaped, whatever that of the weights.
_RESHAPING = ("ExpandDims", "Reshape", "Squeeze")


def _weight(target: _core.Tensor, weight: Any) -> Any:
    if weight is None:
        if target.dtype.is_complex:
            raise TypeError(
                f"Gradients of complex tensors ({target}) must set grad_ys (y.dtype = "
                f"{target.dtype.name})"
            )
        return None
    if not isinstance(weight, _core.Tensor):
        weight = _core.convert(weight, target.dtype, None)
    if weight.dtype != target.dtype:
        raise TypeError(
            f"Gradient type {weight.dtype.name} given for a tensor of type {target.dtype.name}: "
            f"the grad_ys of {target} must have its dtype."
        )
    if not weight.shape.is_compatible_with(target.shape):
        count = weight.shape.num_elements()
        if target.op.type in _RESHAPING and count and count == target.shape.num_elements():
            return _core.ops.reshape(weight, target.shape.as_list())
        raise ValueError(
            f"The grad_ys of {target} has shape {weight.shape}, which is not {target.shape}."
        )
    return weight


def hessians(ys: Any, xs: Any) -> list[Any]:
    """`tf.hessians` while a function is traced; see eagerflow.graph.gradients."""
    sources = [_source(x) for x in _listed(xs)]
    slopes = gradients(ys, sources, None, None, None, None)
    return [
        None if gradient is None else _hessian(gradient, source)
        for gradient, source in zip(slopes, sources, strict=True)
    ]


def _hessian(gradient: Any, source: _core.Variable | _core.Tensor) -> _core.Tensor:
    graph = _core.building()
    gradient = _core.as_tensor(gradient)
    (rows,) = gradients_of_rows(
        lambda row: _core.graph_gradients(graph, [gradient], [row], [source], []),
        gradient,
        unit_weights(gradient),
    )
    sizes = _core.as_tensor(source)._sizes()
    if rows is None:
        return _ops.zeros([*sizes, *sizes], gradient.dtype)
    return _ops.reshape(rows, [*sizes, *sizes])
