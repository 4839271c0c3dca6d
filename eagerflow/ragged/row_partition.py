"""RowPartition: how a sequence of values is divided into rows, without the values."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.dtypes import DType, as_dtype
from eagerflow.framework.host_call import host_call
from eagerflow.framework.type_spec import TensorSpec, TypeSpec
from eagerflow.ops.array import invalid_argument
from eagerflow.typing import DTypeLike, TensorLike

Tensor = _core.Tensor


def _integers(value: Any, name: str, dtype: Any, hint: Any) -> tuple[np.ndarray, DType]:
    """A vector as an array, and the dtype of its tensor."""
    if dtype is None and not isinstance(value, Tensor | np.ndarray):
        hint = dtypes.int64 if hint is None else as_dtype(hint)
        tensor = _core.convert(value, hint if len(value) == 0 else None, hint)
    else:
        tensor = _core.as_tensor(value)
    wanted = tensor.dtype if dtype is None else as_dtype(dtype)
    if not tensor.dtype.is_integer and tensor._size or wanted not in (dtypes.int32, dtypes.int64):
        raise ValueError(f"{name} must have dtype int32 or int64")
    if tensor.ndim != 1:
        raise ValueError(f"Shape {tensor.shape} must have rank 1")
    return tensor.numpy().astype(np.int64), wanted


def _hosted(method: Any) -> Any:
    """A factory of partitions, which reads its arguments when the graph runs that is built."""
    fields = list(inspect.signature(method).parameters)

    @functools.wraps(method)
    def call(cls: Any, *args: Any, **kwargs: Any) -> Any:
        if _core.building() is None:
            return method(cls, *args, **kwargs)
        passed = dict(zip(fields[1:], args, strict=False)) | kwargs
        spec = _spec_of_factory(fields[1], passed)
        name = f"RowPartition_{method.__name__}"
        return host_call(functools.partial(method, cls), spec, args, kwargs, name=name)

    return call


def _known(value: object) -> int | None:
    """The value of a scalar argument, if it is passed and known."""
    known = None if value is None else _core.static_value(_core.as_tensor(value))
    return None if known is None else int(known.numpy())


def _spec_of_factory(form: str, arguments: dict[str, object]) -> RowPartitionSpec:
    """The spec of a partition that a factory creates from `form`, its first argument."""
    value = arguments[form]
    dtype = arguments.get("dtype")
    if dtype is None:
        dtype = getattr(value, "dtype", arguments.get("dtype_hint"))
    dtype = dtypes.int64 if dtype is None else as_dtype(dtype)
    nvals, rows = _known(arguments.get("nvals")), _known(arguments.get("nrows"))
    if form == "uniform_row_length":
        length = _known(value)
        if rows is None and nvals is not None and length is not None:
            rows = nvals // length if length else 0
        if nvals is None and rows is not None and length is not None:
            nvals = rows * length
        return RowPartitionSpec(rows, nvals, length, dtype)
    count = _core.convert(value, None, dtypes.int64)._size
    if form == "value_rowids":
        return RowPartitionSpec(rows, count, None, dtype)
    if form == "row_splits" and count is not None:
        count -= 1
    return RowPartitionSpec(count, nvals, None, dtype)


class RowPartition(CompositeTensor):
    """How a sequence of values is divided into rows.

    Create one by a `from_` method, or read it from `tf.shape` of a ragged tensor.

    Raises:
        ValueError: from the constructor, which is private.

    >>> partition = tf.experimental.RowPartition.from_row_lengths([2, 0, 3])
    >>> partition
    tf.RowPartition(row_splits=[0 2 2 5])
    >>> partition.value_rowids().numpy()
    array([0, 0, 2, 2, 2])
    """

    _stands_for_tensor = False

    def __init__(
        self,
        row_splits: Tensor,
        uniform_row_length: int | None = None,
        nvals: int | None = None,
        internal: bool = False,
    ) -> None:
        if not internal:
            raise ValueError(
                "RowPartition constructor is private; please use one of the factory methods "
                "instead (e.g., RowPartition.from_row_lengths())"
            )
        self._row_splits = row_splits
        self._uniform_row_length = uniform_row_length
        self._nvals = nvals
        # Computed on first use.
        self._splits: np.ndarray | None = None
        self._rowids: np.ndarray | None = None
        self._row_lengths: Tensor | None = None

    @classmethod
    def of(
        cls,
        splits: np.ndarray,
        dtype: DType,
        uniform_row_length: int | None = None,
        nvals: int | None = None,
    ) -> RowPartition:
        """From an array of splits that fit."""
        partition = cls(
            _core.convert(splits, dtype, None), uniform_row_length, nvals, internal=True
        )
        partition._splits = np.asarray(splits, np.int64)
        return partition

    @classmethod
    def of_lengths(
        cls,
        lengths: np.ndarray,
        dtype: DType,
        uniform_row_length: int | None = None,
        nvals: int | None = None,
    ) -> RowPartition:
        """From an array of the rows' lengths."""
        splits = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=splits[1:])
        return cls.of(splits, dtype, uniform_row_length, nvals)

    @property
    def splits(self) -> np.ndarray:
        """int64 `[nrows + 1]`: the index of each row's first value, and the end of the last row."""
        if self._splits is None:
            self._splits = self._row_splits.numpy().astype(np.int64, copy=False)
        return self._splits

    @property
    def lengths(self) -> np.ndarray:
        """int64 `[nrows]`: the length of each row."""
        splits = self.splits
        return splits[1:] - splits[:-1]

    @property
    def rowids(self) -> np.ndarray:
        """`[nvals]`: the row of each value."""
        if self._rowids is None:
            self._rowids = np.repeat(np.arange(self.static_nrows), self.lengths)
        return self._rowids

    @property
    def offsets(self) -> np.ndarray:
        """`[nvals]`: the index of each value in its row."""
        ids = self.rowids
        return np.arange(len(ids)) - self.splits[:-1][ids]

    @classmethod
    @_hosted
    def from_row_splits(
        cls,
        row_splits: TensorLike,
        validate: bool = True,
        dtype: DTypeLike | None = None,
        dtype_hint: DTypeLike | None = None,
    ) -> RowPartition:
        """From row splits: the index of each row's first value, and the end of the last row.

        Args:
            row_splits: `[nrows + 1]`, ascending from 0.
            validate: whether to check that.
            dtype: int32 or int64.
            dtype_hint: the dtype of splits that are no tensor.

        Raises:
            ValueError: if `row_splits` is empty, no vector, or of another dtype.
            tf.errors.InvalidArgumentError: if they do not ascend from 0.
        """
        splits, splits_dtype = _integers(row_splits, "row_splits", dtype, dtype_hint)
        if not len(splits):
            raise ValueError("row_splits tensor may not be empty.")
        if validate and splits[0] != 0:
            raise invalid_argument(
                "Arguments to from_row_splits do not form a valid RaggedTensor:zero. The first of "
                f"row_splits must be 0, got {splits[0]}"
            )
        if validate and (np.diff(splits) < 0).any():
            raise invalid_argument(
                "Arguments to from_row_splits do not form a valid RaggedTensor:monotonic. Row "
                f"lengths must be >= 0, got {np.diff(splits).tolist()}"
            )
        return cls.of(splits, splits_dtype)

    @classmethod
    @_hosted
    def from_row_lengths(
        cls,
        row_lengths: TensorLike,
        validate: bool = True,
        dtype: DTypeLike | None = None,
        dtype_hint: DTypeLike | None = None,
    ) -> RowPartition:
        """From the rows' lengths."""
        lengths, splits_dtype = _integers(row_lengths, "row_lengths", dtype, dtype_hint)
        if validate and (lengths < 0).any():
            raise invalid_argument(
                "Arguments to from_row_lengths do not form a valid RowPartition. Row lengths must "
                f"be >= 0, got {lengths.tolist()}"
            )
        return cls.of_lengths(lengths, splits_dtype)

    @classmethod
    @_hosted
    def from_value_rowids(
        cls,
        value_rowids: TensorLike,
        nrows: Any = None,
        validate: bool = True,
        dtype: DTypeLike | None = None,
        dtype_hint: DTypeLike | None = None,
    ) -> RowPartition:
        """From the row of each value.

        Args:
            value_rowids: ascending.
            nrows: the number of rows; by default that up to the last one with a value.
            validate: whether to check that.
            dtype: int32 or int64.
            dtype_hint: the dtype of row ids that are no tensor.
        """
        ids, splits_dtype = _integers(value_rowids, "value_rowids", dtype, dtype_hint)
        rows = int(ids[-1]) + 1 if len(ids) else 0
        if nrows is not None:
            if int(nrows) < 0:
                raise ValueError(f"Expected nrows >= 0; got {int(nrows)}")
            if int(nrows) < rows:
                raise ValueError(
                    f"Expected nrows >= value_rowids[-1] + 1; got nrows={int(nrows)}, "
                    f"value_rowids[-1]={ids[-1]}"
                )
            rows = int(nrows)
        if len(ids) and ((np.diff(ids) < 0).any() or ids[0] < 0):
            raise invalid_argument(
                "Arguments to from_value_rowids do not form a valid RowPartition. They must ascend "
                f"and be >= 0, got {ids.tolist()}"
            )
        return cls.of_lengths(np.bincount(ids, minlength=rows), splits_dtype, nvals=len(ids))

    @classmethod
    @_hosted
    def from_row_starts(
        cls,
        row_starts: TensorLike,
        nvals: Any,
        validate: bool = True,
        dtype: DTypeLike | None = None,
        dtype_hint: DTypeLike | None = None,
    ) -> RowPartition:
        """From the index of each row's first value, and the number of values."""
        starts, splits_dtype = _integers(row_starts, "row_starts", dtype, dtype_hint)
        if validate and len(starts):
            splits = np.append(starts, int(nvals))
            if starts[0] != 0 or (np.diff(splits) < 0).any():
                raise invalid_argument(
                    "Arguments to from_row_starts do not form a valid RaggedTensor. They must "
                    f"ascend from 0 to {int(nvals)}, got {starts.tolist()}"
                )
        return cls.of(np.append(starts, int(nvals)), splits_dtype, nvals=int(nvals))

    @classmethod
    @_hosted
    def from_row_limits(
        cls,
        row_limits: TensorLike,
        validate: bool = True,
        dtype: DTypeLike | None = None,
        dtype_hint: DTypeLike | None = None,
    ) -> RowPartition:
        """From the end of each row."""
        limits, splits_dtype = _integers(row_limits, "row_limits", dtype, dtype_hint)
        splits = np.append(0, limits)
        if validate and (np.diff(splits) < 0).any():
            raise invalid_argument(
                "Arguments to from_row_limits do not form a valid RaggedTensor. They must ascend "
                f"and be >= 0, got {limits.tolist()}"
            )
        return cls.of(splits, splits_dtype)

    @classmethod
    @_hosted
    def from_uniform_row_length(
        cls,
        uniform_row_length: Any,
        nvals: Any = None,
        nrows: Any = None,
        validate: bool = True,
        dtype: DTypeLike | None = None,
        dtype_hint: DTypeLike | None = None,
    ) -> RowPartition:
        """Rows of one length.

        Raises:
            ValueError: if neither `nvals` nor `nrows` is passed, or they do not fit.

        >>> tf.experimental.RowPartition.from_uniform_row_length(2, nvals=6)
        tf.RowPartition(nrows=3, uniform_row_length=2)
        """
        if nvals is None and nrows is None:
            raise ValueError("Either (or both) of nvals and nrows must be specified")
        if dtype is None:
            default = getattr(uniform_row_length, "dtype", dtype_hint)
            dtype = dtypes.int64 if default is None else default
        length = int(uniform_row_length)
        if length < 0:
            raise ValueError("uniform_row_length must be >= 0.")
        if nrows is None:
            rows = int(nvals) // length if length else 0
        else:
            rows = int(nrows)
        count = rows * length if nvals is None else int(nvals)
        if validate and rows * length != count:
            raise ValueError(
                f"uniform_row_length={length} times nrows={rows} must equal nvals={count}"
            )
        splits = np.arange(rows + 1, dtype=np.int64) * length
        return cls.of(splits, as_dtype(dtype), length, count)

    @property
    def dtype(self) -> DType:
        """int32 or int64."""
        return self._row_splits.dtype

    def _index(self, value: TensorLike) -> Tensor:
        return _core.convert(value, self.dtype, None)

    def row_splits(self) -> Tensor:
        """`[nrows + 1]`: the index of each row's first value, and the end of the last row."""
        return self._row_splits

    def row_lengths(self) -> Tensor:
        """`[nrows]`: the length of each row."""
        if self._row_lengths is None:
            splits = self._row_splits
            self._row_lengths = _core.ops.subtract(splits[1:], splits[:-1])
        return self._row_lengths

    def value_rowids(self) -> Tensor:
        """`[nvals]`: the row of each value."""
        if _core.building() is not None:
            return _core.ops.searchsorted(self.row_limits(), self._places(), "right", self.dtype)
        return self._index(self.rowids)

    def _places(self) -> Tensor:
        """`[nvals]`: the index of each value, while a graph is built."""
        count = self.nvals() if self._nvals is None else self._nvals
        return _core.ops.range(self._index(0), self._index(count), self._index(1))

    def row_starts(self) -> Tensor:
        """`[nrows]`: the index of each row's first value."""
        return self._row_splits[:-1]

    def row_limits(self) -> Tensor:
        """`[nrows]`: the end of each row."""
        return self._row_splits[1:]

    def nrows(self) -> Tensor:
        """The number of rows."""
        rows = self.static_nrows
        if rows is None:
            count = _core.ops.cast(_core.ops.shape(self._row_splits)[0], self.dtype)
            return _core.ops.subtract(count, 1)
        return self._index(rows)

    def nvals(self) -> Tensor:
        """The number of values."""
        if _core.is_symbolic(self._row_splits):
            return self._row_splits[-1]
        return self._index(self.splits[-1])

    def offsets_in_rows(self) -> Tensor:
        """`[nvals]`: the index of each value in its row."""
        if _core.building() is not None:
            starts = _core.ops.gather(self.row_starts(), self.value_rowids(), 0, 0)
            return _core.ops.subtract(self._places(), starts)
        return self._index(self.offsets)

    def longest_row(self) -> Tensor:
        """The length of the longest row, 0 if there is none."""
        lengths = _core.ops.concat([_core.ops.zeros([1], self.dtype), self.row_lengths()], 0)
        return _core.ops.reduce_max(lengths)

    def uniform_row_length(self) -> Tensor | None:
        """The length of all rows if they have one by construction, else None."""
        length = self._uniform_row_length
        return None if length is None else self._index(length)

    def is_uniform(self) -> bool:
        """Whether all rows have one length by construction."""
        return self._uniform_row_length is not None

    @property
    def static_nrows(self) -> Any:
        """The number of rows, as a Python integer; None for splits of a graph whose count is unknown."""
        count = self._row_splits._size
        return None if count is None else count - 1

    @property
    def static_nvals(self) -> int | None:
        """The number of values, if it was passed to the constructor."""
        return self._nvals

    @property
    def static_uniform_row_length(self) -> int | None:
        """The length of all rows if they have one by construction, as a Python integer."""
        return self._uniform_row_length

    def with_dtype(self, dtype: DTypeLike) -> RowPartition:
        """The same partition with splits of int32 or int64.

        Raises:
            ValueError: if it is another dtype.
        """
        dtype = as_dtype(dtype)
        if dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError("dtype must be int32 or int64")
        if dtype is self.dtype:
            return self
        splits = _core.ops.cast(self._row_splits, dtype)
        return RowPartition(splits, self._uniform_row_length, self._nvals, internal=True)

    def with_nvals(self, nvals: int) -> RowPartition:
        """The same partition with a known number of values."""
        return RowPartition(self._row_splits, self._uniform_row_length, nvals, internal=True)

    def without_uniform_length(self) -> RowPartition:
        """The same partition, without a uniform row length."""
        return RowPartition(self._row_splits, internal=True)

    def __op_function__(self, function: object, args: tuple, kwargs: dict[str, object]) -> Any:
        if function in (_core.ops.identity, _core.ops.stop_gradient):
            return self
        return NotImplemented

    @property
    def _type_spec(self) -> RowPartitionSpec:
        return RowPartitionSpec(
            self.static_nrows, self._nvals, self._uniform_row_length, self.dtype
        )

    def __repr__(self) -> str:
        if self._uniform_row_length is not None:
            return (
                f"tf.RowPartition(nrows={self.static_nrows}, "
                f"uniform_row_length={self._uniform_row_length})"
            )
        symbolic = _core.is_symbolic(self._row_splits)
        return f"tf.RowPartition(row_splits={self._row_splits if symbolic else self.splits})"


