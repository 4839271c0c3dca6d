"""Compares gradients of a function, and gradients of these gradients, with finite differences."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import eagerflow as tf

# Central differences in float64: their error is about STEP**2 times the third derivative, plus a
# rounding error of about 1e-16 / STEP.
STEP = 1e-5
RTOL = 2e-6
ATOL = 2e-7


def spread(shape: int | Sequence[int], low: float = -2.0, high: float = 2.0, seed: int = 0) -> Any:
    """Distinct float64 values in random order, evenly spaced inside (low, high).

    None is zero or equal to a limit.
    """
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    count = int(np.prod(shape))
    values = low + (high - low) * (np.arange(count) + 0.37) / max(count, 1)
    return np.random.default_rng(seed + 31 * count).permutation(values).reshape(shape)


def spread_complex(
    shape: int | Sequence[int], low: float = -2.0, high: float = 2.0, seed: int = 0
) -> Any:
    """Complex values whose parts are those of `spread`."""
    return spread(shape, low, high, seed) + 1j * spread(shape, low, high, seed + 1)


@dataclass
class Case:
    """A call whose derivatives are checked.

    `function` accepts one tensor for each of `inputs`, and returns a tensor or a sequence of them.
    Inputs of inexact dtype are varied, or only those at the indices `wrt`. `second` is False for
    functions whose derivative is constant in TensorFlow; the derivative of `flat` ones is zero.
    """

    name: str
    function: Callable[..., Any]
    inputs: Sequence[Any]
    wrt: Sequence[int] | None = None
    second: bool = True
    flat: bool = False
    label: str = ""
    varied: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.inputs = [np.asarray(value) for value in self.inputs]
        everything = range(len(self.inputs))
        self.varied = list(
            [i for i in everything if self.inputs[i].dtype.kind in "fc"]
            if self.wrt is None
            else self.wrt
        )

    def __str__(self) -> str:
        shapes = "-".join("x".join(map(str, value.shape)) or "scalar" for value in self.inputs)
        return "-".join(part for part in (self.name, self.label, shapes) if part)

    def outputs(self, tensors: Sequence[Any]) -> list[Any]:
        """The differentiable outputs."""
        result = self.function(*tensors)
        listed = list(result) if isinstance(result, (list, tuple)) else [result]
        return [output for output in listed if output.dtype.is_floating or output.dtype.is_complex]


def weights_like(array: Any, seed: int) -> Any:
    """Random values of an array's shape and dtype."""
    random = np.random.default_rng(seed)
    values = random.uniform(0.5, 1.5, array.shape) * random.choice([-1.0, 1.0], array.shape)
    if array.dtype.kind == "c":
        values = values + 1j * random.uniform(-1.0, 1.0, array.shape)
    return np.asarray(values, array.dtype)


def inner(a: Any, b: Any) -> float:
    """The real inner product, in which a complex number is a pair of real ones."""
    return float(np.sum(np.real(a) * np.real(b) + np.imag(a) * np.imag(b)))


def numeric_gradients(
    function: Callable[[Sequence[Any]], float], arrays: Sequence[Any], varied: Sequence[int]
) -> list[Any]:
    """Derivatives of a real function by each element; by complex ones df/dRe + i df/dIm."""
    gradients = []
    for i in varied:
        gradient = np.zeros_like(arrays[i])
        for place in np.ndindex(arrays[i].shape):
            for direction in (1.0, 1j) if gradient.dtype.kind == "c" else (1.0,):
                values = []
                for sign in (1, -1):
                    moved = list(arrays)
                    moved[i] = arrays[i].copy()
                    moved[i][place] += sign * direction * STEP
                    values.append(function(moved))
                gradient[place] += direction * (values[0] - values[1]) / (2 * STEP)
        gradients.append(gradient)
    return gradients


