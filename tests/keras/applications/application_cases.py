"""Which networks the tests build, and what they look at."""

import zlib

import numpy as np

SIZE = 80
NETWORKS = (
    "MobileNetV2",
    "ResNet50",
    "ResNet50V2",
    "VGG16",
    "EfficientNetB0",
    "MobileNet",
    "Xception",
    "InceptionV3",
    "DenseNet121",
    "MobileNetV3Small",
    "EfficientNetV2B0",
    "NASNetMobile",
    "ConvNeXtTiny",
    "InceptionResNetV2",
    "RegNetX002",
    "RegNetY004",
    "ResNetRS50",
)
TOPS = {
    "MobileNetV2": {"alpha": 0.35, "input_shape": (96, 96, 3), "classes": 7},
    "MobileNet": {"alpha": 0.25, "input_shape": (64, 64, 3), "classes": 7},
    "EfficientNetB0": {"input_shape": (64, 64, 3), "classes": 7},
}


def fill(model):
    """Weights that follow from their names, shapes and order."""
    pool = np.random.RandomState(0).standard_normal(65521).astype("float32")
    number = 0
    for layer in model.layers:
        for weight in layer.weights:
            shape = tuple(weight.shape)
            number += 1
            value = np.resize(np.roll(pool, 1000 * number), shape)
            if "variance" in weight.name:
                value = np.abs(value) + 0.5
            elif "gamma" in weight.name:
                value = 1 + 0.1 * value
            elif len(shape) >= 2:
                value = value / np.sqrt(np.prod(shape[:-1]))
            else:
                value = 0.1 * value
            weight.assign(value.astype(str(getattr(weight.dtype, "name", weight.dtype))))


def facts(model):
    """Name, numbers of parameters and layers, a checksum of shapes, and means of an output."""
    fill(model)
    images = np.random.RandomState(1).uniform(-2, 2, (1, SIZE, SIZE, 3)).astype("float32")
    output = np.asarray(model(images, training=False))[0]
    shapes = [tuple(weight.shape) for layer in model.layers for weight in layer.weights]
    checksum = zlib.crc32(str(shapes).encode())
    means = [float(f"{np.mean(np.abs(part)):.4g}") for part in (output, output[:50])]
    return (model.name, model.count_params(), len(model.layers), checksum, *means)
