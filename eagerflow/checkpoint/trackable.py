"""The children of an object by name, and its values.

Variables, modules, lists, tuples and dictionaries are supported. Other classes define
`_checkpoint_children()`, a dictionary of objects by name, or `_checkpoint_values()`, a dictionary of
`Value`s by name, or both. An attribute `_same_node` is a wrapped object: one node of a checkpoint has the
children of both, and either may get more later.
"""

from __future__ import annotations

import functools
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from eagerflow import _core
from eagerflow.framework.module import AutoTrackable
from eagerflow.framework.trackable import Trackable, ValueParts
from eagerflow.framework.tracked_containers import DictWrapper

Variable: Any = _core.Variable
VARIABLE_VALUE = "VARIABLE_VALUE"
# Restorations that wait for new items of lists and dictionaries, which do not report them. Code that creates
# objects that may be such items calls `restoring.look_again` if there are any.
GROWING: weakref.WeakSet[Any] = weakref.WeakSet()


class Value(NamedTuple):
    """Something of an object that is saved: how to get it, and how to put it back."""

    get: Callable[[], Any]
    set: Callable[[Any], None]
    full_name: str = ""


class InSession:
    """Puts a value back that sessions hold: once a session is known, not before.

    Args:
        variable: the variable with the value.
    """

    def __init__(self, variable: Any) -> None:
        self._variable = variable

    def load(self, value: Any, session: Any) -> None:
        """Assigns the value in a session, by default the session with the program's objects."""
        graph = self._variable.graph
        self._variable.load(value, graph.session_of_objects(session, self._variable, "load"))

    def __call__(self, value: Any) -> None:
        """Puts a value into the session that holds the program's objects."""
        self.load(value, None)


class Held:
    """Something of an object that is saved as if it were an object below it.

    Args:
        values: the saved values, by attribute name.
    """

    def __init__(self, values: Callable[[], dict[str, Value]]) -> None:
        self._checkpoint_values = values


def is_trackable(value: Any) -> bool:
    """Whether a value is saved with the object it is an attribute of."""
    if isinstance(value, (Variable, Trackable)):
        return True
    if hasattr(value, "_checkpoint_children") or hasattr(value, "_checkpoint_values"):
        return not isinstance(value, type)
    if isinstance(value, (list, tuple)):
        return any(map(is_trackable, value))
    # Dictionaries of other kinds are the business of who made them.
    mapping = type(value) in (dict, OrderedDict) or isinstance(value, DictWrapper)
    return mapping and any(map(is_trackable, value.values()))


def children(value: Any) -> dict[str, Any]:
    """The trackable children of an object, by name."""
    if lists_own_children(type(value)):
        return dict(value._trackable_children())
    return own_children(value)


def saved_children(value: Any) -> dict[str, Any]:
    """As `children`, with what SavedModels have of the object and checkpoints do not."""
    if lists_own_children(type(value)):
        return dict(value._trackable_children())
    besides = getattr(value, "_saved_model_children", None)
    return own_children(value) if besides is None else besides() | own_children(value)


def _lists_own_children(kind: type) -> bool:
    """Whether a class overrides `_trackable_children`."""
    listing = getattr(kind, "_trackable_children", Trackable._trackable_children)
    return listing not in (Trackable._trackable_children, AutoTrackable._trackable_children)


lists_own_children: Callable[[type], bool] = functools.lru_cache(maxsize=256)(_lists_own_children)


def own_children(value: object) -> dict[str, Any]:
    """As `children`, for an object whose class does not list them by `_trackable_children`."""
    tracked = getattr(value, "__dict__", {}).get("_dependencies")
    return {**_own_children(value), **tracked} if tracked else _own_children(value)


def _own_children(value: object) -> dict[str, Any]:
    own = getattr(value, "_checkpoint_children", None)
    if own is not None:
        return own()
    if isinstance(value, Variable):
        return {}
    if isinstance(value, (list, tuple)):
        return {str(k): item for k, item in enumerate(value) if is_trackable(item)}
    if isinstance(value, Mapping):
        return {
            key: item for key, item in value.items() if isinstance(key, str) and is_trackable(item)
        }
    if isinstance(value, AutoTrackable):
        return attributes(value)
    return {}


