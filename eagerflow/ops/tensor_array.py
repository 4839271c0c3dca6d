"""tf.TensorArray: a list of tensors that loops write and read one by one."""

from __future__ import annotations

import functools
from types import FunctionType
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.errors import InvalidArgumentError, OutOfRangeError, ResourceExhaustedError
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec, TypeSpec
from eagerflow.typing import Axes, DTypeLike, ShapeLike, Size, TensorLike
from eagerflow.util import lazy
from eagerflow.util.class_signature import SignatureOfInit

graph_tensor_array = lazy.Module("eagerflow.ops.graph_tensor_array")  # it imports this file
_ops = _core.ops
Tensor = _core.Tensor


class _OfEachKind(SignatureOfInit):
    """Lets `tf.TensorArray.stack(array)` run the method of the array's own class."""

    def __getattribute__(cls, name: str) -> Any:
        attribute = super().__getattribute__(name)
        if name[0] == "_" or cls is not TensorArray or not isinstance(attribute, FunctionType):
            return attribute

        @functools.wraps(attribute)
        def method(self: TensorArray, *args: Any, **kwargs: Any) -> Any:
            return getattr(self, name)(*args, **kwargs)

        return method


# Elements of an array in eager execution, which is a list of Python's.
_MOST_ELEMENTS = 1 << 25


def _checked_size(size: int) -> int:
    """The size of an array, before its list is built."""
    if size > _MOST_ELEMENTS:
        raise ResourceExhaustedError._of(
            f"A TensorArray of {size} tensors is too large: it has at most {_MOST_ELEMENTS}. A tensor "
            "with one more axis holds that many values."
        )
    return size


