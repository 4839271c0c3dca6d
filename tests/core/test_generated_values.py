"""Gradients of losses on logits, which are generated in parts if they are large."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core
from fusing import fusing

LABELS = ("dense", "int32", "int64")


def case(labels: str, dtype: str, rows: int, width: int) -> tuple[Any, Callable[[Any], Any]]:
    """Logits, and the function of their losses."""
    rng = np.random.default_rng(rows)
    logits = tf.cast(tf.constant(rng.normal(size=(rows, width)) * 4), dtype)
    if labels == "dense":
        dense = tf.cast(tf.nn.softmax(tf.constant(rng.normal(size=(rows, width)))), dtype)
        return logits, lambda x: tf.nn.softmax_cross_entropy_with_logits(dense, x)
    classes = tf.constant(rng.integers(0, width, rows), labels)
    return logits, lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(classes, x)


def gradients(x: Any, loss: Callable[[Any], Any], weights: Any, order: int) -> list[Any]:
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            losses = loss(x)
            target = tf.reduce_sum(losses * weights)
        first = tape.gradient(target, x)
        if order == 1:
            return [losses, first]
        again = tf.reduce_sum(tf.square(first))
    return [losses, first, outer.gradient(again, x)]


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize(("rows", "width"), [(130, 257), (3, 9000), (20_000, 3), (1, 40_000)])
def test_losses_and_gradients_are_those_of_one_by_one(
    order: int, labels: str, dtype: str, rows: int, width: int
) -> None:
    x, loss = case(labels, dtype, rows, width)
    weights = tf.cast(tf.range(1, rows + 1) % 7, dtype)
    with fusing(False):
        expected = gradients(x, loss, weights, order)
    traced = tf.function(lambda x: gradients(x, loss, weights, order))
    for got in (gradients(x, loss, weights, order), traced(x)):
        for a, b in zip(got, expected, strict=True):
            assert a.dtype == b.dtype
            a, b = (np.asarray(tf.cast(each, "float64")) for each in (a, b))
            scale = max(1e-30, np.abs(b).max())
            exact = order == 1 and dtype != "float16" and dtype != "bfloat16"
            np.testing.assert_allclose(a, b, rtol=0, atol=0 if exact else 1e-5 * scale)


def bytes_written(function: Callable[[], Any]) -> int:
    _core.reset_peak_memory()
    before = _core.memory_stats()["current"]
    function()
    return int(_core.memory_stats()["peak"] - before)


@pytest.mark.parametrize("labels", LABELS)
def test_losses_alone_write_no_gradient(labels: str) -> None:
    x, loss = case(labels, "float32", 2048, 1024)
    loss(x).numpy()
    assert bytes_written(lambda: loss(x).numpy()) < 1 << 20
    traced = tf.function(loss)
    traced(x)
    assert bytes_written(lambda: traced(x).numpy()) < 1 << 20


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("trace", [False, True])
def test_gradients_are_written_once(labels: str, trace: bool) -> None:
    x, loss = case(labels, "float32", 2048, 1024)

    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            target = tf.reduce_mean(loss(x))
        return tape.gradient(target, x)

    function = tf.function(gradient) if trace else gradient
    function(x).numpy()
    assert bytes_written(lambda: function(x)[0, 0].numpy()) < 9 << 20


def test_the_gradient_that_an_operation_returns_can_be_read() -> None:
    x, _ = case("int32", "float32", 130, 257)
    classes = tf.range(130)
    loss, gradient = tf.raw_ops.SparseSoftmaxCrossEntropyWithLogits(features=x, labels=classes)
    expected = tf.nn.softmax(x).numpy()
    expected[np.arange(130), np.arange(130)] -= 1
    np.testing.assert_allclose(gradient, expected, atol=1e-6)
    np.testing.assert_allclose(gradient[5], expected[5], atol=1e-6)
    assert np.isfinite(loss).all()


def test_logits_that_change_later() -> None:
    x, loss = case("int64", "float32", 130, 257)
    variable = tf.Variable(x)
    with tf.GradientTape() as tape:
        target = tf.reduce_sum(loss(variable))
    expected = gradients(x, loss, tf.ones([130]), 1)[1].numpy()
    variable.assign_add(tf.ones_like(variable))
    variable[0].assign(tf.zeros([257]))
    np.testing.assert_array_equal(tape.gradient(target, variable), expected)


def test_values_that_are_no_numbers() -> None:
    rows = np.zeros((4, 9000), "f")
    rows[0, 3], rows[1, 4], rows[2, 5] = np.nan, np.inf, -np.inf
    x = tf.constant(rows)
    classes = tf.constant([3, 4, 5, 6])
    loss = lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(classes, x)  # noqa: E731
    with fusing(False):
        expected = gradients(x, loss, tf.ones([4]), 1)
    for got, value in zip(gradients(x, loss, tf.ones([4]), 1), expected, strict=True):
        np.testing.assert_array_equal(got, value)
