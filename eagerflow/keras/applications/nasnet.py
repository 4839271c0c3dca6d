"""tf.keras.applications.nasnet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eagerflow.keras import layers
from eagerflow.keras.applications import imagenet_utils
from eagerflow.keras.applications.builder import Builder, described
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor

__all__ = ["NASNetLarge", "NASNetMobile", "decode_predictions", "preprocess_input"]


def _norm(builder: Builder, x: object, name: str) -> KerasTensor:
    return builder.norm(x, name, momentum=0.9997, epsilon=1e-3)


def _convolution(x: object, filters: int, name: str, **options: Any) -> KerasTensor:
    options.setdefault("padding", "same")
    size = options.pop("size", 1)
    return layers.Conv2D(
        filters, size, use_bias=False, name=name, kernel_initializer="he_normal", **options
    )(x)


def _separable(
    builder: Builder, x: KerasTensor, filters: int, size: int, name: str, stride: int = 1
) -> KerasTensor:
    """Two separable convolutions, the first with a stride."""
    x = layers.Activation("relu")(x)
    padding = "same"
    if stride == 2:
        pad = imagenet_utils.correct_pad(x, size)
        x = layers.ZeroPadding2D(pad, name=f"separable_conv_1_pad_{name}")(x)
        padding = "valid"
    for number in (1, 2):
        if number == 2:
            x = layers.Activation("relu")(x)
            stride, padding = 1, "same"
        x = layers.SeparableConv2D(
            filters,
            size,
            strides=stride,
            padding=padding,
            use_bias=False,
            name=f"separable_conv_{number}_{name}",
        )(x)
        x = _norm(builder, x, f"separable_conv_{number}_bn_{name}")
    return x


def _adjusted(builder: Builder, before: Any, x: KerasTensor, filters: int, name: str) -> Any:
    """Adjusts the previous cell's input to the size and channels of the current one."""
    if before is None:
        return x
    rows = 2 if builder.axis == 1 else 1
    if before.shape[rows] != x.shape[rows]:
        before = layers.Activation("relu", name=f"adjust_relu_1_{name}")(before)
        # Every second pixel, from the first and from the second on.
        parts = [before]
        shifted = layers.ZeroPadding2D(((0, 1), (0, 1)))(before)
        parts.append(layers.Cropping2D(((1, 0), (1, 0)))(shifted))
        for number, part in enumerate(parts, start=1):
            part = layers.AveragePooling2D(
                1, strides=2, padding="valid", name=f"adjust_avg_pool_{number}_{name}"
            )(part)
            parts[number - 1] = _convolution(part, filters // 2, f"adjust_conv_{number}_{name}")
        before = layers.Concatenate(axis=builder.axis)(parts)
        return _norm(builder, before, f"adjust_bn_{name}")
    if builder.channels(before) != filters:
        before = layers.Activation("relu")(before)
        before = _convolution(before, filters, f"adjust_conv_projection_{name}")
        return _norm(builder, before, f"adjust_bn_{name}")
    return before


def _narrowed(builder: Builder, x: KerasTensor, filters: int, kind: str, name: str) -> KerasTensor:
    x = layers.Activation("relu")(x)
    x = _convolution(x, filters, f"{kind}_conv_1_{name}")
    return _norm(builder, x, f"{kind}_bn_1_{name}")


def _average(x: KerasTensor, name: str) -> KerasTensor:
    return layers.AveragePooling2D(3, strides=1, padding="same", name=name)(x)


def _normal_cell(builder: Builder, x: Any, before: Any, filters: int, name: str) -> tuple[Any, Any]:
    """A cell that keeps the image's size; returns its output and its input."""
    p = _adjusted(builder, before, x, filters, name)
    h = _narrowed(builder, x, filters, "normal", name)

    def separable(value: KerasTensor, size: int, position: str) -> KerasTensor:
        return _separable(builder, value, filters, size, f"normal_{position}_{name}")

    def add(number: int, *values: KerasTensor) -> Any:
        return layers.Add(name=f"normal_add_{number}_{name}")(list(values))

    first = add(1, separable(h, 5, "left1"), separable(p, 3, "right1"))
    second = add(2, separable(p, 5, "left2"), separable(p, 3, "right2"))
    third = add(3, _average(h, f"normal_left3_{name}"), p)
    fourth = add(4, _average(p, f"normal_left4_{name}"), _average(p, f"normal_right4_{name}"))
    fifth = add(5, separable(h, 3, "left5"), h)
    parts = [p, first, second, third, fourth, fifth]
    return layers.Concatenate(axis=builder.axis, name=f"normal_concat_{name}")(parts), x


def _halving_cell(
    builder: Builder, x: KerasTensor, before: KerasTensor | None, filters: int, name: str
) -> tuple[KerasTensor, KerasTensor]:
    """A cell that halves the image; returns its output and its input."""
    p = _adjusted(builder, before, x, filters, name)
    h = _narrowed(builder, x, filters, "reduction", name)
    padded = layers.ZeroPadding2D(imagenet_utils.correct_pad(h, 3), name=f"reduction_pad_1_{name}")(
        h
    )

    def separable(value: KerasTensor, size: int, position: str, stride: int = 2) -> KerasTensor:
        return _separable(builder, value, filters, size, f"reduction_{position}_{name}", stride)

    def highest(position: str) -> KerasTensor:
        return layers.MaxPooling2D(
            3, strides=2, padding="valid", name=f"reduction_{position}_{name}"
        )(padded)

    def add(title: str | None, *values: KerasTensor) -> Any:
        full = None if title is None else f"reduction_{title}_{name}"
        return layers.Add(name=full)(list(values))

    first = add("add_1", separable(h, 5, "left1"), separable(p, 7, "right1"))
    second = add("add_2", highest("left2"), separable(p, 7, "right2"))
    mean = layers.AveragePooling2D(3, strides=2, padding="valid", name=f"reduction_left3_{name}")(
        padded
    )
    third = add("add3", mean, separable(p, 5, "right3"))
    fourth = add(None, second, _average(first, f"reduction_left4_{name}"))
    fifth = add("add4", separable(first, 3, "left4", 1), highest("right5"))
    parts = [second, third, fourth, fifth]
    return layers.Concatenate(axis=builder.axis, name=f"reduction_concat_{name}")(parts), x


def _cells(builder: Builder, last: int, blocks: int, stem: int, skip: bool) -> KerasTensor:
    """The network up to the classifier.

    Args:
        builder: the architecture's arguments.
        last: how many channels there are at the end.
        blocks: how many normal cells each of the three stages has.
        stem: the number of channels of the first convolution.
        skip: whether the first cell of a stage also reads the tensor before the reduction cell's input.
    """
    filters = last // 24
    x = _convolution(builder.images, stem, "stem_conv1", size=3, strides=2, padding="valid")
    x = _norm(builder, x, "stem_bn1")
    before = None
    x, before = _halving_cell(builder, x, before, filters // 4, "stem_1")
    x, before = _halving_cell(builder, x, before, filters // 2, "stem_2")
    for stage in range(3):
        if stage:
            name = f"reduce_{stage * blocks}"
            x, input_of_cell = _halving_cell(builder, x, before, filters * 2**stage, name)
            before = before if skip else input_of_cell
        for k in range(blocks):
            number = stage * blocks + k + (1 if stage else 0)
            x, before = _normal_cell(builder, x, before, filters * 2**stage, str(number))
    x = layers.Activation("relu")(x)
    return builder.ended(x, top_name=None, names=False)


def _variant(
    size: str, side: int, penultimate: int, blocks: int, stem: int, skip: bool, hashes: Any
) -> Any:
    def function(
        input_shape: Sequence[int | None] | None = None,
        include_top: bool = True,
        weights: str | None = "imagenet",
        input_tensor: Any = None,
        pooling: str | None = None,
        classes: int = 1000,
        classifier_activation: str | Callable[..., Any] | None = "softmax",
    ) -> Any:
        builder = Builder.of(locals(), default_size=side)
        x = _cells(builder, penultimate, blocks, stem, skip)
        file = f"nasnet/NASNet-{size}"
        return builder.model(x, "NASNet", file, hashes, top=".h5", notop="-no-top.h5")

    return described(
        function,
        f"NASNet{size.title()}",
        f"NASNet {size.capitalize()}, whose cells are the result of an architecture search.",
        'Zoph et al., "Learning transferable architectures for scalable image recognition" '
        "(CVPR 2018).",
        __name__,
    )


NASNetMobile = _variant(
    "mobile",
    224,
    1056,
    4,
    32,
    False,
    ("020fb642bf7360b370c678b08e0adf61", "1ed92395b5b598bdda52abe5c0dbfd63"),
)
NASNetLarge = _variant(
    "large",
    331,
    4032,
    6,
    96,
    True,
    ("11577c9a518f0070763c2b964a382f17", "d81d89dc07e6e56530c4e77faddd61b5"),
)


preprocess_input = imagenet_utils.preprocessing("tf", __name__)
decode_predictions = imagenet_utils.decode_predictions
