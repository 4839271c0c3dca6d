"""Products of matrices and arrays, and parts of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

import eagerflow as tf
from eagerflow.experimental.numpy.arrays import asarray, promoted
from eagerflow.experimental.numpy.reductions import sum


def matmul(x1: Any, x2: Any) -> tf.Tensor:
    """Products of matrices; a vector is a row on the left and a column on the right.

    >>> tf.experimental.numpy.matmul([[1, 2], [3, 4]], [1, 1]).numpy()
    array([3, 7])
    """
    x1, x2 = promoted(x1, x2)
    if not x1.shape.rank or not x2.shape.rank:
        raise ValueError("matmul: scalars are not allowed, use multiply instead")
    if x1.shape.rank == 1 and x2.shape.rank == 1:
        return tf.reduce_sum(x1 * x2)
    if x2.shape.rank == 1:
        return tf.linalg.matvec(x1, x2)
    if x1.shape.rank == 1:
        return tf.squeeze(tf.matmul(x1[None], x2), -2)
    return tf.matmul(x1, x2)


def tensordot(a: Any, b: Any, axes: Any = 2) -> tf.Tensor:
    """Sums of products over pairs of axes."""
    a, b = promoted(a, b)
    return tf.tensordot(a, b, axes)


def dot(a: Any, b: Any) -> tf.Tensor:
    """Sums of products over the last axis of `a` and the last but one of `b`."""
    a, b = promoted(a, b)
    if not a.shape.rank or not b.shape.rank:
        return a * b
    return tf.tensordot(a, b, [[-1], [-1 if b.shape.rank == 1 else -2]])


def vdot(a: Any, b: Any) -> tf.Tensor:
    """The sum of products of all elements, the first conjugated."""
    a, b = (tf.reshape(x, [-1]) for x in promoted(a, b))
    return tf.reduce_sum(tf.math.conj(a) * b)


def inner(a: Any, b: Any) -> tf.Tensor:
    """Sums of products over the last axes of both."""
    a, b = promoted(a, b)
    if not a.shape.rank or not b.shape.rank:
        return a * b
    return tf.tensordot(a, b, [[-1], [-1]])


def outer(a: Any, b: Any) -> tf.Tensor:
    """All products of an element of `a` and one of `b`."""
    a, b = (tf.reshape(x, [-1]) for x in promoted(a, b))
    return a[:, None] * b


def kron(a: Any, b: Any) -> tf.Tensor:
    """The Kronecker product: a copy of `b` for each element of `a`, times it."""
    a, b = promoted(a, b)
    rank = max(a.shape.rank, b.shape.rank)
    left = [1] * (rank - a.shape.rank) + a.shape.as_list()
    right = [1] * (rank - b.shape.rank) + b.shape.as_list()
    spread = tf.reshape(a, [size for pair in zip(left, [1] * rank, strict=True) for size in pair])
    packed = tf.reshape(b, [size for pair in zip([1] * rank, right, strict=True) for size in pair])
    return tf.reshape(spread * packed, [m * n for m, n in zip(left, right, strict=True)])


def cross(
    a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None
) -> tf.Tensor:
    """Cross products of vectors of two or three numbers.

    >>> tf.experimental.numpy.cross([1, 0, 0], [0, 1, 0]).numpy()
    array([0, 0, 1])
    """
    from eagerflow.experimental.numpy.shapes import moveaxis

    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = promoted(a, b)
    a, b = moveaxis(a, axisa, -1), moveaxis(b, axisb, -1)
    for x in (a, b):
        if x.shape[-1] not in (2, 3):
            raise ValueError("incompatible dimensions for cross product (must be 2 or 3)")
    flat = a.shape[-1] == 2 and b.shape[-1] == 2
    ax, ay, bx, by = a[..., 0], a[..., 1], b[..., 0], b[..., 1]
    upright = ax * by - ay * bx
    if flat:
        return upright
    az = a[..., 2] if a.shape[-1] == 3 else tf.zeros_like(ax)
    bz = b[..., 2] if b.shape[-1] == 3 else tf.zeros_like(bx)
    result = tf.stack([ay * bz - az * by, az * bx - ax * bz, upright], -1)
    return moveaxis(result, -1, axisc)


def einsum(subscripts: str, *operands: Any, **kwargs: Any) -> tf.Tensor:
    """Sums of products by Einstein's convention, see `tf.einsum`."""
    kwargs.pop("optimize", None)
    kwargs.pop("casting", None)
    if kwargs:
        raise ValueError(f"Unsupported arguments: {list(kwargs)}")
    return tf.einsum(subscripts, *promoted(*operands))


def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> tf.Tensor:
    """Diagonals of the matrices along two axes, as the last axis."""
    from eagerflow.experimental.numpy.shapes import moveaxis

    a = moveaxis(asarray(a), (axis1, axis2), (-2, -1))
    rows, columns = a.shape.as_list()[-2:]
    if not -rows < offset < columns:
        return a[..., :0, 0]
    return tf.linalg.diag_part(a, k=offset)


def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> tf.Tensor:
    """Sums of diagonals."""
    return sum(diagonal(a, offset, axis1, axis2), -1, dtype)


def _band(m: Any, k: int, lower: bool) -> tf.Tensor:
    m = asarray(m)
    if m.shape.rank < 2:
        raise ValueError("Argument to tril/triu must have rank at least 2")
    rows, columns = m.shape.as_list()[-2:]
    inside = np.tri(rows, columns, k if lower else k - 1, dtype=bool)
    return tf.where(inside if lower else ~inside, m, tf.zeros_like(m))


def tril(m: Any, k: int = 0) -> tf.Tensor:
    """Zeros above the k-th diagonal."""
    return _band(m, k, True)


def triu(m: Any, k: int = 0) -> tf.Tensor:
    """Zeros below the k-th diagonal."""
    return _band(m, k, False)


def polyval(p: Any, x: Any) -> tf.Tensor:
    """A polynomial's values, given its coefficients from the highest power down."""
    p, x = promoted(p, x)
    return tf.math.polyval(tf.unstack(p), x) if p.shape[0] else tf.zeros_like(x)
