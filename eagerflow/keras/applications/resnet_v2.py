"""tf.keras.applications.resnet_v2."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow.keras.applications import imagenet_utils
from eagerflow.keras.applications.builder import plain
from eagerflow.keras.applications.residual import residual_network

__all__ = ["ResNet101V2", "ResNet152V2", "ResNet50V2", "decode_predictions", "preprocess_input"]


def _network(count: int, blocks: tuple[int, ...]) -> Callable[..., Any]:
    return plain(
        f"ResNet{count}V2",
        f"A residual network v2 with {count} layers that have weights.",
        'He et al., "Identity mappings in deep residual networks" (ECCV 2016).',
        lambda builder: residual_network(f"resnet{count}v2", blocks, builder, second_version=True),
        __name__,
    )


ResNet50V2 = _network(50, (3, 4, 6, 3))
ResNet101V2 = _network(101, (3, 4, 23, 3))
ResNet152V2 = _network(152, (3, 8, 36, 3))

preprocess_input = imagenet_utils.preprocessing("tf", __name__)
decode_predictions = imagenet_utils.decode_predictions
