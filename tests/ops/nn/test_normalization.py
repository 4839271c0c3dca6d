"""The native batch and layer normalizations against formulas in float64, with their gradients."""

from __future__ import annotations

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core

_ops = _core.ops


EPSILON = 1e-3


ROUNDING = {"float64": 1e-12, "float32": 1e-5, "float16": 2e-3, "bfloat16": 2e-2}


LAYOUTS = [((5, 3), -1), ((64, 10, 10, 3), -1), ((3, 33, 7, 65), -1), ((4, 70, 5, 6), 1)]


LAYOUTS += [((4, 7, 7, 200), 3), ((500, 17), 1), ((3, 5, 4, 6, 7), 1), ((2, 5), 0)]


def parameters(dtype):
    """The dtype of scale and offset."""
    return "float64" if dtype == "float64" else "float32"


def near(got, wanted, dtype, factor=1):
    wanted = np.asarray(wanted, np.float64)
    got = np.asarray(got, np.float64)
    assert got.shape == wanted.shape
    assert np.abs(got - wanted).max() <= factor * ROUNDING[dtype] * max(np.abs(wanted).max(), 1e-3)


def batch_norm_formula(x, scale, offset, axis):
    """Batch normalization in elementary operations: the result, mean and variance."""
    others = [k for k in range(x.ndim) if k != axis % x.ndim]
    shape = [1] * x.ndim
    shape[axis] = -1
    mean = tf.reduce_mean(x, others, keepdims=True)
    variance = tf.reduce_mean(tf.square(x - mean), others, keepdims=True)
    unit = (x - mean) / tf.sqrt(variance + EPSILON)
    y = unit * tf.reshape(scale, shape) + tf.reshape(offset, shape)
    return y, tf.reshape(mean, [-1]), tf.reshape(variance, [-1])


def data(shape, axis, dtype):
    """Inputs, scale, offset and weights of the result, and all of them in float64."""
    random = np.random.default_rng(len(shape) + shape[axis])
    arrays = [random.normal(3, 2, size=shape)]
    arrays += [random.normal(size=shape[axis]) for _ in range(2)]
    arrays.append(random.normal(size=shape))
    dtypes = [dtype, parameters(dtype), parameters(dtype), dtype]
    own = [tf.cast(tf.constant(a), d) for a, d in zip(arrays, dtypes, strict=True)]
    return own, [tf.cast(a, "float64") for a in own]


@pytest.mark.parametrize("dtype", ROUNDING)
@pytest.mark.parametrize("shape, axis", LAYOUTS)
def test_batch_norm(shape, axis, dtype):
    (x, scale, offset, weights), exact = data(shape, axis, dtype)
    with tf.GradientTape() as tape:
        tape.watch([x, scale, offset])
        y, mean, variance, inverse = _ops.batch_norm(x, scale, offset, EPSILON, axis)
        loss = tf.reduce_sum(tf.cast(y, "float64") * exact[3])
    got = tape.gradient(loss, [x, scale, offset])
    with tf.GradientTape() as tape:
        tape.watch(exact[:3])
        wanted, mean64, variance64 = batch_norm_formula(*exact[:3], axis)
        loss = tf.reduce_sum(wanted * exact[3])
    gradients = tape.gradient(loss, exact[:3])
    near(y, wanted, dtype)
    for value, formula in zip((mean, variance), (mean64, variance64), strict=True):
        near(value, formula, parameters(dtype))
    near(inverse, 1 / np.sqrt(variance64.numpy() + EPSILON), parameters(dtype), 100)
    for value, formula in zip(got, gradients, strict=True):
        assert value.dtype == (x.dtype if value.shape == x.shape else scale.dtype)
        near(value, formula, dtype, 4)


@pytest.mark.parametrize("shape, axis", LAYOUTS[::3])
def test_batch_norm_with_given_moments(shape, axis):
    _, (x, scale, offset, weights) = data(shape, axis, "float64")
    mean, variance = scale * 0.5, tf.square(offset) + 0.5
    form = [1] * x.ndim
    form[axis] = -1
    sources = [x, scale, offset, mean, variance]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(sources)
        y = _ops.batch_norm_inference(x, scale, offset, mean, variance, EPSILON, axis)
        unit = (x - tf.reshape(mean, form)) / tf.sqrt(tf.reshape(variance, form) + EPSILON)
        wanted = unit * tf.reshape(scale, form) + tf.reshape(offset, form)
        losses = tf.reduce_sum(y * weights), tf.reduce_sum(wanted * weights)
    near(y, wanted, "float64")
    for got, formula in zip(*(tape.gradient(loss, sources) for loss in losses), strict=True):
        near(got, formula, "float64", 100)


def second_order(function, sources, weights):
    """Gradients of a function of the gradient."""
    with tf.GradientTape() as outer:
        outer.watch(sources)
        with tf.GradientTape() as inner:
            inner.watch(sources)
            loss = function()
        slopes = inner.gradient(loss, sources)
        penalty = sum(tf.reduce_sum(tf.square(slope)) for slope in slopes)
    return outer.gradient(penalty, sources)


