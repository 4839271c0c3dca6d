"""Activation functions and softmax along any axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import when_ranks_are_known
from eagerflow.framework.op_function import op_function
from eagerflow.ops.array import invalid_argument

_ops = _core.ops
Tensor = _core.Tensor


@op_function
def crelu(features: Any, axis: int = -1, name: str | None = None) -> Tensor:
    """relu(x) and relu(-x), joined along an axis.

    >>> tf.nn.crelu([1.0, -2.0]).numpy()
    array([1., 0., 0., 2.], dtype=float32)
    """
    x = _core.as_tensor(features)
    return _ops.relu(_ops.concat([x, _ops.negative(x)], axis))


@op_function(elementwise=1)
def leaky_relu(features: Any, alpha: Any = 0.2, name: str | None = None) -> Tensor:
    """x where it is positive, and alpha * x elsewhere (Maas et al., 2013).

    Args:
        features: floating; integers are converted to float32.
        alpha: the slope where x is negative, a scalar.

    Raises:
        tf.errors.InvalidArgumentError: for complex, boolean and string dtypes.

    >>> tf.nn.leaky_relu([-5.0, 2.0]).numpy()
    array([-1.,  2.], dtype=float32)
    """
    if not isinstance(features, Tensor):
        features = _core.as_tensor(features)
    if features.dtype.is_integer:
        features = _ops.cast(features, dtypes.float32)
    return _ops.leaky_relu(features, alpha)


@op_function(elementwise=1)
def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Tensor:
    """x times the normal distribution function of x (Hendrycks and Gimpel, 2016).

    Args:
        features: floating.
        approximate: whether to compute 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) instead.

    Raises:
        ValueError: if `features` is not floating.

    >>> tf.nn.gelu([-1.0, 0.0, 3.0]).numpy().round(3)
    array([-0.159,  0.   ,  2.996], dtype=float32)
    """
    if not isinstance(features, Tensor):
        features = _core.as_tensor(features)
    if not features.dtype.is_floating:
        raise ValueError(
            f"`features.dtype` must be a floating point tensor. Received: "
            f"features.dtype={features.dtype!r}"
        )
    return _ops.gelu(features, approximate)


@op_function(elementwise=1)
def silu(features: Any, beta: Any = 1.0) -> Tensor:
    """x * sigmoid(beta * x), also known as swish (Hendrycks and Gimpel, 2016).

    >>> tf.nn.silu([0.0, 20.0]).numpy()
    array([ 0., 20.], dtype=float32)
    """
    x = _core.as_tensor(features)
    if isinstance(beta, float) and beta == 1.0:
        return _ops.multiply(x, _ops.sigmoid(x))
    return _ops.multiply(x, _ops.sigmoid(_ops.multiply(beta, x)))


swish = silu


def _along(function: Callable, logits: Tensor, axis: int | None) -> Tensor:
    if axis is None or axis == -1:
        return function(logits)
    x = _core.as_tensor(logits)
    axis = int(axis)
    if x.ndim is None:
        return when_ranks_are_known()(_along)(function, x, axis)
    if not -x.ndim <= axis < x.ndim:
        raise invalid_argument(
            f"`dim` must be in the range [{-x.ndim}, {x.ndim}) where {x.ndim} is the number of "
            f"dimensions in the input. Received: dim={axis}"
        )
    order = swapped_axes(x.ndim, axis)
    if order is None:
        return function(x)
    return _ops.transpose(function(_ops.transpose(x, order)), order)


def swapped_axes(rank: int, axis: int) -> list[int] | None:
    """The permutation that swaps an axis with the last one; None if it is the last."""
    axis %= rank
    if axis == rank - 1:
        return None
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    return order


@op_function
def softmax(logits: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    """exp(x) / sum(exp(x)) along an axis.

    Args:
        logits: floating, of rank 1 or more.
        axis: the axis; the last by default.

    Raises:
        tf.errors.InvalidArgumentError: if the axis is out of range.

    >>> tf.nn.softmax([[0.0, 0.0], [1000.0, 0.0]]).numpy()
    array([[0.5, 0.5],
           [1. , 0. ]], dtype=float32)
    """
    return _along(_ops.softmax, logits, axis)


@op_function(promotion="weak")
def log_softmax(logits: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    """x - log(sum(exp(x))) along an axis.

    Args:
        logits: floating, of rank 1 or more.
        axis: the axis; the last by default.

    Raises:
        tf.errors.InvalidArgumentError: if the axis is out of range.

    >>> tf.nn.log_softmax([1000.0, 0.0]).numpy()
    array([    0., -1000.], dtype=float32)
    """
    return _along(_ops.log_softmax, logits, axis)
