"""TensorFlow's operations that need more than one call of ours; `rules.txt` names them."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import eagerflow as tf
from eagerflow import _core
from eagerflow.framework import context, random_seed
from eagerflow.framework.func_graph import dims_of
from eagerflow.ops.assertions import require
from eagerflow.ops.indexing import select_rows as select_rows
from eagerflow.ops.numpy_ops import on_values
from eagerflow.ops.random.stateful import sizes_of
from eagerflow.typing import DTypeLike, TensorLike
from eagerflow.util import lazy

# Imported when they are first used: few graphs need them.
corner_resizing = lazy.Module("eagerflow.image.corner_resizing")
distributions = lazy.Module("eagerflow.ops.random.distributions")
projective = lazy.Module("eagerflow.image.projective")
resampling = lazy.Module("eagerflow.image.resampling")

_ops = _core.ops
Tensor = _core.Tensor


def known(value: TensorLike) -> Any:
    """Python scalars for a tensor that is constant while tracing; else the tensor."""
    found = tf.get_static_value(value)
    return value if found is None else found.tolist()


def concat_offset(axis: Tensor, shapes: Sequence[Tensor]) -> list[Tensor]:
    """`ConcatOffset`: where each of the parts of a concatenation begins."""
    stacked = tf.stack(shapes)
    starts = tf.cumsum(stacked, exclusive=True)
    along = tf.one_hot(axis, tf.shape(stacked)[1], dtype=stacked.dtype)
    return tf.unstack(starts * along, len(shapes))


def prevent_gradient(input: TensorLike, message: str = "", name: str | None = None) -> Tensor:
    """`PreventGradient`: the tensor itself, whose gradient nobody may ask for.

    Raises:
        LookupError: when a gradient by it is computed.
    """

    @tf.custom_gradient
    def pass_on(value: Tensor) -> Any:
        def refuse(*gradients: object) -> Any:
            raise LookupError(f"Gradient explicitly disabled. Reason: {message!r}")

        return _ops.identity(value), refuse

    return pass_on(_core.as_tensor(input))


def broadcast_gradient_axes(s0: Tensor, s1: Tensor) -> list[Tensor]:
    """`BroadcastGradientArgs`: the axes along which two shapes are broadcast to each other.

    An axis of size 1 in both is listed in both, unless the shapes are the same.
    """
    tf.broadcast_dynamic_shape(s0, s1)  # raises where they do not fit
    rank = tf.maximum(tf.size(s0), tf.size(s1))
    padded = [tf.concat([tf.ones([rank - tf.size(s)], s.dtype), s], 0) for s in (s0, s1)]
    same = tf.logical_and(
        tf.equal(tf.size(s0), tf.size(s1)), tf.reduce_all(tf.equal(padded[0], padded[1]))
    )
    return [
        tf.cast(tf.reshape(tf.where(tf.logical_and(tf.equal(sizes, 1), ~same)), [-1]), s0.dtype)
        for sizes in padded
    ]


def unique_rows(x: Tensor, axis: Tensor, out_idx: DTypeLike) -> list[Tensor]:
    """`UniqueWithCountsV2`: the different slices along an axis, where each is, and how many."""
    # An empty `axis`, which a graph may pass without a value, means axis 0 of a vector.
    along = known(axis)[0] if axis.shape.num_elements() and x.shape.rank != 1 else 0
    if x.shape.rank == 1:
        return list(_ops.unique_with_counts(x, out_idx))
    moved = tf.experimental.numpy.moveaxis(x, along, 0)
    sizes = tf.shape(moved)
    rows = tf.reshape(moved, [sizes[0], tf.reduce_prod(sizes[1:])])
    # Two rows are the same slice where all of their elements are, and each is itself, NaN or not.
    numbers = tf.range(sizes[0])
    itself = tf.equal(numbers[:, None], numbers)
    same = tf.reduce_all(tf.equal(tf.expand_dims(rows, 0), tf.expand_dims(rows, 1)), axis=2)
    first = tf.reduce_min(tf.where(tf.logical_or(same, itself), numbers, sizes[0]), axis=1)
    found = _ops.unique_with_counts(first, out_idx)
    slices = tf.gather(moved, found[0])
    return [tf.experimental.numpy.moveaxis(slices, 0, along), found[1], found[2]]


def truth(value: Tensor) -> Tensor:
    """`ToBool`: Python's truth of a tensor."""
    if value.shape.rank != 0:
        return tf.size(value) > 0
    if value.dtype is tf.string:
        return tf.strings.length(value) > 0
    return tf.cast(value, tf.bool)


