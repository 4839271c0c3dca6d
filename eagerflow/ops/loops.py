"""Loops over the first axis of tensors: map, fold and scan.

While a function is traced, they add loops as nodes (`graph_loops`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core, nest
from eagerflow.errors import InvalidArgumentError, OutOfRangeError
from eagerflow.framework import dtypes
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.op_function import op_function
from eagerflow.framework.type_spec import TensorSpec, TypeSpec, WeakTensors, weak_as
from eagerflow.typing import DTypeLike, Structure, TensorLike
from eagerflow.util import lazy

graph_loops = lazy.Module("eagerflow.ops.graph_loops")  # few programs need it
# These trace functions with operations, and only tf.vectorized_map needs them.
conversion = lazy.Module("eagerflow.autograph.conversion")
functions = lazy.Module("eagerflow.functions.function")

_ops = _core.ops
Tensor = _core.Tensor


def _as_tensor(value: TensorLike) -> Any:
    if getattr(type(value), "_is_composite_tensor", False):
        return value
    return _core.as_tensor(value)


def _check_callable(fn: object) -> None:
    if not callable(fn):
        raise TypeError(f"The provided function {fn} is not callable. fn must be callable.")


def _elements(value: Any) -> list:
    """The slices of a tensor, or the rows of a ragged or sparse one."""
    if isinstance(value, Tensor):
        if value.ndim == 0:
            raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
        return _ops.unstack(value, None, 0)
    spec = value._type_spec
    if not spec._is_batchable:
        raise TypeError(f"map_fn can not consume {spec} inputs: got {value!r}")
    slices = spec._slices(value)
    return [slices[k] for k in range(int(slices.shape[0]))]


def _columns(elems: TensorLike) -> list[list]:
    flat = [_as_tensor(value) for value in nest.flatten(elems)]
    if not flat:
        raise ValueError("elems must be a Tensor or (possibly nested) sequence of Tensors.")
    return [_elements(value) for value in flat]


def _result_types(signature: object) -> tuple[list, list]:
    """The dtype (None if it has none) and the spec of each leaf of a signature."""
    specs = nest.flatten(signature)
    kinds = [
        dtypes.dtype_of(spec) if not isinstance(spec, TypeSpec) or hasattr(spec, "dtype") else None
        for spec in specs
    ]
    return kinds, specs


def _like(elems: TensorLike) -> Any:
    """The signature of results that have the dtype and shape of slices of these elements."""
    value = _as_tensor(elems)
    if not isinstance(value, CompositeTensor):
        return value.dtype
    spec = value._type_spec
    if hasattr(spec, "ragged_rank"):
        ragged_rank = spec.ragged_rank
        dims = [None] * ragged_rank + list(spec.shape)[ragged_rank + 1 :]
        return type(spec)(dims, spec.dtype, ragged_rank - 1, spec.row_splits_dtype)
    return spec._unbatch() if spec._is_batchable else spec


def stack_results(column: list, dtype: Any, spec: Any = None) -> Any:
    """Stacks the results for the slices into one value of a dtype.

    Raises:
        tf.errors.InvalidArgumentError: if a result has another dtype.
        ValueError: if the shapes of results differ.
    """
    if isinstance(spec, TypeSpec) and not isinstance(spec, TensorSpec):
        # Scalars are stacked into a vector, not a ragged tensor.
        if not hasattr(spec, "ragged_rank") or any(_rank(item) for item in column):
            return spec._stack(column)
    parts: list[Tensor] = []
    wanted = spec.shape if isinstance(spec, TensorSpec) else None
    for item in column:
        part = _core.convert(item, None, dtype)
        if dtype is not None and part.dtype is not dtype:
            raise InvalidArgumentError._of(
                f"TensorArray dtype is {dtype.name} but Op is trying to write dtype "
                f"{part.dtype.name}"
            )
        if parts and part._shape_tuple() != parts[0]._shape_tuple():
            raise ValueError(
                f"Incompatible shape for value ({part.shape}), expected ({parts[0].shape})"
            )
        if wanted is not None and not wanted.is_compatible_with(part.shape):
            raise ValueError(f"Incompatible shape for value ({part.shape}), expected ({wanted})")
        parts.append(part)
    return _ops.stack(parts, 0)


def _rank(item: TensorLike) -> int:
    return len(_as_tensor(item).shape)


@op_function
def map_fn(
    fn: Callable,
    elems: TensorLike,
    dtype: DTypeLike | None = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: object = None,
) -> Any:
    """Applies a function to the slices along the first axis and stacks the results.

    Args:
        fn: a function of a slice, or of a structure of slices.
        elems: a tensor, or a nested structure of tensors of the same first size.
        dtype: an older name of `fn_output_signature`.
        back_prop: whether gradients flow through the result.
        infer_shape: ignored: the results must have one shape.
        fn_output_signature: a structure of dtypes or specs, one for each result; by default results
            are like `elems`.

    Raises:
        TypeError: if `fn` cannot be called.
        ValueError: if the first sizes differ, a result has another structure or shape than the
            signature, or the results have different shapes.
        tf.errors.InvalidArgumentError: if a result has another dtype than the signature says.

    >>> tf.map_fn(lambda row: row * 2, tf.constant([[1, 2], [3, 4]])).numpy()
    array([[2, 4],
           [6, 8]], dtype=int32)
    """
    _check_callable(fn)
    signature = dtype if fn_output_signature is None else fn_output_signature
    if signature is None:
        like = nest.map_structure(_like, elems)
        mapped = map_fn(fn, elems, like, None, back_prop, swap_memory, infer_shape, name)
        return nest.map_structure(weak_as, mapped, elems) if WeakTensors.exist else mapped
    if _core.building() is not None:
        fn = conversion.convert_in_context(fn)
        return graph_loops.map_fn(fn, elems, signature, back_prop, infer_shape, name)
    columns = _columns(elems)
    if WeakTensors.exist:
        flat = nest.flatten(elems)
        columns = [[weak_as(x, elem) for x in c] for c, elem in zip(columns, flat, strict=True)]
    if len({len(column) for column in columns}) != 1:
        raise ValueError(f"The first sizes of elems differ: {[len(column) for column in columns]}")
    kinds, specs = _result_types(signature)
    results: list[list] = [[] for _ in specs]
    for slices in zip(*columns, strict=True):
        value = fn(nest.pack_sequence_as(elems, list(slices)))
        nest.assert_same_structure(signature, value, check_types=False)
        for column, leaf in zip(results, nest.flatten(value), strict=True):
            column.append(leaf)
    if not columns[0]:
        empty = [_empty(kind, spec) for kind, spec in zip(kinds, specs, strict=True)]
        return nest.pack_sequence_as(signature, empty)
    joined = [
        stack_results(column, kind, spec)
        for column, kind, spec in zip(results, kinds, specs, strict=True)
    ]
    if not back_prop:
        joined = [_ops.stop_gradient(value) for value in joined]
    return nest.pack_sequence_as(signature, joined)


def _empty(kind: dtypes.DType, spec: dtypes.DType) -> Tensor:
    if isinstance(spec, TypeSpec):
        return spec._batch(0)._zero(0)
    shape = getattr(spec, "shape", None)
    inner = [] if shape is None or not isinstance(spec, TypeSpec) else list(shape)
    return _ops.zeros([0, *(size or 0 for size in inner)], kind)


@op_function
def vectorized_map(
    fn: Callable, elems: TensorLike, fallback_to_while_loop: bool = True, warn: bool = True
) -> Any:
    """Applies a function to the slices along the first axis and stacks whatever it returns.

    Args:
        fn: a function of a slice, or of a structure of slices.
        elems: a tensor, or a nested structure of tensors whose first sizes are equal or 1.
        fallback_to_while_loop: whether a function that cannot run for all slices at once, because
            it has effects, control flow or Python code that depends on a slice, runs in a loop.

    Raises:
        ValueError: if the first sizes differ, or the function would have to run in a loop.

    The function is traced, as by `tf.function`, and its operations run once, on all slices.

    >>> tf.vectorized_map(lambda x: tf.reduce_sum(x * x), tf.constant([[1, 2], [3, 4]])).numpy()
    array([ 5, 25], dtype=int32)
    """
    _check_callable(fn)
    if _core.building() is not None:
        return graph_loops.vectorized_map(fn, elems, fallback_to_while_loop)

    def vectorized(elems: TensorLike) -> Any:
        return graph_loops.vectorized_map(
            conversion.convert_in_context(fn), elems, fallback_to_while_loop
        )

    elems = nest.map_structure(lambda leaf: weak_as(_as_tensor(leaf), leaf), elems)
    return functions.Function(vectorized).get_concrete_function(elems)(elems)


def _fold(
    fn: Callable, elems: TensorLike, initializer: Structure, backwards: bool, back_prop: bool
) -> tuple[Any, list]:
    """The last accumulated value, and all of them in the order of the calls."""
    _check_callable(fn)
    columns = _columns(elems)
    rows = [nest.pack_sequence_as(elems, list(row)) for row in zip(*columns, strict=True)]
    if backwards:
        rows.reverse()
    values = []
    if initializer is None:
        if not rows:
            raise OutOfRangeError._of("Tried to read from index 0 but array size is: 0 ")
        value = rows.pop(0)
        values.append(value)
    else:
        value = nest.map_structure(lambda leaf: weak_as(_as_tensor(leaf), leaf), initializer)
    for row in rows:
        accumulated = fn(value, row)
        nest.assert_same_structure(value, accumulated, check_types=False)
        value = accumulated
        values.append(value)
    if not back_prop:
        values = [nest.map_structure(_ops.stop_gradient, item) for item in values]
    return (values[-1] if values else value), values


def _combined(
    fn: Callable, elems: TensorLike, initializer: object, reverse: bool, back_prop: bool, name: str
) -> Any:
    if _core.building() is not None:
        _check_callable(fn)
        return graph_loops.fold(fn, elems, initializer, reverse, back_prop, name)
    last, _ = _fold(fn, elems, initializer, reverse, back_prop)
    return nest.map_structure(_as_tensor, last)


@op_function
def foldl(
    fn: Callable,
    elems: TensorLike,
    initializer: Structure = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Tensor:
    """Combines the slices along the first axis from the first to the last.

    Args:
        fn: called with the accumulated value and a slice; returns the new accumulated value.
        elems: a tensor, or a nested structure of tensors of the same first size.
        initializer: the accumulated value at the start; by default the first slice.
        back_prop: whether gradients flow through the result.

    Raises:
        TypeError: if `fn` cannot be called.

    >>> tf.foldl(lambda a, x: 10 * a + x, tf.constant([1, 2, 3]))
    <tf.Tensor: shape=(), dtype=int32, numpy=123>
    """
    return _combined(fn, elems, initializer, False, back_prop, name or "foldl")


@op_function
def foldr(
    fn: Callable,
    elems: TensorLike,
    initializer: Structure = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Tensor:
    """Combines the slices along the first axis from the last to the first; see `tf.foldl`.

    >>> tf.foldr(lambda a, x: 10 * a + x, tf.constant([1, 2, 3]))
    <tf.Tensor: shape=(), dtype=int32, numpy=321>
    """
    return _combined(fn, elems, initializer, True, back_prop, name or "foldr")


@op_function
def scan(
    fn: Callable,
    elems: TensorLike,
    initializer: Structure = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """Combines the slices along the first axis and returns the accumulated value at each.

    Args:
        fn: called with the accumulated value and a slice; returns the new accumulated value.
        elems: a tensor, or a nested structure of tensors of the same first size.
        initializer: the accumulated value at the start; by default the first slice.
        back_prop: whether gradients flow through the result.
        infer_shape: ignored: the results must have one shape.
        reverse: whether to begin at the last slice; results keep the order of the slices.

    Returns:
        The accumulated values stacked along a new first axis, in a structure like that of
        `initializer`, or of `elems`.

    Raises:
        TypeError: if `fn` cannot be called.
        ValueError: if structures or shapes of results differ.
        tf.errors.InvalidArgumentError: if dtypes of results differ.

    >>> tf.scan(lambda a, x: a + x, tf.constant([1, 2, 3])).numpy()
    array([1, 3, 6], dtype=int32)
    """
    if _core.building() is not None:
        _check_callable(fn)
        return graph_loops.scan(
            fn, elems, initializer, back_prop, infer_shape, reverse, name or "scan"
        )
    _, values = _fold(fn, elems, initializer, reverse, back_prop)
    if reverse:
        values.reverse()
    like = elems if initializer is None else initializer
    like = nest.map_structure(_as_tensor, like)
    if not values:
        return nest.map_structure(
            lambda leaf: _core.convert(
                np.zeros((0, *leaf._shape_tuple()), leaf.dtype.as_numpy_dtype), leaf.dtype, None
            ),
            like,
        )
    columns = zip(*(nest.flatten(value) for value in values), strict=True)
    joined = [
        stack_results(list(column), leaf.dtype)
        for column, leaf in zip(columns, nest.flatten(like), strict=True)
    ]
    return nest.pack_sequence_as(like, joined)
