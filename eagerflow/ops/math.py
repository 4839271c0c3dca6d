"""Elementwise arithmetic that is composed of native operations."""

from __future__ import annotations

import functools
import math
import typing
from collections.abc import Sequence

import numpy as np

from eagerflow import _core
from eagerflow._core.ops import ndtri
from eagerflow.framework import dtypes
from eagerflow.framework.indexed_slices import IndexedSlices
from eagerflow.framework.op_function import op_function
from eagerflow.ops.composed_op import FLOAT_TYPES, Input, composed_op
from eagerflow.typing import DTypeLike, ShapeLike, TensorLike

_ops = _core.ops
Tensor = _core.Tensor

equal = _ops.equal
erfinv = _ops.erfinv

# The dtype in which each dtype is divided; None means the dtype itself.
_QUOTIENTS = {
    dtypes.int8: dtypes.float32,
    dtypes.uint8: dtypes.float32,
    dtypes.int16: dtypes.float32,
    dtypes.uint16: dtypes.float32,
    dtypes.int32: dtypes.float64,
    dtypes.uint32: dtypes.float64,
    dtypes.int64: dtypes.float64,
    dtypes.uint64: dtypes.float64,
    dtypes.bfloat16: None,
    dtypes.float16: None,
    dtypes.float32: None,
    dtypes.float64: None,
    dtypes.complex64: None,
    dtypes.complex128: None,
}


def same_dtype(x: TensorLike, y: TensorLike) -> tuple[Tensor, Tensor]:
    """Two values as tensors; a Python value gets the other's dtype."""
    x_dtype, y_dtype = dtypes.result_dtype(x), dtypes.result_dtype(y)
    if x_dtype is None:
        x = _core.convert(x, y_dtype, None)
        return x, _core.convert(y, None if y_dtype else x.dtype, None)
    x = _core.as_tensor(x)
    return x, _core.convert(y, None if y_dtype else x_dtype, None)


def _dividable(x: TensorLike, y: TensorLike, function: str) -> tuple[Tensor, Tensor]:
    """Numerator and denominator in the dtype of their quotient."""
    x, y = same_dtype(x, y)
    if x.dtype is not y.dtype:
        raise TypeError(f"`x` and `y` must have the same dtype, got {x.dtype!r} != {y.dtype!r}.")
    if x.dtype not in _QUOTIENTS:
        raise TypeError(
            f"Invalid dtype {x.dtype!r} in {function}. Expected one of {{"
            f"{', '.join(repr(dtype) for dtype in _QUOTIENTS)}}}."
        )
    wider = _QUOTIENTS[x.dtype]
    if wider is not None:
        x, y = _ops.cast(x, wider), _ops.cast(y, wider)
    return x, y


@op_function(elementwise=1)
def angle(input: TensorLike, name: str | None = None) -> Tensor:
    """The angles of complex numbers in the plane; 0 or pi for real ones.

    Raises:
        TypeError: for integers, which cannot represent pi.

    >>> tf.math.angle([1.0, -2.0]).numpy()
    array([0.       , 3.1415927], dtype=float32)
    """
    x = _core.as_tensor(input)
    if x.dtype.is_complex:
        return _ops.angle(x)
    zero = _core.convert(0, x.dtype, None)
    pi = _core.convert(math.pi, x.dtype, None)
    return _ops.select(_ops.less(x, zero), pi, _ops.zeros_like(x))


@composed_op(
    "Rint", elementwise=1, x=Input("float32", "float64", no_kernel=("float16", "bfloat16"))
)
def rint(x: TensorLike, name: str | None = None) -> Tensor:
    """Rounds to the nearest integer; halves are rounded to the even one.

    Raises:
        tf.errors.InvalidArgumentError: if `x` is not floating.

    >>> tf.math.rint([0.5, 1.5, -1.7]).numpy()
    array([ 0.,  2., -2.], dtype=float32)
    """
    x = _core.as_tensor(x)
    if not x.dtype.is_floating:
        _core.refuse_attr("T", x.dtype, FLOAT_TYPES, "Rint")
    return _ops.round(x)


