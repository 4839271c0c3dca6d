"""SparseTensor: the elements of a tensor that are not zero, and their indices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.errors import InvalidArgumentError
from eagerflow.framework import dtypes
from eagerflow.framework.composite import CompositeTensor
from eagerflow.framework.composite import SparseTensorValue as SparseTensorValue
from eagerflow.framework.dtypes import as_dtype
from eagerflow.framework.op_function import bind_arguments
from eagerflow.framework.shapes import TensorShape, as_shape
from eagerflow.framework.sizes import sizes_may_equal
from eagerflow.framework.tensor import lack_array_methods
from eagerflow.framework.type_spec import EncodedAsItself, TensorSpec
from eagerflow.ops import array, math, segment
from eagerflow.ops.printing import tensor_text
from eagerflow.typing import DTypeLike, ShapeLike, TensorLike
from eagerflow.util import lazy
from eagerflow.util.known_as import known_as

# Imported when they are first used: they import this module.
assertions = lazy.Module("eagerflow.ops.assertions")
algebra = lazy.Module("eagerflow.sparse.algebra")
segments = lazy.Module("eagerflow.sparse.segments")

_ops = _core.ops
Tensor = _core.Tensor


@known_as("tensorflow.python.framework.sparse_tensor", "SparseTensor")
class SparseTensor(CompositeTensor):
    """A tensor stored as a list of elements; the others are zero.

    Args:
        indices: int64 `[n, rank]`, the indices of each element. Many functions need them in
            row-major order, see `tf.sparse.reorder`.
        values: `[n]`, of any dtype.
        dense_shape: int64 `[rank]`.

    Raises:
        ValueError: if the shapes of the three do not fit.

    >>> sparse = tf.SparseTensor([[0, 0], [1, 2]], [7.0, 8.0], [2, 3])
    >>> tf.sparse.to_dense(sparse).numpy()
    array([[7., 0., 0.],
           [0., 0., 8.]], dtype=float32)
    """

    def __init__(self, indices: TensorLike, values: TensorLike, dense_shape: TensorLike) -> None:
        self._indices = _core.convert(indices, dtypes.int64, None)
        self._values = _core.as_tensor(values)
        self._dense_shape = _core.convert(dense_shape, dtypes.int64, None)
        count, rank = self._values._shape_tuple(), self._dense_shape._shape_tuple()
        if count and rank and self._indices._shape_tuple() == (*count, *rank) and len(count) == 1:
            return
        table = self._indices.shape.with_rank(2).as_list()
        elements = self._values.shape.with_rank(1).as_list()
        axes = self._dense_shape.shape.with_rank(1).as_list()
        for first, second, rule in (
            (table[0], elements[0], "there are as many `indices` as `values`"),
            (table[1], axes[0], "each of `indices` has as many elements as `dense_shape`"),
        ):
            if not sizes_may_equal(first, second):
                raise ValueError(f"Dimensions {first} and {second} are not compatible: {rule}.")

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """A SparseTensor from a SparseTensor or a tuple of its components."""
        if isinstance(sparse_tensor_value, cls):
            return sparse_tensor_value
        if isinstance(sparse_tensor_value, tuple) and hasattr(sparse_tensor_value, "_fields"):
            return cls(*sparse_tensor_value)
        raise TypeError(
            "Argument sparse_tensor_value must be a SparseTensor or SparseTensorValue, got "
            f"{sparse_tensor_value!r}"
        )

    @property
    def indices(self) -> Tensor:
        """The indices of the elements, int64 `[n, rank]`."""
        return self._indices

    @property
    def values(self) -> Any:
        """The elements, `[n]`."""
        return self._values

    @property
    def dense_shape(self) -> Tensor:
        """The shape as a vector of int64."""
        return self._dense_shape

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self._values.dtype

    # Whether the indices are known to be in row-major order: operations remember what they have seen.
    _in_order = False
    # What `sparse_layout` gives for the indices of a matrix, once it has been asked.
    _layout: Tensor | None = None

    # The argument of `set_shape` for a tensor of a graph.
    _declared_shape: TensorShape | None = None

    @property
    def shape(self) -> TensorShape:
        """The shape as a `TensorShape`, as far as it is known while tracing."""
        if _core.is_symbolic(self._dense_shape):
            known = _core.partial_value(self._dense_shape)
            if known is None:
                sizes = self._dense_shape._shape_tuple()
                rank = sizes[0] if sizes else None
                shape = TensorShape(None if rank is None else [None] * rank)
            else:  # In the defaults of placeholders, -1 is a size that is not known.
                shape = TensorShape([None if size == -1 else size for size in known])
            declared = self._declared_shape
            return shape if declared is None else shape.merge_with(declared)
        return TensorShape(self._dense_shape.numpy().tolist())

    def get_shape(self) -> TensorShape:
        """The shape; the same as `shape`."""
        return self.shape

    def set_shape(self, shape: ShapeLike | None) -> None:
        """Sets the static shape; sizes may be unknown.

        Raises:
            ValueError: if the tensor has an incompatible shape.
        """
        self._declared_shape = self.shape.merge_with(shape)

    @property
    def op(self) -> Any:
        """The operation that makes the values; an AttributeError if operations run eagerly."""
        return self._values.op

    @property
    def graph(self) -> Any:
        """The graph of the values; an AttributeError if operations run eagerly."""
        return self._values.graph

    def consumers(self) -> list:
        """The operations that read the values; none if there is no graph."""
        return self._values.consumers() if _core.is_symbolic(self._values) else []

    def eval(self, feed_dict: Any = None, session: Any = None) -> SparseTensorValue:
        """The components as NumPy arrays; in a graph, computed by a session (by default the default one)."""
        if _core.is_symbolic(self._values):
            return self.graph.evaluate_tensor(self, feed_dict, session)
        return SparseTensorValue(
            self._indices.numpy(), self._values.numpy(), self._dense_shape.numpy()
        )

    def with_values(self, new_values: TensorLike) -> SparseTensor:
        """Other values at the same indices.

        Raises:
            ValueError: if there is another number of them.
        """
        result = SparseTensor(self._indices, new_values, self._dense_shape)
        result._in_order, result._layout = self._in_order, self._layout
        return result

    def __repr__(self) -> str:
        return (
            f"SparseTensor(indices={self._indices!s}, values={self._values!s}, "
            f"dense_shape={self._dense_shape!s})"
        )

    @property
    def _type_spec(self) -> SparseTensorSpec:
        return SparseTensorSpec(self.shape, self.dtype)

    def _shape_invariant_to_type_spec(self, shape: TensorShape) -> SparseTensorSpec:
        if shape.rank not in (None, 1):
            raise ValueError(
                "The shape invariant of a sparse tensor is that of its dense_shape, a vector such "
                f"as tf.TensorShape([2]) for a matrix, got {shape}."
            )
        rank = None if shape.rank is None else shape[0]
        return SparseTensorSpec(None if rank is None else [None] * rank, self.dtype)

    @property
    def _gradient_component(self) -> Tensor:
        return self._values

    def _with_gradient(self, gradient: Any) -> SparseTensor | None:
        return gradient if gradient is None else self.with_values(gradient)

    def __op_function__(self, function: object, args: tuple, kwargs: dict[str, object]) -> Any:
        if not isinstance(function, _core.OpFunction):
            return NotImplemented
        of_values = function.of_sparse_values
        of_shapes = (array.shape, array.size, array.rank, segment.bincount)
        if not of_values and function not in of_shapes:
            operation = algebra.OF_TENSORS.get(function)
            return NotImplemented if operation is None else operation(*args, **kwargs)
        arguments = bind_arguments(function, args, kwargs)
        if not arguments or next(iter(arguments.values())) is not self:
            return NotImplemented
        del arguments[next(iter(arguments))]
        if of_values:
            return self.with_values(function(self._values, **arguments))
        if function is segment.bincount:
            return segments.dense_bincount(self, **arguments)
        if function is array.rank:
            return _core.convert(self._dense_shape._size, dtypes.int32, None)
        dtype = arguments.get("out_type") or dtypes.int32
        sizes = self._dense_shape
        return _ops.cast(sizes if function is array.shape else _ops.reduce_prod(sizes), dtype)

    def _print_text(self, summarize: int) -> str:
        parts = (self._indices, self._values, self._dense_shape)
        indices, values, shape = (tensor_text(part, summarize) for part in parts)
        return f"'SparseTensor(indices={indices}, values={values}, shape={shape})'"

    def _combined(self, other: object, function: Callable[..., Tensor]) -> SparseTensor:
        """Combines the values with those of a dense tensor at the same indices."""
        if isinstance(other, SparseTensor):
            raise other._no_tensor()
        other = _core.convert(other, self.dtype, None)
        shape = self.shape.as_list()
        if other.ndim > len(shape):
            raise self._misfit(other, "")
        sizes = [1] * (len(shape) - other.ndim) + other.shape.as_list()
        if any(
            size != 1 and not sizes_may_equal(size, limit)
            for size, limit in zip(sizes, shape, strict=True)
        ):
            raise self._misfit(other, f" {shape} vs. {other.shape.as_list()}")
        if None in sizes:
            return self.with_values(function(self._values, self._met_elements(other)))
        if other._size == 1:
            return self.with_values(function(self._values, _ops.reshape(other, [])))
        # Axes of size one are broadcast.
        wide = [axis for axis, size in enumerate(sizes) if size != 1]
        flat = _ops.sparse_flat_places(self._indices, sizes, wide)
        return self.with_values(
            function(self._values, _ops.gather(_ops.reshape(other, [-1]), flat, 0, 0))
        )

    def _met_elements(self, other: Tensor) -> Tensor:
        """The elements of a dense tensor at the indices, where its sizes are not known."""
        sizes = _ops.cast(_ops.shape(other), dtypes.int64)
        first = len(self.shape) - other.ndim
        wholes = _ops.slice(self._dense_shape, [first], [other.ndim])
        broadcast = _ops.equal(sizes, 1)
        fits = _ops.logical_or(broadcast, _ops.equal(sizes, wholes))

        def refuse(other: Tensor) -> None:
            raise self._misfit(other, "")

        assertions.require(fits, refuse, other)
        own = _ops.slice(self._indices, [0, first], [-1, other.ndim])
        return _ops.gather_nd(other, _ops.select(broadcast, _ops.zeros_like(own), own))

    def _misfit(self, other: Any, detail: str) -> Exception:
        return InvalidArgumentError._of(
            "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: "
            f"{self.shape} vs. {other.shape}{detail} [Op:SparseDenseCwise]"
        )

    # Iteration by indices would make a tensor for each of the rows, which are many.
    __iter__ = None

    def __getitem__(self, key: Any) -> SparseTensor:
        """A part of the tensor, sparse as well: integers, slices, `...` and `tf.newaxis` choose it."""
        return algebra.get_item(self, key)

    def __matmul__(self, y: Any) -> Any:
        """The product of matrices; see `tf.sparse.matmul`."""
        return algebra.matmul(self, y)

    def __rmatmul__(self, x: Any) -> Any:
        """The product of matrices; see `tf.sparse.matmul`."""
        return algebra.matmul(x, self)

    def __add__(self, y: Any) -> Any:
        """The sum, with broadcasting: sparse if both are."""
        return algebra.plus(self, y)

    def __sub__(self, y: Any) -> Any:
        """The difference, with broadcasting: sparse if both are."""
        return algebra.minus(self, y)

    def __rsub__(self, x: Any) -> Any:
        """The difference, with broadcasting: sparse if both are."""
        return algebra.minus(x, self)

    def __neg__(self) -> SparseTensor:
        """The negative of the elements."""
        return algebra.negative(self)

    def __mul__(self, y: Any) -> SparseTensor:
        """The product with a sparse or dense tensor, with broadcasting."""
        return algebra.multiply(self, y)

    __radd__ = __add__
    __rmul__ = __mul__

    def __truediv__(self, y: TensorLike) -> SparseTensor:
        """The quotient by a dense tensor, which is broadcast."""
        return self._combined(y, math.truediv)

    def __div__(self, y: TensorLike) -> SparseTensor:
        """The quotient by a dense tensor, which is broadcast."""
        return self.__truediv__(y)


def assembled(
    indices: Tensor, values: Tensor, dense_shape: Tensor, in_order: bool = False
) -> SparseTensor:
    """A sparse tensor of tensors that are known to be consistent, and perhaps in order."""
    result = object.__new__(SparseTensor)
    if in_order:
        result._in_order = True
    result._indices = indices
    result._values = values
    result._dense_shape = dense_shape
    return result


class SparseTensorSpec(EncodedAsItself):
    """The shape and dtype of a sparse tensor.

    Args:
        shape: anything `TensorShape` takes.
        dtype: the dtype of the elements.

    >>> tf.SparseTensorSpec([None, 3], tf.int64)
    SparseTensorSpec(TensorShape([None, 3]), tf.int64)
    """

    def __init__(self, shape: Any = None, dtype: DTypeLike = dtypes.float32) -> None:
        self._shape = as_shape(shape)
        self._dtype = as_dtype(dtype)

    @classmethod
    def from_value(cls, value: TensorLike) -> SparseTensorSpec:
        """The spec of a sparse tensor."""
        value = SparseTensor.from_value(value)
        return cls(value.shape, value.dtype)

    @property
    def shape(self) -> TensorShape:
        """The shape."""
        return self._shape

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self._dtype

    @property
    def value_type(self) -> type:
        """SparseTensor."""
        return SparseTensor

    @property
    def _component_specs(self) -> list:
        rank = self._shape.rank
        count = None
        return [
            TensorSpec([count, rank], dtypes.int64),
            TensorSpec([count], self._dtype),
            TensorSpec([rank], dtypes.int64),
        ]

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        """A sparse tensor of the next three tensors."""
        return self._from_components([next(tensors), next(tensors), next(tensors)])

    def _to_components(self, value: SparseTensor) -> list:
        return [value.indices, value.values, value.dense_shape]

    def _from_components(self, components: list[Tensor]) -> SparseTensorValue | SparseTensor:
        if all(isinstance(item, np.ndarray) for item in components):
            return SparseTensorValue(*components)
        dense_shape = components[2]
        if self._shape.rank is not None and _core.is_symbolic(dense_shape):
            known = _core.partial_value(dense_shape)
            if known is None or None in known:
                _core.set_partial_value(dense_shape, self._shape.as_list())
        return SparseTensor(*components)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether dtype and shape fit; unknown dimensions fit any."""
        if not isinstance(spec_or_value, SparseTensor | SparseTensorSpec):
            return False
        same = self._dtype == spec_or_value.dtype
        return same and self._shape.is_compatible_with(spec_or_value.shape)

    def is_subtype_of(self, other: object) -> bool:
        """Whether the other has this dtype, and an equal or less specific shape."""
        if not isinstance(other, SparseTensorSpec) or self._dtype != other._dtype:
            return False
        return self._shape.is_subtype_of(other._shape)

    def most_specific_compatible_type(self, other: object) -> SparseTensorSpec:
        """A spec with None wherever the two shapes differ."""
        if not isinstance(other, SparseTensorSpec) or self._dtype != other._dtype:
            raise ValueError(f"No SparseTensorSpec is compatible with both {self} and {other}.")
        shape = self._shape.most_specific_compatible_shape(other._shape)
        return SparseTensorSpec(shape, self._dtype)

    def _batch(self, size: int | None) -> SparseTensorSpec:
        return SparseTensorSpec(TensorShape([size]).concatenate(self._shape), self._dtype)

    def _serialize(self) -> tuple[TensorShape, dtypes.DType]:
        return self._shape, self._dtype

    def _unbatch(self) -> SparseTensorSpec:
        return SparseTensorSpec(None if self._shape.rank is None else self._shape[1:], self._dtype)

    def _slices(self, value: SparseTensor) -> SparseSlices | GraphSparseSlices:
        return SparseSlices(value) if _core.building() is None else GraphSparseSlices(value)

    def _stack(self, values: list[SparseTensor]) -> SparseTensor:
        indices, elements, sizes = [], [], []
        for row, value in enumerate(values):
            own = np.asarray(value.indices)
            indices.append(np.concatenate([np.full([len(own), 1], row, np.int64), own], 1))
            elements.append(value.values)
            sizes.append(np.asarray(value.dense_shape))
        return SparseTensor(
            np.concatenate(indices),
            _core.ops.concat(elements, 0),
            np.concatenate([[len(values)], np.max(sizes, axis=0)]),
        )

    def _row_parts(self) -> list[tuple[TensorSpec, bool]]:
        rank = self._shape.rank
        return [
            (TensorSpec([None, None if rank is None else rank + 1], dtypes.int64), True),
            (TensorSpec([None], self._dtype), True),
            (TensorSpec([rank], dtypes.int64), False),
        ]

    def _row_tensors(self, value: SparseTensor, row: TensorLike) -> list:
        ops = _core.ops
        rows = ops.fill(ops.cast(row, dtypes.int64), [ops.shape(value.values)[0], 1])
        return [ops.concat([rows, value.indices], 1), value.values, value.dense_shape]

    def _from_rows(self, tensors: list, count: Any) -> SparseTensor:
        ops = _core.ops
        indices, values, shapes = tensors
        sizes = [ops.reshape(ops.cast(count, dtypes.int64), [1]), ops.reduce_max(shapes, [0])]
        return SparseTensor(indices, values, ops.concat(sizes, 0))

    def _zero(self, unknown: int) -> SparseTensor:
        sizes = [unknown if size is None else size for size in self._shape.as_list()]
        empty = np.zeros([0, len(sizes)], np.int64)
        return SparseTensor(empty, _core.ops.zeros([0], self._dtype), sizes)

    def _dims(self) -> tuple | None:
        return None if self._shape.rank is None else tuple(self._shape)

    def __repr__(self) -> str:
        return f"SparseTensorSpec({self._shape!r}, {self._dtype!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SparseTensorSpec):
            return False
        return self._dims() == other._dims() and self._dtype == other._dtype

    def __hash__(self) -> int:
        return hash((self._dims(), self._dtype))

    def __reduce__(self) -> tuple:
        return _sparse_spec, (self._dims(), self._dtype.name)