class RowPartitionSpec(TypeSpec):
    """The spec of a RowPartition.

    Args:
        nrows: the number of rows.
        nvals: the number of values.
        uniform_row_length: the length of all rows.
        dtype: int32 or int64.
    """

    def __init__(
        self,
        nrows: int | None = None,
        nvals: int | None = None,
        uniform_row_length: int | None = None,
        dtype: DTypeLike = dtypes.int64,
    ) -> None:
        self._nrows = nrows
        self._nvals = nvals
        self._uniform_row_length = uniform_row_length
        self._dtype = as_dtype(dtype)
        if self._dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError("dtype must be tf.int32 or tf.int64")

    @property
    def value_type(self) -> type:
        """RowPartition."""
        return RowPartition

    @property
    def nrows(self) -> int | None:
        """The number of rows."""
        return self._nrows

    @property
    def nvals(self) -> int | None:
        """The number of values."""
        return self._nvals

    @property
    def uniform_row_length(self) -> int | None:
        """The length of all rows."""
        return self._uniform_row_length

    @property
    def dtype(self) -> Any:
        """int32 or int64."""
        return self._dtype

    @property
    def _component_specs(self) -> list:
        return [TensorSpec([None if self._nrows is None else self._nrows + 1], self._dtype)]

    def _to_components(self, value: RowPartition) -> list:
        return [value.row_splits()]

    def _from_components(self, components: list[Tensor]) -> RowPartition:
        splits = _core.convert(components[0], self._dtype, None)
        return RowPartition(splits, self._uniform_row_length, self._nvals, internal=True)

    def _key(self) -> tuple:
        return self._nrows, self._nvals, self._uniform_row_length, self._dtype.name

    def _fits(self, other: RowPartitionSpec) -> bool:
        pairs = zip(self._key(), other._key(), strict=True)
        return all(a is None or b is None or a == b for a, b in pairs)

    def is_compatible_with(self, spec_or_value: object) -> bool:
        """Whether the other could be the same partition; unknown sizes match any size."""
        other = getattr(spec_or_value, "_type_spec", spec_or_value)
        return isinstance(other, RowPartitionSpec) and self._fits(other)

    def is_subtype_of(self, other: object) -> bool:
        """Whether all partitions of this spec are of the other."""
        return isinstance(other, RowPartitionSpec) and all(
            b is None or a == b for a, b in zip(self._key(), other._key(), strict=True)
        )

    def most_specific_compatible_type(self, other: object) -> RowPartitionSpec:
        """A spec with None wherever the two differ."""
        if not isinstance(other, RowPartitionSpec) or self._dtype != other._dtype:
            raise ValueError(f"No RowPartitionSpec is compatible with both {self} and {other}.")
        pairs = zip(self._key(), other._key(), strict=True)
        shared: list[Any] = [a if a == b else None for a, b in pairs]
        return RowPartitionSpec(*shared)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RowPartitionSpec) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return (
            f"RowPartitionSpec(nrows={self._nrows}, nvals={self._nvals}, "
            f"uniform_row_length={self._uniform_row_length}, dtype={self._dtype!r})"
        )

    def __reduce__(self) -> tuple:
        return RowPartitionSpec, self._key()
