"""The residual networks, versions 1 and 2.

He et al., "Deep residual learning for image recognition" (CVPR 2016), and "Identity mappings in
deep residual networks" (ECCV 2016).
"""

from __future__ import annotations

from typing import Any

from eagerflow.keras import layers
from eagerflow.keras.applications.builder import Builder
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor
from eagerflow.keras.engine.model import Model

_HASHES = {
    "resnet50": ("2cb95161c43110f7111970584f804107", "4d473c1dd8becc155b73f8504c6f6626"),
    "resnet101": ("f1aeb4b969a6efcfb50fad2f0c20cfc5", "88cf7a10940856eca736dc7b7e228a21"),
    "resnet152": ("100835be76be38e30d865e96f2aaae62", "ee4c566cf9a93f14d82f913c2dc6dd0c"),
    "resnet50v2": ("3ef43a0b657b3be2300d5770ece849e0", "fac2f116257151a9d068a22e544a4917"),
    "resnet101v2": ("6343647c601c52e1368623803854d971", "c0ed64b8031c3730f411d2eb4eea35b5"),
    "resnet152v2": ("a49b44d1979771252814e80f8ec446f9", "ed17cf2e0169df9d443503ef94b23b33"),
}
_EPSILON = 1.001e-5
_PAD = ((1, 1), (1, 1))


def _norm(builder: Builder, x: object, name: str) -> KerasTensor:
    return builder.norm(x, name, epsilon=_EPSILON)


def _normed_relu(builder: Builder, x: object, name: str) -> KerasTensor:
    x = _norm(builder, x, name + "_bn")
    return layers.Activation("relu", name=name + "_relu")(x)


def _block(builder: Builder, x: object, filters: int, stride: int, first: bool, name: str) -> Any:
    """A block of version 1: the activation follows the sum."""
    shortcut = x
    if first:
        shortcut = layers.Conv2D(4 * filters, 1, strides=stride, name=name + "_0_conv")(x)
        shortcut = _norm(builder, shortcut, name + "_0_bn")
    x = layers.Conv2D(filters, 1, strides=stride, name=name + "_1_conv")(x)
    x = _normed_relu(builder, x, name + "_1")
    x = layers.Conv2D(filters, 3, padding="same", name=name + "_2_conv")(x)
    x = _normed_relu(builder, x, name + "_2")
    x = layers.Conv2D(4 * filters, 1, name=name + "_3_conv")(x)
    x = _norm(builder, x, name + "_3_bn")
    x = layers.Add(name=name + "_add")([shortcut, x])
    return layers.Activation("relu", name=name + "_out")(x)


def _block_v2(builder: Builder, x: Any, filters: int, stride: int, first: bool, name: str) -> Any:
    """A block of version 2: activations precede convolutions."""
    active = _normed_relu(builder, x, name + "_preact")
    if first:
        shortcut = layers.Conv2D(4 * filters, 1, strides=stride, name=name + "_0_conv")(active)
    else:
        shortcut = layers.MaxPooling2D(1, strides=stride)(x) if stride > 1 else x
    x = layers.Conv2D(filters, 1, use_bias=False, name=name + "_1_conv")(active)
    x = _normed_relu(builder, x, name + "_1")
    x = layers.ZeroPadding2D(_PAD, name=name + "_2_pad")(x)
    x = layers.Conv2D(filters, 3, strides=stride, use_bias=False, name=name + "_2_conv")(x)
    x = _normed_relu(builder, x, name + "_2")
    x = layers.Conv2D(4 * filters, 1, name=name + "_3_conv")(x)
    return layers.Add(name=name + "_out")([shortcut, x])


def residual_network(
    name: str, blocks: tuple[int, ...], builder: Builder, second_version: bool = False
) -> Model:
    """A residual network.

    Args:
        name: the model's name.
        blocks: the number of blocks of each of the four stacks.
        builder: the architecture's arguments.
        second_version: whether activations come before convolutions.
    """
    x = layers.ZeroPadding2D(((3, 3), (3, 3)), name="conv1_pad")(builder.images)
    x = layers.Conv2D(64, 7, strides=2, name="conv1_conv")(x)
    if not second_version:
        x = _normed_relu(builder, x, "conv1")
    x = layers.ZeroPadding2D(_PAD, name="pool1_pad")(x)
    x = layers.MaxPooling2D(3, strides=2, name="pool1_pool")(x)
    for number, count in enumerate(blocks):
        for k in range(1, count + 1):
            title = f"conv{number + 2}_block{k}"
            if second_version:
                # Every stack but the last halves the image at its end.
                stride = 2 if k == count and number < 3 else 1
                x = _block_v2(builder, x, 64 * 2**number, stride, k == 1, title)
            else:
                stride = 2 if k == 1 and number > 0 else 1
                x = _block(builder, x, 64 * 2**number, stride, k == 1, title)
    if second_version:
        x = _normed_relu(builder, x, "post")
    return builder.model(builder.ended(x), name, f"resnet/{name}", _HASHES[name])
