"""Keras's kernelized_utils: kernels of each pair of two sets of vectors.

A function accepts vectors as the rows of `[m, d]` and `[n, d]`, or a single vector `[d]`, and returns
`[m, n]`.
"""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.ops.conversion import convert_to_tensor
from eagerflow.typing import TensorLike

__all__ = ["exact_gaussian_kernel", "exact_laplacian_kernel", "inner_product"]

_ops = _core.ops


def inner_product(u: TensorLike, v: TensorLike) -> _core.Tensor:
    """The inner product of each pair of vectors.

    Raises:
        ValueError: if a value has another rank, or the vectors have different lengths.

    >>> from eagerflow_compat.internals.kernelized import inner_product
    >>> inner_product([[1.0, 2.0], [0.0, 1.0]], [3.0, 1.0]).numpy()
    array([[5.],
           [1.]], dtype=float32)
    """
    first, second = _matching_rows(u, v)
    return _ops.matmul(first, second, transpose_b=True)


def exact_gaussian_kernel(x: TensorLike, y: TensorLike, stddev: float) -> _core.Tensor:
    """`exp(-|x - y|^2 / (2 stddev^2))` of each pair of vectors.

    Raises:
        ValueError: if a value has another rank, or the vectors have different lengths.
    """
    first, second = _pairs(x, y)
    squares = _ops.reduce_sum(_ops.squared_difference(first, second), 2)
    return _ops.exp(-squares / (2.0 * stddev * stddev))


def exact_laplacian_kernel(x: TensorLike, y: TensorLike, stddev: float) -> _core.Tensor:
    """`exp(-sum(|x - y|) / stddev)` of each pair of vectors.

    Raises:
        ValueError: if a value has another rank, or the vectors have different lengths.
    """
    first, second = _pairs(x, y)
    return _ops.exp(-_ops.reduce_sum(_ops.abs(first - second), 2) / stddev)


def _pairs(x: TensorLike, y: TensorLike) -> tuple[Any, Any]:
    """Two sets of vectors in shapes that broadcast to pairs: `[m, 1, d]` and `[1, n, d]`."""
    first, second = _matching_rows(x, y)
    return _ops.expand_dims(first, 1), _ops.expand_dims(second, 0)


def _matching_rows(x: TensorLike, y: TensorLike) -> tuple[Any, Any]:
    first, second = _rows(x), _rows(y)
    if not first.shape[1:].is_compatible_with(second.shape[1:]):
        raise ValueError(
            f"The vectors must have the same length, but the shapes are {first.shape} and {second.shape}."
        )
    return first, second


def _rows(value: TensorLike) -> Any:
    tensor = convert_to_tensor(value)
    if tensor.shape.rank not in (1, 2):
        raise ValueError(f"Vectors are of rank 1 or 2, but the shape is {tensor.shape}.")
    return _ops.expand_dims(tensor, 0) if tensor.shape.rank == 1 else tensor
