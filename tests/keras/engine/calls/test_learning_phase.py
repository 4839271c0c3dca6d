"""The learning phase inside and outside of training."""

import numpy as np

import eagerflow as tf

keras = tf.keras


L = keras.layers


def ones(units, name=None, **kwargs):
    return L.Dense(units, kernel_initializer="ones", name=name, **kwargs)


class TestLearningPhase:
    class Phase(L.Layer):
        def call(self, x):
            return keras.backend.in_train_phase(lambda: x + 1.0, lambda: x - 1.0)

    def test_layers_know_what_they_were_called_for(self):
        layer = self.Phase()
        found = [float(layer(tf.zeros([1]), training=t)[0]) for t in (None, True, False)]
        assert found == [-1.0, 1.0, -1.0]
        assert float(keras.backend.in_test_phase(1.0, 2.0)) == 1.0

    def test_fit_trains_and_validation_tests(self):
        model = keras.Sequential([ones(1, trainable=False), self.Phase(), L.Dense(1, "relu")])
        model.layers[-1].kernel_initializer = keras.initializers.Ones()
        model.compile(keras.optimizers.SGD(0.0), lambda _, y: tf.reduce_mean(y))
        zeros = np.zeros((4, 1), "float32")
        history = model.fit(zeros, zeros, validation_data=(zeros, zeros), verbose=0).history
        assert history == {"loss": [1.0], "val_loss": [0.0]}