class SparseSlices:
    """The slices of a sparse tensor along its first axis."""

    def __init__(self, value: SparseTensor) -> None:
        self._indices = np.asarray(value.indices)
        self._values = value.values
        self._inner = np.asarray(value.dense_shape)[1:]
        rows = int(np.asarray(value.dense_shape)[0])
        order = self._indices[:, 0]
        if len(order) > 1 and (np.diff(order) < 0).any():
            moved = np.argsort(order, kind="stable")
            self._indices = self._indices[moved]
            self._values = _core.ops.gather(self._values, moved)
            order = self._indices[:, 0]
        self._starts = np.searchsorted(order, np.arange(rows + 1))
        self.shape = value.shape
        self.dtype = value.dtype

    def __getitem__(self, row: int) -> SparseTensor:
        begin, end = int(self._starts[row]), int(self._starts[row + 1])
        return SparseTensor(self._indices[begin:end, 1:], self._values[begin:end], self._inner)


class GraphSparseSlices:
    """The slices of a sparse tensor while a graph is built."""

    def __init__(self, value: SparseTensor) -> None:
        self._value = value
        self.shape = value.shape
        self.dtype = value.dtype

    def __getitem__(self, row: TensorLike) -> SparseTensor:
        ops = _core.ops
        indices = self._value.indices
        here = ops.where_indices(ops.equal(indices[:, 0], ops.cast(row, dtypes.int64)))[:, 0]
        return SparseTensor(
            ops.gather(indices, here, 0, 0)[:, 1:],
            ops.gather(self._value.values, here, 0, 0),
            self._value.dense_shape[1:],
        )


def _sparse_spec(dims: tuple | None, dtype: str) -> SparseTensorSpec:
    return SparseTensorSpec(dims, dtype)


lack_array_methods(SparseTensor)
