"""Calls of Python and NumPy functions as if they were operations."""

from __future__ import annotations

import functools
import inspect
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core, errors, nest
from eagerflow.framework import dtypes
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.context import as_nodes
from eagerflow.framework.host_call import host_call
from eagerflow.framework.type_spec import TensorSpec, TypeSpec
from eagerflow.typing import Structure, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def _spec(kind: dtypes.DType) -> TypeSpec:
    """The spec of a result of a dtype or spec."""
    return kind if isinstance(kind, TypeSpec) else TensorSpec(None, dtypes.as_dtype(kind))


def py_function(
    func: Callable | None = None, inp: Any = None, Tout: Any = None, name: str | None = None
) -> Any:
    """Calls a Python function with tensors; gradients flow through its operations.

    Args:
        func: a function of tensors that returns a tensor, a list of them, or None.
        inp: the list of its arguments.
        Tout: the dtype of the result, or a list of dtypes; empty if there is none.
        name: the name of the node in a graph.

    Returns:
        A tensor, or a list of tensors if `Tout` is one.

    Raises:
        tf.errors.InvalidArgumentError: if the results do not fit `Tout`, or the function raises a
            TypeError or ValueError.
        tf.errors.OutOfRangeError: if the function raises StopIteration.
        tf.errors.ResourceExhaustedError: if the function raises MemoryError.
        tf.errors.UnimplementedError: if the function raises NotImplementedError.
        tf.errors.UnknownError: if the function raises anything else.

    >>> tf.py_function(lambda x: x * 2, [tf.constant(3)], tf.int32)
    <tf.Tensor: shape=(), dtype=int32, numpy=6>
    """
    if func is None:
        return _decorator(lambda function, args: py_function(function, args, Tout))
    if not callable(func):
        raise ValueError(f"Expected func to be callable. Received func={func} of type {type(func)}")
    several = isinstance(Tout, list | tuple)
    kinds = [dtypes.dtype_of(spec) for spec in (Tout if several else [Tout])]
    arguments = tuple([_composite_or_tensor(value) for value in inp or ()])
    if _core.building() is not None:
        specs = nest.map_structure(_spec, Tout) or None
        call = functools.partial(_called, func, kinds, several)
        kind = "EagerPyFunc"
        return host_call(call, specs, arguments, name=name or kind, kind=kind, effects=True)
    return _called(func, kinds, several, *arguments)


def _called(func: Callable, kinds: list[dtypes.DType], several: bool, *arguments: Tensor) -> Any:
    """The results of `py_function` for tensors with values."""
    try:
        result = func(*arguments)
    except Exception as error:
        raise error_of_python_code(error, " [Op:EagerPyFunc]") from error
    results = _results(result, len(kinds), func)
    try:
        outputs = [
            value if isinstance(value, CompositeTensor) else _core.convert(value, kind, None)
            for value, kind in zip(results, kinds, strict=False)
        ]
    except (TypeError, ValueError) as error:
        raise error_of_python_code(error, " [Op:EagerPyFunc]") from error
    return outputs if several else outputs[0]


_STANDS_FOR: dict[type[BaseException], type[errors.OpError]] = {
    TypeError: errors.InvalidArgumentError,
    ValueError: errors.InvalidArgumentError,
    StopIteration: errors.OutOfRangeError,
    MemoryError: errors.ResourceExhaustedError,
    NotImplementedError: errors.UnimplementedError,
}


def error_of_python_code(error: BaseException, where: str = "") -> errors.OpError:
    """The operation error for an exception of the Python code that it called.

    Args:
        error: the exception.
        where: the end of the message.
    """
    kinds = (made for raised, made in _STANDS_FOR.items() if isinstance(error, raised))
    lines = "".join(traceback.format_tb(error.__traceback__))
    what = f"{type(error).__name__}: {error}"
    message = f"{what}\nTraceback (most recent call last):\n{lines}\n{what}\n{where}"
    kind: Any = next(kinds, errors.UnknownError)
    return kind(None, None, message)


def _decorator(call: Callable) -> Callable:
    """A decorator that turns calls of a function into `call(function, arguments)`."""

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def decorated(*args: object, **kwargs: object) -> Any:
            bound = inspect.signature(function).bind(*args, **kwargs)
            bound.apply_defaults()
            return call(function, list(bound.args))

        return decorated

    return decorate


