"""Dense, Embedding, activations, noise and what passes its input on."""

from __future__ import annotations

import numpy as np

from layer_cases import Case, integers, values

X = values(3, 4)
SEQUENCE = values(2, 3, 4)
MASK = np.array([[True, True, False], [True, False, False]])

CASES = [
    Case("dense", lambda k: k.Dense(5), X),
    Case("dense-relu", lambda k: k.Dense(5, activation="relu"), X),
    Case("dense-no-bias", lambda k: k.Dense(2, "tanh", use_bias=False), X),
    Case("dense-sequence", lambda k: k.Dense(2, activation="softmax"), SEQUENCE),
    Case("dense-images", lambda k: k.Dense(2), values(2, 3, 2, 4)),
    Case(
        "dense-functions",
        lambda k: k.Dense(
            3,
            kernel_initializer="he_normal",
            bias_initializer="ones",
            kernel_regularizer="l2",
            bias_regularizer="l1",
            activity_regularizer="l2",
            kernel_constraint="max_norm",
            bias_constraint="non_neg",
            name="named",
        ),
        X,
    ),
    Case("dense-input-shape", lambda k: k.Dense(3, input_shape=(4,)), X),
    Case("embedding", lambda k: k.Embedding(7, 3), integers(2, 5, high=7), dtype=False),
    Case(
        "embedding-length",
        lambda k: k.Embedding(7, 3, input_length=5, embeddings_regularizer="l1"),
        integers(2, 5, high=7),
        dtype=False,
    ),
    Case("activation-relu", lambda k: k.Activation("relu"), X),
    Case("activation-softmax", lambda k: k.Activation("softmax"), X),
    Case("activation-gelu", lambda k: k.Activation("gelu"), X),
    Case("relu", lambda k: k.ReLU(), X),
    Case("relu-all", lambda k: k.ReLU(max_value=1.5, negative_slope=0.1, threshold=0.2), X),
    Case("relu-slope", lambda k: k.ReLU(negative_slope=0.3), X),
    Case("leaky-relu", lambda k: k.LeakyReLU(), X),
    Case("leaky-relu-alpha", lambda k: k.LeakyReLU(alpha=0.1), X),
    Case("elu", lambda k: k.ELU(), X),
    Case("elu-alpha", lambda k: k.ELU(0.5), X),
    Case("prelu", lambda k: k.PReLU(), SEQUENCE),
    Case("prelu-shared", lambda k: k.PReLU(shared_axes=[1], alpha_regularizer="l2"), SEQUENCE),
    Case("thresholded-relu", lambda k: k.ThresholdedReLU(0.5), X),
    Case("softmax", lambda k: k.Softmax(), X),
    Case("softmax-axis", lambda k: k.Softmax(axis=1), SEQUENCE),
    Case("softmax-axes", lambda k: k.Softmax(axis=[1, 2]), SEQUENCE),
    Case("softmax-mask", lambda k: k.Softmax(), values(2, 3), {"mask": MASK}, examples=False),
    Case(
        "softmax-robust",
        lambda k: k.Softmax(robust_masking=True),
        values(2, 3),
        {"mask": MASK},
        examples=False,
    ),
    Case("dropout", lambda k: k.Dropout(0.4), X),
    Case("dropout-none", lambda k: k.Dropout(0.0, seed=3), X, {"training": True}),
    Case("spatial-dropout1d", lambda k: k.SpatialDropout1D(0.4), SEQUENCE, config=False),
    Case("spatial-dropout2d", lambda k: k.SpatialDropout2D(0.4), values(2, 3, 2, 4), config=False),
    Case(
        "spatial-dropout3d", lambda k: k.SpatialDropout3D(0.4), values(2, 3, 2, 2, 4), config=False
    ),
    Case("gaussian-noise", lambda k: k.GaussianNoise(0.4), X),
    Case("gaussian-dropout", lambda k: k.GaussianDropout(0.4), X),
    Case("alpha-dropout", lambda k: k.AlphaDropout(0.4), X),
    Case("identity", lambda k: k.Identity(), X),
    Case("activity-regularization", lambda k: k.ActivityRegularization(0.1, 0.2), X),
    Case("masking", lambda k: k.Masking(), np.stack([SEQUENCE[0], 0 * SEQUENCE[1]])),
    Case("lambda", lambda k: k.Lambda(lambda x: x * x + 1.0), X, config=False),
]
