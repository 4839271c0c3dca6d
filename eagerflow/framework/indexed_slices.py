"""IndexedSlices: some rows of a larger tensor, as gradients of lookups are."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.tensor import undefined_eagerly

_ops = _core.ops


class IndexedSlices:
    """Rows of a larger tensor that is zero elsewhere.

    Args:
        values: the rows, `[n, ...]`.
        indices: the place of each row along axis 0 of the whole, int32 or int64 `[n]`; a place may
            appear several times, then the rows add up.
        dense_shape: the shape of the whole, if known.

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
    def indices(self) -> Any:
        """The place of each row along axis 0."""
        return self._indices

    @property
    def dense_shape(self) -> Any:
        """The shape of the whole as a vector, or None."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole as a `TensorShape`."""
        if self._dense_shape is None:
            return TensorShape(None)
        return TensorShape([int(size) for size in self._dense_shape])

    def get_shape(self) -> TensorShape:
        """The shape; the same as `shape`."""
        return self.shape

    @property
    def dtype(self) -> Any:
        """The element type."""
        return self._values.dtype

    @property
    def _type_spec(self) -> Any:
        from eagerflow.framework.type_spec import type_spec_from_value  # which knows this class

        return type_spec_from_value(self)

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
        shape = "" if self._dense_shape is None else f", dense_shape={self._dense_shape}"
        return f"IndexedSlices(indices={self._indices}, values={self._values}{shape})"

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
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
        return _ops.unsorted_segment_sum(
            self._values, self._indices, num_segments=int(self._dense_shape[0])
        )


_core.register_indexed_slices(IndexedSlices)