def _composite_or_tensor(value: TensorLike) -> Any:
    if getattr(type(value), "_is_composite_tensor", False):
        return value
    return _core.as_tensor(value)


def _results(result: Structure, count: int, func: Callable) -> list:
    if result is None:
        results = []
    else:
        results = list(result) if isinstance(result, list | tuple) else [result]
    if len(results) < count:
        raise errors.InvalidArgumentError._of(
            f"{getattr(func, '__name__', 'function')} returns {len(results)} values, but expects "
            f"to see {count} values. [Op:EagerPyFunc]"
        )
    return results


def numpy_function(
    func: Callable | None = None,
    inp: Any = None,
    Tout: object = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """Calls a NumPy function with arrays; gradients do not flow through it.

    `@tf.numpy_function(Tout=...)` turns a function of arrays into a function of tensors.

    Args:
        func: a function of arrays that returns an array, a list of them, or None. Inside a
            `tf.function` or a pipeline, scalars are passed to it as NumPy scalars, strings as bytes.
        inp: the list of its arguments, tensors or values that can be converted to them.
        Tout: the dtype of the result, or a list of dtypes, which a graph needs; ignored eagerly:
            results have the dtypes that the function returns.
        stateful: whether the function has effects: in a graph it is called even if its
            results are unused.
        name: the name, in a graph, of the node that returns the only result.

    Returns:
        The result as a tensor or as a list of tensors.

    Raises:
        ValueError: if `func` cannot be called.
        Exception: what `func` raises; inside a `tf.function`, a pipeline, or the rows of a
            `GradientTape.jacobian`, what `tf.py_function` raises then.

    >>> tf.numpy_function(np.sinh, [tf.constant(0.0)], tf.float32)
    <tf.Tensor: shape=(), dtype=float32, numpy=0.0>
    """
    if func is None:
        return _decorator(lambda function, args: numpy_function(function, args, Tout))
    if not callable(func):
        raise ValueError(f"Expected func to be callable. Received func={func} of type {type(func)}")
    if _core.building() is not None:
        specs = nest.map_structure(_spec, Tout) or None
        expected = [] if specs is None else nest.flatten(specs)
        kinds, several = [s.dtype for s in expected], isinstance(Tout, list | tuple)
        call = functools.partial(numpy_function_of_graph, func, kinds, several)
        values = tuple(map(_core.as_tensor, inp or []))
        results = host_call(call, specs, values, name="PyFunc", effects=stateful)
        if isinstance(results, Tensor):
            return _ops.stop_gradient(results, name)
        return None if specs is None else nest.map_structure(_ops.stop_gradient, results)
    try:
        result = func(*map(np.array, inp or []))
    except Exception as error:
        if not as_nodes.active:
            raise
        raise error_of_python_code(error, " [Op:PyFunc]") from error
    if result is None:
        return None
    if isinstance(result, list | tuple):
        return [_core.as_tensor(value) for value in result]
    return _core.as_tensor(result)


def numpy_function_of_graph(
    func: Callable, kinds: list[dtypes.DType], several: bool, *tensors: Tensor
) -> Any:
    """Calls a function of arrays, whose results must have the dtypes that the graph's node declares.

    Unlike eagerly, scalars are NumPy's scalars, and those of strings bytes.
    """
    values = [tensor.numpy() for tensor in tensors]
    # Copies, which the function may change.
    arguments = [v if isinstance(v, bytes) else np.array(v)[()] for v in values]
    try:
        result = func(*arguments)
    except Exception as error:
        raise error_of_python_code(error, " [Op:PyFunc]") from error
    if len(kinds) == 1 and not several and not isinstance(result, list | tuple):
        alone = _core.as_tensor(np.asarray(result))
        if alone.dtype is kinds[0]:
            return alone
    results = [_core.as_tensor(np.asarray(value)) for value in _results(result, len(kinds), func)]
    for k, (kind, value) in enumerate(zip(kinds, results, strict=False)):
        if value.dtype is not kind:
            raise errors.InvalidArgumentError._of(
                f"{k}-th value returned by {getattr(func, '__name__', 'function')} is "
                f"{value.dtype.name}, but expects {kind.name} [Op:PyFunc]"
            )
    return results[: len(kinds)] if several else results[0]
