"""Max pooling with argmax, and fractional pooling."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes, random_seed
from eagerflow.framework.host_call import host_call
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import is_known, of_rank, sizes_of
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.composed_op import INDEX_TYPES, Input, composed_op
from eagerflow.ops.nn.candidate_sampling import Words
from eagerflow.ops.nn.convolution import spatial_list
from eagerflow.ops.reduction import least
from eagerflow.typing import DTypeLike, Sizes, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


class MaxPoolWithArgmax(NamedTuple):
    """The largest elements, and where they are."""

    output: Tensor
    argmax: Tensor


class FractionalMaxPool(NamedTuple):
    """The largest elements, and where regions begin."""

    output: Tensor
    row_pooling_sequence: Tensor
    col_pooling_sequence: Tensor


class FractionalAvgPool(NamedTuple):
    """The means, and where regions begin."""

    output: Tensor
    row_pooling_sequence: Tensor
    col_pooling_sequence: Tensor


@op_function
def max_pool_with_argmax(
    input: TensorLike,
    ksize: Sizes,
    strides: Sizes,
    padding: str,
    data_format: str = "NHWC",
    output_dtype: DTypeLike = dtypes.int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> MaxPoolWithArgmax:
    """The largest element of each window, and its flat index in the image.

    Args:
        input: images `[batch, rows, columns, channels]`.
        ksize: the window's size: one value, one for each of rows and columns, or one for each
            axis.
        strides: the window's step, in the form of `ksize`.
        padding: "SAME" or "VALID".
        data_format: "NHWC".
        output_dtype: int32 or int64, the dtype of the indices.
        include_batch_in_index: whether indices run over the batch, not over each image.

    Returns:
        A pair `(output, argmax)`: indices are `(row * columns + column) * channels + channel`. Of
        equal elements the first one counts.

    Raises:
        ValueError: for another data format.
        tf.errors.InvalidArgumentError: if the arguments do not fit.

    >>> x = tf.reshape(tf.range(4.0), [1, 2, 2, 1])
    >>> tf.nn.max_pool_with_argmax(x, 2, 2, "VALID").argmax.numpy().item()
    3
    """
    if data_format != "NHWC":
        raise ValueError("`data_format` values other than 'NHWC' are not supported.")
    windows = spatial_list(ksize, "ksize", data_format)[1:3]
    steps = spatial_list(strides, "strides", data_format)[1:3]
    if not isinstance(padding, str):
        raise TypeError(f"Expected string for argument 'padding' not {padding!r}.")
    x = _core.as_tensor(input)
    x = of_rank(x, 4)
    if x.ndim != 4:
        raise invalid_argument(f"tensor_in must be 4-dimensional, got {x.shape}")
    if padding not in ("SAME", "VALID"):
        raise invalid_argument(f"Value for attr 'padding' of {padding!r} is not known")
    if min(*windows, *steps) < 1:
        raise invalid_argument(f"Sizes must be positive, got {windows} and {steps}")
    sizes = sizes_of(x)
    for size, window in zip(sizes[1:3], windows, strict=True):
        if padding == "VALID" and is_known(size) and size < window:
            raise invalid_argument(f"The window {windows} is larger than the image {x.shape}")
    output, argmax = _ops.max_pool_places(x, [1, *windows, 1], [1, *steps, 1], padding)
    if not include_batch_in_index and not (is_known(sizes[0]) and sizes[0] <= 1):
        image = math.prod(sizes[1:])
        first = _ops.range(0, sizes[0] * image, image)
        argmax = _ops.subtract(argmax, _ops.reshape(_ops.cast(first, dtypes.int64), [-1, 1, 1, 1]))
    return MaxPoolWithArgmax(output, _ops.cast(argmax, dtypes.as_dtype(output_dtype)))


def _lengths(size: int, count: int, words: Words, pseudo_random: bool) -> list[int]:
    """The sizes of `count` regions that make up `size`; B. Graham, "Fractional max-pooling"."""
    least = size // count
    if pseudo_random:
        ratio = size / count
        most = min((least + 2) / ratio - 1, (size + 1 - least) / ratio - (count - 1))
        u = words.double() * most
        inner = (int(math.ceil(ratio * (k + u))) for k in range(1, count))
        ends = [1, *inner, size + 1]
        return [after - before for before, after in zip(ends, ends[1:], strict=False)]
    lengths = [least + 1 if k < size % count else least for k in range(count)]
    for k in range(count):
        other = k + words.word() % (count - k)
        lengths[k], lengths[other] = lengths[other], lengths[k]
    return lengths


def _ratios(pooling_ratio: Any) -> list[float]:
    """The ratio along each axis."""
    ratios = list(pooling_ratio) if isinstance(pooling_ratio, list | tuple) else [pooling_ratio]
    if len(ratios) == 1:
        return [1.0, ratios[0], ratios[0], 1.0]
    return [1.0, *ratios, 1.0] if len(ratios) == 2 else ratios


def _pooled(kind: type) -> Any:
    """The node of a pooling with regions of random sizes, while a graph is built."""

    def counts(value: TensorLike, pooling_ratio: Sizes) -> list[Any]:
        sizes = sizes_of(of_rank(_core.as_tensor(value), 4))[1:3]
        return [
            math.floor(size / ratio)
            if is_known(size)
            else _ops.cast(_ops.floor(_ops.cast(size, dtypes.float64) / ratio), dtypes.int64)
            for size, ratio in zip(sizes, _ratios(pooling_ratio)[1:3], strict=True)
        ]

    def specs(value: TensorLike, pooling_ratio: Sizes, *args: object, **kwargs: object) -> Any:
        x = of_rank(_core.as_tensor(value), 4)
        known = [count if is_known(count) else None for count in counts(x, pooling_ratio)]
        ends = [None if count is None else count + 1 for count in known]
        return kind(
            TensorSpec([x.shape[0], *known, x.shape[3]], x.dtype),
            *(TensorSpec([end], dtypes.int64) for end in ends),
        )

    def of(function: Callable) -> Callable[..., Any]:
        signature = inspect.signature(function)

        def call(*args: Any, **kwargs: Any) -> Any:
            arguments = signature.bind(*args, **kwargs).arguments
            if arguments.get("seed"):
                arguments["seed"] = random_seed.get_seed(arguments["seed"])
            return host_call(function, specs(*args, **kwargs), (), arguments, name=kind.__name__)

        return call

    return of


def _stream(seed: TensorLike) -> random_seed.Stream:
    """The start of the stream of a seed or of a pair of seeds; a random position without one."""
    if not seed:
        key, low, high = random_seed.unforeseen()
        return random_seed.Stream(key, (high << 64) + low)
    first, second = seed if isinstance(seed, tuple) else random_seed.get_seed(seed)
    return random_seed.Stream(first, second << 64)


def _fractional(
    value: Any, pooling_ratio: Any, pseudo_random: bool, overlapping: bool, seed: int, op: str
) -> tuple[Tensor, list[list[int]], list[tuple[np.ndarray, np.ndarray]]]:
    """The images, where regions begin along rows and columns, and the indices of each region."""
    x = _core.as_tensor(value)
    if x.ndim != 4:
        raise invalid_argument(f"tensor_in must be 4-dimensional [Op:{op}]")
    ratios = _ratios(pooling_ratio)
    if len(ratios) != 4 or ratios[0] != 1 or ratios[3] != 1:
        raise ValueError(
            f"`pooling_ratio` must be [1, rows, columns, 1]. Received: {pooling_ratio}"
        )
    if min(ratios) < 1:
        raise ValueError(f"`pooling_ratio` should be >= 1.0. Received: {pooling_ratio}")
    sizes = x._shape_tuple()[1:3]
    sequences, regions = [], []
    stream = _stream(seed)
    for size, ratio in zip(sizes, ratios[1:3], strict=True):
        count = int(math.floor(size / ratio))
        if count < 1:
            raise invalid_argument(f"Output size must be positive, got {count} [Op:{op}]")
        blocks = 1 if pseudo_random else -(-count // 4)
        words = Words(stream.take(blocks))
        lengths = _lengths(size, count, words, pseudo_random)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        sequences.append(starts.tolist())
        last = np.minimum(starts[1:] if overlapping else starts[1:] - 1, size - 1)
        widths = last - starts[:-1] + 1
        indices = starts[:-1, None] + np.arange(widths.max())
        regions.append((np.minimum(indices, size - 1), np.arange(widths.max()) < widths[:, None]))
    return x, sequences, regions


def _sequence(starts: list[int]) -> Tensor:
    return _core.as_tensor(np.array(starts, np.int64))


@op_function(in_graph=_pooled(FractionalMaxPool))
def fractional_max_pool(
    value: TensorLike,
    pooling_ratio: Any,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> FractionalMaxPool:
    """The largest element of each region, where regions have random sizes.

    Args:
        value: images `[batch, rows, columns, channels]`.
        pooling_ratio: how much smaller the result is: a scalar, or `[1, rows, columns, 1]`.
        pseudo_random: whether sizes follow from one random value, or are in random order.
        overlapping: whether regions share their borders.
        seed: makes the sizes reproducible unless it is 0.

    Returns:
        The result, and the first rows and columns of the regions.

    Raises:
        ValueError: if a ratio is below 1.

    >>> tf.nn.fractional_max_pool(tf.zeros([1, 9, 9, 2]), 1.5).output.shape
    TensorShape([1, 6, 6, 2])
    """
    if not isinstance(pooling_ratio, list | tuple | int | float):
        raise ValueError(
            "`pooling_ratio` should be an int or a list of ints. "
            f"Received: pooling_ratio={pooling_ratio}"
        )
    x, sequences, regions = _fractional(
        value, pooling_ratio, pseudo_random, overlapping, seed, "FractionalMaxPool"
    )
    lowest = least(x.dtype)
    for axis, (indices, used) in zip((1, 2), regions, strict=True):
        taken = _ops.gather(x, indices, axis, 0)
        shape = [1] * taken.ndim
        shape[axis : axis + 2] = used.shape
        x = _ops.reduce_max(_ops.select(used.reshape(shape), taken, lowest), axis=axis + 1)
    return FractionalMaxPool(x, *map(_sequence, sequences))


@composed_op(
    "FractionalAvgPool",
    checked_first=True,
    in_graph=_pooled(FractionalAvgPool),
    value=Input(INDEX_TYPES, "float32", "float64"),
    pooling_ratio=list[float],
)
def fractional_avg_pool(
    value: TensorLike,
    pooling_ratio: Sizes,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> FractionalAvgPool:
    """The mean of each region, where regions have random sizes; see `fractional_max_pool`.

    >>> tf.nn.fractional_avg_pool(tf.zeros([1, 9, 9, 2]), [1.0, 1.5, 1.5, 1.0]).output.shape
    TensorShape([1, 6, 6, 2])
    """
    x, sequences, regions = _fractional(
        value, pooling_ratio, pseudo_random, overlapping, seed, "FractionalAvgPool"
    )
    kind = x.dtype.as_numpy_dtype
    divisor: Any = 1
    for axis, (indices, used) in zip((1, 2), regions, strict=True):
        taken = _ops.gather(x, indices, axis, 0)
        shape = [1] * taken.ndim
        shape[axis : axis + 2] = used.shape
        x = _ops.reduce_sum(taken * used.reshape(shape).astype(kind), axis=axis + 1)
        around = [1] * x.ndim
        around[axis] = len(used)
        divisor = divisor * used.sum(axis=1).reshape(around)
    average = x / _core.as_tensor(divisor.astype(kind))
    return FractionalAvgPool(average, *map(_sequence, sequences))
