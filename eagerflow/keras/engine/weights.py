"""Making layers' variables, and setting them from arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from eagerflow.framework import dtypes
from eagerflow.framework.aggregation import VariableAggregation, VariableSynchronization
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.variable import Variable
from eagerflow.keras import initializers
from eagerflow.typing import DTypeLike

# What `add_weight` accepts besides its parameters: options of Keras 2, and of Keras 3.
_OPTIONS = frozenset(
    "collections experimental_autocast caching_device getter layout partitioner "
    "experimental_enable_variable_lifting autocast overwrite_with_gradient".split()
)


def check_options(options: Mapping[str, object]) -> None:
    """Refuses options that `add_weight` does not know.

    Raises:
        TypeError: if there are any.
    """
    if unknown := sorted(options.keys() - _OPTIONS):
        raise TypeError(f"`add_weight` has no options {unknown}, only {sorted(_OPTIONS)}.")


def default_initializer(dtype: Any, name: str | None, layer_name: str) -> Any:
    """The default initializer of a weight.

    Raises:
        ValueError: if there is none for the dtype.
    """
    if dtype.is_floating:
        return initializers.get("glorot_uniform")
    if dtype.is_integer or dtype is dtypes.bool:
        return initializers.get("zeros")
    raise ValueError(
        f"An initializer for variable {name} of type {dtype.name} is required for layer "
        f"{layer_name}. Received: None."
    )


def make_weight(
    prefix: str,
    name: str | None,
    shape: object,
    dtype: DTypeLike,
    initializer: Any,
    trainable: bool,
    constraint: Any,
    synchronization: VariableSynchronization,
    aggregation: VariableAggregation,
    layer_name: str,
) -> Variable:
    """A new variable of a layer."""
    if initializer is None:
        initializer = default_initializer(dtype, name, layer_name)
    initializer = initializers.get(initializer)
    if isinstance(shape, int):
        shape = (shape,)
    sizes = TensorShape(shape)
    if sizes.rank is None or None in sizes.as_list():
        raise ValueError(
            f"The shape of a weight must be known: weight '{name}' of layer {layer_name} was asked "
            f"for with shape {sizes}."
        )
    # A list of plain integers serves every kind of initializer, native functions too.
    value = initializer(sizes, dtype=dtype)
    return Variable(
        value,
        trainable=trainable,
        name=prefix + (name or "Variable"),
        dtype=dtype,
        constraint=constraint,
        synchronization=synchronization,
        aggregation=aggregation,
    )


def set_weights(name: str, variables: list[Any], values: list[Any]) -> None:
    """Assigns arrays to variables, all or none.

    Raises:
        ValueError: if the counts or shapes differ.
    """
    if len(values) != len(variables):
        raise ValueError(
            f'You called `set_weights(weights)` on layer "{name}" with a weight list of length '
            f"{len(values)}, but the layer was expecting {len(variables)} weights. "
            f"Provided weights: {str(values)[:50]}..."
        )
    arrays = []
    for variable, value in zip(variables, values, strict=True):
        shape = tuple(value.shape) if hasattr(value, "shape") else np.shape(value)
        if not variable.shape.is_compatible_with(shape):
            raise ValueError(
                f"Layer {name} weight shape {tuple(variable.shape)} is not compatible with "
                f"provided weight shape {shape}."
            )
        arrays.append(value)
    for variable, value in zip(variables, arrays, strict=True):
        if not hasattr(value, "dtype") or dtypes.as_dtype(value.dtype) != variable.dtype:
            value = np.asarray(value).astype(variable.dtype.as_numpy_dtype)
        variable.assign(value)
