"""Models called with other weights: names, state, structures, errors."""

import numpy as np
import pytest

import eagerflow as tf

call = tf.func.functional_call
X = np.array([[1.0, 2.0, -1.0], [0.5, 0.0, 3.0]], np.float32)


class Block(tf.Module):
    def __init__(self, value):
        super().__init__()
        self.scale = tf.Variable(value)
        self.shift = tf.Variable(0.0)

    def __call__(self, x):
        return self.scale * x + self.shift


class Net(tf.Module):
    def __init__(self):
        super().__init__()
        self.blocks = [Block(2.0), Block(3.0)]
        self.head = {"out": tf.Variable(1.0)}

    def __call__(self, x, *, power=1):
        for block in self.blocks:
            x = block(x)
        return (self.head["out"] * x) ** power


def test_names_are_paths_where_names_are_ambiguous():
    net = Net()
    assert call(net, {"blocks.1.scale": 5.0}, tf.constant(1.0)).numpy() == 10.0
    assert call(net, {"head.out": 2.0, "blocks.0.shift": 1.0}, tf.constant(1.0)).numpy() == 18.0
    assert call(net, {"head.out": 2.0}, (1.0,), {"power": 2}).numpy() == 144.0
    gradients = tf.func.grad(lambda w: call(net, w, 1.0))({"blocks.0.scale": 2.0, "head.out": 1.0})
    assert {name: float(value) for name, value in gradients.items()} == {
        "blocks.0.scale": 3.0,
        "head.out": 6.0,
    }
    with pytest.raises(ValueError, match=r"5 variables named Variable.*'blocks\.0\.scale'"):
        call(net, {"Variable:0": 1.0}, 1.0)


@pytest.mark.parametrize("traced", [False, True])
def test_mappings(traced):
    model = tf.keras.Sequential(
        [
            tf.keras.Input([3]),
            tf.keras.layers.Dense(2, name="one"),
            tf.keras.layers.Dense(1, name="two"),
        ]
    )
    kernel = tf.ones([3, 2])

    def run(kernel, weights):
        return call(model, weights, X)

    run = tf.function(run) if traced else run
    expected = (X @ np.ones([3, 2])) @ model.layers[1].kernel.numpy()
    for weights in (
        {"one/kernel": kernel},
        {"one/kernel:0": kernel},
        {"one": {"kernel": kernel}},
        ({"one/kernel": kernel}, {"one/bias": tf.zeros([2])}),
        [{"one": {"kernel": kernel}}, {"two": {"bias": tf.zeros([1])}}],
    ):
        np.testing.assert_allclose(run(kernel, weights), expected, rtol=1e-6)
    everything = {v.name: v.value() for v in model.variables}
    np.testing.assert_allclose(call(model, everything, X, strict=True), model(X))
    np.testing.assert_allclose(call(model, {}, X), model(X))
    with pytest.raises(ValueError, match="none for .*two/bias:0"):
        call(model, {"one/kernel": kernel}, X, strict=True)
    with pytest.raises(ValueError, match="two weights for one/kernel:0"):
        call(model, {"one/kernel": kernel, "one/kernel:0": kernel}, X)
    with pytest.raises(
        ValueError, match="0 variables named nothing. Its variables are.*one/kernel:0"
    ):
        call(model, {"nothing": kernel}, X)
    with pytest.raises(
        ValueError, match=r"float32 of shape \(3, 2\), got float32 of shape \(2, 3\)"
    ):
        call(model, {"one/kernel": tf.ones([2, 3])}, X)
    with pytest.raises(ValueError, match="must be float32"):
        call(model, {"one/kernel": tf.ones([3, 2], tf.int32)}, X)


def test_arguments_by_name():
    class Scaled(tf.keras.layers.Layer):
        def build(self, shape):
            self.factor = self.add_weight("factor", [], initializer="ones")
            super().build(shape)

        def call(self, inputs, training=False):
            return inputs * self.factor * (2.0 if training else 1.0)

    layer = Scaled()
    layer.build([None])
    assert call(layer, [3.0], tf.constant([1.0]), {"training": True}).numpy() == [6.0]
    assert call(layer, [3.0], kwargs={"inputs": tf.constant([1.0])}).numpy() == [3.0]


@pytest.mark.parametrize("traced", [False, True])
def test_state_lasts_as_long_as_the_call(traced):
    model = tf.keras.Sequential(
        [tf.keras.Input([3]), tf.keras.layers.BatchNormalization(), tf.keras.layers.Dropout(0.5)]
    )
    before = [w.copy() for w in model.get_weights()]

    def loss(weights, x):
        return tf.reduce_sum(call(model, weights, x, {"training": True}) ** 2)

    gradient = tf.func.grad(loss)
    gradient = tf.function(gradient) if traced else gradient
    found = gradient([v.value() for v in model.trainable_variables], tf.constant(X))
    assert all(np.isfinite(g).all() for g in found)
    for old, new in zip(before, model.get_weights(), strict=True):
        np.testing.assert_array_equal(old, new)
    examples = tf.func.vmap(gradient, (None, 0))(
        [v.value() for v in model.trainable_variables], tf.constant(X)[:, None]
    )
    assert [g.shape.as_list() for g in examples] == [[2, 3], [2, 3]]


def test_unbuilt_models():
    with pytest.raises(ValueError, match="has it been built"):
        call(tf.keras.layers.Dense(2), [tf.ones([3, 2]), tf.ones([2])], X)
