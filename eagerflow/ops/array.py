"""Shapes of tensors: asking for them, joining, splitting, padding and repeating."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eagerflow import _core, errors
from eagerflow.framework import dtypes
from eagerflow.framework.composite import SparseTensorValue
from eagerflow.framework.host_call import when_ranks_are_known
from eagerflow.framework.op_function import op_function
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.sizes import (
    checked_axis,
    checked_output_count,
    is_known,
    known_array,
    reshaped,
    shape_of,
    sizes_in,
    sizes_of,
    with_axes,
)
from eagerflow.ops.composed_op import INDEX_TYPES, Input, composed_op
from eagerflow.ops.conversion import constant, convert_to_tensor
from eagerflow.typing import Axes, DTypeLike, ShapeLike, Sizes, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


newaxis = None


def slices_at(x: Tensor, indices: TensorLike, axis: int = 0) -> Tensor:
    """The slices at `indices` of an axis, for functions whose gradient is a dense tensor.

    The gradient of `gather` along axis 0 is IndexedSlices, which only lookups should return.
    """
    return _ops.gather(reshaped(x, shape_of(x)), indices, axis, 0)


def invalid_argument(message: str) -> Exception:
    """The error for a bad shape or value, which is a ValueError while a graph is built."""
    if _core.building() is not None:
        return ValueError(message)
    return errors.InvalidArgumentError._of(message)


def require_in_bounds(indices: np.ndarray, sizes: np.ndarray, op: str) -> None:
    """Checks the indices of a sparse tensor, `[n, rank]`.

    Raises:
        InvalidArgumentError: if one lies outside of the shape.
    """
    outside = ((indices < 0) | (indices >= sizes)).any(axis=1)
    if outside.any():
        first = int(outside.argmax())
        raise invalid_argument(
            f"indices[{first}] = {indices[first].tolist()} is out of bounds: need 0 <= index < "
            f"{sizes.tolist()} [Op:{op}]"
        )


def _shape_in_graph(body: Any) -> Callable[..., Tensor]:
    """`tf.shape` while a graph is built."""

    def shape(input: Any, out_type: Any = None, name: str | None = None) -> Tensor:
        if isinstance(input, SparseTensorValue):
            return body(input, out_type, name)
        complaint = "Shape output type is 32-bit  but"
        return _known_shape(input, _size_dtype(out_type), complaint, "Shape", name)

    return shape


@op_function(in_graph=_shape_in_graph)
def shape(input: Any, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """The shape as a vector.

    Args:
        input: a tensor or a value that can be converted to one.
        out_type: int32 (the default) or int64.

    Raises:
        tf.errors.InvalidArgumentError: if a dimension of 2^31 or more is to be an int32.

    >>> tf.shape([[1, 2, 3], [4, 5, 6]]).numpy()
    array([2, 3], dtype=int32)
    """
    if isinstance(input, SparseTensorValue):
        return _core.convert(input.dense_shape, _size_dtype(out_type), None)
    return _ops.shape(input, dtypes.int32 if out_type is None else _size_dtype(out_type), name)


_INT32_MAX = 2**31 - 1


def _known_shape(
    value: TensorLike, dtype: dtypes.DType, complaint: str, op: str, name: str | None = None
) -> Tensor:
    """The shape of a value: a constant where a graph knows all sizes, else a node."""
    tensor = _core.as_tensor(value)
    dims = tensor._shape_tuple()
    if dims is None or None in dims:
        return _ops.shape(tensor, dtype, name)
    if dims and max(dims) > _INT32_MAX and dtype is dtypes.int32:
        axis = next(k for k, size in enumerate(dims) if size > _INT32_MAX)
        raise invalid_argument(
            f"{complaint} dim {axis} is {dims[axis]}; out_type=tf.int64 can hold it [Op:{op}]"
        )
    return constant(dims, dtype)


def _size_dtype(out_type: Any) -> dtypes.DType:
    """The dtype of sizes, int32 by default."""
    dtype = dtypes.as_dtype(out_type or dtypes.int32)
    if dtype not in (dtypes.int32, dtypes.int64):
        _core.refuse_attr("out_type", dtype, INDEX_TYPES, "Shape")
    return dtype


@op_function
def shape_n(input: Sequence, out_type: Any = dtypes.int32, name: str | None = None) -> list[Tensor]:
    """The shapes of several tensors as vectors."""
    dtype = _size_dtype(out_type)
    shapes = [
        _known_shape(item, dtype, f"ShapeN output type is 32-bit but shape {k}", "ShapeN")
        for k, item in enumerate(input)
    ]
    if not shapes:
        raise invalid_argument("shape_n needs at least one tensor, got an empty list [Op:ShapeN]")
    return shapes


@op_function
def size(input: Any, out_type: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """The number of elements, a scalar.

    >>> tf.size([[1, 2, 3], [4, 5, 6]])
    <tf.Tensor: shape=(), dtype=int32, numpy=6>
    """
    if isinstance(input, SparseTensorValue):
        return _ops.reduce_prod(shape(input, out_type))
    tensor = _core.as_tensor(input)
    dtype = dtypes.int32 if out_type is None else out_type
    if tensor._size is None:
        return _ops.reduce_prod(_ops.shape(tensor, dtype))
    return constant(tensor._size, dtype)


@op_function
def rank(input: TensorLike, name: str | None = None) -> Tensor:
    """The number of axes, an int32 scalar.

    >>> tf.rank([[1, 2]])
    <tf.Tensor: shape=(), dtype=int32, numpy=2>
    """
    if isinstance(input, SparseTensorValue):
        return size(input.dense_shape)
    tensor = _core.as_tensor(input)
    if tensor.ndim is None:
        return size(_ops.shape(tensor))
    return constant(tensor.ndim, dtypes.int32)


@composed_op("IdentityN")
def identity_n(input: Sequence, name: str | None = None) -> list[Tensor]:
    """Distinct tensors with the same values."""
    items = [_ops.identity(item) for item in input]
    if not items:
        raise invalid_argument("identity_n needs at least one tensor, got none [Op:IdentityN]")
    return items


@op_function
def concat(values: TensorLike, axis: Any, name: str = "concat") -> Tensor:
    """Joins tensors along an existing axis.

    Args:
        values: a list of tensors of one dtype, whose shapes may differ along `axis` only.
        axis: where to join; negative ones count from the last.

    Raises:
        tf.errors.InvalidArgumentError: if shapes or dtypes do not fit.

    >>> tf.concat([[[1, 2]], [[3, 4], [5, 6]]], axis=0).numpy()
    array([[1, 2],
           [3, 4],
           [5, 6]], dtype=int32)
    """
    if type(values) is not list and type(values) is not tuple:
        values = [values]
    if len(values) > 1:
        return _ops.concat(values, axis)
    if not values:
        raise invalid_argument("concat needs at least one tensor, got an empty list [Op:ConcatV2]")
    index = _core.convert(axis, dtypes.int32, None)
    if index.ndim:
        raise ValueError(f"Shape {index.shape} must have rank 0")
    return _ops.identity(values[0])


@op_function
def stack(values: TensorLike, axis: int = 0, name: str = "stack") -> Tensor:
    """Joins tensors of one shape along a new axis.

    Args:
        values: a list of tensors of one shape and dtype.
        axis: the index of the new axis; negative ones count from the last.

    Raises:
        ValueError: if `axis` is out of range.
        tf.errors.InvalidArgumentError: if shapes or dtypes differ.

    >>> tf.stack([[1, 4], [2, 5]], axis=1).numpy()
    array([[1, 2],
           [4, 5]], dtype=int32)
    """
    if axis == 0:
        try:
            if _core.building() is None:
                return _core.as_tensor(values)
            return convert_to_tensor(values)
        except (TypeError, ValueError):
            pass  # for instance tensors of different dtypes: the operation reports them
    return _ops.stack(values, axis)


@op_function
def parallel_stack(values: TensorLike, name: str = "parallel_stack") -> Tensor:
    """Joins tensors of one shape along a new first axis."""
    return _ops.stack(values, 0)


@op_function
def unstack(value: Any, num: int | None = None, axis: int = 0, name: str = "unstack") -> list:
    """The slices of a tensor along an axis, which is removed.

    Args:
        value: a tensor of rank 1 or more.
        num: the size of the axis, for checking.
        axis: the axis; negative ones count from the last.

    Raises:
        ValueError: if `axis` is out of range.
        tf.errors.InvalidArgumentError: if `num` is not the size of the axis.

    >>> [row.numpy().tolist() for row in tf.unstack([[1, 2], [3, 4]])]
    [[1, 2], [3, 4]]
    """
    return _ops.unstack(value, num, axis)


def _split_axis(axis: Axes) -> int | Tensor:
    """The axis as an integer, or as a tensor of a graph whose value is unknown."""
    if isinstance(axis, int):
        return axis
    index = _core.convert(axis, None, dtypes.int32)
    if index.dtype is not dtypes.int32:
        if not isinstance(axis, Tensor | _core.Variable):
            _core.convert(axis, dtypes.int32, None)
        _core.refuse_input("Split", 0, dtypes.int32, index.dtype)
    if index.ndim:
        raise invalid_argument(f"split_dim must be a scalar but has rank {index.ndim} [Op:Split]")
    return index if _core.static_value(index) is None else int(index)


@op_function
def split(
    value: Any, num_or_size_splits: Any, axis: Axes = 0, num: int | None = None, name: str = "split"
) -> list[Tensor]:
    """Cuts a tensor into pieces along an axis.

    Args:
        value: a tensor.
        num_or_size_splits: the number of pieces of equal size, or a list of their sizes, one of
            which may be -1 for the remainder.
        axis: where to cut; negative ones count from the last.
        num: ignored.

    Raises:
        ValueError: if the number of pieces is a tensor.
        tf.errors.InvalidArgumentError: if the sizes do not fit.

    >>> [piece.numpy().tolist() for piece in tf.split([1, 2, 3, 4, 5], [2, -1])]
    [[1, 2], [3, 4, 5]]
    """
    value = _core.as_tensor(value)
    axis = _split_axis(axis)
    dims = value._shape_tuple() if isinstance(axis, int) else None
    if dims is not None and not -len(dims) <= axis < len(dims):
        raise invalid_argument(
            f"-input rank({-len(dims)}) <= split_dim < input rank ({len(dims)}), but got {axis} "
            "[Op:Split]"
        )
    if isinstance(num_or_size_splits, int | np.integer):
        count = checked_output_count(num_or_size_splits)
        if count < 1:
            raise invalid_argument(
                f"Value for attr 'num_split' of {count} must be at least minimum 1 [Op:Split]"
            )
        length = None if dims is None else dims[axis]
        if length is not None and length % count:
            raise invalid_argument(
                "Number of ways to split should evenly divide the split dimension, but got "
                f"split_dim {axis} (size = {length}) and num_split {count} [Op:Split]"
            )
        return _ops.split(value, [-1] * count, axis)
    tensor = _core.as_tensor(num_or_size_splits)
    if tensor.shape.rank == 0:
        raise ValueError(
            "Rank-0 tensors are not supported as the num_or_size_splits argument to split. "
            f"Argument provided: {num_or_size_splits}"
        )
    if not tensor.dtype.is_integer:
        raise invalid_argument(
            f"The sizes of the pieces must be integers, got {tensor.dtype.name} [Op:SplitV]"
        )
    known = _core.static_value(tensor)
    if known is None:
        return _ops.split(value, tensor, axis)
    sizes = known.numpy().reshape(-1).tolist()
    if sizes.count(-1) > 1 or min(sizes) < -1:
        raise invalid_argument(f"Sizes of pieces may hold -1 once, got {sizes} [Op:SplitV]")
    return _ops.split(value, sizes, axis)


@op_function
def pad(
    tensor: TensorLike,
    paddings: TensorLike,
    mode: str = "CONSTANT",
    constant_values: Any = 0,
    name: str | None = None,
) -> Tensor:
    """Adds elements around a tensor.

    Args:
        tensor: a tensor of rank n.
        paddings: integers `[n, 2]`, the counts to add before and after each axis.
        mode: "CONSTANT"; "REFLECT" mirrors without repeating the border, "SYMMETRIC" repeats it.
        constant_values: the value to add for "CONSTANT", a scalar of the tensor's dtype; 0 means
            the empty string for strings. No gradient flows to it.

    Raises:
        ValueError: if `mode` is unknown.
        TypeError: if `constant_values` cannot be of the tensor's dtype.
        tf.errors.InvalidArgumentError: if `paddings` does not fit or `constant_values` has axes.

    >>> tf.pad([1, 2, 3], [[1, 2]], "REFLECT").numpy()
    array([2, 1, 2, 3, 2, 1], dtype=int32)
    """
    mode = mode.upper()
    if mode not in ("CONSTANT", "REFLECT", "SYMMETRIC"):
        raise ValueError(
            'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or "SYMMETRIC". '
            f"Received `mode` = {mode}"
        )
    pairs = _core.convert(paddings, None, dtypes.int64)
    sizes = pairs._shape_tuple()
    if sizes is not None and (len(sizes) != 2 or sizes[1] not in (2, None)):
        raise invalid_argument(
            f"paddings must be a matrix with 2 columns: {pairs.shape.as_list()} [Op:Pad]"
        )
    rows = sizes[0] if sizes is not None else None
    flat = _ops.reshape(pairs, [-1 if rows is None else 2 * rows])
    tensor = _core.as_tensor(tensor)
    dtype = tensor.dtype
    if mode != "CONSTANT":
        if dtype == dtypes.string:
            return _padded_by_places(tensor, flat, mode, _core.convert("", dtype, None))
        return _ops.pad(tensor, flat, mode)
    plain = type(constant_values)
    if isinstance(constant_values, complex | float | int | np.generic) and constant_values == 0:
        # Zeros of any type mean zeros of the tensor's dtype.
        if dtype != dtypes.string:
            return _ops.pad(tensor, flat, mode)
        constant_values = ""
    elif dtype != dtypes.string and (
        # Integers that every dtype can hold, or every signed one.
        (plain is int and (0 if dtype.is_unsigned else -128) <= constant_values < 128)
        or (plain is float and dtype.is_floating)
    ):
        return _ops.pad(tensor, flat, mode, constant_values)
    value = _core.convert(constant_values, dtype, None)
    if value.shape.rank not in (0, None):
        raise invalid_argument(
            f"constant_values must be a scalar. Found: {value.shape.as_list()} [Op:PadV2]"
        )
    if dtype.is_floating and not _core.is_symbolic(value):
        return _ops.pad(tensor, flat, mode, float(value))
    return _padded_by_places(tensor, flat, mode, _ops.stop_gradient(value))


def _padded_by_places(tensor: Tensor, flat: Tensor, mode: str, value: Tensor) -> Tensor:
    """Pads a tensor of any dtype: pads its indices, where index 0 is `value`, and gathers."""
    elements = _ops.concat([_ops.reshape(value, [1]), _ops.reshape(tensor, [-1])], 0)
    positions = _ops.range(1, _ops.add(size(tensor, out_type=dtypes.int64), 1), 1)
    positions = _ops.pad(_ops.reshape(positions, shape(tensor, out_type=dtypes.int64)), flat, mode)
    return slices_at(elements, positions)


@composed_op(
    "StridedSlice",
    input_=Input(type="U"),
    begin=Input(INDEX_TYPES, "int16", type="Index"),
    end=Input(INDEX_TYPES, "int16", type="Index"),
    strides=Input(INDEX_TYPES, "int16", type="Index"),
)
def strided_slice(
    input_: TensorLike,
    begin: Any,
    end: Any,
    strides: Sizes | None = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: object = None,
    name: str | None = None,
) -> Tensor:
    """Strided slices along the leading axes.

    Indexing with `[...]` is easier to read and does the same. In each mask, bit k refers to the
    k-th entry: ignore `begin` or `end`, expand an ellipsis, add an axis of size 1, or
    take the one element at `begin` and drop the axis.

    >>> tf.strided_slice([1, 2, 3, 4, 5], [1], [5], [2]).numpy()
    array([2, 4], dtype=int32)
    """
    if strides is None:
        begin = _core.as_tensor(begin)
        strides = _ops.ones_like(begin) if begin._size is None else [1] * begin._size
    return _ops.strided_slice(
        input_,
        begin,
        end,
        strides,
        begin_mask,
        end_mask,
        ellipsis_mask,
        new_axis_mask,
        shrink_axis_mask,
    )


@op_function
def repeat(input: Any, repeats: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    """Repeats elements along an axis.

    Args:
        input: a tensor.
        repeats: the count, an integer or one for each element along the axis.
        axis: the axis; by default the tensor is flattened first.

    Raises:
        ValueError: if the number of `repeats` does not fit.

    >>> tf.repeat([10, 20], [1, 3]).numpy()
    array([10, 20, 20, 20], dtype=int32)
    """
    counts = _core.convert(repeats, None, dtypes.int64)
    if not counts.dtype.is_integer:
        raise TypeError(
            "Argument `tensor` (name: repeats) must be of type integer. Received "
            f"dtype={counts.dtype.name}"
        )
    value = _core.as_tensor(input)
    if counts.ndim is not None and counts.ndim > 1:
        raise ValueError(f"Shape {counts.shape} must have rank at most 1")
    if axis is None:
        value, axis = _ops.reshape(value, [-1]), 0
    if value.ndim == 0:
        value = _ops.reshape(value, [1])
    if value.ndim is None and axis >= 0:
        return with_axes(value, axis, 1, lambda flat: repeat(flat, counts, 1))
    sizes = list(sizes_of(value))
    axis = checked_axis(axis, len(sizes))
    length = sizes[axis]
    known = _core.static_value(counts)
    if known is None or not (is_known(length) or known._size == 1):
        return _repeated(value, counts, axis, sizes)
    counts = known.numpy().reshape(-1)
    if counts.size not in (1, length):
        raise ValueError(
            f"Dimensions {length} and {counts.size} are not compatible: `repeats` is one count, or "
            f"one for each of the {length} elements along the axis."
        )
    if (counts < 0).any():
        raise invalid_argument(f"repeats must not be negative, got {counts.tolist()} [Op:Repeat]")
    if counts.size == 1:  # adjacent copies, without an index list
        return _copies(value, int(counts[0]), axis, sizes)
    chosen = np.repeat(np.arange(length, dtype=np.int32), counts)
    return slices_at(value, chosen, axis)


def _copies(value: Tensor, count: Any, axis: int, sizes: list) -> Tensor:
    """Each slice along an axis `count` times."""
    wide = [*sizes[: axis + 1], count, *sizes[axis + 1 :]]
    copies = _ops.broadcast_to(_ops.expand_dims(value, axis + 1), wide)
    return reshaped(copies, [*sizes[:axis], sizes[axis] * count, *sizes[axis + 1 :]])


def _repeated(value: Tensor, counts: Tensor, axis: int, sizes: list) -> Tensor:
    """Each slice as often as `counts` say, whose values are unknown while tracing."""
    if counts.ndim == 0:
        return _copies(value, _ops.cast(counts, dtypes.int32), axis, sizes)
    ends = _ops.cumsum(_ops.broadcast_to(counts, [sizes[axis]]), 0)
    total = _ops.reduce_max(_ops.concat([[0], ends], 0))
    positions = _ops.range(0, total, 1)
    return slices_at(value, _ops.searchsorted(ends, positions, "right", dtypes.int32), axis)


@op_function(in_graph=when_ranks_are_known())
def roll(input: TensorLike, shift: TensorLike, axis: Axes, name: str | None = None) -> Tensor:
    """Moves elements along axes; those shifted out at one end wrap around.

    Args:
        input: a tensor.
        shift: the offset, an integer or one for each axis.
        axis: an axis or a list of axes, in which one may appear several times.

    >>> tf.roll([1, 2, 3, 4], shift=1, axis=0).numpy()
    array([4, 1, 2, 3], dtype=int32)
    """
    value = _core.as_tensor(input)
    shifts, axes = _core.convert(shift, None, dtypes.int32), _core.convert(axis, None, dtypes.int32)
    if value.ndim is not None and value.ndim < 1:
        raise invalid_argument("input must be 1-D or higher [Op:Roll]")
    for text, values in (("shift", shifts), ("axis", axes)):
        if values.dtype not in (dtypes.int32, dtypes.int64):
            raise invalid_argument(f"{text} must be int32 or int64, got {values.dtype} [Op:Roll]")
        if values.ndim is not None and values.ndim > 1:
            raise invalid_argument(
                f"{text} must be a scalar or a vector, got shape {values.shape} [Op:Roll]"
            )
    axes = _ops.reshape(axes, [-1])
    # Of shifts whose number is unknown, there must be one for each axis.
    unknown = shifts.shape.num_elements() is None and axes.shape.is_fully_defined()
    shifts = _ops.reshape(shifts, axes.shape if unknown else [-1])
    if _core.static_value(axes) is None and value.ndim is not None:
        # The axes are known only at run time: every axis is rolled by the sum of its shifts.
        every = _ops.range(0, value.ndim, 1)
        turns = _ops.equal(_ops.floormod(_ops.cast(axes, dtypes.int32), value.ndim)[:, None], every)
        shifts = _ops.reduce_sum(_ops.cast(turns, shifts.dtype) * shifts[:, None], [0])
        axes = every
    rolled_axes = known_array(axes, dtypes.int32, "axis").tolist()
    distances = sizes_in(_ops.cast(shifts, dtypes.int32))
    if len(distances) != len(rolled_axes):
        raise invalid_argument(
            f"shift and axis must have the same size, got {len(distances)} and {len(rolled_axes)} "
            "[Op:Roll]"
        )
    for distance, k in zip(distances, rolled_axes, strict=True):
        if not -value.ndim <= k < value.ndim:
            raise invalid_argument(f"axis {k} is out of range [Op:Roll]")
        value = _ops.roll(value, distance, k)
    return _ops.identity(value) if value is input else value


@op_function
def ensure_shape(x: TensorLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """The tensor, after a check that it has that shape, which may have unknown sizes.

    Raises:
        tf.errors.InvalidArgumentError: if it has not.

    >>> tf.ensure_shape([1, 2], [None]).shape
    TensorShape([2])
    """
    expected = TensorShape(shape)
    if expected.rank is None:
        return _ops.identity(x)
    return _ops.ensure_shape(x, [-1 if size is None else size for size in expected.as_list()])


def broadcast_static_shape(shape_x: TensorShape, shape_y: TensorShape) -> TensorShape:
    """The shape that two shapes broadcast to, as a `TensorShape`.

    Raises:
        ValueError: if they cannot be broadcast.

    >>> tf.broadcast_static_shape(tf.TensorShape([2, 1]), tf.TensorShape([3]))
    TensorShape([2, 3])
    """
    x, y = TensorShape(shape_x), TensorShape(shape_y)
    if x.rank is None or y.rank is None:
        return TensorShape(None)
    sizes: list[int | None] = []
    for a, b in itertools.zip_longest(reversed(list(x)), reversed(list(y)), fillvalue=1):
        if a is None or b is None:
            known = b if a is None else a
            sizes.append(known if known is not None and known > 1 else None)
        elif a == b or b == 1:
            sizes.append(a)
        elif a == 1:
            sizes.append(b)
        else:
            raise ValueError(
                "Incompatible shapes for broadcasting. Two shapes are compatible if for each "
                "dimension pair they are either equal or one of them is 1. "
                f"Received: {x} and {y}."
            )
    return TensorShape(sizes[::-1])


@composed_op(
    "BroadcastArgs",
    checked_first=True,
    shape_x=Input(INDEX_TYPES, prefer="int32"),
    shape_y=Input(INDEX_TYPES, prefer="int32"),
)
def broadcast_dynamic_shape(shape_x: TensorLike, shape_y: TensorLike) -> Tensor:
    """The shape that two shapes broadcast to, from vectors to a vector.

    Raises:
        tf.errors.InvalidArgumentError: if they cannot be broadcast.

    >>> tf.broadcast_dynamic_shape([2, 1], [3]).numpy()
    array([2, 3], dtype=int32)
    """
    x = _core.convert(shape_x, None, dtypes.int32)
    y = _core.convert(shape_y, x.dtype, None)
    known_x, known_y = _core.static_value(x), _core.static_value(y)
    if known_x is None or known_y is None:
        return _broadcast_sizes(x, y)
    lists = known_x.numpy().tolist(), known_y.numpy().tolist()
    try:
        shape = broadcast_static_shape(*map(TensorShape, lists))
    except ValueError:
        raise invalid_argument(
            f"Incompatible shapes: {lists[0]} vs. {lists[1]} [Op:BroadcastArgs]"
        ) from None
    return _core.convert(shape.as_list(), x.dtype, None)


def _broadcast_sizes(x: Tensor, y: Tensor) -> Tensor:
    """The sizes that two vectors of sizes broadcast to, which a graph computes when it runs."""
    lengths = [_ops.shape(sizes, dtypes.int32)[0] for sizes in (x, y)]
    rank = _ops.maximum(lengths[0], lengths[1])
    one = _core.convert(1, x.dtype)
    x, y = (
        _ops.concat([_ops.fill(one, _ops.reshape(rank - length, [1])), sizes], 0)
        for sizes, length in zip((x, y), lengths, strict=True)
    )
    return _ops.select(_ops.equal(x, one), y, x)


@op_function
def meshgrid(*args: Any, **kwargs: object) -> list[Tensor]:
    """The coordinates of all points of a grid.

    Args:
        *args: n vectors, the grid's ticks along each axis.
        **kwargs: `indexing="xy"` (the default) swaps the first two axes of the results, `"ij"`
            does not.

    Returns:
        n tensors of rank n.

    Raises:
        ValueError: if `indexing` is unknown.

    >>> columns, rows = tf.meshgrid([1, 2], [3, 4, 5])
    >>> rows.numpy()
    array([[3, 3],
           [4, 4],
           [5, 5]], dtype=int32)
    """
    indexing = kwargs.pop("indexing", "xy")
    kwargs.pop("name", None)
    if kwargs:
        raise TypeError(f"'{next(iter(kwargs))}' is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError(
            f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'"
        )
    vectors = [_ops.reshape(arg, [-1]) for arg in args]
    count = len(vectors)
    axes = list(range(count))
    if indexing == "xy" and count > 1:
        axes[0], axes[1] = 1, 0
    sizes: list = [0] * count
    for vector, axis in zip(vectors, axes, strict=True):
        sizes[axis] = sizes_of(vector)[0]
    grids = []
    for vector, axis in zip(vectors, axes, strict=True):
        column = [-1 if k == axis else 1 for k in range(count)]
        grids.append(_ops.broadcast_to(_ops.reshape(vector, column), sizes))
    return grids
