"""tf.keras.applications.xception."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eagerflow.keras import layers
from eagerflow.keras.applications import imagenet_utils
from eagerflow.keras.applications.builder import Builder, documented
from eagerflow.keras.engine.model import Model

__all__ = ["Xception", "decode_predictions", "preprocess_input"]


def _separable(
    builder: Builder, x: object, filters: int, name: str, before: bool = True, after: bool = False
) -> Any:
    """A separable convolution with normalization, and an activation before or after."""
    if before:
        x = layers.Activation("relu", name=name + "_act")(x)
    x = layers.SeparableConv2D(filters, 3, padding="same", use_bias=False, name=name)(x)
    x = builder.norm(x, name + "_bn")
    return layers.Activation("relu", name=name + "_act")(x) if after else x


def _transition(builder: Builder, x: object, filters: tuple[int, int], number: int) -> Any:
    """A block that halves the image, with a strided convolution as the shortcut."""
    shortcut = layers.Conv2D(filters[1], 1, strides=2, padding="same", use_bias=False)(x)
    shortcut = builder.norm(shortcut)
    x = _separable(builder, x, filters[0], f"block{number}_sepconv1", before=number > 2)
    x = _separable(builder, x, filters[1], f"block{number}_sepconv2")
    x = layers.MaxPooling2D(3, strides=2, padding="same", name=f"block{number}_pool")(x)
    return layers.Add()([x, shortcut])


@documented
def Xception(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: object = None,
    input_shape: Sequence[int | None] | None = None,
    pooling: str | None = None,
    classes: int = 1000,
    classifier_activation: str | Callable[..., Any] | None = "softmax",
) -> Model:
    """Xception: depthwise separable convolutions.

    Chollet, "Xception: deep learning with depthwise separable convolutions" (CVPR 2017).
    """
    builder = Builder.of(locals(), default_size=299, min_size=71)
    x = builder.images
    for k, (filters, stride) in enumerate(((32, 2), (64, 1)), start=1):
        name = f"block1_conv{k}"
        x = layers.Conv2D(filters, 3, strides=stride, use_bias=False, name=name)(x)
        x = builder.norm(x, name + "_bn")
        x = layers.Activation("relu", name=name + "_act")(x)
    for number, filters in enumerate((128, 256, 728), start=2):
        x = _transition(builder, x, (filters, filters), number)
    for number in range(5, 13):
        shortcut = x
        for k in range(1, 4):
            x = _separable(builder, x, 728, f"block{number}_sepconv{k}")
        x = layers.Add()([x, shortcut])
    x = _transition(builder, x, (728, 1024), 13)
    x = _separable(builder, x, 1536, "block14_sepconv1", before=False, after=True)
    x = _separable(builder, x, 2048, "block14_sepconv2", before=False, after=True)
    hashes = ("0a58e3b7378bc2990ea3b43d5981f1f6", "b0042744bf5b25fce3cb969f33bebb97")
    return builder.model(builder.ended(x, names=False), "xception", "xception/xception", hashes)


preprocess_input = imagenet_utils.preprocessing("tf", __name__)
decode_predictions = imagenet_utils.decode_predictions
