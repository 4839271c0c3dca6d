"""Results that reuse the memory of their operands, or are recomputed to save memory."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eagerflow as tf
from fusing import fusing

MB = 1 << 20


def normal(*shape: int, seed: int = 0, dtype: str = "float32") -> Any:
    return tf.constant(np.random.default_rng(seed).normal(size=shape).astype(dtype))


def peak_of(function: Callable[[], Any]) -> int:
    """The peak of the bytes of large tensors during a call, beyond those before it."""
    before = tf.config.experimental.get_memory_info("CPU:0")["current"]
    tf.config.experimental.reset_memory_stats("CPU:0")
    function()
    return int(tf.config.experimental.get_memory_info("CPU:0")["peak"]) - int(before)


def assert_same(got: list[Any], expected: list[Any]) -> None:
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())


POOLS = {
    "all pixels": ((8, 48, 48, 32), 2, "VALID"),
    "some pixels": ((8, 49, 51, 24), 2, "VALID"),
    "wide windows": ((8, 48, 45, 17), 3, "SAME"),
    "padded": ((8, 49, 50, 24), 2, "SAME"),
    "few channels": ((16, 96, 96, 3), 2, "VALID"),
}


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("active", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", POOLS)
def test_gradients_of_pooling(kind: str, dtype: str, active: bool, traced: bool) -> None:
    shape, size, padding = POOLS[kind]
    # Coarse values, so that maxima are tied; some are NaN.
    values = np.round(np.random.default_rng(3).normal(size=shape) * 2)
    values[0, :5, :5, 0] = np.nan
    x, bias = tf.constant(values.astype(dtype)), normal(shape[-1], dtype=dtype)

    def gradients(x: Any, bias: Any) -> list[Any]:
        with tf.GradientTape() as tape:
            tape.watch([x, bias])
            y = tf.nn.bias_add(x, tf.round(bias) + bias * 0)
            y = tf.nn.relu(y) if active else y
            y = tf.nn.max_pool2d(y, size, size, padding)
            target = tf.reduce_sum(y * tf.cast(tf.range(shape[-1]), dtype))
        return [y, *tape.gradient(target, [x, bias])]

    run = tf.function(gradients) if traced else gradients
    with fusing(False):
        expected = run(x, bias)
    assert_same(run(x, bias), expected)


def test_second_gradients_of_pooling() -> None:
    x = normal(8, 48, 48, 32)

    def second() -> list[Any]:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                target = tf.reduce_sum(tf.square(tf.nn.max_pool2d(tf.nn.relu(x), 2, 2, "VALID")))
            first = tape.gradient(target, x)
        return [first, outer.gradient(first, x)]

    with fusing(False):
        expected = second()
    assert_same(second(), expected)


def test_the_gradient_of_pooling_takes_the_memory_of_its_input() -> None:
    x, bias = normal(32, 64, 64, 32), normal(32)

    def step() -> None:
        with tf.GradientTape() as tape:
            tape.watch(bias)
            y = tf.nn.max_pool2d(tf.nn.relu(tf.nn.bias_add(x, bias)), 2, 2, "VALID")
            target = tf.reduce_sum(y)
            del y
        tape.gradient(target, bias)

    step()
    # The activation, the result and its gradient, and indices of maxima of one byte.
    assert peak_of(step) < 1.8 * 32 * 64 * 64 * 32 * 4


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("labels", ["sparse", "dense"])
def test_the_gradient_of_a_cross_entropy_is_written_over_the_logits(
    labels: str, traced: bool
) -> None:
    hidden, weights = normal(512, 32), normal(32, 4096, seed=1)
    classes = tf.range(512) * 7 % 4096
    shares = tf.one_hot(classes, 4096) * 0.5 + 0.5 / 4096

    def step() -> list[Any]:
        with tf.GradientTape() as tape:
            tape.watch([hidden, weights])
            logits = tf.matmul(hidden, weights)
            if labels == "sparse":
                losses = tf.nn.sparse_softmax_cross_entropy_with_logits(classes, logits)
            else:
                losses = tf.nn.softmax_cross_entropy_with_logits(shares, logits)
            del logits
            loss = tf.reduce_mean(losses)
        return [loss, *tape.gradient(loss, [hidden, weights])]

    run = tf.function(step) if traced else step
    with fusing(False):
        expected = run()
    assert_same(run(), expected)
    if not traced:
        assert peak_of(run) < 1.5 * 512 * 4096 * 4


def test_logits_that_are_held_stay() -> None:
    hidden, weights = normal(64, 32), normal(32, 4096, seed=1)
    with tf.GradientTape() as tape:
        tape.watch(weights)
        logits = tf.matmul(hidden, weights)
        loss = tf.reduce_sum(tf.nn.sparse_softmax_cross_entropy_with_logits(tf.range(64), logits))
    before = tf.identity(logits).numpy().copy()
    tape.gradient(loss, weights).numpy()
    np.testing.assert_array_equal(logits.numpy(), before)


def block(x: Any, scale: Any, offset: Any, filters: list[Any]) -> Any:
    """Normalised, active and convolved twice, with the input of the second added."""
    for kernel in filters:
        y = tf.compat.v1.nn.fused_batch_norm(x, scale, offset)[0]
        before = tf.nn.relu6(y)
        x = tf.nn.conv2d(before, kernel, 1, "SAME") + before
    return x


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("persistent", [False, True])
def test_activations_that_are_computed_again(persistent: bool, traced: bool) -> None:
    inputs = [normal(8, 40, 40, 32), normal(32, seed=1), normal(32, seed=2)]
    inputs += [normal(3, 3, 32, 32, seed=k) * 0.1 for k in range(3)]

    def gradients(*inputs: Any) -> list[Any]:
        x, scale, offset, *filters = inputs
        with tf.GradientTape(persistent=persistent) as tape:
            tape.watch(inputs)
            target = tf.reduce_sum(tf.square(block(x, scale, offset, filters)))
        found = list(tape.gradient(target, inputs))
        return [*found, *tape.gradient(target, inputs)] if persistent else found

    run = tf.function(gradients) if traced else gradients
    with fusing(False):
        expected = run(*inputs)
    for got, other in zip(run(*inputs), expected, strict=True):
        np.testing.assert_allclose(got, other, rtol=0, atol=1e-5 * np.abs(other).max())


@pytest.mark.parametrize("traced", [False, True])
def test_a_tape_keeps_one_of_input_and_activation(traced: bool) -> None:
    size = 16 * 40 * 40 * 32 * 4
    x, scale, offset = normal(16, 40, 40, 32), normal(32, seed=1), normal(32, seed=2)
    filters = [normal(1, 1, 32, 32, seed=k) for k in range(6)]

    def step() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(filters)
            y = x
            for kernel in filters:
                y = tf.compat.v1.nn.fused_batch_norm(y, scale, offset)[0]
                y = tf.nn.conv2d(tf.nn.relu6(y), kernel, 1, "SAME")
            target = tf.reduce_sum(y * 0.5)
            del y
        return tape.gradient(target, filters)

    run = tf.function(step) if traced else step
    run()
    # Inputs of five normalisations, two activations, two gradients, and a kernel's packed operands.
    assert peak_of(run) < 10.5 * size


def test_what_the_program_holds_is_right_after_it_was_computed_for_a_call() -> None:
    x, scale, offset = normal(8, 40, 40, 32), normal(32, seed=1), normal(32, seed=2)
    kernel = normal(1, 1, 32, 32)
    with fusing(False):
        expected = tf.nn.relu(tf.compat.v1.nn.fused_batch_norm(x, scale, offset)[0])
    y = tf.nn.relu(tf.compat.v1.nn.fused_batch_norm(x, scale, offset)[0])
    for _ in range(3):
        np.testing.assert_allclose(
            tf.nn.conv2d(y, kernel, 1, "SAME"),
            tf.nn.conv2d(expected, kernel, 1, "SAME"),
            rtol=1e-5,
            atol=1e-5,
        )
    np.testing.assert_array_equal(y, expected)


def test_results_take_the_memory_of_temporaries() -> None:
    x = normal(1024, 1024)

    def program() -> Any:
        return tf.tanh(tf.stack([x]) * 0.1 + 1)

    with fusing(False):
        expected = program()
    assert_same([program()], [expected])
    assert peak_of(lambda: tf.reshape(program(), [-1])) < 1.5 * 4 * MB


@pytest.mark.parametrize("holder", ["tensor", "view", "array", "variable", "tape"])
def test_inputs_that_somebody_holds_are_not_written(holder: str) -> None:
    x = tf.matmul(normal(256, 256), normal(256, 256, seed=1))
    before = np.array(x)
    y = tf.exp(x * 0.5)
    held: Any = None
    if holder == "tensor":
        held = x
    elif holder == "view":
        held = tf.reshape(x, [-1])
    elif holder == "array":
        held = x.numpy()
    elif holder == "variable":
        held = tf.Variable(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = tf.square(x)
    if holder == "tape":
        np.testing.assert_array_equal(tape.gradient(z, x), 2 * before)
    del x, tape, z
    y.numpy()
    if held is not None:
        np.testing.assert_array_equal(np.array(held).reshape(256, 256), before)


def test_threads_that_read_results_while_these_take_their_inputs_memory() -> None:
    x, w = normal(300, 300), normal(300, 300, seed=1)
    expected = [np.tanh(np.array(tf.matmul(x, w)) * 0.25 * k) for k in range(4)]
    errors: list[Any] = []

    def read(values: list[Any], k: int) -> None:
        try:
            np.testing.assert_allclose(values[k].numpy(), expected[k], rtol=1e-5, atol=1e-6)
        except BaseException as error:
            errors.append(error)

    for _ in range(30):
        product = tf.matmul(x, w) * 0.25
        values = [tf.tanh(product * float(k)) for k in range(4)]
        del product
        threads = [threading.Thread(target=read, args=(values, k % 4)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not errors