def dense(gradient: Any, like: Any) -> Any:
    """A gradient as an array: None represents zeros, rows of slices are added at their indices."""
    if gradient is None:
        return np.zeros_like(like)
    array = tf.convert_to_tensor(gradient).numpy()
    assert array.shape == like.shape and array.dtype == like.dtype
    return array


def assert_close(got: Sequence[Any], expected: Sequence[Any], what: str) -> None:
    """Compares relative to the largest expected derivative."""
    for position, (a, b) in enumerate(zip(got, expected, strict=True)):
        scale = max(1.0, float(np.max(np.abs(b), initial=0.0)))
        np.testing.assert_allclose(
            a, b, rtol=RTOL, atol=ATOL * scale, err_msg=f"{what}, number {position}"
        )


def gradient_of(case: Case, tensors: Sequence[Any], weights: Sequence[Any]) -> list[Any]:
    """The tape's gradients by the varied inputs, with `weights` as output gradients."""
    sources = [tensors[i] for i in case.varied]
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(sources)
        outputs = case.outputs(tensors)
    return tape.gradient(outputs, sources, output_gradients=list(weights))


def output_weights(case: Case) -> list[Any]:
    seed = zlib.crc32(str(case).encode()) % 1000
    outputs = case.outputs([tf.constant(array) for array in case.inputs])
    return [weights_like(output.numpy(), seed + k) for k, output in enumerate(outputs)]


def check_first(case: Case) -> None:
    """Compares gradients with differences of the function itself."""
    weights = output_weights(case)
    tensors = [tf.constant(array) for array in case.inputs]
    tape_weights = [tf.constant(weight) for weight in weights]
    originals = [case.inputs[i] for i in case.varied]
    got = [
        dense(gradient, array)
        for gradient, array in zip(gradient_of(case, tensors, tape_weights), originals, strict=True)
    ]

    def loss(arrays: Sequence[Any]) -> float:
        outputs = case.outputs([tf.constant(array) for array in arrays])
        return sum(
            inner(weight, output.numpy()) for weight, output in zip(weights, outputs, strict=True)
        )

    expected = numeric_gradients(loss, case.inputs, case.varied)
    empty = not all(any(array.size for array in arrays) for arrays in (originals, weights))
    assert case.flat or empty or any(np.any(gradient) for gradient in expected)
    assert_close(got, expected, f"{case}: gradient")
    # The tape keeps and computes less if only one input is watched.
    if len(case.varied) > 1:
        for position, i in enumerate(case.varied):
            alone = Case(case.name, case.function, case.inputs, [i])
            (gradient,) = gradient_of(alone, tensors, tape_weights)
            np.testing.assert_array_equal(dense(gradient, case.inputs[i]), got[position])


def check_second(case: Case) -> None:
    """Compares gradients of gradients, by inputs and output gradients, with differences."""
    weights = output_weights(case)
    arrays = [*case.inputs, *weights]
    count = len(case.inputs)
    varied = [*case.varied, *range(count, len(arrays))]
    directions = [
        weights_like(case.inputs[i], position + 7) for position, i in enumerate(case.varied)
    ]

    def slope(moved: Sequence[Any]) -> float:
        tensors = [tf.constant(array) for array in moved]
        gradients = gradient_of(case, tensors[:count], tensors[count:])
        return sum(
            inner(direction, dense(gradient, direction))
            for direction, gradient in zip(directions, gradients, strict=True)
        )

    tensors = [tf.constant(array) for array in arrays]
    sources = [tensors[i] for i in varied]
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(sources)
        gradients = gradient_of(case, tensors[:count], tensors[count:])
        reached = [k for k, gradient in enumerate(gradients) if gradient is not None]
        targets = [tf.convert_to_tensor(gradients[k]) for k in reached]
    towards = [tf.constant(directions[k]) for k in reached]
    second = tape.gradient(targets, sources, output_gradients=towards)
    got = [dense(gradient, arrays[i]) for gradient, i in zip(second, varied, strict=True)]
    assert_close(got, numeric_gradients(slope, arrays, varied), f"{case}: second gradient")
