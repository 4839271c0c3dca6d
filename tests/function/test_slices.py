"""Gradients of many slices of one tensor in traced functions."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eagerflow as tf


def gradient_of(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def program(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            result = function(x)
        return tape.gradient(result, x)

    return program


def numbers(*shape: int) -> tf.Tensor:
    return tf.constant(np.random.default_rng(0).normal(size=shape).astype(np.float32))


def rows(x: Any) -> Any:
    return tf.add_n([tf.square(x[i]) * float(i + 1) for i in range(7)])


def overlapping(x: Any) -> Any:
    return sum(tf.reduce_sum(tf.sin(x[i : i + 3, ::2])) for i in range(5))


def columns_backwards(x: Any) -> Any:
    return sum(tf.reduce_sum(x[::-1, j] ** 3) for j in range(6))


def gathered(x: Any) -> Any:
    return sum(tf.reduce_sum(tf.exp(tf.gather(x, [i, 5 - i, i], axis=1))) for i in range(4))


def gathered_by_rows_and_columns(x: Any) -> Any:
    places = [tf.constant([[i, 0], [5 - i, 1], [i, 0]]) for i in range(4)]
    return sum(tf.reduce_sum(tf.sin(tf.gather_nd(x, indices))) for indices in places)


def numbers_of_it(x: Any) -> Any:
    return x[0, 0] * x[1, 2] + x[0, 0] * x[6, 5]


def besides_the_whole(x: Any) -> Any:
    return tf.reduce_sum(tf.tanh(x)) + tf.reduce_sum(x[1] * x[2]) + tf.reduce_sum(tf.square(x))


@pytest.mark.parametrize(
    "function",
    [
        rows,
        overlapping,
        columns_backwards,
        gathered,
        gathered_by_rows_and_columns,
        numbers_of_it,
        besides_the_whole,
    ],
)
def test_gradients_are_those_of_plain_code(function: Callable[[Any], Any]) -> None:
    x = numbers(7, 6)
    program = gradient_of(function)
    traced = tf.function(program)
    for _ in range(2):
        np.testing.assert_allclose(traced(x), program(x), rtol=1e-5, atol=1e-6)


def test_sums_that_are_read_twice_keep_their_values() -> None:
    x = numbers(7, 6)

    @tf.function
    def program(x: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            first = tf.reduce_sum(x[0] * x[1])
            both = first + tf.reduce_sum(x[2] ** 2)
        return tape.gradient(first, x), tape.gradient(both, x)

    first, both = program(x)
    expected = np.zeros([7, 6], np.float32)
    expected[0], expected[1] = x[1], x[0]
    np.testing.assert_allclose(first, expected, rtol=1e-6)
    expected[2] = 2 * x[2]
    np.testing.assert_allclose(both, expected, rtol=1e-6)


def test_gradients_of_gradients() -> None:
    x = numbers(7, 6)
    program = gradient_of(lambda x: tf.reduce_sum(gradient_of(overlapping)(x) ** 2))
    np.testing.assert_allclose(tf.function(program)(x), program(x), rtol=1e-4, atol=1e-5)

    inner = tf.function(gradient_of(overlapping))
    outer = gradient_of(lambda x: tf.reduce_sum(inner(x) ** 2))
    np.testing.assert_allclose(outer(x), program(x), rtol=1e-4, atol=1e-5)


def test_a_variable_keeps_its_value() -> None:
    variable = tf.Variable(numbers(7, 6))
    before = variable.numpy()
    traced = tf.function(lambda: gradient_of(rows)(variable.read_value()))
    traced()
    np.testing.assert_array_equal(variable, before)


def test_slices_cost_what_they_move() -> None:
    count = 300
    x = numbers(count, 20_000)
    traced = tf.function(
        gradient_of(lambda x: tf.add_n([tf.reduce_sum(tf.square(x[i])) for i in range(count)]))
    )

    def least(function: Callable[[], Any]) -> float:
        times = []
        for _ in range(4):
            start = time.perf_counter()
            function().numpy()
            times.append(time.perf_counter() - start)
        return min(times)

    traced(x)
    assert least(lambda: traced(x)) < 60 * least(lambda: x + x)  # full gradients: `count` times
