"""tensorflow.python.ops.nn_ops: a convolution for many calls, and operations on several batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core, nn
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.sizes import reshaped, sizes_of
from eagerflow.typing import Array, ShapeLike, TensorLike

__all__ = ["Convolution", "squeeze_batch_dims"]


class Convolution:
    """A convolution of inputs of one shape by filters of one shape.

    Args:
        input_shape: the shape of the inputs; sizes may be None.
        filter_shape: the shape of the filters.
        padding: "SAME" or "VALID".
        strides: a number for each axis of space, by default ones.
        dilation_rate: a number for each axis of space, by default ones.
        name: the operation's name.
        data_format: where the channels are: second if it begins with "NC", last otherwise.
        num_spatial_dims: how many axes of space there are, where the shape of the filters does not say it.

    Raises:
        ValueError: for shapes that do not fit each other, or for strides beside a dilation.
    """

    def __init__(
        self,
        input_shape: ShapeLike,
        filter_shape: ShapeLike,
        padding: str,
        strides: Any = None,
        dilation_rate: Any = None,
        name: str | None = None,
        data_format: str | None = None,
        num_spatial_dims: int | None = None,
    ) -> None:
        self.input_shape = TensorShape(input_shape)
        self.filter_shape = TensorShape(filter_shape)
        self.padding = padding
        self.name = name
        self.data_format = data_format
        if num_spatial_dims is None:
            if self.filter_shape.rank is None:
                raise ValueError(
                    "The rank of filter_shape is unknown: give it, or num_spatial_dims. "
                    f"filter_shape={self.filter_shape}"
                )
            num_spatial_dims = self.filter_shape.rank - 2
        self.num_spatial_dims = num_spatial_dims
        self.strides = self._per_axis(strides, "strides")
        self.dilation_rate = self._per_axis(dilation_rate, "dilation_rate")
        if (self.strides > 1).any() and (self.dilation_rate > 1).any():
            raise ValueError(
                "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
                f"strides={self.strides} and dilation_rate={self.dilation_rate}"
            )
        self.num_batch_dims = self._batch_axes()

    def _per_axis(self, values: Any, name: str) -> Array:
        """One positive integer for each axis of space."""
        if values is None:
            values = np.ones(self.num_spatial_dims, np.int32)
        result = np.asarray(values, np.int32)
        if result.shape != (self.num_spatial_dims,):
            raise ValueError(
                f"`{name}` must have one element for each of {self.num_spatial_dims} axes, got {values}"
            )
        if (result < 1).any():
            raise ValueError(f"all values of `{name}` must be positive, got {values}")
        return result

    def _batch_axes(self) -> int:
        """The number of axes before those of space and channels."""
        rank = self.input_shape.rank
        if rank is None:
            return 1
        if rank < self.num_spatial_dims + 2:
            raise ValueError(
                "`input.shape.rank` must be >= than `num_spatial_dims + 2`. Received: "
                f"input.shape={self.input_shape} of rank {rank} and "
                f"num_spatial_dims={self.num_spatial_dims}"
            )
        is_first = (self.data_format or "").startswith("NC")
        channels = self.input_shape[rank - self.num_spatial_dims - 1 if is_first else -1]
        filters = self.filter_shape[self.num_spatial_dims] if self.filter_shape.rank else None
        if None not in (channels, filters) and channels % filters:
            raise ValueError(
                "The number of input channels is not divisible by the corresponding number of output "
                f"filters. Received: input.shape={self.input_shape} with {channels} channels and "
                f"filters.shape={self.filter_shape} with {filters} output filters."
            )
        return rank - self.num_spatial_dims - 1

    def __call__(self, inp: TensorLike, filter: TensorLike) -> _core.Tensor:
        """The convolution of an input by filters."""
        return nn.convolution(
            inp,
            filter,
            strides=self.strides.tolist(),
            padding=self.padding,
            data_format=self.data_format,
            dilations=self.dilation_rate.tolist(),
            name=self.name,
        )


def squeeze_batch_dims(
    inp: TensorLike, op: Callable[[Any], Any], inner_rank: int, name: str | None = None
) -> Any:
    """`op` of a tensor whose axes before the last `inner_rank` are one, which become several again.

    Args:
        inp: the tensor; its rank is known.
        op: a function of a tensor with one axis more than `inner_rank`; it returns one like that.
        inner_rank: how many axes `op` works on.
        name: ignored.

    >>> from eagerflow_compat.internals.convolutions import squeeze_batch_dims
    >>> squeeze_batch_dims(
    ...     tf.ones([2, 3, 4, 1]), lambda x: tf.nn.avg_pool1d(x, 2, 2, "VALID"), 2
    ... ).shape
    TensorShape([2, 3, 2, 1])
    """
    x = _core.as_tensor(inp)
    sizes = sizes_of(x)
    batch, inner = sizes[:-inner_rank], sizes[-inner_rank:]
    result = op(reshaped(x, [-1, *inner]))
    return reshaped(result, [*batch, *sizes_of(result)[-inner_rank:]])
