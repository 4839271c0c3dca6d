"""Methods that programs override: they are called when and as often as in TensorFlow."""

import numpy as np

import eagerflow as tf


class Doubling(tf.keras.layers.Layer):
    """Doubles the outputs in an override of `__call__`, and counts its calls."""

    calls = 0

    def __call__(self, *args, **kwargs):
        self.calls += 1
        return super().__call__(*args, **kwargs) * 2.0

    def call(self, inputs):
        return inputs + 1.0


def test_call_of_a_functional_model():
    layer = Doubling()
    inputs = tf.keras.Input((3,))
    model = tf.keras.Model(inputs, layer(inputs))
    assert layer.calls == 1
    # The override runs again, and so does the product that was recorded, as in Keras 2.
    np.testing.assert_allclose(model(tf.ones((1, 3))), [[8.0] * 3])
    assert layer.calls == 2


def test_call_of_a_sequential_model():
    layer = Doubling()
    model = tf.keras.Sequential([tf.keras.Input((3,)), layer])
    assert layer.calls == 1
    np.testing.assert_allclose(model(tf.ones((1, 3))), [[8.0] * 3])
    assert layer.calls == 2
    deferred = tf.keras.Sequential([Doubling()])
    np.testing.assert_allclose(deferred(tf.ones((1, 3))), [[4.0] * 3])


class Pair:
    """A value that is no tensor, which an override returns."""

    def __init__(self, value):
        self.value = value


def test_call_that_returns_another_thing():
    class Wrapping(tf.keras.layers.Dense):
        def __call__(self, *args, **kwargs):
            return Pair(super().__call__(*args, **kwargs))

    layer = Wrapping(2)
    inputs = tf.keras.Input((3,))
    pair = layer(inputs)
    assert isinstance(pair, Pair)
    assert tf.keras.Model(inputs, pair.value).output_shape == (None, 2)


def recorded(base):
    class Recorded(base):
        called = ()

        def _compute_gradients(self, *args, **kwargs):
            self.__dict__["called"] = (*self.called, "compute")
            return super()._compute_gradients(*args, **kwargs)

        def apply_gradients(self, *args, **kwargs):
            self.__dict__["called"] = (*self.called, "apply")
            return super().apply_gradients(*args, **kwargs)

    return Recorded(0.1)


def test_compute_gradients_of_legacy_optimizers():
    for base in (tf.keras.optimizers.legacy.SGD, tf.keras.optimizers.legacy.Adam):
        optimizer = recorded(base)
        variable = tf.Variable(1.0)
        optimizer.minimize(lambda: variable * variable, [variable])
        assert optimizer.called == ("compute", "apply")
        model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
        model.compile(optimizer, "mse")
        model.fit(tf.ones((4, 2)), tf.ones((4, 1)), verbose=0)
        assert optimizer.called[2:4] == ("compute", "apply")


def test_scaled_losses_ask_the_inner_optimizer():
    inner = recorded(tf.keras.optimizers.legacy.SGD)
    variable = tf.Variable(1.0)
    optimizer = tf.keras.mixed_precision.LossScaleOptimizer(inner)
    optimizer.minimize(lambda: variable * variable, [variable])
    assert "compute" in inner.called


def test_assertions_that_call_the_base():
    names = [name for name in dir(tf.test.TestCase) if name.startswith("assertAll")]
    depth = []

    def override(name):
        def method(self, *args, **kwargs):
            depth.append(name)
            assert len(depth) < 100
            getattr(super(Overriding, self), name)(*args, **kwargs)

        return method

    Overriding = type("Overriding", (tf.test.TestCase,), {n: override(n) for n in names})
    case = Overriding()
    case.assertAllClose({"a": [1.0, tf.constant(2.0)]}, {"a": [1.0, 2.0]})
    case.assertAllEqual([1, 2], tf.constant([1, 2]))
    case.assertAllCloseAccordingToType([1.0], [1.0])
    case.assertAllInRange([1.0], 0.0, 2.0)
    case.assertAllGreater([1.0], 0.0)
    assert depth[0] == "assertAllClose" and "assertAllGreater" in depth
