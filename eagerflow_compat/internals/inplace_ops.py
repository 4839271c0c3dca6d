"""tensorflow.python.ops.inplace_ops: tensors with other rows. The tensors themselves stay as they are."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.ops.conversion import convert_to_tensor

__all__ = ["alias_inplace_add", "alias_inplace_sub", "alias_inplace_update", "empty_like"]

_ops = _core.ops


def _with_rows(x: Any, i: Any, v: Any, update: Any, whole: Any) -> Any:
    x = convert_to_tensor(x)
    v = convert_to_tensor(v, x.dtype)
    if i is None:
        return whole(x, v)
    rows = convert_to_tensor(i)
    if rows.ndim == 0:
        rows, v = _ops.expand_dims(rows, 0), _ops.expand_dims(v, 0)
    return update(x, _ops.expand_dims(rows, 1), v)


def alias_inplace_update(x: Any, i: Any, v: Any) -> Any:
    """A tensor whose rows `i` are `v`; without `i`, `v`.

    >>> from eagerflow_compat.internals.inplace_ops import alias_inplace_update
    >>> alias_inplace_update(tf.zeros([3]), [0, 2], [1.0, 2.0]).numpy()
    array([1., 0., 2.], dtype=float32)
    """
    return _with_rows(x, i, v, _ops.tensor_scatter_nd_update, lambda x, v: v)


def alias_inplace_add(x: Any, i: Any, v: Any) -> Any:
    """A tensor to whose rows `i`, or all, `v` is added."""
    return _with_rows(x, i, v, _ops.tensor_scatter_nd_add, _ops.add)


def alias_inplace_sub(x: Any, i: Any, v: Any) -> Any:
    """A tensor from whose rows `i`, or all, `v` is subtracted."""
    return _with_rows(x, i, v, _ops.tensor_scatter_nd_sub, _ops.subtract)


def empty_like(x: Any, init: Any = None) -> Any:
    """A tensor of zeros like another one."""
    return _ops.zeros_like(convert_to_tensor(x))
