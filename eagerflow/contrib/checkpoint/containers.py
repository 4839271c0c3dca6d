"""Containers whose elements checkpoints save."""

from __future__ import annotations

from typing import Any

from eagerflow.framework.module import AutoTrackable


class List(list[Any]):
    """A list of objects, saved where it is an attribute of a model or another object.

    Args:
        *args: the first elements.

    >>> layers = tf.contrib.checkpoint.List(tf.keras.layers.Dense(2))
    >>> layers.append(tf.keras.layers.Dense(3))
    >>> len(layers)
    2
    """

    def __init__(self, *args: Any) -> None:
        super().__init__(args)


class Mapping(dict[str, Any]):
    """A dictionary of objects, saved where it is an attribute of a model or another object."""


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
