"""The lists, dictionaries and tuples that attributes of trackable objects hold.

Those of lists and dictionaries wrap what the program has set, and share it: what the program adds to it
later is in both. They restore elements that are added through them from checkpoints that were read
before, and notice changes after which the names in a checkpoint would be wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from eagerflow import _core
from eagerflow.framework.trackable import Trackable

Variable: Any = _core.Variable


def wrapped(value: Any) -> Any:
    """The value of an attribute: a wrapper for a list, a dictionary, or a tuple that has objects or these
    among its elements, otherwise the value itself.
    """
    kind = type(value)
    if kind is list:
        return ListWrapper(value)
    if kind is dict:
        return DictWrapper(value)
    if kind is tuple:
        made = tuple(map(wrapped, value))
        return TupleWrapper(made) if any(map(_is_tracked, made)) else value
    return value


class TrackableDataStructure(Trackable):
    """The base of lists and dictionaries that checkpoints save element by element."""

    # The container that the program set. The base class has the same elements, for native code. If they
    # differ, the program has changed its container since.
    _storage: Any
    _moved = False
    _changed_outside = False

    @property
    def _values(self) -> list[Any]:
        """The elements, in which other Keras packages look for layers."""
        storage = self._storage
        if isinstance(storage, dict):
            return [storage[key] for key in sorted(storage, key=str)]
        return list(storage)

    @property
    def layers(self) -> list[Any]:
        """The layers among the elements, and those of lists and dictionaries among them."""
        found = []
        for item in self._values:
            if isinstance(item, TrackableDataStructure):
                found += item.layers
            elif hasattr(type(item), "_flatten_layers"):
                found.append(item)
        return found

    @property
    def losses(self) -> list[Any]:
        """What the layers have added to the loss."""
        return [loss for layer in self.layers for loss in layer.losses]

    @property
    def updates(self) -> list[Any]:
        """The updates of the layers, which are a list without elements outside of `tf.Graph`."""
        return [update for layer in self.layers for update in layer.updates]

    @property
    def _layers(self) -> list[Any]:
        """The elements that have weights: layers, other lists and dictionaries, and templates."""
        return [item for item in self._values if hasattr(item, "trainable_weights")]

    def _own_variables(self) -> list[Any]:
        return [item for item in self._values if isinstance(item, Variable)]

    @property
    def trainable_weights(self) -> list[Any]:
        """The trainable weights of layers, then trainable variables, among the elements."""
        weights = [weight for layer in self._layers for weight in layer.trainable_weights]
        return weights + [variable for variable in self._own_variables() if variable.trainable]

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The other weights of layers and variables among the elements."""
        weights = [weight for layer in self._layers for weight in layer.non_trainable_weights]
        return weights + [variable for variable in self._own_variables() if not variable.trainable]

    @property
    def weights(self) -> list[Any]:
        """All weights, the trainable ones first."""
        return self.trainable_weights + self.non_trainable_weights

    trainable_variables = trainable_weights
    non_trainable_variables = non_trainable_weights
    variables = weights

    def _differs(self) -> bool:
        raise NotImplementedError

    def _mirror(self) -> None:
        raise NotImplementedError

    def _follow(self) -> None:
        """Notes that the program has changed the storage itself."""
        self._changed_outside = True
        self._mirror()

    def _fresh(self) -> Any:
        """The storage, after noting whether the program has changed its length."""
        if len(self._storage) != super().__len__():  # type: ignore[misc]
            self._follow()
        return self._storage

    def _added(self) -> None:
        """Restores added elements from checkpoints that were restored earlier."""
        if "_pending_restorations" in self.__dict__:
            self.__dict__["_pending_restorations"].settle(self)

    def require_savable(self) -> None:
        """Checks that the elements' names in a checkpoint identify them.

        Raises:
            ValueError: if they do not.
        """
        if self._differs():
            self._follow()
        if self._moved:
            cause = (
                "A list element was replaced, moved or removed, but elements are saved by their "
                "positions, which only appending leaves as they are."
            )
        elif self._changed_outside:
            cause = (
                "What it wraps was modified outside the wrapper: by the list or dictionary that was "
                "assigned to the attribute, or by a method that takes elements out."
            )
        else:
            return
        raise ValueError(
            f"Unable to save the object {self} (a wrapper of an attribute's list or dictionary, whose "
            f"objects checkpoints save). {cause} Set the attribute anew, or leave it out of checkpoints: "
            "with tf.Module._no_dependency or tf.__internal__.tracking.NoDependency around the value."
        )

    def copy(self) -> Any:
        """A wrapper of a shallow copy."""
        return type(self)(self._storage.copy())  # type: ignore[call-arg]

    def __reduce__(self) -> Any:
        return type(self), (self._storage.copy(),)

    def __len__(self) -> int:
        return len(self._storage)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._fresh())

    def __reversed__(self) -> Iterator[Any]:
        return reversed(self._fresh())

    def __getitem__(self, key: object) -> Any:
        return self._fresh()[key]

    def __contains__(self, item: object) -> bool:
        return item in self._storage

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return self._storage == _plain(other)

    def __ne__(self, other: object) -> bool:
        return self._storage != _plain(other)


