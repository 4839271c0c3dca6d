"""What gave other numbers than Keras 2 without a word: metrics, updates, phases, structures, losses."""

import numpy as np
import pytest

import eagerflow as tf

keras = tf.keras
L = keras.layers
X = np.linspace(-1, 1, 32, dtype="float32").reshape(8, 4)
Y = X[:, :1] * 2


def ones(units, name=None, **kwargs):
    return L.Dense(units, kernel_initializer="ones", name=name, **kwargs)


def two_outputs():
    inputs = keras.Input((4,))
    return keras.Model(inputs, [ones(2, "a")(inputs), ones(1, "b")(inputs)])


class TestMetricsOfManyOutputs:
    LABELS = (np.zeros((8, 2), "float32"), np.zeros((8, 1), "float32"))

    def names(self, model, labels, **kwargs):
        model.compile("sgd", "mse", **kwargs)
        return [
            n for n in model.evaluate(X, labels, verbose=0, return_dict=True) if "loss" not in n
        ]

    @pytest.mark.parametrize("count", [1, 2, 3])
    def test_a_flat_list_is_for_every_output(self, count):
        given = ["mse", keras.metrics.BinaryAccuracy(), "mae"][:count]
        found = ["mse", "binary_accuracy", "mae"][:count]
        expected = [f"{output}_{name}" for output in "ab" for name in found]
        assert self.names(two_outputs(), list(self.LABELS), metrics=given) == expected
        assert self.names(two_outputs(), list(self.LABELS), weighted_metrics=given) == expected

    def test_each_output_has_metric_objects_of_its_own(self):
        metric = keras.metrics.MeanSquaredError()
        model = two_outputs()
        model.compile("sgd", "mse", metrics=[metric, "mae"])
        values = model.evaluate(X, list(self.LABELS), verbose=0, return_dict=True)
        assert values["a_mean_squared_error"] == pytest.approx(values["a_loss"])
        assert values["b_mean_squared_error"] == pytest.approx(values["b_loss"])
        assert len(model.compiled_metrics.unweighted_metrics) == 4

    def test_a_nested_list_is_by_output(self):
        assert self.names(two_outputs(), list(self.LABELS), metrics=[["mse"], "mae"]) == [
            "a_mse",
            "b_mae",
        ]
        with pytest.raises(ValueError, match="2 outputs"):
            self.names(two_outputs(), list(self.LABELS), metrics=[["mse"], ["mae"], ["mae"]])

    def test_the_same_object_twice_is_refused(self):
        metric = keras.metrics.BinaryAccuracy()
        with pytest.raises(ValueError, match="Found duplicated metrics object"):
            two_outputs().compile("sgd", "mse", metrics=[[metric], [metric]])

    def test_losses_beyond_the_outputs_are_not_looked_at(self):
        model = keras.Sequential([ones(1, input_shape=(4,))])
        model.compile("sgd", ["mse", "mae"])
        only = keras.Sequential([ones(1, input_shape=(4,))])
        only.compile("sgd", "mse")
        assert model.evaluate(X, Y, verbose=0) == only.evaluate(X, Y, verbose=0)

    def test_nested_outputs_are_named_by_the_way_to_them(self):
        class Nested(keras.Model):
            def call(self, x):
                return [x, {"q": x, "p": [x, x]}]

        labels = [X, {"q": X, "p": [X, X]}]
        assert self.names(Nested(), labels, metrics=["mae"]) == [
            "output_1_mae",
            "output_2_p_1_mae",
            "output_2_p_2_mae",
            "output_2_q_mae",
        ]

    def test_a_list_for_a_dictionary_of_outputs_is_refused(self):
        inputs = keras.Input((4,))
        model = keras.Model(inputs, {"a": ones(2)(inputs), "b": ones(1)(inputs)})
        labels = dict(zip("ab", self.LABELS, strict=True))
        with pytest.raises(TypeError, match="dictionary"):
            self.names(model, labels, metrics=[["mse"], ["mae"]])


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


class TestFunctionsOfSteps:
    def test_callbacks_may_replace_them(self):
        model = keras.Sequential([ones(1)])
        model.compile("sgd", "mse")
        calls = []

        class Replace(keras.callbacks.Callback):
            def replace(self, name):
                before = getattr(model, name)
                setattr(model, name, lambda batches: (calls.append(name), before(batches))[1])

            def on_train_batch_begin(self, batch, logs=None):
                if batch == 1:
                    self.replace("train_function")

            def on_predict_batch_begin(self, batch, logs=None):
                if batch == 3:
                    self.replace("predict_function")

        model.fit(X, Y, batch_size=2, verbose=0, callbacks=[Replace()])
        model.predict(X, batch_size=2, verbose=0, callbacks=[Replace()])
        assert calls == ["train_function"] * 3 + ["predict_function"]

    def test_a_step_on_one_batch_gets_a_tuple(self):
        class Sees(keras.Model):
            def call(self, x):
                return x

            def predict_step(self, data):
                assert isinstance(data, tuple) and len(data) == 1
                return data[0]

        assert Sees().predict_on_batch(X).shape == (8, 4)


