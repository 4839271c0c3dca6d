"""Pooling over windows and over everything."""

from __future__ import annotations

import numpy as np

from layer_cases import Case, values

SEQUENCE = values(2, 7, 4)
IMAGE = values(2, 6, 5, 3)
VOLUME = values(1, 4, 3, 5, 2)
MASK = np.arange(7) < np.array([[3], [6]])

CASES = [
    Case("max1d", lambda k: k.MaxPooling1D(), SEQUENCE),
    Case("max1d-same", lambda k: k.MaxPooling1D(3, 2, "same"), SEQUENCE),
    Case("max1d-first", lambda k: k.MaxPool1D(2, data_format="channels_first"), SEQUENCE),
    Case("max2d", lambda k: k.MaxPooling2D(), IMAGE),
    Case("max2d-same", lambda k: k.MaxPool2D((3, 2), (1, 2), "same"), IMAGE),
    Case("max3d", lambda k: k.MaxPooling3D(2, 1), VOLUME),
    Case("max3d-same", lambda k: k.MaxPooling3D((2, 1, 3), padding="same"), VOLUME),
    Case("average1d", lambda k: k.AveragePooling1D(3, 1), SEQUENCE),
    Case("average1d-same", lambda k: k.AvgPool1D(2, 2, "same"), SEQUENCE),
    Case("average2d", lambda k: k.AveragePooling2D((2, 3), strides=1), IMAGE),
    Case("average2d-same", lambda k: k.AvgPool2D(3, 2, "same"), IMAGE),
    Case("average3d", lambda k: k.AveragePooling3D(2, 1, "same"), VOLUME),
    Case("global-average1d", lambda k: k.GlobalAveragePooling1D(), SEQUENCE),
    Case(
        "global-average1d-mask",
        lambda k: k.GlobalAveragePooling1D(),
        SEQUENCE,
        {"mask": MASK},
        examples=False,
    ),
    Case("global-average1d-keep", lambda k: k.GlobalAvgPool1D(keepdims=True), SEQUENCE),
    Case("global-average2d", lambda k: k.GlobalAveragePooling2D(), IMAGE),
    Case("global-average2d-first", lambda k: k.GlobalAvgPool2D("channels_first"), IMAGE),
    Case("global-average3d", lambda k: k.GlobalAveragePooling3D(keepdims=True), VOLUME),
    Case("global-max1d", lambda k: k.GlobalMaxPooling1D(), SEQUENCE),
    Case("global-max1d-first", lambda k: k.GlobalMaxPool1D("channels_first"), SEQUENCE),
    Case("global-max2d", lambda k: k.GlobalMaxPooling2D(keepdims=True), IMAGE),
    Case("global-max3d", lambda k: k.GlobalMaxPooling3D(), VOLUME),
]
