"""Trackable: the base of the objects that checkpoints save."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from eagerflow.util import lazy

# Code that makes checkpoints knows the dependencies of an object.
trackable = lazy.Module("eagerflow.checkpoint.trackable")


class ValueParts(NamedTuple):
    """A part of an object that is saved as several tensors, each under its name and a suffix.

    `get` returns the tensors by suffix, and `set` accepts them.
    """

    suffixes: tuple[str, ...]
    get: Callable[[], dict[str, Any]]
    set: Callable[[dict[str, Any]], None]
    full_name: str = ""


class NoDependency:
    """A value for an attribute of a module that checkpoints leave out; the attribute holds the value.

    Args:
        value: the value.
    """

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class TrackableReference(NamedTuple):
    """An object that another one depends on, and its name there."""

    name: str
    ref: Any


class Trackable:
    """The base of objects that checkpoints save. They list their own dependencies."""

    # Whether attributes that are set now are dependencies; for classes that look at it.
    _self_setattr_tracking = True

    @property
    def _setattr_tracking(self) -> bool:
        return self._self_setattr_tracking

    @_setattr_tracking.setter
    def _setattr_tracking(self, value: bool) -> None:
        object.__setattr__(self, "_self_setattr_tracking", value)

    def _trackable_children(
        self, save_type: str = "checkpoint", cache: object = None, **kwargs: object
    ) -> dict[str, Any]:
        """What is saved with this object, by name; classes of other packages override it."""
        return trackable.own_children(self)

    def _serialize_to_tensors(self) -> dict[str, Any]:
        """The tensors that checkpoints have of the object itself; classes of packages override it."""
        raise NotImplementedError

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> Any:
        """Restores the tensors of `_serialize_to_tensors`; classes of packages override it."""
        raise NotImplementedError

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        """Objects whose values checkpoints save in this one's place, by name."""
        return {}

    def _lookup_dependency(self, name: str, cached_dependencies: Any = None) -> Any:
        """The object that this one depends on under a name, or None."""
        return (cached_dependencies or trackable.children(self)).get(name)

    def _handle_deferred_dependencies(self, name: str, trackable: object) -> None:
        """Restores an object that belongs to this one now from a checkpoint that was read."""
        if "_pending_restorations" in vars(self):
            vars(self)["_pending_restorations"].settle(self)

    def _delete_tracking(self, name: str) -> None:
        """Leaves the dependency of a name out of checkpoints."""
        self._self_unconditional_dependency_names.pop(name, None)

    def _preload_simple_restoration(self, name: str) -> None:
        """None: variables get their values from a checkpoint once they exist."""

    def _maybe_initialize_trackable(self) -> None:
        """Does nothing: an object needs no preparation to be saved."""

    @property
    def _unconditional_checkpoint_dependencies(self) -> list[TrackableReference]:
        return [TrackableReference(*item) for item in trackable.children(self).items()]

    @property
    def _unconditional_dependency_names(self) -> dict[str, Any]:
        return trackable.children(self)

    @property
    def _self_unconditional_dependency_names(self) -> dict[str, Any]:
        """The objects passed to `_track_trackable`, by name."""
        return vars(self).setdefault("_dependencies", {})

    @property
    def _object_identifier(self) -> str:
        return "_generic_user_object"

    @property
    def _tracking_metadata(self) -> str:
        return ""

    def _no_dependency(self, value: object) -> NoDependency:
        """A value for an attribute that checkpoints leave out."""
        return NoDependency(value)

    def _add_variable_with_custom_getter(
        self, name: str, getter: Callable[..., Any], overwrite: bool | None = None, **kwargs: object
    ) -> Any:
        """The variable that a function creates; layers of other packages override this to wrap it.

        Args:
            name: the variable's name.
            getter: creates it from the name and the other arguments.
            overwrite: whether it may replace a dependency of the name; None to add no dependency.
            **kwargs: further arguments of the function.
        """
        variable = getter(name=name, **kwargs)
        if overwrite is not None:
            self._track_trackable(variable, name, overwrite)
        return variable

    def _track_trackable(self, trackable: Any, name: str, overwrite: bool = False) -> Any:
        """Lets checkpoints save an object with this one, under a name.

        Raises:
            ValueError: if there is another of this name, unless `overwrite` is True.
        """
        dependencies = self._self_unconditional_dependency_names
        if dependencies.get(name, trackable) is not trackable and not overwrite:
            raise ValueError(
                f"Called Trackable._track_trackable() with name='{name}', but a Trackable with "
                "this name is already declared as a dependency. Names must be unique (or "
                "overwrite=True)."
            )
        dependencies[name] = trackable
        if "_pending_restorations" in vars(self):
            vars(self)["_pending_restorations"].settle(self)
        return trackable


class TrackableResource(Trackable):
    """The base of tables, and of objects of programs that hold a resource.

    Args:
        device: ignored: resources are on the CPU.
    """

    _resource_handle: Any = None

    def __init__(self, device: str = "") -> None:
        self._resource_device = device

    def _create_resource(self) -> Any:
        """Creates the resource; subclasses define it."""
        raise NotImplementedError("TrackableResource._create_resource not implemented.")

    def _initialize(self, *args: Any, **kwargs: Any) -> None:
        """Fills the resource; by default there is nothing to do."""

    def _destroy_resource(self) -> None:
        """Releases the resource; by default it is released with its handle."""

    @property
    def resource_handle(self) -> Any:
        """The resource, which is created at the first access."""
        if self._resource_handle is None:
            self._resource_handle = self._create_resource()
        return self._resource_handle
