"""tensorflow.python.feature_column.utils: the lengths of sequences."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.ops.segment import segment_max

__all__ = ["sequence_length_from_sparse_tensor"]


def sequence_length_from_sparse_tensor(sp_tensor: Any, num_elements: int = 1) -> _core.Tensor:
    """The number of steps that each row of a sparse tensor has, `[batch]`.

    Args:
        sp_tensor: a SparseTensor, `[batch, steps, ...]`.
        num_elements: how many values one step has.

    >>> from eagerflow_compat.internals.sequences import sequence_length_from_sparse_tensor
    >>> sparse = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 2, 3], [4, 2])
    >>> sequence_length_from_sparse_tensor(sparse).numpy()
    array([2, 0, 1, 0])
    """
    ends = segment_max(sp_tensor.indices[:, 1] + 1, sp_tensor.indices[:, 0])
    steps = _core.ops.cast(_core.ops.ceil(ends / num_elements), "int64")
    # Rows without values at the end have no segment.
    left = sp_tensor.dense_shape[0] - _core.ops.shape(steps, "int64")[0]
    return _core.ops.concat([steps, _core.ops.zeros(_core.ops.stack([left]), "int64")], 0)
