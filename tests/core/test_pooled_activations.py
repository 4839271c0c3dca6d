"""Pooled activations: the tape keeps the indices of maxima, and not the activations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eagerflow as tf
from fusing import fusing

# At least a MiB, with rows and columns that no window covers.
SHAPE = (3, 66, 65, 40)
ACTIVATIONS: dict[str, Callable[[Any], Any]] = {"relu": tf.nn.relu, "relu6": tf.nn.relu6}


def image(dtype: str = "float32") -> Any:
    # Few values, so that windows have equal elements.
    values = np.random.default_rng(0).integers(-9, 10, SHAPE)
    return tf.constant(values.astype(dtype))


def pooled(x: Any, activation: str = "relu", size: int = 2) -> Any:
    y = ACTIVATIONS[activation](x * 1.5)
    y = tf.nn.max_pool2d(y, size, size, "VALID")
    return y * tf.cast(tf.range(1.0, 41.0), y.dtype)


def peak_of(step: Callable[[], Any]) -> float:
    """The peak of the bytes in tensors during a step."""
    step()
    tf.config.experimental.reset_memory_stats("CPU:0")
    before = tf.config.experimental.get_memory_info("CPU:0")["current"]
    step()
    return tf.config.experimental.get_memory_info("CPU:0")["peak"] - before


def gradients(function: Callable[[Any], Any], x: Any) -> list[Any]:
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
            loss = tf.reduce_sum(y * y)
        first = tape.gradient(loss, x)
        again = tf.reduce_sum(first * first)
    return [y, first, outer.gradient(again, x)]


def alone(function: Callable[[Any], Any], x: Any) -> list[Any]:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
        loss = tf.reduce_sum(y * y)
    return [y, tape.gradient(loss, x)]


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("take", [alone, gradients])
@pytest.mark.parametrize("dtype, batch", [("float32", 3), ("float64", 1)])
def test_values_and_gradients_are_those_of_one_by_one(
    dtype: str, batch: int, take: Callable[..., Any], activation: str, size: int, traced: bool
) -> None:
    x = image(dtype)[:batch]

    def run(x: Any) -> Any:
        return take(lambda x: pooled(x, activation, size), x)

    with fusing(False):
        expected = run(x)
    for result, want in zip((tf.function(run) if traced else run)(x), expected, strict=True):
        np.testing.assert_array_equal(result.numpy(), want.numpy())


def test_batches_of_any_size_are_traced_alike() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, *SHAPE[1:]])])
    def traced(x: Any) -> Any:
        return alone(pooled, x)

    for x in image(), image()[:1]:
        for result, want in zip(traced(x), alone(pooled, x), strict=True):
            np.testing.assert_array_equal(result.numpy(), want.numpy())


@pytest.mark.parametrize("traced", [False, True])
def test_activations_are_not_kept(traced: bool) -> None:
    x = image()
    count = 8

    def step() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            total = tf.constant(0.0)
            for k in range(count):
                total += tf.reduce_sum(pooled(x - float(k)))
        return tf.reduce_max(tape.gradient(total, x))

    peak = peak_of(tf.function(step) if traced else step)
    assert peak < 0.75 * count * x.numpy().nbytes


def test_what_else_reads_an_activation_counts() -> None:
    x = image()

    def before(x: Any) -> Any:
        y = tf.nn.relu(x * 1.5)
        other = tf.reduce_mean(y, axis=[1, 2], keepdims=True)
        return tf.nn.max_pool2d(y, 2, 2, "VALID") + other

    def after(x: Any) -> Any:
        y = tf.nn.relu(x * 1.5)
        pool = tf.nn.max_pool2d(y, 2, 2, "VALID") * 3.0
        return pool + tf.reduce_mean(y, axis=[1, 2], keepdims=True)

    for function in before, after:
        with fusing(False):
            expected = gradients(function, x)
        for result, want in zip(gradients(function, x), expected, strict=True):
            np.testing.assert_allclose(result.numpy(), want.numpy(), rtol=1e-5)


def test_persistent_tapes_and_jacobians() -> None:
    x = image()
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = pooled(x)
        few = tf.reduce_sum(y * y, axis=[1, 2, 3])
        whole = tf.reduce_sum(few)
    first, again = tape.gradient(whole, x), tape.gradient(whole, x)
    np.testing.assert_array_equal(first.numpy(), again.numpy())
    jacobian = tape.jacobian(few, x)
    np.testing.assert_array_equal(tf.reduce_sum(jacobian, 0).numpy(), first.numpy())


def test_derivatives_by_an_activation_that_is_held() -> None:
    x = image()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.relu(x)
        loss = tf.reduce_sum(tf.nn.max_pool2d(y, 2, 2, "VALID") * 2.0)
    assert tape.gradient(loss, y).shape == y.shape


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("channels", [16, 17, 31, 48, 64, 65])
def test_gradients_go_to_the_first_of_the_largest(dtype: str, channels: int) -> None:
    """Of windows that do not overlap, whatever number of channels fills the vectors."""
    random = np.random.default_rng(channels)
    x = random.integers(0, 4, (8, 48, 46, channels)).astype(dtype)
    dy = random.normal(size=(8, 24, 23, channels)).astype(dtype)
    images = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(images)
        pooled = tf.nn.max_pool2d(tf.nn.relu(images), 2, 2, "VALID")
    windows = x.reshape(8, 24, 2, 23, 2, channels).transpose(0, 1, 3, 5, 2, 4)
    windows = windows.reshape(*dy.shape, 4)
    expected = np.zeros_like(windows)
    np.put_along_axis(expected, windows.argmax(-1)[..., None], dy[..., None], -1)
    expected = expected * (windows > 0)
    expected = expected.reshape(*dy.shape, 2, 2).transpose(0, 1, 4, 2, 5, 3).reshape(x.shape)
    np.testing.assert_array_equal(tape.gradient(pooled, images, output_gradients=dy), expected)
