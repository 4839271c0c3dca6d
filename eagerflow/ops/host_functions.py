"""Calls of Python and NumPy functions as if they were operations."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow import dtype as dtypes
from eagerflow.composite import CompositeTensor
from eagerflow.errors import InvalidArgumentError, UnknownError

_ops = _core.ops
Tensor = _core.Tensor


def _kind(spec: Any) -> Any:
    return dtypes.as_dtype(getattr(spec, "dtype", spec))


def py_function(
    func: Callable | None = None, inp: Any = None, Tout: Any = None, name: str | None = None
) -> Any:
    """Calls a Python function with tensors; gradients flow through what it does.

    Args:
        func: a function of tensors that returns a tensor, a list of them, or None.
        inp: the list of its arguments.
        Tout: the dtype of the result, or a list of dtypes; empty if there is none.
        name: ignored.

    Returns:
        A tensor, or a list of tensors if `Tout` is one.

    Raises:
        tf.errors.InvalidArgumentError: if the results do not fit `Tout`, or the function raises a
            TypeError or ValueError.
        tf.errors.UnknownError: if the function raises anything else.

    >>> tf.py_function(lambda x: x * 2, [tf.constant(3)], tf.int32)
    <tf.Tensor: shape=(), dtype=int32, numpy=6>
    """
    if func is None:
        return _decorator(lambda function, args: py_function(function, args, Tout))
    if not callable(func):
        raise ValueError(f"Expected func to be callable. Received func={func} of type {type(func)}")
    several = isinstance(Tout, list | tuple)
    kinds = [_kind(spec) for spec in (Tout if several else [Tout])]
    arguments = [_composite_or_tensor(value) for value in (inp or [])]
    try:
        result = func(*arguments)
        results = _results(result, len(kinds), func)
        outputs = [
            value if isinstance(value, CompositeTensor) else _core.convert(value, kind, None)
            for value, kind in zip(results, kinds, strict=False)
        ]
    except (InvalidArgumentError, UnknownError):
        raise
    except (TypeError, ValueError) as error:
        raise InvalidArgumentError(
            None, None, f"{type(error).__name__}: {error} [Op:EagerPyFunc]"
        ) from error
    except Exception as error:
        raise UnknownError(
            None, None, f"{type(error).__name__}: {error} [Op:EagerPyFunc]"
        ) from error
    return outputs if several else outputs[0]


def _decorator(call: Callable) -> Callable:
    """A decorator that makes `call(function, arguments)` of calls of a function."""

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def decorated(*args: Any, **kwargs: Any) -> Any:
            bound = inspect.signature(function).bind(*args, **kwargs)
            bound.apply_defaults()
            return call(function, list(bound.args))

        return decorated

    return decorate


def _composite_or_tensor(value: Any) -> Any:
    if getattr(type(value), "_is_composite_tensor", False):
        return value
    return _core.convert(value, None, None)


def _results(result: Any, count: int, func: Callable) -> list:
    if result is None:
        results = []
    else:
        results = list(result) if isinstance(result, list | tuple) else [result]
    if len(results) < count:
        raise InvalidArgumentError(
            None,
            None,
            f"{getattr(func, '__name__', 'function')} returns {len(results)} values, but expects "
            f"to see {count} values. [Op:EagerPyFunc]",
        )
    return results


def numpy_function(
    func: Callable | None = None,
    inp: Any = None,
    Tout: Any = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """Calls a NumPy function with arrays; gradients do not flow through it.

    `@tf.numpy_function(Tout=...)` makes a function of tensors of one of arrays.

    Args:
        func: a function of arrays that returns an array, a list of them, or None.
        inp: the list of its arguments, tensors or what can be converted to them.
        Tout: ignored: results have the dtypes that the function gives them.
        stateful: ignored.
        name: ignored.

    Returns:
        The result as a tensor or as a list of tensors.

    Raises:
        ValueError: if `func` cannot be called.

    >>> tf.numpy_function(np.sinh, [tf.constant(0.0)], tf.float32)
    <tf.Tensor: shape=(), dtype=float32, numpy=0.0>
    """
    if func is None:
        return _decorator(lambda function, args: numpy_function(function, args, Tout))
    if not callable(func):
        raise ValueError(f"Expected func to be callable. Received func={func} of type {type(func)}")
    arguments = [np.array(_core.convert(value, None, None).numpy()) for value in (inp or [])]
    result = func(*arguments)
    if result is None:
        return None
    if isinstance(result, list | tuple):
        return [_core.convert(value, None, None) for value in result]
    return _core.convert(result, None, None)
