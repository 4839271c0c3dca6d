"""Random layers under nested tapes: fused results and gradients equal those of single steps."""

from __future__ import annotations

import os
import random
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core
from fusing import fusing

# A mebibyte: large enough for every kind of deferred result.
BATCH, SIZE, CHANNELS = 8, 32, 32


def normal(*shape: int, seed: int) -> Any:
    return tf.constant(np.random.default_rng(seed).normal(size=shape).astype(np.float32))


Layer = Callable[[Any, random.Random, list[Any]], Any]


def biased(x: Any, chooser: random.Random, weights: list[Any]) -> Any:
    vector = weights[chooser.randrange(3)]
    return tf.nn.bias_add(x, vector) if chooser.random() < 0.5 else x + vector


def active(x: Any, chooser: random.Random, weights: list[Any]) -> Any:
    functions = (tf.nn.relu, tf.nn.relu6, tf.nn.silu, tf.nn.gelu, tf.tanh, tf.nn.leaky_relu)
    return chooser.choice(functions)(x)


def dropped(x: Any, chooser: random.Random, weights: list[Any]) -> Any:
    seed = [chooser.randrange(100), 1]
    return tf.nn.experimental.stateless_dropout(x, 0.3, seed=seed)


def masked(x: Any, chooser: random.Random, weights: list[Any]) -> Any:
    visible = tf.logical_and(x > -1.0, tf.logical_not(x > weights[0] + 1.5))
    kind = chooser.random()
    if kind < 0.4:
        return tf.where(visible, x, 0.1 * x)
    if kind < 0.7:
        return x * tf.cast(visible, x.dtype)
    return tf.where(visible, x, tf.where(x != 0.0, tf.square(x) * 0.1, weights[1]))


def shortened(x: Any, chooser: random.Random, weights: list[Any]) -> Any:
    return tf.cast(tf.cast(x, chooser.choice(("float64", "bfloat16"))), "float32")


def normalized(x: Any, chooser: random.Random, weights: list[Any]) -> Any:
    if chooser.random() < 0.7:
        return tf.compat.v1.nn.fused_batch_norm(x, weights[0], weights[1])[0]
    return tf.nn.softmax(x) * 10.0


def multiplied(x: Any, chooser: random.Random, weights: list[Any]) -> Any:
    if chooser.random() < 0.5:
        return tf.nn.conv2d(x, weights[3], 1, "SAME")
    rows = tf.matmul(tf.reshape(x, [-1, CHANNELS]), weights[4])
    return tf.reshape(rows, x.shape)


def pooled(x: Any, chooser: random.Random, weights: list[Any]) -> Any:
    return tf.repeat(tf.repeat(tf.nn.max_pool2d(x, 2, 2, "VALID"), 2, 1), 2, 2)


LAYERS: tuple[Layer, ...] = (
    biased, active, active, dropped, masked, masked, shortened, normalized, multiplied, multiplied,
    pooled,
)  # fmt: skip


def weights_of(seed: int) -> list[Any]:
    vectors = [normal(CHANNELS, seed=seed + k) * 0.5 + 1 for k in range(3)]
    kernel = normal(3, 3, CHANNELS, CHANNELS, seed=seed + 3) / (3 * CHANNELS**0.5)
    return [*vectors, kernel, normal(CHANNELS, CHANNELS, seed=seed + 4) / CHANNELS**0.5]


def network(seed: int, smooth: bool, x: Any, weights: list[Any]) -> Any:
    """Ten layers, some of whose results are added to later ones or held for a while."""
    chooser = random.Random(seed)
    kept = [x]
    for _ in range(10):
        layer = chooser.choice(LAYERS)
        if smooth and layer in (pooled, shortened):
            layer = biased
        x = layer(x, chooser, weights)
        what = chooser.random()
        if what < 0.2:
            x = x + chooser.choice(kept)
        elif what < 0.3:
            x = x - 0.5 * tf.reduce_mean(x)
        if chooser.random() < 0.3:
            kept.append(x)
        if len(kept) > 2:
            del kept[0]
    return x


def run(seed: int, order: int, persistent: bool = False) -> list[Any]:
    x, weights = normal(BATCH, SIZE, SIZE, CHANNELS, seed=seed), weights_of(seed)
    watched = [x, *weights]
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(watched)
        with tf.GradientTape(persistent=persistent) as tape:
            tape.watch(watched)
            result = network(seed, order == 2, x, weights)
            target = tf.reduce_mean(tf.square(result))
        first = tape.gradient(target, watched, unconnected_gradients="zero")
        if persistent:
            again = tape.gradient(target, watched, unconnected_gradients="zero")
            first = [(a + b) * 0.5 for a, b in zip(first, again, strict=True)]
        if order == 2:
            slopes = tf.add_n([tf.reduce_sum(g * g) for g in first])
    found = [result, *first]
    if order == 2:
        found += outer.gradient(slopes, watched, unconnected_gradients="zero")
    return found


