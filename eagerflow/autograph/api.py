"""tf.autograph's functions that convert a single function."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from eagerflow.autograph.directives import final
from eagerflow.autograph.user_code import ConversionError
from eagerflow.util import lazy

# It imports malt, which few programs need.
transpiler = lazy.Module("eagerflow.autograph.transpiler")


def _function(entity: object) -> types.FunctionType:
    """The Python function whose code is converted."""
    function = getattr(entity, "__func__", entity)
    if not isinstance(function, types.FunctionType):
        raise ConversionError(
            f"converting {entity}: ValueError: Cannot apply autograph to a function that doesn't "
            "expose a __code__ object. If this is a @tf.function, try passing f.python_function "
            "instead."
        )
    return function


def to_graph(
    entity: object, recursive: bool = True, experimental_optional_features: Any = None
) -> Callable[..., Any]:
    """A function with the code of another, converted: its control flow works on symbolic tensors.

    `tf.function` converts by itself; this is for inspecting the converted function.

    Args:
        entity: a function. A method becomes a function whose first argument is the object.
        recursive: whether the functions that it calls are converted, too.
        experimental_optional_features: None, a Feature, or several of them.

    Raises:
        Exception: if the entity is not a function written in Python, its source is not known, or it
            has statements that cannot be converted.

    >>> def sign(x):
    ...     return 1 if x > 0 else -1
    >>> tf.autograph.to_graph(sign)(tf.constant(-2))
    -1
    """
    function = _function(entity)
    options = transpiler.options(experimental_optional_features, recursive, user_requested=True)
    return final(transpiler.convert(function, options))


def to_code(entity: Any, recursive: bool = True, experimental_optional_features: Any = None) -> str:
    """The source of the function that `to_graph` returns.

    Args:
        entity: see `to_graph`, as for the others.
        recursive: see `to_graph`.
        experimental_optional_features: see `to_graph`.

    Raises:
        Exception: see `to_graph`.

    >>> def sign(x):
    ...     return 1 if x > 0 else -1
    >>> print(tf.autograph.to_code(sign).splitlines()[0])
    def tf__sign(x):
    """
    function = _function(entity)
    options = transpiler.options(experimental_optional_features, recursive, user_requested=True)
    return transpiler.source(function, options)