class ListWrapper(TrackableDataStructure, list):
    """A list in an attribute. Checkpoints name its elements by their indices.

    Args:
        wrapped_list: the list that it shares.

    >>> module = tf.Module()
    >>> module.values = [1, {"a": 2}]
    >>> module.values
    ListWrapper([1, DictWrapper({'a': 2})])
    """

    _storage: list[Any]

    def __init__(self, wrapped_list: Iterable[Any] = ()) -> None:
        self._storage = storage = wrapped_list if type(wrapped_list) is list else list(wrapped_list)
        for k, item in enumerate(storage):
            if type(item) in (list, dict, tuple):
                storage[k] = wrapped(item)
        list.extend(self, storage)

    def _differs(self) -> bool:
        known = list.__iter__(self)
        return len(self._storage) != list.__len__(self) or any(
            item is not other for item, other in zip(self._storage, known, strict=True)
        )

    def _mirror(self) -> None:
        list.__setitem__(self, slice(None), self._storage)

    def index(self, *args: Any) -> int:
        """The index of a value."""
        return self._storage.index(*args)

    def count(self, value: Any) -> int:
        """How often a value is in the list."""
        return self._storage.count(value)

    def __repr__(self) -> str:
        return f"ListWrapper({self._storage!r})"

    def __lt__(self, other: object) -> bool:
        return self._storage < _plain(other)

    def __le__(self, other: object) -> bool:
        return self._storage <= _plain(other)

    def __gt__(self, other: object) -> bool:
        return self._storage > _plain(other)

    def __ge__(self, other: object) -> bool:
        return self._storage >= _plain(other)

    def __add__(self, other: Any) -> Any:
        return self._storage + _plain(other)

    def __radd__(self, other: object) -> Any:
        return other + self._storage if isinstance(other, list) else NotImplemented

    def __mul__(self, count: Any) -> Any:
        return self._storage * count

    __rmul__ = __mul__

    def append(self, value: object) -> None:
        """Adds an element, which a checkpoint that was read before may have a value for."""
        value = wrapped(value)
        self._fresh().append(value)
        list.append(self, value)
        self._added()

    def extend(self, values: Iterable[object]) -> None:
        """Adds several elements."""
        for value in list(values):
            self.append(value)

    def __iadd__(self, values: Any) -> ListWrapper:
        self.extend(values)
        return self

    def __imul__(self, count: Any) -> ListWrapper:
        if count <= 0:
            self.clear()
        else:
            self.extend(self._storage * (count - 1))
        return self

    def _note_move(self) -> None:
        """Called before elements get other positions."""
        self._fresh()
        self._moved = self._moved or any(map(_is_tracked, self._storage))

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, slice):
            self._note_move()
            self._storage[key] = [wrapped(item) for item in value]
        else:
            self._moved = self._moved or _is_tracked(self._fresh()[key])
            self._storage[key] = wrapped(value)
        self._mirror()
        self._added()

    def __delitem__(self, key: Any) -> None:
        self._note_move()
        del self._storage[key]
        self._mirror()

    def insert(self, index: Any, value: Any) -> None:
        """Adds an element before another one; the list can then not be saved any more."""
        self._note_move()
        self._storage.insert(index, wrapped(value))
        self._mirror()
        self._added()

    def pop(self, *args: Any) -> Any:
        """Removes an element. The list can then no longer be saved."""
        self._note_move()
        item = self._storage.pop(*args)
        self._mirror()
        return item

    def remove(self, value: object) -> None:
        """Removes a value. The list can then no longer be saved."""
        self._note_move()
        self._storage.remove(value)
        self._mirror()

    def clear(self) -> None:
        """Removes all elements. The list can then no longer be saved."""
        self._note_move()
        self._storage.clear()
        self._mirror()

    def sort(self, **options: Any) -> None:
        """Brings the elements into order; the list can then not be saved any more."""
        self._note_move()
        self._storage.sort(**options)
        self._mirror()

    def reverse(self) -> None:
        """Turns the order around; the list can then not be saved any more."""
        self._note_move()
        self._storage.reverse()
        self._mirror()


