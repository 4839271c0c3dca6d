"""Functions that programs register for calls of the package's functions with types of their own.

The function object holds them (`_core.OpFunction.dispatcher`) and calls them first when an argument
may override the call. They only affect calls with a composite value.
"""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.framework import composite
from eagerflow.framework.name_scope import name_scope
from eagerflow.framework.op_function import each_declared
from eagerflow.ops import assertions, special


class _Checker:
    """Whether a value fits an annotation, and how closely."""

    def __init__(self, annotation: Any) -> None:
        self._annotation = annotation
        origin, args = typing.get_origin(annotation), typing.get_args(annotation)
        self._list = origin is list and len(args) == 1
        union = origin in (typing.Union, types.UnionType)
        if not self._list and not union and not isinstance(annotation, type):
            raise ValueError(
                f"Type annotation {annotation} is not currently supported by dispatch.  Supported "
                "annotations: type objects,  List[...], and Union[...]"
            )
        self._parts = [_Checker(arg) for arg in args] if self._list or union else []

    def distance(self, value: Any) -> int | None:
        """How far the value's class is from the annotated one; None if it does not fit."""
        if self._list:
            if not isinstance(value, list | tuple) or not value:
                return None
            distances = [self._parts[0].distance(item) for item in value]
            return None if None in distances else max(distances)  # type: ignore[type-var]
        if self._parts:
            fitting = [d for part in self._parts if (d := part.distance(value)) is not None]
            return min(fitting, default=None)
        mro = type(value).__mro__
        if self._annotation in mro:
            return mro.index(self._annotation)
        return len(mro) if isinstance(value, self._annotation) else None


