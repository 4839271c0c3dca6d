"""What converts functions, by default with all that they do besides control flow, and their lists."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from eagerflow.autograph import api
from eagerflow.autograph.directives import Feature
from eagerflow.ops import array


def to_graph(
    e: Any,
    recursive: bool = True,
    verbose: object = None,
    optional_features: object = Feature.ALL,
    **ignored: Any,
) -> Any:
    """A function or class whose control flow, assertions and lists work on symbolic tensors.

    Args:
        e: the function or class.
        recursive: whether the functions that it calls are converted, too.
        verbose: ignored.
        optional_features: what is converted besides control flow; all by default.
        **ignored: ignored.

    >>> def checked(x):
    ...     assert x > 0, "not positive"
    ...     return x
    >>> int(tf.contrib.autograph.to_graph(checked)(tf.constant(2)))
    2
    """
    return api.to_graph(e, recursive, optional_features)


def to_code(
    e: Any, recursive: bool = True, optional_features: object = Feature.ALL, **ignored: Any
) -> str:
    """The code of `to_graph`."""
    return api.to_code(e, recursive, optional_features)


def convert(
    recursive: bool = False,
    verbose: Any = None,
    optional_features: object = Feature.ALL,
    **ignored: Any,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator of functions whose control flow is to work on symbolic tensors.

    Args:
        recursive: whether the functions that it calls are converted, too.
        verbose: ignored.
        optional_features: see `to_graph`.
        **ignored: ignored.

    >>> @tf.contrib.autograph.convert()
    ... def halved(x):
    ...     while x > 1:
    ...         x //= 2
    ...     return x
    >>> int(halved(tf.constant(6)))
    1
    """

    def decorate(function: Callable[..., object]) -> Callable[..., Any]:
        converted = functools.cache(lambda: api.to_graph(function, recursive, optional_features))

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            return converted()(*args, **kwargs)

        return call

    return decorate


def set_element_type(entity: Any, dtype: Any, shape: Any = None) -> Any:
    """Says what a list holds. Lists of tensors know that here: the list itself."""
    return entity


def stack(list_or_tensor: Any, element_dtype: object = None, strict: bool = True) -> Any:
    """The elements of a list as one tensor; with `strict` False, a tensor as it is.

    >>> tf.contrib.autograph.stack([1, 2]).numpy()
    array([1, 2], dtype=int32)
    """
    if not strict and not isinstance(list_or_tensor, list | tuple):
        return list_or_tensor
    return array.stack(list(list_or_tensor))
