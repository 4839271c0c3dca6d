"""Operations on lists, strings and rows that version 2 does not have in this form."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import on_host
from eagerflow.framework.op_function import op_function
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.sparse.tensor import SparseTensor
from eagerflow.typing import TensorLike

_ops = _core.ops
Tensor = _core.Tensor

ListDiff = namedtuple("ListDiff", ("out", "idx"))
ListDiff.__doc__ = "What is in one list and not in the other, and where it is."


def _difference_specs(
    x: Any, y: Any, index_dtype: Any = dtypes.int32, name: str | None = None
) -> ListDiff:
    kind = _core.as_tensor(x).dtype
    return ListDiff(TensorSpec([None], kind), TensorSpec([None], dtypes.as_dtype(index_dtype)))


@op_function(in_graph=on_host(_difference_specs))
def setdiff1d(x: Any, y: Any, index_dtype: Any = dtypes.int32, name: str | None = None) -> Any:
    """The values of `x` that are not in `y`, in order, and their indices.

    >>> out, idx = tf.compat.v1.setdiff1d([1, 2, 3, 4], [2, 4])
    >>> out.numpy().tolist(), idx.numpy().tolist()
    ([1, 3], [0, 2])
    """
    x = _core.as_tensor(x)
    y = _core.convert(y, x.dtype, None)
    indices = _core.as_tensor(np.flatnonzero(~np.isin(x.numpy(), y.numpy())))
    return ListDiff(_ops.gather(x, indices), _ops.cast(indices, index_dtype))


listdiff = setdiff1d


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
    if not isinstance(value, SparseTensor):
        return _core.convert(value, dtype, None)
    if dtype is not None and value.dtype != dtypes.as_dtype(dtype):
        raise TypeError(f"Sparse dtype: requested = {dtype}, actual = {value.dtype}")
    return value
