"""Containers whose elements checkpoints save."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from eagerflow.framework.module import AutoTrackable
from eagerflow.framework.tracked_containers import DictWrapper, ListWrapper


class List(ListWrapper):
    """A list of objects, saved where it is an attribute of a model or another object.

    Args:
        *args: what `list` takes: the first elements, if any.

    >>> layers = tf.contrib.checkpoint.List([tf.keras.layers.Dense(2)])
    >>> layers.append(tf.keras.layers.Dense(3))
    >>> len(layers)
    2
    """

    def __init__(self, *args: Any) -> None:
        super().__init__(list(*args))

    def __add__(self, other: Iterable[object]) -> List:
        return List([*self, *other])

    def __radd__(self, other: object) -> List:
        return List([*cast(Iterable[object], other), *self])

    def __repr__(self) -> str:
        return f"List({list(self)!r})"


class Mapping(DictWrapper):
    """A dictionary of objects, saved where it is an attribute of a model or another object.

    Args:
        *args: what `dict` takes.
        **kwargs: likewise.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(dict(*args, **kwargs))

    def __setitem__(self, key: Any, value: Any) -> None:
        """Adds a value under a new key.

        Raises:
            ValueError: if the key has another one: checkpoints know values by their keys.
        """
        if key in self and self[key] is not value:
            raise ValueError(
                "Mappings are an append-only data structure. Tried to overwrite the "
                f"key '{key}' with value {value}, but it already contains {self[key]}"
            )
        super().__setitem__(key, value)

    def __repr__(self) -> str:
        return f"Mapping({dict(self)!r})"


class UniqueNameTracker(AutoTrackable):
    """Objects under names that it makes unique by numbers.

    >>> tracker = tf.contrib.checkpoint.UniqueNameTracker()
    >>> first = tracker.track(tf.Variable(1.0), "v")
    >>> second = tracker.track(tf.Variable(2.0), "v")
    >>> sorted(vars(tf.train.Checkpoint(slots=tracker).slots))
    ['v', 'v_1']
    """

    def track(self, checkpointable: Any, base_name: str) -> Any:
        """Keeps an object, and returns it."""
        name, count = base_name, 0
        while hasattr(self, name):
            count += 1
            name = f"{base_name}_{count}"
        setattr(self, name, checkpointable)
        return checkpointable
