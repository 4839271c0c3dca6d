"""tf.data of version 1: datasets and iterators that graphs can use."""

from __future__ import annotations

from typing import Any

from eagerflow import data, nest
from eagerflow.graph.iterators import (
    DeferredDataset,
    GraphIterator,
    deferrable,
    make_initializable_iterator,
    make_one_shot_iterator,
)
from eagerflow.shapes import TensorShape
from eagerflow.type_spec import TensorSpec
from eagerflow.v1.datasets import get_output_classes, get_output_shapes, get_output_types


class _Kind(type):
    """Datasets of any kind are instances; functions that make them also take graph tensors."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, data.Dataset | DeferredDataset)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, data.Dataset)

    def __getattr__(cls, name: str) -> Any:
        found = getattr(data.Dataset, name)
        return deferrable(found) if callable(found) else found


class Dataset(metaclass=_Kind):
    """A source of elements; see `tf.data.Dataset`."""


class Iterator(GraphIterator):
    """Goes through datasets of one structure."""

    @staticmethod
    def from_structure(
        output_types: Any,
        output_shapes: Any = None,
        shared_name: str | None = None,
        output_classes: Any = None,
    ) -> GraphIterator:
        """An iterator that is initialized with one dataset or another.

        Args:
            output_types: the dtypes of elements.
            output_shapes: their shapes; by default any.
            shared_name: accepted.
            output_classes: accepted.
        """
        if output_shapes is None:
            spec = nest.map_structure(lambda dtype: TensorSpec(None, dtype), output_types)
        else:
            spec = nest.map_structure_up_to(
                output_types,
                lambda dtype, shape: TensorSpec(TensorShape(shape), dtype),
                output_types,
                output_shapes,
            )
        return GraphIterator(None, spec, False)


__all__ = [
    "Dataset",
    "Iterator",
    "get_output_classes",
    "get_output_shapes",
    "get_output_types",
    "make_initializable_iterator",
    "make_one_shot_iterator",
]
