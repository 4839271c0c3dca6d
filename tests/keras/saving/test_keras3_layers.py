"""Models of the layers that Keras 3 describes otherwise, in files that Keras 3.15 wrote, and back."""

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.keras.saving import keras3

FOLDER = Path(__file__).parent / "saved"
layers = tf.keras.layers


@pytest.mark.parametrize(
    "file", ["k3_images.keras", "k3_tokens.keras", "k3_tokens.h5", "k3_attention.keras"]
)
def test_models_of_keras_3(file):
    model = tf.keras.models.load_model(FOLDER / file)
    with np.load(FOLDER / f"{file.partition('.')[0]}.npz") as saved:
        x, y = saved["x"], saved["y"]
    np.testing.assert_allclose(model(x), y, rtol=1e-4, atol=1e-6)
    if file.startswith("k3_attention"):
        assert int(model.optimizer.iterations) == 1
        model.fit(x, np.zeros_like(y), verbose=0)


# Padding, slices, a concatenation and bins that were adapted; words.
@pytest.mark.parametrize("file", ["k3_parts", "k3_text"])
def test_operations_and_text_of_keras_3(file):
    model = tf.keras.models.load_model(FOLDER / f"{file}.keras")
    with np.load(FOLDER / f"{file}.npz") as saved:
        for k, output in enumerate(tf.nest.flatten(model(tf.constant(saved["x"])))):
            np.testing.assert_allclose(output, saved[f"y{k}"], rtol=1e-5)


@pytest.mark.parametrize("file", ["k3_lamb", "k3_nadam"])
def test_optimizers_of_keras_3(file):
    model = tf.keras.models.load_model(FOLDER / f"{file}.keras")
    with np.load(FOLDER / f"{file}.npz") as saved:
        np.testing.assert_allclose(model(saved["x"]), saved["y0"], rtol=1e-5)
        expected = [saved["o0"], *(saved[f"o{k}"] for k in range(2, 6))]
    for variable, value in zip(model.optimizer.variables, expected, strict=True):
        np.testing.assert_array_equal(variable, value)
    assert [type(metric).__name__ for metric in model.compiled_metrics._user_metrics] == [
        "BinaryIoU"
    ]


def test_colours_within_the_usual_range_are_those_of_keras_3():
    entry = {
        "module": "keras.layers",
        "class_name": "RandomContrast",
        "config": {"name": "c", "factor": [0, 0.1], "value_range": [0, 255], "seed": None},
        "registered_name": None,
    }
    assert tf.keras.layers.deserialize(keras3.translated(entry)).factor == [0, 0.1]


def test_switches_that_change_results_are_refused():
    entry = {
        "module": "keras.layers",
        "class_name": "Resizing",
        "config": {"height": 4, "width": 4, "pad_to_aspect_ratio": True},
        "registered_name": None,
    }
    with pytest.raises(TypeError, match="pad_to_aspect_ratio"):
        tf.keras.layers.deserialize(keras3.translated(entry))


def test_normalization_tells_no_shape_that_it_was_not_given(tmp_path):
    inputs = tf.keras.Input((3,))
    layer = layers.Normalization()
    layer.adapt(np.ones((2, 3), "float32"))
    tf.keras.Model(inputs, layer(inputs)).save(tmp_path / "m.keras")
    with zipfile.ZipFile(tmp_path / "m.keras") as archive:
        config = json.loads(archive.read("config.json"))
    assert "batch_input_shape" not in config["config"]["layers"][-1]["config"]


def test_weights_of_keras_3():
    model = tf.keras.models.load_model(FOLDER / "k3_attention.keras")
    expected = model.get_weights()
    model.set_weights([0 * weight for weight in expected])
    model.load_weights(FOLDER / "k3_attention.weights.h5")
    for weight, original in zip(model.get_weights(), expected, strict=True):
        np.testing.assert_array_equal(weight, original)


# What Keras 3's layers do not take.
REFUSED = {
    "DepthwiseConv2D": {"groups"},
    "SeparableConv2D": {"groups", "kernel_initializer", "kernel_regularizer", "kernel_constraint"},
    "Conv2DTranspose": {"groups"},
    "Embedding": {"input_length", "batch_input_shape"},
    "SpatialDropout1D": {"noise_shape", "trainable"},
    "Discretization": {"trainable"},
    "RandomFlip": {"rng_type"},
}


@pytest.mark.parametrize(
    ("layer", "inputs"),
    [
        (layers.DepthwiseConv2D(3), tf.keras.Input((8, 8, 3))),
        (layers.SeparableConv2D(4, 3), tf.keras.Input((8, 8, 3))),
        (layers.Conv2DTranspose(4, 3), tf.keras.Input((8, 8, 3))),
        (layers.Embedding(10, 4), tf.keras.Input((5,), dtype="int32")),
        (layers.SpatialDropout1D(0.3), tf.keras.Input((5, 6))),
        (layers.Discretization([0.5]), tf.keras.Input((5, 6))),
        (layers.RandomFlip(), tf.keras.Input((8, 8, 3))),
    ],
    ids=lambda value: type(value).__name__,
)
def test_configurations_that_keras_3_takes(tmp_path, layer, inputs):
    model = tf.keras.Model(inputs, layer(inputs))
    model.save(tmp_path / "m.keras")
    with zipfile.ZipFile(tmp_path / "m.keras") as archive:
        config = json.loads(archive.read("config.json"))
    entry = config["config"]["layers"][-1]
    assert not REFUSED[entry["class_name"]] & entry["config"].keys()
    loaded = tf.keras.models.load_model(tmp_path / "m.keras")
    assert loaded.layers[-1].get_config() == layer.get_config()


def test_settings_that_keras_3_lacks_are_kept(tmp_path):
    inputs = tf.keras.Input((8, 8, 4))
    layer = layers.SeparableConv2D(4, 3, trainable=False, kernel_regularizer="l2")
    tf.keras.Model(inputs, layer(inputs)).save(tmp_path / "m.keras")
    loaded = tf.keras.models.load_model(tmp_path / "m.keras")
    assert loaded.layers[-1].get_config() == layer.get_config()
