"""Module: an object that finds the variables in its attributes."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.name_scope import name_scope
from eagerflow.framework.trackable import NoDependency, Trackable
from eagerflow.framework.tracked_containers import wrapped
from eagerflow.util import advice, lazy

# Imported when objects are saved.
trackable = lazy.Module("eagerflow.checkpoint.trackable")
saved_functions = lazy.Module("eagerflow.saved_model.saved_functions")

_VALID_NAME = re.compile(r"^[A-Za-z_]\w*$")


def _is_variable(value: object) -> bool:
    return isinstance(value, _core.Variable)


def _is_trainable(value: object) -> bool:
    return isinstance(value, _core.Variable) and bool(value.trainable)


def _is_not_trainable(value: object) -> bool:
    return isinstance(value, _core.Variable) and not value.trainable


def _is_module(value: object) -> bool:
    return isinstance(value, Module)


class AutoTrackable(Trackable):
    """The base of objects that depend on the objects in their attributes."""

    def __setattr__(self, name: str, value: object) -> None:
        if type(value) is NoDependency:
            value = value.value
            untracked = self.__dict__.get("_untracked_attributes", frozenset())
            object.__setattr__(self, "_untracked_attributes", {*untracked, name})
        elif self._self_setattr_tracking:
            value = wrapped(value)
        object.__setattr__(self, name, value)
        if "_pending_restorations" in self.__dict__:
            # A checkpoint was restored before this attribute was there; it may have its value.
            self.__dict__["_pending_restorations"].settle(self)

    def _trackable_children(
        self, save_type: str = "checkpoint", cache: object = None, **kwargs: object
    ) -> dict[str, Any]:
        own = trackable.own_children(self)
        return own if save_type == "checkpoint" else {**own, **saved_functions.functions_of(self)}


class Module(AutoTrackable):
    """The base of layers and models: collects variables from attributes, lists and dictionaries.

    Args:
        name: the module's name, a Python identifier; by default the class's in snake case.

    Raises:
        ValueError: if the name is not an identifier.

    >>> class Dense(tf.Module):
    ...     def __init__(self, size_in, size_out):
    ...         super().__init__()
    ...         self.w = tf.Variable(tf.zeros([size_in, size_out]), name="w")
    ...         self.b = tf.Variable(tf.zeros([size_out]), name="b")
    ...
    ...     def __call__(self, x):
    ...         return x @ self.w + self.b
    >>> [variable.name for variable in Dense(2, 3).trainable_variables]
    ['b:0', 'w:0']
    """

    # Whether Keras's layers count its variables among theirs.
    _is_tracked_by_layers = True
    # Attributes that `_flatten` skips; subclasses may add theirs.
    _TF_MODULE_IGNORED_PROPERTIES: frozenset[str] = frozenset({"_name_scope", "_dependencies"})

    def __init__(self, name: str | None = None) -> None:
        if name is None:
            name = _snake_case(type(self).__name__)
        elif not _VALID_NAME.match(name):
            raise ValueError(
                f"{name!r} is not a valid module name. Module names must be valid Python "
                "identifiers (e.g. a valid class name)."
            )
        self._name = name
        with name_scope(name) as scope:
            self._name_scope = name_scope(scope)

    @property
    def name(self) -> str:
        """The name that was passed, or derived from the class, at construction."""
        return self._name

    @property
    def name_scope(self) -> name_scope:
        """A context manager that puts the module's name before those of new variables."""
        return self._name_scope

    @property
    def variables(self) -> tuple:
        """All variables of this module and those inside it, in the order of attribute names."""
        return tuple(self._flatten(predicate=_is_variable, expand_composites=True))

    @property
    def trainable_variables(self) -> tuple:
        """The variables that tapes watch automatically."""
        return tuple(self._flatten(predicate=_is_trainable, expand_composites=True))

    @property
    def non_trainable_variables(self) -> tuple:
        """The variables that tapes do not watch automatically."""
        return tuple(self._flatten(predicate=_is_not_trainable, expand_composites=True))

    @property
    def submodules(self) -> tuple:
        """All modules inside this one, at any depth."""
        return tuple(self._flatten(predicate=_is_module))

    def _flatten_modules(self, recursive: bool = True, include_self: bool = True) -> Iterator[Any]:
        """The modules inside this one, and by default itself."""
        if include_self:
            yield self
        yield from self._flatten(recursive, _is_module)

    def _flatten(
        self,
        recursive: bool = True,
        predicate: Callable[[Any], bool] | None = None,
        attribute_traversal_key: Callable | None = None,
        with_path: bool = False,
        expand_composites: bool = False,
    ) -> Iterator[Any]:
        """The leaves of all attributes that fulfil the predicate, each once.

        Args:
            recursive: whether to go into modules.
            predicate: which leaves to return; all by default.
            attribute_traversal_key: a key function that orders attribute names.
            with_path: whether to return `(path, leaf)` pairs, where a path is a tuple.
            expand_composites: whether to return the components of composite tensors in their place.
        """
        if predicate is None:
            predicate = _always
        for path, leaf in _walk(
            self, recursive, predicate, attribute_traversal_key, expand_composites, (), {id(self)}
        ):
            yield (path, leaf) if with_path else leaf

    def _flattened_attributes(self) -> dict[str, Any]:
        """The attributes that `_flatten` goes through."""
        ignored = self._TF_MODULE_IGNORED_PROPERTIES
        return {name: value for name, value in vars(self).items() if name not in ignored}

    @classmethod
    def with_name_scope(cls, method: Callable) -> Callable:
        """Decorates a method so that variables it makes get the module's name as a prefix.

        >>> class Scale(tf.Module):
        ...     @tf.Module.with_name_scope
        ...     def __call__(self, x):
        ...         if not hasattr(self, "factor"):
        ...             self.factor = tf.Variable(2.0, name="factor")
        ...         return x * self.factor
        >>> scale = Scale()
        >>> scale(3.0).numpy(), scale.factor.name
        (np.float32(6.0), 'scale/factor:0')
        """

        @functools.wraps(method)
        def scoped_method(self: Module, *args: object, **kwargs: object) -> Any:
            with self.name_scope:
                return method(self, *args, **kwargs)

        return scoped_method


