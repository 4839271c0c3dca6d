"""The base of layers: weights, names, losses, masks and configurations."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.keras.engine.calls.input_spec import InputSpec
from eagerflow.keras.engine.layer import Layer


class Affine(Layer):
    def __init__(self, units=4, regularizer=None, **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.regularizer = regularizer

    def build(self, input_shape):
        self.kernel = self.add_weight(
            "kernel", [input_shape[-1], self.units], regularizer=self.regularizer
        )
        self.bias = self.add_weight("bias", [self.units], initializer="zeros")
        self.input_spec = InputSpec(axes={-1: input_shape[-1]})

    def call(self, inputs, training=None):
        return inputs @ self.kernel + self.bias


class Pair(Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.first = Affine(3, name="first")
        self.others = []
        self.others.append(Affine(2, name="second"))
        self.counter = tf.Variable(0, trainable=False)

    def call(self, inputs):
        self.add_loss(0.5 * tf.reduce_sum(inputs))
        return self.others[0](self.first(inputs))


def same(found, expected):
    return len(found) == len(expected) and all(a is b for a, b in zip(found, expected, strict=True))


def test_builds_on_the_first_call_and_names_weights():
    layer = Pair(name="pair")
    assert same(layer.weights, [layer.counter])
    assert layer(np.ones([2, 5], np.float32)).shape == [2, 2]
    assert [v.name for v in layer.trainable_weights] == [
        "pair/first/kernel:0",
        "pair/first/bias:0",
        "pair/second/kernel:0",
        "pair/second/bias:0",
    ]
    assert same(layer.non_trainable_weights, [layer.counter])


def test_default_names_count_up():
    class OnlyHere(Layer):
        pass

    assert [OnlyHere().name for _ in range(3)] == ["only_here", "only_here_1", "only_here_2"]


def test_losses_of_a_call_are_replaced_by_the_next():
    layer = Pair()
    for _ in range(2):
        layer(tf.ones([2, 5]))
        assert [float(loss) for loss in layer.losses] == [5.0]
    layer = Affine(2, regularizer="l2")
    layer(tf.ones([1, 3]))
    kernel = layer.kernel.numpy()
    np.testing.assert_allclose(layer.losses[0], 0.01 * np.sum(kernel**2), rtol=1e-5)


def test_trainable_is_passed_on():
    layer = Pair()
    layer(tf.ones([1, 2]))
    layer.trainable = False
    assert layer.trainable_weights == []
    assert len(layer.non_trainable_weights) == 5
    assert not layer.first.trainable
    layer.trainable = True
    assert len(layer.trainable_weights) == 4


def test_replaced_attributes_are_forgotten():
    layer = Pair()
    layer(tf.ones([1, 2]))
    layer.first = Affine(3)
    layer(tf.ones([1, 2]))
    assert len(layer.trainable_weights) == 4
    del layer.first
    assert len(layer.trainable_weights) == 2


def test_training_reaches_inner_layers():
    seen = []

    class Inner(Layer):
        def call(self, inputs, training=None):
            seen.append(training)
            return inputs

    class Middle(Layer):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

        def call(self, inputs):
            return self.inner(inputs)

    layer = Middle()
    x = tf.ones([1, 1])
    for training in (True, False, None):
        layer(x, training=training)
    layer.inner(x, training=True)
    layer.inner(x)
    assert seen == [True, False, None, True, None]


def test_masks_are_passed_on():
    class Masking(Layer):
        def compute_mask(self, inputs, mask=None):
            return tf.not_equal(inputs, 0)

        def call(self, inputs):
            return inputs * 2

    class Uses(Layer):
        def call(self, inputs, mask=None):
            return tf.where(mask, inputs, -1)

    class Keeps(Layer):
        def __init__(self):
            super().__init__()
            self.supports_masking = True

    masking = Masking()
    masking.supports_masking = True
    x = masking(tf.constant([1, 0, 3]))
    assert x._keras_mask.numpy().tolist() == [True, False, True]
    assert Uses()(Keeps()(x)).numpy().tolist() == [2, -1, 6]


def test_inputs_that_do_not_fit():
    layer = Affine(name="affine_here")
    layer(tf.ones([2, 3]))
    with pytest.raises(ValueError, match=r'layer "affine_here" is incompatible.*axis -1.*value 3'):
        layer(tf.ones([2, 4]))
    with pytest.raises(ValueError, match="first argument"):
        layer(training=True)
    with pytest.raises(TypeError, match="not understood"):
        Layer(unknown=1)


def test_a_layer_without_its_base_set_up():
    class Hasty(Layer):
        def __init__(self):
            self.units = 3

    with pytest.raises(RuntimeError, match="super"):
        Hasty()(tf.ones([1]))


def test_weights_as_arrays():
    layer = Affine(2)
    layer(tf.ones([1, 3]))
    kernel, bias = np.full([3, 2], 2.0), np.arange(2.0)
    layer.set_weights([kernel, bias])
    np.testing.assert_array_equal(layer.get_weights()[0], kernel)
    assert layer.get_weights()[1].dtype == np.float32
    assert layer.count_params() == 8
    with pytest.raises(ValueError, match="weight list of length 1"):
        layer.set_weights([kernel])
    with pytest.raises(ValueError, match="not compatible"):
        layer.set_weights([kernel.T, bias])
    np.testing.assert_array_equal(layer.get_weights()[0], kernel)


def test_configuration():
    layer = Affine(7, name="seven", dtype="float64")
    assert layer.get_config() == {
        "name": "seven",
        "trainable": True,
        "dtype": "float64",
        "units": 7,
    }
    again = Affine.from_config(layer.get_config())
    assert again.units == 7
    assert again(tf.ones([1, 2])).dtype == tf.float64
    with pytest.raises(NotImplementedError, match="get_config"):
        Affine(np.array([3])).get_config()


def test_layers_with_masks_of_their_own_support_masking():
    class Tokens(tf.keras.layers.Layer):
        def call(self, inputs):
            return tf.one_hot(inputs, 3)

        def compute_mask(self, inputs, mask=None):
            return tf.not_equal(inputs, 0)

    class Plain(tf.keras.Model):
        pass

    assert Tokens().supports_masking and not Plain().supports_masking
    assert Tokens()(tf.constant([[1, 0]]))._keras_mask.numpy().tolist() == [[True, False]]
    inputs = tf.keras.Input((2,), dtype="int32")
    model = tf.keras.Model(inputs, Tokens()(inputs))
    assert model(tf.constant([[1, 0]]))._keras_mask.numpy().tolist() == [[True, False]]


def test_names_of_layers_made_in_calls():
    names = []

    class Making(tf.keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.inner = None

        def call(self, inputs):
            if self.inner is None:
                self.inner = tf.keras.layers.Dense(2)
                names.append(self.inner.name)
            return self.inner(inputs)

    class Building(tf.keras.layers.Layer):
        def build(self, shape):
            self.inner = tf.keras.layers.Dense(2)
            names.append(self.inner.name)

        def call(self, inputs):
            return self.inner(inputs)

    inputs = tf.keras.Input((3,))
    Making()(inputs)
    names.append(tf.keras.layers.Dense(2).name)
    Making()(tf.ones((2, 3)))
    Building()(inputs)
    assert names == ["dense", "dense", "dense_1", "dense_2"]
    names.clear()
    model = tf.keras.Sequential([Building(), Making()])
    model.compile("sgd", "mse")
    model.fit(np.ones((2, 3)), np.ones((2, 2)), verbose=0)
    assert names == ["dense", "dense"]
    assert tf.keras.layers.Dense(2).name == "dense_3"


def test_wrappers_add_weights_to_the_lists_of_a_layer():
    class Wrapper(tf.keras.layers.Layer):
        def build(self, shape):
            self._trainable_weights.append(self.inner)

        def call(self, x):
            return x * self.inner

    layer = Wrapper()
    assert layer._metrics == [] and layer._non_trainable_weights == []
    layer.inner = tf.Variable(2.0, trainable=False)
    layer(tf.ones([1, 1]))
    assert [float(weight) for weight in layer.trainable_weights] == [2.0]


def test_a_variable_is_an_input_as_it_is():
    class Counts(tf.keras.layers.Layer):
        def call(self, inputs):
            inputs.assign_add([1.0])
            return inputs

    variable = tf.Variable([1.0], dtype="float64")
    assert Counts()(variable) is variable
    np.testing.assert_array_equal(variable, [2.0])


def test_layers_do_not_cast_variables():
    # A Dense layer casts whatever it is given.
    variable = tf.Variable([[1 / 3, -2 / 3]], dtype="float64")
    layers = tf.keras.layers
    for layer in layers.ReLU(), layers.Flatten(), layers.Activation("tanh"), layers.Masking():
        assert layer(variable).dtype == tf.float64
        assert layer(variable + 0).dtype == tf.float32
    assert layers.Concatenate()([variable, variable]).dtype == tf.float64
    assert layers.Dense(1)(variable).dtype == tf.float32


@pytest.mark.parametrize("form", ["list", "tuple", "dict", "one"])
def test_configurations_build_layers_as_their_call_did(form):
    built = []

    class Picky(tf.keras.layers.Layer):
        def build(self, input_shape):
            built.append(input_shape)
            first = input_shape
            if form != "one":
                first = input_shape["a"] if form == "dict" else input_shape[0]
            super().build(first)

        def call(self, inputs):
            return tf.add_n(tf.nest.flatten(inputs))

    a, b = (tf.keras.Input([3], name=name) for name in "ab")
    inputs = {"list": [a, b], "tuple": (a, b), "dict": {"a": a, "b": b}, "one": a}[form]
    model = tf.keras.Model([a, b], [Picky()(inputs), b])
    known = {"Picky": Picky}
    tf.keras.Model.from_config(model.get_config(), custom_objects=known)
    assert len(built) == 2 and built[0] == built[1] and type(built[0]) is type(built[1])
    shapes = tf.nest.flatten(built[1]) if form != "one" else [built[1]]
    assert all(isinstance(shape, tf.TensorShape) and shape.rank == 2 for shape in shapes)


def test_weights_and_initial_values_refuse_unknown_options():
    layer = tf.keras.layers.Layer()
    assert layer.add_weight("kept", [2], collections=[], caching_device=None).shape == [2]
    with pytest.raises(TypeError, match="'trainabel'"):
        layer.add_weight("lost", [2], trainabel=False)
    for name in ("Zeros", "Ones", "Constant", "RandomNormal"):
        with pytest.raises(TypeError, match="Unknown keyword arguments: .'scale'"):
            getattr(tf.keras.initializers, name)()([2], scale=2.0)


def test_configurations_of_linear_models_have_their_dtype():
    linear = tf.keras.experimental.LinearModel(dtype="float64")
    assert linear.get_config()["dtype"] == "float64"
    wide = tf.keras.experimental.WideDeepModel(
        linear, tf.keras.Sequential([tf.keras.layers.Dense(1)])
    )
    again = type(wide).from_config(wide.get_config())
    assert again.get_config()["dtype"] == wide.get_config()["dtype"] == "float32"
