"""Which trace serves a call: the one for exactly its types of arguments, or for more general ones."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from eagerflow.functions import trace_types
from eagerflow.functions.function_type import FunctionType, concrete_type

# The maximum number of calls for which the result of a search is remembered.
_REMEMBERED = 1024

Key = tuple[tuple[str, ...], tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]


class FunctionCache:
    """The concrete functions of a Function, by the types of their arguments.

    A key holds the names, kinds and types of arguments, and the operations of a `tf.Graph` with
    which the call is colocated. A function that a graph's optimizer calls for each variable is traced
    for each, and may close over the variable's objects. A call is served by the concrete function for
    its own types, or else by the one with the narrowest types that its own are subtypes of.
    """

    def __init__(self) -> None:
        self._exact: dict[Key, Any] = {}
        self._found: dict[Key, Any] = {}
        self._references: dict[Key, list[weakref.ref]] = {}

    def concrete_functions(self) -> list[Any]:
        """All concrete functions, in the order in which they were added."""
        return list(self._exact.values())

    def lookup(self, key: Key) -> Any:
        """The concrete function that serves calls with a key; None if there is none."""
        concrete = self._found.get(key)
        if concrete is None:
            concrete = self._exact.get(key) or self._narrowest(key)
            if concrete is not None:
                if len(self._found) >= _REMEMBERED:
                    self._found.clear()
                self._found[key] = concrete
        return concrete

    def _narrowest(self, key: Key) -> Any:
        best: Key | None = None
        for other in list(self._exact):
            if _is_subtype(key, other) and (best is None or _is_subtype(other, best)):
                best = other
        return None if best is None else self._exact[best]

    def generalized(self, key: Key) -> Key:
        """A key with types that also serve the calls of earlier traces, where there are such types."""
        names, kinds, types, colocations = key
        for other_names, other_kinds, other_types, other_colocations in list(self._exact):
            if (other_names, other_kinds, other_colocations) == (names, kinds, colocations):
                joined = [
                    own.most_specific_common_supertype([other])
                    for own, other in zip(types, other_types, strict=True)
                ]
                if None not in joined:
                    types = tuple(joined)
        return names, kinds, types, colocations

    def add(self, key: Key, concrete: Any) -> None:
        """Keeps a concrete function, until an object that its types refer to is gone."""
        self._exact[key] = concrete
        self._found.clear()
        objects = [referenced for kind in key[2] for referenced in trace_types.weak_objects(kind)]
        if objects:
            forget = _forgetter(weakref.ref(self), key)
            self._references[key] = [weakref.ref(referenced, forget) for referenced in objects]

    def remove(self, key: Key) -> None:
        """Drops the concrete function for a key."""
        self._exact.pop(key, None)
        self._references.pop(key, None)
        self._found.clear()


def _forgetter(cache: Any, key: Key) -> Callable[..., None]:
    def forget(_: object) -> None:
        cache_object = cache()
        if cache_object is not None:
            cache_object.remove(key)

    return forget


def _is_subtype(key: Key, other: Key) -> bool:
    return (
        key[0] == other[0]
        and key[1] == other[1]
        and key[3] == other[3]
        and all(own.is_subtype_of(theirs) for own, theirs in zip(key[2], other[2], strict=True))
    )


def function_type_of(key: Key) -> FunctionType:
    """The type of the concrete function for a key."""
    return concrete_type(list(key[0]), list(key[1]), key[2])
