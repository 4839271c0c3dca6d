"""Resizing reads no pixel of weight 0: what is not finite stays among the pixels that it belongs to."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import eagerflow as tf

METHODS = [
    "bilinear",
    "nearest",
    "bicubic",
    "area",
    "lanczos3",
    "lanczos5",
    "gaussian",
    "mitchellcubic",
]
SIZES = [(3, 5), (4, 8), (8, 4), (5, 3), (6, 9), (7, 7), (9, 3), (2, 11)]


def image(size, channels):
    return np.random.default_rng(size).random((2, size, size, channels)).astype(np.float32)


def used(method, antialias, size, new):
    """Which pixels of a row each result depends on, by how the results of unit rows differ from 0."""
    rows = np.eye(size, dtype=np.float32).reshape(size, size, 1, 1)
    resized = tf.image.resize(rows, [new, 1], method, antialias=antialias)
    return np.abs(resized.numpy()[:, :, 0, 0]) > 1e-9


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("antialias", [False, True])
@pytest.mark.parametrize("channels", [1, 2, 3, 4, 16])
def test_what_is_not_finite_spreads_by_weights_alone(method, antialias, channels):
    for (size, new), bad in itertools.product(SIZES, (np.nan, np.inf)):
        clean = image(size, channels)
        dirty = clean.copy()
        at = size // 2
        dirty[:, at, at] = bad
        expected = np.outer(*[used(method, antialias, size, new)[at]] * 2)
        for resize in (tf.image.resize, tf.function(tf.image.resize)):
            before = resize(clean, [new, new], method, antialias=antialias).numpy()
            after = resize(dirty, [new, new], method, antialias=antialias).numpy()
            assert (np.isfinite(after) != expected[None, :, :, None]).all(), (size, new, bad)
            assert (after == before)[:, ~expected].all()


@pytest.mark.parametrize("method", ["bilinear", "bicubic", "area"])
@pytest.mark.parametrize("align", [False, True])
def test_version_1(method, align):
    for size, new in SIZES:
        rows = np.eye(size, dtype=np.float32).reshape(size, size, 1, 1)
        resize = getattr(tf.compat.v1.image, f"resize_{method}")
        weights = np.abs(resize(rows, [new, 1], align).numpy()[:, :, 0, 0]) > 1e-9
        dirty = image(size, 2)
        dirty[:, 1] = np.nan
        finite = np.isfinite(resize(dirty, [new, size], align).numpy()).all((0, 2, 3))
        assert (finite != weights[1]).all(), (size, new)


def test_exact_positions_in_other_resamplings():
    x = np.zeros([1, 4, 4, 1], np.float32)
    x[0, 1, 1] = np.nan
    flat = np.float32([[1, 0, 0, 0, 1, 0, 0, 0]])
    moved = tf.raw_ops.ImageProjectiveTransformV2(
        images=x, transforms=flat, output_shape=[4, 4], interpolation="BILINEAR"
    )
    assert np.isnan(moved).sum() == 1
    scaled = tf.raw_ops.ScaleAndTranslate(
        images=x, size=[4, 4], scale=[1.0, 1.0], translation=[1.0, 0.0], kernel_type="lanczos3"
    )
    assert np.isnan(scaled).sum() == 1


def test_gradients_skip_weights_of_zero():
    x = tf.constant(image(3, 1))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.image.resize(x, [5, 5])
    dy = np.ones(y.shape, np.float32)
    dy[:, 2, 2] = np.nan  # which comes from the pixel in the middle alone
    assert np.isnan(tape.gradient(y, x, dy)).sum() == 2
