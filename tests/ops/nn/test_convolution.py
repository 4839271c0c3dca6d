"""Convolutions use different algorithms for different shapes and dtypes."""

import numpy as np
import pytest

import eagerflow as tf

# [batch, rows, cols, in, out], [rows, cols] of the filter, stride, dilation, padding
GEOMETRIES = {
    "single pixels": ((2, 5, 7, 3, 64), (1, 1), 1, 1, "SAME"),
    "every other pixel": ((2, 5, 7, 3, 64), (1, 1), 2, 1, "SAME"),
    "every third pixel": ((2, 6, 7, 3, 4), (1, 1), 3, 1, "VALID"),
    "few windows": ((1, 4, 3, 40, 96), (3, 3), 2, 1, "SAME"),
    "few windows, dilated": ((2, 5, 5, 64, 64), (3, 3), 1, 2, "VALID"),
    "tiles": ((4, 14, 14, 32, 48), (3, 3), 1, 1, "SAME"),
    "tiles over the borders": ((3, 13, 15, 40, 36), (3, 3), 1, 1, "SAME"),
    "tiles in blocks": ((5, 22, 20, 32, 33), (3, 3), 1, 1, "VALID"),
    "batch in pieces": ((11, 16, 18, 8, 24), (3, 3), 1, 1, "SAME"),
    "rows of one image": ((1, 40, 50, 16, 24), (3, 3), 1, 1, "SAME"),
    "rows, strided": ((1, 41, 50, 24, 16), (5, 3), 2, 1, "SAME"),
    "rows of three images": ((3, 33, 40, 8, 16), (4, 3), 1, 1, "VALID"),
    "rows, dilated": ((1, 64, 50, 8, 16), (3, 3), 1, 3, "SAME"),
    "gaps between windows": ((1, 64, 64, 16, 16), (2, 2), 4, 1, "SAME"),
}


def results(inputs, stride, dilation, padding, dtype):
    """A convolution and its gradients by image and filter."""
    image, filters, weights = (tf.constant(array.astype(dtype)) for array in inputs)
    with tf.GradientTape() as tape:
        tape.watch([image, filters])
        y = tf.nn.conv2d(image, filters, stride, padding, dilations=dilation)
    return [y, *tape.gradient(y, [image, filters], weights)]


@pytest.mark.parametrize("geometry", GEOMETRIES.values(), ids=list(GEOMETRIES))
def test_floats_are_near_doubles(geometry):
    (batch, rows, cols, channels, outputs), window, stride, dilation, padding = geometry
    generator = np.random.default_rng(0)
    image = generator.normal(size=(batch, rows, cols, channels)).astype("f")
    filters = generator.normal(size=(*window, channels, outputs)).astype("f")
    shape = tf.nn.conv2d(image, filters, stride, padding, dilations=dilation).shape
    weights = generator.normal(size=shape).astype("f")
    inputs = [image, filters, weights]
    floats = results(inputs, stride, dilation, padding, "float32")
    doubles = results(inputs, stride, dilation, padding, "float64")
    for near, exact in zip(floats, doubles, strict=True):
        largest = np.abs(exact.numpy()).max()
        np.testing.assert_allclose(near.numpy(), exact.numpy(), rtol=0, atol=1e-5 * largest)


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("strides, dilations", [(1, 1), (2, 1), (1, 2)])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_convolutions_of_doubles(groups, strides, dilations, padding):
    random = np.random.RandomState(0)
    x, filters = random.randn(3, 7, 8, 4), random.randn(3, 2, 4 // groups, 6)

    def convolve(x, filters):
        return tf.nn.conv2d(x, filters, strides, padding, dilations=dilations)

    exact = convolve(x, filters).numpy()
    near = convolve(x.astype("float32"), filters.astype("float32")).numpy()
    np.testing.assert_allclose(exact, near, atol=1e-4)
    weights = random.randn(*exact.shape)
    x, filters = tf.constant(x), tf.constant(filters)
    with tf.GradientTape() as tape:
        tape.watch([x, filters])
        y = tf.reduce_sum(convolve(x, filters) * weights)
    dx, dfilters = tape.gradient(y, [x, filters])
    # The result is linear in each, so its product with the gradient equals the result.
    np.testing.assert_allclose(tf.reduce_sum(dx * x), y, rtol=1e-9)
    np.testing.assert_allclose(tf.reduce_sum(dfilters * filters), y, rtol=1e-9)
