"""The call functions of layers of a program's classes in SavedModels."""

import pytest

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


class _Adder(tf.keras.layers.Layer):
    def call(self, x):
        return x + self.kept


class _Outer(tf.keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.inner = _Adder()
        self.dense = tf.keras.layers.Dense(2, kernel_initializer="ones")

    def call(self, x):
        self.inner.kept = self.dense(x)
        return self.inner(x)


def test_a_layer_that_keeps_tensors_of_another_ones_call_is_saved_without_functions(
    tmp_path, caplog
):
    layer = _Outer()
    serve = tf.function(layer, input_signature=[tf.TensorSpec([None, 2])])
    tf.saved_model.save(layer, str(tmp_path), signatures=serve)
    assert "is saved without functions" in caplog.text and "is out of scope" in caplog.text
    loaded = tf.saved_model.load(str(tmp_path))
    (result,) = loaded.signatures["serving_default"](tf.constant([[1.0, 2.0]])).values()
    assert result.numpy().tolist() == [[4.0, 5.0]]
    assert not callable(loaded.inner)


def test_a_layer_that_cannot_be_called_alone_for_another_reason_is_no_such_layer(tmp_path):
    class Failing(tf.keras.layers.Layer):
        fails = False

        def call(self, x):
            if self.fails:
                raise TypeError("of the program")
            return x

    layer = Failing()
    layer(tf.ones([1, 2]))
    layer.fails = True
    with pytest.raises(TypeError, match="of the program"):
        tf.saved_model.save(layer, str(tmp_path))
