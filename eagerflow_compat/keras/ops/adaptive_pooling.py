"""Pooling to a given output size, with windows as even as they can be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import host_call
from eagerflow.framework.op_function import op_function
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.keras.typing import Sizes
from eagerflow.ops.numpy_functions.selection import take_along_axis
from eagerflow.ops.reduction import least
from eagerflow.typing import TensorLike
from eagerflow.util import lazy
from eagerflow_compat.keras.ops.promotion import KERAS, floating, tensor

# Imported when it is first used: few programs need it.
arguments = lazy.Module("eagerflow.keras.layers.arguments")

_ops = _core.ops
Tensor = _core.Tensor


def windows(length: int, count: int) -> list[tuple[int, int]]:
    """The first index and the end of each of `count` windows over `length` elements.

    They cover all elements, and overlap where the length is no multiple of the count.
    """
    return [(i * length // count, -(-(i + 1) * length // count)) for i in range(count)]


def _axes(x: Any, output_size: Sizes, data_format: str | None) -> list[tuple[int, int]]:
    """Each spatial axis, and its size in the output."""
    rank = x.ndim - 2
    if rank not in (1, 2, 3):
        raise ValueError(
            "Adaptive pooling supports 1D, 2D, or 3D inputs only. Received an input of shape "
            f"{tuple(x.shape)}."
        )
    sizes = (output_size,) * rank if isinstance(output_size, int) else tuple(output_size)
    if len(sizes) != rank:
        raise ValueError(
            f"`output_size` must be an integer or have {rank} entries. Received: {output_size}"
        )
    first = 2 if arguments.data_format_of(data_format) == "channels_first" else 1
    return [(first + index, size) for index, size in enumerate(sizes)]


def _pooled_spec(
    inputs: TensorLike, output_size: Sizes, data_format: str | None = None
) -> TensorSpec:
    x = tensor(inputs)
    sizes = x.shape.as_list()
    for axis, count in _axes(x, output_size, data_format):
        sizes[axis] = count
    return TensorSpec(sizes, x.dtype)


def _with_known_sizes(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """What pools in graphs: windows of sizes that are known only when the graph runs are made then."""

    def pool(inputs: TensorLike, output_size: Any, data_format: str | None = None) -> Tensor:
        x = tensor(inputs)
        axes = _axes(x, output_size, data_format)
        if None not in [x._shape_tuple()[axis] for axis, _ in axes]:
            return function(x, output_size, data_format)
        spec = _pooled_spec(x, output_size, data_format)
        arguments = (x, output_size, data_format)
        return host_call(function, spec, arguments, name=function.__name__)

    return pool


@op_function(in_graph=_with_known_sizes)
def adaptive_average_pool(
    inputs: TensorLike, output_size: Sizes, data_format: str | None = None
) -> Tensor:
    """The means of windows, of which there are `output_size` along each spatial axis.

    Args:
        inputs: `[batch, spatial..., channels]` or, with "channels_first", `[batch, channels, ...]`.
        output_size: a size for each spatial axis, or one for all.
        data_format: "channels_last" or "channels_first"; Keras's default for None.

    >>> x = tf.reshape(tf.range(5.0), [1, 5, 1])
    >>> print(tf.keras.ops.adaptive_average_pool(x, 2).numpy().ravel())
    [1. 3.]
    """
    x = floating(inputs)
    for axis, count in _axes(x, output_size, data_format):
        length = x._shape_tuple()[axis]
        means = np.zeros((length, count), "float32")
        for index, (start, stop) in enumerate(windows(length, count)):
            means[start:stop, index] = 1 / (stop - start)
        order = [k for k in range(x.ndim) if k != axis] + [axis]
        back = [order.index(k) for k in range(x.ndim)]
        pooled = _ops.matmul(_ops.transpose(x, order), _core.convert(means, x.dtype, None))
        x = _ops.transpose(pooled, back)
    return x


@op_function(in_graph=_with_known_sizes)
def adaptive_max_pool(
    inputs: TensorLike, output_size: Sizes, data_format: str | None = None
) -> Tensor:
    """The largest values of windows; arguments as those of `adaptive_average_pool`.

    >>> x = tf.reshape(tf.range(5.0), [1, 5, 1])
    >>> print(tf.keras.ops.adaptive_max_pool(x, 2).numpy().ravel())
    [2. 4.]
    """
    x = tensor(inputs)
    for axis, count in _axes(x, output_size, data_format):
        bounds = windows(x._shape_tuple()[axis], count)
        width = max(stop - start for start, stop in bounds)
        # Shorter windows repeat their last index; the repetitions are masked.
        indices = [[min(start + k, stop - 1) for k in range(width)] for start, stop in bounds]
        values = _ops.gather(x, _core.convert(indices, dtypes.int32, None), axis, 0)
        inside = np.array([[start + k < stop for k in range(width)] for start, stop in bounds])
        if not inside.all():
            shape = [1] * axis + [count, width] + [1] * (x.ndim - 1 - axis)
            lowest = least(x.dtype)
            values = _ops.select(_core.as_tensor(inside.reshape(shape)), values, lowest)
        # The gradient goes to the first of equal values, as in other pooling.
        first = _ops.expand_dims(_ops.argmax(values, axis + 1), axis + 1)
        x = _ops.squeeze(take_along_axis(KERAS, values, first, axis + 1), [axis + 1])
    return x
