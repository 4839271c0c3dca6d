"""tf.keras.applications.mobilenet_v2."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eagerflow.keras import config, layers
from eagerflow.keras.applications import imagenet_utils
from eagerflow.keras.applications.builder import Builder, documented
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor
from eagerflow.keras.engine.model import Model

__all__ = ["MobileNetV2", "decode_predictions", "preprocess_input"]

# Expansion, filters, repetitions and first stride of the blocks.
_BLOCKS = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)
_SIZES = (96, 128, 160, 192, 224)
_ALPHAS = (0.35, 0.50, 0.75, 1.0, 1.3, 1.4)


def _norm(builder: Builder, x: object, name: str) -> KerasTensor:
    return builder.norm(x, name, epsilon=1e-3, momentum=0.999)


def _block(builder: Builder, x: Any, expansion: int, filters: int, stride: int, number: int) -> Any:
    """An inverted residual: an expansion, a depthwise convolution, a projection."""
    inputs = x
    channels = builder.channels(x)
    prefix = f"block_{number}_" if number else "expanded_conv_"
    if number:
        x = layers.Conv2D(
            expansion * channels, 1, padding="same", use_bias=False, name=prefix + "expand"
        )(x)
        x = _norm(builder, x, prefix + "expand_BN")
        x = layers.ReLU(6.0, name=prefix + "expand_relu")(x)
    if stride == 2:
        x = layers.ZeroPadding2D(imagenet_utils.correct_pad(x, 3), name=prefix + "pad")(x)
    x = layers.DepthwiseConv2D(
        3,
        strides=stride,
        padding="same" if stride == 1 else "valid",
        use_bias=False,
        name=prefix + "depthwise",
    )(x)
    x = _norm(builder, x, prefix + "depthwise_BN")
    x = layers.ReLU(6.0, name=prefix + "depthwise_relu")(x)
    x = layers.Conv2D(filters, 1, padding="same", use_bias=False, name=prefix + "project")(x)
    x = _norm(builder, x, prefix + "project_BN")
    if channels == filters and stride == 1:
        return layers.Add(name=prefix + "add")([inputs, x])
    return x


def _default_size(input_shape: Sequence[int | None] | None, input_tensor: Any, first: bool) -> int:
    """The image size of the pretrained weights."""
    shape = input_shape
    if shape is None and input_tensor is not None:
        shape = tuple(input_tensor.shape)[1:]
    if shape is None:
        return 224
    rows, columns = shape[1:3] if first else shape[:2]
    return rows if rows == columns and rows in _SIZES else 224


@documented
def MobileNetV2(
    input_shape: Sequence[int | None] | None = None,
    alpha: float = 1.0,
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: KerasTensor | None = None,
    pooling: str | None = None,
    classes: int = 1000,
    classifier_activation: str | Callable[..., Any] | None = "softmax",
    **kwargs: object,
) -> Model:
    """MobileNetV2: for mobile devices.

    Sandler et al., "MobileNetV2: inverted residuals and linear bottlenecks" (CVPR 2018).

    >>> model = tf.keras.applications.MobileNetV2((32, 32, 3), 0.35, weights=None, classes=10)
    >>> model.output_shape, model.count_params()
    ((None, 10), 423018)
    """
    if kwargs:
        raise ValueError(f"Unknown argument(s): {kwargs}")
    first = config.image_data_format() == "channels_first"
    builder = Builder.of(locals(), default_size=_default_size(input_shape, input_tensor, first))
    if weights == "imagenet" and alpha not in _ALPHAS:
        raise ValueError(
            "If imagenet weights are being loaded, alpha must be one of `0.35`, `0.50`, `0.75`, "
            f"`1.0`, `1.3` or `1.4` only; Received `alpha={alpha}`"
        )
    divisible = imagenet_utils.make_divisible
    x = layers.Conv2D(
        divisible(32 * alpha), 3, strides=2, padding="same", use_bias=False, name="Conv1"
    )(builder.images)
    x = _norm(builder, x, "bn_Conv1")
    x = layers.ReLU(6.0, name="Conv1_relu")(x)
    number = 0
    for expansion, filters, count, stride in _BLOCKS:
        for k in range(count):
            width = divisible(int(filters * alpha))
            x = _block(builder, x, expansion, width, stride if k == 0 else 1, number)
            number += 1
    last = divisible(1280 * alpha) if alpha > 1.0 else 1280
    x = layers.Conv2D(last, 1, use_bias=False, name="Conv_1")(x)
    x = _norm(builder, x, "Conv_1_bn")
    x = layers.ReLU(6.0, name="out_relu")(x)
    x = builder.ended(x, top_name=None, names=False)
    rows = builder.rows
    size = rows if rows in _SIZES or weights != "imagenet" else 224
    file = f"mobilenet_v2/mobilenet_v2_weights_tf_dim_ordering_tf_kernels_{float(alpha)}_{size}"
    return builder.model(x, f"mobilenetv2_{alpha:0.2f}_{size}", file, top=".h5", notop="_no_top.h5")


preprocess_input = imagenet_utils.preprocessing("tf", __name__)
decode_predictions = imagenet_utils.decode_predictions
