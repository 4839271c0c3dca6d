"""The networks beside those of tf_keras, from which the values here are."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import eagerflow as tf

_spec = importlib.util.spec_from_file_location(
    "application_cases", Path(__file__).with_name("application_cases.py")
)


cases = importlib.util.module_from_spec(_spec)


_spec.loader.exec_module(cases)


applications = tf.keras.applications


# Name, parameters, layers, checksum of the weights' shapes, means of absolute outputs.
NETWORKS = {
    "MobileNetV2": ("mobilenetv2_1.00_80", 2257984, 155, 3958459866, 0.08609, 0.103),
    "ResNet50": ("resnet50", 23587712, 176, 536815218, 0.4813, 0.5335),
    "ResNet50V2": ("resnet50v2", 23564800, 191, 4104256432, 0.3105, 0.2849),
    "VGG16": ("vgg16", 14714688, 20, 1029026485, 0.05413, 0.06541),
    "EfficientNetB0": ("efficientnetb0", 4049571, 238, 1804589902, 0.07413, 0.06169),
    "MobileNet": ("mobilenet_1.00_80", 3228864, 87, 2948239747, 0.06257, 0.06267),
    "Xception": ("xception", 20861480, 133, 2369594527, 0.05757, 0.07445),
    "InceptionV3": ("inception_v3", 21802784, 312, 2925442874, 0.05953, 0.06123),
    "DenseNet121": ("densenet121", 7037504, 428, 945836040, 0.07415, 0.06783),
    "MobileNetV3Small": ("MobilenetV3small", 939120, 230, 4269316279, 0.1021, 0.0963),
    "EfficientNetV2B0": ("efficientnetv2-b0", 5919312, 271, 3260330770, 0.1472, 0.1392),
    "NASNetMobile": ("NASNet", 4269716, 770, 2868777118, 0.1167, 0.08174),
    "ConvNeXtTiny": ("convnext_tiny", 27820128, 152, 329417031, 0.8077, 0.7528),
    "InceptionResNetV2": ("inception_resnet_v2", 54336736, 781, 4209690179, 0.1011, 0.1185),
    "RegNetX002": ("regnetx002", 2336640, 144, 1948959799, 0.3798, 0.3152),
    "RegNetY004": ("regnety004", 3930296, 238, 1314972058, 0.2727, 0.2826),
    "ResNetRS50": ("resnet-rs-50", 33696288, 272, 889900977, 0.1473, 0.1681),
}


TOPS = {
    "MobileNetV2": ("mobilenetv2_0.35_96", 419175, "predictions", 156),
    "MobileNet": ("mobilenet_0.25_64", 220343, "predictions", 91),
    "EfficientNetB0": ("efficientnetb0", 4058538, "predictions", 240),
}


# Parameters without a classifier.
SIZES = {
    "ConvNeXtSmall": 49454688,
    "RegNetX016": 8320640,
    "RegNetX040": 20833312,
    "RegNetY002": 2814844,
    "RegNetY032": 17989498,
    "ResNetRS101": 61675296,
}


@pytest.mark.parametrize("name", list(SIZES))
def test_sizes(name):
    build = getattr(applications, name)
    model = build(weights=None, include_top=False, input_shape=(96, 96, 3))
    assert model.count_params() == SIZES[name] and build.__name__ == name


def test_layers_of_networks_are_saved(tmp_path):
    images = tf.keras.Input([32, 32, 3])
    x = applications.convnext.LayerScale(0.5, 3)(images)
    x = applications.convnext.StochasticDepth(0.5)(x)
    x = applications.inception_resnet_v2.CustomScaleLayer(2.0)([images, x])
    model = tf.keras.Model(images, x)
    model.save(tmp_path / "model.keras")
    again = tf.keras.models.load_model(tmp_path / "model.keras")
    ones = tf.ones([4, 32, 32, 3])
    np.testing.assert_array_equal(again(ones).numpy(), np.full([4, 32, 32, 3], 2.0))
    dropped = np.unique(applications.convnext.StochasticDepth(0.5)(ones, training=True).numpy())
    assert set(dropped) <= {0.0, 2.0}


@pytest.mark.parametrize("name", list(NETWORKS))
def test_networks(name):
    shape = (cases.SIZE, cases.SIZE, 3)
    model = getattr(applications, name)(
        weights=None, include_top=False, pooling="avg", input_shape=shape
    )
    *exact, mean, first = cases.facts(model)
    assert tuple(exact) == NETWORKS[name][:4]
    np.testing.assert_allclose([mean, first], NETWORKS[name][4:], rtol=2e-3)


@pytest.mark.parametrize("name", list(TOPS))
def test_classifiers(name):
    options = cases.TOPS[name]
    model = getattr(applications, name)(weights=None, **options)
    facts = (model.name, model.count_params(), model.layers[-1].name, len(model.layers))
    assert facts == TOPS[name]
    predictions = model.predict(np.ones((1, *options["input_shape"]), "float32"), verbose=0)
    assert predictions.shape == (1, 7)
    np.testing.assert_allclose(predictions.sum(), 1.0, rtol=1e-5)


def test_on_a_symbolic_tensor():
    images = tf.keras.Input([64, 64, 3])
    model = applications.MobileNetV2(
        input_tensor=images, alpha=0.35, weights=None, include_top=False
    )
    assert model.input_shape == (None, 64, 64, 3) and model.output_shape == (None, 2, 2, 1280)
    assert applications.MobileNet(weights=None, include_top=False).output_shape[1] is None


def test_preprocessing():
    images = np.arange(24, dtype="float64").reshape(2, 2, 2, 3) * 10
    tensor = tf.constant(images)
    caffe = images[..., ::-1] - [103.939, 116.779, 123.68]
    torch = (images / 255 - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]
    expected = {
        applications.resnet50: caffe,
        applications.vgg16: caffe,
        applications.mobilenet_v2: images / 127.5 - 1,
        applications.densenet: torch,
        applications.efficientnet: images,
    }
    for module, values in expected.items():
        np.testing.assert_allclose(module.preprocess_input(images.copy()), values, atol=1e-6)
        np.testing.assert_allclose(module.preprocess_input(tensor), values, atol=1e-4)
    bytes_ = images.astype("uint8")
    assert applications.mobilenet.preprocess_input(bytes_).dtype == np.float32
    first = applications.imagenet_utils.preprocess_input(
        images.transpose(0, 3, 1, 2).copy(), data_format="channels_first"
    )
    np.testing.assert_allclose(first.transpose(0, 2, 3, 1), caffe, atol=1e-6)


def test_names_of_classes(tmp_path, monkeypatch):
    import json

    from eagerflow.keras.applications import imagenet_utils

    path = tmp_path / "names.json"
    path.write_text(json.dumps({str(k): [f"n{k}", f"name {k}"] for k in range(1000)}))
    monkeypatch.setattr(imagenet_utils, "get_file", lambda *a, **k: str(path))
    monkeypatch.setattr(imagenet_utils, "_class_index", {})
    scores = np.zeros((1, 1000))
    scores[0, [7, 3]] = [0.6, 0.4]
    decoded = applications.vgg16.decode_predictions(scores, top=2)
    assert decoded == [[("n7", "name 7", 0.6), ("n3", "name 3", 0.4)]]
    with pytest.raises(ValueError, match="1000"):
        applications.vgg16.decode_predictions(np.zeros((1, 10)))


def test_refused():
    with pytest.raises(ValueError, match="weights"):
        applications.ResNet50(weights="no such file")
    with pytest.raises(ValueError, match="classes"):
        applications.ResNet50(classes=10)
    with pytest.raises(ValueError, match="at least 32x32"):
        applications.VGG16(weights=None, include_top=False, input_shape=(20, 20, 3))
    with pytest.raises(ValueError, match="static"):
        applications.VGG16(weights=None, input_shape=(None, None, 3))
    with pytest.raises(ValueError, match="alpha"):
        applications.MobileNetV2(alpha=0.4)
    with pytest.raises(ValueError, match="imagenet-i192"):
        applications.ResNetRS101(weights="imagenet-i999")
    with pytest.raises(ValueError, match="Unknown"):
        applications.InceptionResNetV2(weights=None, size=3)
    with pytest.raises(ValueError, match="mode"):
        applications.imagenet_utils.preprocess_input(np.zeros((2, 2, 3)), mode="keras")
