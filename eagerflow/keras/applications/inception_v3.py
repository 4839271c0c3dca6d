"""tf.keras.applications.inception_v3."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eagerflow.keras import layers
from eagerflow.keras.applications import imagenet_utils
from eagerflow.keras.applications.builder import Builder, documented
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor
from eagerflow.keras.engine.model import Model

__all__ = ["InceptionV3", "decode_predictions", "preprocess_input"]

# A branch is a sequence of convolutions: filters, rows and columns of each.
_Branch = tuple[tuple[int, int, int], ...]


def _convolution(
    builder: Builder,
    x: object,
    filters: int,
    rows: int,
    columns: int,
    padding: str = "same",
    strides: int = 1,
) -> KerasTensor:
    x = layers.Conv2D(filters, (rows, columns), strides=strides, padding=padding, use_bias=False)(x)
    x = builder.norm(x, scale=False)
    return layers.Activation("relu")(x)


def _chain(builder: Builder, x: object, branch: _Branch, halve: bool = False) -> KerasTensor:
    for filters, rows, columns in branch[:-1]:
        x = _convolution(builder, x, filters, rows, columns)
    if halve:
        return _convolution(builder, x, *branch[-1], padding="valid", strides=2)
    return _convolution(builder, x, *branch[-1])


def _joined(builder: Builder, parts: list, name: str | None = None) -> KerasTensor:
    return layers.Concatenate(axis=builder.axis, name=name)(parts)


def _pooled(builder: Builder, x: KerasTensor, filters: int) -> KerasTensor:
    x = layers.AveragePooling2D(3, strides=1, padding="same")(x)
    return _convolution(builder, x, filters, 1, 1)


def _mixed(builder: Builder, x: Any, branches: tuple[_Branch, ...], pooled: int, name: str) -> Any:
    """Parallel branches, one of them after an average pooling."""
    parts = [_chain(builder, x, branch) for branch in branches]
    return _joined(builder, [*parts, _pooled(builder, x, pooled)], name)


def _transition(builder: Builder, x: object, branches: tuple[_Branch, ...], name: str) -> Any:
    """Parallel branches that halve the image, and a pooling."""
    parts = [_chain(builder, x, branch, halve=True) for branch in branches]
    return _joined(builder, [*parts, layers.MaxPooling2D(3, strides=2)(x)], name)


def _small(x: KerasTensor, builder: Builder, pooled: int, name: str) -> KerasTensor:
    branches: tuple[_Branch, ...] = (
        ((64, 1, 1),),
        ((48, 1, 1), (64, 5, 5)),
        ((64, 1, 1), (96, 3, 3), (96, 3, 3)),
    )
    return _mixed(builder, x, branches, pooled, name)


def _long(x: KerasTensor, builder: Builder, n: int, name: str) -> KerasTensor:
    branches: tuple[_Branch, ...] = (
        ((192, 1, 1),),
        ((n, 1, 1), (n, 1, 7), (192, 7, 1)),
        ((n, 1, 1), (n, 7, 1), (n, 1, 7), (n, 7, 1), (192, 1, 7)),
    )
    return _mixed(builder, x, branches, 192, name)


def _forked(x: KerasTensor, builder: Builder, number: int) -> KerasTensor:
    """The last blocks, whose branches end in two parallel convolutions."""
    first = _convolution(builder, x, 320, 1, 1)
    middle = _convolution(builder, x, 384, 1, 1)
    fork = [_convolution(builder, middle, 384, 1, 3), _convolution(builder, middle, 384, 3, 1)]
    middle = _joined(builder, fork, f"mixed9_{number}")
    last = _chain(builder, x, ((448, 1, 1), (384, 3, 3)))
    fork = [_convolution(builder, last, 384, 1, 3), _convolution(builder, last, 384, 3, 1)]
    last = _joined(builder, fork)
    return _joined(builder, [first, middle, last, _pooled(builder, x, 192)], f"mixed{9 + number}")


@documented
def InceptionV3(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: object = None,
    input_shape: Sequence[int | None] | None = None,
    pooling: str | None = None,
    classes: int = 1000,
    classifier_activation: str | Callable[..., Any] | None = "softmax",
) -> Model:
    """InceptionV3: parallel convolutions of several sizes.

    Szegedy et al., "Rethinking the inception architecture for computer vision" (CVPR 2016).
    """
    builder = Builder.of(locals(), default_size=299, min_size=75)
    x = _convolution(builder, builder.images, 32, 3, 3, padding="valid", strides=2)
    x = _convolution(builder, x, 32, 3, 3, padding="valid")
    x = _convolution(builder, x, 64, 3, 3)
    x = layers.MaxPooling2D(3, strides=2)(x)
    x = _convolution(builder, x, 80, 1, 1, padding="valid")
    x = _convolution(builder, x, 192, 3, 3, padding="valid")
    x = layers.MaxPooling2D(3, strides=2)(x)
    for number, pooled in enumerate((32, 64, 64)):
        x = _small(x, builder, pooled, f"mixed{number}")
    x = _transition(builder, x, (((384, 3, 3),), ((64, 1, 1), (96, 3, 3), (96, 3, 3))), "mixed3")
    for number, n in enumerate((128, 160, 160, 192), start=4):
        x = _long(x, builder, n, f"mixed{number}")
    x = _transition(
        builder,
        x,
        (((192, 1, 1), (320, 3, 3)), ((192, 1, 1), (192, 1, 7), (192, 7, 1), (192, 3, 3))),
        "mixed8",
    )
    for number in range(2):
        x = _forked(x, builder, number)
    hashes = ("9a0d58056eeedaa3f26cb7ebd46da564", "bcbd6486424b2319ff4ef7d526e38f63")
    return builder.model(
        builder.ended(x, names=False), "inception_v3", "inception_v3/inception_v3", hashes
    )


preprocess_input = imagenet_utils.preprocessing("tf", __name__)
decode_predictions = imagenet_utils.decode_predictions
