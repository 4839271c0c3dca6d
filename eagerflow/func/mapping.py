"""Functions of one example, applied to all examples of a batch at once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from eagerflow import _core, nest
from eagerflow.ops.loops import vectorized_map

_ops = _core.ops
Tensor = _core.Tensor


def vmap(func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0) -> Callable[..., Any]:
    """The function that applies another one along an axis of its arguments, all slices at once.

    The function is traced, as by `tf.function`, whenever it is called: within a `tf.function` only once.
    What cannot run for all slices at once, such as control flow that depends on a slice, runs in a loop.

    Args:
        func: a function of slices. It returns a tensor, or a nested structure of them.
        in_dims: the axis of each argument along which the slices lie, or None for what all calls share. An
            integer is that of all arguments; a tuple has an item for each, which is an integer, None, or
            a structure like the argument. Arguments by name are sliced along axis 0.
        out_dims: the axis along which the results are stacked: an integer, or a structure like the result.

    Returns:
        A function of arguments that have the axis.

    Raises:
        ValueError: when it is called, if no argument is sliced, an argument lacks the axis, or the numbers
            of slices differ.

    >>> dot = lambda a, b: tf.reduce_sum(a * b)
    >>> tf.func.vmap(dot, in_dims=(0, None))(tf.eye(2), tf.constant([3.0, 4.0])).numpy()
    array([3., 4.], dtype=float32)

    The gradient of each example:

    >>> loss = lambda w, x: tf.reduce_sum(w * x) ** 2
    >>> gradients = tf.func.vmap(tf.func.grad(loss), in_dims=(None, 0))
    >>> gradients(tf.constant([1.0, 1.0]), tf.constant([[1.0, 2.0], [3.0, 0.0]])).numpy()
    array([[ 6., 12.],
           [18.,  0.]], dtype=float32)
    """

    @functools.wraps(func, updated=())
    def mapped(*args: Any, **kwargs: Any) -> Any:
        values = (args, kwargs)
        dims = _flat_dims(in_dims, args) + [0] * len(nest.flatten(kwargs))
        leaves = nest.flatten(values)
        sliced = [
            _leading(leaf, dim) for leaf, dim in zip(leaves, dims, strict=True) if dim is not None
        ]
        _check_counts(sliced)

        def of_slices(slices: list[Tensor]) -> Any:
            rest = iter(slices)
            own = [
                leaf if dim is None else next(rest) for leaf, dim in zip(leaves, dims, strict=True)
            ]
            args, kwargs = nest.pack_sequence_as(values, own)
            return func(*args, **kwargs)

        result = vectorized_map(of_slices, sliced)
        parts = zip(nest.flatten(result), _prefixed(out_dims, result), strict=True)
        return nest.pack_sequence_as(result, [_moved(part, 0, dim) for part, dim in parts])

    return mapped


def _flat_dims(in_dims: Any, args: tuple[Any, ...]) -> list[int | None]:
    if isinstance(in_dims, list | tuple) and len(in_dims) != len(args):
        raise ValueError(
            f"in_dims={in_dims} has {len(in_dims)} items, but there are {len(args)} arguments."
        )
    each = in_dims if isinstance(in_dims, list | tuple) else (in_dims,) * len(args)
    return [dim for own, arg in zip(each, args, strict=True) for dim in _prefixed(own, arg)]


def _prefixed(dims: Any, value: Any) -> list[Any]:
    """The axis of each tensor in a structure: one for all of them, or those in a structure like it."""
    if dims is None or isinstance(dims, int):
        return [dims] * len(nest.flatten(value))
    nest.assert_same_structure(dims, value, check_types=False)
    return nest.flatten(dims)


def _leading(value: Any, dim: int) -> Tensor:
    """A tensor with an axis as its first."""
    tensor = _core.as_tensor(value)
    if tensor.ndim is not None and not -tensor.ndim <= dim < tensor.ndim:
        raise ValueError(
            f"An argument of shape {tensor.shape} has no axis {dim} to be sliced along."
        )
    return _moved(tensor, dim, 0)


def _moved(tensor: Tensor, source: int, target: int) -> Tensor:
    if source == target:
        return tensor
    if tensor.ndim is None:
        raise ValueError("Only the first axis of a tensor of unknown rank can be that of slices.")
    order = list(range(tensor.ndim))
    order.insert(target % tensor.ndim, order.pop(source % tensor.ndim))
    return _ops.transpose(tensor, order)


def _check_counts(sliced: list[Tensor]) -> None:
    if not sliced:
        raise ValueError("No argument is sliced: in_dims is None for all of them.")
    counts = {None if tensor.ndim is None else tensor._shape_tuple()[0] for tensor in sliced} - {
        None
    }
    if len(counts) > 1:
        raise ValueError(f"The arguments have different numbers of slices: {sorted(counts)}.")
