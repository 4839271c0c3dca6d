"""Gradients by connected inputs of a call: zeros where the run did not use them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eagerflow as tf

X, Y = [1.0, 2.0], [3.0, 4.0]


def in_autograph(x: Any, y: Any) -> Any:
    if x[0] > 100.0:
        result = x * y
    else:
        result = x * 2.0
    return result


def written_twice(x: Any, y: Any) -> Any:
    return tf.TensorArray(tf.float32, 2).write(0, x).write(1, y).read(0) * 2.0


pair = tf.function(lambda a, b: (a * 2.0, b * 3.0))

# Programs that compute x * 2; their outputs are connected with y.
CONNECTED: dict[str, Callable[[Any, Any], Any]] = {
    "another output": lambda x, y: (x * 2.0, y * 3.0),
    "another output of a call": lambda x, y: pair(x, y)[0],
    "a branch": lambda x, y: tf.cond(x[0] > 100.0, lambda: x * y, lambda: x * 2.0),
    "a branch of autograph": in_autograph,
    "a case": lambda x, y: tf.switch_case(
        tf.cast(x[0], tf.int32) - 1, [lambda: x * 2.0, lambda: y * 2.0]
    ),
    "a variable of a loop": lambda x, y: tf.while_loop(
        lambda i, a, b: i < 1, lambda i, a, b: (i + 1, a * 2.0, b * 3.0), [0, x, y]
    )[1],
    "the condition of a loop": lambda x, y: tf.while_loop(
        lambda i, a: tf.cast(i, tf.float32) < y[0] - 2.0, lambda i, a: (i + 1, a * 2.0), [0, x]
    )[1],
    "a loop without a slope": lambda x, y: tf.while_loop(
        lambda i, a: i < 1, lambda i, a: (i + 1, a * 2.0 + 0.0 * tf.stop_gradient(y)), [0, x]
    )[1],
    "a map": lambda x, y: tf.map_fn(lambda e: e[0] * 2.0, (x, y), fn_output_signature=tf.float32),
}
# Programs whose outputs are not connected with y.
APART: dict[str, Callable[[Any, Any], Any]] = {
    "nothing": lambda x, y: x * 2.0,
    "a size": lambda x, y: x * tf.cast(tf.size(y), tf.float32),
    "a constant": lambda x, y: x * 2.0 + 0.0 * tf.stop_gradient(y),
    "an integer": lambda x, y: x * 2.0 + 0.0 * tf.cast(tf.cast(y, tf.int32), tf.float32),
    "a branch without a slope": lambda x, y: tf.cond(
        x[0] > 100.0, lambda: x * 2.0 + 0.0 * tf.stop_gradient(y), lambda: x * 2.0
    ),
    "a condition": lambda x, y: tf.cond(y[0] > 0.0, lambda: x * 2.0, lambda: x * 3.0),
    "an assertion": lambda x, y: (tf.debugging.assert_greater(y, 0.0), x * 2.0)[1],
}


def taken(
    program: Callable[[Any, Any], Any], delivery: str, **options: Any
) -> tuple[list[Any], list[Any]]:
    """The gradients by x and y, and by the sources from which they were computed."""
    sources: list[Any] = [tf.constant(X), tf.constant(Y)]
    if "variable" in delivery:
        sources = [tf.Variable(value) for value in sources]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(sources)
        x, y = sources if "variable" in delivery else [source * 1.0 for source in sources]
        if delivery == "eager":
            result = program(x, y)
        elif "captured" in delivery:
            result = tf.function(lambda: program(x, y))()
        elif delivery == "nested":
            result = tf.function(lambda a, b: tf.function(program)(a, b))(x, y)
        else:
            result = tf.function(program)(x, y)
        result = result[0] if isinstance(result, tuple | list) else result
    return tape.gradient(result, [x, y], **options), tape.gradient(result, sources)


DELIVERIES = ["argument", "captured", "nested", "variable", "captured variable"]


@pytest.mark.parametrize("delivery", DELIVERIES)
@pytest.mark.parametrize("name", CONNECTED)
def test_what_is_connected_has_zeros(name: str, delivery: str) -> None:
    for gradients in taken(CONNECTED[name], delivery):
        np.testing.assert_array_equal(gradients[0], [2.0, 2.0])
        np.testing.assert_array_equal(gradients[1], [0.0, 0.0])


@pytest.mark.parametrize("delivery", ["eager", *DELIVERIES])
@pytest.mark.parametrize("name", APART)
def test_what_is_not_connected_has_none(name: str, delivery: str) -> None:
    for gradients in taken(APART[name], delivery):
        np.testing.assert_array_equal(gradients[0], [2.0, 2.0])
        assert gradients[1] is None
    gradients, _ = taken(APART[name], delivery, unconnected_gradients="zero")
    np.testing.assert_array_equal(gradients[1], [0.0, 0.0])


@pytest.mark.parametrize("name", ["another output", "a branch", "a variable of a loop"])
def test_gradients_that_come_from_elsewhere_too(name: str) -> None:
    x, y = tf.constant(X), tf.constant(Y)
    with tf.GradientTape() as outer:
        outer.watch(y)
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            result = tf.function(CONNECTED[name])(x, y)
            result = result[0] if isinstance(result, tuple | list) else result
            total = tf.reduce_sum(result) + tf.reduce_sum(y**3)
        first = tape.gradient(total, [x, y])
    np.testing.assert_array_equal(first[1], 3 * np.square(Y))
    np.testing.assert_array_equal(outer.gradient(first[1], y), 6 * np.array(Y))


def test_optimizers_update_variables_of_branches_that_did_not_run() -> None:
    """As in TensorFlow: momentum continues if the gradient is zero, and stops if it is None."""
    used, other = tf.Variable(1.0), tf.Variable(1.0)
    optimizer = tf.keras.optimizers.SGD(0.1, momentum=0.5)

    @tf.function
    def loss(first: Any) -> Any:
        return tf.cond(first, lambda: used * 1.0, lambda: other * 1.0)

    for first in (False, True):
        with tf.GradientTape() as tape:
            value = loss(tf.constant(first))
        variables = [used, other]
        optimizer.apply_gradients(zip(tape.gradient(value, variables), variables, strict=True))
    np.testing.assert_allclose([used, other], [0.9, 0.85], rtol=1e-6)


def test_jacobians_by_what_is_connected_are_zeros() -> None:
    x, y = tf.constant(X), tf.constant(Y)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        result, _ = tf.function(CONNECTED["another output"])(x, y)
    for vectorized in (True, False):
        jacobians = tape.jacobian(result, [x, y], experimental_use_pfor=vectorized)
        np.testing.assert_array_equal(jacobians[0], 2 * np.eye(2))
        np.testing.assert_array_equal(jacobians[1], np.zeros([2, 2]))
