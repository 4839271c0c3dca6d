"""The factories of RaggedTensor: from splits, lengths, row ids, dense and sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.dtypes import as_dtype
from eagerflow.framework.op_function import op_function
from eagerflow.framework.sizes import sizes_of
from eagerflow.ops.array import invalid_argument
from eagerflow.ragged.row_partition import RowPartition
from eagerflow.typing import DTypeLike, TensorLike
from eagerflow.util import lazy

# Imported when it is first used: it imports this module.
conversion = lazy.Module("eagerflow.ragged.conversion")

Tensor = _core.Tensor

# The names of the factories.
FACTORIES = (
    "from_row_splits",
    "from_row_lengths",
    "from_value_rowids",
    "from_row_starts",
    "from_row_limits",
    "from_uniform_row_length",
    "from_nested_row_splits",
    "from_nested_row_lengths",
    "from_nested_value_rowids",
    "from_tensor",
    "from_sparse",
)


def _splits_dtype(values: TensorLike, splits: TensorLike) -> dtypes.DType:
    """int64, unless a tensor, an array or ragged values are int32."""
    if isinstance(values, RaggedFactories):
        return values._partition.dtype
    if isinstance(splits, _core.Tensor | np.ndarray) and as_dtype(splits.dtype) is dtypes.int32:
        return dtypes.int32
    return dtypes.int64


def _vector(value: TensorLike, name: str) -> np.ndarray:
    tensor = _core.convert(value, None, dtypes.int64)
    if tensor._size == 0:
        return np.zeros(0, np.int64)
    if tensor.ndim != 1:
        raise ValueError(f"Shape {tensor.shape} must have rank 1")
    if not tensor.dtype.is_integer:
        raise ValueError(f"{name} must be integers, got {tensor.dtype.name}")
    return tensor.numpy().astype(np.int64)


def rows_of(values: RaggedFactories | Tensor) -> int:
    """The number of rows of ragged or dense values."""
    if isinstance(values, RaggedFactories):
        return values._partition.static_nrows
    return values._shape_tuple()[0]


class RaggedFactories(CompositeTensor):
    """The class methods of RaggedTensor that make one.

    A subclass takes its values and the RowPartition of its outermost axis.
    """

    _values: Any
    _partition: RowPartition
    with_row_splits_dtype: Any

    @classmethod
    def _of(cls, values: TensorLike, partition: RowPartition) -> Any:
        return cls(values, partition, internal=True)  # type: ignore[call-arg]

    @staticmethod
    def _count(values: Any) -> Any:
        """The number of rows of values, a tensor if it is not known."""
        if isinstance(values, RaggedFactories):
            rows = values._partition.static_nrows
            return values._partition.nrows() if rows is None else rows
        return sizes_of(values)[0]

    @classmethod
    def _checked(cls, values: Any, partition: RowPartition, method: str, validate: bool) -> Any:
        """From values and splits of the program, which are checked."""
        if not isinstance(values, RaggedFactories):
            values = _core.as_tensor(values)
            if values.ndim is not None and values.ndim < 1:
                raise ValueError(f"Shape {values.shape} must have rank at least 1")
        if validate and _core.building() is None:
            splits = partition.splits
            if splits[0] != 0:
                raise invalid_argument(
                    f"Arguments to {method} do not form a valid RaggedTensor:zero. The first of "
                    f"row_splits must be 0, got {splits[0]}"
                )
            if (np.diff(splits) < 0).any():
                raise invalid_argument(
                    f"Arguments to {method} do not form a valid RaggedTensor:monotonic. Row "
                    f"lengths must be >= 0, got {np.diff(splits).tolist()}"
                )
            if splits[-1] != rows_of(values):
                raise invalid_argument(
                    f"Arguments to {method} do not form a valid RaggedTensor. The rows have "
                    f"{splits[-1]} elements, but there are {rows_of(values)}"
                )
        if isinstance(values, RaggedFactories) and values._partition.dtype is not partition.dtype:
            values = values.with_row_splits_dtype(dtypes.int64)
            partition = partition.with_dtype(dtypes.int64)
        return cls._of(values, partition)

    @classmethod
    @op_function(overridable=False)
    def from_row_splits(
        cls,
        values: TensorLike,
        row_splits: TensorLike,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Rows from their splits: the index of each row's first element, and the end of the last row.

        Args:
            values: `[n, ...]`, or ragged.
            row_splits: `[rows + 1]`, ascending from 0 to n.
            validate: whether to check that.

        Raises:
            ValueError: if `row_splits` is empty.
            tf.errors.InvalidArgumentError: if it does not fit.

        >>> tf.RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 2, 3])
        <tf.RaggedTensor [[1, 2], [], [3]]>
        """
        dtype = _splits_dtype(values, row_splits)
        if _core.building() is not None:
            partition = RowPartition.from_row_splits(row_splits, validate=validate, dtype=dtype)
            return cls._checked(values, partition, "from_row_splits", validate)
        splits = _vector(row_splits, "row_splits")
        if not len(splits):
            raise ValueError("row_splits tensor may not be empty.")
        partition = RowPartition.of(splits, dtype)
        return cls._checked(values, partition, "from_row_splits", validate)

    @classmethod
    @op_function(overridable=False)
    def from_row_lengths(
        cls,
        values: TensorLike,
        row_lengths: TensorLike,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Rows from their lengths.

        >>> tf.RaggedTensor.from_row_lengths([1, 2, 3], [2, 0, 1])
        <tf.RaggedTensor [[1, 2], [], [3]]>
        """
        dtype = _splits_dtype(values, row_lengths)
        if _core.building() is not None:
            partition = RowPartition.from_row_lengths(row_lengths, validate=validate, dtype=dtype)
            return cls._checked(values, partition, "from_row_lengths", validate)
        lengths = _vector(row_lengths, "row_lengths")
        if validate and (lengths < 0).any():
            raise invalid_argument(
                "Arguments to from_row_lengths do not form a valid RaggedTensor. Row lengths must "
                f"be >= 0, got {lengths.tolist()}"
            )
        partition = RowPartition.of_lengths(lengths, dtype)
        return cls._checked(values, partition, "from_row_lengths", validate)

    @classmethod
    @op_function(overridable=False)
    def from_value_rowids(
        cls,
        values: TensorLike,
        value_rowids: TensorLike,
        nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Rows from the row of each element.

        Args:
            values: `[n, ...]`, or ragged.
            value_rowids: `[n]`, ascending.
            nrows: the number of rows; by default that up to the last one with an element.
            validate: whether to check that.

        >>> tf.RaggedTensor.from_value_rowids([1, 2, 3], [0, 0, 2])
        <tf.RaggedTensor [[1, 2], [], [3]]>
        """
        dtype = _splits_dtype(values, value_rowids)
        if _core.building() is not None:
            partition = RowPartition.from_value_rowids(
                value_rowids, nrows, validate=validate, dtype=dtype
            )
            return cls._checked(values, partition, "from_value_rowids", validate)
        ids = _vector(value_rowids, "value_rowids")
        rows = int(nrows) if nrows is not None else (int(ids[-1]) + 1 if len(ids) else 0)
        if rows < 0:
            raise ValueError(f"Expected nrows >= 0; got {rows}")
        if validate and len(ids):
            if (np.diff(ids) < 0).any() or ids[0] < 0 or ids[-1] >= rows:
                raise invalid_argument(
                    "Arguments to from_value_rowids do not form a valid RowPartition. They must "
                    f"ascend and lie within [0, {rows}), got {ids.tolist()}"
                )
        partition = RowPartition.of_lengths(np.bincount(ids, minlength=rows), dtype)
        return cls._checked(values, partition, "from_value_rowids", validate)

    @classmethod
    @op_function(overridable=False)
    def from_row_starts(
        cls,
        values: TensorLike,
        row_starts: TensorLike,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Rows from the indices of their first elements.

        >>> tf.RaggedTensor.from_row_starts([1, 2, 3], [0, 2, 2])
        <tf.RaggedTensor [[1, 2], [], [3]]>
        """
        if not isinstance(values, RaggedFactories):
            values = _core.as_tensor(values)
        dtype = _splits_dtype(values, row_starts)
        if _core.building() is not None:
            partition = RowPartition.from_row_starts(
                row_starts, cls._count(values), validate=validate, dtype=dtype
            )
            return cls._of(values, partition)
        splits = np.append(_vector(row_starts, "row_starts"), rows_of(values))
        return cls._checked(values, RowPartition.of(splits, dtype), "from_row_starts", validate)

    @classmethod
    @op_function(overridable=False)
    def from_row_limits(
        cls,
        values: TensorLike,
        row_limits: TensorLike,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Rows from the indices of their ends.

        >>> tf.RaggedTensor.from_row_limits([1, 2, 3], [2, 2, 3])
        <tf.RaggedTensor [[1, 2], [], [3]]>
        """
        dtype = _splits_dtype(values, row_limits)
        if _core.building() is not None:
            partition = RowPartition.from_row_limits(row_limits, validate=validate, dtype=dtype)
            return cls._checked(values, partition, "from_row_limits", validate)
        splits = np.append(0, _vector(row_limits, "row_limits"))
        return cls._checked(values, RowPartition.of(splits, dtype), "from_row_limits", validate)

    @classmethod
    @op_function(overridable=False)
    def from_uniform_row_length(
        cls,
        values: TensorLike,
        uniform_row_length: Any,
        nrows: Any = None,
        validate: bool = True,
        name: str | None = None,
    ) -> Any:
        """Rows of one length.

        Args:
            values: `[n, ...]`, or ragged.
            uniform_row_length: the length.
            nrows: the number of rows; needed if the length is 0.
            validate: whether to check that they fit.

        Raises:
            ValueError: if they do not.

        >>> tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2)
        <tf.RaggedTensor [[1, 2],
         [3, 4]]>
        """
        if not isinstance(values, RaggedFactories):
            values = _core.as_tensor(values)
        if _core.building() is not None:
            dtype = _splits_dtype(values, uniform_row_length)
            count = cls._count(values)
            partition = RowPartition.from_uniform_row_length(
                uniform_row_length, count, nrows, validate=validate, dtype=dtype
            )
            return cls._of(values, partition)
        length, count = int(uniform_row_length), rows_of(values)
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
    @op_function(overridable=False)
    def from_nested_row_splits(
        cls,
        flat_values: TensorLike,
        nested_row_splits: TensorLike,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Rows of rows from several vectors of splits, the outermost first.

        >>> tf.RaggedTensor.from_nested_row_splits([1, 2, 3], [[0, 1, 2], [0, 2, 3]])
        <tf.RaggedTensor [[[1, 2]], [[3]]]>
        """
        return cls._nested(cls.from_row_splits, flat_values, nested_row_splits, validate)

    @classmethod
    @op_function(overridable=False)
    def from_nested_row_lengths(
        cls,
        flat_values: TensorLike,
        nested_row_lengths: TensorLike,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Rows of rows from several vectors of lengths, the outermost first.

        >>> tf.RaggedTensor.from_nested_row_lengths([1, 2, 3], [[1, 1], [2, 1]])
        <tf.RaggedTensor [[[1, 2]], [[3]]]>
        """
        return cls._nested(cls.from_row_lengths, flat_values, nested_row_lengths, validate)

    @classmethod
    @op_function(overridable=False)
    def from_nested_value_rowids(
        cls,
        flat_values: TensorLike,
        nested_value_rowids: Any,
        nested_nrows: Any = None,
        name: str | None = None,
        validate: bool = True,
    ) -> Any:
        """Rows of rows from several vectors of row ids, the outermost first.

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
    def _nested(method: Any, values: TensorLike, parts: Any, validate: bool) -> Any:
        if isinstance(parts, _core.Tensor):
            raise TypeError(f"The nested argument must be a list of Tensors. Received {parts}.")
        for part in reversed(list(parts)):
            values = method(values, part, validate=validate)
        return values

    @classmethod
    @op_function(overridable=False)
    def from_tensor(
        cls,
        tensor: TensorLike,
        lengths: TensorLike | None = None,
        padding: TensorLike | None = None,
        ragged_rank: int = 1,
        name: str | None = None,
        row_splits_dtype: DTypeLike = dtypes.int64,
    ) -> Any:
        """Rows of a dense tensor, without the padding behind their ends.

        Args:
            tensor: a tensor of rank `ragged_rank + 1` or more.
            lengths: the length of each row, or a tuple of vectors of lengths for nested rows.
            padding: the element that fills the ends of rows.
            ragged_rank: the number of ragged axes.
            row_splits_dtype: int32 or int64.

        Raises:
            ValueError: if both `lengths` and `padding` are passed, or the rank is too small.

        >>> tf.RaggedTensor.from_tensor([[1, 2, 0], [3, 0, 0]], padding=0)
        <tf.RaggedTensor [[1, 2], [3]]>
        """
        return conversion.from_tensor(tensor, lengths, padding, ragged_rank, row_splits_dtype)

    @classmethod
    @op_function(overridable=False)
    def from_sparse(
        cls, st_input: Any, name: str | None = None, row_splits_dtype: DTypeLike = dtypes.int64
    ) -> Any:
        """Rows of a sparse matrix whose elements have no gaps between them.

        Raises:
            ValueError: if its rank is not 2.
            tf.errors.InvalidArgumentError: if there are gaps.

        >>> tf.RaggedTensor.from_sparse(tf.sparse.from_dense([[1, 2, 0], [3, 0, 0]]))
        <tf.RaggedTensor [[1, 2], [3]]>
        """
        return conversion.from_sparse(st_input, row_splits_dtype)
