"""Python functions among the operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow.ops.host_functions import numpy_function, py_function


def py_func(
    func: Callable, inp: Any, Tout: Any, stateful: bool = True, name: str | None = None
) -> Any:
    """Calls a Python function with NumPy arrays.

    Args:
        func: gets an array for each tensor, and returns arrays.
        inp: the tensors.
        Tout: the dtype of what it returns, or a list of dtypes.
        stateful: accepted; the function is called every time.
        name: the node's name in a graph.

    >>> tf.compat.v1.py_func(lambda x: x + 1, [tf.constant(1.0)], tf.float32).numpy()
    np.float32(2.0)
    """
    return numpy_function(func, inp, Tout)


__all__ = ["py_func", "py_function"]
