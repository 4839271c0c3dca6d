"""Sparse tensors as strings and back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.dtypes import DType
from eagerflow.framework.host_call import always, on_host
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import require_memory
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.io.raw import strings_tensor
from eagerflow.io.serialization import parse_tensor, tensor_message
from eagerflow.ops.array import invalid_argument, require_in_bounds
from eagerflow.ops.composed_op import Input, composed_op
from eagerflow.sparse.arrangement import concat
from eagerflow.sparse.conversion import checked
from eagerflow.sparse.tensor import SparseTensor, SparseTensorSpec
from eagerflow.typing import DTypeLike, TensorLike
from eagerflow.util.varints import packed_strings

_ops = _core.ops
Tensor = _core.Tensor


def _checked_type(out_type: DTypeLike, op: str) -> None:
    if dtypes.as_dtype(out_type) is not dtypes.string:
        raise invalid_argument(
            f"Sparse tensors are serialized to strings, got out_type={out_type} [Op:{op}]"
        )


def _parts(value: SparseTensor) -> list[bytes]:
    tensors = (value.indices, value.values, value.dense_shape)
    return [_message(tensor).SerializeToString() for tensor in tensors]


def _message(tensor: Tensor) -> Any:
    message = tensor_message(tensor)
    if message.string_val:  # the lengths of strings precede their bytes
        message.tensor_content = packed_strings(list(message.string_val))
        message.ClearField("string_val")
    return message


@op_function(in_graph=on_host(always(TensorSpec([3], dtypes.string))))
def serialize_sparse(
    sp_input: SparseTensor, out_type: DTypeLike = dtypes.string, name: str | None = None
) -> Tensor:
    """A sparse tensor as three strings: indices, values, shape.

    >>> tf.io.serialize_sparse(tf.sparse.eye(2)).shape
    TensorShape([3])
    """
    value = checked(sp_input)
    _checked_type(out_type, "SerializeSparse")
    return strings_tensor(_parts(value), (3,))


@op_function(in_graph=on_host(always(TensorSpec([None, 3], dtypes.string))))
def serialize_many_sparse(
    sp_input: SparseTensor, out_type: DTypeLike = dtypes.string, name: str | None = None
) -> Tensor:
    """The slices along the first axis of a sparse tensor, each as three strings.

    >>> tf.io.serialize_many_sparse(tf.sparse.eye(2)).shape
    TensorShape([2, 3])
    """
    value = checked(sp_input)
    _checked_type(out_type, "SerializeManySparse")
    indices, sizes = value.indices.numpy(), value.dense_shape.numpy()
    if len(sizes) < 2:
        raise invalid_argument(
            f"Rank of input SparseTensor should be > 1, but saw rank: {len(sizes)}"
        )
    if math.prod(sizes.tolist()) >= 2**63:
        raise invalid_argument(
            f"A sparse tensor of shape {sizes.tolist()} has too many elements [Op:SerializeManySparse]"
        )
    require_in_bounds(indices, sizes, "SerializeManySparse")
    strings = []
    require_memory([int(sizes[0]), 3], dtypes.string)
    for row in range(int(sizes[0])):
        own = np.flatnonzero(indices[:, 0] == row)
        piece = SparseTensor(indices[own][:, 1:], _ops.gather(value.values, own, 0, 0), sizes[1:])
        strings += _parts(piece)
    return strings_tensor(strings, (int(sizes[0]), 3))


def _stacked_spec(
    serialized_sparse: object, dtype: DTypeLike, rank: int | None = None, name: str | None = None
) -> SparseTensorSpec:
    return SparseTensorSpec(None if rank is None else [None] * rank, dtype)


@composed_op(
    "DeserializeManySparse",
    in_graph=on_host(_stacked_spec),
    serialized_sparse=Input("string"),
    dtype=DType,
)
def deserialize_many_sparse(
    serialized_sparse: TensorLike, dtype: DTypeLike, rank: object = None, name: str | None = None
) -> SparseTensor:
    """Sparse tensors from strings, stacked along a new first axis.

    Args:
        serialized_sparse: strings `[n, 3]`.
        dtype: the dtype of the values.
        rank: the rank of the tensors; ignored.

    Raises:
        tf.errors.InvalidArgumentError: if the strings hold no sparse tensors.

    >>> rows = tf.io.serialize_many_sparse(tf.sparse.eye(2))
    >>> tf.io.deserialize_many_sparse(rows, tf.float32).indices.numpy().tolist()
    [[0, 0], [1, 1]]
    """
    strings = _core.convert(serialized_sparse, dtypes.string, None)
    if strings.ndim != 2 or strings._shape_tuple()[1] != 3:
        raise invalid_argument(
            f"Serialized sparse should have shape [n, 3], got {strings.shape} "
            "[Op:DeserializeManySparse]"
        )
    pieces = []
    for indices, values, shape in strings.numpy().tolist():
        where = parse_tensor(indices, dtypes.int64).numpy()
        sizes = parse_tensor(shape, dtypes.int64).numpy()
        if where.ndim != 2 or sizes.ndim != 1 or where.shape[1] != sizes.size:
            raise invalid_argument(
                f"Indices of shape {where.shape} do not fit {sizes.size} sizes "
                "[Op:DeserializeManySparse]"
            )
        try:
            piece = SparseTensor(
                np.insert(where, 0, 0, axis=1), parse_tensor(values, dtype), [1, *sizes.tolist()]
            )
        except ValueError as error:
            raise invalid_argument(f"{error} [Op:DeserializeManySparse]") from None
        pieces.append(piece)
    if not pieces:
        raise invalid_argument(
            "Must have at least 1 serialized SparseTensor, but input matrix has 0 rows"
        )
    return concat(0, pieces, expand_nonconcat_dims=True)
