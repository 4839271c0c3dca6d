"""tf.keras: layers, models and their training, as in Keras 2."""

from eagerflow.keras import (
    activations,
    backend,
    constraints,
    initializers,
    layers,
    losses,
    metrics,
    mixed_precision,
    optimizers,
    regularizers,
    saving,
    utils,
)

__all__ = [
    "activations",
    "backend",
    "constraints",
    "initializers",
    "losses",
    "metrics",
    "layers",
    "mixed_precision",
    "optimizers",
    "regularizers",
    "saving",
    "utils",
]
