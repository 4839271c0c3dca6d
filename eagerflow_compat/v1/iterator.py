"""The iterator of `tf.contrib.eager`: the elements of a dataset, one by one."""

from __future__ import annotations

from typing import Any

from eagerflow import errors, nest
from eagerflow.typing import Structure


class Iterator:
    """Iterates over a dataset once.

    Args:
        dataset: a `tf.data.Dataset`.

    Raises:
        TypeError: if it is none.
    """

    def __init__(self, dataset: Any) -> None:
        if not hasattr(dataset, "__iter__"):
            raise TypeError(f"dataset must be a tf.data.Dataset, got {dataset!r}.")
        self._dataset = dataset
        self._iterator = iter(dataset)

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Structure:
        return next(self._iterator)

    def next(self) -> Structure:
        """The next element.

        Raises:
            StopIteration: at the end.
        """
        return next(self._iterator)

    def get_next(self, name: str | None = None) -> Structure:
        """The next element.

        Raises:
            tf.errors.OutOfRangeError: at the end.
        """
        try:
            return next(self._iterator)
        except StopIteration:
            raise errors.OutOfRangeError._of("End of sequence") from None

    @property
    def output_types(self) -> Structure:
        """The element types, in the structure of an element."""
        return nest.map_structure(lambda spec: spec.dtype, self._dataset.element_spec)

    @property
    def output_shapes(self) -> Structure:
        """The shapes, in the structure of an element."""
        return nest.map_structure(lambda spec: spec.shape, self._dataset.element_spec)
