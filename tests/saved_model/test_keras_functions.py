"""The call functions of layers of a program's classes in SavedModels."""

import eagerflow as tf


def test_a_layers_own_call_method_has_fewer_arguments(tmp_path):
    class Scaled(tf.keras.layers.Layer):
        def call(self, x, by=None, shift=None):
            return x * by + shift

        def __call__(self, x, by=None, **kwargs):
            return super().__call__(x, by, tf.ones_like(x))

    class Whole(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.scaled = Scaled()

        def call(self, x):
            return self.scaled(x, 2.0 * tf.ones_like(x))

    model = Whole()
    expected = model(tf.constant([[3.0]]))
    model.save(str(tmp_path / "whole"))
    loaded = tf.saved_model.load(str(tmp_path / "whole"))
    assert loaded(tf.constant([[3.0]])).numpy() == expected.numpy() == [[7.0]]
