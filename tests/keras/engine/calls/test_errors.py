"""Errors inside a layer's call name the layer and its arguments."""

from __future__ import annotations

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
