"""tf.contrib's resampler, warps, splines, regions, and sparse probabilities."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.contrib import image, resampler, sparsemax

v1 = tf.compat.v1
RNG = np.random.RandomState(1)
IMAGES = RNG.normal(size=[2, 5, 6, 3]).astype(np.float32)


def at(images, y, x, clamp):
    """One pixel between four others."""
    height, width = images.shape[:2]
    if clamp:
        y, x = np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)
    total = 0
    for row in (int(np.floor(y)), int(np.floor(y)) + 1):
        for column in (int(np.floor(x)), int(np.floor(x)) + 1):
            if 0 <= row < height and 0 <= column < width:
                total = total + images[row, column] * (1 - abs(y - row)) * (1 - abs(x - column))
    return total + np.zeros(images.shape[2])


def test_points_of_images():
    points = RNG.uniform(-2, 7, [2, 4, 3, 2]).astype(np.float32)
    found = resampler.resampler(IMAGES, points).numpy()
    assert found.shape == (2, 4, 3, 3)
    for where in np.ndindex(2, 4, 3):
        x, y = points[where]
        np.testing.assert_allclose(found[where], at(IMAGES[where[0]], y, x, False), atol=1e-5)


def test_points_have_gradients():
    points = tf.Variable(RNG.uniform(0.1, 3.9, [2, 4, 2]))
    images = tf.Variable(IMAGES.astype(np.float64))
    (of_images, of_points), (images_numeric, points_numeric) = tf.test.compute_gradient(
        resampler.resampler, [images, points]
    )
    np.testing.assert_allclose(of_images, images_numeric, atol=1e-6)
    np.testing.assert_allclose(of_points, points_numeric, atol=1e-6)


def test_flows():
    flow = RNG.uniform(-3, 3, [2, 5, 6, 2]).astype(np.float32)
    found = image.dense_image_warp(IMAGES, flow).numpy()
    for b, j, i in np.ndindex(2, 5, 6):
        y, x = j - flow[b, j, i, 0], i - flow[b, j, i, 1]
        np.testing.assert_allclose(found[b, j, i], at(IMAGES[b], y, x, True), atol=1e-5)
    with tf.Graph().as_default(), v1.Session() as session:
        given = v1.placeholder(tf.float32, [None, None, None, 3])
        warped = image.dense_image_warp(given, flow)
        np.testing.assert_allclose(session.run(warped, {given: IMAGES}), found, atol=1e-5)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_splines(order):
    points = RNG.uniform(size=[2, 9, 2])
    values = RNG.normal(size=[2, 9, 3])
    met = image.interpolate_spline(points, values, points, order)
    np.testing.assert_allclose(met, values, atol=1e-4)
    # They are exact for linear functions, everywhere.
    linear = points @ np.array([[2.0], [-1.0]]) + 3.0
    queries = RNG.uniform(-1, 2, [2, 5, 2])
    found = image.interpolate_spline(points, linear, queries, order)
    np.testing.assert_allclose(found, queries @ [[2.0], [-1.0]] + 3.0, atol=1e-4)
    smooth = image.interpolate_spline(points, values, points, order, regularization_weight=10.0)
    assert np.abs(smooth - values).max() > 1e-2


def test_a_spline_is_scipys():
    interpolate = pytest.importorskip("scipy.interpolate")
    points, values = RNG.uniform(size=[1, 12, 2]), RNG.normal(size=[1, 12, 1])
    queries = RNG.uniform(size=[1, 7, 2])
    expected = interpolate.RBFInterpolator(points[0], values[0], kernel="thin_plate_spline")
    found = image.interpolate_spline(points, values, queries, 2)
    np.testing.assert_allclose(found[0], expected(queries[0]), atol=1e-5)


def test_points_move():
    dot = np.zeros([1, 9, 9, 1], np.float32)
    dot[0, 3, 3] = 1.0
    source, target = np.array([[[3.0, 3.0]]], np.float32), np.array([[[5.0, 4.0]]], np.float32)
    warped, flow = image.sparse_image_warp(dot, source, target, num_boundary_points=2)
    np.testing.assert_allclose(warped[0, 5, 4, 0], 1.0, atol=1e-3)
    np.testing.assert_allclose(flow[0, 5, 4], [2, 1], atol=1e-3)
    corners = flow.numpy()[0, [0, 0, 8, 8], [0, 8, 0, 8]]
    np.testing.assert_allclose(corners, np.zeros([4, 2]), atol=1e-3)
    with pytest.raises(ValueError, match="positive"):
        image.sparse_image_warp(dot, source, target, num_boundary_points=-1)


def test_regions():
    ndimage = pytest.importorskip("scipy.ndimage")
    spots = RNG.uniform(size=[3, 20, 30]) < 0.5
    found = image.connected_components(spots).numpy()
    last = 0
    for labels, one in zip(found, spots, strict=True):
        expected, count = ndimage.label(one)
        assert (labels[one] > last).all() and (labels[~one] == 0).all()
        pairs = sorted({*zip(labels[one].tolist(), expected[one].tolist(), strict=True)})
        assert [label for label, _ in pairs] == list(range(last + 1, last + count + 1))
        assert len({number for _, number in pairs}) == count
        last += count
    numbers = image.connected_components(tf.constant([[1, 1, 2], [0, 1, 2], [3, 0, 2]]))
    assert numbers.numpy().tolist() == [[1, 1, 2], [0, 1, 2], [3, 0, 2]]
    with pytest.raises(TypeError, match="rank"):
        image.connected_components([1, 0])


def test_sparse_probabilities():
    z = RNG.normal(size=[20, 6]) * 2
    found = sparsemax.sparsemax(z).numpy()
    np.testing.assert_allclose(found.sum(1), 1)
    assert (found == 0).any() and (found >= 0).all()
    # No other probabilities are nearer.
    for other in RNG.dirichlet(np.ones(6), 200):
        assert (((found - z) ** 2).sum(1) <= ((other - z) ** 2).sum(1) + 1e-9).all()
    labels, logits = RNG.dirichlet(np.ones(6), 20), tf.Variable(z)
    with tf.GradientTape() as tape:
        probabilities = sparsemax.sparsemax(logits)
        losses = sparsemax.sparsemax_loss(logits, probabilities, labels)
    assert losses.shape == [20] and (losses.numpy() >= 0).all()
    np.testing.assert_allclose(tape.gradient(losses, logits), found - labels, atol=1e-6)
