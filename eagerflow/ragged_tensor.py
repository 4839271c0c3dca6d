"""RaggedTensor: rows of different lengths, as their elements one after the other and their ends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from eagerflow import _core, errors
from eagerflow import dtype as dtypes
from eagerflow.composite import CompositeTensor
from eagerflow.dtype import as_dtype
from eagerflow.shapes import TensorShape, as_shape
from eagerflow.type_spec import TensorSpec, TypeSpec

_ops = _core.ops


def _invalid(message: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(None, None, message)


class RowPartition:
    """Where each row begins and ends.

    Args:
        splits: int32 or int64 `[rows + 1]`: the place of each row's first element, and the end.
        uniform_row_length: the length that all rows have by construction, if there is one.
    """

    __slots__ = ("splits", "uniform_row_length", "_numpy")

    def __init__(self, splits: Any, uniform_row_length: int | None = None) -> None:
        self.splits = splits
        self.uniform_row_length = uniform_row_length
        self._numpy: np.ndarray | None = None

    @classmethod
    def of(cls, splits: np.ndarray, dtype: Any, uniform: int | None = None) -> RowPartition:
        """From an array."""
        partition = cls(_core.convert(splits, dtype, None), uniform)
        partition._numpy = np.asarray(splits, np.int64)
        return partition

    @classmethod
    def of_lengths(
        cls, lengths: np.ndarray, dtype: Any, uniform: int | None = None
    ) -> RowPartition:
        """From the rows' lengths."""
        splits = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=splits[1:])
        return cls.of(splits, dtype, uniform)

    @property
    def numpy(self) -> np.ndarray:
        """The splits as an array of int64."""
        if self._numpy is None:
            self._numpy = self.splits.numpy().astype(np.int64, copy=False)
        return self._numpy

    @property
    def dtype(self) -> Any:
        """int32 or int64."""
        return self.splits.dtype

    @property
    def lengths(self) -> np.ndarray:
        """The length of each row."""
        return np.diff(self.numpy)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.numpy) - 1

    @property
    def rowids(self) -> np.ndarray:
        """The row of each element."""
        return np.repeat(np.arange(self.rows), self.lengths)


def _splits_dtype(values: Any, given: Any) -> Any:
    """int64 unless a tensor, an array or ragged values say int32."""
    if isinstance(values, RaggedTensor):
        return values._partition.dtype
    if isinstance(given, _core.Tensor | np.ndarray) and as_dtype(given.dtype) is dtypes.int32:
        return dtypes.int32
    return dtypes.int64


def _vector(value: Any, name: str) -> np.ndarray:
    tensor = _core.convert(value, None, dtypes.int64)
    if tensor._size == 0:
        return np.zeros(0, np.int64)
    if tensor.ndim != 1:
        raise ValueError(f"Shape {tensor.shape} must have rank 1")
    if not tensor.dtype.is_integer:
        raise ValueError(f"{name} must be integers, got {tensor.dtype.name}")
    return tensor.numpy().astype(np.int64)


