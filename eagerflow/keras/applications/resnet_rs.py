"""tf.keras.applications.resnet_rs."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from eagerflow.keras import backend, layers
from eagerflow.keras.applications import imagenet_utils
from eagerflow.keras.applications.builder import Builder, described
from eagerflow.keras.engine.functional.keras_tensor import KerasTensor
from eagerflow.keras.engine.model import Model

# By depth: blocks in each stage, the fraction of dropped paths in the last, and the classifier's
# dropout.
_SIZES: dict[int, tuple[tuple[int, ...], float, float]] = {
    50: ((3, 4, 6, 3), 0.0, 0.25),
    101: ((3, 4, 23, 3), 0.0, 0.25),
    152: ((3, 8, 36, 3), 0.0, 0.25),
    200: ((3, 24, 36, 3), 0.1, 0.25),
    270: ((4, 29, 53, 4), 0.1, 0.25),
    350: ((4, 36, 72, 4), 0.1, 0.4),
    420: ((4, 44, 87, 4), 0.1, 0.4),
}
# By depth and the size of the images: hashes of the files with and without a classifier.
_HASHES = {
    50: {160: ("69d9d925319f00a8bdd4af23c04e4102", "90daa68cd26c95aa6c5d25451e095529")},
    101: {
        160: ("544b3434d00efc199d66e9058c7f3379", "82d5b90c5ce9d710da639d6216d0f979"),
        192: ("eb285be29ab42cf4835ff20a5e3b5d23", "f9a0f6b85faa9c3db2b6e233c4eebb5b"),
    },
    152: {
        192: ("8d72a301ed8a6f11a47c4ced4396e338", "5fbf7ac2155cb4d5a6180ee9e3aa8704"),
        224: ("31a46a92ab21b84193d0d71dd8c3d03b", "dc8b2cba2005552eafa3167f00dc2133"),
        256: ("ba6271b99bdeb4e7a9b15c05964ef4ad", "fa79794252dbe47c89130f65349d654a"),
    },
    200: {256: ("a76930b741884e09ce90fa7450747d5f", "bbdb3994718dfc0d1cd45d7eff3f3d9c")},
    270: {256: ("20d575825ba26176b03cb51012a367a8", "2c42ecb22e35f3e23d2f70babce0a2aa")},
    350: {
        256: ("f4a039dc3c421321b7fc240494574a68", "6e44b55025bbdff8f51692a023143d66"),
        320: ("7ccb858cc738305e8ceb3c0140bee393", "ab0c1f9079d2f85a9facbd2c88aa6079"),
    },
    420: {320: ("ae0eb9bed39e64fc8d7e0db4018dc7e8", "fe6217c32be8305b1889657172b98884")},
}
_INITIALIZER = {
    "class_name": "VarianceScaling",
    "config": {"scale": 2.0, "mode": "fan_out", "distribution": "truncated_normal"},
}


def _normed(
    builder: Builder, x: object, filters: int, size: int, stride: int, name: str, bn_name: str
) -> KerasTensor:
    """A convolution, padded symmetrically if it has a stride, and normalization."""
    if stride > 1:
        before = (size - 1) // 2
        x = layers.ZeroPadding2D(((before, size - 1 - before),) * 2)(x)
    x = layers.Conv2D(
        filters,
        size,
        strides=stride,
        padding="same" if stride == 1 else "valid",
        use_bias=False,
        kernel_initializer=_INITIALIZER,
        name=name,
    )(x)
    return builder.norm(x, bn_name, momentum=0.0, epsilon=1e-5)


def _stem(builder: Builder, x: object) -> Any:
    start = f"stem_{backend.get_uid('stem_')}_stem"
    for k, (filters, stride) in enumerate(((32, 2), (32, 1), (64, 1), (64, 2)), 1):
        name, bn_name = f"{start}_conv_{k}", f"{start}_batch_norm_{k}"
        x = _normed(builder, x, filters, 3, stride, name, bn_name)
        x = layers.Activation("relu", name=f"{start}_act_{k}")(x)
    return x


def _excited(builder: Builder, x: KerasTensor, filters: int, name: str) -> KerasTensor:
    """Squeeze-and-excitation (Hu et al., CVPR 2018)."""
    scale = layers.GlobalAveragePooling2D(name=name + "_squeeze")(x)
    channels = scale.shape[-1]
    shape = (channels, 1, 1) if builder.axis == 1 else (1, 1, channels)
    scale = layers.Reshape(shape, name=name + "_reshape")(scale)
    for count, function, end in ((filters, "relu", "_reduce"), (4 * filters, "sigmoid", "_expand")):
        scale = layers.Conv2D(
            count,
            1,
            padding="same",
            kernel_initializer=_INITIALIZER,
            activation=function,
            name=name + end,
        )(scale)
    return layers.multiply([x, scale], name=name + "_excite")


def _block(
    builder: Builder, x: KerasTensor, filters: int, stride: int, first: bool, drop: float, name: str
) -> KerasTensor:
    skip = x
    if first:
        if stride == 2:
            skip = layers.AveragePooling2D(
                2, strides=2, padding="same", name=name + "_projection_pooling"
            )(skip)
        projection = name + "_projection"
        skip = _normed(
            builder, skip, 4 * filters, 1, 1, projection + "_conv", projection + "_batch_norm"
        )
    x = _normed(builder, x, filters, 1, 1, name + "_conv_1", name + "batch_norm_1")
    x = layers.Activation("relu", name=name + "_act_1")(x)
    x = _normed(builder, x, filters, 3, stride, name + "_conv_2", name + "_batch_norm_2")
    x = layers.Activation("relu", name=name + "_act_2")(x)
    x = _normed(builder, x, 4 * filters, 1, 1, name + "_conv_3", name + "_batch_norm_3")
    x = _excited(builder, x, filters, name + "_se_se")
    if drop:
        x = layers.Dropout(drop, noise_shape=(None, 1, 1, 1), name=name + "_drop")(x)
    x = layers.Add()([x, skip])
    return layers.Activation("relu", name=name + "_output_act")(x)


def _network(depth: int, include_preprocessing: bool, builder: Builder, size: int) -> Model:
    blocks, drop, dropout = _SIZES[depth]
    x = builder.images
    if include_preprocessing:
        x = layers.Rescaling(scale=1.0 / 255)(x)
        if builder.channels(x) == 3:
            x = layers.Normalization(
                mean=[0.485, 0.456, 0.406],
                variance=[0.229**2, 0.224**2, 0.225**2],
                axis=builder.axis,
            )(x)
    x = _stem(builder, x)
    for stage, count in enumerate(blocks):
        share = drop * (stage + 2) / (len(blocks) + 1)
        stride = 2 if stage else 1
        for k in range(count):
            name = f"BlockGroup{stage + 2}__block_{k}_"
            x = _block(builder, x, 64 * 2**stage, 1 if k else stride, not k, share, name)
    if builder.include_top:
        x = layers.GlobalAveragePooling2D(name="avg_pool")(x)
        x = layers.Dropout(dropout, name="top_dropout")(x)
        x = builder.classified(x)
    else:
        x = builder.pooled(x)
    name = f"resnet-rs-{depth}"
    hashes = _HASHES[depth].get(size, (None, None))
    file = f"resnet_rs/{name}-i{size}"
    return builder.model(x, name, file, hashes, top=".h5", notop="_notop.h5")


_WEIGHTS = """

    Args:
        weights: "imagenet", "imagenet-iSIZE" for images of another size, None for random initialization,
            or a file of weights."""


def _variant(depth: int) -> Any:
    def build(
        include_top: bool = True,
        weights: str | None = "imagenet",
        classes: int = 1000,
        input_shape: Sequence[int | None] | None = None,
        input_tensor: Any = None,
        pooling: str | None = None,
        classifier_activation: str | Callable[..., Any] | None = "softmax",
        include_preprocessing: bool = True,
    ) -> Any:
        sizes = list(_HASHES[depth])
        size = max(sizes)
        if weights is not None and weights != "imagenet" and not os.path.exists(weights):
            names = [f"imagenet-i{each}" for each in sizes]
            if weights not in names:
                raise ValueError(
                    "The `weights` argument should be either `None` (random initialization), "
                    "`'imagenet'` (pre-training on ImageNet, with highest available input shape), "
                    "or the path to the weights file to be loaded. For ResNetRS"
                    f"{depth} the following weight variants are available {names} "
                    f"(default=highest). Received weights={weights}"
                )
            size, weights = sizes[names.index(weights)], "imagenet"
        builder = Builder.of(locals())
        return _network(depth, include_preprocessing, builder, size)

    return described(
        build,
        f"ResNetRS{depth}",
        f"ResNet-RS with {depth} layers that have weights.",
        'Bello et al., "Revisiting ResNets: improved training and scaling strategies" (NeurIPS 2021).'
        + _WEIGHTS,
        __name__,
    )


ResNetRS50 = _variant(50)
ResNetRS101 = _variant(101)
ResNetRS152 = _variant(152)
ResNetRS200 = _variant(200)
ResNetRS270 = _variant(270)
ResNetRS350 = _variant(350)
ResNetRS420 = _variant(420)


preprocess_input = imagenet_utils.preprocessing(None, __name__)
decode_predictions = imagenet_utils.decode_predictions

__all__ = [
    "ResNetRS101",
    "ResNetRS152",
    "ResNetRS200",
    "ResNetRS270",
    "ResNetRS350",
    "ResNetRS420",
    "ResNetRS50",
    "decode_predictions",
    "preprocess_input",
]
