"""tf.__operators__: what the operators of tensors call."""

from __future__ import annotations

import operator
from typing import Any

from eagerflow.framework.op_function import op_function


@op_function
def add(x: Any, y: Any, name: str | None = None) -> Any:
    """`x + y`."""
    return operator.add(x, y)


@op_function
def eq(self: Any, other: Any) -> Any:
    """`self == other`."""
    return operator.eq(self, other)


@op_function
def ne(self: Any, other: Any) -> Any:
    """`self != other`."""
    return operator.ne(self, other)


@op_function
def getitem(tensor: Any, slice_spec: Any, var: Any = None) -> Any:
    """`tensor[slice_spec]`."""
    return operator.getitem(tensor if var is None else var, slice_spec)


ragged_getitem = getitem
