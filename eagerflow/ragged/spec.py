"""RaggedTensorSpec: the shape and dtype of a ragged tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.dtypes import as_dtype
from eagerflow.framework.shapes import TensorShape, as_shape
from eagerflow.framework.sizes import sizes_of
from eagerflow.framework.type_spec import EncodedAsItself, TensorSpec, TypeSpec
from eagerflow.ragged.arrangement import concat, stack
from eagerflow.ragged.factories import rows_of
from eagerflow.ragged.row_partition import RowPartition
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.typing import DTypeLike, TensorLike


class RaggedTensorSpec(EncodedAsItself):
    """The shape and dtype of a ragged tensor.

    Args:
        shape: anything `TensorShape` takes; ragged axes are None.
        dtype: the dtype of the elements.
        ragged_rank: how many axes are divided by splits; by default all but the last.
        row_splits_dtype: int32 or int64.
        flat_values_spec: a spec of `flat_values`, from which `dtype` is taken if it is None.

    Raises:
        ValueError: if the rank is unknown and `ragged_rank` not passed, or too large.

    >>> tf.RaggedTensorSpec([None, None], tf.int32)
    RaggedTensorSpec(TensorShape([None, None]), tf.int32, 1, tf.int64)
    """

    def __init__(
        self,
        shape: Any = None,
        dtype: DTypeLike = dtypes.float32,
        ragged_rank: int | None = None,
        row_splits_dtype: DTypeLike = dtypes.int64,
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
    def from_value(cls, value: RaggedTensor) -> RaggedTensorSpec:
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
        """The number of ragged axes."""
        return self._ragged_rank

    @property
    def row_splits_dtype(self) -> dtypes.DType:
        """int32 or int64."""
        return self._row_splits_dtype

    @property
    def flat_values_spec(self) -> Any:
        """The spec of `flat_values`, if one was passed."""
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

    def _to_components(self, value: TensorLike) -> list:
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
                _core.convert(splits[level], self._row_splits_dtype, None),
                dims[level],
                internal=True,
            )
            if not isinstance(values, RaggedTensor):
                values = _core.as_tensor(values)
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

    def is_subtype_of(self, other: object) -> bool:
        """Whether the other has these dtypes and ranks, and an equal or less specific shape."""
        return (
            isinstance(other, RaggedTensorSpec)
            and self._key()[1:] == other._key()[1:]
            and self._shape.is_subtype_of(other._shape)
        )

    def most_specific_compatible_type(self, other: object) -> RaggedTensorSpec:
        """A spec with None wherever the two shapes differ."""
        if not isinstance(other, RaggedTensorSpec) or self._key()[1:] != other._key()[1:]:
            raise ValueError(f"No RaggedTensorSpec is compatible with both {self} and {other}.")
        return RaggedTensorSpec(
            self._shape.most_specific_compatible_shape(other._shape),
            self._dtype,
            self._ragged_rank,
            self._row_splits_dtype,
        )

    def _batch(self, size: int | None) -> RaggedTensorSpec:
        shape = TensorShape([size]).concatenate(self._shape)
        return RaggedTensorSpec(shape, self._dtype, self._ragged_rank + 1, self._row_splits_dtype)

    def _serialize(self) -> tuple[Any, ...]:
        own = self._shape, self._dtype, self.ragged_rank, self._row_splits_dtype
        return own if self._flat_values_spec is None else (*own, self._flat_values_spec)

    def _unbatch(self) -> TypeSpec:
        shape = None if self._shape.rank is None else self._shape[1:]
        if self._shape.rank == 1:
            return TensorSpec(shape, self._dtype)
        rank = max(self._ragged_rank - 1, 0)
        return RaggedTensorSpec(shape, self._dtype, rank, self._row_splits_dtype)

    def _stack(self, values: list) -> RaggedTensor:
        values = [
            value if isinstance(value, RaggedTensor) else _core.convert(value, None, self._dtype)
            for value in values
        ]
        if any(getattr(value, "ragged_rank", 0) != self._ragged_rank for value in values):
            return stack(values)
        rows = stack_rows(values, self._row_splits_dtype)
        # Uniform lengths of the spec are uniform lengths of the batch.
        return self._batch(len(values))._from_components(
            [rows.flat_values, *rows.nested_row_splits]
        )

    def _row_parts(self) -> list[tuple[TensorSpec, bool]]:
        shape = None
        if self._shape.rank is not None:
            shape = [None, *self._shape.as_list()[self._ragged_rank + 1 :]]
        parts = [
            (TensorSpec(shape, self._dtype), True),
            (TensorSpec([], dtypes.int64), False),
        ]
        return [
            *parts,
            *((TensorSpec([None], dtypes.int64), True) for _ in range(self._ragged_rank)),
        ]

    def _row_tensors(self, value: _core.Tensor | RaggedTensor, row: object) -> list:
        if not isinstance(value, RaggedTensor):
            return [value, _core.ops.shape(value, dtypes.int64)[0]]
        lengths = [value.nrows(), *value.nested_row_lengths()]
        return [value.flat_values, *(_core.ops.cast(length, dtypes.int64) for length in lengths)]

    def _from_rows(self, tensors: list, count: object) -> RaggedTensor:
        flat, *lengths = tensors
        rows = RaggedTensor.from_nested_row_lengths(
            flat,
            [_core.ops.cast(length, self._row_splits_dtype) for length in lengths],
            validate=False,
        )
        return self._batch(None)._from_components([rows.flat_values, *rows.nested_row_splits])

    def _zero(self, unknown: int) -> Any:
        sizes = [unknown if size is None else size for size in self._shape.as_list()]
        zeros = _core.ops.zeros(sizes, self._dtype)
        if not self._ragged_rank:
            return zeros
        return RaggedTensor.from_tensor(
            zeros, ragged_rank=self._ragged_rank, row_splits_dtype=self._row_splits_dtype
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


def stack_rows(values: list, row_splits_dtype: DTypeLike = dtypes.int64) -> RaggedTensor:
    """Ragged tensors, or tensors of different lengths, as the rows of one ragged tensor."""
    if _core.building() is not None:
        return _stacked_in_graph(values, as_dtype(row_splits_dtype))
    lengths = np.array([rows_of(value) for value in values])
    joined: Any = concat(values, 0)
    if isinstance(joined, RaggedTensor):
        joined = joined.with_row_splits_dtype(row_splits_dtype)
    return RaggedTensor._of(joined, RowPartition.of_lengths(lengths, as_dtype(row_splits_dtype)))


def _stacked_in_graph(values: list, dtype: DTypeLike) -> RaggedTensor:
    lengths = []
    for value in values:
        rows = value.nrows() if isinstance(value, RaggedTensor) else sizes_of(value)[0]
        lengths.append(_core.convert(rows, None, dtypes.int64))
    joined: Any = concat(values, 0)
    if isinstance(joined, RaggedTensor):
        joined = joined.with_row_splits_dtype(dtype)
    counts = _core.ops.stack([_core.ops.cast(count, dtype) for count in lengths], 0)
    return RaggedTensor._of(joined, RowPartition.from_row_lengths(counts, dtype=dtype))
