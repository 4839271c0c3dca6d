"""Inputs and small tools that the cases share; every array depends on its arguments alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np

FLOATS = ("float16", "bfloat16", "float32", "float64")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
COMPLEX = ("complex64", "complex128")
INTS = SIGNED + UNSIGNED
NUMERIC = FLOATS + INTS + COMPLEX
ALL = (*NUMERIC, "bool")
COMMON = ("float16", "bfloat16", "float32", "float64", "int32", "int64", "uint8", "complex64")

# A sweep over kinds of shape: scalar, empty, one element, a vector, five dimensions.
SHAPES = ((), (0,), (1,), (3, 0, 2), (2, 1, 3, 1, 2))


def np_dtype(name: str) -> np.dtype:
    """The NumPy dtype of that name, bfloat16 included."""
    return np.dtype(getattr(ml_dtypes, name, None) or name)


def array(
    shape: Sequence[int],
    dtype: str = "float32",
    low: float = -2.0,
    high: float = 2.0,
    seed: int = 0,
) -> np.ndarray:
    """A reproducible array: reals in [low, high) on a grid of 1/64, integers in [low, high]."""
    rng = np.random.RandomState(seed + 1)
    kind = np_dtype(dtype)
    if dtype == "bool":
        return rng.randint(0, 2, shape).astype(bool)
    if dtype in UNSIGNED:
        return rng.randint(max(int(low), 0), max(int(high), 1) + 1, shape).astype(kind)
    if dtype in SIGNED:
        return rng.randint(int(low), int(high) + 1, shape).astype(kind)
    if dtype in COMPLEX:
        real, imag = rng.uniform(low, high, shape), rng.uniform(low, high, shape)
        return (np.round(real * 64) / 64 + 1j * np.round(imag * 64) / 64).astype(kind)
    # The grid keeps values exact in half precision, so that every library starts from the same.
    return (np.floor(rng.uniform(low, high, shape) * 64) / 64 + 1 / 128).astype(kind)


def tensor(
    tf: Any,
    shape: Sequence[int],
    dtype: str = "float32",
    low: float = -2.0,
    high: float = 2.0,
    seed: int = 0,
) -> Any:
    """`array`, as a tensor."""
    return tf.constant(array(shape, dtype, low, high, seed))


def resolve(tf: Any, path: str) -> Any:
    """The function a dotted name stands for: `math.add` is `tf.math.add`."""
    found = tf
    for part in path.split("."):
        found = getattr(found, part)
    return found


def weights(tf: Any, value: Any, seed: int = 90) -> Any:
    """Upstream gradients of the shape and dtype of `value`, none of them alike."""

    def of(shape: Any) -> np.ndarray:
        return array(tuple(shape), value.dtype.name, -1, 1, seed)

    if value.shape.is_fully_defined():
        return tf.constant(of(value.shape))
    found = tf.py_function(lambda shape: of(shape.numpy()), [tf.shape(value)], value.dtype)
    found.set_shape(value.shape)
    return found


def gradient(tf: Any, function: Callable[..., Any], *inputs: Any) -> Any:
    """The value of `function(*inputs)` and its gradients, weighted so that entries differ."""
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        value = function(*inputs)
    grads = tape.gradient(value, inputs, output_gradients=weights(tf, value))
    return {"value": value, "grads": [dense(tf, grad) for grad in grads]}


def gradient2(tf: Any, function: Callable[..., Any], *inputs: Any) -> Any:
    """The gradients of a weighted sum of the first gradients: every second-order path at once."""
    with tf.GradientTape() as outer:
        outer.watch(inputs)
        with tf.GradientTape() as inner:
            inner.watch(inputs)
            value = function(*inputs)
        first = inner.gradient(value, inputs, output_gradients=weights(tf, value))
        first = [dense(tf, grad) for grad in first]
        total = [
            tf.reduce_sum(grad * weights(tf, grad, 91 + i))
            for i, grad in enumerate(first)
            if grad is not None
        ]
    second = outer.gradient(total, inputs)
    return {"first": first, "second": [dense(tf, grad) for grad in second]}


def dense(tf: Any, grad: Any) -> Any:
    """A gradient as an ordinary tensor; None stays None."""
    return None if grad is None else tf.convert_to_tensor(grad)
