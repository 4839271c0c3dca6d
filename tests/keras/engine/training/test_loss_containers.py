"""The losses and metrics of `compile` as objects that programs make and read by themselves."""

import numpy as np
import pytest

import eagerflow as tf

Y, P = tf.ones([2, 1]), tf.zeros([2, 1])


def compiled(**arguments):
    x = tf.keras.Input([1])
    model = tf.keras.Model(x, {"a": tf.keras.layers.Dense(1, name="a")(x), "b": x * 1.0})
    model.compile("sgd", **arguments)
    return model


def test_losses():
    loss = compiled(loss={"a": "mse", "b": "mae"}, loss_weights={"a": 2.0, "b": 0.5}).compiled_loss
    mean = tf.keras.metrics.Mean(name="mine")
    again = type(loss)(
        loss._user_losses,
        loss_weights=loss._user_loss_weights,
        output_names=["a", "b"],
        total_loss_mean=mean,
    )
    assert not again.built and again.metrics == []
    value = again({"a": Y, "b": Y}, {"a": P, "b": P})
    assert again.built and float(value) == float(mean.result()) == 2.5
    assert [metric.name for metric in again.metrics] == ["mine", "a_loss", "b_loss"]
    assert again._total_loss_mean is mean and again._loss_weights == [2.0, 0.5]
    assert [metric.name for metric in again._per_output_metrics] == ["a_loss", "b_loss"]


def test_metrics():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse", metrics=["mae"], weighted_metrics=["mse"])
    metrics = model.compiled_metrics
    assert not metrics.built
    metrics.update_state(Y, P)
    assert metrics.built
    assert [metric.name for metric in metrics._metrics_in_order] == ["mae", "mse"]


@pytest.mark.parametrize("name", ["mean_of_rows", None])
def test_a_step_with_another_loss(name):
    """A step that clips the gradients of each row, by a loss without the mean over the rows."""

    class Private(tf.keras.Sequential):
        def train_step(self, data):
            x, y = data
            rows = type(self.compiled_loss)(
                tf.keras.losses.MeanSquaredError(reduction="none"),
                total_loss_mean=name and tf.keras.metrics.Mean(name=name),
            )
            with tf.GradientTape() as tape:
                loss = rows(y, self(x, training=True))
            gradients = tape.jacobian(loss, self.trainable_variables)
            means = [tf.reduce_mean(gradient, 0) for gradient in gradients]
            self.optimizer.apply_gradients(zip(means, self.trainable_variables, strict=True))
            return {metric.name: metric.result() for metric in rows.metrics}

    model = Private([tf.keras.layers.Dense(1, use_bias=False, kernel_initializer="zeros")])
    model.compile(tf.keras.optimizers.SGD(0.5), "mse", run_eagerly=True)
    history = model.fit(np.ones([4, 1]), np.ones([4, 1]), verbose=0)
    assert history.history == {name or "loss": [1.0]}
    np.testing.assert_allclose(model.get_weights()[0], [[1.0]])
