"""Convolutional LSTMs."""

from __future__ import annotations

import numpy as np

from layer_cases import Case, values

LINES, IMAGES, VOLUMES = values(2, 3, 5, 2), values(2, 3, 4, 5, 2), values(1, 2, 3, 2, 3, 2)
MASK = {"mask": np.array([[True, True, False], [False, True, True]])}

CASES = [
    Case("lines", lambda k: k.ConvLSTM1D(3, 2), LINES),
    Case("images", lambda k: k.ConvLSTM2D(2, 2, return_sequences=True, return_state=True), IMAGES),
    Case(
        "images-same",
        lambda k: k.ConvLSTM2D(
            2,
            (2, 3),
            strides=(1, 2),
            padding="same",
            recurrent_activation="sigmoid",
            use_bias=False,
            kernel_regularizer="l2",
            go_backwards=True,
        ),
        IMAGES,
    ),
    Case("images-mask", lambda k: k.ConvLSTM2D(2, 2, return_sequences=True), IMAGES, MASK,
         examples=False),
    Case("images-dropout", lambda k: k.ConvLSTM2D(2, 2, dropout=0.4, unit_forget_bias=False), IMAGES),
    Case("volumes", lambda k: k.ConvLSTM3D(2, 2, padding="same"), VOLUMES),
]  # fmt: skip
