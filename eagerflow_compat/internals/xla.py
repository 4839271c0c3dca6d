"""tensorflow.compiler.tf2xla.python.xla: slices of fixed sizes, which begin where tensors say."""

from __future__ import annotations

from typing import Any

import eagerflow as tf
from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.typing import TensorLike

__all__ = ["dynamic_slice", "dynamic_update_slice"]

_ops: Any = _core.ops


def _begin(tensor: _core.Tensor, indices: TensorLike, sizes: _core.Tensor) -> _core.Tensor:
    """Where a slice begins: the indices, moved so that it lies inside."""
    rank = tensor.shape.rank
    indices = _ops.cast(_ops.reshape(_core.as_tensor(indices), [rank]), dtypes.int32)
    last = _ops.subtract(_ops.shape(tensor), sizes)
    return _ops.minimum(_ops.maximum(indices, _core.convert(0, dtypes.int32, None)), last)


def dynamic_slice(
    input: TensorLike, start_indices: TensorLike, size_indices: TensorLike, name: str | None = None
) -> _core.Tensor:
    """The slice of these sizes that begins at the indices, or as near to them as it has room."""
    tensor = _core.as_tensor(input)
    sizes = _core.convert(size_indices, dtypes.int32, None)
    return _ops.slice(tensor, _begin(tensor, start_indices, sizes), sizes)


def dynamic_update_slice(input: Any, update: Any, indices: Any, name: str | None = None) -> Any:
    """The tensor with another one in place of the slice that begins at the indices."""
    tensor, update = _core.as_tensor(input), _core.as_tensor(update)
    sizes = _ops.shape(update)
    begin = _begin(tensor, indices, sizes)
    before_and_after = _ops.stack(
        [begin, _ops.subtract(_ops.shape(tensor), _ops.add(begin, sizes))], 1
    )
    inside = tf.pad(tf.ones_like(update, dtypes.bool), before_and_after)
    result = tf.where(inside, tf.pad(update, before_and_after), tensor)
    if _core.is_symbolic(result):
        _core.refine_shape(result, tensor.shape.as_list())
    return result