def attributes(value: object) -> dict[str, Any]:
    """The trackable attributes of an object, in the order in which they were set."""
    ignored = {*getattr(value, "_TF_MODULE_IGNORED_PROPERTIES", ()), "_dependencies"}
    untracked = vars(value).get("_untracked_attributes", ())
    return {
        name: item
        for name, item in vars(value).items()
        if name not in ignored and name not in untracked and is_trackable(item)
    }


def values(value: Any) -> dict[str, Value | ValueParts]:
    """The values of the object itself that are saved, by attribute name."""
    if isinstance(value, Variable):
        # A package's variable that wraps another names the inner one.
        gathered = value._gather_saveables_for_checkpoint().get(VARIABLE_VALUE, value)
        saved = gathered if isinstance(gathered, Variable) else value
        name = saved.name.split(":")[0]
        if in_sessions(saved):
            return {VARIABLE_VALUE: Value(saved._as_graph_element, InSession(saved), name)}
        return {VARIABLE_VALUE: Value(saved.read_value, saved.assign, name)}
    own = getattr(value, "_checkpoint_values", None)
    if own is not None:
        return own()
    if getattr(type(value), "_serialize_to_tensors", _NOT_SAVED) is not _NOT_SAVED:
        return {**_serialized(value)}
    return {}


def in_sessions(variable: Any) -> bool:
    """Whether sessions hold the value of a variable, or of the variable that it wraps."""
    return variable.handle.variable._in_sessions


_NOT_SAVED = Trackable._serialize_to_tensors


def _serialized(value: Any) -> dict[str, Value]:
    """The values of an object whose class defines TensorFlow's methods for saving."""

    def get(name: str) -> Any:
        tensor = value._serialize_to_tensors()[name]
        return tensor.read_value() if isinstance(tensor, Variable) else tensor

    restored: dict[str, Any] = {}

    def put(name: str, tensor: Any) -> None:
        restored[name] = tensor
        if len(restored) == len(names):
            value._restore_from_tensors(dict(restored))
            restored.clear()

    names = list(value._serialize_to_tensors())
    return {
        name: Value(functools.partial(get, name), functools.partial(put, name)) for name in names
    }


def walk(
    root: object, children: Callable[[Any], dict[str, Any]] = children
) -> Iterator[tuple[Any, str]]:
    """All objects that can be reached, each once, with the path of names to it; nearest first.

    Args:
        root: the first object.
        children: returns the children of an object, by name.
    """
    seen = {id(root)}
    queue = [(root, "")]
    for item, path in queue:
        yield item, path
        for name, child in children(item).items():
            if id(child) not in seen:
                seen.add(id(child))
                queue.append((child, f"{path}/{escaped(name)}" if path else escaped(name)))


def escaped(name: str) -> str:
    """A name as a part of a path."""
    return name.replace(".", "..").replace("/", ".S")


def slots(value: object) -> list[tuple[Any, str, Any]]:
    """The slots of an optimizer: (variable, name of the slot, variable of the slot)."""
    own = getattr(value, "_checkpoint_slots", None)
    return own() if own is not None else []


def add_slots(objects: list[tuple[Any, str]]) -> list[tuple[int, int, str, Any]]:
    """Appends the slots of the optimizers among objects, whose variables are among these as well.

    Args:
        objects: objects with their paths.

    Returns:
        For each slot the index of the optimizer, that of the variable, the slot's name, and its variable.
    """
    index_of = {id(item): k for k, (item, _) in enumerate(objects)}
    found: list[tuple[int, int, str, Any]] = []
    for owner, (item, path) in enumerate(list(objects)):
        for variable, name, slot in slots(item):
            original = index_of.get(id(variable))
            if original is None:
                continue
            if id(slot) not in index_of:
                index_of[id(slot)] = len(objects)
                objects.append((slot, f"{objects[original][1]}/.OPTIMIZER_SLOT/{path}/{name}"))
            found.append((owner, original, name, slot))
    return found
