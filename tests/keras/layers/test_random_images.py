"""What holds for images changed at random, whatever the values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eagerflow as tf
from layer_cases import values

layers = tf.keras.layers


IMAGES = values(4, 5, 6, 2, low=0.0, high=255.0)


LAYERS = [
    layers.RandomFlip(),
    layers.RandomContrast(0.3),
    layers.RandomBrightness(0.3),
    layers.RandomRotation(0.3),
    layers.RandomTranslation(0.3, 0.3),
    layers.RandomZoom(0.3),
]


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.name)
def test_only_training_changes_images(layer: Any) -> None:
    np.testing.assert_array_equal(layer(IMAGES, training=False).numpy(), IMAGES)
    first, second = layer(IMAGES).numpy(), layer(IMAGES).numpy()
    assert first.shape == IMAGES.shape and np.any(first != second)
    assert layer(IMAGES.astype("uint8")).dtype == tf.float32
    assert layer(IMAGES[0]).shape == IMAGES.shape[1:]
    x = tf.keras.Input([5, 6, 2])
    assert layer(x).shape.as_list() == [None, 5, 6, 2]


def test_flips_are_mirror_images() -> None:
    layer = layers.RandomFlip("horizontal")
    seen = set()
    for _ in range(10):
        for image, result in zip(IMAGES, layer(IMAGES).numpy(), strict=True):
            same, mirrored = np.array_equal(result, image), np.array_equal(result, image[:, ::-1])
            assert same or mirrored
            seen.add(same)
    assert seen == {True, False}


def test_crops_are_parts() -> None:
    layer = layers.RandomCrop(3, 4)
    parts = {
        IMAGES[:, top : top + 3, left : left + 4].tobytes() for top in range(3) for left in range(3)
    }
    found = {layer(IMAGES).numpy().tobytes() for _ in range(60)}
    assert found <= parts and len(found) > 3


def test_known_transformations() -> None:
    """A quarter turn, and moves by whole places."""
    square = values(1, 5, 5, 1)
    turned = layers.RandomRotation((0.25, 0.25))(square).numpy()
    np.testing.assert_allclose(turned[0], np.rot90(square[0]), atol=1e-4)
    moved = layers.RandomTranslation((0.2, 0.2), (-0.4, -0.4), "constant")(square).numpy()
    expected = np.zeros_like(square)
    expected[:, 1:, :3] = square[:, :-1, 2:]
    np.testing.assert_allclose(moved, expected, atol=1e-4)


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match="mode"):
        layers.RandomFlip("diagonal")
    with pytest.raises(ValueError, match="factor"):
        layers.RandomContrast(-0.5)
    with pytest.raises(ValueError, match="factor"):
        layers.RandomBrightness(1.5)
    with pytest.raises(NotImplementedError, match="fill_mode"):
        layers.RandomRotation(0.1, fill_mode="mirror")
    with pytest.raises(NotImplementedError, match="interpolation"):
        layers.RandomZoom(0.1, interpolation="cubic")
    with pytest.raises(ValueError, match="height_factor"):
        layers.RandomTranslation(1.5, 0.0)


@pytest.mark.parametrize("make", [tf.keras.layers.RandomFlip, tf.keras.layers.RandomBrightness])
def test_models_of_random_layers_change_images_unless_told(make: Any) -> None:
    arguments = {"factor": 0.5} if make is tf.keras.layers.RandomBrightness else {}
    images = np.random.RandomState(0).uniform(0, 1, (8, 6, 6, 3)).astype("float32")
    row = tf.keras.Sequential([make(seed=3, **arguments)])
    x = tf.keras.Input((6, 6, 3))
    graph = tf.keras.Model(x, make(seed=3, **arguments)(x))
    for model in (row, graph, tf.keras.Sequential([row])):
        assert np.any(model(images).numpy() != images)
        np.testing.assert_array_equal(model(images, training=False).numpy(), images)
        np.testing.assert_array_equal(model.predict(images, verbose=0), images)
    kept = tf.keras.Sequential([tf.keras.layers.Dropout(0.5)])
    np.testing.assert_array_equal(kept(images).numpy(), images)
