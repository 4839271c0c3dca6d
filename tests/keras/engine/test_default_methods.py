"""Which of Keras's methods say that they are the defaults: packages ask before they add their own."""

import pytest

import eagerflow as tf


def serializable(cls):
    """Adds a configuration to layers that have none of their own, as packages do by decorators."""
    if hasattr(cls.get_config, "_is_default"):
        cls.get_config = lambda self: super(cls, self).get_config() | {"options": self.options}
    return cls


class Options:
    """An argument that is no plain value."""


class Mine(tf.keras.layers.Layer):
    def __init__(self, options, **kwargs):
        super().__init__(**kwargs)
        self.options = "plain" if isinstance(options, Options) else options

    def call(self, x):
        return x


def test_packages_add_configurations():
    with pytest.raises(NotImplementedError, match="get_config"):
        Mine(Options()).get_config()

    @serializable
    class Serializable(Mine):
        pass

    layer = Serializable(Options(), name="mine")
    assert layer.get_config()["options"] == "plain"
    model = tf.keras.Sequential([tf.keras.Input([2]), layer])
    custom = {"Serializable": Serializable}
    again = tf.keras.Sequential.from_config(model.get_config(), custom)
    assert again.get_layer("mine").options == "plain"


@pytest.mark.parametrize(
    "cls, expected",
    [
        (tf.keras.layers.Layer, {"build", "compute_mask", "get_config"}),
        (Mine, {"build", "compute_mask", "get_config"}),
        (tf.keras.Model, {"build", "compute_mask", "get_config"}),
        (tf.keras.Sequential, {"build"}),
    ],
)
def test_which_methods_are_defaults(cls, expected):
    names = ("build", "call", "compute_mask", "get_config")
    assert {name for name in names if hasattr(getattr(cls, name), "_is_default")} == expected
