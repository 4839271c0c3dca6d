"""What a program tells the conversion of its functions."""

from __future__ import annotations

import enum
import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

from eagerflow.autograph import status

# The attribute of functions that are called without conversion.
_FINAL = "_autograph_final"
_RECEIVER = "__eagerflow_receiver__"


class Feature(enum.Enum):
    """What the conversion of a function does besides control flow.

    * ALL: everything below.
    * AUTO_CONTROL_DEPS: accepted; operations run in the order of the program in any case.
    * ASSERT_STATEMENTS: `assert` on tensors is checked when the function runs.
    * BUILTIN_FUNCTIONS: `print` of tensors prints their values when the function runs.
    * EQUALITY_OPERATORS: `==` and `!=` of tensors compare element by element.
    * LISTS: lists to which loops append become TensorArrays; elements of tensors can be assigned.
    * NAME_SCOPES: operations are in a name scope of the function's name.

    >>> tf.autograph.experimental.Feature.LISTS.value
    'LISTS'
    """

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all(cls) -> tuple[Feature, ...]:
        """All features, `ALL` among them."""
        return tuple(cls)

    @classmethod
    def all_but(cls, exclude: object) -> tuple[Feature, ...]:
        """All features except one, or except those of a list."""
        excluded = exclude if isinstance(exclude, list | tuple | set) else (exclude,)
        return tuple(feature for feature in cls if feature not in {*excluded, cls.ALL})


def final(function: Callable[..., object]) -> Callable[..., Any]:
    """Marks a function that is called without conversion: it is converted, or must not be."""
    setattr(function, _FINAL, True)
    return function


def is_final(function: object) -> bool:
    """Whether a function is called without conversion."""
    function = getattr(function, "__func__", function)
    return isinstance(function, types.FunctionType) and _FINAL in vars(function)


def bound_later(
    method: Callable[..., object], receiver: Callable[[], object]
) -> Callable[..., Any]:
    """Marks a method that finds its object when it is called, and passes it to what it wraps.

    It is the function that it wraps which is converted, as the program's own request: a library's
    function that nobody asks for runs as it is.
    """
    setattr(method, _RECEIVER, (receiver, method.__wrapped__))  # type: ignore[attr-defined]
    return method


def bound_function(function: types.FunctionType) -> tuple[Any, Any] | None:
    """What a method that `bound_later` has marked calls, and its object; None for other functions."""
    receiver, wrapped = vars(function).get(_RECEIVER, (None, None))
    # A decorator's function has the mark, too, if it is made by `functools.wraps`.
    if receiver is None or vars(function).get("__wrapped__") is not wrapped:
        return None
    return wrapped, receiver()


def do_not_convert(func: Callable[..., object] | None = None) -> Any:
    """Wraps a function so that it and the functions that it calls run without conversion.

    Args:
        func: the function; None when used as `@do_not_convert()`.

    >>> @tf.autograph.experimental.do_not_convert
    ... def double(x):
    ...     return 2 * x
    >>> double(3)
    6
    """
    if func is None:
        return do_not_convert
    original = func

    def unconverted(*args: object, **kwargs: object) -> Any:
        with status.using(status.Status.DISABLED):
            return original(*args, **kwargs)

    if inspect.isfunction(func) or inspect.ismethod(func):
        functools.update_wrapper(unconverted, func)
    return final(unconverted)


def set_loop_options(
    parallel_iterations: object = None,
    swap_memory: object = None,
    maximum_iterations: object = None,
    shape_invariants: object = None,
) -> None:
    """Says how the loop becomes a `tf.while_loop`; the first statement of the loop's body.

    It has an effect on loops over tensors in functions that are converted, and none elsewhere.

    Args:
        parallel_iterations: see `tf.while_loop`.
        swap_memory: see `tf.while_loop`.
        maximum_iterations: the maximum number of iterations.
        shape_invariants: pairs of a loop variable and a TensorShape that its values always fit.

    >>> def repeated(n):
    ...     x = tf.constant([1])
    ...     for i in tf.range(n):
    ...         tf.autograph.experimental.set_loop_options(
    ...             shape_invariants=[(x, tf.TensorShape([None]))]
    ...         )
    ...         x = tf.concat([x, x], 0)
    ...     return x
    >>> repeated(tf.constant(2)).numpy()
    array([1, 1, 1, 1], dtype=int32)
    """