@op_function(elementwise=2, promotion="operands")
def truediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Divides elements as Python's `/` does: the quotient of integers is a float.

    Args:
        x: the numerator. Integers of up to 16 bits are divided in float32, others in float64.
        y: the denominator, of the same dtype; shapes broadcast.

    Raises:
        TypeError: if the dtypes differ or are not numeric.

    >>> tf.truediv([3, 4], 2)
    <tf.Tensor: shape=(2,), dtype=float64, numpy=array([1.5, 2. ])>
    """
    x = _core.as_tensor(x)
    if isinstance(y, np.generic):
        y = _core.convert(y, None, x.dtype)
    return _ops.divide_real(*_dividable(x, y, "__truediv__"))


@op_function(elementwise=2, promotion="operands")
def divide_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Divides elements as `tf.truediv` does, but returns 0 where `y` is 0.

    Args:
        x: the numerator. Integers of up to 16 bits are divided in float32, others in float64.
        y: the denominator, of the same dtype; shapes broadcast.

    Raises:
        TypeError: if the dtypes differ or are not numeric.

    >>> tf.math.divide_no_nan([1.0, 3.0], [0.0, 2.0]).numpy()
    array([0. , 1.5], dtype=float32)
    """
    return _ops.divide_no_nan(*_dividable(x, y, "tf.math.divide_no_nan"))


