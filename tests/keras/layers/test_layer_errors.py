"""What layers say about arguments and inputs that do not fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
    (lambda: layers.Permute((0, 1)), "Invalid permutation"),
    (lambda: layers.ZeroPadding2D((1, 2, 3)), "two elements"),
    (lambda: layers.Cropping2D(3)(ones(1, 5, 8, 1)), "greater than the input shape"),
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


@pytest.mark.parametrize(
    ("shape", "message"),
    [((3, 5), "total size of new array must be unchanged"), ((-1, -1), "at most one unknown")],
)
def test_shapes_that_do_not_fit(shape, message):
    layer = layers.Reshape(shape)
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        layer(ones(2, 4, 4))
    with pytest.raises(ValueError, match=message):
        layer(tf.keras.Input((4, 4)))
    with pytest.raises(ValueError, match=message):
        tf.function(layer)(ones(2, 4, 4))


def test_interpolations_that_there_are_not():
    with pytest.raises(NotImplementedError, match="interpolation"):
        layers.UpSampling2D(2, interpolation="linear")


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


@pytest.mark.parametrize(
    "arguments",
    [{"trainable": 1}, {"trainable": "yes"}, {"dynamic": 1}, {"dynamic": None}, {"name": 3}],
    ids=str,
)
def test_arguments_of_all_layers_have_their_types(arguments):
    (name,) = arguments
    with pytest.raises(TypeError, match=f"`{name}` argument"):
        tf.keras.layers.Dense(1, **arguments)
