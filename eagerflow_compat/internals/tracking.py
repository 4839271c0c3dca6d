"""tensorflow.python.trackable: objects whose attributes checkpoints save."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from eagerflow import _core
from eagerflow.checkpoint import trackable as _trackable
from eagerflow.checkpoint.saving import GRAPH_KEY, object_graph
from eagerflow.framework.context import running_eagerly
from eagerflow.framework.module import AutoTrackable
from eagerflow.framework.trackable import (
    NoDependency,
    Trackable,
    TrackableReference,
    ValueParts,
)
from eagerflow.framework.tracked_containers import (
    DictWrapper,
    ListWrapper,
    TrackableDataStructure,
    TupleWrapper,
    wrapped,
)
from eagerflow.framework.variable import Variable
from eagerflow_compat.contrib.checkpoint.containers import List, Mapping
from eagerflow_compat.v1.saver import Saver

__all__ = [
    "AutoTrackable",
    "CheckpointInitialValue",
    "CheckpointInitialValueCallable",
    "DelegatingTrackableMixin",
    "List",
    "ListWrapper",
    "Mapping",
    "NoDependency",
    "ObjectGraphView",
    "RestoredResource",
    "Trackable",
    "TrackableDataStructure",
    "TrackableReference",
    "_DictWrapper",
    "_TupleWrapper",
    "frozen_saver",
    "list_objects",
    "no_automatic_dependency_tracking",
    "no_automatic_dependency_tracking_scope",
    "saveable_objects_from_trackable",
    "sticky_attribute_assignment",
    "wrap",
    "wrap_or_unwrap",
]

_Method = TypeVar("_Method", bound=Callable[..., Any])


_DictWrapper = DictWrapper
_TupleWrapper = TupleWrapper


class RestoredResource:
    """What TensorFlow loads of a SavedModel's resources; loaded tables are tables here."""


class CheckpointInitialValue:
    """What TensorFlow makes a variable's first value of; variables here are restored when they are."""


class CheckpointInitialValueCallable:
    """As `CheckpointInitialValue`, for a function."""


class DelegatingTrackableMixin:
    """Lets checkpoints save another object in place of this one.

    Args:
        trackable_obj: the other object.
    """

    def __init__(self, trackable_obj: Any) -> None:
        self._trackable = trackable_obj

    def _checkpoint_children(self) -> dict[str, Any]:
        return _trackable.children(self._trackable)

    def _checkpoint_values(self) -> dict[str, _trackable.Value | ValueParts]:
        return _trackable.values(self._trackable)


class ObjectGraphView:
    """What a checkpoint of an object has.

    Args:
        root: the object.
    """

    def __init__(self, root: Any, attached_dependencies: Any = None) -> None:
        self.root = root

    def list_children(self, obj: Trackable, **options: object) -> list[TrackableReference]:
        """What the object depends on."""
        return [TrackableReference(*item) for item in _trackable.children(obj).items()]

    def frozen_saveable_objects(self, *args: object, **kwargs: object) -> dict[str, Any]:
        """What a checkpoint of the object has in a graph: variables, and their graph, by key."""
        graph, _ = object_graph(self.root)
        items = [item for item, _ in _trackable.walk(self.root)]
        items += [slot for item in items for _, _, slot in _trackable.slots(item)]
        variables = {
            item.name.partition(":")[0]: item for item in items if isinstance(item, Variable)
        }
        found: dict[str, Any] = {
            attribute.checkpoint_key: variables[attribute.full_name]
            for node in graph.nodes
            for attribute in node.attributes
            if attribute.full_name in variables
        }
        with running_eagerly():
            found[GRAPH_KEY] = _core.as_tensor(graph.SerializeToString())
        return found

    def breadth_first_traversal(self) -> tuple[list[Any], dict[Any, Any]]:
        """All objects, the nearest first, and the paths to them."""
        found = list(_trackable.walk(self.root))
        return [item for item, _ in found], {id(item): path for item, path in found}


def frozen_saver(root_trackable: Any) -> Saver:
    """What saves and restores, in a graph, all that belongs to an object."""
    return Saver(ObjectGraphView(root_trackable).frozen_saveable_objects())


@contextlib.contextmanager
def no_automatic_dependency_tracking_scope(obj: Any) -> Iterator[None]:
    """A scope in which attributes of an object are set that checkpoints leave out."""
    tracking = getattr(obj, "_self_setattr_tracking", True)
    object.__setattr__(obj, "_self_setattr_tracking", False)
    before = set(vars(obj))
    try:
        yield
    finally:
        object.__setattr__(obj, "_self_setattr_tracking", tracking)
        _untrack(obj, set(vars(obj)) - before)


def _untrack(obj: Any, names: set[str]) -> None:
    known = vars(obj).get("_untracked_attributes", set())
    object.__setattr__(obj, "_untracked_attributes", known | names)


def no_automatic_dependency_tracking(method: _Method) -> _Method:
    """A decorator of methods: checkpoints leave out the attributes that they make."""

    @functools.wraps(method)
    def untracked(self: Any, *args: object, **kwargs: Any) -> Any:
        with no_automatic_dependency_tracking_scope(self):
            return method(self, *args, **kwargs)

    return untracked  # type: ignore[return-value]


def wrap_or_unwrap(value: object) -> Any:
    """What an attribute holds after it has been set to a value."""
    return value.value if isinstance(value, NoDependency) else wrapped(value)


wrap = wrap_or_unwrap


def sticky_attribute_assignment(trackable: Any, name: str, value: object) -> Any:
    """What an object's attribute holds after it has been set to a value, which it depends on."""
    held = wrap_or_unwrap(value)
    if not isinstance(value, NoDependency) and _trackable.is_trackable(held):
        trackable._track_trackable(held, name=name, overwrite=True)
    return held


def list_objects(root_trackable: Trackable) -> list[Any]:
    """An object, and all objects that belong to it."""
    return [item for item, _ in _trackable.walk(root_trackable)]


class _Part(NamedTuple):
    """A tensor of what is saved of an object."""

    name: str
    tensor: _core.Tensor


class _Saveable:
    """What is saved of an object itself, as another Keras reads and restores it.

    Args:
        obj: the object.
    """

    def __init__(self, obj: Any) -> None:
        self._values = _trackable.values(obj)
        self.specs = [
            _Part(name + suffix, tensor)
            for name, value in self._values.items()
            for suffix, tensor in _tensors_of(value).items()
        ]

    def restore(self, tensors: Sequence[Any], shapes: object = None) -> None:
        """Puts tensors, in the order of `specs`, in the place of those."""
        given = iter(tensors)
        for value in self._values.values():
            if isinstance(value, ValueParts):
                value.set({suffix: _core.as_tensor(next(given)) for suffix in value.get()})
            else:
                value.set(_core.as_tensor(next(given)))


def _tensors_of(value: _trackable.Value | ValueParts) -> dict[str, _core.Tensor]:
    return value.get() if isinstance(value, ValueParts) else {"": value.get()}


def saveable_objects_from_trackable(
    obj: Trackable, tf1_saver: bool = False
) -> dict[str, Callable[[], _Saveable]]:
    """What makes the object that reads and restores the values of another one; nothing without values.

    Args:
        obj: the object.
        tf1_saver: accepted.
    """
    return {"": functools.partial(_Saveable, obj)} if _trackable.values(obj) else {}
