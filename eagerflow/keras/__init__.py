"""tf.keras: layers, models and their training, as in Keras 2."""

import importlib as _importlib
import typing as _typing

from eagerflow.keras import (
    activations,
    applications,
    backend,
    callbacks,
    config,
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
from eagerflow.keras.engine.input_spec import InputSpec
from eagerflow.keras.engine.keras_tensor import KerasTensor
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.engine.sequential import Sequential
from eagerflow.keras.engine.training import Model
from eagerflow.keras.initializers import Initializer
from eagerflow.keras.losses import Loss
from eagerflow.keras.metrics import Metric
from eagerflow.keras.mixed_precision import Policy as DTypePolicy
from eagerflow.keras.optimizers import Optimizer
from eagerflow.keras.regularizers import Regularizer
from eagerflow.keras.variable import Variable
from eagerflow.name_scope import name_scope
from eagerflow.version import VERSION as __version__

# Namespaces of Keras 3, imported when they are asked for.
_LATER = ("ops", "random", "tree")


def version() -> str:
    """The version of Keras that the namespace is like.

    >>> tf.keras.version() == tf.keras.__version__
    True
    """
    return __version__


def device(device_name: str) -> _typing.Any:
    """A scope in which operations run on a device; see `tf.device`."""
    from eagerflow.device import device as scope

    return scope(device_name)


def __getattr__(name: str) -> _typing.Any:
    """Imports a namespace when it is first asked for."""
    if name not in _LATER:
        raise AttributeError(f"module 'eagerflow.keras' has no attribute '{name}'")
    from eagerflow.keras.engine import dispatch

    found = _importlib.import_module(f"eagerflow.keras.{name}")
    dispatch.notice_loaded()
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    *_LATER,
    "DTypePolicy",
    "Initializer",
    "Input",
    "InputSpec",
    "KerasTensor",
    "Layer",
    "Loss",
    "Metric",
    "Model",
    "Optimizer",
    "Regularizer",
    "Sequential",
    "Variable",
    "__version__",
    "config",
    "device",
    "name_scope",
    "version",
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