@op_function(elementwise=2, promotion="operands")
def divide(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Divides elements as Python's `/` does; a plain value gets the dtype of a tensor.

    >>> tf.divide(tf.constant([6.0, 9.0]), 3.0).numpy()
    array([2., 3.], dtype=float32)
    """
    return _ops.divide_real(*_dividable(x, y, "__truediv__"))


@op_function(elementwise=2, promotion="operands")
def scalar_mul(
    scalar: TensorLike, x: TensorLike | IndexedSlices, name: str | None = None
) -> Tensor | IndexedSlices:
    """Multiplies a tensor or a `tf.IndexedSlices` by a scalar.

    Args:
        scalar: a Python scalar or a tensor of rank 0.
        x: the tensor to scale; its dtype is kept.

    Raises:
        ValueError: if `scalar` is not of rank 0.

    >>> tf.scalar_mul(2.0, tf.constant([1.0, 3.0])).numpy()
    array([2., 6.], dtype=float32)
    """
    values = x.values if isinstance(x, IndexedSlices) else _core.as_tensor(x)
    scalar = _core.convert(scalar, values.dtype, None)
    if scalar.ndim != 0:
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {scalar.shape}.")
    product = _ops.multiply(scalar, values)
    if isinstance(x, IndexedSlices):
        return IndexedSlices(product, x.indices, x.dense_shape)
    return product


@op_function
def add_n(inputs: Sequence[TensorLike | IndexedSlices], name: str | None = None) -> Tensor:
    """The sum of several tensors of one shape and dtype.

    Args:
        inputs: a list of tensors or `tf.IndexedSlices`.

    Raises:
        TypeError: if it is not a list.
        ValueError: if the list is empty.
        tf.errors.InvalidArgumentError: if shapes or dtypes differ.

    >>> tf.add_n([[1, 2], [3, 4], [5, 6]]).numpy()
    array([ 9, 12], dtype=int32)
    """
    items = list(inputs)
    if not items:
        raise ValueError(
            "Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype "
            "and shape."
        )
    if isinstance(items[0], _core.Tensor) and items[0].dtype is dtypes.variant:
        return functools.reduce(_ops.variant_add, typing.cast("list[_core.Tensor]", items))
    return _ops.add_n(items)


@op_function
def accumulate_n(
    inputs: Sequence[TensorLike],
    shape: ShapeLike | None = None,
    tensor_dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The sum of several tensors, as `tf.add_n`, which must have a certain shape and dtype.

    >>> tf.math.accumulate_n([[1, 2], [3, 4]]).numpy()
    array([4, 6], dtype=int32)
    """
    if not isinstance(inputs, list | tuple) or not inputs:
        raise ValueError(
            "inputs must be a list of at least one Tensor with the same dtype and shape"
        )
    tensors = [_core.as_tensor(item) for item in inputs]
    if any(item.dtype != tensors[0].dtype for item in tensors):
        raise ValueError(
            "inputs must be a list of at least one Tensor with the same dtype and shape"
        )
    total = add_n(inputs)
    if tensor_dtype is not None and dtypes.as_dtype(tensor_dtype) is not total.dtype:
        raise TypeError(
            f"The `tensor_dtype` argument is {tensor_dtype}, but `input` is of type "
            f"{total.dtype!r}. These must be equal."
        )
    if shape is not None and not total.shape.is_compatible_with(shape):
        raise ValueError(f"Shapes {total.shape} and {shape} are incompatible")
    return total


@op_function(elementwise=1)
def reciprocal_no_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """1 / x, and 0 where x is 0.

    >>> tf.math.reciprocal_no_nan([2.0, 0.0]).numpy()
    array([0.5, 0. ], dtype=float32)
    """
    x = _core.as_tensor(x)
    return _ops.divide_no_nan(_ops.ones_like(x), x)


@op_function(elementwise=1)
def log_sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """log(1 / (1 + exp(-x))), without overflow.

    >>> tf.math.log_sigmoid(-1000.0)
    <tf.Tensor: shape=(), dtype=float32, numpy=-1000.0>
    """
    return _ops.negative(_ops.softplus(_ops.negative(x)))


@op_function(elementwise=1)
def erfcinv(x: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of `tf.math.erfc`.

    >>> f"{float(tf.math.erfcinv(0.5)):.4f}"
    '0.4769'
    """
    x = _core.as_tensor(x)
    # More precise near zero than erfinv(1 - x), where 1 - x loses digits.
    return ndtri(_core.convert(0.5, x.dtype, None) * x) * -math.sqrt(0.5)


@op_function
def lbeta(x: TensorLike, name: str | None = None) -> Tensor:
    """The logarithm of the (multivariate) beta function over the last axis.

    >>> f"{float(tf.math.lbeta([1.0, 2.0])):.4f}"
    '-0.6931'
    """
    x = _core.as_tensor(x)
    total = _ops.reduce_sum(x, axis=-1)
    return _ops.reduce_sum(_ops.lgamma(x), axis=-1) - _ops.lgamma(total)


@op_function
def polyval(coeffs: Sequence, x: TensorLike, name: str | None = None) -> Tensor:
    """A polynomial's value, by Horner's rule.

    Args:
        coeffs: a list of coefficients, the highest power's first; they broadcast with `x`.
        x: where to evaluate it.

    Raises:
        ValueError: if `coeffs` is not a list.

    >>> tf.math.polyval([1.0, 0.0, 2.0], 3.0)
    <tf.Tensor: shape=(), dtype=float32, numpy=11.0>
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    x = _core.as_tensor(x)
    if not coeffs:
        return _ops.zeros_like(x)
    value = _core.convert(coeffs[0], None, x.dtype)
    for coefficient in coeffs[1:]:
        value = _ops.add(coefficient, _ops.multiply(value, x))
    return value


@op_function
def is_non_decreasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether each element, in row-major order, is at least the one before.

    >>> bool(tf.math.is_non_decreasing([1, 1, 2]))
    True
    """
    flat = _ops.reshape(x, [-1])
    return _ops.reduce_all(_ops.less_equal(flat[:-1], flat[1:]))


@op_function
def is_strictly_increasing(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether each element, in row-major order, exceeds the one before.

    >>> bool(tf.math.is_strictly_increasing([1, 1, 2]))
    False
    """
    flat = _ops.reshape(x, [-1])
    return _ops.reduce_all(_ops.less(flat[:-1], flat[1:]))
