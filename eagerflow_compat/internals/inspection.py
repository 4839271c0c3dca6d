"""tensorflow.python.util.tf_inspect: `inspect`, which knows decorators."""

from __future__ import annotations

import inspect
from collections import namedtuple
from typing import Any

from eagerflow.util import own_code
from eagerflow_compat.internals.decorators import unwrap

ArgSpec = namedtuple("ArgSpec", ["args", "varargs", "keywords", "defaults"])
FullArgSpec = inspect.FullArgSpec
_inspect = inspect


def __getattr__(name: str) -> Any:
    """The function of `inspect`."""
    return getattr(inspect, name)


def getfullargspec(obj: Any) -> inspect.FullArgSpec:
    """The parameters of a function as `inspect.getfullargspec` gives them.

    Those of this package are given without annotations, as TensorFlow's functions have none, and
    programs compare the parameters of their own functions with them.
    """
    decorators, target = unwrap(obj)
    for decorator in decorators:
        if decorator.decorator_argspec is not None:
            return decorator.decorator_argspec
    spec = inspect.getfullargspec(target)
    ours = own_code.is_own(getattr(target, "__module__", None))
    return spec._replace(annotations={}) if ours else spec


def getargspec(obj: Any) -> ArgSpec:
    """The positional parameters of a function.

    Raises:
        ValueError: if it has parameters that are given by name only.
    """
    spec = getfullargspec(obj)
    if spec.kwonlyargs:
        raise ValueError("Function has keyword-only arguments, use getfullargspec() instead.")
    return ArgSpec(spec.args, spec.varargs, spec.varkw, spec.defaults)


def getcallargs(*func_and_positional: Any, **named: Any) -> dict[str, object]:
    """The arguments of a call by name, defaults included.

    As in TensorFlow, those that only `**kwargs` takes stand among the others, and positional ones that
    only `*args` takes are left out.
    """
    function, *positional = func_and_positional
    spec = getfullargspec(function)
    if inspect.ismethod(function):
        positional = [function.__self__, *positional]
    defaults = spec.defaults or ()
    found = dict(zip(spec.args[len(spec.args) - len(defaults) :], defaults, strict=True))
    left = [name for name in spec.args if name not in named]
    return found | (spec.kwonlydefaults or {}) | named | dict(zip(left, positional, strict=False))


def getdoc(object: Any) -> str | None:
    """The documentation of what decorators wrap."""
    return inspect.getdoc(unwrap(object)[1])


def isfunction(object: object) -> bool:
    """Whether something is a function of the program, or an operation."""
    return inspect.isroutine(unwrap(object)[1]) and not inspect.ismethod(object)


def isanytargetmethod(object: object) -> bool:
    """Whether what a decorator wraps is a method."""
    decorators, target = unwrap(object)
    return inspect.ismethod(target) or any(
        inspect.ismethod(decorator.decorated_target) for decorator in decorators
    )


def getsource(object: Any) -> str:
    """The source of what decorators wrap."""
    return inspect.getsource(unwrap(object)[1])
