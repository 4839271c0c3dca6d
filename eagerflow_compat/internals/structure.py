"""tensorflow.python.data.util.structure: the specs of elements of datasets."""

from __future__ import annotations

from typing import Any

from eagerflow import nest
from eagerflow.framework.tensor import Tensor
from eagerflow.framework.type_spec import NoneTensorSpec, TensorSpec, TypeSpec
from eagerflow.framework.type_spec import type_spec_from_value as _spec_of
from eagerflow.sparse.tensor import SparseTensor, SparseTensorSpec
from eagerflow.typing import Structure

__all__ = [
    "NoneTensorSpec",
    "are_compatible",
    "convert_legacy_structure",
    "from_tensor_list",
    "get_flat_tensor_shapes",
    "get_flat_tensor_types",
    "to_tensor_list",
    "type_spec_from_value",
]


def type_spec_from_value(element: Structure, use_fallback: bool = True) -> Structure:
    """The specs of an element, in its structure."""
    return nest.map_structure(_spec_of, element)


def to_tensor_list(element_spec: object, element: Structure) -> list[Any]:
    """The tensors that an element consists of."""
    return nest.flatten(element, expand_composites=True)


def from_tensor_list(element_spec: Structure, tensor_list: Any) -> Structure:
    """The element that consists of these tensors."""
    return nest.pack_sequence_as(element_spec, list(tensor_list), expand_composites=True)


def _flat_specs(element_spec: Structure) -> list[Any]:
    return nest.flatten(element_spec, expand_composites=True)


def get_flat_tensor_shapes(element_spec: Any) -> list[Any]:
    """The shapes of the tensors that elements consist of."""
    return [spec.shape for spec in _flat_specs(element_spec)]


def get_flat_tensor_types(element_spec: Any) -> list[Any]:
    """The dtypes of the tensors that elements consist of."""
    return [spec.dtype for spec in _flat_specs(element_spec)]


def are_compatible(spec1: Structure, spec2: Structure) -> bool:
    """Whether the elements of one structure of specs are elements of the other."""
    try:
        nest.assert_same_structure(spec1, spec2)
    except (TypeError, ValueError):
        return False
    pairs = zip(nest.flatten(spec1), nest.flatten(spec2), strict=True)
    return all(isinstance(a, TypeSpec) and a.is_compatible_with(b) for a, b in pairs)


def convert_legacy_structure(
    output_types: Structure, output_shapes: Structure, output_classes: Structure
) -> Structure:
    """The specs of elements that three structures describe, as version 1's datasets do.

    Args:
        output_types: the dtypes.
        output_shapes: the shapes.
        output_classes: `tf.Tensor`, `tf.SparseTensor`, or specs that stand for themselves.

    Raises:
        TypeError: for another class.
    """

    def spec_of(cls: Any, dtype: Any, shape: Any) -> TypeSpec:
        if isinstance(cls, TypeSpec):
            return cls
        if cls is SparseTensor:
            return SparseTensorSpec(shape, dtype)
        if isinstance(cls, type) and issubclass(cls, Tensor):
            return TensorSpec(shape, dtype)
        raise TypeError(f"Could not build a structure for output class {cls}.")

    flat = zip(*map(nest.flatten, (output_classes, output_types, output_shapes)), strict=True)
    return nest.pack_sequence_as(output_classes, [spec_of(*each) for each in flat])