def assert_close(got: list[Any], expected: list[Any], rate: float) -> None:
    for one, other in zip(got, expected, strict=True):
        scale = max(float(tf.reduce_max(tf.abs(other))), 1e-6)
        difference = np.abs(np.array(one) - np.array(other))
        # A few elements may fall on the other side of a threshold.
        assert np.quantile(difference, 0.999) <= rate * scale
        assert np.isfinite(difference).all()


def expected_of(seed: int, order: int = 1) -> list[Any]:
    with fusing(False):
        return [tf.constant(np.array(value)) for value in run(seed, order)]


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_results_and_gradients(seed: int, persistent: bool) -> None:
    assert_close(run(seed, 1, persistent), expected_of(seed), 2e-3)


@pytest.mark.parametrize("seed", range(20, 26))
def test_second_gradients(seed: int) -> None:
    assert_close(run(seed, 2), expected_of(seed, 2), 1e-2)


@pytest.mark.parametrize("seed", range(6))
def test_traced_networks(seed: int) -> None:
    traced = tf.function(lambda: run(seed, 1))
    expected = expected_of(seed)
    for _ in range(2):
        assert_close(traced(), expected, 2e-3)


def test_networks_of_several_threads() -> None:
    expected = [expected_of(seed) for seed in range(4)]
    errors: list[BaseException] = []

    def work(seed: int) -> None:
        try:
            assert_close(run(seed, 1), expected[seed], 2e-3)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(k % 4,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_a_forked_process_goes_on_with_a_network() -> None:
    x, weights = normal(BATCH, SIZE, SIZE, CHANNELS, seed=1), weights_of(1)
    with tf.GradientTape() as tape:
        tape.watch(weights)
        result = network(1, False, x, weights)
        target = tf.reduce_mean(tf.square(result))
    child = os.fork()
    if child == 0:
        # Without threads, since a forked process has none.
        gradients = tape.gradient(target, weights, unconnected_gradients="zero")
        os._exit(0 if all(np.isfinite(np.array(g)).all() for g in gradients) else 1)
    _, status = os.waitpid(child, 0)
    assert status == 0
    assert_close(
        tape.gradient(target, weights, unconnected_gradients="zero"), expected_of(1)[2:], 2e-3
    )


@pytest.mark.parametrize("traced", [False, True])
def test_dropout_and_masks_are_parts_of_chains(traced: bool) -> None:
    x, bias = normal(512, 256, seed=1), normal(256, seed=2)

    def step() -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, bias])
            y = tf.nn.dropout(tf.nn.relu(x + bias), 0.3)
            y = tf.where(tf.logical_and(y > 0.1, x < 2.0), tf.tanh(y), y * 0.5)
            target = tf.reduce_sum(y)
        return tape.gradient(target, [x, bias])

    function = tf.function(step) if traced else step
    function()
    lines = tf.debug.show_fusion(function)
    for name in ("GreaterEqual", "SelectV2", "ReluGrad", "LogicalAnd"):
        assert name in lines


def test_memory_that_runs_out() -> None:
    x = normal(1024, 1024, seed=1)
    expected = np.tanh(np.array(x) * 2 + 1)
    held = tf.tanh(x * 2 + 1)
    own = tf.tanh(tf.stack([x]) * 2 + 1)
    most = _core.limit_tensors(100_000)
    try:
        for _ in range(2):
            with pytest.raises(tf.errors.ResourceExhaustedError):
                tf.reshape(held, [-1])
        # That of the stack is there.
        own = tf.reshape(own, x.shape)
    finally:
        _core.limit_tensors(most)
    np.testing.assert_allclose(held, expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(own, expected, rtol=1e-5, atol=1e-6)


def test_forks_while_threads_write_over_inputs() -> None:
    x = normal(1024, 1024, seed=1)
    done = threading.Event()

    def work() -> None:
        while not done.is_set():
            tf.reshape(tf.tanh(tf.stack([x]) * 2 + 1), [-1])

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(20):
            child = os.fork()
            if child == 0:
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        done.set()
        for thread in threads:
            thread.join()
