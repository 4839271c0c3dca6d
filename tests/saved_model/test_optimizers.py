"""Modules whose functions update variables by an optimizer, saved and loaded."""

import numpy as np
import pytest

import eagerflow as tf

LEGACY = tf.keras.optimizers.legacy
OPTIMIZERS = {
    "sgd": lambda: tf.keras.optimizers.SGD(0.1, 0.9),
    "adam": lambda: tf.keras.optimizers.Adam(0.1),
    "lion": lambda: tf.keras.optimizers.Lion(0.1),
    "ftrl": lambda: tf.keras.optimizers.Ftrl(0.1, -0.7),
    "legacy_sgd": lambda: LEGACY.SGD(0.1, 0.9),
    "legacy_adadelta": lambda: LEGACY.Adadelta(0.1),
    "legacy_adagrad": lambda: LEGACY.Adagrad(0.1),
    "legacy_adam": lambda: LEGACY.Adam(0.1),
    "legacy_amsgrad": lambda: LEGACY.Adam(0.1, amsgrad=True),
    "legacy_adamax": lambda: LEGACY.Adamax(0.1),
    "legacy_ftrl": lambda: LEGACY.Ftrl(0.1),
    "legacy_ftrl_power": lambda: LEGACY.Ftrl(0.1, -0.7, l1_regularization_strength=0.1),
    "legacy_nadam": lambda: LEGACY.Nadam(0.1),
    "legacy_rmsprop": lambda: LEGACY.RMSprop(0.1),
    "legacy_rmsprop_centered": lambda: LEGACY.RMSprop(0.1, momentum=0.5, centered=True),
}


class Trained(tf.Module):
    def __init__(self, optimizer, sparse):
        super().__init__()
        self.v = tf.Variable(tf.reshape(tf.range(1.0, 9.0), [4, 2]))
        self.optimizer = optimizer
        optimizer.apply_gradients([(tf.ones([4, 2]), self.v)])
        self.sparse = sparse

    @tf.function(input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([None], tf.int64)])
    def step(self, values, rows):
        gradient = tf.IndexedSlices(values, rows, [4, 2])
        if not self.sparse:
            gradient = tf.convert_to_tensor(gradient)
        self.optimizer.apply_gradients([(gradient, self.v)])
        return self.v.read_value()


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_loaded_steps_update_as_the_saved_ones(name, sparse, tmp_path):
    module = Trained(OPTIMIZERS[name](), sparse)
    values, rows = [[1.0, 2.0], [3.0, 4.0], [0.5, 0.5]], tf.constant([1, 3, 1], tf.int64)
    module.step(values, rows)
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    for _ in range(2):
        expected = module.step(values, rows).numpy()
        np.testing.assert_allclose(loaded.step(tf.constant(values), rows), expected, 1e-5)
    assert np.isfinite(expected).all() and not np.allclose(expected[1], [3.0, 4.0])
