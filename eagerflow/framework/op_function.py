"""The decorator of public functions that are composed in Python.

An operation of the table and a function composed of operations are objects of one class,
`_core.OpFunction`. A call of either is first offered to what may override it (`core/bindings/override.h`
has the order): functions that a program has registered for a type, arguments whose class defines
`__op_function__`, and the recorder of a graph that is being built. If nothing overrides the call,
the operation's kernel or the function's body runs.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, Literal, TypeVar, overload

from eagerflow import _core

Function = TypeVar("Function", bound=Callable[..., Any])

# From a function's body to the function that replaces it while a graph is built.
InGraph = Callable[[Callable[..., Any]], Callable[..., Any]]

# How calls with weak tensors are promoted; `Promotion` in `core/ops/op.h` explains it.
Promotion = Literal["none", "weak", "operands", "strong"]


def _says_more(function: _core.OpFunction) -> bool:
    return function.elementwise > 0 or function.promotion != "none"


# The functions that are elementwise or promote operands, and the observers of each of them.
_declared = [
    function
    for function in vars(_core.ops).values()
    if isinstance(function, _core.OpFunction) and _says_more(function)
]
_observers: list[Callable[[_core.OpFunction], object]] = []


def each_declared(observe: Callable[[_core.OpFunction], object]) -> None:
    """Calls `observe` with each function that is elementwise or promotes, also with later ones."""
    _observers.append(observe)
    for function in list(_declared):
        observe(function)


def defined(body: Callable, in_graph: InGraph | None, **facts: Any) -> _core.OpFunction:
    """The function of a body, with which all observers of `each_declared` are called."""
    function = _core.OpFunction(body, in_graph=in_graph and in_graph(body), **facts)
    if _says_more(function):
        _declared.append(function)
        for observe in _observers:
            observe(function)
    return function


@overload
def op_function(body: Function, /) -> Function: ...
@overload
def op_function(
    *,
    elementwise: int = 0,
    promotion: Promotion | None = None,
    overridable: bool = True,
    in_graph: InGraph | None = None,
) -> Callable[[Function], Function]: ...
def op_function(
    body: Any = None,
    /,
    *,
    elementwise: int = 0,
    promotion: Promotion | None = None,
    overridable: bool = True,
    in_graph: InGraph | None = None,
) -> Any:
    """Decorates a function so that arguments and recorders may override its calls.

    Args:
        body: the function, whose parameters, name and documentation stay.
        elementwise: how many leading parameters have elements that correspond to each other; the
            result has one element for each.
        promotion: how weak tensors and operands of several dtypes are promoted; by default "weak"
            for an elementwise function of one argument, otherwise "none".
        overridable: False for a function that handles symbolic arguments itself: no argument
            overrides it, and only a graph that is being built records the call.
        in_graph: a function from the body to the function that runs while a `tf.function` is
            traced, by default the body itself; see `eagerflow/framework/host_call.py`.

    >>> from eagerflow.framework.op_function import op_function
    >>> class Meters:
    ...     def __init__(self, value):
    ...         self.value = value
    ...
    ...     def __op_function__(self, function, args, kwargs):
    ...         return f"{function.__name__} of {self.value} m"
    >>> @op_function
    ... def double(x):
    ...     return tf.add(x, x)
    >>> int(double(2)), double(Meters(2))
    (4, 'double of 2 m')
    """
    define = functools.partial(
        defined,
        in_graph=in_graph,
        elementwise=elementwise,
        promotion=promotion,
        overridable=overridable,
    )
    return define if body is None else define(body)


@functools.cache
def parameter_names(function: Callable) -> list[str]:
    """The names of a function's parameters in their order."""
    native = getattr(function, "parameters", None)
    if native is not None:
        return [name for name, _ in native]
    return list(inspect.signature(function).parameters)


def bind_arguments(function: object, args: tuple, kwargs: dict[str, Any]) -> dict[str, Any] | None:
    """The passed arguments, by name and in the order of the parameters.

    None if the function does not accept them, or is variadic.
    """
    names = parameter_names(function)
    passed = dict(zip(names, args, strict=False))
    if len(args) > len(names) or not kwargs.keys() <= set(names) - passed.keys():
        return None
    passed |= kwargs
    return {name: passed[name] for name in names if name in passed}
