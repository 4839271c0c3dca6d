"""Keras 3's layers beside Keras 2's: configurations, pipelines of data, models, files."""

import numpy as np
import pytest

import eagerflow as tf

layers = tf.keras.layers


IMAGES = [
    layers.AutoContrast((0.0, 1.0)),
    layers.CutMix(0.5, seed=1),
    layers.Equalization(bins=16),
    layers.MixUp(0.3, seed=1),
    layers.RandomColorDegeneration(0.5, seed=1),
    layers.RandAugment(num_ops=4, seed=2),
    layers.AugMix(seed=3),
    layers.RandomShear(0.3, 0.2, seed=1),
    layers.RandomColorJitter(brightness_factor=0.2, hue_factor=0.1, seed=1),
    layers.RandomErasing(fill_value=3.0, seed=1),
    layers.RandomGaussianBlur(0.5, (3, 5), 0.7, seed=1),
    layers.RandomGrayscale(0.5, seed=1),
    layers.RandomHue(0.5, seed=1),
    layers.RandomInvert(0.5, seed=1),
    layers.RandomPosterization(3, seed=1),
    layers.RandomSaturation(0.5, seed=1),
    layers.RandomSharpness(0.5, seed=1),
    layers.Solarization(0.2, 0.6, seed=1),
]


@pytest.mark.parametrize("layer", IMAGES, ids=lambda layer: type(layer).__name__)
def test_layers_of_images(layer):
    x = tf.constant(np.random.default_rng(0).uniform(0, 255, (4, 6, 5, 3)), tf.float32)
    again = type(layer).from_config(layer.get_config())
    first = type(layer).from_config(layer.get_config())
    np.testing.assert_array_equal(first(x).numpy(), again(x).numpy())
    if not isinstance(layer, layers.AutoContrast):
        np.testing.assert_array_equal(layer(x, training=False).numpy(), x.numpy())
    labels, masks = tf.one_hot([0, 1, 2, 0], 3), tf.ones([4, 6, 5, 1])
    found = layer({"images": x, "labels": labels, "segmentation_masks": masks})
    assert found["images"].shape == x.shape and found["labels"].shape == labels.shape
    np.testing.assert_allclose(found["labels"].numpy().sum(1), 1.0, rtol=1e-6)
    single = layer({"images": x[0], "labels": labels[0]})
    assert single["images"].shape == [6, 5, 3] and single["labels"].shape == [3]
    with pytest.raises(ValueError, match="rank 3"):
        layer(x[0, 0])
    if not isinstance(layer, layers.RandAugment | layers.AugMix):
        with pytest.raises(ValueError, match="bounding_box_format"):
            layer({"images": x, "bounding_boxes": {"boxes": tf.zeros([4, 1, 4])}})


def test_masks_move_with_images():
    mask = np.zeros((3, 8, 8, 1), "float32")
    mask[:, 2:6, 2:6] = 1
    for layer in (layers.RandAugment(num_ops=3, factor=0.9, seed=5), layers.RandomShear(0.5)):
        layer.interpolation = "nearest"
        for move in getattr(layer, "_moves", ()):
            move.interpolation = "nearest"
        for _ in range(5):
            images = np.repeat(mask, 3, axis=3) * 255
            found = layer({"images": images, "segmentation_masks": mask})
            assert set(np.unique(found["segmentation_masks"].numpy())) <= {0.0, 1.0}
            if isinstance(layer, layers.RandomShear):
                moved = np.repeat(found["segmentation_masks"].numpy(), 3, axis=3)
                np.testing.assert_array_equal(found["images"], moved * 255)


def test_numbers_of_boxes():
    layer = layers.MaxNumBoundingBoxes(2, bounding_box_format="xyxy")
    for count in (1, 3):
        boxes = {"boxes": tf.ones([2, count, 4]), "labels": tf.ones([2, count])}
        found = layer({"images": tf.ones([2, 4, 4, 3]), "bounding_boxes": boxes})["bounding_boxes"]
        last = 1.0 if count > 1 else -1.0
        np.testing.assert_array_equal(found["labels"], [[1.0, last]] * 2)
        assert found["boxes"].shape == [2, 2, 4] and float(found["boxes"][0, 1, 0]) == last


def test_changes_in_a_pipeline_of_data():
    change = layers.Pipeline([layers.RandomHue(0.5, seed=1), layers.Rescaling(1 / 255)])
    data = tf.data.Dataset.from_tensor_slices(tf.ones([4, 6, 5, 3]) * 100.0).batch(2).map(change)
    batches = [batch.numpy() for batch in data]
    assert len(batches) == 2 and all(batch.max() < 1 for batch in batches)


def test_channels_come_first():
    x = tf.constant(np.random.default_rng(0).uniform(0, 255, (4, 6, 5, 3)), tf.float32)
    turned = tf.transpose(x, [0, 3, 1, 2])
    for layer in IMAGES:
        if isinstance(layer, layers.RandomColorJitter):
            continue
        config = layer.get_config()
        last = type(layer).from_config(config)
        first = type(layer).from_config({**config, "data_format": "channels_first"})
        np.testing.assert_allclose(
            first(turned).numpy(), tf.transpose(last(x), [0, 3, 1, 2]).numpy(), atol=1e-3
        )


def test_models_with_new_layers_come_back(tmp_path):
    x = tf.keras.Input((7,), dtype="int32")
    words = layers.ReversibleEmbedding(11, 4, mask_zero=True)
    y = words(x)
    y = y + layers.GroupQueryAttention(3, 4, 2)(y, y)
    y = layers.RMSNormalization()(y)
    model = tf.keras.Model(x, words(y, reverse=True))
    ids = np.array([[1, 2, 3, 4, 0, 0, 0], [5, 6, 7, 8, 9, 10, 1]])
    path = tmp_path / "model.keras"
    expected = model.predict(ids, verbose=0)
    model.save(path)
    np.testing.assert_array_equal(
        tf.keras.models.load_model(path).predict(ids, verbose=0), expected
    )
    signal = tf.keras.Input((200,))
    spectrum = layers.MelSpectrogram(64, 20, num_mel_bins=8, sampling_rate=8000)(signal)
    assert spectrum.shape == [None, 8, 11]
    pooled = layers.AdaptiveMaxPooling2D((2, 3))(tf.expand_dims(spectrum, -1))
    assert tf.keras.Model(signal, pooled)(tf.ones([2, 200])).shape == [2, 2, 3, 1]
    waves = tf.keras.Input((200, 2))
    shown = layers.STFTSpectrogram(frame_length=32, expand_dims=True)(waves)
    assert shown.shape == [None, 11, 17, 2]


@pytest.mark.parametrize(
    ("kind", "name"),
    [("AugMix", "num_chains"), ("AugMix", "chain_depth"), ("RandAugment", "num_ops")],
)
@pytest.mark.parametrize("count", [2**30, -1, 1.5])
def test_repetitions_are_refused_for_what_they_are(kind, name, count):
    config = getattr(layers, kind)().get_config()
    with pytest.raises(
        (ValueError, TypeError), match=f"`{name}` must be an integer from 0 to"
    ) as caught:
        getattr(layers, kind).from_config({**config, name: count})
    assert not isinstance(caught.value, tf.errors.DataLossError)
