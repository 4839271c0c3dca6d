"""Exports operations that scatter, sort and pool elements to GraphDef."""

from __future__ import annotations

from collections.abc import Sequence

from eagerflow.framework import dtypes
from eagerflow.graphdef.emitters import NoSuchNodeError, View, emits
from eagerflow.graphdef.writer import Ref


@emits("stitch_rows")
def _stitch(view: View) -> Sequence[Ref]:
    indices, rows = view.inputs
    return view.last("DynamicStitch", [view.numbers(indices, dtypes.int32)], [rows])


@emits("roll")
def _roll(view: View) -> Sequence[Ref]:
    shift = view.numbers(view.tensor("shift"), dtypes.int64)
    if not isinstance(shift, Ref):
        shift = view.body.constant(shift, dtypes.int64)
    return view.last("Roll", *view.inputs, shift, view.known("axis"))


@emits("max_pool_places")
def _pool_places(view: View) -> Sequence[Ref]:
    kind = view.specs[1][0]
    attrs = {key: view.known(key) for key in ("ksize", "strides", "padding")}
    return view.last(
        "MaxPoolWithArgmax", *view.inputs, Targmax=kind, include_batch_in_index=True, **attrs
    )


@emits("max_pool_grad_grad")
def _second_pool(view: View) -> Sequence[Ref]:
    names = ("ksize", "strides", "padding", "data_format")
    return view.last("MaxPoolGradGrad", *view.inputs, **{name: view.known(name) for name in names})


@emits("string_bytes")
def _bytes(view: View) -> Sequence[Ref]:
    if view.known("offset"):
        raise NoSuchNodeError("TensorFlow decodes whole strings")
    return view.last("DecodeRaw", *view.inputs, out_type=view.specs[0][0])


@emits("sparse_order")
def _order(view: View) -> Sequence[Ref]:
    indices = view.inputs[0]
    sizes = view.numbers(view.tensor("shape"), dtypes.int64)
    if not isinstance(sizes, Ref):
        sizes = view.body.constant(list(sizes), dtypes.int64)
    perm = view.known("perm")
    if perm is not None:
        places = view.body.constant(list(perm), dtypes.int32)
        axes = [view.body.constant(k, dtypes.int32) for k in (1, 0)]
        indices = view.add("GatherV2", indices, places, axes[0])
        sizes = view.add("GatherV2", sizes, places, axes[1])
    count = view.add("StridedSlice", view.add("Shape", indices), [0], [1], [1], shrink_axis_mask=1)
    places = view.numbers(view.add("Range", 0, count, 1), view.specs[1][0])
    return view.last("SparseReorder", indices, places, sizes)
