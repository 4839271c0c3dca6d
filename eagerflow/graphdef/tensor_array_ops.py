"""TensorArrays of version 1, whose elements a resource holds, as lists.

An operation on such an array has two inputs, its handle and the flow, a float that orders the operations.
Here the handle holds the spec of the elements, and the flow is the list.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import eagerflow as tf
from eagerflow import _core
from eagerflow.framework.shapes import TensorShape
from eagerflow.graphdef import composed
from eagerflow.graphdef.state_ops import Handler

HANDLERS: dict[str, Handler] = {}

_ops = _core.ops


class ArrayHandle(NamedTuple):
    """The spec of the elements of an array."""

    dtype: Any
    shape: TensorShape
    is_growing: bool

    @property
    def sizes(self) -> list[int | None] | None:
        """The sizes of an element; None if their number is unknown."""
        return None if self.shape.rank is None else self.shape.as_list()


def _handles(*names: str) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        HANDLERS.update(dict.fromkeys(names, handler))
        return handler

    return register


@_handles("TensorArrayV3")
def _make(builder: object, node: Any, inputs: dict, attrs: dict) -> list[Any]:
    shape = attrs["element_shape"] if "element_shape" in node.attr else TensorShape(None)
    handle = ArrayHandle(attrs["dtype"], shape, attrs["dynamic_size"])
    return [handle, _ops.tensor_list_reserve(inputs["size"], handle.dtype, handle.sizes)]


@_handles("TensorArrayWriteV3", "TensorArrayWriteV2")
def _write(builder: object, node: object, inputs: dict, attrs: dict) -> list[_core.Tensor]:
    items = inputs["flow_in"]
    grows = inputs["handle"].is_growing
    return [_ops.tensor_list_set_item(items, inputs["index"], inputs["value"], grows)]


@_handles("TensorArrayReadV3", "TensorArrayReadV2")
def _read(builder: object, node: object, inputs: dict, attrs: dict) -> list[_core.Tensor]:
    handle = inputs["handle"]
    items = inputs["flow_in"]
    return [_ops.tensor_list_get_item(items, inputs["index"], handle.dtype, handle.sizes)]


@_handles("TensorArrayGatherV3", "TensorArrayGatherV2")
def _gather(builder: object, node: Any, inputs: dict, attrs: dict) -> list[_core.Tensor]:
    handle = inputs["handle"]
    sizes = handle.sizes
    if sizes is None and "element_shape" in node.attr and attrs["element_shape"].rank is not None:
        sizes = attrs["element_shape"].as_list()
    items = inputs["flow_in"]
    return [_ops.tensor_list_gather(items, inputs["indices"], handle.dtype, sizes)]


@_handles("TensorArrayScatterV3", "TensorArrayScatterV2")
def _scatter(builder: object, node: object, inputs: dict, attrs: dict) -> list[_core.Tensor]:
    return [_ops.tensor_list_scatter(inputs["flow_in"], inputs["indices"], inputs["value"])]


@_handles("TensorArrayConcatV3", "TensorArrayConcatV2")
def _concat(builder: object, node: object, inputs: dict, attrs: dict) -> list[_core.Tensor]:
    handle = inputs["handle"]
    return list(_ops.tensor_list_concat(inputs["flow_in"], None, handle.dtype, handle.sizes))


@_handles("TensorArraySplitV3", "TensorArraySplitV2")
def _split(builder: object, node: object, inputs: dict, attrs: dict) -> list[_core.Tensor]:
    sizes = inputs["handle"].sizes
    shape = tf.constant(-1 if sizes is None else [-1 if n is None else n for n in sizes])
    return [composed.tensor_list_split(inputs["value"], shape, inputs["lengths"])]


@_handles("TensorArraySizeV3", "TensorArraySizeV2")
def _size(builder: object, node: object, inputs: dict, attrs: dict) -> list[Any]:
    return [_ops.tensor_list_length(inputs["flow_in"])]


@_handles("TensorArrayCloseV3", "TensorArrayCloseV2")
def _close(builder: object, node: object, inputs: dict, attrs: dict) -> list[_core.Tensor]:
    return []
