"""Gradients at unknown sizes through loops that write TensorArrays."""

import numpy as np
import pytest

import eagerflow as tf


def written(x):
    kept = tf.TensorArray(tf.float32, tf.shape(x)[0])
    for i in tf.range(tf.shape(x)[0]):
        kept = kept.write(i, x[i] ** 3)
    return tf.reduce_sum(kept.stack())


def written_in_branches(x):
    kept = tf.TensorArray(tf.float32, tf.shape(x)[0])
    for i in tf.range(tf.shape(x)[0]):
        if x[i] > 1.0:
            kept = kept.write(i, x[i] ** 3)
        else:
            kept = kept.write(i, x[i] ** 2)
    return tf.reduce_sum(kept.stack())


def module_of(body, order):
    def gradient(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = body(x)
            first = tape.gradient(y, x)
        return first if order == 1 else outer.gradient(first, x)

    module = tf.Module()
    module.gradient = tf.function(gradient, input_signature=[tf.TensorSpec([None])])
    return module


@pytest.mark.parametrize("body", [written, written_in_branches])
def test_first_gradients(tmp_path, body):
    module = module_of(body, 1)
    tf.saved_model.save(module, tmp_path)
    x = tf.constant([0.5, 2.0, 1.5])
    found = tf.saved_model.load(tmp_path).gradient(x)
    np.testing.assert_allclose(found, module.gradient(x), rtol=1e-6)


@pytest.mark.parametrize("body", [written, written_in_branches])
def test_second_gradients_are_refused(tmp_path, body):
    with pytest.raises(tf.errors.UnimplementedError, match="reads TensorArrays that it writes"):
        tf.saved_model.save(module_of(body, 2), tmp_path)
