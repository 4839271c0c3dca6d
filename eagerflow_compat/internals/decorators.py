"""tensorflow.python.util: tf_decorator, tf_export and deprecation."""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from eagerflow.functions.function import Function
from eagerflow.keras.engine.functional import op_names


class TFDecorator:
    """A function that wraps another one, and what it says of it.

    Args:
        decorator_name: the name of the decorator.
        target: the wrapped function.
        decorator_doc: what the decorator says of itself.
        decorator_argspec: the arguments of the wrapping function, where they differ.
    """

    def __init__(
        self,
        decorator_name: str,
        target: Callable[..., Any],
        decorator_doc: str = "",
        decorator_argspec: Any = None,
    ) -> None:
        self.decorator_name = decorator_name
        self.decorated_target = target
        self.decorator_doc = decorator_doc
        self.decorator_argspec = decorator_argspec
        functools.update_wrapper(self, target)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.decorated_target(*args, **kwargs)

    def __get__(self, instance: Any, owner: Any) -> Any:
        return self.decorated_target.__get__(instance, owner)


def make_decorator(
    target: Callable[..., object],
    decorator_func: Callable[..., object],
    decorator_name: str | None = None,
    decorator_doc: str = "",
    decorator_argspec: Any = None,
) -> Any:
    """`decorator_func` with the name, documentation and signature of `target`, which it wraps."""
    wrapped: Any = functools.wraps(target)(decorator_func)
    name = decorator_name or str(getattr(decorator_func, "__qualname__", "decorator"))
    wrapped._tf_decorator = TFDecorator(name, target, decorator_doc, decorator_argspec)
    if decorator_argspec is not None:
        signature = fullargspec_to_signature(decorator_argspec)
        if inspect.ismethod(unwrap(target)[1]):  # whose instance is given already
            signature = signature.replace(parameters=[*signature.parameters.values()][1:])
        wrapped.__signature__ = signature
    return wrapped


def fullargspec_to_signature(spec: Any) -> inspect.Signature:
    """The signature that `inspect.getfullargspec` describes."""
    names, defaults = list(spec.args), list(spec.defaults or ())
    kind = inspect.Parameter
    parameters = [
        kind(
            name,
            kind.POSITIONAL_OR_KEYWORD,
            default=defaults[k - len(names)] if k >= len(names) - len(defaults) else kind.empty,
        )
        for k, name in enumerate(names)
    ]
    if spec.varargs:
        parameters.append(kind(spec.varargs, kind.VAR_POSITIONAL))
    only = spec.kwonlydefaults or {}
    parameters += [
        kind(name, kind.KEYWORD_ONLY, default=only.get(name, kind.empty))
        for name in spec.kwonlyargs
    ]
    if spec.varkw:
        parameters.append(kind(spec.varkw, kind.VAR_KEYWORD))
    return inspect.Signature(parameters)


def unwrap(maybe_tf_decorator: Any) -> tuple[list[TFDecorator], Any]:
    """The decorators around a function, the outermost first, and the function inside."""
    decorators: list[TFDecorator] = []
    function = maybe_tf_decorator
    while True:
        inner = function if isinstance(function, TFDecorator) else None
        if isinstance(function, Function):
            inner = TFDecorator("tf.function", function.python_function)
        inner = inner or getattr(function, "__dict__", {}).get("_tf_decorator")
        if inner is None:
            return decorators, function
        decorators.append(inner)
        function = inner.decorated_target


def rewrap(decorator_func: Any, previous_target: Any, new_target: Any) -> Any:
    """Exchanges the function inside of decorators, and returns the new function."""
    decorators, target = unwrap(decorator_func)
    if target is not previous_target or not decorators:
        return new_target
    decorators[-1].decorated_target = new_target
    return decorator_func


# What libraries export, by their public names.
_exported: dict[str, object] = {}


class tf_export:
    """A decorator that notes the public names of a function or class of a library.

    Args:
        *names: the names, the canonical one first.
        api_name: the library.
        v1: its names in version 1; the same by default.
        **kwargs: accepted.
    """

    def __init__(
        self,
        *names: str,
        api_name: str = "tensorflow",
        v1: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> None:
        self._names = names
        self._v1 = names if v1 is None else v1
        self._api_name = api_name

    def __call__(self, symbol: Any) -> Any:
        setattr(unwrap(symbol)[1], _names_attribute(self._api_name), self._names)
        _exported.update(dict.fromkeys(self._names, symbol))
        _exported.update(dict.fromkeys((f"compat.v1.{name}" for name in self._v1), symbol))
        return symbol

    def export_constant(self, module_name: str, name: str) -> None:
        """Notes nothing: a constant has no attributes."""


keras_export = functools.partial(tf_export, api_name="keras")
ESTIMATOR_API_NAME = "estimator"
estimator_export = functools.partial(tf_export, api_name=ESTIMATOR_API_NAME)
api_export = tf_export


def _names_attribute(api_name: str) -> str:
    return "_tf_api_names" if api_name == "tensorflow" else f"_{api_name}_api_names"


def get_canonical_name_for_symbol(
    symbol: object, api_name: str = "tensorflow", add_prefix_to_v1_names: bool = False
) -> str | None:
    """The first public name of a function or class, or None.

    >>> from eagerflow_compat.internals import decorators
    >>> decorators.get_canonical_name_for_symbol(tf.add)
    'math.add'
    """
    names = getattr(unwrap(symbol)[1], "__dict__", {}).get(_names_attribute(api_name))
    if names:
        return names[0]
    return op_names.symbol_of(symbol) if api_name == "tensorflow" else None


def get_symbol_from_name(name: str) -> Any:
    """The public thing with a name below `tf`, or None.

    Where another Keras has exported its names, those of Keras are its own.

    >>> from eagerflow_compat.internals import decorators
    >>> decorators.get_symbol_from_name("math.add") is tf.add
    True
    """
    if name in _exported:
        return _exported[name]
    if name.removeprefix("compat.v1.").startswith("keras.") and "keras.Model" in _exported:
        return None
    value: Any = importlib.import_module("eagerflow")
    for part in name.split("."):
        value = getattr(value, part, None)
    return value


def _unchanged(function: Any) -> Any:
    return function


def deprecated(date: str | None, instructions: str, warn_once: bool = True) -> Callable[..., Any]:
    """A decorator that leaves a function as it is."""
    return _unchanged


def deprecated_args(
    date: str | None, instructions: str, *deprecated_arg_names_or_tuples: object, **kwargs: object
) -> Callable[..., Any]:
    """A decorator that leaves a function as it is."""
    return _unchanged


def deprecated_arg_values(
    date: str | None, instructions: str, warn_once: bool = True, **deprecated_kwargs: object
) -> Callable[..., Any]:
    """A decorator that leaves a function as it is."""
    return _unchanged


def deprecated_endpoints(*args: str) -> Callable[..., Any]:
    """A decorator that leaves a function or class as it is."""
    return _unchanged


deprecate_moved_module = deprecated
# Marks what documentation leaves out.
hide_attribute_from_api = _unchanged


def deprecated_alias(
    deprecated_name: str, name: str, func_or_class: Any, warn_once: bool = True
) -> Any:
    """The function or class itself."""
    return func_or_class


def deprecated_argument_lookup(new_name: str, new_value: Any, old_name: str, old_value: Any) -> Any:
    """The value of an argument that has two names.

    Raises:
        ValueError: if both are given.
    """
    if old_value is None:
        return new_value
    if new_value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
    return old_value


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Silences warnings of deprecation, of which there are none."""
    yield
