"""tf.keras.applications.efficientnet."""

from __future__ import annotations

import math
from typing import Any

from eagerflow.keras import layers
from eagerflow.keras.applications import imagenet_utils
from eagerflow.keras.applications.builder import Builder, plain
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor
from eagerflow.keras.engine.model import Model

__all__ = [
    "EfficientNetB0",
    "EfficientNetB1",
    "EfficientNetB2",
    "EfficientNetB3",
    "EfficientNetB4",
    "EfficientNetB5",
    "EfficientNetB6",
    "EfficientNetB7",
    "decode_predictions",
    "preprocess_input",
]

_ORIGIN = "https://storage.googleapis.com/keras-applications/"
_HASHES = {
    "b0": ("902e53a9f72be733fc0bcb005b3ebbac", "50bc09e76180e00e4465e1a485ddc09d"),
    "b1": ("1d254153d4ab51201f1646940f018540", "74c4e6b3e1f6a1eea24c589628592432"),
    "b2": ("b15cce36ff4dcbd00b6dd88e7857a6ad", "111f8e2ac8aa800a7a99e3239f7bfb39"),
    "b3": ("ffd1fdc53d0ce67064dc6a9c7960ede0", "af6d107764bb5b1abb91932881670226"),
    "b4": ("18c95ad55216b8f92d7e70b3a046e2fc", "ebc24e6d6c33eaebbd558eafbeedf1ba"),
    "b5": ("ace28f2a6363774853a83a0b21b9421a", "38879255a25d3c92d5e44e04ae6cec6f"),
    "b6": ("165f6e37dce68623721b423839de8be5", "9ecce42647a20130c1f39a5d4cb75743"),
    "b7": ("8c03f828fec3ef71311cd463b6759d99", "cbcfe4450ddf6f3ad90b1b398090fe4a"),
}
# Kernel size, repetitions, filters, expansion and first stride of the stages.
_STAGES = (
    (3, 1, 16, 1, 1),
    (3, 2, 24, 6, 2),
    (5, 2, 40, 6, 2),
    (3, 3, 80, 6, 2),
    (5, 3, 112, 6, 1),
    (5, 4, 192, 6, 2),
    (3, 1, 320, 6, 1),
)
_CONVOLUTION = {
    "class_name": "VarianceScaling",
    "config": {"scale": 2.0, "mode": "fan_out", "distribution": "truncated_normal"},
}
_DENSE = {
    "class_name": "VarianceScaling",
    "config": {"scale": 1.0 / 3.0, "mode": "fan_out", "distribution": "uniform"},
}
_DEVIATIONS = (0.229, 0.224, 0.225)


def _convolution(x: object, filters: int, name: str, **options: Any) -> KerasTensor:
    options.setdefault("use_bias", False)
    return layers.Conv2D(
        filters, 1, padding="same", kernel_initializer=_CONVOLUTION, name=name, **options
    )(x)


def _block(
    builder: Builder,
    inputs: KerasTensor,
    filters: int,
    kernel: int,
    stride: int,
    expansion: int,
    drop_rate: float,
    name: str,
) -> KerasTensor:
    """An inverted residual with squeeze-and-excitation."""
    channels = builder.channels(inputs)
    x = inputs
    if expansion != 1:
        x = _convolution(x, channels * expansion, name + "expand_conv")
        x = builder.norm(x, name + "expand_bn")
        x = layers.Activation("swish", name=name + "expand_activation")(x)
    if stride == 2:
        pad = imagenet_utils.correct_pad(x, kernel)
        x = layers.ZeroPadding2D(pad, name=name + "dwconv_pad")(x)
    x = layers.DepthwiseConv2D(
        kernel,
        strides=stride,
        padding="valid" if stride == 2 else "same",
        use_bias=False,
        depthwise_initializer=_CONVOLUTION,
        name=name + "dwconv",
    )(x)
    x = builder.norm(x, name + "bn")
    x = layers.Activation("swish", name=name + "activation")(x)
    wide = channels * expansion
    shape = (wide, 1, 1) if builder.axis == 1 else (1, 1, wide)
    weight = layers.GlobalAveragePooling2D(name=name + "se_squeeze")(x)
    weight = layers.Reshape(shape, name=name + "se_reshape")(weight)
    narrow = max(1, int(channels * 0.25))
    weight = _convolution(weight, narrow, name + "se_reduce", activation="swish", use_bias=True)
    weight = _convolution(weight, wide, name + "se_expand", activation="sigmoid", use_bias=True)
    x = layers.Multiply(name=name + "se_excite")([x, weight])
    x = _convolution(x, filters, name + "project_conv")
    x = builder.norm(x, name + "project_bn")
    if stride != 1 or channels != filters:
        return x
    if drop_rate > 0:
        x = layers.Dropout(drop_rate, noise_shape=(None, 1, 1, 1), name=name + "drop")(x)
    return layers.Add(name=name + "add")([x, inputs])


