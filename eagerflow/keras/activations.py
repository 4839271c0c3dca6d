"""Activation functions by name."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework.op_function import op_function
from eagerflow.keras.saving import registration
from eagerflow.keras.saving.serialization import unknown_name
from eagerflow.keras.typing import ActivationLike, CustomObjects
from eagerflow.ops.nn import activation as _activation
from eagerflow.typing import TensorLike
from eagerflow.util import lazy

# Imported when they are first used: few programs need them.
keras = lazy.Module("eagerflow.keras")
serialization = lazy.Module("eagerflow.keras.saving.serialization")

_ops = _core.ops


def linear(x: TensorLike) -> Any:
    """The argument itself."""
    return x


@op_function
def relu(
    x: TensorLike, alpha: float = 0.0, max_value: float | None = None, threshold: float = 0.0
) -> _core.Tensor:
    """x where it is above the threshold, `alpha * (x - threshold)` below, at most `max_value`.

    >>> tf.keras.activations.relu(tf.constant([-2.0, 3.0]), alpha=0.5).numpy()
    array([-1.,  3.], dtype=float32)
    """
    if alpha == 0.0 and threshold == 0:
        if max_value is None:
            return _ops.relu(x)
        if max_value == 6:
            return _ops.relu6(x)
    if alpha != 0.0 and max_value is None and threshold == 0:
        return _activation.leaky_relu(x, alpha)
    x = _core.as_tensor(x)
    negative = None
    if alpha != 0.0:
        negative = _ops.relu(threshold - x if threshold != 0 else -x)
    if threshold != 0:
        x = x * _ops.cast(_ops.greater(x, threshold), x.dtype)
    elif max_value == 6:
        x = _ops.relu6(x)
        max_value = None
    else:
        x = _ops.relu(x)
    if max_value is not None:
        least = 0 if x.dtype.is_integer else 0.0
        x = _ops.clip_by_value(x, least, _core.convert(max_value, x.dtype, None))
    return x if negative is None else x - alpha * negative


@op_function
def softmax(x: TensorLike, axis: Any = -1) -> _core.Tensor:
    """`exp(x)` divided by its sum along an axis, or several in a list or tuple.

    Raises:
        ValueError: for a tensor with one axis.

    >>> tf.keras.activations.softmax(tf.constant([[0.0, 0.0]])).numpy()
    array([[0.5, 0.5]], dtype=float32)
    """
    x = _core.as_tensor(x)
    if x.ndim < 2:
        raise ValueError(f"Cannot apply softmax to a tensor that is 1D. Received input: {x}")
    if isinstance(axis, list | tuple):
        output = _ops.exp(_ops.subtract(x, _ops.reduce_max(x, list(axis), True)))
        output = _ops.divide_real(output, _ops.reduce_sum(output, list(axis), True))
    else:
        output = _activation.softmax(x, axis=axis)
    # Losses use the logits, which are exact where probabilities are near 0 or 1.
    output._keras_logits = x
    return output


@op_function
def elu(x: TensorLike, alpha: float = 1.0) -> _core.Tensor:
    """x above zero, `alpha * (exp(x) - 1)` below."""
    if alpha == 1:
        return _ops.elu(x)
    x = _core.as_tensor(x)
    return _ops.select(_ops.greater(x, 0.0), x, alpha * _ops.elu(x))


def selu(x: TensorLike) -> _core.Tensor:
    """Scaled `elu`, which keeps means near 0 and variances near 1.

    Klambauer et al., "Self-normalizing neural networks" (NeurIPS 2017).
    """
    return _ops.selu(x)


@op_function
def softplus(x: TensorLike) -> _core.Tensor:
    """`log(exp(x) + 1)`."""
    return _ops.softplus(x)


@op_function
def softsign(x: TensorLike) -> _core.Tensor:
    """`x / (abs(x) + 1)`."""
    return _ops.softsign(x)


exponential = _ops.exp
tanh = _ops.tanh


@op_function
def sigmoid(x: TensorLike) -> _core.Tensor:
    """`1 / (1 + exp(-x))`.

    >>> tf.keras.activations.sigmoid(tf.constant([0.0])).numpy()
    array([0.5], dtype=float32)
    """
    output = _ops.sigmoid(x)
    output._keras_logits = x
    return output


def swish(x: TensorLike) -> _core.Tensor:
    """`x * sigmoid(x)`."""
    return _activation.silu(x)


def gelu(x: TensorLike, approximate: bool = False) -> _core.Tensor:
    """x times the cumulative standard normal distribution at x."""
    return _activation.gelu(x, approximate)


def mish(x: TensorLike) -> Any:
    """`x * tanh(softplus(x))`."""
    return x * _ops.tanh(_ops.softplus(x))


@op_function
def hard_sigmoid(x: Any) -> _core.Tensor:
    """`0.2 x + 0.5`, cut at 0 and 1.

    >>> tf.keras.activations.hard_sigmoid(tf.constant([-3.0, 0.0, 1.0])).numpy()
    array([0. , 0.5, 0.7], dtype=float32)
    """
    return _ops.clip_by_value(x * 0.2 + 0.5, 0.0, 1.0)


silu = swish


def leaky_relu(x: TensorLike, alpha: float = 0.2) -> _core.Tensor:
    """x above zero, `alpha * x` below."""
    return _ops.leaky_relu(x, alpha)


_NAMES: dict[str, Any] = {
    "elu": elu,
    "exponential": exponential,
    "gelu": gelu,
    "hard_sigmoid": hard_sigmoid,
    "leaky_relu": leaky_relu,
    "linear": linear,
    "log_softmax": _activation.log_softmax,
    "mish": mish,
    "relu": relu,
    "relu6": _ops.relu6,
    "selu": selu,
    "sigmoid": sigmoid,
    "silu": swish,
    "softmax": softmax,
    "softplus": softplus,
    "softsign": softsign,
    "swish": swish,
    "tanh": tanh,
}
# Those of `keras.ops`, imported on first use.
_LATER = frozenset(
    "celu glu hard_shrink hard_silu hard_swish hard_tanh log_sigmoid soft_shrink sparse_plus "
    "sparse_sigmoid sparsemax squareplus tanh_shrink threshold".split()
)


def __getattr__(name: str) -> Any:
    """Imports an activation on its first use."""
    if name == "relu6":
        return _ops.relu6
    if name == "log_softmax":
        return _activation.log_softmax
    if name not in _LATER:
        raise AttributeError(f"module 'eagerflow.keras.activations' has no attribute '{name}'")
    return getattr(keras.ops, name)


# Functions of tf.nn and tf.math that are written under the activation's name.
_OTHER_NAMES = {
    id(function): name
    for name, function in {
        "relu": _ops.relu,
        "elu": _ops.elu,
        "softmax": _activation.softmax,
        "gelu": _activation.gelu,
        "swish": _activation.silu,
        "exponential": _ops.exp,
    }.items()
}


def serialize(activation: ActivationLike, use_legacy_format: bool = False) -> Any:
    """The name of an activation function, or an object's configuration.

    Raises:
        ValueError: for a function that has no name.

    >>> tf.keras.activations.serialize(tf.keras.activations.tanh)
    'tanh'
    """
    if hasattr(activation, "get_config"):
        return serialization.serialize_keras_object(activation)
    if id(activation) in _OTHER_NAMES:
        return _OTHER_NAMES[id(activation)]
    name = getattr(activation, "__name__", None)
    if name is None:
        raise ValueError(f"Unknown activation function '{activation}' cannot be serialized.")
    if _NAMES.get(name) is activation:
        return name
    if name == "<lambda>" or getattr(activation, "__module__", "").startswith("eagerflow"):
        return name
    if use_legacy_format:
        return registration.get_registered_name(activation)
    return serialization.serialize_keras_object(activation)


def deserialize(
    name: object, custom_objects: CustomObjects | None = None, use_legacy_format: bool = False
) -> Any:
    """The activation function of a name.

    Raises:
        ValueError: if there is none.
    """
    if isinstance(name, str):
        found = registration.get_registered_object(name, custom_objects, _NAMES)
        if found is None and name in _LATER:
            found = __getattr__(name)
        if found is None:
            raise ValueError(
                f"Unknown activation function '{name}' cannot be deserialized. "
                + unknown_name("activation function", name, _NAMES)
            )
        return found
    kind = "layer" if _has_class(name) else "activation"
    return serialization.deserialize_as(kind, name, custom_objects)


def _has_class(config: object) -> bool:
    return isinstance(config, dict) and config.get("class_name") != "function"


def get(identifier: object) -> Any:
    """The function meant by a name, a configuration, a function, or None (linear).

    Raises:
        ValueError: for an unknown name.
        TypeError: for other objects.

    >>> tf.keras.activations.get(None) is tf.keras.activations.linear
    True
    """
    if identifier is None:
        return linear
    if isinstance(identifier, str | dict):
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    raise TypeError(f"Could not interpret activation function identifier: {identifier}")


__dir__ = lazy.listing(__name__)
