"""Operations on symbolic tensors: names as TensorFlow's, shapes, and round trips."""

import numpy as np
import pytest

import eagerflow as tf

X = np.array([[0.1, 0.2, 0.3], [1.0, 2.0, 3.0]], np.float32)


# Each function with the names that TensorFlow 2.21 gives the layers it makes.
CASES = {
    "reduce": (lambda x: tf.reduce_mean(x, axis=-1), ["tf.math.reduce_mean"]),
    "concat": (lambda x: tf.concat([x, x], -1), ["tf.concat"]),
    "reshape": (lambda x: tf.reshape(x, [-1, 1]), ["tf.reshape"]),
    "index": (lambda x: x[:, 0], ["tf.__operators__.getitem"]),
    "ellipsis": (lambda x: x[..., tf.newaxis], ["tf.__operators__.getitem"]),
    "cast": (lambda x: tf.cast(x, tf.int32), ["tf.cast"]),
    "negative": (lambda x: -x, ["tf.math.negative"]),
    "add": (lambda x: x + 1.0, ["tf.__operators__.add"]),
    "reflected": (lambda x: 1.0 - x, ["tf.math.subtract"]),
    "matmul": (lambda x: x @ tf.ones([3, 2]), ["tf.linalg.matmul"]),
    "split": (lambda x: tf.split(x, 3, -1)[1], ["tf.split"]),
    "exp": (lambda x: tf.exp(x), ["tf.math.exp"]),
    "where": (lambda x: tf.where(x > 0.5, x, 0.0), ["tf.math.greater", "tf.where"]),
    "softmax": (lambda x: tf.nn.softmax(x), ["tf.nn.softmax"]),
    "relu": (lambda x: tf.nn.relu(x), ["tf.nn.relu"]),
    "stack": (lambda x: tf.stack([x, x]), ["tf.stack"]),
    "einsum": (lambda x: tf.einsum("ij->ji", x), ["tf.einsum"]),
    "transposed": (lambda x: tf.matmul(x, x, transpose_b=True), ["tf.linalg.matmul"]),
    "clip": (lambda x: tf.clip_by_value(x, 0, 1), ["tf.clip_by_value"]),
    "one_hot": (lambda x: tf.one_hot(tf.cast(x, tf.int32), 5), ["tf.cast", "tf.one_hot"]),
    "normalize": (lambda x: tf.math.l2_normalize(x, -1), ["tf.math.l2_normalize"]),
    "argmax": (lambda x: tf.argmax(x, -1), ["tf.math.argmax"]),
    "gather": (lambda x: tf.gather(x, [0, 2], axis=1), None),
    "shape": (lambda x: tf.reshape(x, [tf.shape(x)[0], 3, 1]), None),
    "fill": (lambda x: tf.fill(tf.shape(x), 2.0), None),
    "repeat": (lambda x: tf.repeat(x, 2, axis=0), ["tf.repeat"]),
    "moments": (lambda x: tf.nn.moments(x, [0])[1], ["tf.nn.moments"]),
    "lookup": (lambda x: tf.nn.embedding_lookup(tf.eye(4), tf.cast(x, tf.int32)), None),
}


@pytest.mark.parametrize("case", CASES)
def test_functions_become_layers(case):
    function, names = CASES[case]
    tf.keras.backend.reset_uids()
    x = tf.keras.Input([3], name="x")
    y = function(x)
    model = tf.keras.Model(x, y)
    if names is not None:
        assert [layer.name for layer in model.layers[1:]] == names
    expected = function(tf.constant(X)).numpy()
    found = model(X)
    np.testing.assert_array_equal(found, expected)
    assert y.dtype == found.dtype
    assert y.shape.is_compatible_with(found.shape)
    again = tf.keras.models.model_from_json(model.to_json())
    np.testing.assert_array_equal(again(X), expected)
    clone = tf.keras.models.clone_model(model)
    np.testing.assert_array_equal(clone(X), expected)


def test_eager_calls_are_as_before():
    x = tf.keras.Input([3])
    assert tf.reduce_mean(x).shape == []
    assert float(tf.reduce_mean(tf.constant([1.0, 2.0]))) == 1.5
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        tf.reshape(tf.ones([3]), [2])


def test_layers_that_sample():
    class Sampling(tf.keras.layers.Layer):
        def call(self, inputs):
            mean, log_variance = inputs
            shape = tf.shape(mean)
            noise = tf.random.normal(shape=(shape[0], shape[1]))
            return mean + tf.exp(0.5 * log_variance) * noise

    x = tf.keras.Input([4])
    z = Sampling()([x, x * 0.0 - 100.0])
    assert z.shape.as_list() == [None, 4]
    model = tf.keras.Model(x, z)
    np.testing.assert_allclose(model(np.ones([3, 4], np.float32)), np.ones([3, 4]), atol=1e-5)
