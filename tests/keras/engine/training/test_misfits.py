"""Data of the wrong width or rank: however a model runs, the error names the layer and what it expects."""

import numpy as np
import pytest

import eagerflow as tf

L = tf.keras.layers


class Subclassed(tf.keras.Model):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def call(self, x):
        return tf.reduce_sum(self.layer(x), axis=-1, keepdims=True)


class Sequence(tf.keras.utils.Sequence):
    def __init__(self, x, y):
        self.batch = x, y

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return self.batch


def _ones(*shape):
    return np.ones(shape, np.float32)


# Layers with a spec of their inputs: a fitting input, and others.
LAYERS = {
    "dense": (lambda: L.Dense(3), [4], [[5], [], [2, 5]]),
    "conv1d": (lambda: L.Conv1D(2, 2), [5, 3], [[5, 1], [5]]),
    "conv2d": (lambda: L.Conv2D(2, 2), [5, 5, 3], [[5, 5, 1], [5, 5]]),
    "depthwise": (lambda: L.DepthwiseConv2D(2), [5, 5, 3], [[5, 5, 1]]),
    "separable": (lambda: L.SeparableConv2D(2, 2), [5, 5, 3], [[5, 5, 1]]),
    "transposed": (lambda: L.Conv2DTranspose(2, 2), [5, 5, 3], [[5, 5, 1]]),
    "lstm": (lambda: L.LSTM(2), [5, 3], [[5, 4], [5]]),
    "gru": (lambda: L.GRU(2), [5, 3], [[5, 4], [5]]),
    "simple": (lambda: L.SimpleRNN(2), [5, 3], [[5, 4]]),
    "bidirectional": (lambda: L.Bidirectional(L.LSTM(2)), [5, 3], [[5, 4]]),
    "distributed": (lambda: L.TimeDistributed(L.Dense(2)), [5, 3], [[5, 4]]),
    "norm": (lambda: L.BatchNormalization(), [5], [[4]]),
    "group": (lambda: L.GroupNormalization(1), [5], [[4]]),
    "prelu": (lambda: L.PReLU(), [5], [[4]]),
    "repeat": (lambda: L.RepeatVector(2), [5], [[5, 4]]),
}
CASES = [(name, bad) for name, (_, _, wrong) in LAYERS.items() for bad in wrong]
MODELS = ("sequential", "subclassed", "functional", "declared")
WAYS = {
    "fit": lambda m, x, y: m.fit(x, y, verbose=0),
    "fit dataset": lambda m, x, y: m.fit(
        tf.data.Dataset.from_tensor_slices((x, y)).batch(2), verbose=0
    ),
    "fit generator": lambda m, x, y: m.fit((b for b in [(x, y)] * 2), steps_per_epoch=2, verbose=0),
    "fit sequence": lambda m, x, y: m.fit(Sequence(x, y), verbose=0),
    "evaluate": lambda m, x, y: m.evaluate(x, y, verbose=0),
    "predict": lambda m, x, y: m.predict(x, verbose=0),
    "train_on_batch": lambda m, x, y: m.train_on_batch(x, y),
    "test_on_batch": lambda m, x, y: m.test_on_batch(x, y),
    "predict_on_batch": lambda m, x, y: m.predict_on_batch(x),
    "call": lambda m, x, y: m(x),
}


def _model(kind, layer, shape, **options):
    if kind == "sequential":
        model = tf.keras.Sequential([layer])
    elif kind == "declared":
        model = tf.keras.Sequential([tf.keras.Input(shape), layer])
    elif kind == "functional":
        inputs = tf.keras.Input(shape)
        model = tf.keras.Model(inputs, layer(inputs))
    else:
        model = Subclassed(layer)
    model.compile("sgd", "mse", **options)
    return model


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("eager", [False, True])
@pytest.mark.parametrize("kind", MODELS)
def test_all_ways_to_run_a_model_name_the_layer(kind, eager, way):
    model = _model(kind, L.Dense(1, name="first"), [4], run_eagerly=eager)
    run = WAYS[way]
    run(model, _ones(4, 4), _ones(4, 1))
    before = model.get_weights()
    with pytest.raises(ValueError, match='Input 0 of layer ".*" is incompatible') as caught:
        run(model, _ones(4, 5), _ones(4, 1))
    assert "4" in str(caught.value) and "5)" in str(caught.value)
    for old, new in zip(before, model.get_weights(), strict=True):
        np.testing.assert_array_equal(old, new)
    run(model, _ones(4, 4), _ones(4, 1))


@pytest.mark.parametrize(("name", "bad"), CASES)
@pytest.mark.parametrize("kind", ["sequential", "subclassed"])
def test_layers_with_specs_say_what_they_expect(kind, name, bad):
    make, good, _ = LAYERS[name]
    model = _model(kind, make(), good)
    model.predict(_ones(2, *good), verbose=0)
    with pytest.raises(ValueError, match=r'Input 0 of layer ".*" is incompatible.*expected'):
        model.predict(_ones(2, *bad), verbose=0)


def test_text_is_that_of_keras():
    model = _model("sequential", L.Dense(1, name="first"), [4])
    model.fit(_ones(4, 4), _ones(4, 1), verbose=0)
    text = (
        'Input 0 of layer "first" is incompatible with the layer: expected axis -1 of input shape to '
        r"have value 4, but received input with shape \(None, 5\)"
    )
    with pytest.raises(ValueError, match=text):
        model.fit(_ones(4, 5), _ones(4, 1), verbose=0)
    with pytest.raises(ValueError, match=text):
        model.fit(_ones(4, 4), _ones(4, 1), validation_data=(_ones(4, 5), _ones(4, 1)), verbose=0)


def test_other_errors_of_steps_stay():
    model = _model("sequential", L.Dense(1), [4])
    model.fit(_ones(4, 4), _ones(4, 1), verbose=0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        model.fit(_ones(4, 4), _ones(4, 3, 7), verbose=0)

    class Stopping(tf.keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            raise KeyError("mine") from ValueError("cause")

    with pytest.raises(KeyError, match="mine") as caught:
        model.fit(_ones(4, 4), _ones(4, 1), verbose=0, callbacks=[Stopping()])
    assert isinstance(caught.value.__cause__, ValueError)
