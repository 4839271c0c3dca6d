"""tf.keras.applications.inception_resnet_v2."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eagerflow.keras import layers
from eagerflow.keras.applications import imagenet_utils
from eagerflow.keras.applications.builder import Builder, documented
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor
from eagerflow.keras.engine.model import Model
from eagerflow.keras.saving.registration import register_keras_serializable
from eagerflow.keras.typing import Config

__all__ = ["InceptionResNetV2", "decode_predictions", "preprocess_input"]

_HASHES = ("e693bd0210a403b3192acc6073ad2e96", "d19885ff4a710c122648d3b5c3b684e4")
# A branch is a sequence of convolutions: filters, kernel size, stride.
_Branch = tuple[tuple[int, Any, int], ...]
# Kinds of blocks with their branches.
_BLOCKS: dict[str, tuple[_Branch, ...]] = {
    "block35": (((32, 1, 1),), ((32, 1, 1), (32, 3, 1)), ((32, 1, 1), (48, 3, 1), (64, 3, 1))),
    "block17": (((192, 1, 1),), ((128, 1, 1), (160, (1, 7), 1), (192, (7, 1), 1))),
    "block8": (((192, 1, 1),), ((192, 1, 1), (224, (1, 3), 1), (256, (3, 1), 1))),
}
_STEM: tuple[_Branch, ...] = (
    ((96, 1, 1),),
    ((48, 1, 1), (64, 5, 1)),
    ((64, 1, 1), (96, 3, 1), (96, 3, 1)),
)
_FIRST_REDUCTION: tuple[_Branch, ...] = (((384, 3, 2),), ((256, 1, 1), (256, 3, 1), (384, 3, 2)))
_SECOND_REDUCTION: tuple[_Branch, ...] = (
    ((256, 1, 1), (384, 3, 2)),
    ((256, 1, 1), (288, 3, 2)),
    ((256, 1, 1), (288, 3, 1), (320, 3, 2)),
)


@register_keras_serializable()
class CustomScaleLayer(layers.Layer):
    """The sum of two tensors, the second one scaled.

    Args:
        scale: the factor.
        **kwargs: `name`, `dtype`, …
    """

    def __init__(self, scale: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scale = scale

    def call(self, inputs: Any) -> Any:
        """The sum."""
        return inputs[0] + inputs[1] * self.scale

    def get_config(self) -> Config:
        """The arguments that make a layer like this one."""
        return super().get_config() | {"scale": self.scale}


def _convolution(
    builder: Builder, x: object, filters: int, size: int, stride: int = 1, padding: str = "same"
) -> Any:
    x = layers.Conv2D(filters, size, strides=stride, padding=padding, use_bias=False)(x)
    return layers.Activation("relu")(builder.norm(x, scale=False))


def _branches(builder: Builder, x: KerasTensor, branches: tuple[_Branch, ...]) -> list[KerasTensor]:
    outputs = []
    for branch in branches:
        y = x
        for filters, size, stride in branch:
            y = _convolution(builder, y, filters, size, stride, "same" if stride == 1 else "valid")
        outputs.append(y)
    return outputs


def _block(
    builder: Builder, x: KerasTensor, kind: str, number: int, scale: float, last: bool = False
) -> KerasTensor:
    name = f"{kind}_{number}"
    mixed = layers.Concatenate(axis=builder.axis, name=name + "_mixed")(
        _branches(builder, x, _BLOCKS[kind])
    )
    up = layers.Conv2D(builder.channels(x), 1, padding="same", name=name + "_conv")(mixed)
    x = CustomScaleLayer(scale)([x, up])
    return x if last else layers.Activation("relu", name=name + "_ac")(x)


@documented
def InceptionResNetV2(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: object = None,
    input_shape: Sequence[int | None] | None = None,
    pooling: str | None = None,
    classes: int = 1000,
    classifier_activation: str | Callable[..., Any] | None = "softmax",
    **kwargs: object,
) -> Model:
    """Inception-ResNet v2, for images of 299x299.

    Szegedy et al., "Inception-v4, Inception-ResNet and the impact of residual connections on
    learning" (AAAI 2017).
    """
    if kwargs:
        raise ValueError(f"Unknown argument(s): {kwargs}")
    builder = Builder.of(locals(), default_size=299, min_size=75)
    x = builder.images
    for filters, size, stride, padding in (
        (32, 3, 2, "valid"),
        (32, 3, 1, "valid"),
        (64, 3, 1, "same"),
    ):
        x = _convolution(builder, x, filters, size, stride, padding)
    x = layers.MaxPooling2D(3, strides=2)(x)
    x = _convolution(builder, x, 80, 1, padding="valid")
    x = _convolution(builder, x, 192, 3, padding="valid")
    x = layers.MaxPooling2D(3, strides=2)(x)
    branches = _branches(builder, x, _STEM)
    pool = layers.AveragePooling2D(3, strides=1, padding="same")(x)
    branches.append(_convolution(builder, pool, 64, 1))
    x = layers.Concatenate(axis=builder.axis, name="mixed_5b")(branches)
    for number in range(1, 11):
        x = _block(builder, x, "block35", number, 0.17)
    x = _reduced(builder, x, _FIRST_REDUCTION, "mixed_6a")
    for number in range(1, 21):
        x = _block(builder, x, "block17", number, 0.1)
    x = _reduced(builder, x, _SECOND_REDUCTION, "mixed_7a")
    for number in range(1, 10):
        x = _block(builder, x, "block8", number, 0.2)
    x = _block(builder, x, "block8", 10, 1.0, last=True)
    x = layers.Conv2D(1536, 1, padding="same", use_bias=False, name="conv_7b")(x)
    x = builder.norm(x, "conv_7b_bn", scale=False)
    x = layers.Activation("relu", name="conv_7b_ac")(x)
    file = "inception_resnet_v2/inception_resnet_v2"
    return builder.model(builder.ended(x, names=False), "inception_resnet_v2", file, _HASHES)


def _reduced(builder: Builder, x: KerasTensor, branches: tuple[_Branch, ...], name: str) -> Any:
    """Parallel branches that halve the image, and a pooling."""
    outputs = _branches(builder, x, branches)
    outputs.append(layers.MaxPooling2D(3, strides=2, padding="valid")(x))
    return layers.Concatenate(axis=builder.axis, name=name)(outputs)


preprocess_input = imagenet_utils.preprocessing("tf", __name__)
decode_predictions = imagenet_utils.decode_predictions
