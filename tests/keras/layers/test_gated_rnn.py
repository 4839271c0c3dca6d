"""Recurrent layers by one operation against the same layers step by step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core

layers = tf.keras.layers


NAMES = ["LSTM", "GRU", "SimpleRNN"]


ARGUMENTS: list[dict[str, Any]] = [
    {},
    {"return_sequences": True, "return_state": True},
    {"go_backwards": True, "return_sequences": True, "use_bias": False},
    {"activation": "relu", "return_state": True},
    {"activation": "linear", "recurrent_activation": "hard_sigmoid", "return_sequences": True},
    {"activation": "sigmoid", "zero_output_for_mask": True, "return_sequences": True},
]


def layer_of(name: str, units: int, arguments: dict[str, Any]) -> Any:
    if name == "SimpleRNN":
        arguments = {k: v for k, v in arguments.items() if k != "recurrent_activation"}
    arguments = {"bias_initializer": tf.keras.initializers.RandomNormal(seed=3), **arguments}
    return getattr(layers, name)(units, kernel_initializer="he_normal", **arguments)


def results(layer: Any, x: Any, weights: Any, persistent: bool, **call: Any) -> list[np.ndarray]:
    """A call's results, and gradients by the input, the initial states and all weights.

    Under a persistent tape, gradients of gradients may be wanted: there it goes step by step.
    """
    states = call.get("initial_state") or []
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch([x, *states])
        outputs = tf.nest.flatten(layer(x, **call))
        loss = sum(tf.reduce_sum(o * w) for o, w in zip(outputs, weights, strict=False))
    gradients = tape.gradient(loss, [x, *states, *layer.trainable_weights])
    return [o.numpy() for o in outputs] + [np.asarray(tf.convert_to_tensor(g)) for g in gradients]


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("arguments", ARGUMENTS)
@pytest.mark.parametrize("name", NAMES)
def test_values_and_gradients(name: str, arguments: dict[str, Any], masked: bool) -> None:
    random = np.random.default_rng(5)
    for batch, steps, units in [(1, 1, 3), (5, 4, 7), (19, 6, 33), (9, 3, 64)]:
        tf.random.set_seed(1)
        layer = layer_of(name, units, {**arguments, "dtype": "float64"})
        x = tf.constant(random.normal(size=(batch, steps, 3)))
        count = 2 if name == "LSTM" else 1
        states = [tf.constant(random.normal(size=(batch, units))) for _ in range(count)]
        call: dict[str, Any] = {"initial_state": states}
        if masked:
            call["mask"] = tf.constant(random.random((batch, steps)) < 0.6)
        layer(x, **call)
        sequences = arguments.get("return_sequences")
        shape = (batch, steps, units) if sequences else (batch, units)
        weights = [random.normal(size=shape)]
        weights += [random.normal(size=(batch, units)) for _ in range(count)]
        pairs = zip(*(results(layer, x, weights, p, **call) for p in (False, True)), strict=True)
        for native, stepwise in pairs:
            np.testing.assert_allclose(native, stepwise, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("name", NAMES)
def test_float32_and_half(name: str) -> None:
    random = np.random.default_rng(6)
    x = random.normal(size=(20, 9, 5))
    weights = [random.normal(size=(20, 40)).astype(np.float32)]
    exact = layer_of(name, 40, {"dtype": "float64"})
    wanted = results(exact, tf.constant(x), weights, True)
    single = layer_of(name, 40, {})
    single.build((None, None, 5))
    single.set_weights(exact.get_weights())
    found = results(single, tf.constant(x, tf.float32), weights, False)
    for got, value in zip(found, wanted, strict=True):
        np.testing.assert_allclose(got, value, rtol=1e-4, atol=1e-4 * np.abs(value).max())
    mixed = layer_of(name, 40, {"dtype": "mixed_bfloat16"})
    mixed.build((None, None, 5))
    mixed.set_weights(exact.get_weights())
    got = mixed(tf.constant(x, tf.bfloat16))
    assert got.dtype == tf.bfloat16
    np.testing.assert_allclose(tf.cast(got, tf.float64), wanted[0], atol=0.06)


@pytest.mark.parametrize("name", NAMES)
def test_gradients_of_gradients(name: str) -> None:
    layer = layer_of(name, 2, {"dtype": "float64"})
    x = tf.constant(np.random.default_rng(7).normal(size=(2, 3, 2)))

    def penalty(value: Any) -> Any:
        with tf.GradientTape() as inner:
            inner.watch(value)
            loss = tf.reduce_sum(layer(value) ** 2)
        return tf.reduce_sum(inner.gradient(loss, value) ** 2)

    with tf.GradientTape() as tape:
        tape.watch(x)
        total = penalty(x)
    gradient = tape.gradient(total, x).numpy()
    direction = np.random.default_rng(8).normal(size=x.shape)
    step = 1e-6
    slope = (penalty(x + step * direction) - penalty(x - step * direction)) / (2 * step)
    np.testing.assert_allclose(np.sum(gradient * direction), float(slope), rtol=1e-6)


def test_what_does_not_fit() -> None:
    ops = _core.ops
    with pytest.raises(tf.errors.InvalidArgumentError, match="kernel must be"):
        ops.lstm(tf.zeros([2, 3, 8]), tf.zeros([3, 2]), tf.zeros([3, 2]), tf.zeros([2, 7]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="mask must be"):
        ops.simple_rnn(tf.zeros([2, 3, 4]), tf.zeros([3, 4]), tf.zeros([4, 4]), tf.ones([3, 2]) > 0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least one step"):
        ops.gru(tf.zeros([0, 3, 6]), tf.zeros([3, 2]), tf.zeros([2, 6]), tf.zeros([6]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="gates must be"):
        state = tf.zeros([3, 4])
        ops.gru_grad([], [], tf.zeros([2, 3, 4]), tf.zeros([2, 3, 4]), state, tf.zeros([4, 12]))


def test_lstm_cells_let_subclasses_use_their_gates():
    class Cell(layers.LSTMCell):
        """As a cell that changes what the gates get would be."""

        def call(self, inputs, states, training=None):
            h, c = states
            z = tf.matmul(inputs, self.kernel) + self.bias
            if self.implementation == 1:
                c, o = self._compute_carry_and_output(tf.split(z, 4, 1), (h, h, h, h), c)
            else:
                z += tf.matmul(h, self.recurrent_kernel)
                c, o = self._compute_carry_and_output_fused(tf.split(z, 4, 1), c)
            h = o * self.activation(c)
            return h, [h, c]

    x = tf.random.normal([2, 4, 3])
    plain = layers.LSTM(5)
    expected = plain(x)
    for implementation in (1, 2):
        own = layers.RNN(Cell(5, implementation=implementation))
        own(x)
        own.set_weights(plain.get_weights())
        np.testing.assert_allclose(own(x), expected, atol=1e-6)
