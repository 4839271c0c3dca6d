"""Batches: the iterator that the functions of `fit`, `evaluate` and `predict` take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eagerflow import _core, errors
from eagerflow.util import lazy

# Imported when they are first used: models that run eagerly need neither.
dataset_iterator = lazy.Module("eagerflow.data.iterator")
graph_iterators = lazy.Module("eagerflow.data.graph_iterators")


class Batches:
    """An iterator over batches that tf.function takes for the iterator of a dataset.

    Args:
        iterator: gives the batches.
        element_spec: the specs of a batch.
    """

    __slots__ = ("_iterator", "_spec", "element_spec")

    _is_dataset_iterator = True  # what tells iterators to modules below this one

    def __init__(self, iterator: Iterator[Any], element_spec: Any) -> None:
        self._iterator = iterator
        self._spec: Any = None
        self.element_spec = element_spec

    def __iter__(self) -> Batches:
        return self

    def __next__(self) -> Any:
        return next(self._iterator) if _core.building() is None else self.get_next()

    def get_next(self) -> Any:
        """The next batch.

        Raises:
            tf.errors.OutOfRangeError: if there is none.
        """
        if _core.building() is not None:
            return graph_iterators.iterator(self).get_next()
        try:
            return next(self._iterator)
        except StopIteration:
            raise errors.OutOfRangeError(None, None, "End of sequence") from None

    def get_next_as_optional(self) -> Any:
        """The next batch as a `tf.experimental.Optional`, empty at the end."""
        if _core.building() is not None:
            return graph_iterators.iterator(self).get_next_as_optional()
        optional = dataset_iterator.Optional
        try:
            return optional.from_value(next(self._iterator))
        except StopIteration:
            return optional.empty(self.element_spec)

    @property
    def _type_spec(self) -> Any:
        if self._spec is None:
            self._spec = dataset_iterator.IteratorSpec(self.element_spec)
        return self._spec
