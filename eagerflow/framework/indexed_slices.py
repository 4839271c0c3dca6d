"""IndexedSlices: some rows of a larger tensor, as gradients of lookups are."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.dtypes import DType, as_dtype
from eagerflow.framework.shapes import TensorShape, as_shape
from eagerflow.framework.tensor import undefined_eagerly
from eagerflow.framework.type_spec import TensorSpec, TypeSpec

_ops = _core.ops

# The parts of an `IndexedSlices` as arrays.
IndexedSlicesValue = namedtuple("IndexedSlicesValue", ["values", "indices", "dense_shape"])


class IndexedSlices:
    """Rows of a larger tensor that is zero elsewhere.

    Args:
        values: the rows, `[n, ...]`.
        indices: the index of each row along axis 0 of the larger tensor, int32 or int64 `[n]`; rows
            of the same index add up.
        dense_shape: the shape of the larger tensor, if known.

    >>> rows = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]), tf.constant([3, 2]))
    >>> tf.convert_to_tensor(rows).numpy()
    array([[0., 0.],
           [1., 2.],
           [0., 0.]], dtype=float32)
    """

    _is_composite_tensor = True

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self._values = values
        self._indices = indices
        self._dense_shape = dense_shape

    @property
    def values(self) -> Any:
        """The rows."""
        return self._values

    @property
    def indices(self) -> _core.Tensor:
        """The index of each row along axis 0."""
        return self._indices

    @property
    def dense_shape(self) -> _core.Tensor:
        """The shape of the larger tensor as a vector, or None."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The shape of the larger tensor as a `TensorShape`."""
        return TensorShape(self._known_sizes())

    def _known_sizes(self) -> list[int | None] | None:
        """The known sizes of the larger tensor; None for the others."""
        if self._dense_shape is None:
            return None
        return _core.partial_value(_core.as_tensor(self._dense_shape))

    def get_shape(self) -> TensorShape:
        """The shape; the same as `shape`."""
        return self.shape

    @property
    def dtype(self) -> Any:
        """The element type."""
        return self._values.dtype

    @property
    def _type_spec(self) -> IndexedSlicesSpec:
        dense = self._dense_shape
        sizes, shape = self._values._shape_tuple(), self._known_sizes()
        if shape is None and sizes is not None:
            shape = [None, *sizes[1:]]
        return IndexedSlicesSpec(
            shape,
            self._values.dtype,
            self._indices.dtype,
            None if dense is None else _core.convert(dense, None, None).dtype,
            self._indices.shape,
        )

    def _shape_invariant_to_type_spec(self, shape: TensorShape) -> IndexedSlicesSpec:
        """The spec for the shape invariant of a loop, which is that of the values."""
        dense = TensorShape([None]).concatenate(shape[1:])
        spec = self._type_spec
        kinds = (spec._dtype, spec._indices_dtype, spec._dense_shape_dtype)
        return IndexedSlicesSpec(dense, *kinds, shape[:1])

    @property
    def device(self) -> str:
        """The device that holds the rows."""
        return self._values.device

    name = undefined_eagerly("name")
    op = undefined_eagerly("op")
    graph = undefined_eagerly("graph")

    def consumers(self) -> list:
        """Nothing: there is no graph."""
        return []

    def __neg__(self) -> IndexedSlices:
        return IndexedSlices(-self._values, self._indices, self._dense_shape)

    def __str__(self) -> str:
        # By default, f-strings format tensors as their values.
        shape = "" if self._dense_shape is None else f", dense_shape={self._dense_shape!s}"
        return f"IndexedSlices(indices={self._indices!s}, values={self._values!s}{shape})"

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> _core.Tensor:
        if self._dense_shape is None:
            raise ValueError(
                "Tensor conversion requested for IndexedSlices for argument `value` without "
                f"dense_shape: {self}"
            )
        if dtype is not None and dtype != self.dtype:
            raise ValueError(
                f"Tensor conversion requested dtype {dtype.name} for IndexedSlices with dtype "
                f"{self.dtype.name}"
            )
        sizes = self._known_sizes()
        count = sizes[0] if sizes and sizes[0] is not None else self._dense_shape[0]
        return _ops.unsorted_segment_sum(self._values, self._indices, num_segments=count)


class IndexedSlicesSpec(TypeSpec):
    """The spec of a `tf.IndexedSlices`.

    Args:
        shape: the dense shape.
        dtype: the dtype of the values.
        indices_dtype: the dtype of the indices.
        dense_shape_dtype: the dtype of the dense shape, None if there is no dense shape.
        indices_shape: the shape of the indices.

    >>> tf.IndexedSlicesSpec([10, 2]).dtype
    tf.float32
    """

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        indices_dtype: Any = dtypes.int64,
        dense_shape_dtype: Any = None,
        indices_shape: Any = None,
    ) -> None:
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)
        self._indices_dtype = as_dtype(indices_dtype)
        self._dense_shape_dtype = None if dense_shape_dtype is None else as_dtype(dense_shape_dtype)
        self._indices_shape = as_shape([None] if indices_shape is None else indices_shape)

    @property
    def shape(self) -> TensorShape:
        """The dense shape."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The dtype of the values."""
        return self._dtype

    @property
    def value_type(self) -> type:
        """Slices with indices."""
        return IndexedSlices

    def _serialize(self) -> tuple:
        kinds = (self._dtype, self._indices_dtype, self._dense_shape_dtype)
        return (self._shape, *kinds, self._indices_shape)

    @property
    def _component_specs(self) -> list:
        rows = self._indices_shape
        specs: list = [
            TensorSpec(rows.concatenate(self._shape[1:]), self._dtype),
            TensorSpec(rows, self._indices_dtype),
        ]
        if self._dense_shape_dtype is not None:
            specs.append(TensorSpec([self._shape.rank], self._dense_shape_dtype))
        return specs

    def _to_components(self, value: Any) -> list:
        parts = [value.values, value.indices]
        return parts if self._dense_shape_dtype is None else [*parts, value.dense_shape]

    def _from_components(self, components: Any) -> IndexedSlices:
        return IndexedSlices(*components)

    def __repr__(self) -> str:
        return (
            f"IndexedSlicesSpec({self._shape!r}, {self._dtype!r}, {self._indices_dtype!r}, "
            f"{self._dense_shape_dtype!r}, {self._indices_shape!r})"
        )


_core.register_indexed_slices(IndexedSlices)
