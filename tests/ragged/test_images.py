"""Images of different sizes in one ragged tensor."""

import numpy as np
import pytest

import eagerflow as tf


def test_each_image_is_resized():
    pixels = [np.arange(n * m, dtype=np.float32).reshape(n, m, 1) for n, m in ((2, 3), (4, 1))]
    images = tf.ragged.stack([tf.constant(part) for part in pixels])
    found = tf.image.resize(images, [2, 2])
    assert found.shape == [2, 2, 2, 1]
    for k, part in enumerate(pixels):
        np.testing.assert_allclose(found[k], tf.image.resize(part, [2, 2]))


def test_ragged_images_have_a_batch_axis():
    with pytest.raises(ValueError):
        tf.image.resize(tf.ragged.constant([[[1.0], [2.0]]]), [1, 1])
