"""Other shapes, padding, cropping and upsampling."""

from __future__ import annotations

from layer_cases import Case, values

SEQUENCE = values(2, 6, 4)
IMAGE = values(2, 6, 5, 3)
VOLUME = values(1, 4, 3, 5, 2)

CASES = [
    Case("flatten", lambda k: k.Flatten(), IMAGE),
    Case("flatten-first", lambda k: k.Flatten(data_format="channels_first"), IMAGE),
    Case("flatten-vector", lambda k: k.Flatten(), values(3)),
    Case("reshape", lambda k: k.Reshape((3, 8)), SEQUENCE),
    Case("reshape-unknown", lambda k: k.Reshape((-1, 2)), SEQUENCE),
    Case("permute", lambda k: k.Permute((3, 1, 2)), IMAGE),
    Case("repeat-vector", lambda k: k.RepeatVector(3), values(2, 4)),
    Case("zero-padding1d", lambda k: k.ZeroPadding1D(2), SEQUENCE),
    Case("zero-padding1d-pair", lambda k: k.ZeroPadding1D((0, 3)), SEQUENCE),
    Case("zero-padding2d", lambda k: k.ZeroPadding2D(), IMAGE),
    Case("zero-padding2d-pairs", lambda k: k.ZeroPadding2D(((1, 0), (2, 3))), IMAGE),
    Case(
        "zero-padding2d-first",
        lambda k: k.ZeroPadding2D((1, 2), data_format="channels_first"),
        IMAGE,
    ),
    Case("zero-padding3d", lambda k: k.ZeroPadding3D((1, 0, 2)), VOLUME),
    Case("cropping1d", lambda k: k.Cropping1D((1, 2)), SEQUENCE),
    Case("cropping2d", lambda k: k.Cropping2D(((1, 0), (2, 1))), IMAGE),
    Case("cropping2d-none", lambda k: k.Cropping2D(), IMAGE),
    Case("cropping3d", lambda k: k.Cropping3D(((1, 0), (0, 0), (2, 1))), VOLUME),
    Case("up-sampling1d", lambda k: k.UpSampling1D(3), SEQUENCE),
    Case("up-sampling2d", lambda k: k.UpSampling2D((2, 3)), IMAGE),
    Case("up-sampling2d-first", lambda k: k.UpSampling2D(2, "channels_first"), IMAGE),
    Case("up-sampling3d", lambda k: k.UpSampling3D((1, 2, 2)), VOLUME),
]
