"""Dataset.bucket_by_sequence_length: batches of elements of similar length."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.data import structure
from eagerflow.data.arguments import integer, invalid
from eagerflow.data.dataset import Dataset
from eagerflow.data.functions import checked_function, parts_of_elements
from eagerflow.data.nested import GroupByWindowDataset
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec


def bucketed(
    source: Dataset,
    element_length_func: Callable[..., Any],
    bucket_boundaries: Any,
    bucket_batch_sizes: Any,
    padded_shapes: Any,
    padding_values: Any,
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

    length_of = checked_function(
        element_length_func, "element_length_func", parts_of_elements(source)
    )

    def key(*parts: Any) -> Any:
        length = integer(length_of(*parts), "element_length_func")
        return _core.convert(bisect_right(boundaries, length), dtypes.int64, None)

    def batches(bucket: Any, group: Dataset) -> Dataset:
        number = int(bucket)
        if no_padding:
            return group.batch(sizes[number], drop_remainder=drop_remainder)
        if padded_shapes is None and not pad_to_bucket_boundary:
            return group.padded_batch(sizes[number], None, padding_values, drop_remainder)
        filler = None
        if pad_to_bucket_boundary:
            if number >= len(boundaries):
                raise invalid(
                    "When pad_to_bucket_boundary=True, elements must have length < "
                    "max(bucket_boundaries)."
                )
            filler = boundaries[number] - 1
        return group.padded_batch(
            sizes[number],
            _filled(group.element_spec, padded_shapes, filler),
            padding_values,
            drop_remainder,
        )

    shapes = None if no_padding else padded_shapes
    return BucketDataset(source, key, batches, lambda bucket: sizes[int(bucket)], shapes)


class BucketDataset(GroupByWindowDataset):
    """Batches of the elements in a bucket, of any size."""

    def __init__(
        self,
        source: Dataset,
        key: Callable[..., Any],
        batches: Callable[..., Any],
        sizes: Callable[..., Any],
        shapes: Any,
    ) -> None:
        super().__init__(source, key, batches, sizes)
        self._shapes = shapes

    def _make_spec(self) -> Any:
        spec = self._input.element_spec
        if self._shapes is None:
            return structure.batched_spec(spec, None)
        return structure.map_structure(
            lambda leaf, shape: TensorSpec(TensorShape([None]).concatenate(shape), leaf.dtype),
            spec,
            _filled(spec, self._shapes, None),
        )


def _filled(spec: Any, shapes: Any, filler: int | None) -> Any:
    """The padded shapes, with unknown sizes replaced."""
    if shapes is None:
        shapes = structure.map_structure(lambda leaf: leaf.shape, spec)
    flat = structure.flatten_up_to(spec, shapes)
    filled = [
        TensorShape([filler if size is None else size for size in TensorShape(shape)])
        for shape in flat
    ]
    return structure.pack(spec, filled)
