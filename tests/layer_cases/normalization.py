"""Normalisation with means and variances."""

from __future__ import annotations

import numpy as np

from layer_cases import Case, values

X = values(6, 4)
SEQUENCE = values(2, 5, 4)
IMAGE = values(2, 3, 4, 6)
MASK = np.arange(5) < np.array([[3], [4]])
TRAINING = {"training": True}

CASES = [
    Case("batch", lambda k: k.BatchNormalization(), X),
    Case("batch-training", lambda k: k.BatchNormalization(), X, TRAINING, examples=False),
    Case(
        "batch-images", lambda k: k.BatchNormalization(momentum=0.8), IMAGE, TRAINING, examples=False
    ),
    Case("batch-images-inference", lambda k: k.BatchNormalization(), IMAGE),
    Case(
        "batch-images-axis", lambda k: k.BatchNormalization(axis=1), IMAGE, TRAINING, examples=False
    ),
    Case(
        "batch-axes",
        lambda k: k.BatchNormalization(axis=[1, 2], epsilon=1e-2),
        IMAGE,
        TRAINING,
        examples=False,
    ),
    Case(
        "batch-plain",
        lambda k: k.BatchNormalization(center=False, scale=False),
        SEQUENCE,
        TRAINING,
        examples=False,
    ),
    Case(
        "batch-functions",
        lambda k: k.BatchNormalization(
            gamma_regularizer="l2", beta_constraint="non_neg", beta_initializer="ones"
        ),
        SEQUENCE,
        TRAINING,
        examples=False,
    ),
    Case(
        "batch-mask",
        lambda k: k.BatchNormalization(),
        SEQUENCE,
        {"training": True, "mask": MASK},
        examples=False,
    ),
    Case("batch-volume", lambda k: k.BatchNormalization(), values(2, 2, 3, 2, 3), TRAINING,
         examples=False),
    Case("batch-frozen", lambda k: k.BatchNormalization(trainable=False), X, TRAINING),
    Case("layer", lambda k: k.LayerNormalization(), X),
    Case("layer-sequence", lambda k: k.LayerNormalization(epsilon=1e-6), SEQUENCE),
    Case("layer-axes", lambda k: k.LayerNormalization(axis=[1, 2]), SEQUENCE),
    Case("layer-axis", lambda k: k.LayerNormalization(axis=1, center=False), SEQUENCE),
    Case("layer-plain", lambda k: k.LayerNormalization(scale=False), IMAGE),
    Case("group", lambda k: k.GroupNormalization(3), IMAGE),
    Case("group-instance", lambda k: k.GroupNormalization(-1, scale=False), IMAGE),
    Case("group-axis", lambda k: k.GroupNormalization(2, axis=2, epsilon=0.1), IMAGE),
    Case("unit", lambda k: k.UnitNormalization(), X),
    Case("unit-axes", lambda k: k.UnitNormalization(axis=[1, 2]), SEQUENCE),
    Case("spectral-dense", lambda k: k.SpectralNormalization(k.Dense(3)), X),
    Case(
        "spectral-training",
        lambda k: k.SpectralNormalization(k.Conv2D(2, 2), power_iterations=3),
        IMAGE,
        TRAINING,
        examples=False,
    ),
]  # fmt: skip
