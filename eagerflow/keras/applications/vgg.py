"""The VGG networks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow.keras import layers
from eagerflow.keras.applications.builder import Builder, plain

_SOURCE = """Simonyan and Zisserman, "Very deep convolutional networks for large-scale image
    recognition" (2014)."""


def _network(builder: Builder, name: str, blocks: tuple[int, ...], hashes: tuple[str, str]) -> Any:
    x = builder.images
    for number, (count, filters) in enumerate(
        zip(blocks, (64, 128, 256, 512, 512), strict=True), start=1
    ):
        for k in range(1, count + 1):
            x = layers.Conv2D(
                filters, 3, activation="relu", padding="same", name=f"block{number}_conv{k}"
            )(x)
        x = layers.MaxPooling2D(2, strides=2, name=f"block{number}_pool")(x)
    if builder.include_top:
        x = layers.Flatten(name="flatten")(x)
        x = layers.Dense(4096, activation="relu", name="fc1")(x)
        x = layers.Dense(4096, activation="relu", name="fc2")(x)
        x = builder.classified(x)
    else:
        x = builder.pooled(x, names=False)
    return builder.model(x, name, f"{name}/{name}", hashes)


def vgg(
    count: int, blocks: tuple[int, ...], with_top: str, without_top: str, module: str
) -> Callable[..., Any]:
    """The public function of a VGG network.

    Args:
        count: the number of layers that have weights.
        blocks: the number of convolutions before each pooling.
        with_top: the hash of the file of weights with a classifier.
        without_top: the hash of the one without.
        module: the function's module.
    """
    return plain(
        f"VGG{count}",
        f"VGG with {count} layers that have weights.",
        _SOURCE,
        lambda builder: _network(builder, f"vgg{count}", blocks, (with_top, without_top)),
        module,
    )
