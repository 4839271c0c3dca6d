"""Placeholders: tensors whose values are given to `Session.run`."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import context, dtypes
from eagerflow.framework.func_graph import dims_of
from eagerflow.framework.shapes import TensorShape
from eagerflow.ops import conversion
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.sparse.tensor import SparseTensor
from eagerflow.typing import DTypeLike, ShapeLike, TensorLike


def placeholder(dtype: DTypeLike, shape: ShapeLike | None = None, name: str | None = None) -> Any:
    """A tensor of a graph whose value is given by `feed_dict`.

    Args:
        dtype: the element type.
        shape: the shape, in which sizes may be None; by default any.
        name: the node's name.

    Raises:
        RuntimeError: if operations run eagerly.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.placeholder(tf.float32, [None, 3])
    <tf.Tensor 'Placeholder:0' shape=(None, 3) dtype=float32>
    """
    graph = _core.building()
    if graph is None:
        raise RuntimeError("tf.placeholder() is not compatible with eager execution.")
    if graph.building_function:  # Another input, which calls of the function do not give.
        dims = dims_of(TensorShape(shape))
        return graph.placeholder(dtypes.as_dtype(dtype), dims, name or "Placeholder")
    dims = dims_of(TensorShape(shape))
    made = graph.feed_node(dtypes.as_dtype(dtype), dims, name or "Placeholder")
    graph.placeholders.append(made)
    return made


def sparse_placeholder(
    dtype: DTypeLike, shape: ShapeLike | None = None, name: str | None = None
) -> SparseTensor:
    """A sparse tensor of a graph whose value is given by `feed_dict`.

    Args:
        dtype: the element type.
        shape: the shape, in which sizes may be None; by default any.
        name: the prefix of the nodes' names.

    Raises:
        RuntimeError: if operations run eagerly.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.compat.v1.sparse_placeholder(tf.float32)
    ...     total = tf.sparse.reduce_sum(x)
    ...     value = tf.compat.v1.SparseTensorValue([[0, 1], [1, 0]], [1.0, 2.0], [2, 2])
    ...     float(session.run(total, {x: value}))
    3.0
    """
    given: Any = shape
    if given is not None and not isinstance(given, TensorShape):
        given = [None if size == -1 else size for size in given]
    sizes = TensorShape(given)

    def part_name(part: str) -> str | None:
        return f"{name}/{part}" if name else None

    if sizes.rank is not None:
        # Sizes that are unknown are -1, as in TensorFlow, unless a value is fed.
        known = [-1 if size is None else size for size in sizes.as_list()]
        default = conversion.constant(
            known, dtypes.int64, [sizes.rank], part_name("shape_default") or "Const"
        )
        dense_shape = placeholder_with_default(default, [sizes.rank], part_name("shape"))
    else:
        dense_shape = placeholder(dtypes.int64, [None], part_name("shape"))
    values = placeholder(dtype, [None], part_name("values"))
    indices = placeholder(dtypes.int64, [None, sizes.rank], part_name("indices"))
    result = SparseTensor(indices, values, dense_shape)
    result.set_shape(sizes)
    return result


def ragged_placeholder(
    dtype: DTypeLike,
    ragged_rank: int,
    value_shape: ShapeLike | None = None,
    name: str | None = None,
) -> RaggedTensor:
    """A ragged tensor of a graph whose value is given by `feed_dict`.

    Args:
        dtype: the element type.
        ragged_rank: the number of ragged axes; 0 gives a dense placeholder.
        value_shape: the shape of each of the innermost values; by default scalars.
        name: the prefix of the nodes' names.

    Raises:
        RuntimeError: if operations run eagerly.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.compat.v1.ragged.placeholder(tf.int32, ragged_rank=1)
    ...     session.run(x * 2, {x: tf.compat.v1.ragged.constant_value([[1, 2], [3]])}).to_list()
    [[2, 4], [6]]
    """
    name = name or "Placeholder"
    inner = TensorShape(() if value_shape is None else value_shape)
    values = placeholder(dtype, TensorShape([None]).concatenate(inner), f"{name}/flat_values")
    splits = [
        placeholder(dtypes.int64, [None], f"{name}/row_splits_{axis}")
        for axis in range(ragged_rank)
    ]
    return RaggedTensor.from_nested_row_splits(values, splits, validate=False) if splits else values


def placeholder_with_default(
    input: TensorLike, shape: ShapeLike | None, name: str | None = None
) -> _core.Tensor:
    """A tensor with a value that `feed_dict` may replace.

    Args:
        input: the value.
        shape: the shape, in which sizes may be None.
        name: the node's name.
    """
    value = _core.as_tensor(input)
    graph = context.building_graph()
    if graph is None:
        return value
    made = _core.placeholder_with_default(
        value, dims_of(TensorShape(shape)), name or "PlaceholderWithDefault"
    )
    if _core.building() is graph:
        graph.placeholders.append(made)
    return made
