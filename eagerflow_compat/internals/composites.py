"""Values made of tensors and their specs: framework.composite_tensor, type_spec and their neighbours."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from eagerflow import _core, nest
from eagerflow.extension_types.batching import BatchableTypeSpec
from eagerflow.framework import dtypes
from eagerflow.framework.composite import CompositeTensor, SparseTensorValue
from eagerflow.framework.indexed_slices import IndexedSlices, IndexedSlicesSpec, IndexedSlicesValue
from eagerflow.framework.spec_names import CLASSES as _NAME_TO_TYPE_SPEC
from eagerflow.framework.spec_names import NAMES as _TYPE_SPEC_TO_NAME
from eagerflow.framework.spec_names import get_name, lookup, register
from eagerflow.framework.tensor import Tensor
from eagerflow.framework.trace_type import TraceType
from eagerflow.framework.type_spec import NoneTensorSpec, TensorSpec, TypeSpec, type_spec_from_value
from eagerflow.ops.tensor_array import TensorArraySpec
from eagerflow.ragged.spec import RaggedTensorSpec
from eagerflow.sparse.tensor import SparseTensor, SparseTensorSpec
from eagerflow.typing import DTypeLike, Structure, TensorLike

__all__ = [
    "BatchableTypeSpec",
    "BoundedTensorSpec",
    "CompositeTensor",
    "DenseSpec",
    "IndexedSlices",
    "IndexedSlicesSpec",
    "IndexedSlicesValue",
    "SparseTensor",
    "SparseTensorSpec",
    "SparseTensorValue",
    "Symbol",
    "Tensor",
    "TensorLike",
    "TraceType",
    "TypeSpec",
    "_NAME_TO_TYPE_SPEC",
    "_TYPE_SPEC_TO_NAME",
    "convert_variables_to_tensors",
    "get_name",
    "is_sparse",
    "lookup",
    "register",
    "replace_composites_with_components",
    "replace_variables_with_atoms",
    "restore_variables_from_atoms",
    "type_spec_from_value",
]


class BoundedTensorSpec(TensorSpec):
    """A TensorSpec with bounds of the values.

    Args:
        shape: the shape.
        dtype: the element type.
        minimum: the least value, a number or an array that broadcasts to the shape.
        maximum: the greatest one, likewise.
        name: the name.

    Raises:
        ValueError: if a bound is missing, or has a shape that does not broadcast.
    """

    def __init__(
        self, shape: Any, dtype: DTypeLike, minimum: Any, maximum: Any, name: str | None = None
    ) -> None:
        super().__init__(shape, dtype, name)
        if minimum is None or maximum is None:
            raise ValueError("`minimum` and `maximum` can not be None.")
        for name, bound in (("minimum", minimum), ("maximum", maximum)):
            try:
                np.broadcast_to(bound, [size or 1 for size in self.shape.as_list()])
            except ValueError:
                raise ValueError(
                    f"`{name}` {np.shape(bound)} is not compatible with shape {self.shape}."
                ) from None
        self._minimum = np.array(minimum, self.dtype.as_numpy_dtype)
        self._maximum = np.array(maximum, self.dtype.as_numpy_dtype)
        self._minimum.setflags(write=False)
        self._maximum.setflags(write=False)

    @classmethod
    def from_spec(cls, spec: TensorSpec, name: str | None = None) -> BoundedTensorSpec:
        """The spec of a spec, of NumPy's arrays too; without bounds it gets those of its dtype."""
        dtype = dtypes.as_dtype(spec.dtype)
        minimum = spec.minimum if hasattr(spec, "minimum") else dtype.min
        maximum = spec.maximum if hasattr(spec, "maximum") else dtype.max
        return cls(spec.shape, dtype, minimum, maximum, name or spec.name)

    @property
    def minimum(self) -> np.ndarray:
        """The least values."""
        return self._minimum

    @property
    def maximum(self) -> np.ndarray:
        """The greatest values."""
        return self._maximum

    def __repr__(self) -> str:
        return (
            f"BoundedTensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r}, "
            f"minimum={self.minimum!r}, maximum={self.maximum!r})"
        )

    def __eq__(self, other: object) -> bool:
        return (
            super().__eq__(other)
            and isinstance(other, BoundedTensorSpec)
            and np.allclose(self.minimum, other.minimum)
            and np.allclose(self.maximum, other.maximum)
        )

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def __reduce__(self) -> tuple[object, ...]:
        arguments = (self.shape, self.dtype, self.minimum, self.maximum, self.name)
        return BoundedTensorSpec, arguments


DenseSpec = TensorSpec
Symbol = Tensor

_KINDS: tuple[type, ...] = (
    BoundedTensorSpec,
    NoneTensorSpec,
    RaggedTensorSpec,
    SparseTensorSpec,
    TensorArraySpec,
    TensorSpec,
)
for _kind in _KINDS:
    register(f"tf.{_kind.__name__}")(_kind)


def is_sparse(tensor: object) -> bool:
    """Whether a value is a sparse tensor."""
    return isinstance(tensor, SparseTensor | SparseTensorValue)


def replace_composites_with_components(structure: Structure) -> Structure:
    """The structure with lists of tensors in place of the values that are made of them."""

    def components(leaf: Any) -> Structure:
        if not isinstance(leaf, CompositeTensor):
            return leaf
        return nest.flatten(leaf, expand_composites=True)

    return nest.map_structure(components, structure)


def convert_variables_to_tensors(values: Structure) -> Structure:
    """The structure with the values of variables in their place."""
    return nest.map_structure(
        lambda leaf: leaf.read_value() if isinstance(leaf, _core.Variable) else leaf, values
    )


def replace_variables_with_atoms(values: Structure) -> Structure:
    """The structure with 0 in place of variables, which are parts of no structure."""
    return nest.map_structure(lambda leaf: 0 if isinstance(leaf, _core.Variable) else leaf, values)


def restore_variables_from_atoms(structure: Structure, flattened: Iterable[object]) -> Structure:
    """The structure with other leaves."""
    return nest.pack_sequence_as(structure, list(flattened))
