"""tf.keras.applications.resnet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eagerflow.keras.applications import imagenet_utils
from eagerflow.keras.applications.builder import Builder, documented
from eagerflow.keras.applications.residual import residual_network

__all__ = ["ResNet101", "ResNet152", "ResNet50", "decode_predictions", "preprocess_input"]


@documented
def ResNet50(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Sequence[int | None] | None = None,
    pooling: str | None = None,
    classes: int = 1000,
    **kwargs: Any,
) -> Any:
    """A residual network with 50 layers that have weights.

    He et al., "Deep residual learning for image recognition" (CVPR 2016).

    Args:
        **kwargs: `classifier_activation`; None for logits.
    """
    builder = Builder(
        include_top,
        weights,
        input_tensor,
        input_shape,
        pooling,
        classes,
        **kwargs,
    )
    return residual_network("resnet50", (3, 4, 6, 3), builder)


@documented
def ResNet101(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Sequence[int | None] | None = None,
    pooling: str | None = None,
    classes: int = 1000,
    **kwargs: Any,
) -> Any:
    """A residual network with 101 layers that have weights.

    He et al., "Deep residual learning for image recognition" (CVPR 2016).

    Args:
        **kwargs: `classifier_activation`; None for logits.
    """
    builder = Builder(
        include_top,
        weights,
        input_tensor,
        input_shape,
        pooling,
        classes,
        **kwargs,
    )
    return residual_network("resnet101", (3, 4, 23, 3), builder)


@documented
def ResNet152(
    include_top: bool = True,
    weights: str | None = "imagenet",
    input_tensor: Any = None,
    input_shape: Sequence[int | None] | None = None,
    pooling: str | None = None,
    classes: int = 1000,
    **kwargs: Any,
) -> Any:
    """A residual network with 152 layers that have weights.

    He et al., "Deep residual learning for image recognition" (CVPR 2016).

    Args:
        **kwargs: `classifier_activation`; None for logits.
    """
    builder = Builder(
        include_top,
        weights,
        input_tensor,
        input_shape,
        pooling,
        classes,
        **kwargs,
    )
    return residual_network("resnet152", (3, 8, 36, 3), builder)


def preprocess_input(x: Any, data_format: str | None = None) -> Any:
    """Preprocesses images for this network; see `imagenet_utils.preprocess_input`, mode "caffe"."""
    return imagenet_utils.preprocess_input(x, data_format=data_format, mode="caffe")


decode_predictions = imagenet_utils.decode_predictions
