"""RaggedTensor: rows of different lengths, as their concatenated elements and row splits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import context, dtypes
from eagerflow.framework.dtypes import as_dtype
from eagerflow.framework.op_function import op_function
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.sizes import checked_axis, sizes_may_equal, sizes_of
from eagerflow.framework.tensor import lack_array_methods
from eagerflow.ragged.factories import FACTORIES, RaggedFactories, rows_of
from eagerflow.ragged.row_partition import RowPartition
from eagerflow.typing import DTypeLike, TensorLike
from eagerflow.util import lazy
from eagerflow.util.known_as import known_as

if TYPE_CHECKING:
    from eagerflow.ragged.spec import RaggedTensorSpec

# Imported when they are first used: they import this module.
arrangement = lazy.Module("eagerflow.ragged.arrangement")
conversion = lazy.Module("eagerflow.ragged.conversion")
getitem = lazy.Module("eagerflow.ragged.getitem")
overrides = lazy.Module("eagerflow.ragged.overrides")
printing = lazy.Module("eagerflow.ragged.printing")
spec = lazy.Module("eagerflow.ragged.spec")

_ops = _core.ops


@known_as("tensorflow.python.ops.ragged.ragged_tensor", "RaggedTensor")
class RaggedTensor(RaggedFactories):
    """A tensor with axes along which the sizes of slices differ.

    Its elements are those of `flat_values`, divided into rows by `row_splits`: row `i` is
    `values[row_splits[i]:row_splits[i + 1]]`. `values` may be ragged itself.

    Create one by `tf.ragged.constant` or a `from_` method.

    Raises:
        ValueError: from the constructor, which is private.

    >>> rows = tf.RaggedTensor.from_row_lengths([3, 1, 4, 1, 5], [2, 0, 3])
    >>> rows
    <tf.RaggedTensor [[3, 1], [], [4, 1, 5]]>
    >>> rows[0].numpy(), (rows * 2)[:, :1]
    (array([3, 1], dtype=int32), <tf.RaggedTensor [[6], [], [8]]>)
    """

    def __init__(self, values: TensorLike, row_partition: Any, internal: bool = False) -> None:
        if not internal:
            raise ValueError(
                "RaggedTensor constructor is private; please use one of the factory methods "
                "instead (e.g., RaggedTensor.from_row_lengths())"
            )
        self._values = values
        self._partition: RowPartition = row_partition

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self._values.dtype

    @property
    def shape(self) -> TensorShape:
        """The shape, with None for ragged axes."""
        partition = self._partition
        if self._values.shape.rank is None:
            return TensorShape(None)
        return TensorShape(
            [partition.static_nrows, partition.static_uniform_row_length, *self._values.shape[1:]]
        )

    @property
    def _rank(self) -> int:
        values = self._values
        return 1 + (values._rank if isinstance(values, RaggedTensor) else values.ndim)

    def get_shape(self) -> TensorShape:
        """The shape; the same as `shape`."""
        return self.shape

    @property
    def ragged_rank(self) -> int:
        """The number of ragged axes."""
        inner = self._values
        return 1 + (inner.ragged_rank if isinstance(inner, RaggedTensor) else 0)

    @property
    def values(self) -> Any:
        """The concatenated elements of all rows; ragged if the rows are."""
        return self._values

    @property
    def flat_values(self) -> _core.Tensor:
        """The elements as a tensor."""
        values = self._values
        while isinstance(values, RaggedTensor):
            values = values._values
        return values

    @property
    def row_splits(self) -> Any:
        """The index of each row's first element, and the end of the last row."""
        return self._partition.row_splits()

    @property
    def uniform_row_length(self) -> _core.Tensor | None:
        """The length of all rows if they have one by construction, else None."""
        return self._partition.uniform_row_length()

    def _partitions(self) -> list[RowPartition]:
        """The partitions, the outermost first."""
        partitions, value = [], self
        while isinstance(value, RaggedTensor):
            partitions.append(value._partition)
            value = value._values
        return partitions

    @property
    def nested_row_splits(self) -> tuple:
        """The splits of all ragged axes, the outermost first."""
        return tuple(partition.row_splits() for partition in self._partitions())

    def _index(self, array: Any) -> _core.Tensor:
        return _core.convert(array, self._partition.dtype, None)

    def nested_row_lengths(self, name: str | None = None) -> tuple:
        """The lengths of rows along all ragged axes, the outermost first."""
        return tuple(partition.row_lengths() for partition in self._partitions())

    def nested_value_rowids(self, name: str | None = None) -> tuple:
        """The rows of elements along all ragged axes, the outermost first."""
        return tuple(partition.value_rowids() for partition in self._partitions())

    def value_rowids(self, name: str | None = None) -> _core.Tensor:
        """The row of each element of `values`."""
        return self._partition.value_rowids()

    def nrows(self, out_type: DTypeLike | None = None, name: str | None = None) -> _core.Tensor:
        """The number of rows."""
        rows = self._partition.nrows()
        return rows if out_type is None else _core.ops.cast(rows, as_dtype(out_type))

    def row_starts(self, name: str | None = None) -> _core.Tensor:
        """The index of each row's first element."""
        return self._partition.row_starts()

    def row_limits(self, name: str | None = None) -> _core.Tensor:
        """The end of each row."""
        return self._partition.row_limits()

    def row_lengths(self, axis: int = 1, name: str | None = None) -> _core.Tensor | RaggedTensor:
        """The length of each row along an axis; ragged if `axis` is above 1.

        >>> tf.ragged.constant([[1, 2], []]).row_lengths().numpy()
        array([2, 0])
        """
        if axis == 1:
            return self._partition.row_lengths()
        axis = checked_axis(axis, self._rank)
        if axis == 0:
            return self.nrows()
        if axis == 1:
            return self._partition.row_lengths()
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.row_lengths(axis - 1))
        sizes = sizes_of(self._values)
        lengths = _ops.broadcast_to(self._index(sizes[axis - 1]), list(sizes[: axis - 1]))
        return self.with_values(lengths)

    def bounding_shape(
        self, axis: Any = None, name: str | None = None, out_type: DTypeLike | None = None
    ) -> Any:
        """The smallest dense shape that holds all rows, or its sizes along `axis`.

        >>> tf.ragged.constant([[1, 2], [], [3]]).bounding_shape().numpy()
        array([3, 2])
        """
        dtype = self._partition.dtype if out_type is None else as_dtype(out_type)
        if _core.building() is not None:
            outer = [self._partition.nrows(), *(part.longest_row() for part in self._partitions())]
            inner = _ops.shape(self.flat_values, dtype)[1:]
            front = _ops.stack([_ops.cast(size, dtype) for size in outer], 0)
            bounds = _ops.concat([front, inner], 0)
            return bounds if axis is None else _ops.gather(bounds, axis, 0, 0)
        sizes = [self._partition.static_nrows]
        for partition in self._partitions():
            sizes.append(int(partition.lengths.max(initial=0)))
        sizes += self.flat_values._shape_tuple()[1:]
        bounds = _core.convert(sizes, dtype, None)
        return bounds if axis is None else _ops.gather(bounds, axis, 0, 0)

    def with_values(self, new_values: TensorLike) -> RaggedTensor:
        """The same rows with other elements.

        Raises:
            ValueError: if there is another number of them.
        """
        if not isinstance(new_values, RaggedTensor):
            new_values = _core.as_tensor(new_values)
            sizes = new_values._shape_tuple()
            if sizes and sizes[0] == rows_of(self._values):
                return RaggedTensor._of(new_values, self._partition)
            new_values.shape.with_rank_at_least(1)
        if not sizes_may_equal(rows_of(new_values), rows_of(self._values)):
            raise ValueError(
                f"Shapes {new_values.shape[:1]} and {self._values.shape[:1]} are incompatible"
            )
        if isinstance(new_values, RaggedTensor):
            if new_values._partition.dtype is not self._partition.dtype:
                new_values = new_values.with_row_splits_dtype(dtypes.int64)
                return RaggedTensor._of(
                    new_values, self.with_row_splits_dtype(dtypes.int64)._partition
                )
        return RaggedTensor._of(new_values, self._partition)

    def with_flat_values(self, new_values: TensorLike) -> RaggedTensor:
        """The same rows of rows with other elements."""
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.with_flat_values(new_values))
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype: DTypeLike) -> RaggedTensor:
        """The same with splits of int32 or int64.

        Raises:
            ValueError: if it is another dtype.
        """
        dtype = as_dtype(dtype)
        if dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError(
                f"Argument `row_splits` dtype must be int32 or int64. Received {dtype}."
            )
        if dtype is self._partition.dtype:
            return self
        values = self._values
        if isinstance(values, RaggedTensor):
            values = values.with_row_splits_dtype(dtype)
        return RaggedTensor._of(values, self._partition.with_dtype(dtype))

    def merge_dims(self, outer_axis: int, inner_axis: int) -> _core.Tensor | RaggedTensor:
        """The axes from `outer_axis` to `inner_axis` joined into one.

        >>> tf.ragged.constant([[[1, 2], [3]], [[4]]]).merge_dims(1, 2)
        <tf.RaggedTensor [[1, 2, 3], [4]]>
        """
        return arrangement.merge_dims(self, outer_axis, inner_axis)

    def to_tensor(
        self, default_value: TensorLike | None = None, name: str | None = None, shape: Any = None
    ) -> _core.Tensor:
        """A dense tensor, padded behind the ends of rows.

        Args:
            default_value: the padding, of a shape that broadcasts to that of an element; zero or an
                empty string by default.
            shape: the shape of the result, into which rows are cut or padded; None is the size of
                the longest row.

        >>> tf.ragged.constant([[1, 2], [3]]).to_tensor(-1).numpy()
        array([[ 1,  2],
               [ 3, -1]], dtype=int32)
        """
        if isinstance(shape, list | tuple) and any(isinstance(s, _core.Tensor) for s in shape):
            shape = _core.as_tensor(shape)
        return conversion.to_tensor(self, default_value, shape)

    def to_sparse(self, name: str | None = None) -> Any:
        """A sparse tensor with the same elements.

        >>> tf.ragged.constant([[1, 2], [3]]).to_sparse().indices.numpy().tolist()
        [[0, 0], [0, 1], [1, 0]]
        """
        return conversion.to_sparse(self)

    def to_list(self) -> list:
        """Nested lists.

        >>> tf.ragged.constant([[1, 2], []]).to_list()
        [[1, 2], []]
        """
        if _core.is_symbolic(self.flat_values):
            raise ValueError("to_list can only be used in eager mode.")
        inner = self._values
        items = inner.to_list() if isinstance(inner, RaggedTensor) else inner.numpy().tolist()
        splits = self._partition.splits.tolist()
        return [items[a:b] for a, b in zip(splits, splits[1:], strict=False)]

    def numpy(self) -> np.ndarray:
        """A NumPy array; of arrays, where rows have different lengths.

        >>> tf.ragged.constant([[1, 2], [3, 4]]).numpy()
        array([[1, 2],
               [3, 4]], dtype=int32)
        """
        if _core.is_symbolic(self.flat_values):
            raise ValueError("RaggedTensor.numpy() is only supported in eager mode.")
        inner = self._values.numpy()
        if not self._partition.static_nrows:
            return np.zeros([0, *inner.shape], inner.dtype)
        rows = np.split(inner, self._partition.splits[1:-1])
        if any(len(row) != len(rows[0]) for row in rows):
            result = np.empty(len(rows), object)
            result[:] = rows
            return result
        return np.array(rows)

    def __getitem__(self, key: object) -> _core.Tensor | RaggedTensor:
        """Rows, parts of rows, or elements; an integer cannot index an inner ragged axis."""
        if not isinstance(self, RaggedTensor):  # another class has taken the method
            return getitem.ragged_getitem(self, key)
        return getitem.getitem(self, key)

    def __iter__(self) -> Iterator[Any]:
        return (self[row] for row in range(self._partition.static_nrows))

    def __bool__(self) -> bool:
        raise TypeError("RaggedTensor may not be used as a boolean.")

    def __hash__(self) -> int:
        if context.building_graph() is not None:
            return id(self)  # as keys of `feed_dict`
        raise TypeError("RaggedTensor is unhashable.")

    def __repr__(self) -> str:
        if _core.is_symbolic(self.flat_values):
            return f"tf.RaggedTensor(values={self._values}, row_splits={self.row_splits})"
        return f"<tf.RaggedTensor {_text(self.numpy())}>"

    def consumers(self) -> list:
        """Nothing: there is no graph."""
        return []

    @property
    def _type_spec(self) -> RaggedTensorSpec:
        return spec.RaggedTensorSpec.from_value(self)

    def _shape_invariant_to_type_spec(self, shape: TensorShape) -> RaggedTensorSpec:
        splits_dtype = self.row_splits.dtype
        return spec.RaggedTensorSpec(shape, self.dtype, self.ragged_rank, splits_dtype)

    @property
    def _gradient_component(self) -> _core.Tensor:
        return self.flat_values

    def _with_gradient(self, gradient: Any) -> RaggedTensor | None:
        if isinstance(gradient, _core.Tensor) or gradient is None:
            return gradient if gradient is None else self.with_flat_values(gradient)
        return self.with_flat_values(_core.as_tensor(gradient))

    def __op_function__(self, function: object, args: tuple, kwargs: dict[str, object]) -> Any:
        return overrides.override(function, args, kwargs)

    def _print_text(self, summarize: int) -> str:
        return printing.ragged_text(self, summarize)