def test_gradients_of_gradients_and_of_moments():
    _, (x, scale, offset, weights) = data((6, 4, 3), -1, "float64")
    sources = [x, scale, offset]

    def native():
        y, mean, variance, inverse = _ops.batch_norm(x, scale, offset, EPSILON, -1)
        rest = tf.reduce_sum(mean * scale) + tf.reduce_sum(variance * mean * inverse)
        return tf.reduce_sum(y**2 * weights) + rest

    def formula():
        y, mean, variance = batch_norm_formula(x, scale, offset, -1)
        inverse = tf.math.rsqrt(variance + EPSILON)
        rest = tf.reduce_sum(mean * scale) + tf.reduce_sum(variance * mean * inverse)
        return tf.reduce_sum(y**2 * weights) + rest

    both = (second_order(f, sources, weights) for f in (native, formula))
    for got, wanted in zip(*both, strict=True):
        near(got, wanted, "float64", 1000)


def layer_norm_formula(x, gamma, beta):
    axes = list(range(x.ndim - gamma.ndim, x.ndim))
    mean = tf.reduce_mean(x, axes, keepdims=True)
    variance = tf.reduce_mean(tf.square(x - mean), axes, keepdims=True)
    return (x - mean) / tf.sqrt(variance + EPSILON) * gamma + beta


@pytest.mark.parametrize("dtype", ROUNDING)
@pytest.mark.parametrize("shape, leading", [((7, 33), 1), ((3, 40, 256), 2), ((4, 5, 6), 1)])
def test_layer_norm(shape, leading, dtype):
    random = np.random.default_rng(1)
    arrays = [random.normal(2, 3, size=shape), random.normal(size=shape[leading:])]
    arrays += [random.normal(size=shape[leading:]), random.normal(size=shape)]
    dtypes = [dtype, parameters(dtype), parameters(dtype), dtype]
    own = [tf.cast(tf.constant(a), d) for a, d in zip(arrays, dtypes, strict=True)]
    exact = [tf.cast(a, "float64") for a in own]
    with tf.GradientTape() as tape:
        tape.watch(own)
        y = _ops.layer_norm(*own[:3], EPSILON)[0]
        loss = tf.reduce_sum(tf.cast(y, "float64") * exact[3])
    got = tape.gradient(loss, own[:3])
    with tf.GradientTape() as tape:
        tape.watch(exact)
        wanted = layer_norm_formula(*exact[:3])
        loss = tf.reduce_sum(wanted * exact[3])
    near(y, wanted, dtype)
    for value, formula in zip(got, tape.gradient(loss, exact[:3]), strict=True):
        near(value, formula, dtype, 4)


def test_layer_norm_gradients_of_gradients():
    random = np.random.default_rng(2)
    x, gamma, beta, weights = (
        tf.constant(random.normal(size=size)) for size in ((3, 4), (4,), (4,), (3, 4))
    )
    both = [
        second_order(lambda f=f: tf.reduce_sum(f() ** 2 * weights), [x, gamma, beta], weights)
        for f in (
            lambda: _ops.layer_norm(x, gamma, beta, EPSILON)[0],
            lambda: layer_norm_formula(x, gamma, beta),
        )
    ]
    for got, wanted in zip(*both, strict=True):
        near(got, wanted, "float64", 1000)


def test_no_numbers_and_numbers_that_do_not_fit():
    y, mean, *_ = _ops.batch_norm(tf.zeros([0, 3]), tf.ones([3]), tf.ones([3]))
    assert y.shape == (0, 3)
    assert np.isnan(mean.numpy()).all()
    assert _ops.layer_norm(tf.zeros([0, 3]), tf.ones([3]), tf.ones([3]))[0].shape == (0, 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="scale.*3 channels.*\\[2\\]"):
        _ops.batch_norm(tf.zeros([4, 3]), tf.ones([2]), tf.ones([3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="axis 5"):
        _ops.batch_norm(tf.zeros([4, 3]), tf.ones([3]), tf.ones([3]), axis=5)
    with pytest.raises(tf.errors.InvalidArgumentError, match="last axes"):
        _ops.layer_norm(tf.zeros([4, 3]), tf.ones([4]), tf.ones([4]))


def test_weights_may_all_be_zero():
    mean, variance = tf.nn.weighted_moments(tf.constant([1.0, 2.0]), [0], tf.constant([0.0, 0.0]))
    assert (float(mean), float(variance)) == (0.0, 0.0)


def test_plain_numbers_beside_batches_take_their_dtype():
    x = tf.constant([[1.0, 3.0]])
    result = tf.nn.batch_normalization(x, [1, 1], [3, 0], 1, 2, tf.constant(1.0))
    np.testing.assert_array_equal(result.numpy(), [[1.0, 5.0]])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("count", [2, 3, 7, 8, 31, 64, 100, 768])
def test_equal_elements_have_no_distance_from_their_mean(count, dtype) -> None:
    values = np.random.default_rng(0).normal(size=(200, 1)).astype(dtype)
    rows = tf.constant(np.repeat(values, count, 1))
    layer = tf.keras.layers.LayerNormalization(epsilon=1e-12, dtype=dtype)
    assert not layer(rows).numpy().any()
    ones = tf.ones([200], dtype)
    found = tf.compat.v1.nn.fused_batch_norm(
        tf.reshape(tf.transpose(rows), [count, 1, 1, 200]),
        tf.cast(ones, "float32"),
        tf.cast(ones, "float32") * 0,
        epsilon=1e-12,
    )[0] if dtype == "float32" else tf.zeros([])  # fmt: skip
    assert not found.numpy().any()


def test_not_a_number_stays_in_moments() -> None:
    x = tf.constant([[1.0, float("nan"), 2.0], [1.0, 2.0, float("inf")]])
    found = tf.keras.layers.LayerNormalization()(x)
    assert np.isnan(found.numpy()).all(axis=1).tolist() == [True, True]
