"""tf.keras: layers, models and their training, as in Keras 2."""

from eagerflow.keras import (
    activations,
    applications,
    backend,
    callbacks,
    constraints,
    datasets,
    experimental,
    initializers,
    layers,
    losses,
    metrics,
    mixed_precision,
    models,
    optimizers,
    preprocessing,
    regularizers,
    saving,
    utils,
)
from eagerflow.keras.engine.input_layer import Input
from eagerflow.keras.engine.sequential import Sequential
from eagerflow.keras.engine.training import Model
from eagerflow.version import VERSION as __version__

__all__ = [
    "Input",
    "Model",
    "Sequential",
    "__version__",
    "activations",
    "applications",
    "backend",
    "callbacks",
    "constraints",
    "datasets",
    "experimental",
    "initializers",
    "losses",
    "metrics",
    "layers",
    "mixed_precision",
    "models",
    "optimizers",
    "preprocessing",
    "regularizers",
    "saving",
    "utils",
]
