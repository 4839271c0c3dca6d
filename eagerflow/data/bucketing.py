"""Dataset.bucket_by_sequence_length: batches of elements of similar length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.data import structure
from eagerflow.data.arguments import integer, invalid
from eagerflow.data.dataset import Dataset, DatasetSpec
from eagerflow.data.functions import HostFunction, traced
from eagerflow.data.nested import KEY, grouped
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.typing import Structure
from eagerflow.util import lazy

# It imports malt when a function is converted.
autograph = lazy.Module("eagerflow.autograph.conversion")


def bucketed(
    source: Dataset,
    element_length_func: Callable[..., object],
    bucket_boundaries: Any,
    bucket_batch_sizes: Any,
    padded_shapes: Structure,
    padding_values: Structure,
    pad_to_bucket_boundary: bool,
    no_padding: bool,
    drop_remainder: bool,
) -> Dataset:
    """The dataset for `Dataset.bucket_by_sequence_length`."""
    boundaries = [integer(value, "bucket_boundaries") for value in bucket_boundaries]
    sizes = [integer(value, "bucket_batch_sizes") for value in bucket_batch_sizes]
    if len(sizes) != len(boundaries) + 1:
        raise ValueError(
            "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
            f"`len(bucket_batch_sizes)={len(sizes)}` and `len(bucket_boundaries)={len(boundaries)}`."
        )

    def key(*parts: Any) -> _core.Tensor:
        length = autograph.convert_in_context(element_length_func)(*parts)
        length = _core.convert(length, dtypes.int32, None)
        below = [_core.ops.less_equal(boundary, length) for boundary in boundaries]
        return _core.ops.reduce_sum(_core.ops.cast(below, dtypes.int64))

    def batches(bucket: _core.Tensor, group: Dataset) -> Dataset:
        number = int(bucket)
        if no_padding:
            return group.batch(sizes[number], drop_remainder=drop_remainder)
        filler = None
        if pad_to_bucket_boundary:
            if number >= len(boundaries):
                raise invalid(
                    "When pad_to_bucket_boundary=True, elements must have length < "
                    "max(bucket_boundaries)."
                )
            filler = boundaries[number] - 1
        shapes = _filled(spec, padded_shapes, filler)
        return group.padded_batch(sizes[number], shapes, padding_values, drop_remainder)

    spec = source.element_spec
    shapes = _filled(spec, None if no_padding else padded_shapes, None)
    batch_spec = structure.map_structure(
        lambda leaf, shape: TensorSpec(TensorShape([None]).concatenate(shape), leaf.dtype),
        spec,
        shapes,
    )
    return grouped(
        source,
        traced(key, spec, "Dataset.bucket_by_sequence_length()", "element_length_func"),
        HostFunction(batches, DatasetSpec(batch_spec)),
        HostFunction(lambda bucket: sizes[int(bucket)], KEY),
    )


def _filled(spec: Structure, shapes: Structure, filler: int | None) -> Any:
    """The padded shapes, with unknown sizes replaced."""
    if shapes is None:
        shapes = structure.map_structure(lambda leaf: leaf.shape, spec)
    flat = structure.flatten_up_to(spec, shapes)
    filled = [
        TensorShape([filler if size is None else size for size in TensorShape(shape)])
        for shape in flat
    ]
    return structure.pack(spec, filled)
