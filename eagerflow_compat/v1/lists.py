"""Operations on lists, strings and rows that version 2 does not have in this form."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.sparse.tensor import SparseTensor, SparseTensorValue
from eagerflow.typing import TensorLike

_ops = _core.ops
Tensor = _core.Tensor


@op_function
def batch_gather(params: TensorLike, indices: TensorLike, name: str | None = None) -> Tensor:
    """Elements gathered along the last axis, for each batch separately.

    >>> tf.compat.v1.batch_gather([[1, 2, 3], [4, 5, 6]], [[0], [2]]).numpy().tolist()
    [[1], [6]]
    """
    indices = _core.as_tensor(indices)
    axis = indices.ndim - 1
    return _ops.gather(params, indices, axis=axis, batch_dims=axis)


@op_function
def convert_to_tensor_or_sparse_tensor(value: Any, dtype: Any = None, name: Any = None) -> Any:
    """A tensor of the value, or a sparse tensor as it is.

    Raises:
        TypeError: if a sparse tensor has another dtype.
    """
    if isinstance(value, SparseTensorValue):
        value = SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        return _core.convert(value, dtype, None)
    if dtype is not None and value.dtype != dtypes.as_dtype(dtype):
        raise TypeError(f"Sparse dtype: requested = {dtype}, actual = {value.dtype}")
    return value
