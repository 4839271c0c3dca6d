"""Products of matrices and arrays, and parts of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework.sizes import is_known, sizes_of
from eagerflow.ops.linalg import diagonals
from eagerflow.ops.linalg import einsum as _einsum
from eagerflow.ops.linalg.products import tensordot as _tensordot
from eagerflow.ops.numpy_functions.rules import Rules, keeps_weakness
from eagerflow.ops.numpy_functions.shapes import move_axis

_ops = _core.ops
Tensor = _core.Tensor


def matmul(rules: Rules, x1: Any, x2: Any) -> Tensor:
    """Products of matrices; a vector is a row on the left and a column on the right.

    >>> tf.experimental.numpy.matmul([[1, 2], [3, 4]], [1, 1]).numpy()
    array([3, 7])
    """
    x1, x2 = rules.factors(x1, x2)
    row, column = x1.ndim == 1, x2.ndim == 1
    result = _ops.matmul(
        _ops.expand_dims(x1, 0) if row else x1, _ops.expand_dims(x2, -1) if column else x2
    )
    if column:
        result = _ops.squeeze(result, [-1])
    return _ops.squeeze(result, [-1 if column else -2]) if row else result


def tensordot(rules: Rules, x1: Any, x2: Any, axes: Any = 2) -> Tensor:
    """Sums of products over pairs of axes."""
    x1, x2 = rules.factors(x1, x2)
    return _tensordot(x1, x2, axes)


def dot(rules: Rules, x1: Any, x2: Any) -> Tensor:
    """Sums of products over the last axis of x1 and the last but one of x2."""
    x1, x2 = rules.factors(x1, x2)
    if not x1.ndim or not x2.ndim:
        return x1 * x2
    return _tensordot(x1, x2, [[-1], [-2 if x2.ndim > 1 else -1]])


def inner(rules: Rules, x1: Any, x2: Any) -> Tensor:
    """Sums of products over the last axes of both."""
    x1, x2 = rules.factors(x1, x2)
    if not x1.ndim or not x2.ndim:
        return x1 * x2
    return _tensordot(x1, x2, [[-1], [-1]])


def vdot(rules: Rules, x1: Any, x2: Any) -> Tensor:
    """The sum of the products of all elements, those of x1 conjugated."""
    x1, x2 = (_ops.reshape(x, [-1]) for x in rules.factors(*rules.joined(x1, x2)))
    return _ops.reduce_sum((_ops.conj(x1) if x1.dtype.is_complex else x1) * x2)


def outer(rules: Rules, x1: Any, x2: Any) -> Tensor:
    """All products of an element of x1 and one of x2."""
    x1, x2 = (_ops.reshape(x, [-1]) for x in rules.factors(x1, x2))
    return _ops.expand_dims(x1, 1) * x2


def kron(rules: Rules, x1: Any, x2: Any) -> Tensor:
    """The Kronecker product: a copy of x2 for each element of x1, multiplied by it."""
    x1, x2 = rules.factors(*rules.joined(x1, x2))
    rank = max(x1.ndim, x2.ndim)
    left = [1] * (rank - x1.ndim) + list(sizes_of(x1))
    right = [1] * (rank - x2.ndim) + list(sizes_of(x2))
    x1 = _ops.reshape(x1, [size for n in left for size in (n, 1)])
    x2 = _ops.reshape(x2, [size for n in right for size in (1, n)])
    return _ops.reshape(x1 * x2, [m * n for m, n in zip(left, right, strict=True)])


def cross(
    rules: Rules,
    x1: Any,
    x2: Any,
    axisa: int = -1,
    axisb: int = -1,
    axisc: int = -1,
    axis: int | None = None,
) -> Tensor:
    """Cross products of vectors of two or three components; scalars for two.

    Raises:
        ValueError: for another number of components.

    >>> tf.experimental.numpy.cross([1, 0, 0], [0, 1, 0]).numpy()
    array([0, 0, 1])
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    x1, x2 = (
        move_axis(x, k, -1) for x, k in zip(rules.factors(x1, x2), (axisa, axisb), strict=True)
    )
    if None in (x1.shape[-1], x2.shape[-1]):
        raise ValueError(f"The number of components must be known, got {x1.shape} and {x2.shape}")
    a, b = (_ops.unstack(x, axis=-1) for x in (x1, x2))
    if not {len(a), len(b)} <= {2, 3}:
        raise ValueError("incompatible dimensions for cross product (must be 2 or 3)")
    if len(a) == len(b) == 2:
        return a[0] * b[1] - a[1] * b[0]
    a = [*a, _ops.zeros_like(a[0])][:3]
    b = [*b, _ops.zeros_like(b[0])][:3]
    components = [a[i - 2] * b[i - 1] - a[i - 1] * b[i - 2] for i in range(3)]
    return move_axis(_ops.stack(components, axis=-1), -1, axisc)


def einsum(rules: Rules, subscripts: str, *operands: Any) -> Tensor:
    """Sums of products by Einstein's convention, see `tf.einsum`."""
    return _einsum.einsum(subscripts, *rules.factors(*operands))


@keeps_weakness
def diagonal(rules: Rules, x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The diagonals of the matrices along two axes, as the last axis."""
    x = move_axis(rules.tensor(x), (axis1, axis2), (-2, -1))
    return diagonals.diag_part(x[..., max(-offset, 0) :, max(offset, 0) :])


def trace(rules: Rules, x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """Sums of diagonals."""
    return _ops.reduce_sum(diagonal(rules, x, offset, axis1, axis2), axis=-1)


def _band(x: Tensor, k: int, lower: bool) -> Tensor:
    if x.ndim < 2:
        raise ValueError("Argument to tril/triu must have rank at least 2")
    rows, columns = sizes_of(x)[-2:]
    last = k if lower else k - 1
    if is_known(rows, columns):
        below: Any = np.tri(rows, columns, last, dtype=bool)
    else:
        row = _ops.expand_dims(_ops.range(0, rows, 1), 1)
        below = _ops.less_equal(_ops.subtract(_ops.range(0, columns, 1), row), last)
    inside = _core.as_tensor(below) if lower else _ops.logical_not(below)
    return _ops.select(inside, x, _ops.zeros_like(x))


def tril(rules: Rules, x: Any, k: int = 0) -> Tensor:
    """Matrices with zeros above the k-th diagonal.

    Raises:
        ValueError: for a rank below 2.
    """
    return _band(rules.tensor(x), k, True)


@keeps_weakness
def triu(rules: Rules, x: Any, k: int = 0) -> Tensor:
    """Matrices with zeros below the k-th diagonal.

    Raises:
        ValueError: for a rank below 2.
    """
    return _band(rules.tensor(x), k, False)
