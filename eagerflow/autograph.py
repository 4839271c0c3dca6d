"""tf.autograph: Python's control flow runs as it is, so there is nothing to convert."""

from __future__ import annotations

import enum
import functools
import inspect
import textwrap
from types import SimpleNamespace
from typing import Any


def do_not_convert(func: Any = None) -> Any:
    """Returns the function, which is never converted; also usable as `@do_not_convert()`.

    >>> @tf.autograph.experimental.do_not_convert
    ... def double(x):
    ...     return 2 * x
    >>> double(3)
    6
    """
    return func if func is not None else do_not_convert


def to_graph(
    entity: Any, recursive: bool = True, experimental_optional_features: Any = None
) -> Any:
    """A function that does what a Python function does; it runs as it is.

    Args:
        entity: a function or method.
        recursive: ignored.
        experimental_optional_features: ignored.

    Raises:
        TypeError: if it is no function of Python's.

    >>> tf.autograph.to_graph(lambda x: 2 * x)(3)
    6
    """
    if not callable(entity) or not hasattr(entity, "__code__"):
        raise TypeError(
            f"Cannot apply autograph to {entity!r}, which doesn't expose a __code__ object. If this "
            "is a @tf.function, try passing f.python_function instead."
        )

    @functools.wraps(entity)
    def converted(*args: Any, **kwargs: Any) -> Any:
        return entity(*args, **kwargs)

    return converted


def to_code(entity: Any, recursive: bool = True, experimental_optional_features: Any = None) -> str:
    """The source of the function that `to_graph` gives: that of the function itself.

    Raises:
        TypeError: if it is no function of Python's.
        OSError: if its source is not known.
    """
    return textwrap.dedent(inspect.getsource(to_graph(entity)))


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Accepted; there is no conversion to report on."""


def trace(*args: Any) -> None:
    """Prints its arguments, as a traced function would once."""
    print(*args)


class Feature(enum.Enum):
    """What a conversion may do besides; accepted, since there is none."""

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"


def set_loop_options(
    parallel_iterations: Any = None,
    swap_memory: Any = None,
    maximum_iterations: Any = None,
    shape_invariants: Any = None,
) -> None:
    """Accepted: loops are Python's, whose variables may change their shapes.

    >>> for n in tf.range(2):
    ...     tf.autograph.experimental.set_loop_options(maximum_iterations=2)
    """


experimental = SimpleNamespace(
    Feature=Feature, do_not_convert=do_not_convert, set_loop_options=set_loop_options
)