class DictWrapper(TrackableDataStructure, dict):
    """A dictionary in an attribute. Checkpoints name its objects by their keys.

    Args:
        wrapped_dict: the dictionary that it shares.
    """

    _storage: dict[Any, Any]

    def __init__(self, wrapped_dict: Any = ()) -> None:
        self._storage = storage = wrapped_dict if type(wrapped_dict) is dict else dict(wrapped_dict)
        for key, value in storage.items():
            if type(value) in (list, dict, tuple):
                storage[key] = wrapped(value)
        dict.update(self, storage)

    def _differs(self) -> bool:
        known = dict.items(self)
        return len(self._storage) != dict.__len__(self) or any(
            self._storage.get(key, known) is not value for key, value in known
        )

    def _mirror(self) -> None:
        dict.clear(self)
        dict.update(self, self._storage)

    def get(self, *args: object) -> Any:
        """The value of a key, or the default."""
        return self._fresh().get(*args)

    def keys(self) -> Any:
        """A view of the keys."""
        return self._fresh().keys()

    def values(self) -> Any:
        """A view of the values."""
        return self._fresh().values()

    def items(self) -> Any:
        """A view of the pairs of keys and values."""
        return self._fresh().items()

    def __repr__(self) -> str:
        return f"DictWrapper({self._storage!r})"

    def __str__(self) -> str:
        return str(self._storage)

    def __or__(self, other: object) -> Any:
        return self._storage | _plain(other)

    def __ror__(self, other: object) -> Any:
        return _plain(other) | self._storage

    def __setitem__(self, key: object, value: object) -> None:
        value = wrapped(value)
        self._fresh()[key] = value
        dict.__setitem__(self, key, value)
        self._added()

    def __delitem__(self, key: Any) -> None:
        del self._fresh()[key]
        dict.__delitem__(self, key)

    def update(self, *args: object, **kwargs: object) -> None:
        """Adds or replaces values."""
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def __ior__(self, other: object) -> DictWrapper:
        self._storage.update(_plain(other))
        self._follow()
        return self

    def setdefault(self, key: object, default: Any = None) -> Any:
        """The value of a key, which is added if there is none."""
        if key not in self._storage:
            self._storage[key] = wrapped(default)
            self._follow()
            self._added()
        return self._storage[key]

    def pop(self, *args: Any) -> Any:
        """Removes a value. The dictionary can then no longer be saved."""
        value = self._storage.pop(*args)
        if len(self._storage) != dict.__len__(self):
            self._follow()
        return value

    def popitem(self) -> Any:
        """Removes the last pair. The dictionary can then no longer be saved."""
        item = self._storage.popitem()
        self._follow()
        return item

    def clear(self) -> None:
        """Removes all pairs. The dictionary can then no longer be saved."""
        if self._storage:
            self._storage.clear()
            self._follow()


DictWrapper.__name__ = "_DictWrapper"  # as programs see it in TensorFlow


class TupleWrapper(TrackableDataStructure, tuple):
    """A tuple in an attribute that has objects among its elements, which checkpoints name by their indices.

    >>> module = tf.Module()
    >>> module.sizes, module.parts = (1, 2), (tf.Module(), [3])
    >>> type(module.sizes).__name__, type(module.parts).__name__
    ('tuple', '_TupleWrapper')
    """

    _wraps_tuple = True  # for `tf.nest`

    @property
    def _storage(self) -> Any:
        return tuple(self)

    def _fresh(self) -> Any:
        return self._storage

    def _differs(self) -> bool:
        return False

    def copy(self) -> Any:
        """The tuple itself, which nothing changes."""
        return self

    def __reduce__(self) -> Any:
        return type(self), (self._storage,)

    # Nothing changes a tuple: its own methods do.
    __len__, __iter__, __contains__ = tuple.__len__, tuple.__iter__, tuple.__contains__
    __eq__, __ne__ = tuple.__eq__, tuple.__ne__
    __getitem__ = tuple.__getitem__  # type: ignore[assignment]
    __hash__ = tuple.__hash__  # type: ignore[assignment]


TupleWrapper.__name__ = "_TupleWrapper"


def _is_tracked(value: object) -> bool:
    return isinstance(value, (Trackable, Variable))


def _plain(value: object) -> Any:
    return value._storage if isinstance(value, TrackableDataStructure) else value
