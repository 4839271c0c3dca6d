"""Keras models from SavedModels whose classes are gone: called by the functions in the file."""

import numpy as np
import pytest

import eagerflow as tf


class Block(tf.keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(3, activation="relu", kernel_regularizer="l2")
        self.drop = tf.keras.layers.Dropout(0.5)
        self.norm = tf.keras.layers.BatchNormalization()

    def call(self, x, training=None):
        x = self.drop(self.dense(x), training=training)
        self.add_loss(0.125)
        return self.norm(x, training=training)

    @tf.function(input_signature=[tf.TensorSpec([None, 4])])
    def encode(self, x):
        return self.dense(x)


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.block = Block()
        self.heads = [tf.keras.layers.Dense(1)]
        self.scale = tf.Variable(2.0, name="scale")

    def call(self, x, training=False):
        return self.heads[0](self.block(x, training=training)) * self.scale


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    return rng.normal(size=(8, 4)).astype("float32"), np.ones((8, 1), "float32")


@pytest.fixture
def saved(data, tmp_path):
    model = Net()
    model.compile("adam", "mse", metrics=["mae"])
    model.fit(*data, verbose=0)
    model.save(tmp_path / "m", save_format="tf")
    return model, tmp_path / "m"


def test_predictions_losses_and_weights(saved, data):
    model, path = saved
    loaded = tf.keras.models.load_model(path)
    x, _ = data
    np.testing.assert_allclose(loaded.predict(x, verbose=0), model.predict(x, verbose=0), rtol=1e-6)
    assert [w.name for w in loaded.weights] == [w.name for w in model.weights]
    assert len(loaded.trainable_weights) == len(model.trainable_weights)
    np.testing.assert_allclose(
        loaded.evaluate(*data, verbose=0), model.evaluate(*data, verbose=0), rtol=1e-5
    )
    loaded(x)
    model(x)
    np.testing.assert_allclose(sorted(loaded.losses), sorted(model.losses), rtol=1e-6)
    assert type(loaded).__name__ == "Net" and isinstance(loaded, tf.keras.Model)
    assert isinstance(loaded.block.dense, tf.keras.layers.Dense)
    np.testing.assert_allclose(loaded.block.encode(x), model.block.encode(x), rtol=1e-6)
    assert int(loaded.optimizer.iterations) == 1


def test_training_goes_on_without_the_class(saved, data):
    _, path = saved
    loaded = tf.keras.models.load_model(path)
    x, y = data
    assert float(tf.reduce_mean(tf.abs(loaded(x, training=True) - loaded(x)))) > 0.01
    before = loaded.block.norm.moving_mean.numpy()
    kernel = loaded.block.dense.kernel.numpy()
    loaded.fit(x, y, verbose=0)
    assert not np.allclose(before, loaded.block.norm.moving_mean)
    assert not np.allclose(kernel, loaded.block.dense.kernel)
    loaded.block.trainable = False
    assert {w.name.rpartition("/")[2] for w in loaded.trainable_weights} == {
        "scale:0",
        "kernel:0",
        "bias:0",
    }
    assert len(loaded.trainable_weights) == 3


def test_what_is_revived_can_be_saved_again(saved, data, tmp_path):
    model, path = saved
    tf.keras.models.load_model(path).save(tmp_path / "again", save_format="tf")
    loaded = tf.keras.models.load_model(tmp_path / "again", compile=False)
    x, _ = data
    np.testing.assert_allclose(loaded(x), model(x), rtol=1e-6)
    with pytest.raises(ValueError, match="Could not find matching concrete function"):
        loaded(tf.ones([2, 5]))


def test_layers_of_functional_models_are_revived(data, tmp_path):
    class Scaled(tf.keras.layers.Layer):
        def __init__(self, by=2.0, **kwargs):
            super().__init__(**kwargs)
            self.by = by

        def get_config(self):
            return {**super().get_config(), "by": self.by}

        def call(self, x):
            return self.by * x

    inputs = tf.keras.Input((4,))
    model = tf.keras.Model(inputs, Scaled(3.0)(tf.keras.layers.Dense(2)(inputs)))
    model.save(tmp_path / "m", save_format="tf")
    loaded = tf.keras.models.load_model(tmp_path / "m")
    np.testing.assert_allclose(loaded(data[0]), model(data[0]), rtol=1e-6)
    assert [type(layer).__name__ for layer in loaded.layers] == ["InputLayer", "Dense", "Scaled"]
    given = tf.keras.models.load_model(tmp_path / "m", custom_objects={"Scaled": Scaled})
    assert type(given.layers[-1]) is Scaled


def test_models_with_several_inputs_and_outputs(tmp_path):
    class Two(tf.keras.Model):
        def call(self, inputs):
            return {"sum": inputs["a"] + inputs["b"], "first": inputs["a"]}

    model = Two()
    given = {"a": tf.ones([2, 3]), "b": tf.ones([2, 3])}
    model(given)
    model.save(tmp_path / "m", save_format="tf")
    loaded = tf.keras.models.load_model(tmp_path / "m")
    assert float(loaded(given)["sum"][0, 0]) == 2.0
    assert loaded.predict(given, verbose=0)["first"].shape == (2, 3)
    signature = loaded.signatures["serving_default"]
    assert signature(**given)["sum"].shape == (2, 3)


def test_a_layer_that_was_never_called_cannot_be_called(tmp_path):
    class Unused(tf.keras.layers.Layer):
        def __init__(self, size):
            super().__init__()
            self.size = size

    class Holder(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.unused = Unused(3)

        def call(self, x):
            return x + 1.0

    model = Holder()
    model(tf.ones([1, 2]))
    model.save(tmp_path / "m", save_format="tf")
    loaded = tf.keras.models.load_model(tmp_path / "m")
    assert float(loaded(tf.ones([1, 2]))[0, 0]) == 2.0
    with pytest.raises(NotImplementedError, match="was never called before it was saved"):
        loaded.unused(tf.ones([1, 2]))


def test_concrete_functions_as_attributes(tmp_path):
    module = tf.Module()
    module.v = tf.Variable(2.0)
    specs = tf.TensorSpec([None]), tf.TensorSpec([])
    module.f = tf.function(lambda x, y: module.v * x + y).get_concrete_function(*specs)
    for path in (tmp_path / "a", tmp_path / "b"):
        tf.saved_model.save(module, path)
        module = tf.saved_model.load(path)
        assert module.f(tf.constant([1.0]), tf.constant(1.0)).numpy() == [3.0]
        assert module.f(x=tf.constant([2.0]), y=tf.constant(1.0)).numpy() == [5.0]
        assert [spec.name for spec in module.f.structured_input_signature[0]] == ["x", "y"]


def test_lambda_layers_are_called_by_their_functions(data, tmp_path):
    model = tf.keras.Sequential(
        [tf.keras.layers.Lambda(lambda x: x * 3.0), tf.keras.layers.Dense(2)]
    )
    expected = model(data[0])
    model.save(tmp_path / "m", save_format="tf")
    loaded = tf.keras.models.load_model(tmp_path / "m")
    np.testing.assert_allclose(loaded.predict(data[0], verbose=0), expected, rtol=1e-6)


def test_layers_that_make_others_when_they_are_called(data, tmp_path):
    class Attending(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.attention = tf.keras.layers.MultiHeadAttention(2, 3)

        def call(self, x):
            return self.attention(x, x)

    model = Attending()
    x = data[0][:, :, None] * tf.ones([5])
    expected = model(x)
    model.save(tmp_path / "m", save_format="tf")
    loaded = tf.keras.models.load_model(tmp_path / "m")
    np.testing.assert_allclose(loaded(x), expected, rtol=1e-6)
    assert isinstance(loaded.attention, tf.keras.layers.MultiHeadAttention)
    assert [w.shape for w in loaded.trainable_weights] == [w.shape for w in model.trainable_weights]
    np.testing.assert_allclose(loaded.attention(x, x), expected, rtol=1e-6)


def test_optimizers_of_uncompiled_models_keep_their_variables(tmp_path):
    inputs = tf.keras.Input([4])
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(2)(inputs))
    model.optimizer = tf.keras.optimizers.Adam(0.1)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model(tf.ones([3, 4])) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    model.optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    model.save(tmp_path / "m", save_format="tf")
    optimizer = tf.keras.models.load_model(tmp_path / "m").optimizer
    assert type(optimizer).__name__ == "RestoredOptimizer"
    assert optimizer.iterations.numpy() == 1
    assert [v.name for v in optimizer.variables] == [v.name for v in model.optimizer.variables]
    for found, expected in zip(optimizer.variables, model.optimizer.variables, strict=True):
        np.testing.assert_array_equal(found, expected)
    with pytest.raises(NotImplementedError, match="functional Optimizers"):
        optimizer.get_config()
    with pytest.raises(NotImplementedError, match="Compile the model"):
        optimizer.apply_gradients([])
    module = tf.Module()
    module.optimizer = model.optimizer
    tf.saved_model.save(module, str(tmp_path / "module"))
    loaded = tf.saved_model.load(str(tmp_path / "module"))
    assert loaded.optimizer.iterations.numpy() == 1


@pytest.mark.parametrize("known", [True, False])
def test_legacy_optimizers_of_uncompiled_models_keep_their_variables(known, tmp_path):
    class Plain(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = tf.keras.layers.Dense(2)

        def call(self, x):
            return self.dense(x)

    model = Plain()
    if known:
        model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=[4])])
    model.optimizer = tf.keras.optimizers.legacy.Adam(0.1)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model(tf.ones([3, 4])) ** 2)
    gradients = tape.gradient(loss, model.trainable_variables)
    model.optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    model.save(tmp_path / "m", save_format="tf")
    loaded = tf.keras.models.load_model(tmp_path / "m")
    optimizer = loaded.optimizer
    assert isinstance(optimizer, tf.keras.optimizers.legacy.Optimizer)
    assert optimizer.iterations.numpy() == 1 and float(optimizer.learning_rate) == np.float32(0.1)
    expected = {v.name: v.numpy() for v in model.optimizer.weights}
    assert {v.name: v.shape for v in optimizer.weights} == {
        name: value.shape for name, value in expected.items()
    }
    for found in optimizer.weights:
        np.testing.assert_array_equal(found, expected[found.name])
    loaded.save(tmp_path / "again", save_format="tf")  # the slots belong to the model's variables
    again = tf.keras.models.load_model(tmp_path / "again").optimizer
    for found in again.weights:
        np.testing.assert_array_equal(found, expected[found.name])
    with pytest.raises(NotImplementedError, match="Compile the model"):
        optimizer.apply_gradients([])


