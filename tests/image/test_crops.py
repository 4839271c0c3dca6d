"""Parts of images and their gradients, with numbers that TensorFlow 2.21 gave."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core

BOXES = [[0.1, 0.2, 0.9, 0.8], [1.0, 0.0, 0.25, 1.25]]
WHICH = [1, 0]
IMAGE_GRADIENTS = {
    "bilinear": [
        *(4.5, 0.625, 4.375, 0, 4.5, 0.625, 4.375, 0, 6, 0.875, 6.125, 0),
        *(0, 0.4, 1.36, 0.64, 0.24, 0.86, 1.34, 0.56, 0.96, 3.04, 4, 1.6),
    ],
    "nearest": [
        *(0, 0, 0, 0, 9, 0, 10, 0, 6, 0, 7, 0),
        *(0, 0, 3, 0, 0, 0, 0, 0, 0, 3, 9, 0),
    ],
}
VALUES = {
    "bilinear": [
        *(4.559, 5.1825, 5.846, 9.871, 10.7825, 11.734),
        *(1.6, 2.440625, 0, 0.2, 0.478125, 0),
    ],
    "nearest": [4.225, 4.9, 4.9, 11.025, 12.1, 12.1, 1.6, 2.5, 0, 0.4, 0.9, 0],
}
# Whatever the method, that of the bilinear one.
BOX_GRADIENTS = [19.32, 16.1475, 94.32, 28.1475, 0, 7.6125, 22.7, 7.6125]


def picture():
    return tf.reshape(tf.range(24.0), [2, 3, 4, 1]) ** 2 / 40


@pytest.mark.parametrize("method", ["bilinear", "nearest"])
def test_values_and_gradients(method):
    image, boxes = picture(), tf.constant(BOXES)
    with tf.GradientTape() as tape:
        tape.watch([image, boxes])
        crops = tf.image.crop_and_resize(image, boxes, WHICH, [2, 3], method)
        loss = tf.reduce_sum(crops * tf.reshape(tf.range(12.0), [2, 2, 3, 1]))
    of_image, of_boxes = tape.gradient(loss, [image, boxes])
    np.testing.assert_allclose(np.ravel(crops), VALUES[method], rtol=1e-5)
    np.testing.assert_allclose(np.ravel(of_image), IMAGE_GRADIENTS[method], atol=1e-4)
    np.testing.assert_allclose(np.ravel(of_boxes), BOX_GRADIENTS, atol=2e-4)


@pytest.mark.parametrize(
    ("method", "middle"), [("bilinear", [7.6625, 1.259375]), ("nearest", [8.1, 0.9])]
)
def test_a_single_pixel_is_the_middle(method, middle):
    crops = tf.image.crop_and_resize(picture(), BOXES, WHICH, [1, 1], method)
    np.testing.assert_allclose(np.ravel(crops), middle, rtol=1e-6)


@pytest.mark.parametrize("method", ["bilinear", "nearest"])
def test_the_gradient_is_the_transpose(method):
    """Images and crops have one inner product, whichever side is moved to the other."""
    crop = tf.constant(np.random.default_rng(0).normal(size=[2, 3, 5, 2]), tf.float32)
    image = tf.constant(np.random.default_rng(1).normal(size=[2, 7, 6, 2]), tf.float32)
    moved = _core.ops.crop_and_resize_grad_image(
        crop, BOXES, WHICH, [2, 7, 6, 2], method, tf.float32
    )
    crops = tf.image.crop_and_resize(image, BOXES, WHICH, [3, 5], method)
    there, back = tf.reduce_sum(crops * crop), tf.reduce_sum(image * moved)
    np.testing.assert_allclose(there, back, rtol=1e-4)


def test_the_gradient_has_one():
    image = picture()
    with tf.GradientTape() as outer:
        outer.watch(image)
        with tf.GradientTape() as inner:
            inner.watch(image)
            loss = tf.reduce_sum(tf.image.crop_and_resize(image, BOXES, WHICH, [2, 2]) ** 2)
        slope = tf.reduce_sum(inner.gradient(loss, image))
    # Of a quadratic form, twice its matrix.
    ones = tf.image.crop_and_resize(tf.ones_like(image), BOXES, WHICH, [2, 2])
    twice = _core.ops.crop_and_resize_grad_image(
        2 * ones, BOXES, WHICH, image.shape.as_list(), "bilinear", tf.float32
    )
    np.testing.assert_allclose(outer.gradient(slope, image), twice, rtol=1e-5, atol=1e-6)


def test_no_number_places_a_box():
    crops = tf.image.crop_and_resize(picture(), [[float("nan"), 0, 1, 1]], [0], [2, 2])
    np.testing.assert_array_equal(crops, np.zeros([1, 2, 2, 1]))


def test_an_image_that_is_not_there():
    with pytest.raises(tf.errors.OutOfRangeError):
        tf.image.crop_and_resize(picture(), BOXES, [0, 2], [2, 2])
