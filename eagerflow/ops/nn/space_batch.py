"""Blocks of positions moved to the batch axis and back, and operations in between."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import when_ranks_are_known
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import (
    at_least,
    is_known,
    known_array,
    of_rank,
    reshaped,
    sizes_in,
    sizes_of,
)
from eagerflow.ops.array import invalid_argument, pad
from eagerflow.ops.composed_op import INDEX_TYPES, REAL_TYPES, Input, composed_op
from eagerflow.typing import Array, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


def _numbers(value: TensorLike, name: str, op: str) -> Array:
    """The elements of an argument: an array, whose unknown elements are scalars of the graph."""
    tensor = _core.convert(value, None, dtypes.int32)
    if not tensor.dtype.is_integer:
        raise invalid_argument(f"{name} must be integers, got {tensor.dtype.name} [Op:{op}]")
    known = _core.static_value(tensor)
    if known is not None:
        return known.numpy().astype(np.int64)
    shape = tensor._shape_tuple()
    if shape is None or None in shape:
        raise ValueError(f"The shape of {name} must be known, but it is {tensor.shape} [Op:{op}]")
    elements = np.empty(math.prod(shape), object)
    # One by one: `np.array` would read the values of a list of tensors.
    for k, element in enumerate(sizes_in(_ops.cast(_ops.reshape(tensor, [-1]), dtypes.int32))):
        elements[k] = element
    return elements.reshape(shape)


def _any(values: Array, holds: Callable[[int], bool]) -> bool:
    """Whether a condition holds for one of the known elements."""
    return any(is_known(value) and holds(value) for value in values.reshape(-1).tolist())


def _arguments(value: Any, block_shape: Any, amounts: TensorLike, name: str, op: str) -> tuple:
    x = _core.as_tensor(value)
    blocks = _numbers(block_shape, "block_shape", op)
    sizes = _numbers(amounts, name, op)
    if blocks.ndim != 1:
        if blocks.ndim == 0:
            blocks = np.repeat(blocks, len(sizes)) if sizes.ndim else blocks[None]
        else:
            raise invalid_argument(
                f"block_shape rank should be 1 instead of {blocks.ndim} [Op:{op}]"
            )
    if sizes.shape != (blocks.size, 2):
        raise invalid_argument(
            f"{name} should have shape [{blocks.size}, 2] instead of {list(sizes.shape)} [Op:{op}]"
        )
    if x.ndim is not None and x.ndim < 1 + blocks.size:
        raise invalid_argument(
            f"input rank should be >= {1 + blocks.size} instead of {x.ndim} [Op:{op}]"
        )
    if _any(blocks, lambda block: block < 1):
        raise invalid_argument(
            f"All values in block_shape must be positive, got {blocks} [Op:{op}]"
        )
    if _any(sizes, lambda size: size < 0):
        raise invalid_argument(f"{name} must not be negative, got {sizes.tolist()} [Op:{op}]")
    return x, blocks.tolist(), sizes.tolist()


def _moved(
    move: Callable[[Tensor, list, list], Tensor], x: Tensor, blocks: list, amounts: list
) -> Tensor:
    """Applies `move` to a tensor; the last axes of a tensor of unknown rank are merged first."""
    if x.ndim is not None:
        return move(x, blocks, amounts)
    m = len(blocks)
    shape = _ops.shape(x)
    x = of_rank(_ops.reshape(x, _ops.concat([shape[: m + 1], [-1]], 0)), m + 2)
    moved = move(x, blocks, amounts)
    return _ops.reshape(moved, _ops.concat([_ops.shape(moved)[: m + 1], shape[m + 1 :]], 0))


def _any_amounts(amounts: list) -> bool:
    """Whether one of the pairs is not known to be zeros."""
    return any(not is_known(size) or size for pair in amounts for size in pair)


@composed_op(
    "SpaceToBatchND",
    input=Input(),
    block_shape=Input(INDEX_TYPES, type="Tblock_shape", prefer="int32"),
    paddings=Input(INDEX_TYPES, type="Tpaddings", prefer="int32"),
)
def space_to_batch(input: Any, block_shape: Any, paddings: Any, name: str | None = None) -> Tensor:
    """Moves the positions of each block to the batch axis.

    Args:
        input: `[batch, d1, ..., dm, ...]`.
        block_shape: the sizes `[m]` of blocks.
        paddings: zeros to add before and after each of the m axes, `[m, 2]`.

    Returns:
        `[batch * prod(block_shape), ...]`, whose m axes are divided by `block_shape`.

    Raises:
        tf.errors.InvalidArgumentError: if the arguments do not fit, or blocks do not divide an axis.

    >>> tf.space_to_batch([[[[1], [2]], [[3], [4]]]], [2, 2], [[0, 0], [0, 0]]).shape
    TensorShape([4, 1, 1, 1])
    """
    op = "SpaceToBatchND"
    return _moved(_to_batch, *_arguments(input, block_shape, paddings, "paddings", op))


def _to_batch(x: Tensor, blocks: list, pads: list) -> Tensor:
    m = len(blocks)
    if _any_amounts(pads):
        x = pad(x, [[0, 0], *pads, *([0, 0] for _ in range(x.ndim - 1 - m))])
    shape = sizes_of(x)
    for k, block in enumerate(blocks):
        if is_known(shape[k + 1], block) and shape[k + 1] % block:
            raise invalid_argument(
                f"padded_shape[{k}]={shape[k + 1]} is not divisible by block_shape[{k}]={block} "
                "[Op:SpaceToBatchND]"
            )
    cut: list = []
    for size, block in zip(shape[1 : m + 1], blocks, strict=True):
        cut += [size // block, block]
    rest = list(shape[m + 1 :])
    x = reshaped(x, [shape[0], *cut, *rest])
    order = [2 * k + 2 for k in range(m)] + [0] + [2 * k + 1 for k in range(m)]
    x = _ops.transpose(x, order + list(range(2 * m + 1, 2 * m + 1 + len(rest))))
    return reshaped(x, [shape[0] * math.prod(blocks), *cut[::2], *rest])


@op_function
def batch_to_space(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Tensor:
    """Undoes `tf.space_to_batch`.

    Args:
        input: `[batch, d1, ..., dm, ...]`.
        block_shape: the sizes `[m]` of blocks.
        crops: how much to cut away before and after each of the m axes, `[m, 2]`.

    Raises:
        tf.errors.InvalidArgumentError: if the arguments do not fit.

    >>> tf.batch_to_space([[[[1]]], [[[2]]], [[[3]]], [[[4]]]], [2, 2], [[0, 0], [0, 0]]).shape
    TensorShape([1, 2, 2, 1])
    """
    op = "BatchToSpaceND"
    return _moved(_from_batch, *_arguments(input, block_shape, crops, "crops", op))


def _from_batch(x: Tensor, blocks: list, cuts: list) -> Tensor:
    m, shape = len(blocks), sizes_of(x)
    count = math.prod(blocks)
    if is_known(shape[0], count) and shape[0] % count:
        raise invalid_argument(
            f"Input batch dimension ({shape[0]}) is not divisible by product of block sizes "
            f"({count}) [Op:BatchToSpaceND]"
        )
    rest = list(shape[m + 1 :])
    x = reshaped(x, [*blocks, shape[0] // count, *shape[1:]])
    order = [m]
    for k in range(m):
        order += [m + 1 + k, k]
    x = _ops.transpose(x, order + list(range(2 * m + 1, 2 * m + 1 + len(rest))))
    sizes = [size * block for size, block in zip(shape[1 : m + 1], blocks, strict=True)]
    x = reshaped(x, [shape[0] // count, *sizes, *rest])
    if not _any_amounts(cuts):
        return x
    kept = [size - before - after for size, (before, after) in zip(sizes, cuts, strict=True)]
    if any(is_known(size) and size < 0 for size in kept):
        raise invalid_argument(
            f"crops {cuts} take away more than there is: {sizes} [Op:BatchToSpaceND]"
        )
    begin = [0, *(before for before, _ in cuts)]
    end = [0, *(size - after for size, (_, after) in zip(sizes, cuts, strict=True))]
    return _ops.strided_slice(x, begin, end, [1] * (m + 1), 1, 1)


def _as_int32(value: Any, name: str) -> Array:
    """Integers of any dtype, of which TensorFlow keeps the lower 32 bits; see `_numbers`."""
    paddings = _numbers(value, name, "SpaceToBatchPaddings")
    return paddings if paddings.dtype == object else paddings.astype(np.int32)


def _as_tensor(array: Array) -> Tensor:
    return _core.convert(array.tolist(), dtypes.int32, None)


@composed_op(
    "SpaceToBatchPaddings",
    input_shape=Input("int32", converts="alone"),
    block_shape=Input("int32", converts="alone"),
    base_paddings=Input("int32", converts="alone"),
)
def required_space_to_batch_paddings(
    input_shape: Any, block_shape: TensorLike, base_paddings: object = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The paddings of `tf.space_to_batch` for blocks to divide the axes, and the crops to undo them.

    Args:
        input_shape: the sizes of the axes `[m]`.
        block_shape: the sizes of blocks `[m]`.
        base_paddings: the minimum paddings `[m, 2]`.

    Returns:
        A pair `(paddings, crops)` of int32 `[m, 2]`.

    >>> paddings, crops = tf.required_space_to_batch_paddings([5], [2])
    >>> paddings.numpy().tolist(), crops.numpy().tolist()
    ([[0, 1]], [[0, 1]])
    """
    blocks = _as_int32(block_shape, "block_shape")
    if blocks.ndim != 1:
        raise ValueError(f"block_shape must be a vector, got shape {blocks.shape}")
    if blocks.size == 0:
        none = _ops.zeros([0, 2], dtypes.int32)
        return none, none
    sizes = _as_int32(input_shape, "input_shape")
    if sizes.shape != blocks.shape:
        raise ValueError(
            f"input_shape and block_shape must be vectors of one length, got shapes {sizes.shape} "
            f"and {blocks.shape}"
        )
    base = np.zeros((blocks.size, 2), np.int32)
    if base_paddings is not None:
        base = _as_int32(base_paddings, "base_paddings")
        if base.shape != (blocks.size, 2):
            raise ValueError(f"base_paddings must have shape {(blocks.size, 2)}, got {base.shape}")
    if _any(blocks, lambda block: not block):
        raise invalid_argument(f"Blocks cannot have size 0, got block_shape {blocks.tolist()}")
    extra = -(sizes + base.sum(axis=1)) % blocks
    paddings = np.stack([base[:, 0], base[:, 1] + extra], axis=1)
    crops = np.stack([np.zeros_like(extra), extra], axis=1)
    return _as_tensor(paddings), _as_tensor(crops)


