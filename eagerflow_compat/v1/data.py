"""tf.data of version 1: datasets and iterators that graphs can use."""

from __future__ import annotations

from abc import ABCMeta
from typing import Any

from eagerflow import data, nest
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.graph.iterators import (
    FeedableIterator,
    GraphIterator,
    make_initializable_iterator,
    make_one_shot_iterator,
)
from eagerflow.typing import Structure, TensorLike
from eagerflow_compat.v1.datasets import get_output_classes, get_output_shapes, get_output_types


class _Kind(ABCMeta):
    """Every dataset is an instance, and the functions that make datasets are those of version 2."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, data.Dataset)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, data.Dataset)

    def __getattr__(cls, name: str) -> Any:
        return getattr(data.Dataset, name)


class Dataset(metaclass=_Kind):
    """A source of elements; see `tf.data.Dataset`."""

    @staticmethod
    def from_sparse_tensor_slices(sparse_tensor: Any) -> Any:
        """A dataset of the slices of a sparse tensor along its first axis.

        >>> rows = tf.sparse.from_dense([[0, 1], [2, 0]])
        >>> slices = tf.compat.v1.data.Dataset.from_sparse_tensor_slices(rows)
        >>> [tf.sparse.to_dense(row).numpy().tolist() for row in slices]
        [[0, 1], [2, 0]]
        """
        return data.Dataset.from_tensor_slices(sparse_tensor)


class _ReaderKind(ABCMeta):
    """Makes a dataset of version 2."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        return getattr(data, cls.__name__)(*args, **kwargs)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, getattr(data, cls.__name__))


class TFRecordDataset(metaclass=_ReaderKind):
    """The records of TFRecord files; see `tf.data.TFRecordDataset`."""


class TextLineDataset(metaclass=_ReaderKind):
    """The lines of text files; see `tf.data.TextLineDataset`."""


class FixedLengthRecordDataset(metaclass=_ReaderKind):
    """Records of the same length; see `tf.data.FixedLengthRecordDataset`."""


class Iterator(GraphIterator):
    """An iterator over datasets of one structure."""

    @staticmethod
    def from_structure(
        output_types: Structure,
        output_shapes: Structure = None,
        shared_name: str | None = None,
        output_classes: Structure = None,
    ) -> GraphIterator:
        """An iterator that is initialized with one dataset or another.

        Args:
            output_types: the dtypes of elements.
            output_shapes: their shapes; by default any.
            shared_name: accepted.
            output_classes: accepted.
        """
        return GraphIterator(None, _specs(output_types, output_shapes), False)

    @staticmethod
    def from_string_handle(
        string_handle: TensorLike,
        output_types: Structure,
        output_shapes: Structure = None,
        output_classes: Structure = None,
    ) -> GraphIterator:
        """An iterator that reads from the iterator that a string handle names.

        Args:
            string_handle: a string scalar of the graph, which is fed with an iterator's
                `string_handle` in each run.
            output_types: the dtypes of elements.
            output_shapes: their shapes; by default any.
            output_classes: accepted.

        >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        ...     handle = tf.compat.v1.placeholder(tf.string, [])
        ...     reader = tf.compat.v1.data.Iterator.from_string_handle(handle, tf.int64, [])
        ...     element = reader.get_next()
        ...     numbers = tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.range(5, 9))
        ...     text = session.run(numbers.string_handle())
        ...     session.run(element, {handle: text})
        np.int64(5)
        """
        return FeedableIterator(string_handle, _specs(output_types, output_shapes))


def _specs(output_types: Any, output_shapes: Any) -> Any:
    if output_shapes is None:
        return nest.map_structure(lambda dtype: TensorSpec(None, dtype), output_types)
    return nest.map_structure_up_to(
        output_types,
        lambda dtype, shape: TensorSpec(TensorShape(shape), dtype),
        output_types,
        output_shapes,
    )


__all__ = [
    "Dataset",
    "FixedLengthRecordDataset",
    "Iterator",
    "TFRecordDataset",
    "TextLineDataset",
    "get_output_classes",
    "get_output_shapes",
    "get_output_types",
    "make_initializable_iterator",
    "make_one_shot_iterator",
]
