"""Deferred results of large batch normalisations, which are computed where they are read."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import eagerflow as tf
from fusing import fusing

# Few channels, more channels than one block, channels that are not a multiple of a vector, and
# planes of channels; all have more elements than one block of writes.
SHAPES = [
    ((70, 66, 64, 1), -1),
    ((40, 40, 20, 17), -1),
    ((300, 3, 1, 300), -1),
    ((40, 3, 50, 51), 1),
]


def operands(shape: tuple[int, ...], axis: int, dtype: str) -> list[Any]:
    rng = np.random.default_rng(len(shape))
    arrays = [rng.normal(size=shape) * 2 + 1, *rng.normal(size=(2, shape[axis]))]
    return [tf.constant(array.astype(dtype)) for array in arrays]


def normalized(x: Any, scale: Any, offset: Any, axis: int) -> Any:
    form = "NHWC" if axis == -1 else "NCHW"
    return tf.compat.v1.nn.fused_batch_norm(x, scale, offset, data_format=form)[0]


def gradients(function: Callable[..., Any], inputs: list[Any], order: int) -> list[Any]:
    with tf.GradientTape() as outer:
        outer.watch(inputs)
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            y = function(*inputs)
            target = tf.reduce_sum(y * tf.cast(tf.range(y.shape[-1]) % 5, y.dtype))
        first = tape.gradient(target, inputs)
        again = tf.add_n([tf.reduce_sum(tf.square(g)) for g in first]) if order == 2 else None
    return [y, *first] + (outer.gradient(again, inputs) if order == 2 else [])


ACTIVATIONS = {
    "none": tf.identity,
    "relu": tf.nn.relu,
    "relu6": tf.nn.relu6,
    "silu": tf.nn.silu,
    "residual": lambda y: tf.nn.relu(y * 0.5 + y),
    "read twice": lambda y: tf.nn.relu(y) + tf.reduce_max(y),
}


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize(("shape", "axis"), SHAPES)
def test_values_and_gradients_are_those_of_one_by_one(
    shape: tuple[int, ...], axis: int, activation: str, traced: bool
) -> None:
    inputs = operands(shape, axis, "float32")

    def function(x: Any, scale: Any, offset: Any) -> Any:
        return ACTIVATIONS[activation](normalized(x, scale, offset, axis))

    run = tf.function(gradients) if traced else gradients
    with fusing(False):
        expected = run(function, inputs, 1)
    for value, other in zip(run(function, inputs, 1), expected, strict=True):
        size = np.abs(other.numpy()).max()
        np.testing.assert_allclose(value, other, rtol=1e-4, atol=1e-5 * size)


@pytest.mark.parametrize("activation", ["relu6", "silu"])
def test_second_gradients(activation: str) -> None:
    inputs = operands((40, 40, 20, 17), -1, "float32")

    def function(x: Any, scale: Any, offset: Any) -> Any:
        return ACTIVATIONS[activation](normalized(x, scale, offset, -1))

    with fusing(False):
        expected = gradients(function, inputs, 2)
    for value, other in zip(gradients(function, inputs, 2), expected, strict=True):
        size = np.abs(other.numpy()).max()
        np.testing.assert_allclose(value, other, rtol=1e-3, atol=1e-5 * size)


@pytest.mark.parametrize("axis", [-1, 1])
def test_with_known_moments(axis: int) -> None:
    x, scale, offset = operands((40, 17, 50, 17), axis, "float32")
    mean, variance = offset * 2, tf.abs(scale) + 0.5
    form = "NHWC" if axis == -1 else "NCHW"

    def run() -> Any:
        return tf.nn.relu(
            tf.compat.v1.nn.fused_batch_norm(
                x, scale, offset, mean, variance, is_training=False, data_format=form
            )[0]
        ).numpy()

    with fusing(False):
        expected = run()
    np.testing.assert_allclose(run(), expected, rtol=1e-5, atol=1e-6)


def test_a_normalization_and_its_activation_run_as_one() -> None:
    inputs = operands((40, 40, 20, 17), -1, "float32")
    shown = tf.debug.show_fusion(lambda: tf.nn.relu(normalized(*inputs, -1) * 2))
    assert "Mul, Relu -> float32[40, 40, 20, 17]" in str(shown)


def test_the_input_may_change_before_the_result_is_read() -> None:
    x, scale, offset = operands((40, 40, 20, 17), -1, "float32")
    variable = tf.Variable(x)
    expected = normalized(x, scale, offset, -1).numpy()
    y = normalized(variable, scale, offset, -1)
    z = y + 1
    variable.assign_add(tf.ones_like(x))
    np.testing.assert_array_equal(y, expected)
    np.testing.assert_allclose(z, expected + 1, rtol=1e-6)


def test_threads_may_read_one_result() -> None:
    inputs = operands((40, 40, 20, 17), -1, "float32")
    expected = normalized(*inputs, -1).numpy()
    for _ in range(5):
        y = normalized(*inputs, -1)
        with ThreadPoolExecutor(4) as pool:
            futures = [pool.submit(lambda y=y: tf.nn.relu(y).numpy()) for _ in range(3)]
            futures.append(pool.submit(y.numpy))
            for future in futures[:3]:
                np.testing.assert_array_equal(future.result(), np.maximum(expected, 0))
            np.testing.assert_array_equal(futures[3].result(), expected)


def test_a_gradient_that_the_program_holds_is_not_written_over() -> None:
    x, scale, offset = operands((40, 40, 20, 17), -1, "float32")
    dy = tf.constant(np.random.default_rng(0).normal(size=x.shape).astype("float32"))
    before = dy.numpy()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = normalized(x, scale, offset, -1)
    tape.gradient(y, x, output_gradients=dy).numpy()
    np.testing.assert_array_equal(dy, before)


def test_no_channels_and_no_elements() -> None:
    for shape in [(2, 3, 4, 0), (0, 3, 4, 5)]:
        x, scale, offset = operands(shape, -1, "float32")
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = normalized(x, scale, offset, -1)
        assert y.shape == shape
        assert tape.gradient(y, x).shape == shape
