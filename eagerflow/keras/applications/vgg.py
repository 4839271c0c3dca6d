"""The VGG networks.

Simonyan and Zisserman, "Very deep convolutional networks for large-scale image recognition" (2014).
"""

from __future__ import annotations

from typing import Any

from eagerflow.keras import layers
from eagerflow.keras.applications.builder import Builder


def vgg(name: str, blocks: tuple[int, ...], hashes: tuple[str, str], builder: Builder) -> Any:
    """A VGG network.

    Args:
        name: the model's name.
        blocks: the number of convolutions before each pooling.
        hashes: the hashes of the files of weights.
        builder: the architecture's arguments.
    """
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
