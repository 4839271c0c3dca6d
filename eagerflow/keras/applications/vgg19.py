"""tf.keras.applications.vgg19."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eagerflow.keras.applications import imagenet_utils
from eagerflow.keras.applications.builder import Builder, documented
from eagerflow.keras.applications.vgg import vgg

__all__ = ["VGG19", "decode_predictions", "preprocess_input"]


@documented
def VGG19(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Sequence[int | None] | None = None,
    pooling: str | None = None,
    classes: int = 1000,
    classifier_activation: str | Callable[..., Any] | None = "softmax",
) -> Any:
    """VGG with 19 layers that have weights.

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
    hashes = ("cbe5617147190e668d6c5d5026f83318", "253f8cb515780f3b799900260a226db6")
    return vgg("vgg19", (2, 2, 4, 4, 4), hashes, builder)


def preprocess_input(x: Any, data_format: str | None = None) -> Any:
    """Preprocesses images for this network; see `imagenet_utils.preprocess_input`, mode "caffe"."""
    return imagenet_utils.preprocess_input(x, data_format=data_format, mode="caffe")


decode_predictions = imagenet_utils.decode_predictions
