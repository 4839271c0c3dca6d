"""tensorflow.python.training.slot_creator: variables of optimizers, each for one of a model's."""

from __future__ import annotations

from typing import Any

from eagerflow.framework import dtypes
from eagerflow.ops import creation
from eagerflow_compat.v1.variable_scope import get_variable, variable_scope

__all__ = ["create_slot", "create_slot_with_initializer", "create_zeros_slot"]


def _slot(primary: Any, name: str, **arguments: Any) -> Any:
    scope = f"{primary.op.name}/{name}"
    with variable_scope(None, default_name=scope):
        return get_variable("", trainable=False, **arguments)


def create_slot(
    primary: Any,
    val: Any,
    name: str,
    colocate_with_primary: bool = True,
    *,
    copy_xla_sharding: bool = False,
) -> Any:
    """A variable for another one, of a value's shape and dtype.

    Args:
        primary: the other variable.
        val: the value.
        name: the last part of the new variable's name, after that of `primary`.
        colocate_with_primary: accepted: slots are where variables are.
        copy_xla_sharding: accepted: variables are not divided.
    """
    return _slot(primary, name, initializer=val)


def create_slot_with_initializer(
    primary: Any,
    initializer: Any,
    shape: Any,
    dtype: Any,
    name: str,
    colocate_with_primary: bool = True,
    *,
    copy_xla_sharding: bool = False,
) -> Any:
    """A variable for another one; see `create_slot`.

    Args:
        primary: the other variable.
        initializer: makes the value.
        shape: its shape.
        dtype: its dtype.
        name: the last part of the new variable's name, after that of `primary`.
        colocate_with_primary: accepted.
        copy_xla_sharding: accepted.
    """
    return _slot(primary, name, initializer=initializer, shape=shape, dtype=dtypes.as_dtype(dtype))


def create_zeros_slot(
    primary: Any,
    name: str,
    dtype: Any = None,
    colocate_with_primary: bool = True,
    *,
    copy_xla_sharding: bool = False,
) -> Any:
    """A variable of zeros for another one, of its shape; see `create_slot`."""
    kind = primary.dtype.base_dtype if dtype is None else dtype
    return _slot(primary, name, initializer=creation.zeros(primary.shape, kind))