def equality(x: Tensor, y: Tensor, equal: bool) -> Tensor:
    """`Equal` and `NotEqual` of shapes that may not broadcast, in which case all elements are unequal."""
    return _core.equality(x, y, equal)


def population_count(x: Tensor) -> Tensor:
    """`PopulationCount`: the number of bits that are set in each integer."""
    bits = x.dtype.size * 8
    total = tf.zeros_like(x, tf.uint8)
    for k in range(bits):
        bit = tf.bitwise.bitwise_and(
            tf.bitwise.right_shift(x, tf.cast(k, x.dtype)), tf.ones_like(x)
        )
        total += tf.cast(bit, tf.uint8)
    return total


def projective_transform(
    images: Tensor,
    transforms: Tensor,
    size: Any,
    fill_value: TensorLike = 0.0,
    *,
    fill_mode: str,
    interpolation: str,
) -> Tensor:
    """`ImageProjectiveTransformV3`, and V2 without a value for what lies beyond the border."""
    floating = images.dtype if images.dtype.is_floating else tf.float32
    batch = images._sizes()[0]
    rows = tf.broadcast_to(transforms, [batch, 8])
    size = known(size)
    result = projective.transformed(
        tf.cast(images, floating),
        tf.unstack(rows, axis=1),
        fill_mode.lower(),
        tf.cast(fill_value, floating),
        interpolation.lower(),
        (size[0], size[1]) if isinstance(size, Tensor) else tuple(map(int, size)),
    )
    return tf.cast(result, images.dtype)


def bucketize(x: Tensor, boundaries: Sequence[float]) -> Tensor:
    """`Bucketize`: the index of the bucket of each value."""
    limits = tf.constant(boundaries, tf.float32)
    flat = tf.reshape(tf.cast(x, tf.float32), [-1])
    return tf.reshape(tf.searchsorted(limits, flat, "right"), tf.shape(x))


def bincount(values: Tensor, size: Tensor, weights: Tensor) -> Tensor:
    """`Bincount`."""
    return dense_bincount(tf.reshape(values, [-1]), size, tf.reshape(weights, [-1]), False)


def weights_of_counts(weights: Tensor, values: Tensor) -> Tensor | None:
    """The weights of counted values, ones if empty; None if they are known to be empty."""
    count = weights.shape.num_elements()
    if count is not None:
        return weights if count else None
    ones = tf.ones(tf.shape(values), weights.dtype)
    return tf.cond(tf.size(weights) > 0, lambda: weights, lambda: ones)


def dense_bincount(values: Tensor, size: Tensor, weights: Tensor, binary: bool) -> Tensor:
    """`DenseBincount`: the count of each value, for each row of a matrix."""
    given = weights_of_counts(weights, values)
    axis = 0 if values.shape.rank == 1 else -1
    dtype = weights.dtype

    def refuse(size: Tensor) -> None:
        message = f"OOM when allocating tensor with shape[{int(size)}] [Op:DenseBincount]"
        raise tf.errors.ResourceExhaustedError(None, None, message)

    require(size <= tf.int32.max, refuse, size)
    size = tf.cast(size, tf.int32)
    return tf.math.bincount(values, given, size, size, dtype, axis=axis, binary_output=binary)


def ragged_bincount(
    splits: Tensor, values: Tensor, size: Tensor, weights: Tensor, binary: bool
) -> Tensor:
    """`RaggedBincount`: the count of each value, for each row."""
    rows = tf.RaggedTensor.from_row_splits(values, splits, validate=False).value_rowids()
    count = tf.cast(size, tf.int64)
    kept = tf.logical_and(values >= 0, values < size)
    places = tf.boolean_mask(rows * count + tf.cast(values, tf.int64), kept)
    given = weights_of_counts(weights, values)
    if given is None:
        given = tf.ones(tf.shape(values), weights.dtype)
    number = tf.size(splits, tf.int64) - 1
    totals = tf.math.unsorted_segment_sum(tf.boolean_mask(given, kept), places, number * count)
    if binary:
        totals = tf.cast(totals > 0, weights.dtype)
    return tf.reshape(totals, [number, count])


