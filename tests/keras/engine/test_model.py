"""Models: the specs of their inputs, the paths of their weights, and calls before they are built."""

import numpy as np
import pytest

import eagerflow as tf

keras, layers = tf.keras, tf.keras.layers


class Own(keras.Model):
    def __init__(self):
        super().__init__()
        self.bn = layers.BatchNormalization()
        self.rows = [layers.Dense(1), layers.Dense(1)]
        self.named = {"a": layers.Dense(1)}

    def call(self, x):
        return self.bn(self.named["a"](self.rows[1](self.rows[0](x["u"]))))


def described(spec):
    return (spec.shape.as_list(), spec.dtype.name, spec.name)


def test_specs():
    model = keras.Sequential([layers.Dense(2, input_shape=(3,), name="d")])
    (args, kwargs) = model.save_spec()
    assert [described(spec) for spec in args] == [([None, 3], "float32", "d_input")]
    assert kwargs == {}
    deferred = keras.Sequential([layers.Dense(2)])
    assert deferred.save_spec() is None
    deferred(tf.zeros([4, 3]))
    assert deferred.save_spec()[0][0].shape == [None, 3]
    assert deferred.save_spec(dynamic_batch=False)[0][0].shape == [4, 3]
    x, y = keras.Input((3,), name="a"), keras.Input((2,), name="b", batch_size=5)
    outputs = [layers.Dense(1)(x), layers.Dense(1)(y)]
    (pair,), _ = keras.Model([x, y], outputs).save_spec()
    assert [described(spec)[0] for spec in pair] == [[None, 3], [5, 2]]
    (named,), _ = keras.Model({"p": x, "q": y}, outputs).save_spec()
    assert {key: described(spec)[2] for key, spec in named.items()} == {"p": "a", "q": "b"}
    own = Own()
    assert own.save_spec() is None
    own({"u": tf.zeros([2, 1])})
    assert described(own.save_spec()[0][0]["u"]) == ([None, 1], "float32", "u")
    assert own.save_spec(False)[0][0]["u"].shape == [2, 1]


def test_paths_of_weights():
    own = Own()
    assert own.get_weight_paths() == {}
    own({"u": tf.zeros([2, 1])})
    paths = own.get_weight_paths()
    expected = "bn.gamma bn.beta bn.moving_mean bn.moving_variance rows.0.kernel rows.0.bias "
    expected += "rows.1.kernel rows.1.bias named.a.kernel named.a.bias"
    assert set(paths) == set(expected.split())
    assert paths["rows.1.kernel"] is own.rows[1].kernel
    x = keras.Input((10,))
    model = keras.Model(x, layers.Dense(30, name="d2")(layers.Dense(20, name="d1")(x)))
    assert set(model.get_weight_paths()) == {"d1.kernel", "d1.bias", "d2.kernel", "d2.bias"}


X = np.linspace(-1, 1, 32, dtype="float32").reshape(8, 4)


def ones(units, name=None, **kwargs):
    return layers.Dense(units, kernel_initializer="ones", name=name, **kwargs)


class TestModelsThatAreNotReady:
    def test_weights_before_a_build_of_ones_own(self):
        class Built(keras.Model):
            def build(self, shape):
                self.w = self.add_weight("w", shape[-1:], initializer="ones")

            def call(self, x):
                return x * self.w

        model = Built()
        for name in ("weights", "trainable_weights", "non_trainable_weights"):
            with pytest.raises(ValueError, match=r"Weights for model .* have not yet been created"):
                getattr(model, name)
        model(X)
        assert len(model.weights) == 1

    def test_layers_in_lists_before_super_init(self):
        class Early(keras.Model):
            def __init__(self):
                self._parts = [layers.Dense(1)]

        with pytest.raises(RuntimeError, match="forgot to call"):
            Early()

    def test_functional_models_take_no_dtype(self):
        inputs = keras.Input((4,))
        for name in ("dtype", "dynamic", "input"):
            with pytest.raises(TypeError, match=f"Keyword argument not understood:', '{name}'"):
                keras.Model(inputs, ones(1)(inputs), **{name: None})

    def test_arguments_that_json_does_not_know(self):
        class Takes(layers.Layer):
            def call(self, x, other=None):
                return x

        inputs = keras.Input((4,))
        model = keras.Model(inputs, Takes(name="takes")(inputs, other=object()))
        with pytest.raises(TypeError, match="Layer takes was passed non-JSON-serializable"):
            model.get_config()

    def test_version_1_optimizers_with_nothing_to_train(self):
        model = keras.Sequential([layers.ReLU()])
        model.compile(tf.compat.v1.train.GradientDescentOptimizer(0.1), "mse")
        assert model.train_on_batch(X, X) > 0


