"""Functions that are undefined somewhere: values, gradients of all orders, graphs, shapes."""

import numpy as np
import pytest

import eagerflow as tf

MODES = {
    "eager": lambda f: f,
    "traced": tf.function,
    "xla": tf.function(jit_compile=True),
    "unknown sizes": tf.function(input_signature=[tf.TensorSpec([None])]),
    "unknown rank": tf.function(input_signature=[tf.TensorSpec(None)]),
}


@pytest.fixture(params=MODES)
def mode(request):
    return MODES[request.param]


FUNCTIONS = {
    "log": (lambda x: x > 0, tf.math.log, 0.0),
    "reciprocal": (lambda x: x != 0, lambda x: 1 / x, -1.0),
    "sinc": (lambda x: x != 0, lambda x: tf.sin(x) / x, 1.0),
    "acos": (lambda x: tf.abs(x) < 1, tf.acos, float("inf")),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives(name, mode):
    allowed, function, otherwise = FUNCTIONS[name]

    def f(x):
        return tf.math.where_defined(allowed(x), function, x, otherwise)

    first = tf.func.grad(lambda x: tf.reduce_sum(f(x)))
    second = tf.func.grad(lambda x: tf.reduce_sum(first(x)))
    one = tf.func.grad(lambda x: tf.reduce_sum(function(x)))
    two = tf.func.grad(lambda x: tf.reduce_sum(one(x)))
    for x in (np.array([0.0, 0.5, -2.0, 2.0], "float32"), np.zeros([3], "float32") - 2):
        holds = allowed(tf.constant(x)).numpy()
        inside = tf.constant(x[holds])
        for found, expected, rest in [
            (f, function, otherwise),
            (first, one, 0.0),
            (second, two, 0.0),
        ]:
            value = mode(found)(tf.constant(x)).numpy()
            np.testing.assert_allclose(value[holds], expected(inside), rtol=1e-5)
            assert (value[~holds] == rest).all()


def test_what_the_function_reads_has_a_gradient():
    x = tf.constant([0.0, 2.0, 4.0])
    of_base = tf.func.grad(
        lambda base: tf.reduce_sum(
            tf.math.where_defined(x > 0, lambda x: tf.math.log(base * x) / x, x)
        )
    )
    np.testing.assert_allclose(of_base(2.0), 1 / 2 / 2 + 1 / 4 / 2)


def test_several_arguments_broadcast(mode):
    y = tf.constant([[1.0], [0.0]])

    def f(x):
        return tf.math.where_defined(y != 0, lambda x, y: x / y, (x, y), 5.0)

    x = tf.constant([1.0, 2.0])
    np.testing.assert_array_equal(mode(f)(x), [[1.0, 2.0], [5.0, 5.0]])
    np.testing.assert_array_equal(mode(tf.func.grad(lambda x: tf.reduce_sum(f(x))))(x), [1.0, 1.0])


def test_slices():
    x = tf.constant([[0.0, 0.0], [3.0, 4.0]])
    holds = tf.reduce_any(x != 0, 1)

    def unit(x):
        return x / tf.sqrt(tf.reduce_sum(x * x, -1, keepdims=True))

    def f(x):
        return tf.math.where_defined(holds, unit, x)

    np.testing.assert_allclose(f(x), [[0.0, 0.0], [0.6, 0.8]], rtol=1e-6)
    gradient = tf.func.grad(lambda x: f(x)[1, 0] + tf.reduce_sum(f(x)[0]))(x)
    np.testing.assert_allclose(gradient, [[0.0, 0.0], [0.128, -0.096]], rtol=1e-5)
    lengths = tf.math.where_defined(holds, lambda x: tf.norm(x, axis=-1), x, -1.0)
    assert lengths.numpy().tolist() == [-1.0, 5.0]


SHAPES = [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((2,), (2, 3)),
    ((), (3,)),
    ((3,), ()),
    ((2, 1), (1, 3)),
    ((0,), (0, 4)),
    ((2,), (2, 0)),
]


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_conditions_and_arguments_of_unknown_ranks(shapes):
    of_holds, of_x = shapes
    random = np.random.default_rng(3)
    holds = random.random(of_holds) > 0.5
    x = tf.constant(np.where(random.random(of_x) > 0.3, random.random(of_x), 0), tf.float32)

    def both(holds, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.math.where_defined(holds, tf.math.log, x, 7.0)
        return y, tape.gradient(y, x)

    expected = both(tf.constant(holds), x)
    for known in [(None, None), (of_holds, None), (None, of_x)]:
        specs = [tf.TensorSpec(known[0], tf.bool), tf.TensorSpec(known[1], tf.float32)]
        for one, other in zip(tf.function(both, specs)(holds, x), expected, strict=True):
            np.testing.assert_allclose(one, other)


def test_corners():
    assert tf.math.where_defined(False, tf.math.log, 0.0, 7.0).numpy() == 7.0
    assert tf.math.where_defined(True, tf.math.log, 1.0, 7.0).numpy() == 0.0
    assert tf.math.where_defined([], tf.math.log, tf.zeros([0])).shape == (0,)
    half = tf.math.where_defined([True], tf.math.log, tf.ones([1], tf.float16))
    assert half.dtype == tf.float16
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.math.where_defined([True, False], tf.math.log, tf.ones([3]))


def test_integers():
    x = tf.constant([0, 3])
    found = tf.math.where_defined(x != 0, lambda divisor: 12 // divisor, x)
    assert found.dtype == tf.int32
    assert found.numpy().tolist() == [0, 4]
