"""What layers say about arguments and inputs that do not fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eagerflow as tf

layers = tf.keras.layers


def ones(*shape: int) -> Any:
    return tf.ones(shape)


def twice(layer: Any, first: Any, second: Any) -> None:
    """A call that fits, and one that does not."""
    layer(first)
    layer(second)


CALLS: list[tuple[Callable[[], Any], str]] = [
    (lambda: layers.Dense(0), "positive integer"),
    (lambda: layers.Dense(3)(ones(4)), r'Input 0 of layer "dense.*" is .*expected min_ndim=2'),
    (
        lambda: twice(layers.Dense(3, name="head"), ones(2, 4), ones(2, 5)),
        r'layer "head" .*axis -1 .* value 4, .* shape \(2, 5\)',
    ),
    (lambda: layers.Dense(3).build((None, None)), "last dimension .* should be defined"),
    (lambda: layers.Dense(3, units_=4), "units_"),
    (lambda: layers.Dense(3, activation="rleu"), "relu"),
    (lambda: layers.Embedding(0, 3), "should be positive"),
    (lambda: layers.Embedding(3, 4, input_length=5).compute_output_shape((2, 4)), "input_length"),
    (lambda: layers.Conv2D(0, 3), "filters"),
    (lambda: layers.Conv2D(3, (3, 3, 3)), "kernel_size.*tuple of 2 integers"),
    (lambda: layers.Conv2D(3, 0), "does not satisfy the requirement `> 0`"),
    (lambda: layers.Conv2D(3, 3, strides=2, dilation_rate=2), "not supported in conjunction"),
    (lambda: layers.Conv2D(3, 3, groups=2), "evenly divisible"),
    (lambda: layers.Conv2D(4, 3, groups=2)(ones(1, 5, 5, 3)), "input channels"),
    (lambda: layers.Conv2D(3, 3, padding="causal"), "Causal padding"),
    (lambda: layers.Conv2D(3, 3, padding="full"), "padding"),
    (lambda: layers.Conv2D(3, 3, data_format="NHWC"), "data_format"),
    (lambda: layers.Conv2D(3, 5)(ones(1, 3, 3, 1)), "due to downsampling in conv2d"),
    (lambda: layers.Conv2D(3, 3)(ones(4, 8, 8)), "expected min_ndim=4, found ndim=3"),
    (lambda: layers.Conv2D(3, 3).build((None, 8, 8, None)), "channel dimension"),
    (lambda: layers.Conv2DTranspose(3, 3, output_padding=1), "greater than output padding"),
    (lambda: layers.Conv1DTranspose(3, 3)(ones(2, 3, 4, 5)), "rank 3"),
    (lambda: layers.MaxPooling2D()(ones(2, 4, 4)), "expected ndim=4, found ndim=3"),
    (lambda: layers.GlobalAveragePooling2D()(ones(2, 4)), "expected ndim=4"),
    (lambda: layers.Reshape((3, 5))(ones(2, 4, 4)), "total size of new array must be unchanged"),
    (lambda: layers.Reshape((-1, -1))(ones(2, 4)), "at most one unknown dimension"),
    (lambda: layers.Permute((0, 1)), "Invalid permutation"),
    (lambda: layers.ZeroPadding2D((1, 2, 3)), "two elements"),
    (lambda: layers.Cropping2D(3)(ones(1, 5, 8, 1)), "greater than the input shape"),
    (lambda: layers.UpSampling2D(2, interpolation="linear"), "interpolation"),
    (lambda: layers.Add()(ones(2, 3)), "list of inputs"),
    (lambda: layers.Add()([ones(2, 3), ones(2, 4)]), "incompatible shapes"),
    (lambda: layers.Add()([ones(2, 3), ones(3, 3)]), "different batch sizes"),
    (lambda: layers.Subtract()([ones(2, 3)] * 3), "exactly 2 inputs"),
    (lambda: layers.Concatenate()([ones(2, 3), ones(2, 3, 1)]), "matching shapes"),
    (lambda: layers.Concatenate()([ones(2, 3, 1), ones(2, 4, 1)]), "matching shapes"),
    (lambda: layers.Dot(axes=1)([ones(2, 3), ones(2, 4)]), "axis values 3 .* != 4"),
    (lambda: layers.Dot(axes=(1, 2, 3)), "two elements"),
    (lambda: layers.BatchNormalization(axis=3)(ones(2, 3)), "Invalid value for `axis`"),
    (lambda: layers.LayerNormalization(axis=[1, 1])(ones(2, 3)), "Duplicate axis"),
    (lambda: layers.GroupNormalization(3)(ones(2, 4)), "multiple"),
    (lambda: layers.GroupNormalization(8)(ones(2, 4)), "more than the number of channels"),
    (lambda: layers.Dropout(1.5), "Invalid value 1.5 received for `rate`"),
    (lambda: layers.ReLU(max_value=-1), "negative value"),
    (lambda: layers.ThresholdedReLU(-1), "should be >=0"),
    (lambda: layers.LeakyReLU(alpha=None), "cannot be None"),
    (lambda: layers.Attention()(ones(2, 3, 4)), "must be called on a list"),
    (lambda: layers.Attention()([ones(2, 3, 4)]), "length 2 or 3"),
    (lambda: layers.Attention(score_mode="sum"), "score_mode"),
    (lambda: layers.EinsumDense("abc,cd", 3)(ones(2, 3, 4)), "Invalid einsum equation"),
    (lambda: layers.EinsumDense("ab,bc->ad", 3)(ones(2, 3)), "'d'"),
    (lambda: layers.EinsumDense("ab,bc->ac", 3, bias_axes="z")(ones(2, 3)), "Bias dimension"),
    (lambda: layers.TimeDistributed("dense"), "Layer"),
    (lambda: layers.Wrapper(3), "valid Keras layer"),
    (lambda: layers.SpectralNormalization(layers.Flatten())(ones(2, 3)), "no attribute 'kernel'"),
    (lambda: layers.LocallyConnected1D(2, 3, padding="same"), 'only "valid"'),
    (lambda: layers.Hashing(0), "num_bins"),
    (lambda: layers.HashedCrossing(3)([tf.constant(["a"])]), "at least two inputs"),
    (lambda: layers.deserialize({}), "empty config"),
]


@pytest.mark.parametrize(("call", "message"), CALLS, ids=[message for _, message in CALLS])
def test_message(call: Callable[[], Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        call()


def test_rows_outside_of_a_table() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="5"):
        layers.Embedding(3, 2)(tf.constant([[0, 5]]))


def test_dropout_keeps_the_mean() -> None:
    x = tf.ones([200, 200])
    for rate in (0.1, 0.5, 0.9):
        y = layers.Dropout(rate)(x, training=True).numpy()
        assert abs(np.mean(y == 0) - rate) < 0.02
        np.testing.assert_allclose(y[y > 0], 1 / (1 - rate), rtol=1e-5)
    noisy = layers.GaussianNoise(0.5)(x, training=True).numpy() - 1
    assert abs(noisy.std() - 0.5) < 0.02 and abs(noisy.mean()) < 0.02
    alpha = layers.AlphaDropout(0.3)(tf.random.normal([300, 300]), training=True).numpy()
    assert abs(alpha.mean()) < 0.05 and abs(alpha.std() - 1) < 0.05


def test_batch_normalization_learns_averages() -> None:
    layer = layers.BatchNormalization(momentum=0.5)
    x = tf.constant([[1.0, 10.0], [3.0, 30.0]])
    for _ in range(30):
        layer(x, training=True)
    np.testing.assert_allclose(layer.moving_mean.numpy(), [2.0, 20.0], rtol=1e-5)
    np.testing.assert_allclose(layer.moving_variance.numpy(), [1.0, 100.0], rtol=1e-5)
    before = layer.moving_mean.numpy()
    layer.trainable = False
    layer(x * 5.0, training=True)
    np.testing.assert_array_equal(layer.moving_mean.numpy(), before)


def test_masks_pass_through_layers() -> None:
    ids = tf.constant([[1, 2, 0], [3, 0, 0]])
    embedded = layers.Embedding(5, 4, mask_zero=True)(ids)
    mask = ids.numpy() != 0
    through = layers.Dropout(0.5)(layers.Activation("relu")(layers.Dense(3)(embedded)))
    np.testing.assert_array_equal(through._keras_mask.numpy(), mask)
    mean = layers.GlobalAveragePooling1D()(embedded)
    expected = embedded.numpy()[0, :2].mean(0)
    np.testing.assert_allclose(mean.numpy()[0], expected, rtol=1e-5)
    both = layers.Concatenate(axis=1)([embedded, embedded])
    np.testing.assert_array_equal(both._keras_mask.numpy(), np.concatenate([mask, mask], 1))
    added = layers.Add()([embedded, layers.Masking()(tf.ones([2, 3, 4]))])
    np.testing.assert_array_equal(added._keras_mask.numpy(), mask)
    assert getattr(layers.Flatten()(embedded), "_keras_mask", None) is None
    heads = layers.MultiHeadAttention(2, 3)
    _, weights = heads(embedded, embedded, return_attention_scores=True)
    assert np.all(weights.numpy()[0, :, :2, 2] < 1e-6)


@pytest.mark.parametrize(
    "layer",
    [
        lambda: tf.keras.layers.Conv2D(2, 5),
        lambda: tf.keras.layers.MaxPooling2D(5),
        lambda: tf.keras.layers.AveragePooling2D((2, 6)),
    ],
)
def test_windows_larger_than_inputs(layer):
    inputs = tf.keras.Input((4, 4, 3))
    with pytest.raises(ValueError, match="Negative dimension size"):
        layer()(inputs)
    assert layer()(tf.keras.Input((8, 8, 3))).shape.rank == 4
    assert layer()(tf.keras.Input((None, None, 3))).shape.as_list()[1:3] == [None, None]


def test_a_layer_may_come_twice():
    layer = tf.keras.layers.Dense(2)
    model = tf.keras.Sequential([tf.keras.Input((2,)), layer, layer])
    assert len(model.layers) == 2 and len(model.weights) == 2
    with pytest.raises(ValueError, match="unique names"):
        model.add(tf.keras.layers.Dense(2, name=layer.name))


class Failing(layers.Layer):
    def __init__(self, error: Exception, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.error = error
        self.fails = True

    def call(self, inputs: Any, extra: Any = None, training: Any = None) -> Any:
        if self.fails:
            raise self.error
        return inputs


class TwoArguments(Exception):
    def __init__(self, first: int, second: int) -> None:
        super().__init__(first, second)


EXPECTED = """Exception encountered when calling layer 'broken' (type Failing).

