"""TensorArrays of functions that are being traced: a list of tensors as a tensor, their flow."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.ops import conversion
from eagerflow.ops.tensor_array import TensorArray, TensorArraySpec
from eagerflow.typing import Axes, DTypeLike, ShapeLike, Size, TensorLike

_ops = _core.ops
Tensor = _core.Tensor


class _ElementShape:
    """The known shape of the elements, shared by a TensorArray and those derived from it."""

    def __init__(self, shape: TensorShape) -> None:
        self.shape = shape


class GraphTensorArray(TensorArray):
    """A `tf.TensorArray` whose writes return another one; see there."""

    # Its flow is its component, like the values of a ragged tensor.
    _is_composite_tensor = True

    def __init__(
        self,
        dtype: DTypeLike,
        size: Size | None = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: object = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: ShapeLike | None = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        if flow is None and size is None:
            raise ValueError("Argument `size` must be provided if argument `flow` is not provided.")
        if flow is not None and size is not None:
            raise ValueError("Cannot provide both `flow` and `size` arguments at the same time.")
        self._dtype = dtypes.as_dtype(dtype)
        self._dynamic_size = dynamic_size
        self._infer_shape = infer_shape
        self._elements = _ElementShape(TensorShape(element_shape))
        # The size if it is fixed: a tensor, and a Python integer if it is known.
        self._size: Tensor | None = None
        self._static_size = -1
        if flow is None:
            self._size = _core.convert(size, None, dtypes.int32)
            flow = _ops.tensor_list_reserve(self._size, self._dtype, self._sizes())
            known = _core.static_value(self._size)
            if known is not None and not dynamic_size:
                self._static_size = int(known)
        self._flow = flow

    @classmethod
    def _of(cls, spec: TensorArraySpec, flow: Tensor) -> GraphTensorArray:
        """The array with another flow."""
        array = object.__new__(cls)
        array._dtype = spec._dtype
        array._dynamic_size = spec._dynamic_size
        array._infer_shape = spec._infer_shape
        array._elements = spec._elements or _ElementShape(spec._element_shape)
        array._size = None
        array._static_size = spec._static_size
        array._flow = flow
        return array

    def _next(self, flow: Tensor) -> GraphTensorArray:
        """The same array after an operation."""
        array = type(self)._of(self._type_spec, flow)
        array._size = self._size
        return array

    @property
    def _type_spec(self) -> TensorArraySpec:
        spec = TensorArraySpec.from_value(self)
        spec._elements = self._elements
        spec._static_size = self._static_size
        return spec

    @property
    def flow(self) -> Tensor:
        """The list, a scalar of dtype `tf.variant`."""
        return self._flow

    @property
    def element_shape(self) -> TensorShape:
        """The known part of the shape that all tensors have."""
        return self._elements.shape

    def _sizes(self) -> list[int] | None:
        shape = self._elements.shape
        if shape.rank is None:
            return None
        return [-1 if size is None else size for size in shape.as_list()]

    def _check_element_shape(self, shape: TensorShape) -> None:
        if not shape.is_compatible_with(self._elements.shape):
            raise ValueError(
                f"Inconsistent shapes: saw {shape} but expected {self._elements.shape} "
            )
        if self._infer_shape:
            self._elements.shape = self._elements.shape.merge_with(shape)

    def identity(self) -> TensorArray:
        """An array of the same tensors."""
        return self._next(_ops.identity(self._flow))

    def grad(self, source: Axes, flow: object = None, name: str | None = None) -> None:
        """Gradients of lists are computed by tapes; this raises a NotImplementedError."""
        raise NotImplementedError(
            "TensorArray.grad is not supported: a tf.GradientTape or tf.gradients differentiates "
            "what is written and read."
        )

    def close(self, name: str | None = None) -> None:
        """Does nothing."""

    def size(self, name: str | None = None) -> Tensor:
        """The number of tensors, an int32 scalar."""
        if not self._dynamic_size and self._static_size >= 0:
            if _core.building().building_function:
                return _core.convert(self._static_size, None, dtypes.int32)
            return conversion.constant(self._static_size, dtypes.int32)
        if not self._dynamic_size and self._size is not None:
            return self._size
        return _ops.tensor_list_length(self._flow)

    def write(self, index: Size, value: TensorLike, name: str | None = None) -> TensorArray:
        """The array with one tensor set."""
        value = _core.convert(value, None, self._dtype)
        self._check_element_shape(value.shape)
        index = _core.convert(index, None, dtypes.int32)
        return self._next(
            _ops.tensor_list_set_item(self._flow, index, value, bool(self._dynamic_size))
        )

    def read(self, index: Size, name: str | None = None) -> Tensor:
        """One tensor; one that has not been written is zeros."""
        index = _core.convert(index, None, dtypes.int32)
        return _ops.tensor_list_get_item(self._flow, index, self._dtype, self._sizes())

    def stack(self, name: str | None = None) -> Tensor:
        """All tensors joined along a new first axis."""
        return _ops.tensor_list_stack(self._flow, self._dtype, self._sizes(), self._static_size)

    def gather(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """Some of the tensors joined along a new first axis."""
        indices = _core.convert(indices, None, dtypes.int32)
        return _ops.tensor_list_gather(self._flow, indices, self._dtype, self._sizes())

    def concat(self, name: str | None = None) -> Tensor:
        """All tensors joined along their first axis."""
        sizes = self._sizes()
        sizes = [-1, *sizes[1:]] if sizes else None
        return _ops.tensor_list_concat(self._flow, None, self._dtype, sizes)[0]

    def unstack(self, value: TensorLike, name: str | None = None) -> TensorArray:
        """An array of the slices of a tensor along its first axis."""
        value = _core.convert(value, None, self._dtype)
        self._check_element_shape(value.shape[1:])
        return self._next(_ops.tensor_list_from_tensor(value, self._sizes()))

    def scatter(
        self, indices: TensorLike, value: TensorLike, name: str | None = None
    ) -> TensorArray:
        """The array with some tensors set to the slices of one along its first axis."""
        value = _core.convert(value, None, self._dtype)
        self._check_element_shape(value.shape[1:])
        indices = _core.convert(indices, None, dtypes.int32)
        return self._next(_ops.tensor_list_scatter(self._flow, indices, value))

    def split(self, value: TensorLike, lengths: TensorLike, name: str | None = None) -> TensorArray:
        """An array of the pieces of a tensor along its first axis."""
        value = _core.convert(value, None, self._dtype)
        lengths = _core.convert(lengths, None, dtypes.int64)
        return self._next(_ops.tensor_list_split(value, lengths, self._sizes()))
