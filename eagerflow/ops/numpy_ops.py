"""Helpers for operations that NumPy computes: tensors of arrays, with custom gradients."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import host_call
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.typing import DTypeLike, TensorLike
from eagerflow.util import lazy

# Imported lazily: sparse tensors are made of operations.
sparse = lazy.Module("eagerflow.sparse.tensor")

Tensor = _core.Tensor

FLOATS = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)
COMPLEX = (dtypes.complex64, dtypes.complex128)
# The dtypes of LAPACK's routines, and float16, which is computed in float32.
MATRIX_DTYPES = (
    dtypes.float64,
    dtypes.float32,
    dtypes.float16,
    dtypes.complex64,
    dtypes.complex128,
)


def differentiable(
    arrays: Sequence[TensorLike], inputs: Sequence[Tensor], backward: Callable[..., Any]
) -> list[Tensor]:
    """Tensors of the arrays, recorded on the active tapes as results of `inputs`.

    Args:
        arrays: the results, arrays or tensors that are not recorded yet.
        inputs: the tensors they were computed from.
        backward: called with a gradient for each result; returns one for each input. It calls
            operations, so that it can be differentiated itself.
    """
    outputs = [_core.as_tensor(array) for array in arrays]
    if _core.recording():
        _core.record_custom(outputs, list(inputs), lambda dy: _as_list(backward(*dy)))
    return outputs


def _as_list(gradients: TensorLike) -> list:
    return list(gradients) if isinstance(gradients, list | tuple) else [gradients]


def summed(gradient: Tensor, like: Tensor) -> Tensor:
    """A gradient summed over the axes along which `like` was broadcast."""
    shape, target = gradient._shape_tuple(), like._shape_tuple()
    if shape == target:
        return gradient
    extra = len(shape) - len(target)
    axes = [k for k, n in enumerate(shape) if k < extra or (target[k - extra] == 1 and n != 1)]
    return _core.ops.reshape(_core.ops.reduce_sum(gradient, axis=axes), target)


def checked(
    value: Any, allowed: Sequence[Any], op: str, hint: Any = None, attr: str = "T"
) -> Tensor:
    """The value as a tensor whose dtype is allowed.

    Raises:
        tf.errors.InvalidArgumentError: for another dtype; the message names the operation `op`.
    """
    tensor = _core.convert(value, None, hint)
    if tensor.dtype not in allowed:
        _core.refuse_attr(attr, tensor.dtype, allowed, op)
    return tensor


def pair(x: TensorLike, y: TensorLike, allowed: Sequence[Any], op: str) -> tuple[Tensor, Tensor]:
    """Two values as tensors of one allowed dtype; Python values get the other's.

    Raises:
        tf.errors.InvalidArgumentError: if the dtypes differ or are not allowed.
    """
    x_dtype, y_dtype = dtypes.result_dtype(x), dtypes.result_dtype(y)
    x = checked(x, allowed, op, None if x_dtype else y_dtype)
    y = _core.convert(y, None, None if y_dtype else x.dtype)
    if y.dtype is not x.dtype:
        _core.refuse_input(op, 1, x.dtype, y.dtype)
    return x, y


def array_of(tensor: Tensor, op: str | None = None) -> np.ndarray:
    """The elements as a read-only array, with 16-bit floats in float32 as LAPACK and FFTs need.

    `op` names the operation that reads them on the host, for the log of device placement.
    """
    if op is not None and _core.logs_placement():
        device = "/job:localhost/replica:0/task:0/device:CPU:0"
        print(f"Executing op {op} in device {device}", file=sys.stderr)
    array = np.asarray(tensor)
    return array.astype(np.float32) if tensor.dtype.size == 2 else array


def text(shape: Sequence[int]) -> str:
    """A shape as messages show it: `[2,3]`."""
    return str(list(shape)).replace(" ", "")


def sparse_tensor(indices: TensorLike, values: TensorLike, dense_shape: Any) -> Any:
    """A `tf.SparseTensor`."""
    return sparse.SparseTensor(indices, values, dense_shape)


def sparse_spec(shape: Any, dtype: DTypeLike) -> Any:
    """A `tf.SparseTensorSpec`."""
    return sparse.SparseTensorSpec(shape, dtype)


def on_values(
    function: Callable[..., object],
    inputs: Sequence[Tensor],
    specs: list[TensorSpec],
    *arguments: object,
) -> list[Tensor]:
    """The results of a call added to the graph being built, which gets values when the graph runs.

    Args:
        function: called with the values of `inputs`, and `arguments`.
        inputs: tensors.
        specs: the specs of the results.
        *arguments: further arguments of the function.
    """
    structure = specs if len(specs) > 1 else specs[0]
    return _as_list(
        host_call(
            function,
            structure,
            (*inputs, *arguments),
            name=function.__name__.strip("_"),
        )
    )
