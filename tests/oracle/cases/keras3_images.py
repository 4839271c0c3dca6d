"""Layers that change images in Keras 3 and that Keras 2 lacks, with the same numbers drawn."""

import importlib

from oracle.inputs import array
from oracle.registry import case


def keras(tf):
    """Keras 3, whatever generation `tf.keras` is."""
    return tf.keras if tf.__name__ == "eagerflow" else importlib.import_module("keras")


LAYERS = {
    "contrast": ("AutoContrast", {}),
    "contrast of shares": ("AutoContrast", {"value_range": (0.0, 255.0)}),
    "solar": ("Solarization", {}),
    "solar drawn": (
        "Solarization",
        {"addition_factor": (0.1, 0.5), "threshold_factor": 0.5, "seed": 5},
    ),
    "equal": ("Equalization", {}),
    "equal bins": ("Equalization", {"bins": 32}),
    "gray": ("RandomGrayscale", {"factor": 0.5, "seed": 3}),
    "invert": ("RandomInvert", {"factor": 0.6, "seed": 3}),
    "posterize": ("RandomPosterization", {"factor": (1, 6), "seed": 3}),
    "posterize fixed": ("RandomPosterization", {"factor": (2, 2)}),
    "saturation": ("RandomSaturation", {"factor": (0.2, 0.8), "seed": 3}),
    "hue": ("RandomHue", {"factor": (0.2, 0.8), "seed": 3}),
    "degenerate": ("RandomColorDegeneration", {"factor": (0.2, 0.8), "seed": 3}),
    "sharpness": ("RandomSharpness", {"factor": (0.1, 0.9), "seed": 3}),
    "blur": ("RandomGaussianBlur", {"factor": 0.7, "sigma": (0.2, 0.9), "seed": 3}),
    "blur wide": ("RandomGaussianBlur", {"kernel_size": (5, 5), "seed": 4}),
    "shear": ("RandomShear", {"x_factor": (0.1, 0.5), "y_factor": 0.4, "seed": 3}),
    "shear wrap": (
        "RandomShear",
        {"x_factor": 0.6, "fill_mode": "wrap", "interpolation": "nearest", "seed": 4},
    ),
    "erase": ("RandomErasing", {"seed": 3}),
    "erase some": (
        "RandomErasing",
        {"factor": 0.5, "fill_value": 7.0, "scale": (0.3, 0.9), "seed": 4},
    ),
}


@case(loose=100, layer=LAYERS)
def changed_images(tf, layer):
    kind, arguments = layer
    make = getattr(keras(tf).layers, kind)
    x = tf.constant(array((4, 7, 6, 3), low=0.0, high=255.0, seed=1))
    layer = make(**arguments)
    return [layer(x), layer(x), layer(x[0]), layer(x, training=False)]


@case(loose=100, kind=("MixUp", "CutMix"), seed=(1, 2, 3))
def mixed_images(tf, kind, seed):
    layer = getattr(keras(tf).layers, kind)(seed=seed)
    images = tf.constant(array((4, 7, 6, 3), low=0.0, high=255.0, seed=1))
    labels = tf.eye(4)
    first = layer({"images": images, "labels": labels})
    second = layer({"images": images, "labels": labels})
    return [first["images"], first["labels"], second["images"], second["labels"]]
