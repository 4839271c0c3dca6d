"""Forward mode agrees with reverse mode for every operation, alone and composed with tapes."""

import numpy as np
import pytest

import eagerflow as tf
from gradient_cases.arrays import CASES as ARRAYS
from gradient_cases.composed import CASES as COMPOSED
from gradient_cases.elementwise import CASES as ELEMENTWISE
from gradient_cases.nn import CASES as NN
from gradient_cases.special_points import CASES as SPECIAL
from gradient_check import dense, inner, weights_like

# Their gradients have none, which forward mode needs: layers go step by step instead.
WITHOUT = {"lstm", "gru", "simple_rnn"}
CASES = [
    case
    for case in [*ARRAYS, *ELEMENTWISE, *NN, *COMPOSED, *SPECIAL]
    if not case.flat and case.name not in WITHOUT
]


def prepared(case):
    tensors = [tf.constant(array) for array in case.inputs]
    sources = [tensors[i] for i in case.varied]
    tangents = [
        tf.constant(weights_like(case.inputs[i], 7 + place)) for place, i in enumerate(case.varied)
    ]
    return tensors, sources, tangents


@pytest.mark.parametrize("case", CASES, ids=str)
def test_products_with_the_jacobian(case):
    tensors, sources, tangents = prepared(case)
    with tf.autodiff.ForwardAccumulator(sources, tangents) as accumulator:
        outputs = case.outputs(tensors)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(sources)
        again = case.outputs(tensors)
    for output, same in zip(outputs, again, strict=True):
        weights = weights_like(output.numpy(), 3)
        product = accumulator.jvp(output, unconnected_gradients="zero").numpy()
        assert product.shape == weights.shape and product.dtype == weights.dtype
        gradients = tape.gradient(same, sources, tf.constant(weights))
        expected = sum(
            inner(dense(gradient, tangent.numpy()), tangent.numpy())
            for gradient, tangent in zip(gradients, tangents, strict=True)
        )
        np.testing.assert_allclose(inner(weights, product), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("case", [case for case in CASES if case.second], ids=str)
def test_backward_over_forward_is_forward_over_backward(case):
    tensors, sources, tangents = prepared(case)
    weights = tf.constant(weights_like(case.outputs(tensors)[0].numpy(), 5))
    with tf.autodiff.ForwardAccumulator(sources, tangents) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(sources)
            output = case.outputs(tensors)[0]
        found = tape.gradient(output, sources, weights, unconnected_gradients="zero")
        gradients = [tf.convert_to_tensor(gradient) for gradient in found]
    forward = accumulator.jvp(gradients, unconnected_gradients="zero")
    with tf.GradientTape() as tape:
        tape.watch(sources)
        with tf.autodiff.ForwardAccumulator(sources, tangents) as accumulator:
            output = case.outputs(tensors)[0]
        product = accumulator.jvp(output, unconnected_gradients="zero")
    backward = tape.gradient(product, sources, weights, unconnected_gradients="zero")
    for one, other in zip(forward, backward, strict=True):
        other = tf.convert_to_tensor(other).numpy()
        scale = max(1.0, float(np.max(np.abs(other), initial=0.0)))
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-9 * scale)


@pytest.mark.parametrize("layer", ["LSTM", "GRU", "SimpleRNN"])
def test_recurrent_layers(layer):
    layer = getattr(tf.keras.layers, layer)(3)
    x = tf.constant(np.random.RandomState(0).randn(2, 4, 3).astype(np.float32))
    layer(x)
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        y = tf.reduce_sum(layer(x))
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = tf.reduce_sum(layer(x))
    expected = tf.reduce_sum(tape.gradient(z, x))
    np.testing.assert_allclose(accumulator.jvp(y), expected, rtol=1e-4, atol=1e-5)