def test_layers_of_unknown_classes_in_sequential_models_have_their_objects(tmp_path):
    K = tf.keras

    class Held(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable([[1.0, 2.0]])

        @tf.function(input_signature=[tf.TensorSpec([None, 1])])
        def __call__(self, x):
            return tf.matmul(x, self.w)

    class Holder(K.layers.Layer):
        def __init__(self, held=None, **kwargs):
            super().__init__(**kwargs)
            self.held = held

        def call(self, x):
            return self.held(x)

    held = Held()
    model = K.Sequential([K.Input((1,)), Holder(held), K.layers.Dense(1)])
    held.w.assign([[5.0, -3.0]])
    model.save(tmp_path / "m", save_format="tf")
    loaded = K.models.load_model(tmp_path / "m")
    x = tf.constant([[1.0], [2.0]])
    np.testing.assert_allclose(loaded(x), model(x), rtol=1e-6)
    assert loaded.layers[0].held.w.numpy().tolist() == [[5.0, -3.0]]


class Scaled(tf.keras.layers.Layer):
    """Regularizes a weight of its own, beside those of the layer inside."""

    def __init__(self):
        super().__init__()
        self.inner = tf.keras.layers.Dense(2, kernel_initializer="ones", kernel_regularizer="l1")

    def build(self, shape):
        self.scale = self.add_weight(shape=[2], initializer="ones", regularizer="l2")
        super().build(shape)

    def call(self, x):
        return self.inner(x) * self.scale


@pytest.mark.parametrize("functional", [True, False])
def test_regularizers_of_weights_are_functions_of_models_and_layers(functional, tmp_path):
    layers = [tf.keras.Input([3]), Scaled(), tf.keras.layers.Dense(1)]
    model = tf.keras.Sequential(layers)
    if functional:
        model = tf.keras.Model(layers[0], layers[2](layers[1](layers[0])))
    expected = [0.02, 0.06]
    np.testing.assert_allclose(sorted(model.losses), expected, rtol=1e-5)
    model.save(tmp_path / "m", save_format="tf")
    objects = tf.saved_model.load(tmp_path / "m")
    losses = [loss() for loss in objects.regularization_losses]
    np.testing.assert_allclose(sorted(losses), expected, rtol=1e-5)
    scaled = getattr(objects, "layer_with_weights-0")
    assert len(scaled.regularization_losses) == 2
    scaled.scale.assign([2.0, 2.0])
    assert any(abs(loss() - 0.08) < 1e-6 for loss in objects.regularization_losses)
    # The layer that is called by its functions has them once, and follows its weights.
    loaded = tf.keras.models.load_model(tmp_path / "m")
    np.testing.assert_allclose(sorted(loaded.losses), expected, rtol=1e-5)
    loaded.layers[-2].scale.assign([2.0, 2.0])
    np.testing.assert_allclose(sorted(loaded.losses), [0.06, 0.08], rtol=1e-5)


def test_a_layer_by_itself_is_loaded_as_a_layer(tmp_path):
    dense = tf.keras.layers.Dense(2)
    expected = dense(tf.ones([2, 3]))
    tf.saved_model.save(dense, str(tmp_path))
    loaded = tf.keras.models.load_model(str(tmp_path))
    assert isinstance(loaded, tf.keras.layers.Layer)
    assert not isinstance(loaded, tf.keras.Model)
    np.testing.assert_allclose(loaded(tf.ones([2, 3])), expected)


class Switched(tf.keras.layers.Layer):
    def call(self, x, training=None):
        return x * 2.0 if training else x


@pytest.mark.parametrize("phase", [0, 1])
def test_a_learning_phase_decides_for_a_layer_without_its_class(phase, tmp_path):
    tf.keras.Sequential([tf.keras.Input([2]), Switched()]).save(str(tmp_path / "m"))
    tf.keras.backend.set_learning_phase(phase)
    try:
        loaded = tf.keras.models.load_model(str(tmp_path / "m"))
        assert loaded(tf.ones([1, 2])).numpy().tolist() == [[1.0 + phase] * 2]
    finally:
        tf.keras.backend.clear_session()


def test_tensors_after_training_among_the_arguments(tmp_path):
    class Difference(tf.keras.Model):
        def call(self, first, training, second):
            return first + second if training else first - second

    model = Difference()
    model(tf.ones([2, 1]), False, tf.ones([2, 1]))
    model.save(str(tmp_path / "m"))
    loaded = tf.keras.models.load_model(str(tmp_path / "m"))
    for training in (False, True):
        result = loaded(tf.ones([3, 1]), training, tf.ones([3, 1]))
        assert result.numpy().tolist() == [[2.0 * training]] * 3


def test_a_mixed_policy_of_a_model_without_its_class(tmp_path):
    class Halved(tf.keras.Model):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.dense = tf.keras.layers.Dense(
                2, kernel_initializer="ones", dtype=self.dtype_policy
            )

        def call(self, x):
            return self.dense(x)

    model = Halved(dtype="mixed_float16")
    model(tf.ones([1, 2]))
    model.save(str(tmp_path / "m"))
    loaded = tf.keras.models.load_model(str(tmp_path / "m"))
    assert loaded.dtype_policy.name == "mixed_float16"
    assert loaded.dense.kernel.dtype == tf.float32
    for x in (tf.ones([1, 2]), tf.ones([1, 2], tf.float16)):
        assert loaded(x).dtype == tf.float16
        assert loaded(x).numpy().tolist() == [[2.0, 2.0]]


def test_signatures_of_loaded_models(tmp_path):
    inputs = tf.keras.Input([2], name="given")
    dense = tf.keras.layers.Dense(1, name="result", kernel_initializer="ones")
    tf.keras.Model(inputs, dense(inputs)).save(str(tmp_path / "m"))
    loaded = tf.keras.models.load_model(str(tmp_path / "m"))
    result = loaded.signatures["serving_default"](given=tf.ones([1, 2]))
    assert {name: value.numpy().tolist() for name, value in result.items()} == {"result": [[2.0]]}
    module = tf.Module()
    module.weight = tf.Variable(1.0)
    tf.saved_model.save(module, str(tmp_path / "plain"))
    assert dict(tf.saved_model.load(str(tmp_path / "plain")).signatures) == {}


def test_an_activation_that_the_program_does_not_have(tmp_path):
    def shifted(x):
        return x * 2.0 + 1.0

    wide = tf.keras.experimental.LinearModel(units=1)
    deep = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model = tf.keras.experimental.WideDeepModel(wide, deep, activation=shifted)
    inputs = [np.ones([2, 1], np.float32), np.ones([2, 1], np.float32)]
    expected = model(inputs)
    model.save(str(tmp_path / "m"))
    loaded = tf.keras.models.load_model(str(tmp_path / "m"))
    np.testing.assert_allclose(loaded(inputs), expected)


def test_a_class_named_like_one_of_keras(tmp_path, caplog):
    class Sequential(tf.keras.Model):
        def call(self, x):
            return x

    model = Sequential()
    model(tf.ones([1, 1]))
    with caplog.at_level("WARNING", tf.get_logger().name):
        model.save(str(tmp_path / "named"))
    messages = [record.getMessage() for record in caplog.records]
    assert any("same name 'Sequential' as a built-in" in message for message in messages)
    caplog.clear()
    with caplog.at_level("WARNING", tf.get_logger().name):
        tf.keras.Sequential([tf.keras.Input([1])]).save(str(tmp_path / "usual"))
    assert not any("same name" in record.getMessage() for record in caplog.records)


def test_a_configuration_of_another_class_of_that_name(tmp_path):
    class WideDeepModel(tf.keras.Model):
        def __init__(self, width):
            super().__init__()
            self.dense = tf.keras.layers.Dense(width, kernel_initializer="ones")

        def call(self, x):
            return self.dense(x)

        def get_config(self):
            return {"width": 2}

    model = WideDeepModel(2)
    model(tf.ones([1, 3]))
    model.save(str(tmp_path / "m"))
    loaded = tf.keras.models.load_model(str(tmp_path / "m"))
    assert loaded(tf.ones([1, 3])).numpy().tolist() == [[3.0, 3.0]]


def test_objects_have_what_keras_keeps_of_layers(tmp_path):
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(3, input_shape=(4,), kernel_regularizer="l2"),
            tf.keras.layers.BatchNormalization(),
        ]
    )
    model.save(tmp_path / "model", save_format="tf")
    root = tf.saved_model.load(tmp_path / "model")
    assert len(root.variables) == len(root.keras_api.variables) == len(model.variables)
    for own, kept in ((model, root), (model.layers[1], root.keras_api.layers[1])):
        for name in ("trainable_variables", "non_trainable_variables"):
            values = [v.numpy() for v in getattr(own, name)]
            loaded = [v.numpy() for v in getattr(kept.keras_api, name)]
            np.testing.assert_equal(loaded, values)
    assert float(root.regularization_losses[0]()) == pytest.approx(float(model.losses[0]))


