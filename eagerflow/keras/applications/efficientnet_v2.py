"""tf.keras.applications.efficientnet_v2."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from eagerflow.keras import layers
from eagerflow.keras.applications import imagenet_utils
from eagerflow.keras.applications.builder import Builder, described
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor
from eagerflow.keras.engine.model import Model

__all__ = [
    "EfficientNetV2B0",
    "EfficientNetV2B1",
    "EfficientNetV2B2",
    "EfficientNetV2B3",
    "EfficientNetV2L",
    "EfficientNetV2M",
    "EfficientNetV2S",
    "decode_predictions",
    "preprocess_input",
]

_HASHES = {
    "b0": ("21ecbf6da12460d5c40bb2f29ceb2188", "893217f2bb855e2983157299931e43ff"),
    "b1": ("069f0534ff22adf035c89e2d9547a9dc", "0e80663031ca32d657f9caa404b6ec37"),
    "b2": ("424e49f28180edbde1e94797771950a7", "1dfe2e7a5d45b6632553a8961ea609eb"),
    "b3": ("1f1fc43bd98a6e4fd8fdfd551e02c7a0", "f6abf7b5849ac99a89b50dd3fd532856"),
    "s": ("e1d88a8495beba45748fedd0cecbe016", "af0682fb74e8c54910f2d4393339c070"),
    "m": ("a3bf6aa3276309f4fc6a34aa114c95cd", "1b8dc055df72dde80d614482840fe342"),
    "l": ("27e6d408b53c7ebc868fefa357689935", "b0b66b5c863aef5b46e8608fe1711615"),
}
# Repetitions, filters, expansion and first stride of the stages, and whether they are fused.
_Stage = tuple[int, int, int, int, bool]
_BASE: tuple[_Stage, ...] = (
    (1, 16, 1, 1, True),
    (2, 32, 4, 2, True),
    (2, 48, 4, 2, True),
    (3, 96, 4, 2, False),
    (5, 112, 6, 1, False),
    (8, 192, 6, 2, False),
)
_SMALL: tuple[_Stage, ...] = (
    (2, 24, 1, 1, True),
    (4, 48, 4, 2, True),
    (4, 64, 4, 2, True),
    (6, 128, 4, 2, False),
    (9, 160, 6, 1, False),
    (15, 256, 6, 2, False),
)
_MEDIUM: tuple[_Stage, ...] = (
    (3, 24, 1, 1, True),
    (5, 48, 4, 2, True),
    (5, 80, 4, 2, True),
    (7, 160, 4, 2, False),
    (14, 176, 6, 1, False),
    (18, 304, 6, 2, False),
    (5, 512, 6, 1, False),
)
_LARGE: tuple[_Stage, ...] = (
    (4, 32, 1, 1, True),
    (7, 64, 4, 2, True),
    (7, 96, 4, 2, True),
    (10, 192, 4, 2, False),
    (19, 224, 6, 1, False),
    (25, 384, 6, 2, False),
    (7, 640, 6, 1, False),
)
_CONVOLUTION = {
    "class_name": "VarianceScaling",
    "config": {"scale": 2.0, "mode": "fan_out", "distribution": "truncated_normal"},
}
_DENSE = {
    "class_name": "VarianceScaling",
    "config": {"scale": 1.0 / 3.0, "mode": "fan_out", "distribution": "uniform"},
}
_MEANS = [0.485, 0.456, 0.406]
_DEVIATIONS = (0.229, 0.224, 0.225)


def _convolution(
    x: object, filters: int, size: int, name: str, stride: int = 1, **options: Any
) -> KerasTensor:
    options.setdefault("use_bias", False)
    return layers.Conv2D(
        filters,
        size,
        strides=stride,
        padding="same",
        kernel_initializer=_CONVOLUTION,
        name=name,
        **options,
    )(x)


def _norm(builder: Builder, x: object, name: str) -> KerasTensor:
    return builder.norm(x, name, momentum=0.9)


def _swish(x: KerasTensor, name: str) -> KerasTensor:
    return layers.Activation("swish", name=name)(x)


def _weighted(builder: Builder, x: KerasTensor, narrow: int, name: str) -> KerasTensor:
    """Squeeze-and-excitation: scales channels by weights of their means."""
    wide = builder.channels(x)
    weight = layers.GlobalAveragePooling2D(name=name + "se_squeeze")(x)
    shape = (wide, 1, 1) if builder.axis == 1 else (1, 1, wide)
    weight = layers.Reshape(shape, name=name + "se_reshape")(weight)
    weight = _convolution(weight, narrow, 1, name + "se_reduce", activation="swish", use_bias=True)
    weight = _convolution(weight, wide, 1, name + "se_expand", activation="sigmoid", use_bias=True)
    return layers.Multiply(name=name + "se_excite")([x, weight])


def _block(
    builder: Builder,
    inputs: KerasTensor,
    filters: int,
    expansion: int,
    stride: int,
    fused: bool,
    drop_rate: float,
    name: str,
) -> KerasTensor:
    """An inverted residual; a fused one has one full convolution in place of two."""
    x = inputs
    channels = builder.channels(inputs)
    wide = channels * expansion
    if expansion != 1:
        size, step = (3, stride) if fused else (1, 1)
        x = _convolution(x, wide, size, name + "expand_conv", step)
        x = _swish(_norm(builder, x, name + "expand_bn"), name + "expand_activation")
    if not fused:
        x = layers.DepthwiseConv2D(
            3,
            strides=stride,
            padding="same",
            use_bias=False,
            depthwise_initializer=_CONVOLUTION,
            name=name + "dwconv2",
        )(x)
        x = _swish(_norm(builder, x, name + "bn"), name + "activation")
        x = _weighted(builder, x, max(1, int(channels * 0.25)), name)
    size, step = (3, stride) if fused and expansion == 1 else (1, 1)
    x = _convolution(x, filters, size, name + "project_conv", step)
    x = _norm(builder, x, name + "project_bn")
    if fused and expansion == 1:
        x = _swish(x, name + "project_activation")
    if stride != 1 or channels != filters:
        return x
    if drop_rate:
        x = layers.Dropout(drop_rate, noise_shape=(None, 1, 1, 1), name=name + "drop")(x)
    return layers.Add(name=name + "add")([x, inputs])


def _rounded(count: int, width: float) -> int:
    """The nearest multiple of 8."""
    return max(8, int(count * width + 4) // 8 * 8)


def _network(
    builder: Builder,
    version: str,
    stages: tuple[_Stage, ...],
    width: float,
    depth: float,
    include_preprocessing: bool,
) -> Model:
    x = builder.images
    if include_preprocessing:
        if version.startswith("b") and builder.channels(x) == 3:
            x = layers.Rescaling(1.0 / 255)(x)
            variances = [deviation**2 for deviation in _DEVIATIONS]
            x = layers.Normalization(mean=_MEANS, variance=variances, axis=builder.axis)(x)
        else:
            x = layers.Rescaling(1.0 / 128.0, offset=-1)(x)
    stem = 32 if version.startswith("b") else stages[0][1]
    x = _convolution(x, _rounded(stem, width), 3, "stem_conv", 2)
    x = _swish(_norm(builder, x, "stem_bn"), "stem_activation")
    total = float(sum(stage[0] for stage in stages))
    done = 0
    for number, (count, filters, expansion, stride, fused) in enumerate(stages, start=1):
        for k in range(math.ceil(depth * count)):
            x = _block(
                builder,
                x,
                _rounded(filters, width),
                expansion,
                stride if k == 0 else 1,
                fused,
                0.2 * done / total,
                f"block{number}{chr(k + 97)}_",
            )
            done += 1
    x = _convolution(x, _rounded(1280, width), 1, "top_conv")
    x = _swish(_norm(builder, x, "top_bn"), "top_activation")
    if builder.include_top:
        x = layers.GlobalAveragePooling2D(name="avg_pool")(x)
        x = layers.Dropout(0.2, name="top_dropout")(x)
        x = builder.classified(x, kernel_initializer=_DENSE)
    else:
        x = builder.pooled(x)
    name = f"efficientnetv2-{version}"
    return builder.model(
        x, name, f"efficientnet_v2/{name}", _HASHES[version], top=".h5", notop="_notop.h5"
    )


def _variant(
    version: str, size: int, stages: tuple[_Stage, ...], width: float = 1.0, depth: float = 1.0
) -> Any:
    title = f"EfficientNetV2{version.upper()}"

    def function(
        include_top: bool = True,
        weights: str | None = "imagenet",
        input_tensor: Any = None,
        input_shape: Sequence[int | None] | None = None,
        pooling: str | None = None,
        classes: int = 1000,
        classifier_activation: str | Callable[..., Any] | None = "softmax",
        include_preprocessing: bool = True,
    ) -> Any:
        builder = Builder.of(locals(), default_size=size)
        return _network(builder, version, stages, width, depth, include_preprocessing)

    return described(
        function,
        title,
        f"{title}, for images of {size}x{size}.",
        'Tan and Le, "EfficientNetV2: smaller models and faster training" (ICML 2021).',
        __name__,
    )


EfficientNetV2B0 = _variant("b0", 224, _BASE)
EfficientNetV2B1 = _variant("b1", 240, _BASE, 1.0, 1.1)
EfficientNetV2B2 = _variant("b2", 260, _BASE, 1.1, 1.2)
EfficientNetV2B3 = _variant("b3", 300, _BASE, 1.2, 1.4)
EfficientNetV2S = _variant("s", 384, _SMALL)
EfficientNetV2M = _variant("m", 480, _MEDIUM)
EfficientNetV2L = _variant("l", 480, _LARGE)


preprocess_input = imagenet_utils.preprocessing(None, __name__)
decode_predictions = imagenet_utils.decode_predictions
