"""Ragged and sparse tensors in pipelines: batches of them, their parts, and as arrays."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np

from eagerflow import _core, errors
from eagerflow.data import structure
from eagerflow.data.batching import BatchDataset, GroupingDataset, checked_row_shape
from eagerflow.data.context import Context
from eagerflow.data.cursor import Cursor, InputCursor
from eagerflow.data.dataset import Dataset, UnaryDataset
from eagerflow.extension_types.extension_type import ExtensionType
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec, TypeSpec
from eagerflow.ops.tensor_array import TensorArray
from eagerflow.ragged.spec import RaggedTensorSpec
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.sparse.tensor import SparseTensor, SparseTensorSpec

Tensor = _core.Tensor


def to_numpy(value: Any) -> Any:
    """A ragged tensor as an array of arrays, a sparse one as a dense array."""
    if isinstance(value, SparseTensor):
        shape = np.asarray(value.dense_shape)
        empty = b"" if value.dtype is dtypes.string else 0
        array = np.full(shape, empty, value.dtype.as_numpy_dtype)
        array[tuple(np.asarray(value.indices).T)] = value.values.numpy()
        return array
    if isinstance(value, ExtensionType | TensorArray):
        raise TypeError(
            "`tf.data.Dataset.as_numpy_iterator()` is not supported for datasets that produce values "
            f"of type {type(value)}"
        )
    return value.numpy()


def to_parts(value: object) -> tuple[str, Any] | None:
    """A ragged or sparse tensor, or the spec of one, as plain parts; None for others."""
    if isinstance(value, RaggedTensor):
        return "ragged", [value.flat_values, *value.nested_row_splits]
    if isinstance(value, SparseTensor):
        return "sparse", [value.indices, value.values, value.dense_shape]
    if isinstance(value, RaggedTensorSpec):
        dims, *rest = value._key()
        return "ragged_spec", [None if dims is None else list(dims), *rest]
    if isinstance(value, SparseTensorSpec):
        dims = None if value.shape.rank is None else value.shape.as_list()
        return "sparse_spec", [dims, value.dtype.name]
    return None


REBUILD: dict[str, Callable[..., Any]] = {
    "ragged": lambda parts: RaggedTensor.from_nested_row_splits(
        parts[0], parts[1:], validate=False
    ),
    "sparse": lambda parts: SparseTensor(*parts),
    "ragged_spec": lambda parts: RaggedTensorSpec(*parts),
    "sparse_spec": lambda parts: SparseTensorSpec(*parts),
}


class RaggedBatchDataset(UnaryDataset):
    """Batches in which parts of unknown size are ragged tensors."""

    _public_name = "_BatchDataset"

    def __init__(
        self, source: Dataset, batch_size: Any, drop_remainder: Any, splits_dtype: Any
    ) -> None:
        super().__init__(
            BatchDataset(RaggedRowsDataset(source, splits_dtype), batch_size, drop_remainder)
        )


class RaggedRowsDataset(UnaryDataset):
    """The same elements, with specs of ragged rows for those of unknown size."""

    def __init__(self, source: Dataset, splits_dtype: dtypes.DType) -> None:
        super().__init__(source)
        self._splits_dtype = dtypes.as_dtype(splits_dtype)
        if self._splits_dtype not in (dtypes.int32, dtypes.int64):
            raise ValueError(f"row_splits_dtype must be int32 or int64, got {splits_dtype!r}.")

    def _ragged_spec(self, leaf: TensorSpec) -> TypeSpec:
        if not isinstance(leaf, TensorSpec) or not leaf.shape.rank:
            return leaf
        if leaf.shape.is_fully_defined():
            return leaf
        rank = max(axis for axis, size in enumerate(leaf.shape) if size is None)
        return RaggedTensorSpec(leaf.shape, leaf.dtype, rank, self._splits_dtype)

    def _make_spec(self) -> Any:
        return structure.map_structure(self._ragged_spec, self._input.element_spec)

    def _is_map(self) -> bool:
        return self._input._is_map()

    def _cursor(self, context: Context) -> Cursor:
        ranks = {
            i: leaf.ragged_rank
            for i, leaf in enumerate(structure.flatten(self.element_spec))
            if isinstance(leaf, RaggedTensorSpec) and leaf.ragged_rank
        }
        source = self._input._cursor(context)
        return RaggedRowsCursor(source, ranks, self._splits_dtype) if ranks else source


class RaggedRowsCursor(InputCursor):
    """Makes the inner axes of matrices and higher tensors ragged."""

    __slots__ = ("_ranks", "_splits_dtype")

    def __init__(self, source: Cursor, ranks: dict[int, int], splits_dtype: Any) -> None:
        self._input = source
        self._ranks = ranks
        self._splits_dtype = splits_dtype

    def __next__(self) -> Any:
        element = next(self._input)
        leaves = structure.flatten(element)
        for i, rank in self._ranks.items():
            if isinstance(leaves[i], Tensor):
                leaves[i] = RaggedTensor.from_tensor(
                    leaves[i], ragged_rank=rank, row_splits_dtype=self._splits_dtype
                )
        return structure.pack(element, leaves)


class SparseBatchDataset(GroupingDataset):
    """Batches of tensors of different sizes as sparse tensors."""

    _public_name = "_DenseToSparseBatchDataset"

    def __init__(self, source: Dataset, batch_size: Any, row_shape: Any) -> None:
        super().__init__(source, batch_size, False)
        shape = TensorShape(row_shape)
        self._row = [None if size is None else int(size) for size in shape]
        if shape.is_fully_defined():
            checked_row_shape(shape)
        if not isinstance(source.element_spec, TensorSpec):
            raise TypeError(
                "`dense_to_sparse_batch` requires an input dataset whose elements have a single "
                f"component, but the given dataset has {source.element_spec}."
            )

    def _cursor(self, context: Context) -> Cursor:
        return SparseBatchCursor(self._input._cursor(context), self)

    def _make_spec(self) -> SparseTensorSpec:
        return SparseTensorSpec([None, *self._row], self._input.element_spec.dtype)

    def _check(self, element: Tensor) -> None:
        """Checks that an element fits the rows.

        Raises:
            tf.errors.InvalidArgumentError: if it has another rank.
            tf.errors.DataLossError: if it is larger.
        """
        shape, row = element._shape_tuple(), self._row
        if len(shape) != len(row):
            raise errors.InvalidArgumentError._of(
                f"Input element had rank {len(shape)}, but the row shape has rank {len(row)}."
            )
        if any(most is not None and size > most for size, most in zip(shape, row, strict=True)):
            raise errors.DataLossError._of(
                f"Input element had shape ({list(shape)}) that is larger than the row shape ({row})."
            )

    def _batch(self, elements: list[Any]) -> SparseTensor:
        shapes = [element._shape_tuple() for element in elements]
        sizes = []
        for axis, size in enumerate(self._row):
            longest = max(shape[axis] for shape in shapes)
            sizes.append(longest if size is None else size)
        indices, values = [], []
        for number, (element, shape) in enumerate(zip(elements, shapes, strict=True)):
            positions = np.indices(shape, np.int64).reshape(len(shape), -1).T
            indices.append(np.concatenate([np.full([len(positions), 1], number), positions], 1))
            values.append(_core.ops.reshape(element, [-1]))
        return SparseTensor(
            np.concatenate(indices).astype(np.int64),
            _core.ops.concat(values, 0),
            [len(elements), *sizes],
        )


class SparseBatchCursor(InputCursor):
    """Collects elements and makes them the rows of a sparse tensor."""

    __slots__ = ("_owner",)

    def __init__(self, source: Cursor, owner: SparseBatchDataset) -> None:
        self._input = source
        self._owner = owner

    def __next__(self) -> SparseTensor:
        elements = []
        for element in islice(self._input, self._owner._size):
            self._owner._check(element)
            elements.append(element)
        if not elements:
            raise StopIteration
        return self._owner._batch(elements)
