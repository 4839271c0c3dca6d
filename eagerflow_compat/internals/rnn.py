"""tensorflow.python.ops.rnn and rnn_cell_impl: the names that packages import from them."""

from __future__ import annotations

from typing import Any

from eagerflow import _core, nest
from eagerflow.framework.shapes import TensorShape
from eagerflow.typing import DTypeLike
from eagerflow_compat.compat.v1.nn import rnn_cell as rnn_cell_impl

__all__ = ["_zero_state_tensors", "rnn_cell_impl"]


def _zero_state_tensors(state_size: Any, batch_size: Any, dtype: DTypeLike) -> Any:
    """Zeros of the sizes of a state, for a batch.

    Args:
        state_size: a size or a shape for one example, or a structure of them.
        batch_size: how many examples there are.
        dtype: the dtype of the zeros.
    """

    def zeros(size: Any) -> _core.Tensor:
        sizes = [size] if isinstance(size, int) else TensorShape(size).as_list()
        return _core.ops.zeros(_core.ops.stack([batch_size, *sizes]), dtype)

    return nest.map_structure(zeros, state_size)
