"""Errors of attributes that are none of the allowed values."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from eagerflow import _core


def refuse_attr(attr: str, value: Any, allowed: Collection[Any], op: str = "") -> None:
    """Raises the error of an attribute.

    Args:
        attr: its name.
        value: its value.
        allowed: the values that it may have.
        op: the operation.

    Raises:
        TypeError: if it is None.
        tf.errors.InvalidArgumentError: or another error of the engine, for other values.

    >>> from eagerflow.ops.refusals import refuse_attr
    >>> refuse_attr("unit", None, ("BYTE", "UTF8_CHAR"))
    Traceback (most recent call last):
        ...
    TypeError: Expected string for argument 'unit' not None.
    """
    if value is None:
        raise TypeError(f"Expected string for argument {attr!r} not None.")
    if op:
        _core.refuse_attr(attr, value, allowed, op)
    else:
        _core.refuse_attr(attr, value, allowed)
