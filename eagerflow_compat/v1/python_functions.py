"""`py_func` and its successors: Python functions as operations."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework import context, dtypes
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.graph.nodes import python_node
from eagerflow.ops import host_functions
from eagerflow.typing import DTypeLike, Structure, TensorLike


def _node(call: Callable, inp: Any, Tout: Any, kind: str, name: str | None) -> Any:
    """Adds a node that calls a function with the values of tensors."""
    kinds = Tout if isinstance(Tout, list | tuple) else [Tout]
    specs = [TensorSpec(None, dtypes.as_dtype(dtype)) for dtype in kinds]
    outputs: Any = None
    if specs:
        outputs = specs if kinds is Tout else specs[0]
    return python_node(call, *inp, kind=kind, name=name, outputs=outputs)


def py_func(
    func: Callable,
    inp: Any,
    Tout: DTypeLike | Sequence[DTypeLike],
    stateful: bool = True,
    name: str | None = None,
) -> Structure:
    """Calls a Python function with NumPy arrays.

    Args:
        func: takes an array for each tensor, and returns arrays. In a graph, scalars are passed to
            it as NumPy scalars, strings as bytes.
        inp: the tensors.
        Tout: the dtype of what it returns, or a list of dtypes.
        stateful: accepted; the function is called every time.
        name: the node's name in a graph.

    >>> tf.compat.v1.py_func(lambda x: x + 1, [tf.constant(1.0)], tf.float32).numpy()
    np.float32(2.0)
    """
    if context.building_graph() is None:
        return host_functions.numpy_function(func, inp, Tout, stateful, name)
    kinds = [dtypes.as_dtype(kind) for kind in nest.flatten(Tout)]
    call = functools.partial(
        host_functions.numpy_function_of_graph, func, kinds, isinstance(Tout, list | tuple)
    )
    return _node(call, map(_core.as_tensor, inp or ()), Tout, "PyFunc", name)


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
    if context.building_graph() is None:
        return host_functions.py_function(func, inp, Tout, name)
    return _node(
        lambda *values: host_functions.py_function(func, values, Tout),
        inp or (),
        Tout,
        "EagerPyFunc",
        name,
    )
