"""tf.keras.applications.vgg16."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eagerflow.keras.applications import imagenet_utils
from eagerflow.keras.applications.builder import Builder, documented
from eagerflow.keras.applications.vgg import vgg

__all__ = ["VGG16", "decode_predictions", "preprocess_input"]


@documented
def VGG16(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Sequence[int | None] | None = None,
    pooling: str | None = None,
    classes: int = 1000,
    classifier_activation: str | Callable[..., Any] | None = "softmax",
) -> Any:
    """VGG with 16 layers that have weights.

    Simonyan and Zisserman, "Very deep convolutional networks for large-scale image recognition"
    (2014).
    """
    builder = Builder(
        include_top,
        weights,
        input_tensor,
        input_shape,
        pooling,
        classes,
        classifier_activation,
    )
    hashes = ("64373286793e3c8b2b4e3219cbf3544b", "6d6bbae143d832006294945121d1f1fc")
    return vgg("vgg16", (2, 2, 3, 3, 3), hashes, builder)


def preprocess_input(x: Any, data_format: str | None = None) -> Any:
    """Preprocesses images for this network; see `imagenet_utils.preprocess_input`, mode "caffe"."""
    return imagenet_utils.preprocess_input(x, data_format=data_format, mode="caffe")


decode_predictions = imagenet_utils.decode_predictions
