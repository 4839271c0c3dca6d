"""Weak tensors: their own members, and the functions whose results are weak if arguments are.

The native types and the promotion of operators are the engine's (`core/bindings/promotion.h`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import eagerflow as tf
from eagerflow import _core
from eagerflow.experimental.numpy import dtypes, promotion
from eagerflow.framework.op_function import bind_arguments, each_declared, parameter_names
from eagerflow.framework.type_spec import WeakTensors, is_weak


def enable(safe: bool) -> None:
    """Makes operators and functions promote dtypes, and constants of Python numbers weak.

    Args:
        safe: whether a promotion that does not keep all values is an error.
    """
    if not WeakTensors.exist:
        _set_promoters()
    WeakTensors.exist = True
    WeakTensors.converted = promotion.converted
    promotion.Mode.safe = safe
    dtypes.prefer_weak()
    for kind in (_core.EagerWeakTensor, _core.GraphWeakTensor):
        for name, member in _MEMBERS.items():
            setattr(kind, name, member)
    _core.set_promotion(promotion.promoted, promotion.makes_weak, promotion.assigned)


def _set_promoters() -> None:
    """Sets the promoters that functions declare, and those that serve one function."""

    def promote(function: _core.OpFunction) -> None:
        if function.promotion != "none":
            function._set_promoter(*_PROMOTERS[function.promotion])

    each_declared(promote)
    own: list[tuple[Any, Callable[..., Any], int]] = [
        (tf.clip_by_value, _clipped, 3),
        (tf.nn.moments, _moments, 1),
        (tf.while_loop, _repeated, 3),
        *(
            (function, _called, 3)
            for function in (tf.map_fn, tf.vectorized_map, tf.foldl, tf.foldr)
        ),
    ]
    for function, promoter, operands in own:
        function._set_promoter(promoter, operands)


def _of_one(function: _core.OpFunction, args: tuple, kwargs: dict[str, object]) -> Any:
    """A call of a function of one tensor: the result is weak if that is."""
    arguments = bind_arguments(function, args, kwargs)
    if arguments is None:
        return function._run_promoted(*args, **kwargs)
    value = next(iter(arguments.values()), None)
    weak = promotion.makes_weak(value)
    result = function._run_promoted(*_strong(args), **_strong(kwargs))
    return _weakened(result) if weak and arguments.get("dtype") is None else result


def _of_two(
    function: _core.OpFunction, args: tuple, kwargs: dict[str, object], strong: bool = False
) -> Any:
    """A call of a function of two operands, which it promotes."""
    names = parameter_names(function)[:2]
    arguments = dict(zip(names, args, strict=False)) | kwargs
    operands = [arguments[name] for name in names if name in arguments]
    promoted = promotion.promoted(*operands) if len(operands) == 2 else None
    if promoted is None:
        return function._run_promoted(*args, **kwargs)
    *tensors, weak = promoted
    rest = {name: value for name, value in kwargs.items() if name not in names}
    result = function._run_promoted(*tensors, *args[2:], **rest)
    return _weakened(result) if weak and not strong else result


_PROMOTERS: dict[str, tuple[Callable[..., Any], int]] = {
    "weak": (_of_one, 1),
    "operands": (_of_two, 2),
    "strong": (functools.partial(_of_two, strong=True), 2),
}


def _clipped(function: _core.OpFunction, args: tuple, kwargs: dict[str, Any]) -> Any:
    """A call of `clip_by_value`, whose bounds promote the value; it is weak if the value is."""
    arguments = bind_arguments(function, args, kwargs) or {}
    names = parameter_names(function)[:3]
    operands = [arguments[name] for name in names if name in arguments]
    tensors = promotion.clipped(*operands) if len(operands) == 3 else None
    if tensors is None:
        return function._run_promoted(*args, **kwargs)
    result = function._run_promoted(*tensors)
    return _weakened(result) if promotion.makes_weak(operands[0]) else result


def _moments(function: _core.OpFunction, args: tuple, kwargs: dict[str, object]) -> Any:
    """A call of `moments`: the mean is weak if the argument is, and the variance is not."""
    mean, variance = _of_one(function, args, kwargs)
    return mean, _strong(variance)


def _called(function: _core.OpFunction, args: tuple, kwargs: dict[str, object]) -> Any:
    """A call of a function that calls others, which get weak tensors as they are."""
    return function._run(*args, **kwargs)


def _repeated(function: _core.OpFunction, args: tuple, kwargs: dict[str, object]) -> Any:
    """A call of `while_loop`: variables that begin as weak tensors are weak at the end."""
    arguments = bind_arguments(function, args, kwargs) or {}
    results = function._run(*args, **kwargs)
    return tf.nest.map_structure(
        lambda first, last: _core.weakened(last) if is_weak(first) else last,
        arguments["loop_vars"],
        results,
    )


def _weakened(result: object) -> Any:
    if isinstance(result, list | tuple):
        return type(result)([_weakened(part) for part in result])
    if isinstance(result, _core.Tensor) and result.dtype not in (tf.bool, tf.string):
        return _core.weakened(result)
    return result


def _strong(value: Any) -> Any:
    """An argument, with ordinary tensors in place of weak ones."""
    if is_weak(value):
        return _core.strengthened(value)
    kind = type(value)
    if kind in (list, tuple):
        return kind([_strong(part) for part in value])
    if kind is slice:
        return slice(_strong(value.start), _strong(value.stop), _strong(value.step))
    if kind is dict:
        return {key: _strong(part) for key, part in value.items()}
    return value


def _call(self: object, function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
    """A call of a function that does not pass weakness on, with ordinary tensors."""
    body = getattr(function, "__wrapped__", None)
    if isinstance(body, _core.OpFunction):  # one of version 1, which calls version 2's
        return function._run(*args, **kwargs)  # type: ignore[attr-defined]
    return function(*_strong(args), **_strong(kwargs))


def _text(show: Callable[[Any], str]) -> Callable[..., str]:
    def shown(self: Any) -> str:
        text = show(self)
        return f"{text[:-1]}, weak=True{text[-1]}"

    return shown


def _tensor(self: Any) -> _core.Tensor:
    """The tensor as one that is not weak."""
    return _core.strengthened(self)


def _format(self: Any, format_spec: str) -> str:
    return f"{_core.strengthened(self):{format_spec}} weakly typed"


def _unpickled(tensor: _core.Tensor) -> _core.Tensor:
    return _core.weakened(tensor)


def _reduce(self: Any) -> tuple:
    return _unpickled, (_core.strengthened(self),)


_MEMBERS = {
    "__op_function__": _call,
    "__format__": _format,
    "__repr__": _text(lambda tensor: _core.Tensor.__repr__(tensor)),
    "__str__": _text(lambda tensor: _core.Tensor.__str__(tensor)),
    "__reduce__": _reduce,
    "tensor": property(_tensor),
    "to_tensor": _tensor,
}
