"""tensorflow.python.util.object_identity: containers that compare their elements by identity."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, MutableMapping, MutableSet
from typing import Any


class _ObjectIdentityWrapper:
    """An object that is hashed and compared by identity."""

    __slots__ = ("__weakref__", "_wrapped")

    def __init__(self, wrapped: Any) -> None:
        self._wrapped = wrapped

    @property
    def unwrapped(self) -> Any:
        """The object."""
        return self._wrapped

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ObjectIdentityWrapper) and self.unwrapped is other.unwrapped

    def __hash__(self) -> int:
        return id(self._wrapped)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} wrapping {self.unwrapped!r}>"


class Reference(_ObjectIdentityWrapper):
    """A reference to an object that serves as a key."""

    __slots__ = ()

    def deref(self) -> Any:
        """The object."""
        return self.unwrapped


class WeakReference(_ObjectIdentityWrapper):
    """A reference that does not keep the object alive, nor does it change when that is gone."""

    __slots__ = ("_id",)

    def __init__(self, wrapped: Any, callback: Any = None) -> None:
        super().__init__(weakref.ref(wrapped, callback))
        self._id = id(wrapped)

    @property
    def unwrapped(self) -> Any:
        """The object, or None if it is gone."""
        return self._wrapped()

    def __hash__(self) -> int:
        return self._id


class ObjectIdentityDictionary(MutableMapping[Any, Any]):
    """A dictionary whose keys are compared by identity, and need no hash."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._storage: dict[_ObjectIdentityWrapper, Any] = {}
        self.update(dict(*args, **kwargs))

    def _reference(self, key: Any) -> _ObjectIdentityWrapper:
        return Reference(key)

    def __getitem__(self, key: Any) -> Any:
        return self._storage[self._reference(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._storage[self._reference(key)] = value

    def __delitem__(self, key: Any) -> None:
        del self._storage[self._reference(key)]

    def __len__(self) -> int:
        return len(self._storage)

    def __iter__(self) -> Iterator[Any]:
        for key in list(self._storage):
            yield key.unwrapped

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._storage!r})"


class ObjectIdentityWeakKeyDictionary(ObjectIdentityDictionary):
    """A dictionary that forgets the keys that nothing else refers to."""

    def _reference(self, key: Any) -> _ObjectIdentityWrapper:
        storage, identity = weakref.ref(self), id(key)

        def forget(_: object) -> None:
            owner = storage()
            if owner is not None:
                for wrapper in [w for w in owner._storage if hash(w) == identity]:
                    del owner._storage[wrapper]

        return WeakReference(key, forget)


class ObjectIdentitySet(MutableSet[Any]):
    """A set whose elements are compared by identity, and need no hash."""

    def __init__(self, iterable: Iterable[Any] = ()) -> None:
        self._storage = self._empty()
        self.update(iterable)

    def _empty(self) -> ObjectIdentityDictionary:
        return ObjectIdentityDictionary()

    def __contains__(self, key: object) -> bool:
        return key in self._storage

    def add(self, key: Any) -> None:
        """Adds an element."""
        self._storage[key] = None

    def discard(self, key: Any) -> None:
        """Removes an element if it is there."""
        self._storage.pop(key, None)

    def update(self, items: Iterable[Any]) -> None:
        """Adds elements."""
        for item in items:
            self.add(item)

    def clear(self) -> None:
        """Removes all elements."""
        self._storage.clear()

    def intersection(self, items: Iterable[Any]) -> ObjectIdentitySet:
        """The elements that are among others, too."""
        return type(self)(item for item in items if item in self)

    def difference(self, items: Iterable[Any]) -> ObjectIdentitySet:
        """The elements that are not among others."""
        others = ObjectIdentitySet(items)
        return type(self)(item for item in self if item not in others)

    def __len__(self) -> int:
        return len(self._storage)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._storage)


class ObjectIdentityWeakSet(ObjectIdentitySet):
    """A set that forgets the elements that nothing else refers to."""

    def _empty(self) -> ObjectIdentityDictionary:
        return ObjectIdentityWeakKeyDictionary()