def ctc_loss(
    inputs: Tensor,
    indices: Tensor,
    values: Tensor,
    lengths: Tensor,
    collapse: bool,
    merge: bool,
    ignore_longer: bool,
) -> list[Any]:
    """The losses of scores `[frames, batch, classes]`, and their gradients by the scores."""
    if collapse or not merge:
        raise tf.errors.UnimplementedError(
            None, None, "CTCLoss merges repeated labels, and does not collapse them before."
        )
    longest = tf.reduce_max(tf.concat([indices[:, 1], tf.constant([-1], tf.int64)], 0)) + 1
    sizes = tf.stack([tf.shape(inputs, tf.int64)[1], longest])
    labels: Any = tf.SparseTensor(indices, values, sizes)
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        loss: Any = tf.nn.ctc_loss(labels, inputs, None, lengths, blank_index=-1)
    return [loss, tape.gradient(loss, inputs)]


def ctc_greedy(inputs: Tensor, lengths: Tensor, merge: bool, blank: int) -> list[Tensor]:
    """`CTCGreedyDecoder`."""
    found: Any = tf.nn.ctc_greedy_decoder(inputs, lengths, merge, None if blank < 0 else blank)
    ((decoded,), weights) = found
    return [decoded.indices, decoded.values, decoded.dense_shape, weights]


def ctc_beam_search(inputs: Tensor, lengths: Tensor, width: int, paths: int) -> list[Any]:
    """`CTCBeamSearchDecoder`."""
    found: Any = tf.nn.ctc_beam_search_decoder(inputs, lengths, width, paths)
    decoded, weights = found
    parts = ("indices", "values", "dense_shape")
    return [*([getattr(path, part) for path in decoded] for part in parts), weights]


def svd(matrix: Tensor, vectors: bool, full: bool) -> tuple[Tensor, Tensor, Tensor]:
    """`Svd`, whose singular values have the matrix's dtype."""
    if vectors:
        s, u, v = tf.linalg.svd(matrix, full)
        return tf.cast(s, matrix.dtype), u, v
    nothing = tf.zeros([0], matrix.dtype)
    return tf.cast(tf.linalg.svd(matrix, full, False), matrix.dtype), nothing, nothing


def fused_batch_norm(
    x: Tensor,
    scale: Tensor,
    offset: Tensor,
    mean: Tensor,
    variance: Tensor,
    epsilon: float,
    factor: float,
    layout: str,
    training: bool,
) -> tuple[Tensor, ...]:
    """`FusedBatchNormV3`: the result, mean and variance, and what its gradient would read."""
    axis = 1 if layout == "NCHW" else -1
    if not training:
        y = _ops.batch_norm_inference(x, scale, offset, mean, variance, epsilon, axis)
        return y, mean, variance, mean, variance, _ops.zeros([0], mean.dtype)
    y, new_mean, spread, _ = _ops.batch_norm(x, scale, offset, epsilon, axis)
    count = tf.cast(tf.size(x) / tf.maximum(tf.size(scale), 1), spread.dtype)
    new_variance = spread * (count / tf.maximum(count - 1, 1))
    if factor != 1.0:
        new_mean_kept = mean * (1 - factor) + new_mean * factor
        new_variance = variance * (1 - factor) + new_variance * factor
        return y, new_mean_kept, new_variance, new_mean, spread, _ops.zeros([0], spread.dtype)
    return y, new_mean, new_variance, new_mean, spread, _ops.zeros([0], spread.dtype)


def max_pool_v2(x: Tensor, ksize: Tensor, strides: Tensor, padding: str, layout: str) -> Tensor:
    """`MaxPoolV2`, whose windows are tensors."""
    sizes, steps = (tf.get_static_value(t).tolist() for t in (ksize, strides))
    return _ops.max_pool(x, sizes, steps, padding, [], layout)


def string_ngrams(
    data: Tensor,
    splits: Tensor,
    separator: str,
    widths: Sequence[int],
    left: str,
    right: str,
    pad_width: int,
    short: bool,
) -> tuple[Tensor, Tensor]:
    """`StringNGrams`."""
    rows = tf.RaggedTensor.from_row_splits(data, tf.cast(splits, tf.int64))
    padding = (left, right) if pad_width else None
    width = pad_width if pad_width > 0 else None
    found = tf.strings.ngrams(rows, tuple(widths), separator, padding, width, short)
    return found.values, tf.cast(found.row_splits, splits.dtype)