def _network(
    builder: Builder, version: str, width: float, depth: float, dropout_rate: float
) -> Model:
    x = layers.Rescaling(1.0 / 255.0)(builder.images)
    x = layers.Normalization(axis=builder.axis)(x)
    if builder.weights == "imagenet":
        # The pretrained weights expect another division by the square root of the deviations.
        import numpy as np

        factors = np.array([1.0 / math.sqrt(d) for d in _DEVIATIONS], "float32")
        x = x * factors.reshape((1, 3, 1, 1) if builder.axis == 1 else (1, 1, 1, 3))
    x = layers.ZeroPadding2D(imagenet_utils.correct_pad(x, 3), name="stem_conv_pad")(x)

    def filters_of(count: int) -> int:
        return imagenet_utils.make_divisible(count * width)

    x = layers.Conv2D(
        filters_of(32),
        3,
        strides=2,
        use_bias=False,
        kernel_initializer=_CONVOLUTION,
        name="stem_conv",
    )(x)
    x = builder.norm(x, "stem_bn")
    x = layers.Activation("swish", name="stem_activation")(x)
    repeats = [math.ceil(depth * stage[1]) for stage in _STAGES]
    done = 0
    for number, (kernel, _, filters, expansion, stride) in enumerate(_STAGES):
        for k in range(repeats[number]):
            x = _block(
                builder,
                x,
                filters_of(filters),
                kernel,
                stride if k == 0 else 1,
                expansion,
                0.2 * done / float(sum(repeats)),
                f"block{number + 1}{chr(k + 97)}_",
            )
            done += 1
    x = _convolution(x, filters_of(1280), "top_conv")
    x = builder.norm(x, "top_bn")
    x = layers.Activation("swish", name="top_activation")(x)
    if builder.include_top:
        x = layers.GlobalAveragePooling2D(name="avg_pool")(x)
        if dropout_rate > 0:
            x = layers.Dropout(dropout_rate, name="top_dropout")(x)
        x = builder.classified(x, kernel_initializer=_DENSE)
    else:
        x = builder.pooled(x)
    name = f"efficientnet{version}"
    return builder.model(
        x, name, name, _HASHES[version], origin=_ORIGIN, top=".h5", notop="_notop.h5"
    )


def _variant(version: str, size: int, width: float, depth: float, dropout_rate: float) -> Any:
    return plain(
        f"EfficientNet{version.upper()}",
        f"EfficientNet for images of {size}x{size}.",
        'Tan and Le, "EfficientNet: rethinking model scaling for convolutional neural networks" '
        "(2019).",
        lambda builder: _network(builder, version, width, depth, dropout_rate),
        __name__,
        default_size=size,
    )


EfficientNetB0 = _variant("b0", 224, 1.0, 1.0, 0.2)
EfficientNetB1 = _variant("b1", 240, 1.0, 1.1, 0.2)
EfficientNetB2 = _variant("b2", 260, 1.1, 1.2, 0.3)
EfficientNetB3 = _variant("b3", 300, 1.2, 1.4, 0.3)
EfficientNetB4 = _variant("b4", 380, 1.4, 1.8, 0.4)
EfficientNetB5 = _variant("b5", 456, 1.6, 2.2, 0.4)
EfficientNetB6 = _variant("b6", 528, 1.8, 2.6, 0.5)
EfficientNetB7 = _variant("b7", 600, 2.0, 3.1, 0.5)


preprocess_input = imagenet_utils.preprocessing(None, __name__)
decode_predictions = imagenet_utils.decode_predictions
