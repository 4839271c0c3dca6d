"""Turned and moved images of tf.contrib.image."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.contrib import image

PIXELS = np.arange(24, dtype=np.float32).reshape(4, 6)


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_quarter_turns(quarters):
    square = PIXELS[:, :4]
    np.testing.assert_array_equal(
        image.rotate(square, quarters * np.pi / 2), np.rot90(square, quarters)
    )
    several = np.stack([square, square + 1])[..., None]
    turned = image.rotate(several, [0.0, quarters * np.pi / 2])
    np.testing.assert_array_equal(turned[0], several[0])
    np.testing.assert_array_equal(turned[1, ..., 0], np.rot90(square + 1, quarters))


def test_moved():
    moved = image.translate(PIXELS[..., None], [2, -1])[..., 0].numpy()
    np.testing.assert_array_equal(moved[:3, 2:], PIXELS[1:, :4])
    assert not moved[3].any() and not moved[:, :2].any()
    half = image.translate(PIXELS, [0.5, 0.0], "BILINEAR").numpy()
    np.testing.assert_allclose(half[:, 1:], PIXELS[:, 1:] - 0.5)


def test_composed():
    turn = image.angles_to_projective_transforms(0.3, 4, 6)
    move = image.translations_to_projective_transforms([1.0, 2.0])
    both = image.compose_transforms(move, turn)
    expected = (
        image.flat_transforms_to_matrices(move)[0] @ image.flat_transforms_to_matrices(turn)[0]
    )
    np.testing.assert_allclose(image.flat_transforms_to_matrices(both)[0], expected, rtol=1e-6)
    np.testing.assert_allclose(image.matrices_to_flat_transforms([2 * np.eye(3)])[0][:2], [1, 0])


def test_sizes_and_gradients():
    assert image.transform(PIXELS, [1.0, 0, 0, 0, 1, 0, 0, 0], output_shape=[2, 3]).shape == (2, 3)
    x = tf.constant(PIXELS)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(image.translate(x, [1.0, 0.0], "BILINEAR") ** 2)
    np.testing.assert_allclose(tape.gradient(y, x)[:, :5], 2 * PIXELS[:, :5], rtol=1e-6)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: image.rotate([1.0, 2.0], 0.1), TypeError),
        (lambda: image.transform(PIXELS, [[[1.0]]]), TypeError),
        (lambda: image.compose_transforms(), ValueError),
    ],
)
def test_refused(call, error):
    with pytest.raises(error):
        call()
