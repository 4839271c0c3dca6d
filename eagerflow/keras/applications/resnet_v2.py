"""tf.keras.applications.resnet_v2."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eagerflow.keras.applications import imagenet_utils
from eagerflow.keras.applications.builder import Builder, documented
from eagerflow.keras.applications.residual import residual_network

__all__ = ["ResNet101V2", "ResNet152V2", "ResNet50V2", "decode_predictions", "preprocess_input"]


@documented
def ResNet50V2(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Sequence[int | None] | None = None,
    pooling: str | None = None,
    classes: int = 1000,
    classifier_activation: str | Callable[..., Any] | None = "softmax",
) -> Any:
    """A residual network v2 with 50 layers that have weights.

    He et al., "Identity mappings in deep residual networks" (ECCV 2016).
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
    return residual_network("resnet50v2", (3, 4, 6, 3), builder, second_version=True)


@documented
def ResNet101V2(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Sequence[int | None] | None = None,
    pooling: str | None = None,
    classes: int = 1000,
    classifier_activation: str | Callable[..., Any] | None = "softmax",
) -> Any:
    """A residual network v2 with 101 layers that have weights.

    He et al., "Identity mappings in deep residual networks" (ECCV 2016).
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
    return residual_network("resnet101v2", (3, 4, 23, 3), builder, second_version=True)


@documented
def ResNet152V2(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Sequence[int | None] | None = None,
    pooling: str | None = None,
    classes: int = 1000,
    classifier_activation: str | Callable[..., Any] | None = "softmax",
) -> Any:
    """A residual network v2 with 152 layers that have weights.

    He et al., "Identity mappings in deep residual networks" (ECCV 2016).
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
    return residual_network("resnet152v2", (3, 8, 36, 3), builder, second_version=True)


def preprocess_input(x: Any, data_format: str | None = None) -> Any:
    """Preprocesses images for this network; see `imagenet_utils.preprocess_input`, mode "tf"."""
    return imagenet_utils.preprocess_input(x, data_format=data_format, mode="tf")


decode_predictions = imagenet_utils.decode_predictions
