"""Types for annotations: what functions accept as tensors, shapes, dtypes and axes.

>>> from eagerflow.typing import Axes, TensorLike
>>> def center(x: TensorLike, axis: Axes | None = None) -> tf.Tensor:
...     return tf.subtract(x, tf.reduce_mean(x, axis, keepdims=True))
>>> center([1.0, 2.0, 3.0])
<tf.Tensor: shape=(3,), dtype=float32, numpy=array([-1.,  0.,  1.], dtype=float32)>
"""

import os
from collections.abc import Callable, Sequence
from typing import Any, Protocol, SupportsIndex, TypeAlias, TypeVar

import numpy as np

from eagerflow import _core
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.dtypes import DType
from eagerflow.framework.shapes import TensorShape


class SupportsArray(Protocol):
    """An object that NumPy converts to an array, such as a pandas series."""

    def __array__(self) -> np.ndarray[Any, Any]: ...


class SupportsOverride(Protocol):
    """An object that overrides functions, such as a symbolic input of a Keras model."""

    def __op_function__(
        self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any: ...


Array: TypeAlias = np.ndarray[Any, Any]

# What `tf.convert_to_tensor` accepts, and values that operations treat as tensors.
TensorLike: TypeAlias = (
    _core.Tensor
    | _core.Variable
    | CompositeTensor
    | SupportsArray
    | SupportsOverride
    | complex
    | str
    | bytes
    | Sequence[Any]
)

# A shape as Python sees it; None is an unknown size.
Shape: TypeAlias = tuple[int, ...]
PartialShape: TypeAlias = tuple[int | None, ...]
# A size, and an axis: an integer of Python's or NumPy's, or a scalar integer tensor.
Size: TypeAlias = SupportsIndex
Axis: TypeAlias = SupportsIndex
# Sizes, one for each axis; some functions accept None for an unknown size.
ShapeLike: TypeAlias = TensorShape | Sequence[Size | None] | Array | _core.Tensor | Size
# One axis or several; one size for all axes, or one for each.
Axes: TypeAlias = Axis | Sequence[Axis] | Array
Sizes: TypeAlias = Size | Sequence[Size] | Array

DTypeLike: TypeAlias = DType | np.dtype[Any] | type | str | int

# A nested structure of `tf.nest`. Any, because only the caller knows its leaves.
Structure: TypeAlias = Any

FilePath: TypeAlias = str | bytes | os.PathLike[str]

# The function that a decorator is given, and returns with the same signature.
Function = TypeVar("Function", bound=Callable[..., Any])
