"""Raw convolution operations: one for any rank, and the two gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eagerflow import _core
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.composed_op import FLOAT_TYPES, Input, composed_op
from eagerflow.ops.nn.conv3d import conv3d
from eagerflow.ops.nn.convolution import conv2d

_ops = _core.ops
Tensor = _core.Tensor


def _amounts(padding: str, explicit_paddings: Sequence[int]) -> list[int] | None:
    return list(explicit_paddings) if padding == "EXPLICIT" else None


@composed_op(
    "Conv2DBackpropInputV2",
    input=Input(FLOAT_TYPES, "int32"),
    filter=Input(FLOAT_TYPES, "int32"),
    out_backprop=Input(FLOAT_TYPES, "int32"),
    strides=list[int],
    dilations=list[int],
)
def conv2d_backprop_input_v2(
    input: Any,
    filter: Any,
    out_backprop: Any,
    strides: Any,
    padding: str,
    use_cudnn_on_gpu: bool = True,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `tf.nn.conv2d` with respect to its input.

    Args:
        input: a tensor of the input's shape.
        filter: the filters.
        out_backprop: the gradient of the result.
        strides: the step of windows along each axis.
        padding: "SAME", "VALID" or "EXPLICIT".
        explicit_paddings: a flat list of (before, after) pairs, for "EXPLICIT".
        data_format: "NHWC" or "NCHW".
        dilations: the spacing of the filter's elements along each axis.

    >>> x, w, dy = tf.zeros([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), tf.ones([1, 2, 2, 1])
    >>> tf.conv2d_backprop_input_v2(x, w, dy, [1, 1, 1, 1], "VALID").numpy()[0, 1, 1, 0]
    np.float32(4.0)
    """
    shape = _core.as_tensor(input)._shape_tuple()
    return _ops.conv2d_backprop_input(
        *(filter, out_backprop, shape, list(strides), padding),
        *(_amounts(padding, explicit_paddings), list(dilations), data_format),
    )


@composed_op(
    "Conv2DBackpropFilterV2",
    input=Input(FLOAT_TYPES),
    filter=Input(FLOAT_TYPES),
    out_backprop=Input(FLOAT_TYPES),
    strides=list[int],
    dilations=list[int],
)
def conv2d_backprop_filter_v2(
    input: Any,
    filter: Any,
    out_backprop: Any,
    strides: Any,
    padding: str,
    use_cudnn_on_gpu: bool = True,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `tf.nn.conv2d` with respect to filters; see `tf.conv2d_backprop_input_v2`.

    Args:
        input: the input.
        filter: a tensor of the filters' shape.
        out_backprop: the gradient of the result.
        strides: the step of windows along each axis.
        padding: "SAME", "VALID" or "EXPLICIT".
        explicit_paddings: a flat list of (before, after) pairs, for "EXPLICIT".
        data_format: "NHWC" or "NCHW".
        dilations: the spacing of the filter's elements along each axis.

    >>> x, w, dy = tf.ones([1, 3, 3, 1]), tf.zeros([2, 2, 1, 1]), tf.ones([1, 2, 2, 1])
    >>> tf.conv2d_backprop_filter_v2(x, w, dy, [1, 1, 1, 1], "VALID").numpy()[0, 0, 0, 0]
    np.float32(4.0)
    """
    shape = _core.as_tensor(filter)._shape_tuple()
    return _ops.conv2d_backprop_filter(
        *(input, out_backprop, shape, list(strides), padding),
        *(_amounts(padding, explicit_paddings), list(dilations), data_format),
    )


@composed_op(
    "Conv", input=Input(FLOAT_TYPES, "int32"), filter=Input(FLOAT_TYPES, "int32"), strides=list[int]
)
def conv(
    input: Any,
    filter: Any,
    strides: Any,
    padding: str,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "CHANNELS_LAST",
    dilations: Sequence[int] = (),
    batch_dims: int = 1,
    groups: int = 1,
    name: str | None = None,
) -> Tensor:
    """A convolution of images or volumes.

    Args:
        input: `[batch..., spatial..., channels]`, or channels before the spatial axes.
        filter: `[spatial..., channels / groups, results]`, of rank 4 or 5.
        strides: the step of windows along each axis of one example and its batch.
        padding: "SAME", "VALID" or "EXPLICIT".
        explicit_paddings: a flat list of (before, after) pairs, for "EXPLICIT".
        data_format: "CHANNELS_LAST" or "CHANNELS_FIRST".
        dilations: the spacing of the filter's elements along each axis.
        batch_dims: how many axes the batch has.
        groups: the number of groups of channels.

    Raises:
        tf.errors.InvalidArgumentError: if the arguments do not fit.

    >>> tf.conv(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), [1, 1, 1, 1], "VALID").shape
    TensorShape([1, 2, 2, 1])
    """
    x, filters = _core.as_tensor(input), _core.as_tensor(filter)
    rank = filters.ndim
    if rank not in (4, 5):
        raise invalid_argument(f"filter must have rank 4 or 5, got {filters.shape} [Op:Conv]")
    if x.ndim != rank - 1 + batch_dims or batch_dims < 1:
        raise invalid_argument(
            f"input must have rank {rank - 1 + batch_dims}, got {x.shape} [Op:Conv]"
        )
    if data_format not in ("CHANNELS_LAST", "CHANNELS_FIRST"):
        raise invalid_argument(f"data_format {data_format!r} is not known [Op:Conv]")
    last = data_format == "CHANNELS_LAST"
    shape = x._shape_tuple()
    channels = shape[-1] if last else shape[batch_dims]
    if channels != filters._shape_tuple()[-2] * groups:
        raise invalid_argument(
            f"{channels} channels in {groups} groups do not fit filter {filters.shape} [Op:Conv]"
        )
    outer = shape[:batch_dims]
    if batch_dims != 1:
        count = 1
        for size in outer:
            count *= size
        x = _ops.reshape(x, [count, *shape[batch_dims:]])
    pads: Any = padding
    if padding == "EXPLICIT":
        amounts = list(explicit_paddings)
        pads = [[before, after] for before, after in zip(amounts[::2], amounts[1::2], strict=True)]
    letters = "HW" if rank == 4 else "DHW"
    layout = f"N{letters}C" if last else f"NC{letters}"
    function = conv2d if rank == 4 else conv3d
    y = function(x, filters, list(strides), pads, layout, list(dilations) or None)
    return y if batch_dims == 1 else _ops.reshape(y, [*outer, *y._shape_tuple()[1:]])
