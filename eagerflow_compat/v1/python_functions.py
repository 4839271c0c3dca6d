"""`py_func` and its successors: Python functions as operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from eagerflow import errors
from eagerflow.framework import context, dtypes
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.graph.nodes import python_node
from eagerflow.ops import host_functions
from eagerflow.typing import DTypeLike, Structure, TensorLike


def _error_of(error: Exception) -> errors.OpError:
    """What a session raises for an error in a program's function."""
    kinds: dict[type, type] = {
        ValueError: errors.InvalidArgumentError,
        TypeError: errors.InvalidArgumentError,
        StopIteration: errors.OutOfRangeError,
        MemoryError: errors.ResourceExhaustedError,
        NotImplementedError: errors.UnimplementedError,
    }
    kind = next((k for cls, k in kinds.items() if isinstance(error, cls)), errors.UnknownError)
    return kind(None, None, f"{type(error).__name__}: {error}")


def _node(inner: Callable, func: Callable, inp: Any, Tout: Any, kind: str, name: str | None) -> Any:
    """Calls a function of tensors, or adds a node that calls it."""

    def call(*args: Any) -> Any:
        try:
            return inner(*args)
        except errors.OpError:
            raise
        except Exception as error:
            raise _error_of(error) from error

    if context.building_graph() is None:
        return call(func, inp, Tout)
    many = isinstance(Tout, list | tuple)
    specs = [TensorSpec(None, dtypes.as_dtype(dtype)) for dtype in (Tout if many else [Tout])]
    outputs: Any = None
    if specs:
        outputs = specs if many else specs[0]
    return python_node(
        lambda *values: call(func, list(values), Tout), *inp, kind=kind, name=name, outputs=outputs
    )


def py_func(
    func: Callable,
    inp: Any,
    Tout: DTypeLike | Sequence[DTypeLike],
    stateful: bool = True,
    name: str | None = None,
) -> Structure:
    """Calls a Python function with NumPy arrays.

    Args:
        func: takes an array for each tensor, and returns arrays.
        inp: the tensors.
        Tout: the dtype of what it returns, or a list of dtypes.
        stateful: accepted; the function is called every time.
        name: the node's name in a graph.

    >>> tf.compat.v1.py_func(lambda x: x + 1, [tf.constant(1.0)], tf.float32).numpy()
    np.float32(2.0)
    """
    return _node(host_functions.numpy_function, func, inp, Tout, "PyFunc", name)


def numpy_function(
    func: Callable | None = None,
    inp: Sequence[TensorLike] | None = None,
    Tout: Any = None,
    stateful: bool = True,
    name: str | None = None,
) -> Structure:
    """Calls a Python function with NumPy arrays; the same as `py_func`."""
    assert func is not None
    return py_func(func, inp, Tout, stateful, name)


def py_function(
    func: Callable | None = None,
    inp: Sequence[TensorLike] | None = None,
    Tout: Any = None,
    name: str | None = None,
) -> Structure:
    """Calls a Python function with tensors, which can be differentiated."""
    assert func is not None
    return _node(host_functions.py_function, func, inp, Tout, "EagerPyFunc", name)
