"""What all functions of functions share: how they call the program's function, and appear to it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from eagerflow import _core, nest
from eagerflow.autograph import directives
from eagerflow.util import lazy

# It is needed while functions are traced.
conversion = lazy.Module("eagerflow.autograph.conversion")


def program(func: Callable[..., Any]) -> Callable[..., Any]:
    """The program's function as it is called: converted by AutoGraph while a function is traced."""
    return func if _core.building() is None else conversion.convert_in_context(func)


def like(func: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorates the function that a transformation returns, which looks like the program's.

    Parameters with defaults are part of `*args` and `**kwargs` in its signature. A caller that binds
    arguments, such as `tf.function`, then passes what the program passed and nothing else: `argnums` and
    `in_dims` count that.

    Args:
        func: the program's function.
    """

    def decorate(transformed: Callable[..., Any]) -> Callable[..., Any]:
        wrapper = directives.final(functools.wraps(func, updated=())(transformed))
        try:
            wrapper.__signature__ = _without_defaults(inspect.signature(func))  # type: ignore[attr-defined]
        except (TypeError, ValueError):  # a function without a signature
            del wrapper.__wrapped__  # type: ignore[attr-defined]
        return wrapper

    return decorate


def _without_defaults(signature: inspect.Signature) -> inspect.Signature:
    kinds = inspect.Parameter
    positional, named = [], []
    rest = kinds("args", kinds.VAR_POSITIONAL), kinds("kwargs", kinds.VAR_KEYWORD)
    optional = False
    for parameter in signature.parameters.values():
        if parameter.kind in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD):
            optional = True
        elif parameter.default is not kinds.empty:
            optional = True
        elif parameter.kind is kinds.KEYWORD_ONLY:
            named.append(parameter)
        else:
            positional.append(parameter)
    if not optional:
        return signature
    taken = {parameter.name for parameter in (*positional, *named)}
    args, kwargs = (each.replace(name=_free(each.name, taken)) for each in rest)
    return inspect.Signature([*positional, args, *named, kwargs])


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def numbers_of(argnums: int | Sequence[int], count: int) -> tuple[int, ...]:
    """The indices of the arguments that `argnums` names, of a call with `count` by position.

    Raises:
        TypeError: if it is neither an integer nor a sequence of integers.
        ValueError: if there is no such argument.
    """
    numbers = tuple(argnums) if isinstance(argnums, list | tuple) else (argnums,)
    for number in numbers:
        if isinstance(number, bool) or not hasattr(number, "__index__"):
            raise TypeError(f"argnums must be an integer or a tuple of integers, got {argnums!r}.")
        if not -count <= number < count:
            raise ValueError(
                f"There is no argument {number}: the function was called with {count} by position. "
                "Arguments by name are constants; pass those to differentiate by by position."
            )
    return numbers


def map_tensors(function: Callable[..., Any], structure: Any, *more: Any) -> Any:
    """`nest.map_structure` for structures in which None represents the absence of a tensor."""
    return nest.map_structure(
        lambda leaf, *rest: None if leaf is None else function(leaf, *rest), structure, *more
    )
