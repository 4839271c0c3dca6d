"""Metrics that layers add."""

import numpy as np
import pytest

import eagerflow as tf

keras = tf.keras


L = keras.layers


X = np.linspace(-1, 1, 32, dtype="float32").reshape(8, 4)


Y = X[:, :1] * 2


def ones(units, name=None, **kwargs):
    return L.Dense(units, kernel_initializer="ones", name=name, **kwargs)


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
