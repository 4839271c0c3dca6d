"""tf.compat.v1.data.experimental: also the names that specs of elements had before they were public."""

from __future__ import annotations

from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ops.tensor_array import TensorArraySpec
from eagerflow.ragged.spec import RaggedTensorSpec
from eagerflow.sparse.tensor import SparseTensorSpec
from eagerflow.typing import DTypeLike, ShapeLike
from eagerflow_compat.v1.mirror import mirror

__getattr__, __dir__ = mirror(
    __name__,
    "eagerflow.data.experimental",
    renamed={
        "DatasetStructure": "data.dataset.DatasetSpec",
        "OptionalStructure": "data.iterator.OptionalSpec",
        "Structure": "TypeSpec",
        "map_and_batch_with_legacy_function": "data.experimental.functions.map_and_batch",
    },
)


def TensorStructure(dtype: DTypeLike, shape: ShapeLike) -> TensorSpec:
    """`tf.TensorSpec(shape, dtype)`.

    >>> tf.compat.v1.data.experimental.TensorStructure(tf.int32, [2])
    TensorSpec(shape=(2,), dtype=tf.int32, name=None)
    """
    return TensorSpec(shape, dtype)


def SparseTensorStructure(dtype: DTypeLike, shape: ShapeLike) -> SparseTensorSpec:
    """`tf.SparseTensorSpec(shape, dtype)`.

    >>> tf.compat.v1.data.experimental.SparseTensorStructure(tf.int32, [2, 3])
    SparseTensorSpec(TensorShape([2, 3]), tf.int32)
    """
    return SparseTensorSpec(shape, dtype)


def RaggedTensorStructure(dtype: DTypeLike, shape: ShapeLike, ragged_rank: int) -> RaggedTensorSpec:
    """`tf.RaggedTensorSpec(shape, dtype, ragged_rank)`.

    >>> tf.compat.v1.data.experimental.RaggedTensorStructure(tf.int32, [2, None], 1)
    RaggedTensorSpec(TensorShape([2, None]), tf.int32, 1, tf.int64)
    """
    return RaggedTensorSpec(shape, dtype, ragged_rank)


def TensorArrayStructure(
    dtype: DTypeLike, element_shape: ShapeLike, dynamic_size: bool, infer_shape: bool
) -> TensorArraySpec:
    """`tf.TensorArraySpec(element_shape, dtype, dynamic_size, infer_shape)`.

    >>> tf.compat.v1.data.experimental.TensorArrayStructure(tf.int32, [2], False, True)
    TensorArraySpec(TensorShape([2]), tf.int32, False, True)
    """
    return TensorArraySpec(element_shape, dtype, dynamic_size, infer_shape)
