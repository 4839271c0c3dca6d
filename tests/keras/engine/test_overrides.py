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
    variable = tf.Variable(1.0)
    for base in (tf.keras.optimizers.legacy.SGD, tf.keras.optimizers.legacy.Adam):
        optimizer = recorded(base)
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


class Coercible:
    """Like a distribution that is a tensor where one is needed, and has the attributes of its tensor."""

    def __init__(self, value):
        self.__dict__["mean"] = value
        self.shape = value.shape
        self.dtype = value.dtype

    def __getattr__(self, name):
        return getattr(self.__dict__["mean"], name) if not name.startswith("_keras") else None

    def squared_distance(self, other):
        return tf.square(self.__dict__["mean"] - other)


tf.register_tensor_conversion_function(
    Coercible, lambda value, dtype=None, name=None, as_ref=False: value.__dict__["mean"]
)


class Distribution(tf.keras.layers.Layer):
    """Returns an object and a tensor, of which the override of `__call__` returns the first."""

    entered = False

    def __call__(self, *args, **kwargs):
        self.entered = True
        made, _ = super().__call__(*args, **kwargs)
        self.entered = False
        return made

    def call(self, inputs):
        made = Coercible(inputs)
        return (made, tf.identity(inputs)) if self.entered else made


def distance(y_true, y_pred):
    return y_pred.squared_distance(y_true)


def test_objects_that_are_converted_to_tensors_are_outputs():
    x, y = tf.ones((4, 2)), tf.zeros((4, 1))
    inputs = tf.keras.Input((2,))
    functional = tf.keras.Model(inputs, Distribution()(tf.keras.layers.Dense(1)(inputs)))
    given = tf.keras.Sequential(
        [tf.keras.layers.InputLayer((2,)), tf.keras.layers.Dense(1), Distribution()]
    )
    deferred = tf.keras.Sequential([tf.keras.layers.Dense(1), Distribution()])
    for model in (functional, given, deferred):
        assert isinstance(model(x), Coercible)
        model.compile("sgd", loss=distance)
        losses = model.fit(x, y, epochs=2, verbose=0).history["loss"]
        assert losses[1] < losses[0]
        assert model.predict(x, verbose=0).shape == (4, 1)


def test_layers_read_objects_that_are_converted_to_tensors():
    x = tf.ones((4, 2))
    for layer in (
        tf.keras.layers.Dense(3),
        tf.keras.layers.BatchNormalization(),
        tf.keras.layers.Activation("relu"),
        tf.keras.layers.Flatten(),
    ):
        np.testing.assert_allclose(layer(Coercible(x)), layer(x))
    inputs = tf.keras.Input((2,))
    made = Distribution()(inputs)
    model = tf.keras.Model(inputs, [made, tf.keras.layers.Dense(3)(made)])
    first, second = model(x)
    assert isinstance(first, Coercible) and second.shape == (4, 3)