def _always(value: object) -> bool:
    return True


def _snake_case(name: str) -> str:
    words = re.sub(r"(?<=[a-z0-9])([A-Z])|(?<!^)([A-Z])(?=[a-z])", r"_\1\2", name)
    return words.lower()


def _leaves_with_path(value: Any, expand: bool) -> Iterator[tuple[tuple, Any]]:
    """The leaves of a nested structure, each with the keys that lead to it."""
    if not nest.is_nested(value):
        if expand and isinstance(value, CompositeTensor) and not _is_variable(value):
            for k, part in enumerate(nest.flatten(value, expand_composites=True)):
                yield (type(value).__name__, k), part
        else:
            yield (), value
    elif hasattr(value, "keys"):
        for key in sorted(value):
            for path, leaf in _leaves_with_path(value[key], expand):
                yield (key, *path), leaf
    else:
        fields = getattr(value, "_fields", None)
        for k, item in enumerate(value):
            for path, leaf in _leaves_with_path(item, expand):
                yield (fields[k] if fields else k, *path), leaf


def _walk(
    module: Module,
    recursive: bool,
    predicate: Callable[[Any], bool],
    key: Callable | None,
    expand: bool,
    prefix: tuple,
    seen: set[int],
) -> Iterator[tuple[tuple, Any]]:
    attributes = module._flattened_attributes()
    submodules = []
    for name in sorted(attributes, key=key):
        try:
            leaves = list(_leaves_with_path(attributes[name], expand))
        except TypeError as error:
            raise ValueError(
                f"Error processing property {name!r} of {module!r}: {error}"
            ) from error
        for inner, leaf in leaves:
            path = (*prefix, name, *inner)
            if id(leaf) in seen and (_is_module(leaf) or _is_variable(leaf)):
                continue
            if predicate(leaf):
                seen.add(id(leaf))
                yield path, leaf
            if recursive and _is_module(leaf):
                seen.add(id(leaf))
                submodules.append((path, leaf))
    for path, submodule in submodules:
        yield from _walk(submodule, recursive, predicate, key, expand, path, seen)


advice.lacks(
    Module,
    "MODULE",
    "parameters named_parameters buffers children modules named_modules named_children zero_grad "
    "forward to cuda cpu",
)
