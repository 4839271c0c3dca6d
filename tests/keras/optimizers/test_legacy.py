"""Legacy optimizers: functions of gradients."""

import numpy as np
import pytest

import eagerflow as tf

keras, layers = tf.keras, tf.keras.layers


def test_functions_of_gradients():
    legacy = keras.optimizers.legacy
    v, w = tf.Variable([1.0, 2.0]), tf.Variable(1.0)
    calls = []

    def double(pairs):
        calls.append(len(pairs))
        return [(gradient * 2.0, variable) for gradient, variable in pairs]

    optimizer = legacy.SGD(0.1, gradient_aggregator=double, gradient_transformers=[double, double])
    optimizer.apply_gradients([(tf.constant([1.0, 1.0]), v), (None, w)])
    np.testing.assert_allclose(v.numpy(), [0.2, 1.2], rtol=1e-6)
    assert calls == [1, 1, 1]
    with pytest.raises(ValueError, match="gradient_transformers"):
        legacy.Adam(clipnorm=1.0, gradient_transformers=[double])