def string_split(text: Tensor, separator: Tensor, limit: int) -> tuple[Tensor, Tensor, Tensor]:
    """`StringSplitV2`."""
    known = tf.get_static_value(separator)
    parts = tf.strings.split(text, separator if known is None else known or None, limit)
    return sparse_parts(parts.to_sparse())


def sparse(indices: TensorLike, values: TensorLike, shape: TensorLike) -> Any:
    """The sparse tensor of three; indices may be int32."""
    return tf.SparseTensor(tf.cast(indices, tf.int64), values, tf.cast(shape, tf.int64))


def sparse_parts(tensor: Any) -> tuple[Tensor, Tensor, Tensor]:
    """The three tensors of a sparse one."""
    return tensor.indices, tensor.values, tensor.dense_shape


def sparse_fill_empty_rows(
    indices: Tensor, values: Tensor, shape: Tensor, default: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """`SparseFillEmptyRows`, with the new index of each value."""
    tensor = tf.SparseTensor(indices, values, shape)
    filled, empty = tf.sparse.fill_empty_rows(tensor, default)
    places = tf.SparseTensor(indices, tf.range(tf.size(values, tf.int64)) + 1, shape)
    order = tf.sparse.fill_empty_rows(places, tf.constant(0, tf.int64))[0].values
    at = tf.reshape(tf.where(order > 0), [-1])
    return filled.indices, filled.values, empty, at


def sparse_reshape(indices: Tensor, shape: Tensor, new_shape: Tensor) -> tuple[Tensor, Tensor]:
    """`SparseReshape`, which reads no values."""
    values = tf.zeros_like(indices[:, 0])
    found = tf.sparse.reshape(tf.SparseTensor(indices, values, shape), new_shape)
    return found.indices, found.dense_shape


def sets(name: str) -> Callable[..., Any]:
    """The function of a set operation."""
    if name == "b-a":
        return lambda a, b, **options: tf.sets.difference(a, b, aminusb=False, **options)
    functions = {"intersection": tf.sets.intersection, "union": tf.sets.union}
    return functions.get(name, tf.sets.difference)


def ragged(values: Tensor, splits: Sequence[Tensor]) -> Any:
    """The ragged tensor of values and nested splits."""
    return tf.RaggedTensor.from_nested_row_splits(values, splits, validate=False)


def ragged_parts(tensor: Any) -> tuple[Tensor, Tensor]:
    """Splits and values of a ragged tensor; a vector counts as one row."""
    if isinstance(tensor, Tensor):
        return tf.stack([0, tf.size(tensor, tf.int64)]), tensor
    return tensor.row_splits, tensor.values


def ragged_range(starts: Tensor, limits: Tensor, deltas: Tensor) -> tuple[Tensor, Tensor]:
    """`RaggedRange`."""
    found = tf.ragged.range(starts, limits, deltas)
    return found.row_splits, found.values


def ragged_gather(
    splits: Sequence[Tensor], values: Tensor, indices: Tensor
) -> tuple[list[Tensor], Tensor]:
    """`RaggedGather`."""
    found: Any = tf.gather(ragged(values, splits), indices)
    dtype = splits[0].dtype
    return [tf.cast(part, dtype) for part in found.nested_row_splits], found.flat_values


def ragged_from_variant(
    encoded: Tensor, input_rank: int, output_rank: int, dtype: Any, splits_dtype: Any
) -> tuple[list[Tensor], Tensor]:
    """`RaggedTensorFromVariant`."""
    *splits, values = _ops.ragged_from_variant(
        encoded, input_rank, output_rank, dtype, splits_dtype
    )
    return splits, values


def ragged_to_tensor(
    shape: Tensor, values: Tensor, default: Tensor, partitions: Sequence[Tensor], kinds: Any
) -> Tensor:
    """`RaggedTensorToTensor`."""
    rows: Any = values
    for tensor, kind in zip(reversed(partitions), reversed(kinds), strict=True):
        if kind == "ROW_SPLITS":
            rows = tf.RaggedTensor.from_row_splits(rows, tensor, validate=False)
        elif kind == "VALUE_ROWIDS":
            rows = tf.RaggedTensor.from_value_rowids(rows, tensor, partitions[0], validate=False)
    known = tf.get_static_value(shape)
    sizes = None if known is None or known.ndim == 0 else [n if n >= 0 else None for n in known]
    return rows.to_tensor(default, shape=sizes)


def key_counter(seed: Tensor) -> tuple[Tensor, Tensor]:
    """`StatelessRandomGetKeyCounter`: the state of the generator that begins with a seed."""
    pair = tf.cast(seed, tf.int64)
    mixing = random_seed.signed(0x02461E293EC8F720)
    words = _ops.philox_uniform_full_int([2], tf.uint64, mixing, pair[0], pair[1])
    return words[:1], tf.stack([tf.zeros_like(words[1]), words[1]])


def philox(key: Tensor, counter: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The state of a generator as attributes of random operations."""
    key, counter = tf.bitcast(key, tf.int64), tf.bitcast(counter, tf.int64)
    return tf.reshape(key, []), counter[0], counter[1]


def seeded(draw: Callable[..., Tensor], seed: int, seed2: int, *args: Any, **options: Any) -> Any:
    """Calls a random operation with two seeds; if both are 0, without a seed."""
    return draw(*args, **options, seed=(seed, seed2) if seed or seed2 else None)


def seeds(seed: int, seed2: int, is_fixed: bool) -> tuple[int, int] | int:
    """The two seeds of an operation; 0 if each call should draw other values."""
    return (seed, seed2) if is_fixed or seed or seed2 else 0


def random_gamma(shape: Tensor, alpha: Tensor, seed: int, seed2: int) -> Tensor:
    """`RandomGamma`."""
    return seeded(tf.random.gamma, seed, seed2, shape, alpha, dtype=alpha.dtype)


def element_shape(shape: TensorLike) -> Any:
    """The sizes of a list's elements; None if their number is unknown."""
    known = tf.get_static_value(shape)
    if known is None:
        return None
    return None if known.ndim == 0 else known.tolist()


def tensor_list_concat(handle: Tensor, dtype: Any, shape: Any) -> tuple[Tensor, Tensor]:
    """`TensorListConcatV2`; the shape is that of an element, whose first size varies."""
    sizes = element_shape(shape)
    return _ops.tensor_list_concat(handle, None, dtype, sizes)


def immutable_const(dtype: Any, shape: Any, memory_region_name: str) -> Tensor:
    """`ImmutableConst`: the numbers at the beginning of a file."""
    numbers = tf.io.decode_raw(tf.io.read_file(memory_region_name), dtype)
    return tf.reshape(numbers[: shape.num_elements()], shape)


def tensor_list_concat_of_shape(handle: Tensor, dtype: Any, shape: Any) -> tuple[Tensor, Tensor]:
    """`TensorListConcat`; the attribute is the shape of an element, or None."""
    known = tf.TensorShape(shape)
    sizes = None if known.rank is None else [-1 if n is None else n for n in known.as_list()]
    return _ops.tensor_list_concat(handle, None, dtype, sizes)


def add_n(inputs: list[Tensor]) -> Tensor:
    """`AddN`, of tensors, lists or ragged variants."""
    if inputs[0].dtype is not tf.variant:
        return _ops.add_n(inputs)
    return functools.reduce(_ops.variant_add, inputs)


def zeros_like(x: Tensor) -> Tensor:
    """`ZerosLike`, of tensors, lists or ragged variants."""
    return _ops.variant_zeros_like(x) if x.dtype is tf.variant else _ops.zeros_like(x)


def tensor_list_push_back(handle: Tensor, item: Tensor) -> Tensor:
    """`TensorListPushBack`."""
    return _ops.tensor_list_set_item(handle, _ops.tensor_list_length(handle), item, True)


def tensor_list_split(values: Tensor, shape: TensorLike, lengths: Tensor) -> Tensor:
    """`TensorListSplit`: a list of parts of a tensor, along its first axis."""
    count = tf.size(lengths)
    ends = tf.cumsum(lengths)

    def put(k: Tensor, parts: Tensor) -> tuple[Tensor, Tensor]:
        part = values[ends[k] - lengths[k] : ends[k]]
        return k + 1, _ops.tensor_list_set_item(parts, k, part, False)

    new = _ops.tensor_list_reserve(count, values.dtype, element_shape(shape))
    return tf.while_loop(lambda k, _: k < count, put, [tf.constant(0), new])[1]


def tensor_list_scatter(values: Tensor, indices: Tensor, shape: Any, count: Tensor) -> Tensor:
    """`TensorListScatterV2`: a new list."""
    size = tf.maximum(count, tf.reduce_max(tf.concat([indices, [-1]], 0)) + 1)
    new = _ops.tensor_list_reserve(size, values.dtype, element_shape(shape))
    return _ops.tensor_list_scatter(new, indices, values)


def check(condition: Tensor, data: Sequence[Tensor], summarize: int) -> None:
    """`Assert`."""
    tf.debugging.Assert(condition, list(data), summarize)


def print_v1(value: Tensor, data: Sequence[Tensor], message: str, summarize: int) -> Tensor:
    """`Print`: prints, and returns its first argument."""
    tf.print(message, *data, summarize=summarize)
    return _ops.identity(value)


def stream(name: str) -> Any:
    """Where `PrintV2` prints to."""
    import sys

    return {"stdout": sys.stdout, "stderr": sys.stderr}.get(name, name)


def resize_nearest(images: Tensor, size: Tensor, align: bool, half: bool) -> Tensor:
    """`ResizeNearestNeighbor`, whatever sizes are known."""
    for axis in (1, 2):
        count = size[axis - 1]
        old = tf.cast(tf.shape(images)[axis], tf.float32)
        new = tf.cast(count, tf.float32)
        scale = (old - 1.0) / tf.maximum(new - 1.0, 1.0) if align else old / new
        places = tf.cast(tf.range(count), tf.float32)
        at = (places + 0.5) * scale if half else places * scale
        at = tf.floor(at + 0.5) if align else tf.floor(at)
        indices = tf.cast(tf.clip_by_value(at, 0.0, old - 1.0), tf.int32)
        images = tf.gather(images, indices, axis=axis)
    return images


def axis_positions(x: Tensor, source: str, target: str) -> Tensor:
    """`DataFormatDimMap`: the index of each axis in another layout."""
    rank = len(source)
    table = tf.constant([target.index(axis) for axis in source], x.dtype)
    return tf.gather(table, tf.where(x < 0, x + rank, x))


def permuted(x: Tensor, source: str, target: str) -> Tensor:
    """`DataFormatVecPermute`: what belongs to each axis, in the order of another layout."""
    size = x.shape[0]
    if size == len(source) - 2:
        source, target = (
            "".join(axis for axis in layout if axis in "DHW") for layout in (source, target)
        )
    return tf.gather(x, [source.index(axis) for axis in target])


def padded_conv2d(
    x: Tensor, paddings: Tensor, filters: Tensor, mode: str, strides: Any, padding: str
) -> Tensor:
    """`FusedPadConv2D`."""
    return _ops.conv2d(tf.pad(x, known(paddings), mode), filters, strides, padding)


def resized_conv2d(x: Tensor, size: Tensor, align: bool, paddings: Tensor, *rest: Any) -> Tensor:
    """`FusedResizeAndPadConv2D`."""
    large = corner_resizing.resize_bilinear(x, size, align)
    return padded_conv2d(large, paddings, *rest)


def convolution(
    x: Tensor, filters: Tensor, strides: Sequence[int], padding: str, explicit: Sequence[int],
    layout: str, dilations: Sequence[int], batch_dims: int,
) -> Tensor:  # fmt: skip
    """`Conv`: a convolution of two or three axes, with any number of batch axes."""
    count = (filters.shape.rank or 4) - 2
    last = layout == "CHANNELS_LAST"
    axes = slice(batch_dims, -1) if last else slice(batch_dims + 1, None)
    pairs: Any = padding
    if padding == "EXPLICIT":
        spatial = list(zip(explicit[::2], explicit[1::2], strict=True))[axes]
        none = [[0, 0]]
        around = [*none, *spatial, *none] if last else [*none, *none, *spatial]
        x, pairs = tf.pad(x, none * (batch_dims - 1) + around), "VALID"
    sizes = tf.shape(x)
    flat = tf.reshape(x, tf.concat([[-1], sizes[batch_dims:]], 0))
    names = "DHW"[3 - count :]
    found = tf.nn.convolution(
        flat,
        filters,
        list(strides[axes]),
        pairs,
        f"N{names}C" if last else f"NC{names}",
        list(dilations[axes]) if dilations else None,
    )
    return tf.reshape(found, tf.concat([sizes[:batch_dims], tf.shape(found)[1:]], 0))


def reversed_axes(x: Tensor, chosen: Tensor) -> Tensor:
    """`Reverse`, which takes a boolean for each axis."""
    flags: Any = known(chosen)
    return tf.reverse(x, [axis for axis, flag in enumerate(flags) if flag])


def unique_slices(x: Tensor, axis: Tensor, out_idx: DTypeLike) -> list[Tensor]:
    """`UniqueV2`."""
    return unique_rows(x, axis, out_idx)[:2]


def nearest_centers(points: Tensor, centers: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
    """`NearestNeighbors`: which centers are nearest to each point, and their squared distances."""
    differences = tf.expand_dims(points, 1) - tf.expand_dims(centers, 0)
    distances = tf.reduce_sum(tf.square(differences), 2)
    count = tf.minimum(tf.cast(k, tf.int32), tf.shape(centers)[0])
    found, places = tf.math.top_k(-distances, count)
    return tf.cast(places, tf.int64), -found


def banded_solve(bands: Tensor, rhs: Tensor, lower: bool, adjoint: bool) -> Tensor:
    """`BandedTriangularSolve`."""
    return tf.linalg.banded_triangular_solve(bands, rhs, lower, adjoint)


def spectrogram(x: Tensor, window: int, stride: int, squared: bool) -> Tensor:
    """`AudioSpectrogram` of samples `[time, channels]`: `[channels, frames, frequencies]`."""
    length = 1 << max(window - 1, 0).bit_length()
    if x.ndim == 2 and x.shape[0] is not None and 0 <= x.shape[0] < window:
        return tf.zeros([tf.shape(x)[1], 0, length // 2 + 1])
    found = tf.abs(tf.signal.stft(tf.transpose(x), window, stride, length))
    return tf.square(found) if squared else found


def mfcc(
    spectra: Tensor, rate: Tensor, highest: float, lowest: float, channels: int, count: int
) -> Tensor:
    """`Mfcc` of squared magnitudes `[channels, frames, frequencies]`.

    The filters are triangles whose centres lie evenly on the mel scale; the logarithms of the
    energies, which are sums of magnitudes, are transformed by cosines.
    """
    bins = tf.shape(spectra)[2]

    def mel(frequency: TensorLike) -> Tensor:
        return 1127.0 * tf.math.log1p(tf.cast(frequency, tf.float64) / 700.0)

    low, high = mel(lowest), mel(highest)
    width = (high - low) / (channels + 1)
    hertz = 0.5 * tf.cast(rate, tf.float64) / tf.cast(bins - 1, tf.float64)
    numbers = tf.cast(tf.range(bins), tf.float64)
    first = tf.floor(1.5 + lowest / hertz)
    last = tf.floor(highest / hertz)
    place = (mel(numbers * hertz) - low) / width
    # A frequency lies between two centres, and counts for both by its distance.
    magnitudes = tf.transpose(tf.sqrt(tf.cast(spectra, tf.float64)), [2, 0, 1])
    inside = tf.logical_and(numbers >= first, numbers <= last)
    below = tf.floor(place)
    energy: Any = 0.0
    for centre, share in ((below - 1, below + 1 - place), (below, place - below)):
        counts = tf.logical_and(inside, tf.logical_and(centre >= 0, centre < channels))
        filters = tf.cast(tf.where(counts, centre, -1.0), tf.int32)
        parts = magnitudes * share[:, None, None]
        energy += tf.math.unsorted_segment_sum(parts, filters, channels)
    energy = tf.transpose(energy, [1, 2, 0])
    logs = tf.math.log(tf.maximum(energy, 1e-12))
    steps = tf.range(channels, dtype=tf.float64) + 0.5
    waves = tf.cos(tf.range(count, dtype=tf.float64)[:, None] * steps[None] * (math.pi / channels))
    return tf.cast(tf.einsum("cfm,km->cfk", logs, waves) * math.sqrt(2.0 / channels), tf.float32)


def scaled(
    images: Tensor, size: Tensor, scale: Tensor, translation: Tensor, kernel: str, antialias: bool
) -> Tensor:
    """`ScaleAndTranslate`, whatever sizes are known."""
    moved = [size, scale, translation]
    if None in images.shape.as_list()[1:3] or any(_core.static_value(t) is None for t in moved):
        outside = images.shape[0], images.shape[3]
        spec = tf.TensorSpec([outside[0], None, None, outside[1]], tf.float32)
        return on_values(scaled, [images, *moved], [spec], kernel, antialias)[0]
    sizes: Any = known(size)
    factors, moves = (known(t) for t in (scale, translation))
    tables = [
        resampling.moved_table(
            kernel, antialias, sizes[k], images.shape[k + 1], factors[k], moves[k]
        )
        for k in range(2)
    ]
    return resampling.resampled(tf.cast(images, tf.float32), *tables)


def chosen_boxes(
    boxes: Tensor, scores: Tensor, count: Tensor, overlap: Tensor, least: Tensor, sigma: TensorLike, pad: bool
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """`NonMaxSuppressionV5`: the indices of boxes, their scores, and how many there are."""
    places, kept = tf.image.non_max_suppression_with_scores(
        boxes, scores, count, overlap, least, sigma
    )
    number = tf.size(places)
    if pad:
        paddings = tf.reshape(tf.stack([0, count - number]), [1, 2])
        places, kept = tf.pad(places, paddings), tf.pad(kept, paddings)
    return places, kept, number


def candidates(draw: Callable[..., Any], seed: int, seed2: int, *args: Any, **options: Any) -> Any:
    """Calls an operation that samples candidate classes."""
    return draw(*args, **options, seed=seeds(seed, seed2, False) or None)


def optional_value(optional: Any) -> list[Any]:
    """`OptionalGetValue`."""
    return tf.nest.flatten(optional.get_value(), expand_composites=True)


def eig(x: Tensor, vectors: bool, dtype: DTypeLike) -> tuple[Tensor, Tensor]:
    """`Eig`."""
    values, found = tf.linalg.eig(x) if vectors else (tf.linalg.eigvals(x), tf.zeros([0], dtype))
    return tf.cast(values, dtype), tf.cast(found, dtype)


def jpeg_of_quality(image: Tensor, quality: Tensor) -> Tensor:
    """`EncodeJpegVariableQuality`, whose quality is a tensor."""
    return tf.io.encode_jpeg(image, quality=int(known(quality)))


def older_glimpse(
    x: Tensor, size: Tensor, offsets: Tensor, centred: bool, normalized: bool, uniform: bool, noise: str
) -> Tensor:  # fmt: skip
    """`ExtractGlimpse`, whose centred coordinates reach from -1 to 1 as those of version 1 do."""
    kind = noise if noise != "uniform" or uniform else "gaussian"
    return tf.image.extract_glimpse(x, size, offsets, centred, normalized, kind)


def gamma_at(shape: Tensor, key: Tensor, counter: Tensor, alpha: Tensor) -> Tensor:
    """`StatelessRandomGammaV3`."""
    start: tuple[Any, Any, Any] = philox(key, counter)
    if _core.building() is None:
        start = int(start[0]), int(start[1]), int(start[2])
    sizes, _ = sizes_of(shape, "StatelessRandomGammaV3")
    return distributions.gamma_from(start, sizes, alpha)


def shuffled_at(value: Tensor, key: Tensor, counter: Tensor) -> Tensor:
    """`StatelessShuffle`."""
    order = _ops.philox_shuffle(tf.shape(value)[0], *philox(key, counter))
    return tf.gather(value, order)


def tensor_list_pop_back(handle: Tensor, dtype: DTypeLike, shape: Tensor) -> tuple[Tensor, Tensor]:
    """`TensorListPopBack`: the list without its last element, and that."""
    last = _ops.tensor_list_length(handle) - 1
    item = _ops.tensor_list_get_item(handle, last, dtype, element_shape(shape))
    return _ops.tensor_list_resize(handle, last), item


def value_or_fed(value: Tensor, shape: Any) -> Tensor:
    """A value that runs of a program's graph may replace."""
    graph = context.building_graph()
    if graph is None or graph.building_function:
        return _ops.identity(value)
    return _core.placeholder_with_default(value, dims_of(shape), "PlaceholderWithDefault")
