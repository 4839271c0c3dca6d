"""tf.keras.applications.mobilenet_v3."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eagerflow.keras import config, layers
from eagerflow.keras.applications import imagenet_utils
from eagerflow.keras.applications.builder import Builder, described
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor
from eagerflow.keras.engine.model import Model

__all__ = ["MobileNetV3Large", "MobileNetV3Small", "decode_predictions", "preprocess_input"]

_HASHES = {
    "large_224_0.75_float": (
        "765b44a33ad4005b3ac83185abf1d0eb",
        "40af19a13ebea4e2ee0c676887f69a2e",
    ),
    "large_224_1.0_float": ("59e551e166be033d707958cf9e29a6a7", "07fb09a5933dd0c8eaafa16978110389"),
    "large_minimalistic_224_1.0_float": (
        "675e7b876c45c57e9e63e6d90a36599c",
        "ec5221f64a2f6d1ef965a614bdae7973",
    ),
    "small_224_0.75_float": (
        "cb65d4e5be93758266aa0a7f2c6708b7",
        "ebdb5cc8e0b497cd13a7c275d475c819",
    ),
    "small_224_1.0_float": ("8768d4c2e7dee89b9d02b2d03d65d862", "d3e8ec802a04aa4fc771ee12a9a9b836"),
    "small_minimalistic_224_1.0_float": (
        "99cd97fb2fcdad2bf028eb838de69e37",
        "cde8136e733e811080d9fcd8a252f7e4",
    ),
}
# Expansion, filters, kernel (0: the network's own), stride, whether channels are weighted, and
# whether the activation is the network's own rather than ReLU.
_SMALL = (
    (1, 16, 3, 2, True, False),
    (72.0 / 16, 24, 3, 2, False, False),
    (88.0 / 24, 24, 3, 1, False, False),
    (4, 40, 0, 2, True, True),
    (6, 40, 0, 1, True, True),
    (6, 40, 0, 1, True, True),
    (3, 48, 0, 1, True, True),
    (3, 48, 0, 1, True, True),
    (6, 96, 0, 2, True, True),
    (6, 96, 0, 1, True, True),
    (6, 96, 0, 1, True, True),
)
_LARGE = (
    (1, 16, 3, 1, False, False),
    (4, 24, 3, 2, False, False),
    (3, 24, 3, 1, False, False),
    (3, 40, 0, 2, True, False),
    (3, 40, 0, 1, True, False),
    (3, 40, 0, 1, True, False),
    (6, 80, 3, 2, False, True),
    (2.5, 80, 3, 1, False, True),
    (2.3, 80, 3, 1, False, True),
    (2.3, 80, 3, 1, False, True),
    (6, 112, 3, 1, True, True),
    (6, 112, 3, 1, True, True),
    (6, 160, 0, 2, True, True),
    (6, 160, 0, 1, True, True),
    (6, 160, 0, 1, True, True),
)
_depth = imagenet_utils.make_divisible


def _relu(x: KerasTensor) -> KerasTensor:
    return layers.ReLU()(x)


def _hard_sigmoid(x: Any) -> Any:
    return layers.ReLU(6.0)(x + 3.0) * (1.0 / 6.0)


def _hard_swish(x: KerasTensor) -> KerasTensor:
    return layers.Multiply()([x, _hard_sigmoid(x)])


def _norm(builder: Builder, x: object, name: str) -> KerasTensor:
    return builder.norm(x, name + "/BatchNorm", epsilon=1e-3, momentum=0.999)


def _weighted(x: KerasTensor, channels: int, prefix: str) -> KerasTensor:
    """Squeeze-and-excitation: scales channels by weights of their means."""
    name = prefix + "squeeze_excite/"
    weight = layers.GlobalAveragePooling2D(keepdims=True, name=name + "AvgPool")(x)
    weight = layers.Conv2D(_depth(channels * 0.25), 1, padding="same", name=name + "Conv")(weight)
    weight = layers.ReLU(name=name + "Relu")(weight)
    weight = layers.Conv2D(channels, 1, padding="same", name=name + "Conv_1")(weight)
    return layers.Multiply(name=name + "Mul")([x, _hard_sigmoid(weight)])


def _block(
    builder: Builder,
    x: KerasTensor,
    expansion: float,
    filters: int,
    kernel: int,
    stride: int,
    weighted: bool,
    activation: Callable[[Any], Any],
    number: int,
) -> KerasTensor:
    """An inverted residual."""
    shortcut = x
    channels = builder.channels(x)
    wide = _depth(channels * expansion)
    prefix = f"expanded_conv_{number}/" if number else "expanded_conv/"
    if number:
        x = layers.Conv2D(wide, 1, padding="same", use_bias=False, name=prefix + "expand")(x)
        x = activation(_norm(builder, x, prefix + "expand"))
    if stride == 2:
        pad = imagenet_utils.correct_pad(x, kernel)
        x = layers.ZeroPadding2D(pad, name=prefix + "depthwise/pad")(x)
    x = layers.DepthwiseConv2D(
        kernel,
        strides=stride,
        padding="same" if stride == 1 else "valid",
        use_bias=False,
        name=prefix + "depthwise",
    )(x)
    x = activation(_norm(builder, x, prefix + "depthwise"))
    if weighted:
        x = _weighted(x, wide, prefix)
    x = layers.Conv2D(filters, 1, padding="same", use_bias=False, name=prefix + "project")(x)
    x = _norm(builder, x, prefix + "project")
    if stride == 1 and channels == filters:
        x = layers.Add(name=prefix + "Add")([shortcut, x])
    return x


def _network(
    builder: Builder,
    size: str,
    blocks: tuple,
    last: int,
    alpha: float,
    minimalistic: bool,
    dropout_rate: float,
    include_preprocessing: bool,
) -> Model:
    if builder.weights == "imagenet" and alpha not in ((1.0,) if minimalistic else (0.75, 1.0)):
        raise ValueError(
            "If imagenet weights are being loaded, alpha can be one of `0.75`, `1.0` for non "
            "minimalistic or `1.0` for minimalistic only."
        )
    own = _relu if minimalistic else _hard_swish
    x = builder.images
    if include_preprocessing:
        x = layers.Rescaling(scale=1.0 / 127.5, offset=-1.0)(x)
    x = layers.Conv2D(16, 3, strides=2, padding="same", use_bias=False, name="Conv")(x)
    x = own(_norm(builder, x, "Conv"))
    for number, (expansion, filters, kernel, stride, weighted, swish) in enumerate(blocks):
        x = _block(
            builder,
            x,
            expansion,
            _depth(filters * alpha),
            kernel or (3 if minimalistic else 5),
            stride,
            weighted and not minimalistic,
            own if swish else _relu,
            number,
        )
    wide = _depth(builder.channels(x) * 6)
    x = layers.Conv2D(wide, 1, padding="same", use_bias=False, name="Conv_1")(x)
    x = own(_norm(builder, x, "Conv_1"))
    if builder.include_top:
        last = _depth(last * alpha) if alpha > 1.0 else last
        x = layers.GlobalAveragePooling2D(keepdims=True)(x)
        x = own(layers.Conv2D(last, 1, padding="same", name="Conv_2")(x))
        if dropout_rate > 0:
            x = layers.Dropout(dropout_rate)(x)
        x = layers.Conv2D(builder.classes, 1, padding="same", name="Logits")(x)
        x = layers.Flatten()(x)
        imagenet_utils.validate_activation(builder.classifier_activation, builder.weights)
        x = layers.Activation(builder.classifier_activation, name="Predictions")(x)
    else:
        x = builder.pooled(x)
    version = f"{size}{'_minimalistic' if minimalistic else ''}_224_{float(alpha)}_float"
    return builder.model(
        x,
        "MobilenetV3" + size,
        f"mobilenet_v3/weights_mobilenet_v3_{version}",
        _HASHES.get(version, (None, None)),
        top=".h5",
        notop="_no_top_v2.h5",
    )


def _builder(
    input_shape: Sequence[int | None] | None,
    include_top: bool,
    weights: str | None,
    input_tensor: Any,
    classes: int,
    pooling: str | None,
    classifier_activation: Any,
) -> Builder:
    first = config.image_data_format() == "channels_first"
    if input_shape is None:
        shape = None if input_tensor is None else tuple(input_tensor.shape)[1:]
        input_shape = shape or ((3, None, None) if first else (None, None, 3))
    sizes = input_shape[1:] if first else input_shape[:2]
    if any(size is not None and size < 32 for size in sizes):
        raise ValueError(f"Input size must be at least 32x32; Received `input_shape={input_shape}`")
    return Builder.of(locals(), need_size=False)


def _variant(size: str, blocks: Any, last: int) -> Any:
    def function(
        input_shape: Sequence[int | None] | None = None,
        alpha: float = 1.0,
        minimalistic: bool = False,
        include_top: bool = True,
        weights: str | None = "imagenet",
        input_tensor: Any = None,
        classes: int = 1000,
        pooling: str | None = None,
        dropout_rate: float = 0.2,
        classifier_activation: str | Callable[..., Any] | None = "softmax",
        include_preprocessing: bool = True,
    ) -> Any:
        builder = _builder(
            input_shape, include_top, weights, input_tensor, classes, pooling, classifier_activation
        )
        return _network(
            builder, size, blocks, last, alpha, minimalistic, dropout_rate, include_preprocessing
        )

    return described(
        function,
        f"MobileNetV3{size.title()}",
        f"MobileNetV3, the {size} one: for mobile devices.",
        'Howard et al., "Searching for MobileNetV3" (ICCV 2019).',
        __name__,
    )


MobileNetV3Small = _variant("small", _SMALL, 1024)
MobileNetV3Large = _variant("large", _LARGE, 1280)


preprocess_input = imagenet_utils.preprocessing(None, __name__)
decode_predictions = imagenet_utils.decode_predictions
