"""Other arrangements of the same elements: reshaping, joining, splitting, repeating."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.ops import array as _array
from eagerflow.ops.numpy_functions.rules import Rules, axes_of, keeps_weakness, sizes
from eagerflow.typing import Axes, ShapeLike, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def ndim(rules: Rules, x: Any) -> int:
    """The number of axes."""
    return rules.tensor(x).ndim


def ravel(rules: Rules, x: TensorLike) -> Tensor:
    """All elements as a vector."""
    return _ops.reshape(rules.tensor(x), [-1])


def transpose(rules: Rules, x: Any, axes: Any = None) -> Tensor:
    """The axes in another order, reversed by default."""
    x = rules.tensor(x)
    return _ops.transpose(x, list(range(x.ndim))[::-1] if axes is None else list(axes))


def move_axis(x: Tensor, source: Axes, destination: Axes) -> Tensor:
    """`moveaxis` of a tensor."""
    moved, targets = axes_of(source, x.ndim), axes_of(destination, x.ndim)
    if len(moved) != len(targets):
        raise ValueError("The lengths of source and destination must be equal.")
    if moved == targets and len(set(moved)) == len(moved):
        return x
    order = [axis for axis in range(x.ndim) if axis not in moved]
    for target, axis in sorted(zip(targets, moved, strict=True)):
        order.insert(target, axis)
    return _ops.transpose(x, order)


def moveaxis(rules: Rules, x: TensorLike, source: Axes, destination: Axes) -> Tensor:
    """Axes moved to other positions, the others in their order.

    Raises:
        ValueError: if there are not as many sources as destinations.
    """
    return move_axis(rules.tensor(x), source, destination)


def swapaxes(rules: Rules, x: TensorLike, axis1: int, axis2: int) -> Tensor:
    """Two axes exchanged."""
    x = rules.tensor(x)
    order = list(range(x.ndim))
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return _ops.transpose(x, order)


def expand_dims(rules: Rules, x: Any, axis: Any) -> Tensor:
    """New axes of size 1, at an index or at several of the result."""
    x = rules.tensor(x)
    if not isinstance(axis, list | tuple):
        return _ops.expand_dims(x, axis)
    for k in sorted(axes_of(axis, x.ndim + len(axis))):
        x = _ops.expand_dims(x, k)
    return x


def broadcast_to(rules: Rules, x: TensorLike, shape: ShapeLike) -> Tensor:
    """The elements, repeated along axes of size 1 to fill a shape."""
    return _ops.broadcast_to(rules.tensor(x), sizes(shape))


def _each(values: TensorLike) -> list:
    return list(values) if isinstance(values, list | tuple) else _ops.unstack(values)


def stack(rules: Rules, x: TensorLike, axis: int = 0) -> Tensor:
    """Arrays of one shape, joined along a new axis."""
    return _ops.stack(rules.joined(*_each(x)), axis=axis)


def concatenate(rules: Rules, xs: Any, axis: int | None = 0) -> Tensor:
    """Arrays joined along an axis, or all elements as a vector for None."""
    values = rules.joined(*_each(xs))
    if axis is None:
        return _ops.concat([_ops.reshape(x, [-1]) for x in values], 0)
    return _ops.concat(values, axis)


def append(rules: Rules, x1: TensorLike, x2: TensorLike, axis: int | None = None) -> Tensor:
    """The values of x2 after those of x1, along an axis or as a vector.

    >>> tf.experimental.numpy.append([1, 2], [3]).numpy()
    array([1, 2, 3])
    """
    return concatenate(rules, [x1, x2], axis)


def at_least(rank: int, x: Tensor) -> Tensor:
    """The tensor with new first axes of size 1, if it has fewer axes than `rank`."""
    missing = rank - x.ndim
    return _ops.reshape(x, [1] * missing + list(x._sizes())) if missing > 0 else x


def at_least_3d(x: Tensor) -> Tensor:
    """The tensor with three axes at least: vectors are rows, and matrices of depth 1."""
    x = at_least(2, x)
    return _ops.expand_dims(x, -1) if x.ndim == 2 else x


def hstack(rules: Rules, xs: Any) -> Tensor:
    """Arrays joined along the second axis, vectors along their only one."""
    values = [at_least(1, rules.tensor(x)) for x in _each(xs)]
    return concatenate(rules, values, 0 if values[0].ndim == 1 else 1)


def vstack(rules: Rules, xs: Any) -> Tensor:
    """Arrays joined along the first axis; vectors are rows."""
    return concatenate(rules, [at_least(2, rules.tensor(x)) for x in _each(xs)], 0)


def dstack(rules: Rules, xs: Any) -> Tensor:
    """Arrays joined along the third axis; matrices are of depth 1."""
    return concatenate(rules, [at_least_3d(rules.tensor(x)) for x in _each(xs)], 2)


def split(rules: Rules, x: TensorLike, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    """Parts along an axis: a number of equal ones, or those between indices.

    >>> [part.numpy().tolist() for part in tf.experimental.numpy.split([1, 2, 3, 4], [1, 3])]
    [[1], [2, 3], [4]]
    """
    x = rules.tensor(x)
    if isinstance(indices_or_sections, int | np.integer):
        return _array.split(x, int(indices_or_sections), axis)
    edges = np.asarray(indices_or_sections, int).tolist()
    before = (slice(None),) * (axis % x.ndim)
    parts = [slice(*part) for part in zip([0, *edges], [*edges, None], strict=True)]
    return [x[before + (part,)] for part in parts]


def hsplit(rules: Rules, x: TensorLike, indices_or_sections: Any) -> list[Tensor]:
    """Parts along the second axis, of vectors along their only one, as those of `split`."""
    x = rules.tensor(x)
    return split(rules, x, indices_or_sections, 0 if x.ndim == 1 else 1)


def vsplit(rules: Rules, x: TensorLike, indices_or_sections: Any) -> list[Tensor]:
    """Parts along the first axis, as those of `split`."""
    return split(rules, x, indices_or_sections, 0)


def dsplit(rules: Rules, x: TensorLike, indices_or_sections: Any) -> list[Tensor]:
    """Parts along the third axis, as those of `split`."""
    return split(rules, x, indices_or_sections, 2)


@keeps_weakness
def flip(rules: Rules, x: Any, axis: Any = None) -> Tensor:
    """The elements in reverse order along axes, by default along all."""
    x = rules.tensor(x)
    return _ops.reverse(x, list(range(x.ndim)) if axis is None else np.ravel(axis).tolist())


def flipud(rules: Rules, x: TensorLike) -> Tensor:
    """The elements in reverse order along the first axis."""
    return flip(rules, x, 0)


def fliplr(rules: Rules, x: TensorLike) -> Tensor:
    """The elements in reverse order along the second axis."""
    return flip(rules, x, 1)


@keeps_weakness
def rot90(rules: Rules, x: TensorLike, k: int = 1, axes: Sequence[int] = (0, 1)) -> Tensor:
    """Rotated by 90 degrees k times, from the first of two axes towards the second.

    Raises:
        ValueError: for a rank below 2, or if both axes are the same.
    """
    x = rules.tensor(x)
    if x.ndim < 2:
        raise ValueError(
            f"Input array must have at least 2 dimensions. Received: array.ndim={x.ndim}"
        )
    first, second = axes_of(tuple(axes), x.ndim)
    if first == second:
        raise ValueError(f"The two axes must be different. Received: axes={tuple(axes)}")
    for _ in range(k % 4):
        x = swapaxes(rules, _ops.reverse(x, [second]), first, second)
    return x


def roll(rules: Rules, x: TensorLike, shift: TensorLike, axis: Axes | None = None) -> Tensor:
    """Elements moved along axes; those that leave at one end enter at the other."""
    x = rules.tensor(x)
    if axis is None:
        rolled = _array.roll(_ops.reshape(x, [-1]), shift, 0)
        return _ops.reshape(rolled, _ops.shape(x))
    return _array.roll(x, shift, axis)


@keeps_weakness
def repeat(rules: Rules, x: TensorLike, repeats: TensorLike, axis: int | None = None) -> Tensor:
    """Each element several times, along an axis or as a vector."""
    return _array.repeat(rules.tensor(x), repeats, axis)


def tile(rules: Rules, x: TensorLike, repeats: TensorLike) -> Tensor:
    """Copies of the array side by side, a number of them along each axis."""
    counts = sizes(repeats)
    x = at_least(len(counts), rules.tensor(x))
    return _ops.tile(x, [1] * (x.ndim - len(counts)) + counts)


def pad(
    rules: Rules, x: TensorLike, pad_width: Any, mode: str = "constant", constant_values: Any = None
) -> Tensor:
    """Elements added before and after those of each axis.

    Args:
        x: an array.
        pad_width: the counts before and after: an integer, a pair, or a pair for each axis.
        mode: "constant", "reflect" or "symmetric".
        constant_values: the value of the padding with "constant", by default 0.

    Raises:
        ValueError: if there is a value for another mode.
    """
    if mode != "constant" and constant_values is not None:
        raise ValueError(
            "Argument `constant_values` can only be provided when `mode == 'constant'`. "
            f"Received: mode={mode}"
        )
    x = rules.tensor(x)
    widths: Any = pad_width
    if not isinstance(pad_width, _core.SymbolicTensor):
        widths = np.broadcast_to(np.asarray(pad_width), (x.ndim, 2)).tolist()
    if mode != "constant":
        return _array.pad(x, widths, mode.upper())
    value = 0 if constant_values is None else rules.tensor(constant_values, x.dtype)
    return _array.pad(x, widths, "CONSTANT", value)