@op_function(in_graph=when_ranks_are_known())
def with_space_to_batch(
    input: TensorLike,
    dilation_rate: Any,
    padding: str,
    op: Callable,
    filter_shape: Any = None,
    spatial_dims: Sequence[int] | None = None,
    data_format: str | None = None,
) -> Tensor:
    """Applies an operation between `space_to_batch` and `batch_to_space`, which dilates its windows.

    Args:
        input: a tensor.
        dilation_rate: for each spatial axis, the distance between the positions of a window.
        padding: "SAME" or "VALID".
        op: called with a tensor, the number of spatial axes, and "VALID".
        filter_shape: the shape of the window; needed for "SAME".
        spatial_dims: the spatial axes; by default the first ones after the batch.
        data_format: "NC..." if channels come first.

    Raises:
        ValueError: if arguments do not fit.

    >>> x = tf.reshape(tf.range(6.0), [1, 6, 1])
    >>> def last(x, spatial_axes, padding):
    ...     return x[:, 1:]
    >>> tf.nn.with_space_to_batch(x, [2], "VALID", last).numpy().reshape(-1)
    array([2., 3., 4., 5.], dtype=float32)
    """
    x = _core.as_tensor(input)
    rates = known_array(dilation_rate, None, "dilation_rate").astype(np.int64)
    if rates.ndim != 1:
        raise ValueError(f"`dilation_rate.shape` must have rank 1. Received {rates.tolist()}")
    count = rates.size
    if spatial_dims is None:
        first = 2 if data_format is not None and data_format.startswith("NC") else 1
        spatial_dims = list(range(first, first + count))
    axes = sorted(set(spatial_dims))
    if axes != list(spatial_dims) or any(axis < 1 for axis in axes):
        raise ValueError(
            "`spatial_dims` must be a monotonically increasing sequence of positive integers. "
            f"Received: spatial_dims={spatial_dims}"
        )
    if x.ndim is not None and x.ndim <= axes[-1]:
        raise ValueError(f"input must have rank {axes[-1] + 1} at least, got {x.ndim}")
    if (rates < 1).any():
        raise ValueError(f"Dilation rates must be positive. Received: {rates.tolist()}")
    if (rates == 1).all():
        return op(x, count, padding)
    if padding not in ("SAME", "VALID"):
        raise ValueError(f"Invalid padding method {padding!r}")
    base = np.zeros((count, 2), np.int64)
    if padding == "SAME":
        if filter_shape is None:
            raise ValueError("filter_shape must be specified for SAME padding")
        window = np.asarray(filter_shape, np.int64).reshape(-1)[:count]
        extra = window + (window - 1) * (rates - 1) - 1
        base = np.stack([extra // 2, extra - extra // 2], axis=1)
    # Axes between the batch and the last spatial one count as blocks of size 1.
    last = axes[-1]
    blocks, whole = np.ones(last, np.int64), np.zeros((last, 2), np.int64)
    for axis, rate, amounts in zip(axes, rates, base, strict=True):
        blocks[axis - 1], whole[axis - 1] = rate, amounts
    sizes = _ops.reshape(_ops.shape(x)[1 : last + 1], [last])
    paddings, crops = required_space_to_batch_paddings(sizes, blocks, whole)
    result = op(space_to_batch(x, blocks, paddings), count, "VALID")
    return batch_to_space(result, blocks, crops)


@composed_op("ExtractVolumePatches", input=Input(REAL_TYPES), ksizes=list[int], strides=list[int])
def extract_volume_patches(
    input: TensorLike, ksizes: Any, strides: Any, padding: str, name: str | None = None
) -> Tensor:
    """The windows of volumes, each flattened into channels.

    Args:
        input: `[batch, planes, rows, columns, channels]`.
        ksizes: the sizes of windows, `[1, planes, rows, columns, 1]`.
        strides: the steps of windows, `[1, planes, rows, columns, 1]`.
        padding: "SAME" or "VALID".

    Returns:
        `[batch, planes, rows, columns, window * channels]`.

    Raises:
        tf.errors.InvalidArgumentError: if the arguments do not fit.

    >>> x = tf.zeros([1, 4, 4, 4, 2])
    >>> tf.extract_volume_patches(x, [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], "VALID").shape
    TensorShape([1, 2, 2, 2, 16])
    """
    op = "ExtractVolumePatches"
    x = _core.as_tensor(input)
    x = of_rank(x, 5)
    if x.ndim != 5 or len(ksizes) != 5 or len(strides) != 5:
        raise invalid_argument(f"input, ksizes and strides must have 5 dimensions [Op:{op}]")
    if min(*ksizes, *strides) < 1:
        raise invalid_argument(
            f"Windows and strides must be positive, got {list(ksizes)} and {list(strides)} [Op:{op}]"
        )
    if padding not in ("SAME", "VALID"):
        raise invalid_argument(f"Invalid padding {padding!r} [Op:{op}]")
    shape = sizes_of(x)
    pads: list = [0, 0]
    counts: list = []
    for size, window, step in zip(shape[1:4], ksizes[1:4], strides[1:4], strict=True):
        if padding == "SAME":
            count = -(-size // step)
            missing = at_least((count - 1) * step + window - size, 0)
        else:
            count, missing = at_least(-(-(size - window + 1) // step), 0), 0
        counts.append(count)
        pads += [missing // 2, missing - missing // 2]
    x = _ops.pad(x, [*pads, 0, 0])
    for axis in range(3):
        window, step = ksizes[axis + 1], strides[axis + 1]
        starts = _ops.expand_dims(_ops.range(0, counts[axis] * step, step), 1)
        positions = _ops.add(starts, _ops.range(0, window, 1))
        # Each axis becomes two, the windows and the positions within a window.
        x = _ops.gather(x, positions, 2 * axis + 1, 0)
    x = _ops.transpose(x, [0, 1, 3, 5, 2, 4, 6, 7])
    return reshaped(x, [shape[0], *counts, math.prod(ksizes[1:4]) * shape[4]])
