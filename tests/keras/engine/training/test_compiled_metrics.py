"""Which metrics and losses each output gets."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.framework import context

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


def test_a_loss_as_a_metric_gives_the_mean_of_the_batches_means():
    x = np.arange(10, dtype=np.float32)[:, np.newaxis]
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="zeros")])
    loss = tf.keras.losses.MeanSquaredError(name="squares")
    model.compile("sgd", "mse", metrics=[loss], weighted_metrics=["mse"])
    found = model.evaluate(x, x, batch_size=4, verbose=0, return_dict=True)
    batches = [float(np.mean(np.square(x[k : k + 4]))) for k in (0, 4, 8)]
    np.testing.assert_allclose(found["squares"], np.mean(batches), rtol=1e-6)
    np.testing.assert_allclose(found["loss"], np.mean(np.square(x)), rtol=1e-6)


def test_programs_of_version_1_find_metrics_under_its_names(monkeypatch):
    monkeypatch.setattr(context.process, "version_2", False)
    model = tf.keras.Sequential([tf.keras.layers.Dense(3, "softmax", input_shape=(4,))])
    named = tf.keras.metrics.Precision(name="named")
    model.compile("sgd", "categorical_crossentropy", metrics=["accuracy", "mse", "ce", named])
    history = model.fit(tf.ones([4, 4]), tf.eye(3)[:1] * tf.ones([4, 1]), verbose=0).history
    assert list(history) == ["loss", "acc", "mean_squared_error", "ce", "named"]
