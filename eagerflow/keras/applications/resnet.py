"""tf.keras.applications.resnet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow.keras.applications import imagenet_utils
from eagerflow.keras.applications.builder import plain
from eagerflow.keras.applications.residual import residual_network

__all__ = ["ResNet101", "ResNet152", "ResNet50", "decode_predictions", "preprocess_input"]


def _network(count: int, blocks: tuple[int, ...]) -> Callable[..., Any]:
    return plain(
        f"ResNet{count}",
        f"A residual network with {count} layers that have weights.",
        'He et al., "Deep residual learning for image recognition" (CVPR 2016).',
        lambda builder: residual_network(f"resnet{count}", blocks, builder),
        __name__,
    )


ResNet50 = _network(50, (3, 4, 6, 3))
ResNet101 = _network(101, (3, 4, 23, 3))
ResNet152 = _network(152, (3, 8, 36, 3))

preprocess_input = imagenet_utils.preprocessing("caffe", __name__)
decode_predictions = imagenet_utils.decode_predictions
