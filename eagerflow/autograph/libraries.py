"""Which functions run as they are because they belong to a library."""

from __future__ import annotations

import inspect
import sys
import types

from eagerflow.util import own_code

# Packages whose code is not converted, as in TensorFlow. Python's other modules are.
_PACKAGES = frozenset(
    {
        *own_code.PACKAGES,
        "PIL",
        "cProfile",
        "collections",
        "copy",
        "inspect",
        "ipdb",
        "keras",
        "linecache",
        "malt",
        "matplotlib",
        "ml_dtypes",
        "mock",
        "numpy",
        "pandas",
        "pathlib",
        "pdb",
        "posixpath",
        "pstats",
        "re",
        "tensorflow",
        "tensorflow_probability",
        "tf_keras",
        "threading",
        "urllib",
    }
)
_MODULES = ("absl.logging", "tensorflow_datasets.core")


def is_own(function: object) -> bool:
    """Whether a function is this package's."""
    return own_code.is_own(function.__module__)


def _is_in_library(thing: object) -> bool:
    """Whether the module that defines something belongs to a library."""
    module = getattr(thing, "__module__", None)
    if not isinstance(module, str):
        return False
    return module.partition(".")[0] in _PACKAGES or module.startswith(_MODULES)


def _is_test_case(owner: type) -> bool:
    """Whether a class is one of unittest's test cases."""
    unittest = sys.modules.get("unittest")
    return unittest is not None and issubclass(owner, unittest.TestCase)


def _is_named_tuple(owner: type) -> bool:
    return issubclass(owner, tuple) and hasattr(owner, "_fields")


def runs_as_it_is(function: object, asked: bool = False) -> bool:
    """Whether a callable is of a kind that cannot be converted, or a library's that has not asked."""
    if inspect.isclass(function):
        return True
    if isinstance(function, types.MethodType):
        owner = function.__self__
        owner = owner if inspect.isclass(owner) else type(owner)
        return _is_test_case(owner) or runs_as_it_is(function.__func__, asked)
    if isinstance(function, types.FunctionType):
        code = function.__code__
        return (
            (is_own(function) if asked else _is_in_library(function))
            or code.co_filename == "<string>"
            or bool(code.co_flags & _UNSUPPORTED_KINDS)
        )
    return _is_in_library(type(function)) or _is_named_tuple(type(function))


_UNSUPPORTED_KINDS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
