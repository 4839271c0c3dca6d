"""tensorflow.python.trackable: objects whose attributes checkpoints save."""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable
from typing import Any, TypeVar

from eagerflow.checkpoint import trackable as _trackable
from eagerflow.framework.module import Module, NoDependency

__all__ = [
    "AutoTrackable",
    "NoDependency",
    "Trackable",
    "TrackableDataStructure",
    "no_automatic_dependency_tracking",
    "sticky_attribute_assignment",
    "wrap",
    "wrap_or_unwrap",
]

_Method = TypeVar("_Method", bound=Callable[..., Any])


class _Tracked(abc.ABCMeta):
    """Whatever checkpoints save counts as an instance, and modules as ones that track attributes."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if super().__instancecheck__(instance):
            return True
        if cls is Trackable:
            return not isinstance(instance, list | tuple | dict) and _trackable.is_trackable(
                instance
            )
        return cls is AutoTrackable and isinstance(instance, Module)


class Trackable(metaclass=_Tracked):
    """The base of objects that checkpoints save. They name what they depend on themselves."""

    _track_trackable = Module._track_trackable
    _no_dependency = Module._no_dependency

    def _checkpoint_children(self) -> dict[str, Any]:
        return {}

    def _lookup_dependency(self, name: str, cached_dependencies: Any = None) -> Any:
        """The object that this one depends on under a name, or None."""
        return _trackable.children(self).get(name)


class AutoTrackable(Trackable):
    """The base of objects that depend on what their attributes hold, as modules do."""

    __setattr__ = Module.__setattr__

    def _checkpoint_children(self) -> dict[str, Any]:
        return _trackable.attributes(self)


# Lists and dictionaries that attributes hold stay what they are.
TrackableDataStructure = Trackable


def no_automatic_dependency_tracking(method: _Method) -> _Method:
    """A decorator of methods: checkpoints leave out the attributes that they make."""

    @functools.wraps(method)
    def untracked(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = set(vars(self))
        try:
            return method(self, *args, **kwargs)
        finally:
            made = set(vars(self)) - before
            object.__setattr__(
                self, "_untracked_attributes", vars(self).get("_untracked_attributes", set()) | made
            )

    return untracked  # type: ignore[return-value]


def wrap_or_unwrap(value: Any) -> Any:
    """What an attribute holds after it has been set to a value."""
    return value.value if isinstance(value, NoDependency) else value


wrap = wrap_or_unwrap


def sticky_attribute_assignment(trackable: Any, name: str, value: Any) -> Any:
    """What an object's attribute holds after it has been set to a value, which it depends on."""
    if not isinstance(value, NoDependency) and _trackable.is_trackable(value):
        trackable._track_trackable(value, name=name, overwrite=True)
    return wrap_or_unwrap(value)
