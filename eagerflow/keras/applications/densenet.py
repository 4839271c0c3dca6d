"""tf.keras.applications.densenet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow.keras import layers
from eagerflow.keras.applications import imagenet_utils
from eagerflow.keras.applications.builder import Builder, plain
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor
from eagerflow.keras.engine.model import Model

__all__ = ["DenseNet121", "DenseNet169", "DenseNet201", "decode_predictions", "preprocess_input"]


def _normed_relu(builder: Builder, x: object, bn: str, relu: str) -> KerasTensor:
    x = builder.norm(x, bn, epsilon=1.001e-5)
    return layers.Activation("relu", name=relu)(x)


def _block(builder: Builder, x: KerasTensor, name: str) -> KerasTensor:
    """Appends 32 channels."""
    new = _normed_relu(builder, x, name + "_0_bn", name + "_0_relu")
    new = layers.Conv2D(128, 1, use_bias=False, name=name + "_1_conv")(new)
    new = _normed_relu(builder, new, name + "_1_bn", name + "_1_relu")
    new = layers.Conv2D(32, 3, padding="same", use_bias=False, name=name + "_2_conv")(new)
    return layers.Concatenate(axis=builder.axis, name=name + "_concat")([x, new])


def _transition(builder: Builder, x: object, name: str) -> KerasTensor:
    """Halves the channels and the image."""
    x = _normed_relu(builder, x, name + "_bn", name + "_relu")
    half = int(builder.channels(x) * 0.5)
    x = layers.Conv2D(half, 1, use_bias=False, name=name + "_conv")(x)
    return layers.AveragePooling2D(2, strides=2, name=name + "_pool")(x)


def _network(builder: Builder, name: str, blocks: tuple[int, ...], hashes: Any) -> Model:
    x = layers.ZeroPadding2D(((3, 3), (3, 3)))(builder.images)
    x = layers.Conv2D(64, 7, strides=2, use_bias=False, name="conv1/conv")(x)
    x = _normed_relu(builder, x, "conv1/bn", "conv1/relu")
    x = layers.ZeroPadding2D(((1, 1), (1, 1)))(x)
    x = layers.MaxPooling2D(3, strides=2, name="pool1")(x)
    for number, count in enumerate(blocks, start=2):
        if number > 2:
            x = _transition(builder, x, f"pool{number - 1}")
        for k in range(1, count + 1):
            x = _block(builder, x, f"conv{number}_block{k}")
    x = _normed_relu(builder, x, "bn", "relu")
    return builder.model(builder.ended(x), name, f"densenet/{name}", hashes)


def _variant(count: int, blocks: tuple[int, ...], *hashes: str) -> Callable[..., Any]:
    return plain(
        f"DenseNet{count}",
        f"DenseNet with {count} layers that have weights: each block reads all previous blocks.",
        'Huang et al., "Densely connected convolutional networks" (CVPR 2017).',
        lambda builder: _network(builder, f"densenet{count}", blocks, hashes),
        __name__,
    )


DenseNet121 = _variant(
    121, (6, 12, 24, 16), "9d60b8095a5708f2dcce2bca79d332c7", "30ee3e1110167f948a6b9946edeeb738"
)
DenseNet169 = _variant(
    169, (6, 12, 32, 32), "d699b8f76981ab1b30698df4c175e90b", "b8c4d4c20dd625c148057b9ff1c1176b"
)
DenseNet201 = _variant(
    201, (6, 12, 48, 32), "1ceb130c1ea1b78c3bf6114dbdfd8807", "c13680b51ded0fb44dff2d8f86ac8bb1"
)

preprocess_input = imagenet_utils.preprocessing("torch", __name__)
decode_predictions = imagenet_utils.decode_predictions
