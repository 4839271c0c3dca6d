"""Exports elementwise operations whose kernels in TensorFlow accept fewer dtypes or shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.graphdef import inverse
from eagerflow.graphdef.emitters import NoSuchNodeError, View, direct, emits, lowered
from eagerflow.graphdef.writer import Ref

# The dtypes of TensorFlow's Range, and those that need an unknown size.
_RANGES = (
    dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64,
)  # fmt: skip
_RANGES_OF_UNKNOWN_SIZE = (dtypes.float16, dtypes.bfloat16)


@emits("abs")
def _abs(view: View) -> Sequence[Ref]:
    if view.inputs[0].dtype.is_complex:
        return view.last("ComplexAbs", *view.inputs, Tout=view.specs[0][0])
    return view.last("Abs", *view.inputs)


@emits("real", "conj", "imag", "angle")
def _parts(view: View) -> Sequence[Ref]:
    op = view.node.op
    if view.inputs[0].dtype.is_complex:
        return view.last(op.capitalize(), *view.inputs)
    if op in ("real", "conj"):
        return view.last("Identity", *view.inputs)
    return lowered(view)


@emits("add")
def _add(view: View) -> Sequence[Ref]:
    return view.last("Add" if view.inputs[0].dtype is dtypes.string else "AddV2", *view.inputs)


@emits("add_n")
def _add_n(view: View) -> Sequence[Ref]:
    return view.last("AddN", view.inputs)


@emits("round")
def _round(view: View) -> Sequence[Ref]:
    return view.last("Identity" if view.inputs[0].dtype.is_integer else "Round", *view.inputs)


@emits("clip_by_value")
def _clip(view: View) -> Sequence[Ref]:
    x, least, most = view.inputs
    return view.last("Maximum", view.add("Minimum", x, most), least)


@emits("range")
def _range(view: View) -> Sequence[Ref]:
    kind, shape = view.specs[0]
    if kind in _RANGES or kind in _RANGES_OF_UNKNOWN_SIZE and not shape.is_fully_defined():
        return direct(view, inverse.table()["range"])
    start, limit, delta = (_core.static_value(tensor) for tensor in view.node.inputs)
    if start is not None and limit is not None and delta is not None:
        return [view.body.constant(_core.ops.range(start, limit, delta), kind, view.name)]
    parts = [view.add("Cast", ref, DstT=dtypes.int64) for ref in view.inputs]
    return view.last("Cast", view.add("Range", *parts), DstT=kind)


@emits("linspace")
def _linspace(view: View) -> Sequence[Ref]:
    start, stop = view.inputs
    if start.shape.rank == 0 and stop.shape.rank == 0 and start.dtype in (
        dtypes.float32, dtypes.float64
    ):  # fmt: skip
        return view.last("LinSpace", start, stop, view.numbers(view.tensor("num"), dtypes.int32))
    return lowered(view)


@emits("argmax", "argmin")
def _arg(view: View) -> Sequence[Ref]:
    axis = view.tensor("axis")
    op = "ArgMax" if view.node.op == "argmax" else "ArgMin"
    return view.last(op, view.inputs[0], 0 if axis is None else axis,
                     output_type=view.specs[0][0])  # fmt: skip


@emits("depthwise_conv2d", "depthwise_conv2d_backprop_input", "depthwise_conv2d_backprop_filter")
def _depthwise(view: View) -> Sequence[Ref]:
    # TensorFlow's kernels for CPUs ignore the dilations.
    if max(view.known("dilations") or [1]) > 1:
        needed = view.inputs[1:2] if view.node.op == "depthwise_conv2d" else view.inputs
        if any(None in ref.shape.as_list() for ref in needed if ref.shape.rank == 4):
            raise NoSuchNodeError("the sizes of a convolution with gaps must be known")
        return lowered(view)
    return direct(view, inverse.table()[view.node.op])


@emits("gather_nd", "gather_nd_grad")
def _gather_nd(view: View) -> Sequence[Ref]:
    if view.known("batch_dims"):
        return lowered(view)
    if view.node.op == "gather_nd":
        return view.last("GatherNd", *view.inputs)
    dy, indices = view.inputs
    shape = view.numbers(view.tensor("shape"), indices.dtype)
    if not isinstance(shape, Ref):
        shape = view.body.constant(shape, indices.dtype)
    return view.last("ScatterNd", indices, dy, shape)


@emits("matmul")
def _matmul(view: View) -> Sequence[Ref]:
    a, b = view.inputs
    adjoint = {}
    refs = []
    for key, ref in zip("ab", (a, b), strict=True):
        adjoint[key] = view.known(f"adjoint_{key}")
        if view.known(f"transpose_{key}"):
            # Of a complex matrix it is the adjoint of the conjugate.
            ref = view.add("Conj", ref) if ref.dtype.is_complex else ref
            adjoint[key] = True
        refs.append(ref)
    if view.specs[0][0] is not a.dtype:
        return view.last("BatchMatMulV3", *refs, adj_x=adjoint["a"], adj_y=adjoint["b"],
                         Tout=view.specs[0][0])  # fmt: skip
    if a.shape.rank == 2 and b.shape.rank == 2 and not a.dtype.is_complex:
        return view.last("MatMul", *refs, transpose_a=adjoint["a"], transpose_b=adjoint["b"])
    return view.last("BatchMatMulV2", *refs, adj_x=adjoint["a"], adj_y=adjoint["b"])


def zero_of(dtype: Any, value: Any = 0) -> Any:
    """A Python scalar of a dtype's kind."""
    if dtype is dtypes.bool:
        return bool(value)
    if dtype is dtypes.string:
        return _core.convert(b"", dtype, None)
    return int(value) if dtype.is_integer else float(value)


@emits("zeros", "ones")
def _filled(view: View) -> Sequence[Ref]:
    dtype = view.specs[0][0]
    value = view.body.constant(zero_of(dtype, view.node.op == "ones"), dtype)
    return view.last("Fill", view.tensor("shape"), value)


@emits("zeros_like", "ones_like")
def _like(view: View) -> Sequence[Ref]:
    (dtype, _), source = view.specs[0], view.inputs[0]
    op = "ZerosLike" if view.node.op == "zeros_like" else "OnesLike"
    if source.dtype is dtype:
        return view.last(op, source)
    value = view.body.constant(zero_of(dtype, op == "OnesLike"), dtype)
    return view.last("Fill", view.add("Shape", source), value)
