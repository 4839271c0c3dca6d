"""tf.keras.applications.mobilenet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eagerflow.keras import layers
from eagerflow.keras.applications import imagenet_utils
from eagerflow.keras.applications.builder import Builder, documented
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor
from eagerflow.keras.engine.model import Model

__all__ = ["MobileNet", "decode_predictions", "preprocess_input"]

_FILTERS = (64, 128, 128, 256, 256, 512, 512, 512, 512, 512, 512, 1024, 1024)
_HALVING = (2, 4, 6, 12)
_SIZES = (128, 160, 192, 224)
_ALPHAS = {1.0: "1_0", 0.75: "7_5", 0.50: "5_0", 0.25: "2_5"}


def _block(
    builder: Builder, x: KerasTensor, filters: int, multiplier: int, stride: int, number: int
) -> KerasTensor:
    """A depthwise separable convolution."""
    if stride == 2:
        x = layers.ZeroPadding2D(((0, 1), (0, 1)), name=f"conv_pad_{number}")(x)
    x = layers.DepthwiseConv2D(
        3,
        padding="same" if stride == 1 else "valid",
        depth_multiplier=multiplier,
        strides=stride,
        use_bias=False,
        name=f"conv_dw_{number}",
    )(x)
    x = builder.norm(x, f"conv_dw_{number}_bn")
    x = layers.ReLU(6.0, name=f"conv_dw_{number}_relu")(x)
    x = layers.Conv2D(filters, 1, padding="same", use_bias=False, name=f"conv_pw_{number}")(x)
    x = builder.norm(x, f"conv_pw_{number}_bn")
    return layers.ReLU(6.0, name=f"conv_pw_{number}_relu")(x)


@documented
def MobileNet(
    input_shape: Sequence[int | None] | None = None,
    alpha: float = 1.0,
    depth_multiplier: int = 1,
    dropout: float = 0.001,
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: object = None,
    pooling: str | None = None,
    classes: int = 1000,
    classifier_activation: str | Callable[..., Any] | None = "softmax",
    **kwargs: object,
) -> Model:
    """MobileNet: for mobile devices.

    Howard et al., "MobileNets: efficient convolutional neural networks for mobile vision
    applications" (2017).
    """
    if kwargs:
        raise ValueError(f"Unknown argument(s): {kwargs}")
    default = 224
    if input_shape is not None and input_shape[0] == input_shape[1] and input_shape[0] in _SIZES:
        default = input_shape[0]
    builder = Builder.of(locals(), default_size=default)
    if weights == "imagenet":
        if depth_multiplier != 1:
            raise ValueError(
                "If imagenet weights are being loaded, depth multiplier must be 1. Received: "
                f"depth_multiplier={depth_multiplier}"
            )
        if alpha not in _ALPHAS:
            raise ValueError(
                "If imagenet weights are being loaded, alpha can be one of`0.25`, `0.50`, `0.75` "
                f"or `1.0` only.  Received: alpha={alpha}"
            )
    x = layers.Conv2D(int(32 * alpha), 3, strides=2, padding="same", use_bias=False, name="conv1")(
        builder.images
    )
    x = builder.norm(x, "conv1_bn")
    x = layers.ReLU(6.0, name="conv1_relu")(x)
    for number, filters in enumerate(_FILTERS, start=1):
        stride = 2 if number in _HALVING else 1
        x = _block(builder, x, int(filters * alpha), depth_multiplier, stride, number)
    if include_top:
        x = layers.GlobalAveragePooling2D(keepdims=True)(x)
        x = layers.Dropout(dropout, name="dropout")(x)
        x = layers.Conv2D(classes, 1, padding="same", name="conv_preds")(x)
        x = layers.Reshape((classes,), name="reshape_2")(x)
        imagenet_utils.validate_activation(classifier_activation, weights)
        x = layers.Activation(classifier_activation, name="predictions")(x)
    else:
        x = builder.pooled(x, names=False)
    rows = builder.rows
    size = rows if rows in _SIZES or weights != "imagenet" else 224
    file = f"mobilenet/mobilenet_{_ALPHAS.get(alpha)}_{size}_tf"
    return builder.model(x, f"mobilenet_{alpha:0.2f}_{size}", file, top=".h5", notop="_no_top.h5")


preprocess_input = imagenet_utils.preprocessing("tf", __name__)
decode_predictions = imagenet_utils.decode_predictions
