"""Functions that say into how many parts a variable is cut."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from eagerflow.distribute import partitioners
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.typing import DTypeLike, ShapeLike
from eagerflow_compat.v1.variable_scope import make_parts, variable_scope


def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Callable[..., list[int]]:
    """A function of a shape that cuts one axis into a number of parts.

    Args:
        num_shards: the number of parts, of which there are at most as many as the axis is long.
        axis: the axis.

    Returns:
        A function that takes `shape` and any other arguments by name, and returns the number of parts
        of each axis.

    >>> tf.compat.v1.fixed_size_partitioner(2)(shape=tf.TensorShape([5, 3]), dtype=tf.float32)
    [2, 1]
    """

    return _of_keywords(partitioners.FixedShardsPartitioner(num_shards), axis)


def variable_axis_size_partitioner(
    max_shard_bytes: int,
    axis: int = 0,
    bytes_per_string_element: int = 16,
    max_shards: int | None = None,
) -> Callable[..., list[int]]:
    """A function of a shape and a dtype that keeps each part below a size.

    Args:
        max_shard_bytes: the largest part, in bytes.
        axis: the axis that is cut.
        bytes_per_string_element: how long a string is taken to be.
        max_shards: the largest number of parts, if any.

    Raises:
        ValueError: if a number is not positive.

    >>> cut = tf.compat.v1.variable_axis_size_partitioner(16)
    >>> cut(shape=tf.TensorShape([6, 2]), dtype=tf.float32)
    [3, 1]
    """
    cut = partitioners.MaxSizePartitioner(
        max_shard_bytes, max_shards or None, bytes_per_string_element
    )
    return _of_keywords(cut, axis)


def min_max_variable_partitioner(
    max_partitions: int = 1,
    axis: int = 0,
    min_slice_size: int = 256 << 10,
    bytes_per_string_element: int = 16,
) -> Callable[..., list[int]]:
    """A function of a shape and a dtype that makes as many parts as keep each above a size.

    Args:
        max_partitions: the largest number of parts.
        axis: the axis that is cut.
        min_slice_size: the smallest part, in bytes.
        bytes_per_string_element: how long a string is taken to be.

    >>> cut = tf.compat.v1.min_max_variable_partitioner(4, min_slice_size=16)
    >>> cut(shape=tf.TensorShape([6, 2]), dtype=tf.float32)
    [3, 1]
    """

    most = max(1, max_partitions)  # estimators ask for as many parts as there are servers: none
    cut = partitioners.MinSizePartitioner(min_slice_size, most, bytes_per_string_element)
    return _of_keywords(cut, axis)


def _of_keywords(cut: partitioners.Partitioner, axis: int) -> Callable[..., list[int]]:
    """A partitioner as version 1 calls it: by names, of which some have no meaning for it."""

    def partitioner(
        shape: ShapeLike, dtype: DTypeLike = dtypes.float32, **unused_args: object
    ) -> list[int]:
        return cut(shape, dtype, axis)

    return partitioner


def create_partitioned_variables(
    shape: ShapeLike,
    slicing: Sequence[int],
    initializer: Any,
    dtype: DTypeLike = dtypes.float32,
    trainable: bool = True,
    collections: Iterable[str] | None = None,
    name: str | None = None,
    reuse: bool | None = None,
) -> list[Any]:
    """Variables that are the parts of one, cut along an axis.

    Args:
        shape: the shape of the whole.
        slicing: into how many parts each axis is cut; one of these numbers may be more than 1.
        initializer: an initializer, which makes the whole, or a tensor `shape`.
        dtype: of the parts.
        trainable: whether optimizers change them.
        collections: those that they are added to.
        name: of the scope of their names.
        reuse: whether variables of these names are used again.

    Returns:
        The variables in order. The first ones are longer by one where the axis is no multiple.

    Raises:
        ValueError: if `slicing` has another length than the shape, cuts several axes, or one into
            more parts than it has elements.

    >>> parts = tf.compat.v1.create_partitioned_variables([5, 2], [2, 1], tf.zeros([5, 2]))
    >>> [part.shape.as_list() for part in parts]
    [[3, 2], [2, 2]]
    """
    sizes = TensorShape(shape)
    if len(slicing) != sizes.rank:
        raise ValueError(
            "The 'shape' and 'slicing' of a partitioned Variable must have the length: "
            f"shape: {sizes.as_list()}, slicing: {slicing}"
        )
    if any(count < 1 for count in slicing):
        raise ValueError(f"Partition slicing values must be positive: {slicing}")
    with variable_scope(name, "PartitionedVariable", reuse=reuse) as scope:
        return make_parts(
            scope.name,
            sizes,
            dtypes.as_dtype(dtype),
            slicing,
            initializer,
            trainable=trainable,
            collections=collections,
        )
