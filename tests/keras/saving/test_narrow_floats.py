"""Weights of bfloat16 and float8 in files."""

import numpy as np
import pytest

import eagerflow as tf

K = tf.keras


class Product(K.layers.Layer):
    def __init__(self, kind, **kwargs):
        super().__init__(**kwargs)
        self.kind = kind

    def build(self, shape):
        def initial(shape, dtype):
            return tf.cast(tf.reshape(tf.range(6.0) - 2, shape), dtype)

        self.kernel = self.add_weight(
            "kernel", [3, 2], dtype=self.kind, initializer=initial, trainable=False
        )
        super().build(shape)

    def call(self, x):
        return x @ tf.cast(self.kernel, x.dtype)


KINDS = ["bfloat16", "float8_e4m3fn", "float8_e5m2"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "name", ["a.keras", "a.h5", "model", "a.weights.h5", "b.h5", "a.safetensors", "checkpoint"]
)
def test_weights_stay_what_they_are(name, kind, tmp_path):
    model = K.Sequential([K.Input([3]), Product(kind)])
    x = np.ones([2, 3], np.float32)
    expected, path = model(x), str(tmp_path / name)
    if name in ("a.keras", "a.h5", "model"):
        model.save(path, save_format=None if "." in name else "tf")
        with K.utils.custom_object_scope({"Product": Product}):
            model = K.models.load_model(path)
    else:
        model.save_weights(path)
        kernel = model.layers[0].kernel
        kernel.assign(np.zeros([3, 2], kernel.dtype.as_numpy_dtype))
        model.load_weights(path)
    assert model.weights[0].dtype.name == kind
    np.testing.assert_array_equal(model(x), expected)


@pytest.mark.parametrize("kind", KINDS)
def test_npz_refuses_them(kind, tmp_path):
    model = K.Sequential([K.Input([3]), Product(kind)])
    with pytest.raises(ValueError, match=f"is {kind}, which .* cannot hold"):
        model.save_weights(tmp_path / "a.npz")
