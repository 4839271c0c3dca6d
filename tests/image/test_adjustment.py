"""Colours of images that are changed."""

import numpy as np
import pytest

import eagerflow as tf


@pytest.mark.parametrize("factor", [-1.0, 0.0, 0.7, 3.0])
def test_saturation_changes_as_in_hue_saturation_and_value(factor):
    image = np.random.default_rng(0).random((2, 5, 4, 3)).astype(np.float32)
    image[0, 0] = 0.5
    image[0, 1] = 0.0
    hue, saturation, value = tf.unstack(tf.image.rgb_to_hsv(image), axis=-1)
    saturation = tf.clip_by_value(saturation * factor, 0.0, 1.0)
    expected = tf.image.hsv_to_rgb(tf.stack([hue, saturation, value], -1))
    np.testing.assert_allclose(tf.image.adjust_saturation(image, factor), expected, atol=1e-6)


@pytest.mark.parametrize("adjust", [tf.image.adjust_saturation, tf.image.adjust_hue])
def test_images_need_three_channels(adjust):
    with pytest.raises(tf.errors.InvalidArgumentError, match="3 channels but instead has 4"):
        adjust(tf.ones([2, 2, 4]), 0.5)
    later = tf.function(lambda x: adjust(x, 0.5), input_signature=[tf.TensorSpec([2, 2, None])])
    assert later(tf.ones([2, 2, 3])).shape == [2, 2, 3]
    with pytest.raises(tf.errors.InvalidArgumentError):
        later(tf.ones([2, 2, 4]))