wrong

Call arguments received by layer 'broken' (type Failing):
  • inputs=tf.Tensor(shape=(2, 4), dtype=float32)
  • extra=None
  • training=None"""


def test_errors_inside_layers_name_the_layer_and_its_arguments() -> None:
    with pytest.raises(ValueError) as raised:
        Failing(ValueError("wrong"), name="broken")(ones(2, 4))
    assert str(raised.value) == EXPECTED
    assert raised.value.__suppress_context__


def test_layers_that_take_the_short_way_are_named_too() -> None:
    layer = Failing(ValueError("wrong"), name="broken")
    layer.fails = False
    layer(ones(2, 4))
    layer(ones(2, 4))
    layer.fails = True
    with pytest.raises(ValueError) as raised:
        layer(ones(2, 4))
    assert str(raised.value) == EXPECTED


def test_the_innermost_layer_is_named_once() -> None:
    model = tf.keras.Sequential([layers.Dense(4), Failing(RuntimeError("deep"), name="inner")])
    with pytest.raises(RuntimeError) as raised:
        model(ones(2, 4))
    assert str(raised.value).count("Exception encountered") == 1
    assert "'inner' (type Failing)" in str(raised.value)


def test_symbolic_calls_show_sizes_that_are_not_known() -> None:
    with pytest.raises(ValueError, match=r"calling layer 'broken'") as raised:
        Failing(ValueError("wrong"), name="broken")(tf.keras.Input((4,)))
    assert "inputs=tf.Tensor(shape=(None, 4), dtype=float32)" in str(raised.value)


def test_classes_of_errors_stay_where_a_message_makes_one() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes") as raised:
        layers.Lambda(lambda x: x + ones(3), name="sum")(ones(2, 4))
    assert raised.value.error_code == 3 and "layer 'sum' (type Lambda)" in raised.value.message
    with pytest.raises(KeyError, match="calling layer"):
        Failing(KeyError("k"))(ones(1))
    with pytest.raises(RuntimeError, match="calling layer"):
        Failing(TwoArguments(1, 2))(ones(1))


def test_structures_of_arguments_are_shown_briefly() -> None:
    with pytest.raises(ValueError) as raised:
        Failing(ValueError("wrong"))([ones(1), {"k": ones(2)}], extra=(ones(3), 2), training=True)
    text = str(raised.value)
    shown = "tf.Tensor(shape=({0},), dtype=float32)".format
    assert f"inputs=['{shown(1)}', {{'k': '{shown(2)}'}}]" in text
    assert f"extra=('{shown(3)}', '2')" in text and "training=True" in text


def test_wrong_arguments_and_inputs_are_told_as_they_are() -> None:
    layer = Failing(ValueError("wrong"))
    with pytest.raises(TypeError, match="unexpected keyword argument 'other'") as raised:
        layer(ones(1), other=1)
    assert "Exception encountered" not in str(raised.value)
    with pytest.raises(ValueError, match="^Input 0 of layer"):
        twice(layers.Dense(3), ones(2, 4), ones(2, 5))


def test_bidirectional_needs_a_recurrent_layer() -> None:
    with pytest.raises(ValueError, match="recurrent layers.* Dense.* 'go_backwards'"):
        layers.Bidirectional(layers.Dense(2))
    with pytest.raises(ValueError, match="recurrent layers.* Dense"):
        layers.Bidirectional(layers.LSTM(2), backward_layer=layers.Dense(2))