class TensorArray(metaclass=_OfEachKind):
    """A list of tensors of one dtype that loops write and read one by one.

    While a function is traced, the list is part of the graph: it may be a loop variable or the
    result of a branch, and `size` may be a symbolic tensor.

    Args:
        dtype: the dtype of the tensors.
        size: the number of tensors.
        dynamic_size: whether writing past the end makes the list longer.
        clear_after_read: whether a tensor is dropped when it is read; True by default.
        handle: ignored.
        infer_shape: whether all tensors must have the shape of the first one written.
        element_shape: the shape of the tensors, as far as it is known.

    Raises:
        ValueError: if `size` is missing.

    >>> ta = tf.TensorArray(tf.float32, size=2)
    >>> for i in range(2):
    ...     ta = ta.write(i, [float(i), 1.0])
    >>> ta.stack().numpy()
    array([[0., 1.],
           [1., 1.]], dtype=float32)
    """

    def __new__(cls, *args: object, **kwargs: object) -> TensorArray:
        if cls is TensorArray and _core.building() is not None:
            return object.__new__(graph_tensor_array.GraphTensorArray)
        return object.__new__(cls)

    def __init__(
        self,
        dtype: DTypeLike,
        size: Size | None = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: object = None,
        flow: object = None,
        infer_shape: bool = True,
        element_shape: ShapeLike | None = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        if size is None:
            raise ValueError(
                "Size must be declared for TensorArrays when eager execution is enabled."
            )
        self._dtype = dtypes.as_dtype(dtype)
        self._dynamic_size: bool | None = bool(dynamic_size)
        self._clear_after_read = True if clear_after_read is None else clear_after_read
        self._infer_shape = infer_shape
        self._element_shape = TensorShape(element_shape)
        self._tensors: list[Tensor | None] = [None] * _checked_size(int(size))
        self._read_before: list[int] = []

    @property
    def _type_spec(self) -> TensorArraySpec:
        return TensorArraySpec.from_value(self)

    @property
    def dtype(self) -> dtypes.DType:
        """The dtype of the tensors."""
        return self._dtype

    @property
    def flow(self) -> Tensor:
        """A dummy scalar, for TF1 compatibility."""
        return _core.as_tensor(0)

    @property
    def handle(self) -> None:
        """None: the list has no resource."""
        return None

    @property
    def dynamic_size(self) -> bool | None:
        """Whether writing past the end makes the list longer."""
        return self._dynamic_size

    @property
    def element_shape(self) -> TensorShape:
        """The known part of the shape that all tensors have."""
        return self._element_shape

    def identity(self) -> TensorArray:
        """The list itself."""
        return self

    def grad(self, source: Axes, flow: object = None, name: str | None = None) -> None:
        """Gradients of lists are computed by tapes; this raises a NotImplementedError."""
        raise NotImplementedError(
            "TensorArray.grad is not supported when executing eagerly: a tf.GradientTape "
            "differentiates what is written and read."
        )

    def close(self, name: str | None = None) -> None:
        """Clears the list."""
        del self._tensors[:]

    def size(self, name: str | None = None) -> Tensor:
        """The number of tensors, an int32 scalar."""
        return _core.as_tensor(len(self._tensors))

    def _checked_index(self, index: Size, verb: str) -> int:
        index = int(index)
        if index < 0:
            raise OutOfRangeError._of(f"{verb} negative indices (index {index}) is not allowed.")
        return index

    def write(self, index: Size, value: TensorLike, name: str | None = None) -> TensorArray:
        """Sets one tensor.

        Args:
            index: its index.
            value: the tensor.

        Returns:
            The list itself.

        Raises:
            tf.errors.OutOfRangeError: if the index is out of range and the size is fixed.
            tf.errors.InvalidArgumentError: if `value` has another dtype.
            ValueError: if `value` has another shape.
        """
        index = self._checked_index(index, "Writing to")
        size = len(self._tensors)
        if index >= size:
            if not self._dynamic_size:
                raise OutOfRangeError._of(
                    f"Tried to write to index {index} but array is not resizeable and size is: "
                    f"{size} "
                )
            self._tensors.extend([None] * (_checked_size(index + 1) - size))
        self._tensors[index] = self._checked_value(value)
        return self

    def _checked_value(self, value: TensorLike) -> Tensor:
        tensor = _core.convert(value, None, self._dtype)
        if tensor.dtype is not self._dtype:
            raise InvalidArgumentError._of(
                f"TensorArray dtype is {self._dtype.name} but Op is trying to write dtype "
                f"{tensor.dtype.name} "
            )
        if not self._element_shape.is_compatible_with(tensor.shape):
            raise ValueError(
                f"Incompatible shape for value ({tensor.shape}), expected ({self._element_shape})"
            )
        if self._infer_shape:
            self._element_shape = self._element_shape.merge_with(tensor.shape)
        return tensor

    def _zeros(self) -> Tensor:
        if not self._element_shape.is_fully_defined():
            raise ValueError(
                f"Cannot convert a partially known TensorShape {self._element_shape} to a Tensor: "
                "an element that has never been written is read as zeros, whose shape is unknown."
            )
        return _ops.zeros(self._element_shape.as_list(), self._dtype)

    def _value(self, index: int) -> Tensor:
        value = self._tensors[index]
        if value is None:
            value = self._tensors[index] = self._zeros()
        return value

    def read(self, index: Size, name: str | None = None) -> Tensor:
        """One tensor; one that has not been written is zeros.

        Args:
            index: its index.

        Raises:
            tf.errors.OutOfRangeError: if the index is out of range.
            tf.errors.InvalidArgumentError: if it has been read and cleared.
        """
        index = self._checked_index(index, "Reading from")
        if index >= len(self._tensors):
            raise OutOfRangeError._of(
                f"Tried to read from index {index} but array size is: {len(self._tensors)} "
            )
        if self._tensors[index] is None and index in self._read_before:
            raise InvalidArgumentError._of(
                f"Could not read index {index} twice because it was cleared after a previous read "
                "(perhaps try setting clear_after_read = false?)"
            )
        value = self._value(index)
        if self._clear_after_read:
            self._tensors[index] = None
            self._read_before.append(index)
        return value

    def stack(self, name: str | None = None) -> Tensor:
        """All tensors joined along a new first axis."""
        if not self._tensors:
            inner = self._element_shape
            sizes = inner.as_list() if inner.is_fully_defined() else []
            return _ops.zeros([0, *sizes], self._dtype)
        return _ops.stack([self._value(k) for k in range(len(self._tensors))], 0)

    def gather(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """Some of the tensors joined along a new first axis.

        Args:
            indices: their indices.
        """
        positions = np.asarray(_core.convert(indices, None, dtypes.int32)).reshape(-1).tolist()
        if not positions:
            return _ops.gather(self.stack(), _ops.zeros([0], dtypes.int32), 0, 0)
        return _ops.stack([self._value(position) for position in positions], 0)

    def concat(self, name: str | None = None) -> Tensor:
        """All tensors joined along their first axis.

        Raises:
            tf.errors.InvalidArgumentError: if they are scalars.
        """
        parts = [self._value(k) for k in range(len(self._tensors))]
        for k, part in enumerate(parts):
            if part.ndim == 0:
                raise InvalidArgumentError._of(
                    f"Concat saw a scalar shape at index {k} but requires at least vectors."
                )
        return _ops.concat(parts, 0) if parts else self.stack()

    def unstack(self, value: TensorLike, name: str | None = None) -> TensorArray:
        """Sets all tensors to the slices of one along its first axis.

        Returns:
            The list itself.

        Raises:
            ValueError: if there are more slices than elements and the size is fixed.
        """
        stacked = _core.convert(value, None, self._dtype)
        if stacked.ndim == 0:
            raise ValueError("unstack needs a tensor of rank 1 or more, got a scalar")
        slices = _ops.unstack(stacked, None, 0)
        if len(slices) > len(self._tensors) and not self._dynamic_size:
            raise ValueError(
                f"Cannot unstack {len(slices)} tensors into a TensorArray of static size "
                f"{len(self._tensors)} "
            )
        self._tensors = [self._checked_value(part) for part in slices]
        return self

    def scatter(
        self, indices: TensorLike, value: TensorLike, name: str | None = None
    ) -> TensorArray:
        """Sets some tensors to the slices of one along its first axis.

        Args:
            indices: their indices.
            value: the slices, stacked.

        Returns:
            The list itself.
        """
        positions = np.asarray(_core.convert(indices, None, dtypes.int32)).reshape(-1).tolist()
        tensor = _core.convert(value, None, self._dtype)
        for position, part in zip(positions, _ops.unstack(tensor, None, 0), strict=False):
            self.write(position, part)
        return self

    def split(self, value: TensorLike, lengths: TensorLike, name: str | None = None) -> TensorArray:
        """Sets the tensors to pieces of one along its first axis.

        Args:
            value: a tensor.
            lengths: the sizes of the pieces.

        Returns:
            The list itself.

        Raises:
            tf.errors.InvalidArgumentError: if the lengths fit neither the tensor nor the list.
        """
        joined = _core.convert(value, None, self._dtype)
        sizes = np.asarray(_core.convert(lengths, None, dtypes.int64))
        if sizes.ndim != 1:
            raise InvalidArgumentError._of(
                f"Expected lengths to be a vector, received shape: {list(sizes.shape)}"
            )
        if joined.ndim == 0:
            raise InvalidArgumentError._of("Expected value to be at least a vector")
        if int(sizes.sum()) != joined._shape_tuple()[0]:
            raise InvalidArgumentError._of(
                "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is "
                f"{int(sizes.sum())} and value's shape is: {list(joined._shape_tuple())} "
            )
        if len(sizes) != len(self._tensors) and not self._dynamic_size:
            raise InvalidArgumentError._of(
                "TensorArray's size is not equal to the size of lengths "
                f"({len(self._tensors)} vs. {len(sizes)}), and the TensorArray is not marked as "
                "dynamically resizeable."
            )
        self._infer_shape = False
        self._tensors = [self._checked_value(p) for p in _ops.split(joined, sizes.tolist(), 0)]
        return self


class TensorArraySpec(TypeSpec):
    """The dtype and shape of the tensors in a `tf.TensorArray`, and whether it grows.

    Args:
        element_shape: the shape of its tensors.
        dtype: their dtype.
        dynamic_size: whether it grows.
        infer_shape: whether all tensors have one shape.

    >>> tf.TensorArraySpec([2], tf.int32).dtype
    tf.int32
    """

    def __init__(
        self,
        element_shape: ShapeLike | None = None,
        dtype: DTypeLike = dtypes.float32,
        dynamic_size: bool | None = False,
        infer_shape: bool = True,
    ) -> None:
        self._element_shape = TensorShape(element_shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._dynamic_size = dynamic_size
        self._infer_shape = infer_shape
        # For an array in a graph: the shape that arrays derived from it share, and its size.
        self._elements: Any = None
        self._static_size = -1

    @property
    def _component_specs(self) -> list[TensorSpec]:
        return [TensorSpec([], dtypes.variant)]

    def _to_components(self, value: TensorArray) -> list[Tensor]:
        """The list as a tensor, which is created for an array of eager execution."""
        if isinstance(value, graph_tensor_array.GraphTensorArray):
            return [value.flow]
        shape = value.element_shape
        sizes = None if shape.rank is None else [-1 if n is None else n for n in shape.as_list()]
        return [_ops.tensor_list_from_tensor(value.stack(), sizes)]

    def _from_components(self, components: list[Tensor]) -> TensorArray:
        return graph_tensor_array.GraphTensorArray._of(self, components[0])

    @classmethod
    def from_value(cls, value: TensorArray) -> TensorArraySpec:
        """The spec of a list."""
        return cls(value.element_shape, value.dtype, value.dynamic_size, value._infer_shape)

    @property
    def dtype(self) -> dtypes.DType:
        """The dtype of the tensors."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of the tensors."""
        return self._element_shape

    @property
    def value_type(self) -> type:
        """Lists of tensors."""
        return TensorArray

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether the other has this dtype and growth, and a compatible shape."""
        other = spec_or_value
        if isinstance(other, TensorArray):
            other = TensorArraySpec.from_value(other)
        return (
            isinstance(other, TensorArraySpec)
            and self._dtype is other._dtype
            and self._dynamic_size == other._dynamic_size
            and self._element_shape.is_compatible_with(other._element_shape)
        )

    def _parts(self) -> tuple:
        shape = self._element_shape
        dims = None if shape.rank is None else tuple(shape)
        return dims, self._dtype, self._dynamic_size, self._infer_shape

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorArraySpec) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(self._parts())

    def __repr__(self) -> str:
        return (
            f"TensorArraySpec({self._element_shape!r}, {self._dtype!r}, {self._dynamic_size}, "
            f"{self._infer_shape})"
        )