def test_a_model_says_with_what_it_is_saved():
    class Named(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = layers.Dense(2)
            self._set_save_spec({"x": tf.TensorSpec([None, 3], name="x")})

        def call(self, inputs):
            return self.dense(inputs["x"])

    model = Named()
    model({"x": tf.ones([5, 3]), "unused": tf.ones([2])})
    ((spec,), named) = model.save_spec()
    assert list(spec) == ["x"] and spec["x"].shape.as_list() == [None, 3] and named == {}


def test_weights_of_containers_are_listed_as_those_of_one_layer():
    norm = tf.keras.layers.BatchNormalization

    class Blocks(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.first = norm(name="first", scale=False)
            self.by_name = {"q": norm(name="q", scale=False), "p": [norm(name="p", scale=False)]}
            self.factors = [tf.Variable(1.0, name="v"), tf.Variable(1.0, trainable=False, name="c")]
            self.own = tf.Variable(1.0, name="own")

        def call(self, x):
            for layer in (self.first, self.by_name["q"], self.by_name["p"][0]):
                x = layer(x)
            return x * self.own * self.factors[0]

    model = Blocks()
    model(tf.ones([2, 2]))
    names = [weight.name.removeprefix("blocks/").removesuffix(":0") for weight in model.weights]
    assert names == [
        "first/beta", "first/moving_mean", "first/moving_variance",
        "p/beta", "q/beta",
        "p/moving_mean", "p/moving_variance", "q/moving_mean", "q/moving_variance",
        "v", "c", "own",
    ]  # fmt: skip
    trainable = [w.name.removeprefix("blocks/").removesuffix(":0") for w in model.trainable_weights]
    assert trainable == ["first/beta", "p/beta", "q/beta", "v", "own"]
    assert [layer.name for layer in model.layers] == ["first", "p", "q"]


def _given(cls, inputs, outputs):
    return cls(inputs, outputs)


def _by_keywords(cls, inputs, outputs):
    return cls(inputs=inputs, outputs=outputs)


def _inside(cls, inputs, outputs):
    class Inside(cls):
        def __init__(self):
            super().__init__(inputs, outputs)

    return Inside()


@pytest.mark.parametrize("make", [_given, _by_keywords, _inside])
@pytest.mark.parametrize("parents", ["a model", "another class", "a mixin"])
def test_classes_of_functional_models(make, parents, tmp_path):
    """A class whose model is made of symbolic tensors extends `Functional` from then on."""
    functional = type(keras.Model(*[keras.Input((1,))] * 2))

    class First(keras.Model):
        def greet(self):
            return "hello"

    class Second(First):
        pass

    class Mixed(type("Mixin", (), {}), First):
        pass

    cls = {"a model": First, "another class": Second, "a mixin": Mixed}[parents]
    assert not issubclass(cls, functional)
    inputs = keras.Input((2,))
    model = make(cls, inputs, keras.layers.Dense(3)(inputs))
    assert isinstance(model, functional) and First.__bases__ == (functional,)
    assert model.greet() == "hello" and model.name == type(model).__name__.lower()
    subclassed = cls()
    assert subclassed._graph is None and isinstance(subclassed, functional)
    if make is not _inside:
        assert keras.models.clone_model(model).greet() == "hello"
    assert isinstance(keras.Sequential(), functional) and keras.Model not in (functional, cls)


def test_layers_of_lists_in_models():
    class Module(tf.Module):
        pass

    dense, relu, mean = keras.layers.Dense(1), keras.layers.ReLU(), keras.metrics.Mean()
    model = keras.Model()
    model.parts = [Module(), [dense], {"a": relu}, tf.Variable(1.0), mean, keras.Sequential()]
    assert model.parts.layers == [dense, relu, mean, model.parts[-1]]
    assert model.parts.losses == [] and model.parts.updates == []
    model.templates = [tf.compat.v1.make_template("t", lambda: None)]
    assert model.templates.layers == []


def test_metrics_of_several_outputs_have_their_names_before_their_own():
    layers = tf.keras.layers
    i = layers.Input((3,))
    model = tf.keras.Model(i, [layers.Dense(1, name="near")(i), layers.Dense(1, name="far")(i)])
    mine = tf.keras.metrics.MeanSquaredError(name="far_k")

    def far_share(y_true, y_pred):
        return tf.reduce_mean(y_true - y_pred)

    model.compile("sgd", "mse", metrics={"near": ["mae"], "far": [far_share, mine]})
    x = np.ones((4, 3), np.float32)
    for rows in (4, 3):
        history = model.fit(x[:rows], [x[:rows, :1]] * 2, verbose=0).history
        own = ["near_mae", "far_far_share", "far_far_k"]
        assert list(history) == ["loss", "near_loss", "far_loss", *own]
    assert mine.name == "far_far_k"


def test_inputs_by_the_name_of_older_packages():
    layers = tf.keras.layers
    i = layers.Input((3,), name="i")
    whole = tf.keras.Model(i, layers.Dense(2)(i))
    chain = tf.keras.Sequential([layers.Input((3,), name="i"), layers.Dense(2)])
    for model in (whole, chain):
        assert model._feed_input_names == ["i"] and model._feed_input_shapes == [(None, 3)]
        assert [x is y for x, y in zip(model._feed_inputs, model.inputs, strict=True)] == [True]
    assert not hasattr(tf.keras.Sequential([layers.Dense(2)]), "_feed_inputs")