class Scales(tf.keras.layers.Layer):
    def call(self, x, by, also=2, scale=1.0, training=None):
        return x * tf.cast(by, tf.float32) * tf.cast(also, tf.float32) * (scale or 1.0)


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((3,), {}),
        ((3, 4), {}),
        ((), {"by": 3}),
        ((tf.constant(3), 4), {}),
        ((3,), {"also": tf.constant(4)}),
        ((3,), {"scale": None}),
        ((tf.constant(3), tf.constant(4), 5.0), {"training": True}),
    ],
)
def test_layers_are_saved_for_the_plain_arguments_that_they_were_called_with(
    args, kwargs, tmp_path
):
    class Model(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.layer = Scales()

        def call(self, x):
            return self.layer(x, *args, **kwargs)

    model = Model()
    expected = model(tf.ones([2, 3]))
    tf.saved_model.save(model, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    np.testing.assert_array_equal(loaded(tf.ones([2, 3])), expected)
    functions = loaded.layer.__call__.concrete_functions
    given = functions[0].structured_input_signature[0][1:4]
    wanted = (
        {"by": None, "also": 2, "scale": 1.0}
        | dict(zip(("by", "also", "scale"), args, strict=False))
        | kwargs
    )
    for value, key in zip(given, ("by", "also", "scale"), strict=True):
        known = wanted[key]
        assert value.shape == () if isinstance(known, tf.Tensor) else value == known


class Held(tf.keras.layers.Layer):
    """A layer that has its layers in a container."""

    def __init__(self, how="list"):
        super().__init__()
        first, second = tf.keras.layers.Dense(3, activation="relu"), tf.keras.layers.Dense(2)
        self.how = how
        self.parts = {
            "list": [first, second], "tuple": (first, second),
            "dictionary": {"0": first, "1": second}, "nested": [[first], (second,)],
            "layer": tf.keras.Sequential([first, second]),
        }[how]  # fmt: skip

    def call(self, x):
        if self.how == "layer":
            return self.parts(x)
        for layer in tf.nest.flatten(self.parts):
            x = layer(x)
        return x

    def get_config(self):
        return {}


@pytest.mark.parametrize("functional", [False, True], ids=["sequential", "functional"])
@pytest.mark.parametrize("how", ["list", "tuple", "dictionary", "nested", "layer"])
def test_layers_in_containers_of_a_layer_without_its_class(how, functional, tmp_path):
    inputs = tf.keras.Input([4])
    model = tf.keras.Sequential([Held(how), tf.keras.layers.Dense(1)])
    if functional:
        model = tf.keras.Model(inputs, model.layers[1](model.layers[0](inputs)))
    x = tf.random.normal([5, 4])
    expected = model(x)
    model.save(tmp_path / "m")
    loaded = tf.keras.models.load_model(tmp_path / "m")
    np.testing.assert_allclose(loaded(x), expected, rtol=1e-5)
    assert len(loaded.weights) == len(model.weights)
    loaded.weights[0].assign(loaded.weights[0] * 0.0)  # the function reads the layer's own weights
    model.weights[0].assign(model.weights[0] * 0.0)
    np.testing.assert_allclose(loaded(x), model(x), rtol=1e-5)
