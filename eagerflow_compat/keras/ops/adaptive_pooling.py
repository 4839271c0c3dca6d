"""Pooling to a given output size, with windows as even as they can be."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import sizes_of
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


def _windows(x: Tensor, axis: int, count: int) -> tuple[Tensor, Tensor]:
    """An axis cut into `count` windows, and which of their elements are inside.

    Windows cover all elements, and overlap where the size is no multiple of the count: they begin at
    `i * size // count` and end before `ceil((i + 1) * size / count)`. Shorter ones repeat their last
    element, which is not inside.

    Returns:
        The axis as `[count, width]`, and booleans that broadcast to it.
    """
    size = _ops.cast(sizes_of(x)[axis], dtypes.int64)
    index = _ops.range(0, _core.convert(count, dtypes.int64, None), 1)
    start = index * size // count
    stop = -(-(index + 1) * size // count)
    steps = _ops.range(0, _ops.reduce_max(stop - start), 1)
    places = _ops.expand_dims(start, 1) + _ops.cast(steps, dtypes.int64)
    last = _ops.expand_dims(stop - 1, 1)
    inside = _ops.less_equal(places, last)[(...,) + (None,) * (x.ndim - 1 - axis)]
    return _ops.gather(x, _ops.minimum(places, last), axis, 0), inside


@op_function
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
        values, inside = _windows(x, axis, count)
        total = _ops.reduce_sum(_ops.select(inside, values, 0), [axis + 1])
        x = total / _ops.reduce_sum(_ops.cast(inside, x.dtype), [1])
    return x


@op_function
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
        values, inside = _windows(x, axis, count)
        values = _ops.select(inside, values, least(x.dtype))
        # The gradient goes to the first of equal values, as in other pooling.
        first = _ops.expand_dims(_ops.argmax(values, axis + 1), axis + 1)
        x = _ops.squeeze(take_along_axis(KERAS, values, first, axis + 1), [axis + 1])
    return x
