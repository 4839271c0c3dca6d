"""Placeholders: tensors whose values are given to `Session.run`."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import context, dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.graph.recording import record
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
    graph = context.building_graph()
    if graph is None:
        raise RuntimeError("tf.placeholder() is not compatible with eager execution.")
    dtype, shape = dtypes.as_dtype(dtype), TensorShape(shape)

    tensor = record(
        graph, _no_value, kind="Placeholder", name=name, outputs=TensorSpec(shape, dtype)
    )
    graph._native.set_kind(tensor.op._node, "feed")
    return tensor


def _no_value() -> None:
    raise AssertionError("The engine reports which value is missing.")


def placeholder_with_default(
    input: TensorLike, shape: ShapeLike | None, name: str | None = None
) -> Any:
    """A tensor with a value that `feed_dict` may replace.

    Args:
        input: the value.
        shape: the shape, in which sizes may be None.
        name: the node's name.
    """
    graph = context.building_graph()
    if graph is None:
        return _core.as_tensor(input)
    dtype = dtypes.result_dtype(input) or _core.as_tensor(input).dtype
    return record(
        graph,
        _core.ops.identity,
        (input,),
        kind="PlaceholderWithDefault",
        name=name,
        outputs=TensorSpec(TensorShape(shape), dtype),
    )
