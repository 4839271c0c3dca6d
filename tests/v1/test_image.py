"""Images of version 1's graphs, whose sizes may be known only when they run."""

import numpy as np
import pytest

import eagerflow as tf

v1 = tf.compat.v1
image = v1.image
METHODS = ("bilinear", "nearest", "bicubic", "area")
PICTURE = np.random.default_rng(0).integers(0, 255, (6, 8, 3)).astype("uint8")


def in_graph(compute, shape=(None, None, 3)):
    """The result of `compute(picture, size)`, which knows no sizes, and its static shape and dtype."""
    with tf.Graph().as_default(), v1.Session() as session:
        picture = v1.placeholder(tf.uint8, shape)
        size = v1.placeholder(tf.int32, [2])
        result = compute(picture, size)
        return session.run(result, {picture: PICTURE, size: [4, 5]}), result.shape, result.dtype


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shape", [(None, None, 3), (6, 8, 3)])
def test_resize_to_a_size_that_is_fed(method, shape):
    found, static, dtype = in_graph(lambda p, size: image.resize_images(p, size, method), shape)
    expected = image.resize_images(PICTURE, [4, 5], method)
    assert static.as_list() == [None, None, 3] and dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_resize_images_of_unknown_size(method):
    found, static, _ = in_graph(lambda p, size: image.resize_images(p, [4, 5], method))
    assert static == [4, 5, 3]
    np.testing.assert_allclose(found, image.resize_images(PICTURE, [4, 5], method), rtol=1e-6)


@pytest.mark.parametrize("fed", [True, False])
def test_resize_in_proportion(fed):
    found, *_ = in_graph(
        lambda p, size: image.resize_images(p, size if fed else [4, 5], preserve_aspect_ratio=True)
    )
    np.testing.assert_allclose(
        found, image.resize_images(PICTURE, [4, 5], preserve_aspect_ratio=True), rtol=1e-6
    )


@pytest.mark.parametrize("fed", [True, False])
@pytest.mark.parametrize("method", ["bilinear", "nearest"])
def test_resize_with_pad(fed, method):
    found, static, dtype = in_graph(
        lambda p, size: image.resize_image_with_pad(
            p, size[0] if fed else 4, size[1] if fed else 5, method
        )
    )
    expected = image.resize_image_with_pad(PICTURE, 4, 5, method)
    assert static.as_list() == ([None, None, 3] if fed else [4, 5, 3])
    assert dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_boxes_have_colors_where_none_are_given():
    boxes = [[[0.0, 0.0, 1.0, 1.0]]]
    drawn = image.draw_bounding_boxes(tf.zeros([1, 3, 3, 1]), boxes)
    assert drawn[0, :, :, 0].numpy().tolist() == [[1, 1, 1], [1, 0, 1], [1, 1, 1]]
    drawn = image.draw_bounding_boxes(tf.zeros([1, 3, 3, 1]), boxes, "named", [[5.0]])
    assert drawn[0, 0, 0, 0].numpy() == 5
