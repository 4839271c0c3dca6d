"""DynamicRaggedShape: the sizes of a ragged tensor along all axes, as a value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.extension_types.extension_type import ExtensionType
from eagerflow.framework import dtypes
from eagerflow.framework.dtypes import as_dtype
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.ops.array import broadcast_dynamic_shape, invalid_argument
from eagerflow.ragged.arrangement import convert
from eagerflow.ragged.broadcasting import aligned
from eagerflow.ragged.row_partition import RowPartition, RowPartitionSpec
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.typing import DTypeLike, TensorLike

Tensor = _core.Tensor


class DynamicRaggedShape(ExtensionType):
    """The sizes of a ragged tensor along all axes.

    The result of `tf.shape` for ragged tensors. Row partitions describe the first axes, the sizes of
    the flat values the others. `tf.zeros`, `tf.ones`, `tf.fill`, `tf.reshape`, `tf.broadcast_to` and
    `tf.broadcast_dynamic_shape` accept such shapes.

    Args:
        row_partitions: the partitions, the outermost first.
        inner_shape: the shape of the flat values.
        dtype: int32 or int64.
        validate: whether to check that they fit together.
        static_inner_shape: the static shape of `inner_shape`; by default its value.

    Raises:
        TypeError: if `row_partitions` is not a list.
        ValueError: if `inner_shape` is not a vector, or dtypes differ.

    >>> shape = tf.shape(tf.ragged.constant([[1, 2], [], [3, 4, 5]]))
    >>> shape
    <DynamicRaggedShape lengths=[3, (2, 0, 3)] num_row_partitions=1>
    >>> tf.ones(shape, tf.int32)
    <tf.RaggedTensor [[1, 1], [], [1, 1, 1]]>
    """

    inner_shape: Tensor
    row_partitions: tuple[RowPartition, ...]
    _static_inner_shape: TensorShape

    def __init__(
        self,
        row_partitions: Sequence[RowPartition],
        inner_shape: TensorLike,
        dtype: DTypeLike | None = None,
        validate: bool = False,
        static_inner_shape: object = None,
    ) -> None:
        if not isinstance(row_partitions, list | tuple) or not all(
            isinstance(item, RowPartition) for item in row_partitions
        ):
            raise TypeError(
                f"row_partitions should be a list of row partitions. Instead, got {row_partitions}"
            )
        if dtype is None:
            known_dtypes = [item.dtype for item in row_partitions]
            if isinstance(inner_shape, Tensor | np.ndarray) and not known_dtypes:
                known_dtypes = [as_dtype(inner_shape.dtype)]
            dtype = (
                dtypes.int32
                if known_dtypes and set(known_dtypes) == {dtypes.int32}
                else dtypes.int64
            )
        dtype = _checked_dtype(dtype)
        sizes = _core.ops.cast(_core.convert(inner_shape, None, dtypes.int64), dtype)
        if sizes.ndim != 1:
            raise ValueError(f"Shape {sizes.shape} must have rank 1")
        if row_partitions and not sizes._size:
            raise IndexError("Flat values that are divided into rows have at least one axis.")
        partitions = tuple(item.with_dtype(dtype) for item in row_partitions)
        symbolic = _core.is_symbolic(sizes)
        partial = _core.partial_value(sizes) if symbolic else sizes.numpy().tolist()
        known: list = [None] * sizes._size if partial is None else partial
        if validate and not symbolic:
            _check(partitions, known)
        # From here on the number of values is known.
        counts = [item.static_nrows for item in partitions[1:]] + known[:1]
        self.inner_shape = sizes
        self.row_partitions = tuple(
            item.with_nvals(count) for item, count in zip(partitions, counts, strict=False)
        )
        static = TensorShape([None if size is None or size < 0 else size for size in known])
        self._static_inner_shape = static

    @classmethod
    def from_lengths(
        cls, lengths: TensorLike, num_row_partitions: Any = None, dtype: DTypeLike = dtypes.int64
    ) -> DynamicRaggedShape:
        """From sizes, which are vectors of lengths of rows for ragged axes.

        Args:
            lengths: an integer for each uniform axis, a list of lengths for each ragged one.
            num_row_partitions: the number of axes with partitions; by default up to the last ragged
                axis.
            dtype: int32 or int64.

        Raises:
            ValueError: if the sizes do not fit each other.

        >>> tf.experimental.DynamicRaggedShape.from_lengths([2, (2, 1), 2])
        <DynamicRaggedShape lengths=[2, (2, 1), 2] num_row_partitions=1>
        """
        if not isinstance(lengths, list | tuple):
            raise ValueError("lengths should be a list")
        dtype = _checked_dtype(dtype)
        ragged = [axis for axis, item in enumerate(lengths) if isinstance(item, list | tuple)]
        if ragged and ragged[0] == 0:
            raise ValueError(f"Shape {lengths[0]} must have rank 1")
        if num_row_partitions is None:
            num_row_partitions = ragged[-1] if ragged else 0
        if not isinstance(num_row_partitions, int):
            raise ValueError("num_row_partitions should be an int or None")
        if ragged and num_row_partitions < ragged[-1]:
            raise ValueError(
                f"Axis {ragged[-1]} is ragged, which takes more than {num_row_partitions} "
                "partitions."
            )
        if num_row_partitions and num_row_partitions >= len(lengths):
            raise ValueError("num_row_partitions should be less than `len(lengths)`")
        partitions, count = [], int(lengths[0]) if lengths else 0
        for item in lengths[1 : num_row_partitions + 1]:
            if isinstance(item, list | tuple):
                if len(item) != count:
                    raise ValueError("Shape not consistent.")
                values = sum(item)
                partition = RowPartition.from_row_lengths(list(item), dtype=dtype)
            else:
                values = count * int(item)
                partition = RowPartition.from_uniform_row_length(item, nrows=count, dtype=dtype)
            partitions.append(partition)
            count = values
        rest = list(lengths[num_row_partitions + 1 :])
        inner = [count, *rest] if lengths else []
        return cls(partitions, _core.convert(inner, dtype, None), dtype)

    @classmethod
    def from_row_partitions(
        cls, row_partitions: Any, dtype: DTypeLike | None = None
    ) -> DynamicRaggedShape:
        """From partitions alone: flat values have one axis.

        Raises:
            ValueError: if there is none.
        """
        if not row_partitions:
            raise ValueError("row_partitions cannot be empty")
        count = row_partitions[-1].nvals()
        return cls(row_partitions, _core.ops.reshape(count, [1]), dtype)

    @classmethod
    def from_tensor(cls, t: TensorLike, dtype: DTypeLike | None = None) -> DynamicRaggedShape:
        """The shape of a ragged or dense tensor."""
        if isinstance(t, RaggedTensor):
            return cls(t._partitions(), _sizes(t.flat_values), dtype)
        if isinstance(t, DynamicRaggedShape):
            return t
        return cls([], _sizes(_core.as_tensor(t)), dtype)

    @property
    def dtype(self) -> Any:
        """int32 or int64."""
        return self.inner_shape.dtype

    @property
    def num_row_partitions(self) -> int:
        """The number of row partitions."""
        return len(self.row_partitions)

    @property
    def inner_rank(self) -> int:
        """The number of axes of the flat values."""
        return self.inner_shape._size

    @property
    def rank(self) -> int:
        """The number of axes."""
        return self.num_row_partitions + self.inner_rank

    @property
    def _inner(self) -> Any:
        if self._static_inner_shape.is_fully_defined():
            return tuple(self._static_inner_shape.as_list())
        if _core.is_symbolic(self.inner_shape):
            return self.inner_shape
        return tuple(self.inner_shape.numpy().tolist())

    def with_dtype(self, dtype: DTypeLike) -> DynamicRaggedShape:
        """The same with sizes of int32 or int64.

        Raises:
            ValueError: if it is another dtype.
        """
        dtype = _checked_dtype(dtype)
        return self if self.dtype is dtype else type(self)(self.row_partitions, self._inner, dtype)

    def static_lengths(self, ragged_lengths: bool = True) -> list:
        """The sizes along all axes: integers, and tuples of lengths (or None) where they differ.

        >>> tf.shape(tf.ragged.constant([[1, 2], [3]])).static_lengths()
        [2, (2, 1)]
        """
        if not self.rank:
            return []
        if not self.row_partitions:
            return self._static_inner_shape.as_list()
        lengths: list = [self.row_partitions[0].static_nrows]
        for item in self.row_partitions:
            length = item.static_uniform_row_length
            if length is None and ragged_lengths and not _core.is_symbolic(item.row_splits()):
                lengths.append(tuple(item.lengths.tolist()))
            else:
                lengths.append(length)
        return lengths + self._static_inner_shape.as_list()[1:]

    def is_uniform(self, axis: int) -> bool:
        """Whether all sizes along an axis are equal by construction.

        Raises:
            IndexError: if there is no such axis.
        """
        if not isinstance(axis, int):
            raise TypeError("axis must be an integer")
        if axis < 0:
            raise IndexError("Negative axis values are not supported")
        if axis >= self.rank:
            raise IndexError(f"Expected axis={axis} < rank={self.rank}")
        if not 0 < axis <= self.num_row_partitions:
            return True
        return self.row_partitions[axis - 1].is_uniform()

    def _size_along(self, axis: int) -> Tensor:
        if not self.is_uniform(axis):
            raise ValueError(f"Index {axis} is not uniform")
        size = self.static_lengths(False)[axis]
        if size is None and not axis and self.row_partitions:
            size = self.row_partitions[0].nrows()
        elif size is None:
            size = self.inner_shape[axis - self.num_row_partitions]
        return _core.convert(size, self.dtype, None)

    def __getitem__(self, index: object) -> Any:
        """The size along a uniform axis, or the shape of some axes.

        Raises:
            IndexError: if there is no such axis, or a slice has a step.
            ValueError: if the axis is ragged, or a slice begins after axis 0 and covers a ragged one.
        """
        rank = self.rank
        if isinstance(index, slice):
            if index.step not in (None, 1):
                raise IndexError("Cannot stride through a shape")
            start, stop, _ = index.indices(rank)
            return self._axes(start, max(start, stop))
        if not isinstance(index, int):
            raise TypeError("Argument is not an int or a slice")
        if index < 0:
            if index + rank < 0:
                raise IndexError(f"Index must be non-negative: {index + rank}")
            index += rank
        return self._size_along(index)

    def _axes(self, start: int, stop: int) -> DynamicRaggedShape:
        if start == stop:
            return type(self)([], np.zeros(0, np.int64), self.dtype)
        count = self.num_row_partitions
        if start:
            if not all(self.is_uniform(axis) for axis in range(start, stop)):
                raise ValueError("All relevant dimensions must be uniform")
            return type(self)([], self.static_lengths(False)[start:stop], self.dtype)
        if stop <= count:
            partitions = self.row_partitions[: stop - 1]
            rows = self.row_partitions[stop - 1].nrows()
            return type(self)(partitions, _core.ops.reshape(rows, [1]), self.dtype)
        return type(self)(self.row_partitions, self._inner[: stop - count], self.dtype)

    def _divided(self, flat: TensorLike) -> Any:
        """Flat values with these partitions."""
        for item in reversed(self.row_partitions):
            flat = RaggedTensor._of(flat, item)
        return flat

    def __op_function__(self, function: Any, args: tuple, kwargs: dict[str, object]) -> Any:
        handler = _TAKE_SHAPES.get(function)
        if handler is not None:
            kwargs.pop("name", None)
            return handler(*args, **kwargs)
        result = super().__op_function__(function, args, kwargs)
        if result is not NotImplemented or getattr(function, "__wrapped__", None) is not None:
            return result
        raise ValueError(
            f"TypeError: {function.__name__} takes a list or tensor of sizes, not a "
            "DynamicRaggedShape."
        )

    def __repr__(self) -> str:
        shown = ", ".join(map(str, self.static_lengths()))
        return (
            f"<DynamicRaggedShape lengths=[{shown}] num_row_partitions={self.num_row_partitions}>"
        )

    class Spec:
        """The spec of a DynamicRaggedShape."""

        def __init__(self, row_partitions: Any, static_inner_shape: Any, dtype: DTypeLike) -> None:
            dtype = _checked_dtype(dtype)
            self.row_partitions = tuple(
                RowPartitionSpec(item.nrows, item.nvals, item.uniform_row_length, dtype)
                for item in row_partitions
            )
            self._static_inner_shape = TensorShape(static_inner_shape)
            self.inner_shape = TensorSpec([self._static_inner_shape.rank], dtype)

        @property
        def dtype(self) -> Any:
            """int32 or int64."""
            return self.inner_shape.dtype

        @property
        def num_row_partitions(self) -> int:
            """The number of row partitions."""
            return len(self.row_partitions)

        @property
        def inner_rank(self) -> int | None:
            """The number of axes of the flat values."""
            return self._static_inner_shape.rank

        @property
        def rank(self) -> int | None:
            """The number of axes."""
            inner = self._static_inner_shape.rank
            return None if inner is None else inner + len(self.row_partitions)

        def __repr__(self) -> str:
            return (
                f"DynamicRaggedShape.Spec(row_partitions={self.row_partitions!r}, "
                f"static_inner_shape={self._static_inner_shape!r}, dtype={self.dtype!r})"
            )


def _sizes(value: Tensor) -> Any:
    """The sizes of a tensor, as a vector where they are not all known."""
    sizes = value._shape_tuple()
    if sizes is None or None in sizes:
        return _core.ops.shape(value, dtypes.int64)
    return list(sizes)


def _checked_dtype(dtype: DTypeLike) -> dtypes.DType:
    dtype = as_dtype(dtype)
    if dtype not in (dtypes.int32, dtypes.int64):
        raise ValueError(f"Illegal dtype: {dtype.name}")
    return dtype


def _check(partitions: Sequence[RowPartition], inner: list[int]) -> None:
    for outer, item in zip(partitions, partitions[1:], strict=False):
        if outer.splits[-1] != item.static_nrows:
            raise invalid_argument(
                f"RowPartitions in `partitions` do not align: {outer.splits[-1]} values, and "
                f"{item.static_nrows} rows"
            )
    if partitions and partitions[-1].splits[-1] != inner[0]:
        raise invalid_argument(
            "Last row partition does not match inner_shape: "
            f"{partitions[-1].splits[-1]} values, and {inner[0]}"
        )


def _zeros(shape: DynamicRaggedShape, dtype: Any = dtypes.float32, *_: object, **__: object) -> Any:
    return shape._divided(_core.ops.zeros(shape._inner, dtype))


def _ones(shape: DynamicRaggedShape, dtype: Any = dtypes.float32, *_: object, **__: object) -> Any:
    return shape._divided(_core.ops.ones(shape._inner, dtype))


def _fill(value: TensorLike, dims: DynamicRaggedShape) -> Any:
    return dims._divided(_core.ops.fill(value, dims._inner))


def _shape_of(value: Any) -> DynamicRaggedShape:
    """A shape in the form for ragged tensors."""
    return value if isinstance(value, DynamicRaggedShape) else DynamicRaggedShape([], value)


def _reshape(tensor: TensorLike, shape: DynamicRaggedShape) -> Tensor | RaggedTensor:
    tensor = convert(tensor)
    if isinstance(tensor, RaggedTensor):
        tensor = tensor.flat_values
    return shape._divided(_core.ops.reshape(tensor, shape._inner))


def _broadcast_to(input: TensorLike, shape: DynamicRaggedShape) -> Tensor | RaggedTensor:
    value = convert(input)
    if len(value.shape) > shape.rank:
        raise ValueError("Cannot broadcast to a shape with smaller rank")
    if not shape.row_partitions:
        if isinstance(value, RaggedTensor):
            raise invalid_argument(
                "Cannot broadcast a ragged tensor to a shape without ragged axes."
            )
        return _core.ops.broadcast_to(value, shape._inner)
    template = shape._divided(_core.ops.zeros(shape._inner, dtypes.int8))
    (flat, _), rebuilt = aligned([value, template])
    result = rebuilt(_core.ops.broadcast_to(flat, shape._inner))
    partitions, reached = shape.row_partitions, result._partitions()
    same = _core.building() is not None or all(
        np.array_equal(a.splits, b.splits) for a, b in zip(partitions, reached, strict=False)
    )
    if not same or len(reached) < len(partitions):
        raise invalid_argument(f"Cannot broadcast {value.shape} to {shape}.")
    return shape._divided(result.flat_values)


def broadcast_shapes(shape_x: Any, shape_y: Any) -> DynamicRaggedShape:
    """The shape to which tensors of two shapes, at least one ragged, are broadcast.

    Raises:
        tf.errors.InvalidArgumentError: if there is none.
    """
    dtype = shape_x.dtype if isinstance(shape_x, DynamicRaggedShape) else shape_y.dtype
    shapes = [_shape_of(shape_x), _shape_of(shape_y)]
    if not any(shape.row_partitions for shape in shapes):
        inner = broadcast_dynamic_shape(*(list(shape._inner) for shape in shapes))
        return DynamicRaggedShape([], inner, dtype)
    templates = [shape._divided(_core.ops.zeros(shape._inner, dtypes.int8)) for shape in shapes]
    flats, rebuilt = aligned(templates)
    result = rebuilt(_core.ops.add(*flats))
    return DynamicRaggedShape(result._partitions(), _sizes(result.flat_values), dtype)


# By the names of native operations.
_TAKE_SHAPES: dict[Callable, Callable] = {
    broadcast_dynamic_shape: broadcast_shapes,
    _core.ops.broadcast_to: _broadcast_to,
    _core.ops.fill: _fill,
    _core.ops.ones: _ones,
    _core.ops.reshape: _reshape,
    _core.ops.zeros: _zeros,
}