class RaggedTensor(CompositeTensor):
    """A tensor with axes along which the sizes of slices differ.

    Its elements are those of `flat_values`, divided into rows by `row_splits`: row `i` is
    `values[row_splits[i]:row_splits[i + 1]]`. `values` may be ragged itself.

    Make one with `tf.ragged.constant` or one of the `from_` methods.

    Raises:
        ValueError: from the constructor, which is private.

    >>> rows = tf.RaggedTensor.from_row_lengths([3, 1, 4, 1, 5], [2, 0, 3])
    >>> rows
    <tf.RaggedTensor [[3, 1], [], [4, 1, 5]]>
    >>> rows[0].numpy(), (rows * 2)[:, :1]
    (array([3, 1], dtype=int32), <tf.RaggedTensor [[6], [], [8]]>)
    """

    def __init__(self, values: Any, row_partition: Any, internal: bool = False) -> None:
        if not internal:
            raise ValueError(
                "RaggedTensor constructor is private; please use one of the factory methods "
                "instead (e.g., RaggedTensor.from_row_lengths())"
            )
        self._values = values
        self._partition: RowPartition = row_partition

    @classmethod
    def _of(cls, values: Any, partition: RowPartition) -> RaggedTensor:
        return cls(values, partition, internal=True)

    @classmethod
    def _checked(
        cls, values: Any, partition: RowPartition, method: str, validate: bool
    ) -> RaggedTensor:
        """From values and splits that a user gave."""
        if not isinstance(values, RaggedTensor):
            values = _core.convert(values, None, None)
            if values.ndim < 1:
                raise ValueError(f"Shape {values.shape} must have rank at least 1")
        if validate:
            splits = partition.numpy
            if splits[0] != 0:
                raise _invalid(
                    f"Arguments to {method} do not form a valid RaggedTensor:zero. The first of "
                    f"row_splits must be 0, got {splits[0]}"
                )
            if (np.diff(splits) < 0).any():
                raise _invalid(
                    f"Arguments to {method} do not form a valid RaggedTensor:monotonic. Row "
                    f"lengths must be >= 0, got {np.diff(splits).tolist()}"
                )
            if splits[-1] != _rows_of(values):
                raise _invalid(
                    f"Arguments to {method} do not form a valid RaggedTensor. The rows have "
                    f"{splits[-1]} elements, but there are {_rows_of(values)}"
                )
        if isinstance(values, RaggedTensor) and values._partition.dtype is not partition.dtype:
            values = values.with_row_splits_dtype(dtypes.int64)
            partition = RowPartition.of(partition.numpy, dtypes.int64, partition.uniform_row_length)
        return cls._of(values, partition)

    @classmethod
    def from_row_splits(
        cls, values: Any, row_splits: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Rows from the places where they begin, with the end of the last.

        Args:
            values: `[n, ...]`, or ragged.
            row_splits: `[rows + 1]`, ascending from 0 to n.
            name: ignored.
            validate: whether to check that.

        Raises:
            ValueError: if `row_splits` is empty.
            tf.errors.InvalidArgumentError: if it does not fit.

        >>> tf.RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 2, 3])
        <tf.RaggedTensor [[1, 2], [], [3]]>
        """
        dtype = _splits_dtype(values, row_splits)
        splits = _vector(row_splits, "row_splits")
        if not len(splits):
            raise ValueError("row_splits tensor may not be empty.")
        partition = RowPartition.of(splits, dtype)
        return cls._checked(values, partition, "from_row_splits", validate)

    @classmethod
    def from_row_lengths(
        cls, values: Any, row_lengths: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Rows from their lengths.

        >>> tf.RaggedTensor.from_row_lengths([1, 2, 3], [2, 0, 1])
        <tf.RaggedTensor [[1, 2], [], [3]]>
        """
        dtype = _splits_dtype(values, row_lengths)
        lengths = _vector(row_lengths, "row_lengths")
        if validate and (lengths < 0).any():
            raise _invalid(
                "Arguments to from_row_lengths do not form a valid RaggedTensor. Row lengths must "
                f"be >= 0, got {lengths.tolist()}"
            )
        partition = RowPartition.of_lengths(lengths, dtype)
        return cls._checked(values, partition, "from_row_lengths", validate)

    @classmethod
    def from_value_rowids(
        cls,
        values: Any,
        value_rowids: Any,
        nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Rows from the row of each element.

        Args:
            values: `[n, ...]`, or ragged.
            value_rowids: `[n]`, ascending.
            nrows: how many rows there are; by default the last that has an element ends them.
            name: ignored.
            validate: whether to check that.

        >>> tf.RaggedTensor.from_value_rowids([1, 2, 3], [0, 0, 2])
        <tf.RaggedTensor [[1, 2], [], [3]]>
        """
        dtype = _splits_dtype(values, value_rowids)
        ids = _vector(value_rowids, "value_rowids")
        rows = int(nrows) if nrows is not None else (int(ids[-1]) + 1 if len(ids) else 0)
        if rows < 0:
            raise ValueError(f"Expected nrows >= 0; got {rows}")
        if validate and len(ids):
            if (np.diff(ids) < 0).any() or ids[0] < 0 or ids[-1] >= rows:
                raise _invalid(
                    "Arguments to from_value_rowids do not form a valid RowPartition. They must "
                    f"ascend and lie within [0, {rows}), got {ids.tolist()}"
                )
        partition = RowPartition.of_lengths(np.bincount(ids, minlength=rows), dtype)
        return cls._checked(values, partition, "from_value_rowids", validate)

    @classmethod
    def from_row_starts(
        cls, values: Any, row_starts: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Rows from the places where they begin.

        >>> tf.RaggedTensor.from_row_starts([1, 2, 3], [0, 2, 2])
        <tf.RaggedTensor [[1, 2], [], [3]]>
        """
        if not isinstance(values, RaggedTensor):
            values = _core.convert(values, None, None)
        dtype = _splits_dtype(values, row_starts)
        splits = np.append(_vector(row_starts, "row_starts"), _rows_of(values))
        return cls._checked(values, RowPartition.of(splits, dtype), "from_row_starts", validate)

    @classmethod
    def from_row_limits(
        cls, values: Any, row_limits: Any, name: str | None = None, validate: bool = True
    ) -> RaggedTensor:
        """Rows from the places where they end.

        >>> tf.RaggedTensor.from_row_limits([1, 2, 3], [2, 2, 3])
        <tf.RaggedTensor [[1, 2], [], [3]]>
        """
        dtype = _splits_dtype(values, row_limits)
        splits = np.append(0, _vector(row_limits, "row_limits"))
        return cls._checked(values, RowPartition.of(splits, dtype), "from_row_limits", validate)

    @classmethod
    def from_uniform_row_length(
        cls,
        values: Any,
        uniform_row_length: Any,
        nrows: Any = None,
        validate: bool = True,
        name: str | None = None,
    ) -> RaggedTensor:
        """Rows of one length.

        Args:
            values: `[n, ...]`, or ragged.
            uniform_row_length: the length.
            nrows: how many rows there are; needed if the length is 0.
            validate: whether to check that they fit.
            name: ignored.

        Raises:
            ValueError: if they do not.

        >>> tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2)
        <tf.RaggedTensor [[1, 2],
         [3, 4]]>
        """
        if not isinstance(values, RaggedTensor):
            values = _core.convert(values, None, None)
        length, count = int(uniform_row_length), _rows_of(values)
        if length < 0:
            raise ValueError(f"uniform_row_length must be greater than or equal to 0, got {length}")
        rows = int(nrows) if nrows is not None else (count // length if length else 0)
        if validate and rows * length != count:
            raise ValueError(
                f"uniform_row_length={length} times nrows={rows} must equal nvals={count}"
            )
        dtype = _splits_dtype(values, uniform_row_length)
        partition = RowPartition.of(np.arange(rows + 1, dtype=np.int64) * length, dtype, length)
        return cls._of(values, partition)

    @classmethod
    def from_nested_row_splits(
        cls,
        flat_values: Any,
        nested_row_splits: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Rows of rows from several vectors of splits, the outermost first.

        >>> tf.RaggedTensor.from_nested_row_splits([1, 2, 3], [[0, 1, 2], [0, 2, 3]])
        <tf.RaggedTensor [[[1, 2]], [[3]]]>
        """
        return cls._nested(cls.from_row_splits, flat_values, nested_row_splits, validate)

    @classmethod
    def from_nested_row_lengths(
        cls,
        flat_values: Any,
        nested_row_lengths: Any,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Rows of rows from several vectors of lengths, the outermost first.

        >>> tf.RaggedTensor.from_nested_row_lengths([1, 2, 3], [[1, 1], [2, 1]])
        <tf.RaggedTensor [[[1, 2]], [[3]]]>
        """
        return cls._nested(cls.from_row_lengths, flat_values, nested_row_lengths, validate)

    @classmethod
    def from_nested_value_rowids(
        cls,
        flat_values: Any,
        nested_value_rowids: Any,
        nested_nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> RaggedTensor:
        """Rows of rows from several vectors of row numbers, the outermost first.

        Raises:
            ValueError: if `nested_nrows` has another length.
        """
        if isinstance(nested_value_rowids, _core.Tensor):
            raise TypeError(
                "Argument `nested_value_rowids` must be a list of Tensors. Received "
                f"{nested_value_rowids}."
            )
        ids = list(nested_value_rowids)
        counts = [None] * len(ids) if nested_nrows is None else list(nested_nrows)
        if len(counts) != len(ids):
            raise ValueError(
                "Argument `nested_nrows` must have the same length as argument "
                f"`nested_value_rowids`. len(nested_nrows) = {len(counts)} vs. "
                f"len(nested_values_rowids) = {len(ids)}."
            )
        values = flat_values
        for row_ids, rows in zip(reversed(ids), reversed(counts), strict=True):
            values = cls.from_value_rowids(values, row_ids, rows, validate=validate)
        return values

    @staticmethod
    def _nested(method: Any, values: Any, parts: Any, validate: bool) -> Any:
        if isinstance(parts, _core.Tensor):
            raise TypeError(f"The nested argument must be a list of Tensors. Received {parts}.")
        for part in reversed(list(parts)):
            values = method(values, part, validate=validate)
        return values

    @classmethod
    def from_tensor(
        cls,
        tensor: Any,
        lengths: Any = None,
        padding: Any = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: Any = dtypes.int64,
    ) -> RaggedTensor:
        """Rows of a dense tensor, without what is behind their ends.

        Args:
            tensor: a tensor of rank `ragged_rank + 1` or more.
            lengths: the length of each row, or a tuple of vectors of lengths for nested rows.
            padding: the element that fills the ends of rows.
            ragged_rank: how many axes shall be ragged.
            name: ignored.
            row_splits_dtype: int32 or int64.

        Raises:
            ValueError: if both `lengths` and `padding` are given, or the rank is too small.

        >>> tf.RaggedTensor.from_tensor([[1, 2, 0], [3, 0, 0]], padding=0)
        <tf.RaggedTensor [[1, 2], [3]]>
        """
        from eagerflow.ops.ragged.conversion import from_tensor

        return from_tensor(tensor, lengths, padding, ragged_rank, row_splits_dtype)

    @classmethod
    def from_sparse(
        cls, st_input: Any, name: str | None = None, row_splits_dtype: Any = dtypes.int64
    ) -> RaggedTensor:
        """Rows of a sparse matrix whose elements have no gaps between them.

        Raises:
            ValueError: if its rank is not 2.
            tf.errors.InvalidArgumentError: if there are gaps.

        >>> tf.RaggedTensor.from_sparse(tf.sparse.from_dense([[1, 2, 0], [3, 0, 0]]))
        <tf.RaggedTensor [[1, 2], [3]]>
        """
        from eagerflow.ops.ragged.conversion import from_sparse

        return from_sparse(st_input, row_splits_dtype)

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self._values.dtype

    @property
    def shape(self) -> TensorShape:
        """The shape, with None for ragged axes."""
        return TensorShape(
            [self._partition.rows, self._partition.uniform_row_length, *self._values.shape[1:]]
        )

    def get_shape(self) -> TensorShape:
        """The shape; the same as `shape`."""
        return self.shape

    @property
    def ragged_rank(self) -> int:
        """How many axes are divided by splits."""
        inner = self._values
        return 1 + (inner.ragged_rank if isinstance(inner, RaggedTensor) else 0)

    @property
    def values(self) -> Any:
        """The elements of all rows one after the other; ragged if rows of rows are."""
        return self._values

    @property
    def flat_values(self) -> Any:
        """The elements as a tensor."""
        values = self._values
        while isinstance(values, RaggedTensor):
            values = values._values
        return values

    @property
    def row_splits(self) -> Any:
        """The place of each row's first element, and the end of the last row."""
        return self._partition.splits

    @property
    def uniform_row_length(self) -> Any:
        """The length of all rows if they have one by construction, else None."""
        length = self._partition.uniform_row_length
        return None if length is None else _core.convert(length, self._partition.dtype, None)

    def _partitions(self) -> list[RowPartition]:
        """The partitions, the outermost first."""
        found, value = [], self
        while isinstance(value, RaggedTensor):
            found.append(value._partition)
            value = value._values
        return found

    @property
    def nested_row_splits(self) -> tuple:
        """The splits of all ragged axes, the outermost first."""
        return tuple(partition.splits for partition in self._partitions())

    def _index(self, array: Any) -> Any:
        return _core.convert(array, self._partition.dtype, None)

    def nested_row_lengths(self, name: str | None = None) -> tuple:
        """The lengths of rows along all ragged axes, the outermost first."""
        return tuple(self._index(partition.lengths) for partition in self._partitions())

    def nested_value_rowids(self, name: str | None = None) -> tuple:
        """The rows of elements along all ragged axes, the outermost first."""
        return tuple(self._index(partition.rowids) for partition in self._partitions())

    def value_rowids(self, name: str | None = None) -> Any:
        """The row of each element of `values`."""
        return self._index(self._partition.rowids)

    def nrows(self, out_type: Any = None, name: str | None = None) -> Any:
        """How many rows there are."""
        dtype = self._partition.dtype if out_type is None else as_dtype(out_type)
        return _core.convert(self._partition.rows, dtype, None)

    def row_starts(self, name: str | None = None) -> Any:
        """The place of each row's first element."""
        return self._index(self._partition.numpy[:-1])

    def row_limits(self, name: str | None = None) -> Any:
        """The end of each row."""
        return self._index(self._partition.numpy[1:])

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """The length of each row along an axis; ragged if `axis` is above 1.

        >>> tf.ragged.constant([[1, 2], []]).row_lengths().numpy()
        array([2, 0])
        """
        rank = len(self.shape)
        if not -rank <= axis < rank:
            raise ValueError(f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}")
        axis %= rank
        if axis == 0:
            return self.nrows()
        if axis == 1:
            return self._index(self._partition.lengths)
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.row_lengths(axis - 1))
        sizes = self._values._shape_tuple()
        lengths = np.full(sizes[: axis - 1], sizes[axis - 1], np.int64)
        return self.with_values(self._index(lengths))

    def bounding_shape(
        self, axis: Any = None, name: str | None = None, out_type: Any = None
    ) -> Any:
        """The smallest shape that holds all rows, or its sizes along some axes.

        >>> tf.ragged.constant([[1, 2], [], [3]]).bounding_shape().numpy()
        array([3, 2])
        """
        sizes = [self._partition.rows]
        for partition in self._partitions():
            sizes.append(int(partition.lengths.max(initial=0)))
        sizes += self.flat_values._shape_tuple()[1:]
        dtype = self._partition.dtype if out_type is None else as_dtype(out_type)
        chosen = sizes if axis is None else np.array(sizes)[np.asarray(axis)]
        return _core.convert(chosen, dtype, None)

    def with_values(self, new_values: Any) -> RaggedTensor:
        """The same rows with other elements.

        Raises:
            ValueError: if their number is another one.
        """
        if not isinstance(new_values, RaggedTensor):
            new_values = _core.convert(new_values, None, None)
            new_values.shape.with_rank_at_least(1)
        if _rows_of(new_values) != _rows_of(self._values):
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

    def with_flat_values(self, new_values: Any) -> RaggedTensor:
        """The same rows of rows with other elements."""
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.with_flat_values(new_values))
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype: Any) -> RaggedTensor:
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
        partition = RowPartition.of(
            self._partition.numpy, dtype, self._partition.uniform_row_length
        )
        return RaggedTensor._of(values, partition)

    def merge_dims(self, outer_axis: int, inner_axis: int) -> Any:
        """The axes from `outer_axis` to `inner_axis` joined into one.

        >>> tf.ragged.constant([[[1, 2], [3]], [[4]]]).merge_dims(1, 2)
        <tf.RaggedTensor [[1, 2, 3], [4]]>
        """
        from eagerflow.ops.ragged.arrangement import merge_dims

        return merge_dims(self, outer_axis, inner_axis)

    def to_tensor(
        self, default_value: Any = None, name: str | None = None, shape: Any = None
    ) -> Any:
        """A dense tensor, with another element behind the ends of rows.

        Args:
            default_value: that element, of the shape of an element or one that is broadcast to it;
                zero or an empty string by default.
            name: ignored.
            shape: the shape of the result; what is outside is left out, None stands for as much as
                is needed.

        >>> tf.ragged.constant([[1, 2], [3]]).to_tensor(-1).numpy()
        array([[ 1,  2],
               [ 3, -1]], dtype=int32)
        """
        from eagerflow.ops.ragged.conversion import to_tensor

        return to_tensor(self, default_value, shape)

    def to_sparse(self, name: str | None = None) -> Any:
        """A sparse tensor with the same elements.

        >>> tf.ragged.constant([[1, 2], [3]]).to_sparse().indices.numpy().tolist()
        [[0, 0], [0, 1], [1, 0]]
        """
        from eagerflow.ops.ragged.conversion import to_sparse

        return to_sparse(self)

    def to_list(self) -> list:
        """Nested lists.

        >>> tf.ragged.constant([[1, 2], []]).to_list()
        [[1, 2], []]
        """
        inner = self._values
        items = inner.to_list() if isinstance(inner, RaggedTensor) else inner.numpy().tolist()
        splits = self._partition.numpy.tolist()
        return [items[a:b] for a, b in zip(splits, splits[1:], strict=False)]

    def numpy(self) -> np.ndarray:
        """A NumPy array; of arrays, where rows have different lengths.

        >>> tf.ragged.constant([[1, 2], [3, 4]]).numpy()
        array([[1, 2],
               [3, 4]], dtype=int32)
        """
        inner = self._values.numpy()
        if not self._partition.rows:
            return np.array([], inner.dtype)
        rows = np.split(inner, self._partition.numpy[1:-1])
        if any(len(row) != len(rows[0]) for row in rows):
            result = np.empty(len(rows), object)
            result[:] = rows
            return result
        return np.array(rows)

    def __getitem__(self, key: Any) -> Any:
        """Rows, parts of rows, or elements; an integer may not stand for a ragged axis inside."""
        from eagerflow.ops.ragged.getitem import getitem

        return getitem(self, key)

    def __iter__(self) -> Iterator[Any]:
        return (self[row] for row in range(self._partition.rows))

    def __bool__(self) -> bool:
        raise TypeError("RaggedTensor may not be used as a boolean.")

    def __hash__(self) -> int:
        raise TypeError("RaggedTensor is unhashable.")

    def __repr__(self) -> str:
        return f"<tf.RaggedTensor {_text(self.numpy())}>"

    def consumers(self) -> list:
        """Nothing: there is no graph."""
        return []

    @property
    def _type_spec(self) -> RaggedTensorSpec:
        return RaggedTensorSpec.from_value(self)

    @property
    def _gradient_component(self) -> Any:
        return self.flat_values

    def _with_gradient(self, gradient: Any) -> Any:
        if isinstance(gradient, _core.Tensor) or gradient is None:
            return gradient if gradient is None else self.with_flat_values(gradient)
        return self.with_flat_values(_core.convert(gradient, None, None))

    def _run(self, function: Any, arguments: dict[str, Any]) -> Any:
        from eagerflow.ops.ragged.dispatch import run

        return run(function, arguments)

    def _print_text(self, summarize: int) -> str:
        from eagerflow.ops.ragged.printing import ragged_text

        return ragged_text(self, summarize)

    def _call(self, name: str, args: tuple, kwargs: dict[str, Any]) -> Any:
        from eagerflow.ops.ragged.dispatch import call

        return call(self, name, args, kwargs)


def _text(value: Any) -> str:
    if not isinstance(value, np.ndarray):
        return str(value)
    if not value.size:
        return repr(value.tolist())
    return np.array2string(value, separator=", ", formatter={"all": _text})


def _rows_of(values: Any) -> int:
    if isinstance(values, RaggedTensor):
        return values._partition.rows
    return values._shape_tuple()[0]


def _attach_operators() -> None:
    """Operators that go through the functions for tensors."""

    def operator(symbol: str, reflected: bool) -> Any:
        plain = getattr(_core.Tensor, f"__{symbol}__")

        def forward(self: Any, other: Any) -> Any:
            from eagerflow.ops.ragged.dispatch import operate

            return operate(symbol, self, other)

        def backward(self: Any, other: Any) -> Any:
            from eagerflow.ops.ragged.dispatch import operate

            return operate(symbol, other, self)

        method = backward if reflected else forward
        method.__doc__ = plain.__doc__
        return method

    for symbol in "add sub mul truediv floordiv mod pow and or xor".split():
        setattr(RaggedTensor, f"__{symbol}__", operator(symbol, False))
        setattr(RaggedTensor, f"__r{symbol}__", operator(symbol, True))
    for symbol in "eq ne lt le gt ge matmul".split():
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


class RaggedTensorSpec(TypeSpec):
    """The shape and dtype of a ragged tensor.

    Args:
        shape: anything `TensorShape` takes; ragged axes are None.
        dtype: the dtype of the elements.
        ragged_rank: how many axes are divided by splits; by default all but the last.
        row_splits_dtype: int32 or int64.
        flat_values_spec: a spec for `flat_values` that stands for `dtype`.

    Raises:
        ValueError: if the rank is unknown and `ragged_rank` not given, or too large.

    >>> tf.RaggedTensorSpec([None, None], tf.int32)
    RaggedTensorSpec(TensorShape([None, None]), tf.int32, 1, tf.int64)
    """

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        ragged_rank: int | None = None,
        row_splits_dtype: Any = dtypes.int64,
        flat_values_spec: Any = None,
    ) -> None:
        self._shape = as_shape(shape)
        if flat_values_spec is not None:
            dtype = flat_values_spec.dtype if dtype is None else dtype
        self._dtype = as_dtype(dtype)
        self._flat_values_spec = flat_values_spec
        self._row_splits_dtype = as_dtype(row_splits_dtype)
        rank = self._shape.rank
        if ragged_rank is None:
            if rank is None:
                raise ValueError(
                    "Must specify ragged_rank or a shape with a known rank. Received: ragged_rank="
                    f"{ragged_rank}, shape={self._shape}"
                )
            ragged_rank = rank - 1
        self._ragged_rank = ragged_rank
        if not isinstance(ragged_rank, int):
            raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
        if rank is not None and ragged_rank >= rank:
            raise ValueError(
                f"Argument `ragged_rank` ({ragged_rank}) must be less than rank ({rank})."
            )

    @classmethod
    def from_value(cls, value: Any) -> RaggedTensorSpec:
        """The spec of a ragged tensor."""
        return cls(
            value.shape, value.dtype, value.ragged_rank, row_splits_dtype=value._partition.dtype
        )

    @property
    def shape(self) -> TensorShape:
        """The shape."""
        return self._shape

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self._dtype

    @property
    def ragged_rank(self) -> int:
        """How many axes are divided by splits."""
        return self._ragged_rank

    @property
    def row_splits_dtype(self) -> Any:
        """int32 or int64."""
        return self._row_splits_dtype

    @property
    def flat_values_spec(self) -> Any:
        """The spec of `flat_values`, if one was given."""
        return self._flat_values_spec

    @property
    def value_type(self) -> type:
        """RaggedTensor, or Tensor if no axis is ragged."""
        return RaggedTensor if self._ragged_rank else _core.Tensor

    @property
    def _component_specs(self) -> list:
        dims = None if self._shape.rank is None else list(self._shape)
        if not self._ragged_rank:
            return [TensorSpec(dims, self._dtype)]
        inner = None if dims is None else [None, *dims[self._ragged_rank + 1 :]]
        specs: list = [TensorSpec(inner, self._dtype)]
        rows = None if dims is None else dims[0]
        for level in range(self._ragged_rank):
            count = None if rows is None else rows + 1
            specs.append(TensorSpec([count], self._row_splits_dtype))
            size = None if dims is None else dims[level + 1]
            rows = None if rows is None or size is None else rows * size
        return specs

    def _to_components(self, value: Any) -> list:
        if not isinstance(value, RaggedTensor):
            return [value]
        return [value.flat_values, *value.nested_row_splits]

    def _from_components(self, components: Any) -> Any:
        values, *splits = components
        if not splits:
            return values
        dims = [None] * len(splits) if self._shape.rank is None else list(self._shape)[1:]
        for level in reversed(range(len(splits))):
            partition = RowPartition(
                _core.convert(splits[level], self._row_splits_dtype, None), dims[level]
            )
            if not isinstance(values, RaggedTensor):
                values = _core.convert(values, None, None)
            values = RaggedTensor._of(values, partition)
        return values

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether dtypes, shape and ragged rank fit; unknown dimensions fit any."""
        if isinstance(spec_or_value, RaggedTensor):
            spec_or_value = RaggedTensorSpec.from_value(spec_or_value)
        elif self._ragged_rank == 0 and not isinstance(spec_or_value, RaggedTensorSpec):
            return TensorSpec(self._shape, self._dtype).is_compatible_with(spec_or_value)
        if not isinstance(spec_or_value, RaggedTensorSpec):
            return False
        return (
            self._dtype == spec_or_value._dtype
            and self._ragged_rank == spec_or_value._ragged_rank
            and self._row_splits_dtype == spec_or_value._row_splits_dtype
            and self._shape.is_compatible_with(spec_or_value._shape)
        )

    def is_subtype_of(self, other: Any) -> bool:
        """Whether the other has these dtypes and ranks, and a shape that says at most as much."""
        return (
            isinstance(other, RaggedTensorSpec)
            and self._key()[1:] == other._key()[1:]
            and self._shape.is_subtype_of(other._shape)
        )

    def most_specific_compatible_type(self, other: Any) -> RaggedTensorSpec:
        """A spec with None wherever the two shapes differ."""
        if not isinstance(other, RaggedTensorSpec) or self._key()[1:] != other._key()[1:]:
            raise ValueError(f"No RaggedTensorSpec is compatible with both {self} and {other}.")
        return RaggedTensorSpec(
            self._shape.most_specific_compatible_shape(other._shape),
            self._dtype,
            self._ragged_rank,
            self._row_splits_dtype,
        )

    def _key(self) -> tuple:
        dims = None if self._shape.rank is None else tuple(self._shape)
        return dims, self._dtype.name, self._ragged_rank, self._row_splits_dtype.name

    def __repr__(self) -> str:
        return (
            f"RaggedTensorSpec({self._shape!r}, {self._dtype!r}, {self._ragged_rank}, "
            f"{self._row_splits_dtype!r})"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RaggedTensorSpec) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple:
        return RaggedTensorSpec, self._key()
