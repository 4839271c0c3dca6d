"""Convolutions of one to three dimensions."""

from __future__ import annotations

from layer_cases import Case, values

SEQUENCE = values(2, 7, 4)
IMAGE = values(2, 6, 5, 4)
VOLUME = values(1, 4, 3, 5, 2)

CASES = [
    Case("conv1d", lambda k: k.Conv1D(3, 3), SEQUENCE),
    Case("conv1d-causal", lambda k: k.Conv1D(3, 2, padding="causal", dilation_rate=2), SEQUENCE),
    Case("conv1d-same", lambda k: k.Conv1D(3, 3, 2, "same", activation="relu"), SEQUENCE),
    Case("conv1d-groups", lambda k: k.Conv1D(4, 3, groups=2, use_bias=False), SEQUENCE),
    Case("conv2d", lambda k: k.Conv2D(3, 3), IMAGE),
    Case(
        "conv2d-all",
        lambda k: k.Conv2D(
            3,
            (2, 3),
            strides=(2, 1),
            padding="same",
            activation="tanh",
            kernel_regularizer="l2",
            bias_initializer="ones",
            activity_regularizer="l1",
        ),
        IMAGE,
    ),
    Case("conv2d-dilated", lambda k: k.Conv2D(2, 2, dilation_rate=2, use_bias=False), IMAGE),
    Case("conv2d-groups", lambda k: k.Conv2D(4, 2, groups=2), IMAGE),
    Case("conv2d-more-axes", lambda k: k.Conv2D(2, 2), values(2, 3, 4, 4, 2)),
    Case("conv3d", lambda k: k.Conv3D(2, 2), VOLUME),
    Case("conv3d-same", lambda k: k.Conv3D(2, (2, 1, 3), (1, 2, 1), "same"), VOLUME),
    Case("conv1d-transpose", lambda k: k.Conv1DTranspose(3, 3, 2), SEQUENCE),
    Case("conv1d-transpose-same", lambda k: k.Conv1DTranspose(3, 3, 2, "same"), SEQUENCE),
    Case("conv2d-transpose", lambda k: k.Conv2DTranspose(3, 3, strides=2), IMAGE),
    Case(
        "conv2d-transpose-same",
        lambda k: k.Conv2DTranspose(3, (3, 2), 2, "same", activation="relu"),
        IMAGE,
    ),
    Case(
        "conv2d-transpose-padded",
        lambda k: k.Conv2DTranspose(2, 3, 2, "same", output_padding=(1, 0), use_bias=False),
        IMAGE,
    ),
    Case("conv3d-transpose", lambda k: k.Conv3DTranspose(2, 2, 2), VOLUME),
    Case("conv3d-transpose-same", lambda k: k.Conv3DTranspose(3, 3, (2, 1, 2), "same"), VOLUME),
    Case("depthwise1d", lambda k: k.DepthwiseConv1D(3, 2, depth_multiplier=2), SEQUENCE),
    Case("depthwise1d-same", lambda k: k.DepthwiseConv1D(2, padding="same"), SEQUENCE),
    Case("depthwise2d", lambda k: k.DepthwiseConv2D(2), IMAGE),
    Case(
        "depthwise2d-all",
        lambda k: k.DepthwiseConv2D(
            3, 2, "same", 2, activation="relu", depthwise_regularizer="l2", use_bias=False
        ),
        IMAGE,
    ),
    Case("depthwise2d-dilated", lambda k: k.DepthwiseConv2D(2, dilation_rate=(2, 1)), IMAGE),
    Case("separable1d", lambda k: k.SeparableConv1D(3, 3, depth_multiplier=2), SEQUENCE),
    Case("separable1d-causal", lambda k: k.SeparableConv1D(3, 2, padding="causal"), SEQUENCE),
    Case("separable2d", lambda k: k.SeparableConv2D(3, 2, 2, "same", activation="relu"), IMAGE),
    Case(
        "separable2d-regularized",
        lambda k: k.SeparableConv2D(
            3, 2, depth_multiplier=2, pointwise_regularizer="l1", use_bias=False
        ),
        IMAGE,
    ),
]
