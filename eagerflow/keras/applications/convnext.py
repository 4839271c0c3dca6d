"""tf.keras.applications.convnext."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.keras import initializers, layers
from eagerflow.keras.applications import imagenet_utils
from eagerflow.keras.applications.builder import Builder, variant
from eagerflow.keras.engine.sequential import Sequential
from eagerflow.keras.typing import Config
from eagerflow.ops.random import stateful as random

_ops = _core.ops
_SIZES: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "tiny": ((3, 3, 9, 3), (96, 192, 384, 768)),
    "small": ((3, 3, 27, 3), (96, 192, 384, 768)),
    "base": ((3, 3, 27, 3), (128, 256, 512, 1024)),
    "large": ((3, 3, 27, 3), (192, 384, 768, 1536)),
    "xlarge": ((3, 3, 27, 3), (256, 512, 1024, 2048)),
}
_HASHES = {
    "tiny": (
        "8ae6e78ce2933352b1ef4008e6dd2f17bc40771563877d156bc6426c7cf503ff",
        "d547c096cabd03329d7be5562c5e14798aa39ed24b474157cef5e85ab9e49ef1",
    ),
    "small": (
        "ce1277d8f1ee5a0ef0e171469089c18f5233860ceaf9b168049cb9263fd7483c",
        "6fc8009faa2f00c1c1dfce59feea9b0745eb260a7dd11bee65c8e20843da6eab",
    ),
    "base": (
        "52cbb006d3dadd03f6e095a8ca1aca47aecdd75acb4bc74bce1f5c695d0086e6",
        "40a20c5548a5e9202f69735ecc06c990e6b7c9d2de39f0361e27baeb24cb7c45",
    ),
    "large": (
        "070c5ed9ed289581e477741d3b34beffa920db8cf590899d6d2c67fba2a198a6",
        "96f02b6f0753d4f543261bc9d09bed650f24dd6bc02ddde3066135b63d23a1cd",
    ),
    "xlarge": (
        "c1f5ccab661354fc3a79a10fa99af82f0fbf10ec65cb894a3ae0815f17a889ee",
        "de3f8a54174130e0cecdc71583354753d557fcf1f4487331558e2a16ba0cfe05",
    ),
}
_MEAN = [0.485 * 255, 0.456 * 255, 0.406 * 255]
_VARIANCE = [(0.229 * 255) ** 2, (0.224 * 255) ** 2, (0.225 * 255) ** 2]


class StochasticDepth(layers.Layer):
    """Drops samples at random in training, and scales the others accordingly (stochastic depth).

    Huang et al., "Deep networks with stochastic depth" (ECCV 2016).

    Args:
        drop_path_rate: the share of samples that are left out.
        **kwargs: `name`, `dtype`, …
    """

    def __init__(self, drop_path_rate: float, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.drop_path_rate = drop_path_rate

    def call(self, x: Any, training: bool | _core.Tensor | None = None) -> Any:
        """Zeroes random samples in training, and scales the others up."""
        if not training:
            return x
        kept = 1 - self.drop_path_rate
        shape = [x._shape_tuple()[0]] + [1] * (x.ndim - 1)
        return (x / kept) * _ops.floor(kept + random.uniform(shape, dtype=x.dtype))

    def get_config(self) -> Config:
        """The arguments that make a layer like this one."""
        return super().get_config() | {"drop_path_rate": self.drop_path_rate}


class LayerScale(layers.Layer):
    """Scales each channel by a weight whose initial value is small.

    Touvron et al., "Going deeper with image transformers" (ICCV 2021).

    Args:
        init_values: the initial value of the weights.
        projection_dim: the number of channels.
        **kwargs: `name`, `dtype`, …
    """

    def __init__(self, init_values: float, projection_dim: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.init_values = init_values
        self.projection_dim = projection_dim

    def build(self, input_shape: Any) -> None:
        """Makes the weights."""
        self.gamma = self.add_weight(
            name="gamma",
            shape=(self.projection_dim,),
            initializer=initializers.Constant(self.init_values),
        )
        super().build(input_shape)

    def call(self, x: Any) -> Any:
        """The scaled channels."""
        return x * self.gamma

    def get_config(self) -> Config:
        """The arguments that make a layer like this one."""
        own = {"init_values": self.init_values, "projection_dim": self.projection_dim}
        return super().get_config() | own


def _norm(name: str | None = None) -> Any:
    return layers.LayerNormalization(epsilon=1e-6, name=name)


def _block(x: _core.Tensor, filters: int, name: str) -> Any:
    skip = x
    x = layers.Conv2D(filters, 7, padding="same", groups=filters, name=name + "_depthwise_conv")(x)
    x = _norm(name + "_layernorm")(x)
    x = layers.Dense(4 * filters, name=name + "_pointwise_conv_1")(x)
    x = layers.Activation("gelu", name=name + "_gelu")(x)
    x = layers.Dense(filters, name=name + "_pointwise_conv_2")(x)
    x = LayerScale(1e-6, filters, name=name + "_layer_scale")(x)
    return skip + layers.Activation("linear", name=name + "_identity")(x)


def _network(kind: str, model_name: str, include_preprocessing: bool, builder: Builder) -> Any:
    depths, widths = _SIZES[kind]
    x = builder.images
    if include_preprocessing and builder.channels(x) == 3:
        name = model_name + "_prestem_normalization"
        x = layers.Normalization(mean=_MEAN, variance=_VARIANCE, name=name)(x)
    for stage, (depth, filters) in enumerate(zip(depths, widths, strict=True)):
        if stage == 0:
            stem = model_name + "_stem"
            reduce = [layers.Conv2D(filters, 4, 4, name=stem + "_conv"), _norm(stem + "_layernorm")]
            x = Sequential(reduce, name=stem)(x)
        else:
            start, end = model_name + "_downsampling", str(stage - 1)
            conv = layers.Conv2D(filters, 2, 2, name=f"{start}_conv_{end}")
            reduce = [_norm(f"{start}_layernorm_{end}"), conv]
            x = Sequential(reduce, name=f"{start}_block_{end}")(x)
        for k in range(depth):
            x = _block(x, filters, f"{model_name}_stage_{stage}_block_{k}")
    if builder.include_top:
        imagenet_utils.validate_activation(builder.classifier_activation, builder.weights)
        x = layers.GlobalAveragePooling2D(name=model_name + "_head_gap")(x)
        x = _norm(model_name + "_head_layernorm")(x)
        x = layers.Dense(
            builder.classes,
            activation=builder.classifier_activation,
            name=model_name + "_head_dense",
        )(x)
    else:
        x = _norm()(builder.pooled(x, names=False))
    file = "convnext/" + model_name
    return builder.model(x, model_name, file, _HASHES[kind], top=".h5", notop="_notop.h5")


def _variant(kind: str, title: str) -> Any:
    return variant(
        "ConvNeXt" + title,
        "convnext_" + kind,
        f"ConvNeXt in the size called {kind}: a convolutional network like a transformer.",
        'Liu et al., "A ConvNet for the 2020s" (CVPR 2022).',
        lambda **arguments: _network(kind, **arguments),
        __name__,
    )


ConvNeXtTiny = _variant("tiny", "Tiny")
ConvNeXtSmall = _variant("small", "Small")
ConvNeXtBase = _variant("base", "Base")
ConvNeXtLarge = _variant("large", "Large")
ConvNeXtXLarge = _variant("xlarge", "XLarge")


preprocess_input = imagenet_utils.preprocessing(None, __name__)
decode_predictions = imagenet_utils.decode_predictions

__all__ = [
    "ConvNeXtBase",
    "ConvNeXtLarge",
    "ConvNeXtSmall",
    "ConvNeXtTiny",
    "ConvNeXtXLarge",
    "decode_predictions",
    "preprocess_input",
]
