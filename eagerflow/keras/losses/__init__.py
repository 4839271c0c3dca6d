"""tf.keras.losses: what training makes small."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from eagerflow.keras.losses.crossentropy import (
    binary_crossentropy,
    binary_focal_crossentropy,
    categorical_crossentropy,
    categorical_focal_crossentropy,
    sparse_categorical_crossentropy,
)
from eagerflow.keras.losses.embeddings import (
    CTC,
    CategoricalGeneralizedCrossEntropy,
    Circle,
    categorical_generalized_cross_entropy,
    circle,
    ctc,
)
from eagerflow.keras.losses.entropy_losses import (
    BinaryCrossentropy,
    BinaryFocalCrossentropy,
    CategoricalCrossentropy,
    CategoricalFocalCrossentropy,
    SparseCategoricalCrossentropy,
)
from eagerflow.keras.losses.hinge import (
    CategoricalHinge,
    Hinge,
    SquaredHinge,
    categorical_hinge,
    hinge,
    squared_hinge,
)
from eagerflow.keras.losses.loss import Loss, LossFunctionWrapper
from eagerflow.keras.losses.overlap import Dice, Tversky, dice, tversky
from eagerflow.keras.losses.regression import (
    CosineSimilarity,
    Huber,
    KLDivergence,
    LogCosh,
    MeanAbsoluteError,
    MeanAbsolutePercentageError,
    MeanSquaredError,
    MeanSquaredLogarithmicError,
    Poisson,
    cosine_similarity,
    huber,
    kl_divergence,
    log_cosh,
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_squared_error,
    mean_squared_logarithmic_error,
    poisson,
)
from eagerflow.keras.losses.weighting import Reduction
from eagerflow.keras.saving.serialization import (
    deserialize_keras_object,
    serialize_keras_object,
)

bce = BCE = binary_crossentropy
mse = MSE = mean_squared_error
mae = MAE = mean_absolute_error
mape = MAPE = mean_absolute_percentage_error
msle = MSLE = mean_squared_logarithmic_error
kld = KLD = kullback_leibler_divergence = kl_divergence
logcosh = log_cosh
huber_loss = huber

__all__ = [
    "Dice",
    "Tversky",
    "dice",
    "tversky",
    "KLD",
    "MAE",
    "MAPE",
    "MSE",
    "MSLE",
    "BinaryCrossentropy",
    "BinaryFocalCrossentropy",
    "CategoricalCrossentropy",
    "CategoricalFocalCrossentropy",
    "CategoricalHinge",
    "CosineSimilarity",
    "Hinge",
    "Huber",
    "CTC",
    "CategoricalGeneralizedCrossEntropy",
    "Circle",
    "KLDivergence",
    "LogCosh",
    "Loss",
    "MeanAbsoluteError",
    "MeanAbsolutePercentageError",
    "MeanSquaredError",
    "MeanSquaredLogarithmicError",
    "Poisson",
    "Reduction",
    "SparseCategoricalCrossentropy",
    "SquaredHinge",
    "binary_crossentropy",
    "binary_focal_crossentropy",
    "categorical_crossentropy",
    "categorical_focal_crossentropy",
    "categorical_generalized_cross_entropy",
    "categorical_hinge",
    "circle",
    "ctc",
    "cosine_similarity",
    "deserialize",
    "get",
    "hinge",
    "huber",
    "kl_divergence",
    "kld",
    "kullback_leibler_divergence",
    "log_cosh",
    "logcosh",
    "mae",
    "mape",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_squared_error",
    "mean_squared_logarithmic_error",
    "mse",
    "msle",
    "poisson",
    "serialize",
    "sparse_categorical_crossentropy",
    "squared_hinge",
]


def _objects() -> dict[str, Any]:
    """What a name may stand for: the classes and functions of this module."""
    return {
        name: value
        for name, value in globals().items()
        if name in __all__ and name not in ("get", "serialize", "deserialize", "Reduction")
    } | {"LossFunctionWrapper": LossFunctionWrapper, "bce": bce, "BCE": bce, "huber_loss": huber}


def serialize(loss: Any, use_legacy_format: bool = False) -> Any:
    """A loss as plain values: a dictionary of its class and arguments, or a function's name.

    >>> tf.keras.losses.serialize(tf.keras.losses.Huber(2.0))["config"]["delta"]
    2.0
    """
    if loss is None:
        return None
    if not isinstance(loss, Loss):
        warnings.warn(
            "The `keras.losses.serialize()` API should only be used for objects of type "
            f"`keras.losses.Loss`. Found an instance of type {type(loss)}, which may lead to "
            "improper serialization.",
            stacklevel=2,
        )
    if use_legacy_format:
        if hasattr(loss, "get_config"):
            return {"class_name": type(loss).__name__, "config": loss.get_config()}
        return loss.__name__
    return serialize_keras_object(loss)


def deserialize(
    name: Any, custom_objects: dict[str, Any] | None = None, use_legacy_format: bool = False
) -> Any:
    """The loss that a name or a configuration stands for.

    Raises:
        ValueError: if there is none.

    >>> tf.keras.losses.deserialize("mse") is tf.keras.losses.mean_squared_error
    True
    """
    return deserialize_keras_object(
        name,
        module_objects=_objects(),
        custom_objects=custom_objects,
        printable_module_name="loss function",
    )


def get(identifier: Any) -> Loss | Callable | None:
    """A loss from its name, its configuration, or itself.

    Raises:
        ValueError: for an unknown name, and for what cannot be a loss.

    >>> type(tf.keras.losses.get("Huber")).__name__
    'Huber'
    """
    if identifier is None:
        return None
    if isinstance(identifier, str | dict):
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    raise ValueError(f"Could not interpret loss function identifier: {identifier}")
