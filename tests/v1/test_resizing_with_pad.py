"""Images of another size that keep their proportions, as version 1 resizes them."""

import numpy as np
import pytest

import eagerflow as tf

image = tf.compat.v1.image
ONE = tf.reshape(tf.range(12.0), [1, 2, 3, 2])


def test_rows_that_do_not_fit_wholly_are_left_out():
    # Three columns become four, and two rows two and two thirds.
    found = image.resize_image_with_pad(ONE, 4, 4)
    expected = np.zeros((4, 4, 2), "float32")
    expected[0, :, 0] = [0, 1.5, 3, 4]
    expected[1, :, 0] = [6, 7.5, 9, 10]
    expected[:2, :, 1] = expected[:2, :, 0] + 1
    np.testing.assert_allclose(found[0], expected, rtol=1e-6)


def test_a_part_of_a_pixel_counts_for_where_the_image_lies():
    found = image.resize_image_with_pad(ONE, 5, 2)
    expected = np.zeros((5, 2, 2), "float32")
    expected[1] = [[0, 1], [3, 4]]
    np.testing.assert_allclose(found[0], expected, rtol=1e-6)


def test_nearest_neighbours_by_corners():
    found = image.resize_image_with_pad(ONE[0], 3, 9, method=1, align_corners=True)
    assert found.shape == [3, 9, 2]
    assert found[:, :, 0].numpy().tolist() == [
        [0, 0, 0, 2, 2, 4, 0, 0, 0],
        [0, 0, 6, 8, 8, 10, 0, 0, 0],
        [0, 0, 6, 8, 8, 10, 0, 0, 0],
    ]


@pytest.mark.parametrize("size", [(0, 3), (3, 0), (-1, 2)])
def test_sizes_must_be_positive(size):
    with pytest.raises(ValueError, match="must be > 0"):
        image.resize_image_with_pad(ONE, *size)
