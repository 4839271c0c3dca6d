"""tensorflow.python.ops.rnn and rnn_cell_impl: the names that packages import from them."""

from __future__ import annotations

from typing import Any

from eagerflow import _core, nest
from eagerflow.framework.shapes import TensorShape
from eagerflow.typing import DTypeLike
from eagerflow_compat.compat.v1.nn import rnn_cell as rnn_cell_impl

__all__ = [
    "_BIAS_VARIABLE_NAME",
    "_WEIGHTS_VARIABLE_NAME",
    "_best_effort_input_batch_size",
    "_zero_state_tensors",
    "assert_like_rnncell",
    "rnn_cell_impl",
]

# What the cells call their variables.
_BIAS_VARIABLE_NAME = "bias"
_WEIGHTS_VARIABLE_NAME = "kernel"


def assert_like_rnncell(cell_name: str, cell: Any) -> None:
    """Checks that an object has what a cell has.

    Args:
        cell_name: what the error calls it.
        cell: the object.

    Raises:
        TypeError: if it has no `output_size` or `state_size`, cannot make states, or be called.
    """
    needed = ["output_size", "state_size"]
    if getattr(cell, "get_initial_state", None) is None:
        needed.append("zero_state")
    lacks = [f"'{name}' property is missing" for name in needed if not hasattr(cell, name)]
    if not callable(cell):
        lacks.append("is not callable")
    if lacks:
        raise TypeError(
            f"The argument {cell_name!r} ({cell}) is not an RNNCell: {', '.join(lacks)}."
        )


def _best_effort_input_batch_size(flat_input: Any) -> Any:
    """How many sequences `[steps, batch, ...]` there are: a number if a shape says it.

    >>> from eagerflow_compat.internals.rnn import _best_effort_input_batch_size
    >>> _best_effort_input_batch_size([tf.zeros([5, 2, 3])])
    2
    """
    for one in flat_input:
        shape = one.shape
        if shape.rank is None:
            continue
        if shape.rank < 2:
            raise ValueError(
                f"Input tensor should have rank >= 2. Received input={one} of rank {shape.rank}"
            )
        if shape[1] is not None:
            return shape[1]
    return _core.ops.shape(flat_input[0])[1]


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
