"""The specs of parsed features, for functions that are traced."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec, TypeSpec
from eagerflow.io import features as kinds
from eagerflow.ragged.spec import RaggedTensorSpec
from eagerflow.sparse.tensor import SparseTensorSpec


def batch_of(serialized: Any) -> list[int | None] | None:
    """The batch axes of parsed features: those of the strings; None if their rank is unknown."""
    shape = _core.convert(serialized, None, dtypes.string).shape
    return None if shape.rank is None else shape.as_list()


def known(batch: list[int | None] | None) -> list[int | None]:
    """The batch axes.

    Raises:
        ValueError: if their number is unknown.
    """
    if batch is None:
        raise ValueError(
            "The rank of the messages to parse must be known in a function; use tf.ensure_shape."
        )
    return batch


def specs_of(features: dict[str, Any], batch: list[int | None] | None) -> dict[str, TypeSpec]:
    """The specs of the results of `parse_example` by name."""
    return {name: _spec(feature, batch) for name, feature in features.items()}


def sequence_specs_of(features: dict[str, Any], batch: list[int | None]) -> dict[str, TypeSpec]:
    """The specs of feature lists, which have an axis of steps."""
    specs: dict[str, TypeSpec] = {}
    for name, feature in features.items():
        if isinstance(feature, kinds.VarLenFeature):
            specs[name] = SparseTensorSpec([*batch, None, None], dtypes.as_dtype(feature.dtype))
        elif isinstance(feature, kinds.RaggedFeature):
            specs[name] = _ragged(feature, [*batch, None], len(batch) + 1)
        else:
            specs[name] = _spec(feature, batch)
    return specs


def length_specs_of(features: dict[str, Any], batch: list[int | None]) -> dict[str, TypeSpec]:
    """The specs of the lengths of sequences that are padded."""
    return {
        name: TensorSpec(batch, dtypes.int64)
        for name, feature in features.items()
        if isinstance(feature, kinds.FixedLenSequenceFeature)
    }


def _spec(feature: Any, batch: list[int | None] | None) -> TypeSpec:
    dtype = dtypes.as_dtype(feature.dtype)
    outer = TensorShape(batch)
    if isinstance(feature, kinds.VarLenFeature):
        return SparseTensorSpec(outer.concatenate([None]), dtype)
    if isinstance(feature, kinds.SparseFeature):
        sizes = feature.size if isinstance(feature.size, list | tuple) else [feature.size]
        return SparseTensorSpec(outer.concatenate(sizes), dtype)
    if isinstance(feature, kinds.RaggedFeature):
        return _ragged(feature, known(batch), len(known(batch)))
    inner = TensorShape(feature.shape)
    if isinstance(feature, kinds.FixedLenSequenceFeature):
        inner = TensorShape([None]).concatenate(inner)
    return TensorSpec(outer.concatenate(inner), dtype)


def _ragged(feature: kinds.RaggedFeature, outer: list[int | None], ragged_axes: int) -> TypeSpec:
    """The spec of a ragged feature: each partition adds an axis to those of `outer`."""
    uniform = kinds.RaggedFeature.UniformRowLength
    inner = [part.length if isinstance(part, uniform) else None for part in feature.partitions]
    ragged = len(inner)
    while ragged and inner[ragged - 1] is not None:  # an axis of the flat values
        ragged -= 1
    ragged_rank = ragged_axes + ragged
    shape = [*outer, *([None] if outer or not inner else []), *inner]
    if not outer and inner:
        shape = [None, *inner]
    if ragged_rank == 0:
        return TensorSpec(shape, feature.dtype)
    return RaggedTensorSpec(shape, feature.dtype, ragged_rank, feature.row_splits_dtype)
