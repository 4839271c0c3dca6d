"""What frozen layers do not update."""

import numpy as np

import eagerflow as tf

keras = tf.keras


L = keras.layers


X = np.linspace(-1, 1, 32, dtype="float32").reshape(8, 4)


Y = X[:, :1] * 2


def ones(units, name=None, **kwargs):
    return L.Dense(units, kernel_initializer="ones", name=name, **kwargs)


class Counting(L.Layer):
    def __init__(self):
        super().__init__()
        self.count = self.add_weight("count", [], initializer="zeros", trainable=False)

    def call(self, x):
        self.add_update(lambda: self.count.assign_add(1.0))
        return x


class TestUpdates:
    def test_a_frozen_layer_runs_none(self):
        layer = Counting()
        layer(X)
        layer.trainable = False
        layer(X)
        assert layer.count.numpy() == 1
        layer.add_update(lambda: layer.count.assign_add(1.0))  # nothing is being called
        assert layer.count.numpy() == 2

    def test_the_innermost_layer_decides(self):
        class Outer(L.Layer):
            def __init__(self):
                super().__init__()
                self.inner = Counting()

            def call(self, x):
                return self.inner(x)

        outer = Outer()
        outer.trainable = False
        outer.inner.trainable = True
        outer(X)
        assert outer.inner.count.numpy() == 1

    def test_fit_goes_by_what_was_compiled_and_evaluate_by_what_is(self):
        layer = Counting()
        model = keras.Sequential([ones(1), layer])
        model.compile("sgd", "mse")
        layer.trainable = False
        model.fit(X, Y, batch_size=2, verbose=0)
        assert layer.count.numpy() == 4
        model.evaluate(X, Y, batch_size=2, verbose=0)
        assert layer.count.numpy() == 4
