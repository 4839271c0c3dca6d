"""Models of layers give their layers what they are called with, in the dtypes of their inputs."""

import numpy as np
import pytest

import eagerflow as tf

layers = tf.keras.layers
THIRDS = np.array([[1 / 3, 2 / 3]])


def twice(dtype):
    return layers.Lambda(lambda x: x * 2, dtype=dtype)


def functional(dtype):
    x = tf.keras.Input([2], dtype=dtype)
    return tf.keras.Model(x, twice(dtype)(x))


def of_operations(dtype):
    x = tf.keras.Input([2], dtype=dtype)
    return tf.keras.Model(x, x * 2)


def sequential(dtype):
    return tf.keras.Sequential([tf.keras.Input([2], dtype=dtype), twice(dtype)])


def nested(dtype):
    x = tf.keras.Input([2], dtype=dtype)
    return tf.keras.Model(x, functional(dtype)(x))


def of_a_subclass(dtype):
    class Named(tf.keras.Model):
        pass

    x = tf.keras.Input([2], dtype=dtype)
    return Named(x, twice(dtype)(x))


@pytest.fixture(params=["float32", "float64", "mixed_float16"])
def policy(request):
    tf.keras.mixed_precision.set_global_policy(request.param)
    yield
    tf.keras.mixed_precision.set_global_policy("float32")


@pytest.mark.parametrize("given", ["float32", "float64"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize(
    "make", [functional, of_operations, sequential, nested, of_a_subclass], ids=lambda f: f.__name__
)
def test_values_have_the_digits_of_the_input(make, dtype, given, policy):
    model = make(dtype)
    assert model._autocast is False
    x = THIRDS.astype(given)
    expected = x.astype(dtype) * 2
    for found in (model(x), model(tf.constant(x))):
        np.testing.assert_array_equal(np.asarray(found), expected, strict=True)
    # `predict` rounds arrays to floatx, as Keras does.
    expected = x.astype("float32").astype(dtype) * 2
    np.testing.assert_array_equal(model.predict(x, verbose=0), expected, strict=True)


def test_a_sequential_model_without_an_input_keeps_dtypes():
    model = tf.keras.Sequential([twice("float64")])
    assert model._autocast is False
    np.testing.assert_array_equal(model(THIRDS), THIRDS * 2, strict=True)


def test_models_with_a_call_of_their_own_cast_what_they_get():
    class Own(tf.keras.Model):
        def call(self, x):
            return x * 2

    assert Own()(THIRDS).dtype == tf.float32
    assert Own(dtype="float64")(THIRDS).dtype == tf.float64