class TestStructures:
    def model(self, structure):
        inputs = keras.Input((4,))
        return keras.Model(inputs, structure(ones(1)(inputs)))

    @pytest.mark.parametrize(
        ("structure", "kind"),
        [
            (lambda y: {"out": y}, dict),
            (lambda y: (y,), tuple),
            (lambda y: [y], np.ndarray),
            (lambda y: [[y]], list),
            (lambda y: [{"u": y}], dict),
        ],
    )
    def test_single_outputs_keep_what_is_around_them(self, structure, kind):
        model = self.model(structure)
        assert type(model.predict(X, verbose=0)) is kind
        assert type(model.predict_on_batch(X)) is kind
        called = model(tf.constant(X))
        assert isinstance(called, tf.Tensor if kind is np.ndarray else kind)

    def test_batches_of_inputs_alone(self):
        pack = keras.utils.pack_x_y_sample_weight
        assert pack({"a": 1}) == {"a": 1}
        assert pack([1, 2]) == [1, 2]
        assert pack((1, 2)) == ((1, 2),)
        assert pack(1) == 1 and pack([1], 2) == ([1], 2) and pack(1, None, 3) == 1

    def test_lists_of_inputs_are_no_labels(self):
        a, b = keras.Input((4,)), keras.Input((1,))
        model = keras.Model([a, b], L.Add()([ones(1)(a), b]))
        np.testing.assert_allclose(
            model.predict([X, Y], verbose=0), X.sum(1, keepdims=True) + Y, rtol=1e-5
        )


class TestLossesOfModels:
    def test_symbolic_calls_add_symbolic_losses(self):
        inputs = keras.Input((4,))
        hidden = ones(2, activity_regularizer="l2", kernel_regularizer="l1")(inputs)
        model = keras.Model(inputs, ones(1)(hidden))
        assert len(model.losses) == 2 and isinstance(model.losses[1], tf.Tensor)
        model.add_loss([tf.reduce_mean(hidden), tf.reduce_sum(hidden)])
        assert len(model.losses) == 4
        model(X)
        assert len(model.losses) == 4 and all(isinstance(x, tf.Tensor) for x in model.losses)
        around = keras.Input((4,))
        outer = keras.Model(around, model(around))
        outer(X)
        assert len(outer.losses) == 4

    def test_models_trained_by_their_own_losses_alone(self):
        inputs = keras.Input((4,))
        model = keras.Model(inputs, ones(1)(inputs))
        model.add_loss(tf.reduce_mean(model.output**2))
        model.compile("sgd")
        history = model.fit(X, batch_size=8, verbose=0, epochs=2).history["loss"]
        assert history[0] == pytest.approx(float(np.mean(X.sum(1) ** 2)), rel=1e-5)
        assert history[1] < history[0]

    def test_clones_have_them(self):
        inputs = keras.Input((4,))
        model = keras.Model(inputs, ones(1)(inputs))
        model.add_loss(tf.reduce_sum(model.output**2))
        clone = keras.models.clone_model(model)
        for each in (model, clone):
            each.compile("sgd", "mse")
        expected = model.evaluate(X, Y, verbose=0)
        assert clone.evaluate(X, Y, verbose=0) == pytest.approx(expected)
        assert expected == pytest.approx(46.189392, rel=1e-5)

    def test_one_models_call_leaves_the_losses_of_another(self):
        first, second = (ones(1, activity_regularizer="l2") for _ in range(2))
        first(X)
        value = float(first.losses[0])
        second(2 * X)
        assert float(first.losses[0]) == value
        assert float(second.losses[0]) == pytest.approx(4 * value)
        first(X)
        assert len(first.losses) == 1

    def test_values_outside_of_calls_are_refused(self):
        with pytest.raises(ValueError, match="zero argument `lambda`"):
            ones(1).add_loss(tf.constant(1.0))


class TestMetricsOfLayers:
    def test_two_metrics_of_one_name_are_refused(self):
        class Twice(L.Layer):
            def __init__(self):
                super().__init__()
                self.one, self.other = (keras.metrics.Mean(name="same") for _ in range(2))

            def call(self, x):
                self.add_metric(self.one(x), name="same")
                return x

        with pytest.raises(ValueError, match="2 metrics with the name"):
            Twice()(X)

    def test_a_value_outside_of_calls_is_refused(self):
        inputs = keras.Input((4,))
        outputs = ones(1)(inputs)
        model = keras.Model(inputs, outputs)
        with pytest.raises(ValueError, match="Expected a symbolic Tensor for the metric value"):
            model.add_metric(keras.metrics.Mean()(outputs), name="m")
        model.add_metric(tf.reduce_sum(outputs), name="m")
        model.compile("sgd", "mse")
        values = model.evaluate(X, Y, verbose=0, return_dict=True)
        assert values["m"] == pytest.approx(0.0, abs=1e-4)

    @pytest.mark.parametrize("weighted", [None, []])
    def test_weights_that_no_metric_takes_are_told_of(self, weighted, caplog):
        model = keras.Sequential([ones(1)])
        model.compile(loss="mse", metrics=["mse"], weighted_metrics=weighted)
        model.evaluate(X, Y, sample_weight=np.ones(8, "float32"), verbose=0)
        assert ("received a value for `sample_weight`" in caplog.text) is (weighted is None)


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
                self._parts = [L.Dense(1)]

        with pytest.raises(RuntimeError, match="forgot to call"):
            Early()

    def test_functional_models_take_no_dtype(self):
        inputs = keras.Input((4,))
        for name in ("dtype", "dynamic", "input"):
            with pytest.raises(TypeError, match=f"Keyword argument not understood:', '{name}'"):
                keras.Model(inputs, ones(1)(inputs), **{name: None})

    def test_arguments_that_json_does_not_know(self):
        class Takes(L.Layer):
            def call(self, x, other=None):
                return x

        inputs = keras.Input((4,))
        model = keras.Model(inputs, Takes(name="takes")(inputs, other=object()))
        with pytest.raises(TypeError, match="Layer takes was passed non-JSON-serializable"):
            model.get_config()

    def test_version_1_optimizers_with_nothing_to_train(self):
        model = keras.Sequential([L.ReLU()])
        model.compile(tf.compat.v1.train.GradientDescentOptimizer(0.1), "mse")
        assert model.train_on_batch(X, X) > 0