def _has_dispatchable(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(map(_has_dispatchable, value))
    return isinstance(value, composite.CompositeTensor)


def _bare(signature: inspect.Signature) -> inspect.Signature:
    """A signature without annotations."""
    empty = inspect.Signature.empty
    parameters = [p.replace(annotation=empty) for p in signature.parameters.values()]
    return signature.replace(parameters=parameters, return_annotation=empty)


class _Api:
    """A function with the targets that programs have registered for it."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.signature = _bare(inspect.signature(function))
        self.names = list(self.signature.parameters)
        self.targets: list[tuple[Callable, dict[str, _Checker]]] = []

    def find(self, arguments: dict[str, object]) -> Callable | None:
        """The target whose types fit these arguments best.

        Raises:
            ValueError: if several fit equally well.
        """
        best, rivals = None, []
        for target, checkers in self.targets:
            total, dispatchable = 0, False
            for name, checker in checkers.items():
                value = arguments.get(name)
                distance = checker.distance(value)
                if distance is None:
                    break
                total += distance
                dispatchable = dispatchable or _has_dispatchable(value)
            else:
                if dispatchable and (best is None or total < best):
                    best, rivals = total, [target]
                elif dispatchable and total == best and target not in rivals:
                    rivals.append(target)
        if len(rivals) > 1:
            raise ValueError(
                "Multiple dispatch targets that were registered with tf.dispatch_for "
                f"({rivals[0]} and {rivals[1]}) match the arguments to {self.function.__name__}"
            )
        return rivals[0] if rivals else None

    def call(self, args: tuple, kwargs: dict[str, object]) -> Any:
        """The result of the best target, or NotImplemented: the function's dispatcher."""
        arguments = dict(zip(self.names, args, strict=False)) | kwargs
        target = self.find(arguments)
        return NotImplemented if target is None else target(*args, **kwargs)


# The registrations of the whole process: targets by the functions that they override,
# and handlers of elementwise functions by kind and types of arguments.
_apis: dict[_core.OpFunction, _Api] = {}
_elementwise: dict[tuple[str, tuple], Callable] = {}
# The functions of each kind that handlers override.
_of_kind: dict[str, list[Callable]] = {
    "unary": [],
    "binary": [],
    "binary assert": [
        getattr(assertions, f"assert_{relation}")
        for relation in "equal none_equal near less less_equal greater greater_equal".split()
    ],
}


def function_with_dispatch(function: object) -> _core.OpFunction:
    """The function object; version 2's, for one of version 1 that records its calls.

    Raises:
        ValueError: if it is another kind of function.
    """
    function = getattr(function, "__func__", function)  # of a class method
    function = getattr(function, "_dispatched", function)  # of a package's own function
    if not isinstance(function, _core.OpFunction):
        raise ValueError(f"{function} does not support dispatch.")
    body = getattr(function, "__wrapped__", None)
    return body if isinstance(body, _core.OpFunction) else function


def _api_of(function: object) -> _Api:
    function = function_with_dispatch(function)
    if function not in _apis:
        _apis[function] = _Api(function)
    return _apis[function]


def _register(api: _Api, target: Callable, checkers: dict[str, _Checker]) -> None:
    api.targets.append((target, checkers))
    api.function.dispatcher = api.call


def _checkers(api: _Api, signature: dict[Any, Any]) -> dict[str, _Checker]:
    checkers = {}
    for key, annotation in signature.items():
        name = key
        if isinstance(key, int):
            name = api.names[key] if -len(api.names) <= key < len(api.names) else key
        if name not in api.names:
            raise ValueError(f"signature includes annotation for unknown parameter {key!r}.")
        checkers[name] = _Checker(annotation)
    if not checkers:
        raise ValueError("signature must include at least one parameter.")
    return checkers


def _with_name(target: Callable, api: _Api) -> Callable:
    """The target with a parameter `name` if the function has one and the target has not.

    Raises:
        ValueError: if it has other parameters than the function.
    """
    theirs, ours = _bare(inspect.signature(target)), api.signature
    parameters = list(theirs.parameters.values())
    kinds = [parameter.kind for parameter in parameters]
    if kinds == [inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD]:
        return target
    added = "name" in ours.parameters and "name" not in theirs.parameters
    if added:
        parameters.append(ours.parameters["name"])
    if [p.name for p in parameters] != api.names:
        shown = theirs.replace(parameters=parameters) if added else theirs
        raise ValueError(
            f"Dispatch function's signature {shown} does not match API's signature {ours}."
        )
    if not added:
        return target

    @functools.wraps(target)
    def named(*args: Any, **kwargs: Any) -> Any:
        name = kwargs.pop("name", None)
        if len(args) == len(api.names):
            *args, name = args  # type: ignore[assignment]
        if name is None:
            return target(*args, **kwargs)
        with name_scope(name):
            return target(*args, **kwargs)

    return named


def dispatch_for_api(api: Callable, *signatures: dict[Any, Any]) -> Callable:
    """A decorator: the function replaces `api` in calls whose arguments have certain types.

    Args:
        api: a function of TensorFlow's, such as `tf.concat`.
        *signatures: each maps parameters, by name or position, to types: classes, `List[...]` or
            `Union[...]`; a call must fit one of them. By default the types that the decorated
            function's parameters are annotated with.

    One of the arguments must be of an extension type, or a ragged or sparse tensor. The decorated
    function accepts the parameters of `api`; it may leave out `name`. If it returns
    NotImplemented, `api` itself is called.

    Raises:
        ValueError: if `api` is not a TensorFlow function, or the parameters or types do not fit.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> @tf.experimental.dispatch_for_api(tf.shape)
    ... def masked_shape(input: Masked, out_type=tf.int32):
    ...     return tf.shape(input.values, out_type)
    >>> tf.shape(Masked([1, 2], [True, False])).numpy()
    array([2], dtype=int32)
    >>> tf.experimental.unregister_dispatch_for(masked_shape)
    """
    known = _api_of(api)
    checked = [_checkers(known, signature) for signature in signatures]

    def decorate(target: Callable) -> Callable:
        if not callable(target):
            raise TypeError("Expected dispatch_target to be callable")
        per_signature = checked
        if not per_signature:
            hints = typing.get_type_hints(target)
            hints = {name: kind for name, kind in hints.items() if name in known.names}
            if not hints:
                raise ValueError(
                    "The dispatch_for_api decorator must be called with at least one signature, or "
                    "applied to a function that has type annotations on its parameters."
                )
            per_signature = [_checkers(known, hints)]
        called = _with_name(target, known)
        called.__dict__.setdefault("_registered_for", target)
        for checkers in per_signature:
            _register(known, called, checkers)
        return target

    return decorate


def _offer(function: _core.OpFunction) -> None:
    """Lets handlers override an elementwise function: by its first argument, or by both of two."""
    if not function.elementwise or function in composite.FORWARDING:
        return
    # TensorFlow counts the second argument of `nextafter` among the attributes.
    binary = function.elementwise == 2 and function is not special.nextafter
    kind = "binary" if binary else "unary"
    _of_kind[kind].append(function)
    for (registered, expected), handler in _elementwise.items():
        if registered == kind:
            _override(function, expected, handler)


each_declared(_offer)


def _register_elementwise(kind: str, annotations: tuple, handler: Callable) -> None:
    earlier = _elementwise.get((kind, annotations))
    if earlier is not None:
        shown = annotations[0] if len(annotations) == 1 else annotations
        raise ValueError(
            f"A {kind} elementwise dispatch handler ({earlier}) has already been registered for "
            f"{shown}."
        )
    for annotation in annotations:
        _Checker(annotation)
    _elementwise[kind, annotations] = handler
    for function in _of_kind[kind]:
        _override(function, annotations, handler)


def _override(function: Callable, annotations: tuple, handler: Callable) -> None:
    """Registers a handler for one elementwise function."""
    api = _api_of(function)
    target = _elementwise_target(api, handler, len(annotations))
    _register(api, target, _checkers(api, dict(enumerate(annotations))))


def _elementwise_target(api: _Api, handler: Callable, count: int) -> Callable:
    """A target that calls the handler with the first arguments and a function of these alone."""
    function, leading = api.function, api.names[:count]

    def target(*args: Any, **kwargs: Any) -> Any:
        rest = dict(zip(api.names, args, strict=False)) | kwargs
        values = [rest.pop(name) for name in leading]
        return handler(lambda *elements: function(*elements, **rest), *values)

    target.__name__ = f"elementwise_dispatch_target_for_{function.__name__}"
    target.__qualname__ = target.__name__
    target._registered_for = handler  # type: ignore[attr-defined]
    return target


def dispatch_for_unary_elementwise_apis(x_type: object) -> Callable:
    """A decorator: the function overrides all unary elementwise functions of a type.

    It is called with a function of one value, which applies the operation, and the argument.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> @tf.experimental.dispatch_for_unary_elementwise_apis(Masked)
    ... def masked_unary(api_func, x):
    ...     return Masked(api_func(x.values), x.mask)
    >>> tf.abs(Masked([1, -2], [True, False])).values.numpy()
    array([1, 2], dtype=int32)
    >>> tf.experimental.unregister_dispatch_for(masked_unary)
    """

    def decorate(handler: Callable) -> Callable:
        _register_elementwise("unary", (x_type,), handler)
        return handler

    return decorate


def dispatch_for_binary_elementwise_apis(x_type: object, y_type: object) -> Callable:
    """A decorator: the function overrides all binary elementwise functions of two types.

    It is called with a function of two values, which applies the operation, and the arguments.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> @tf.experimental.dispatch_for_binary_elementwise_apis(Masked, Masked)
    ... def masked_binary(api_func, x, y):
    ...     return Masked(api_func(x.values, y.values), x.mask & y.mask)
    >>> x = Masked([1, -2], [True, False])
    >>> tf.add(x, x).values.numpy()
    array([ 2, -4], dtype=int32)
    >>> tf.experimental.unregister_dispatch_for(masked_binary)
    """

    def decorate(handler: Callable) -> Callable:
        _register_elementwise("binary", (x_type, y_type), handler)
        return handler

    return decorate


def dispatch_for_binary_elementwise_assert_apis(x_type: object, y_type: object) -> Callable:
    """A decorator: the function overrides all assertions about the elements of two types.

    It is called with a function of two values, which checks them, and the arguments.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> @tf.experimental.dispatch_for_binary_elementwise_assert_apis(Masked, Masked)
    ... def masked_assert(api_func, x, y):
    ...     return api_func(x.values, y.values)
    >>> x = Masked([1, -2], [True, False])
    >>> tf.debugging.assert_equal(x, x)
    >>> tf.experimental.unregister_dispatch_for(masked_assert)
    """

    def decorate(handler: Callable) -> Callable:
        _register_elementwise("binary assert", (x_type, y_type), handler)
        return handler

    return decorate


def unregister_dispatch_for(dispatch_target: Callable) -> None:
    """Unregisters a function that one of the decorators `dispatch_for_...` has registered.

    Raises:
        ValueError: if it has registered nothing for this function.
    """
    registered = False
    for key, handler in list(_elementwise.items()):
        if handler is dispatch_target:
            del _elementwise[key]
    for api in _apis.values():
        kept = [
            (target, checkers)
            for target, checkers in api.targets
            if getattr(target, "_registered_for", target) is not dispatch_target
        ]
        registered = registered or len(kept) < len(api.targets)
        api.targets = kept
        if not kept:
            api.function.dispatcher = None
    if not registered:
        raise ValueError(
            f"Function {dispatch_target} was not registered using a `@dispatch_for_*` decorator."
        )