def _text(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return str(value)
    if not value.size:
        return repr(value.tolist())
    return np.array2string(value, separator=", ", formatter={"all": _text})


def _attach_factories() -> None:
    """Has arguments override factories, as symbolic tensors of models do."""
    for name in FACTORIES:
        setattr(RaggedTensor, name, staticmethod(op_function(getattr(RaggedTensor, name))))


def _attach_operators() -> None:
    """Operators that go through the functions for tensors."""

    def operator(symbol: str, reflected: bool) -> Any:
        plain = getattr(_core.Tensor, f"__{symbol}__")

        def forward(self: Any, other: TensorLike) -> RaggedTensor:
            return overrides.operate(symbol, self, other)

        def backward(self: Any, other: TensorLike) -> _core.Tensor | RaggedTensor:
            return overrides.operate(symbol, other, self)

        method = backward if reflected else forward
        method.__doc__ = plain.__doc__
        return method

    for symbol in "add sub mul truediv floordiv mod pow and or xor matmul".split():
        setattr(RaggedTensor, f"__{symbol}__", operator(symbol, False))
        setattr(RaggedTensor, f"__r{symbol}__", operator(symbol, True))
    for symbol in "eq ne lt le gt ge".split():
        setattr(RaggedTensor, f"__{symbol}__", operator(symbol, False))
    for symbol, op in (("neg", _ops.negative), ("abs", _ops.abs)):
        setattr(RaggedTensor, f"__{symbol}__", lambda self, op=op: op(self))
    members: dict[str, Any] = {
        "__invert__": lambda self: (
            _ops.logical_not(self) if self.dtype is dtypes.bool else _ops.invert(self)
        ),
        "__div__": getattr(RaggedTensor, "__truediv__"),  # noqa: B009
        "__rdiv__": getattr(RaggedTensor, "__rtruediv__"),  # noqa: B009
        "__nonzero__": RaggedTensor.__bool__,
    }
    for name, member in members.items():
        setattr(RaggedTensor, name, member)


_attach_operators()
_attach_factories()


lack_array_methods(RaggedTensor)
