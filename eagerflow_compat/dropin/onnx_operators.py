"""What TensorFlow's operations are in ONNX, where tf2onnx does not know it.

Importing this module adds to the operations that tf2onnx converts. It needs tf2onnx, which needs a
module `tensorflow`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eagerflow.util.optional import optional

utils = optional("tf2onnx.utils", "Exporting to ONNX")
tf_op = optional("tf2onnx.handler", "Exporting to ONNX").tf_op
tensor = optional("tf2onnx.onnx_opset.tensor", "Exporting to ONNX")

_ML = "ai.onnx.ml"
# Since this version of ONNX's operators, axes are inputs.
OLDEST_OPSET = 13

_FLOAT, _INT64 = 1, 7  # of onnx.TensorProto


class _Nodes:
    """Makes nodes of ONNX: `o("Add", x, y)`, `o.Add(x, y)` and `x` are names of tensors.

    Args:
        graph: tf2onnx's graph.
        node: the node of TensorFlow's that they replace.
    """

    def __init__(self, graph: Any, node: Any) -> None:
        self.graph, self.name = graph, node.name
        self.inputs: list[str] = list(node.input)
        self.attribute: Callable[..., Any] = node.get_attr_value
        self.dtype = graph.get_dtype(self.inputs[0])
        self.results: list[int] = [graph.get_dtype(name) for name in node.output]

    def __call__(self, op: str, *inputs: str, domain: str = "", **attributes: object) -> str:
        """The first result of a new node."""
        name = utils.make_name(f"{self.name}/{op}")
        made = self.graph.make_node(op, list(inputs), attr=attributes, name=name, domain=domain)
        return made.output[0]

    def __getattr__(self, op: str) -> Callable[..., str]:
        return lambda *inputs, **attributes: self(op, *inputs, **attributes)

    def number(self, value: Any, dtype: int = 0) -> str:
        """A constant, by default of the dtype of the first input."""
        kind = utils.map_onnx_to_numpy_type(dtype or self.dtype)
        made = self.graph.make_const(utils.make_name(self.name), np.array(value, kind))
        return made.output[0]

    def cast(self, x: str, dtype: int) -> str:
        """A tensor as another dtype."""
        return self.Cast(x, to=dtype)

    def unless_zero(self, tested: str, otherwise: str) -> str:
        """Zero where a tensor is zero, and another tensor elsewhere."""
        zero = self.number(0)
        return self.Where(self.Equal(tested, zero), zero, otherwise)


def _count(o: _Nodes, compare: str) -> str:
    """How many elements of sorted rows compare so with each value."""
    rows, values = o.inputs
    rows = o.Unsqueeze(rows, o.number([1], _INT64))
    values = o.Unsqueeze(values, o.number([2], _INT64))
    found = o.cast(o(compare, rows, values), o.results[0])
    return o.ReduceSum(found, o.number([2], _INT64), keepdims=0)


def _bucketize(o: _Nodes) -> str:
    bounds = o.number(o.attribute("boundaries"), _FLOAT)
    values = o.Unsqueeze(o.cast(o.inputs[0], _FLOAT), o.number([-1], _INT64))
    found = o.cast(o.LessOrEqual(bounds, values), o.results[0])
    return o.ReduceSum(found, o.number([-1], _INT64), keepdims=0)


def _strided_slice_grad(o: _Nodes) -> str:
    shape, start, _, step, dy = o.inputs
    begin, strides = (o.graph.get_node_by_output(name).get_tensor_value() for name in (start, step))
    others = ("ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
    if min(strides) < 1 or min(begin) < 0 or any(o.attribute(name, 0) for name in others):
        raise ValueError("only slices that begin at known indices and go forward can be padded")
    mask = o.attribute("begin_mask", 0)
    begin = [0 if mask >> axis & 1 else index for axis, index in enumerate(begin)]
    rank = len(o.graph.get_shape(dy))
    for axis, stride in enumerate(strides):
        if stride > 1:  # zeros after each element
            wider = o.Unsqueeze(dy, o.number([axis + 1], _INT64))
            pads = [0] * (rank + 1) + [(stride - 1) * (k == axis + 1) for k in range(rank + 1)]
            wider = o.Pad(wider, o.number(pads, _INT64))
            later = o.Slice(o.Shape(dy), o.number([axis + 1], _INT64), o.number([rank], _INT64))
            dy = o.Reshape(wider, o.Concat(o.number([0] * axis + [-1], _INT64), later, axis=0))
    before = o.number(begin + [0] * (rank - len(begin)), _INT64)
    after = o.Sub(o.Sub(o.cast(shape, _INT64), o.Shape(dy)), before)
    return o.Pad(dy, o.Concat(before, after, axis=0))


def _lin_space(o: _Nodes) -> str:
    start, stop, num = o.inputs
    count = o.cast(num, _INT64)
    steps = o.Max(o.Sub(count, o.number(1, _INT64)), o.number(1, _INT64))
    step = o.Div(o.Sub(stop, start), o.cast(steps, o.dtype))
    indices = o.Range(o.number(0, _INT64), count, o.number(1, _INT64))
    return o.Add(start, o.Mul(o.cast(indices, o.dtype), step))


def _square(o: _Nodes, x: str) -> str:
    return o.Mul(x, x)


def _leaky_relu_grad(o: _Nodes) -> str:
    dy, x = o.inputs
    slope = o.number(o.attribute("alpha", 0.2))
    return o.Where(o.Greater(x, o.number(0)), dy, o.Mul(dy, slope))


def _softsign_grad(o: _Nodes) -> str:
    dy, x = o.inputs
    return o.Div(dy, _square(o, o.Add(o.Abs(x), o.number(1))))


def _broadcast_args(o: _Nodes) -> str:
    zero = o.number(0.0, _FLOAT)
    parts = [o.Expand(zero, o.cast(shape, _INT64)) for shape in o.inputs]
    return o.cast(o.Shape(o.Add(*parts)), o.results[0])


# Operations of one result.
_COMPOSED: dict[str, Callable[[_Nodes], str]] = {
    "Erfc": lambda o: o.Sub(o.number(1), o.Erf(*o.inputs)),
    "Expm1": lambda o: o.Sub(o.Exp(*o.inputs), o.number(1)),
    "Log1p": lambda o: o.Log(o.Add(o.number(1), *o.inputs)),
    "MulNoNan": lambda o: o.unless_zero(o.inputs[1], o.Mul(*o.inputs)),
    "Xdivy": lambda o: o.unless_zero(o.inputs[0], o.Div(*o.inputs)),
    "Xlogy": lambda o: o.unless_zero(o.inputs[0], o.Mul(o.inputs[0], o.Log(o.inputs[1]))),
    "Xlog1py": lambda o: o.unless_zero(
        o.inputs[0], o.Mul(o.inputs[0], o.Log(o.Add(o.inputs[1], o.number(1))))
    ),
    "Inv": lambda o: o.Reciprocal(*o.inputs),
    "Mod": lambda o: o("Mod", *o.inputs, fmod=1),
    "TruncateMod": lambda o: o("Mod", *o.inputs, fmod=1),
    "L2Loss": lambda o: o.Div(o.ReduceSum(_square(o, *o.inputs), keepdims=0), o.number(2)),
    "EuclideanNorm": lambda o: o.Sqrt(
        o.ReduceSum(
            _square(o, o.inputs[0]),
            o.Reshape(o.cast(o.inputs[1], _INT64), o.number([-1], _INT64)),
            keepdims=int(o.attribute("keep_dims", 0)),
        )
    ),
    "LinSpace": _lin_space,
    "LowerBound": lambda o: _count(o, "Less"),
    "UpperBound": lambda o: _count(o, "LessOrEqual"),
    "Bucketize": _bucketize,
    "Rank": lambda o: o.cast(o.Size(o.Shape(*o.inputs)), o.results[0]),
    "BroadcastArgs": _broadcast_args,
    "PreventGradient": lambda o: o.Identity(*o.inputs),
    "Snapshot": lambda o: o.Identity(*o.inputs),
    # Gradients in functions that compute them.
    "StridedSliceGrad": _strided_slice_grad,
    "ReluGrad": lambda o: o.Where(o.Greater(o.inputs[1], o.number(0)), o.inputs[0], o.number(0)),
    "LeakyReluGrad": _leaky_relu_grad,
    "SigmoidGrad": lambda o: o.Mul(
        o.inputs[1], o.Mul(o.inputs[0], o.Sub(o.number(1), o.inputs[0]))
    ),
    "TanhGrad": lambda o: o.Mul(o.inputs[1], o.Sub(o.number(1), _square(o, o.inputs[0]))),
    "SoftplusGrad": lambda o: o.Mul(o.inputs[0], o.Sigmoid(o.inputs[1])),
    "SoftsignGrad": _softsign_grad,
    "SqrtGrad": lambda o: o.Div(o.inputs[1], o.Mul(o.number(2), o.inputs[0])),
    "RsqrtGrad": lambda o: o.Mul(
        o.Mul(o.inputs[1], o.number(-0.5)), o.Mul(o.inputs[0], _square(o, o.inputs[0]))
    ),
    "ReciprocalGrad": lambda o: o.Neg(o.Mul(o.inputs[1], _square(o, o.inputs[0]))),
    "InvGrad": lambda o: o.Neg(o.Mul(o.inputs[1], _square(o, o.inputs[0]))),
}


def _replacing(build: Callable[[_Nodes], str]) -> Callable[..., None]:
    """A function of tf2onnx's that replaces a node by what `build` makes."""

    def convert(graph: Any, node: Any, **kwargs: object) -> None:
        nodes = _Nodes(graph, node)
        (output,) = node.output
        shape, dtype = graph.get_shape(output), graph.get_dtype(output)
        result = build(nodes)
        graph.remove_node(node.name)
        graph.make_node(
            "Identity", [result], outputs=[output], name=node.name, shapes=[shape], dtypes=[dtype]
        )

    return convert


def _one_hot(graph: Any, node: Any, **kwargs: object) -> None:
    """Converts `OneHot`, whose rows are empty for negative indices: in ONNX these count from the end."""
    o = _Nodes(graph, node)
    indices, depth = o.inputs[:2]
    outside = o.Reshape(o.cast(depth, o.dtype), o.number([], _INT64))
    found = o.Where(o.Less(o.cast(indices, _INT64), o.number(0, _INT64)), outside, indices)
    graph.replace_input(node, indices, found, 0)
    tensor.OneHot.version_11(graph, node, **kwargs)


def add_tables(tables: Sequence[tuple[list[Any], list[Any]]]) -> None:
    """Adds lookups in tables.

    Args:
        tables: the keys and values of each; a `PyFuncStateless` looks up in that of its `token`.
    """

    def look_up(o: _Nodes) -> str:
        keys, values = tables[int(o.attribute("token"))]
        asked, default = o.inputs
        fallback = o.graph.get_node_by_output(default).get_tensor_value()
        kinds = []
        for part in (keys, values):
            kinds.append("strings" if part and isinstance(part[0], str) else "int64s")
        if kinds[0] == "int64s":
            asked = o.cast(asked, _INT64)
        if isinstance(fallback, bytes):
            fallback = fallback.decode()
        found = o(
            "LabelEncoder", asked, domain=_ML,
            **{f"keys_{kinds[0]}": keys, f"values_{kinds[1]}": values,
               f"default_{kinds[1].removesuffix('s')}": fallback},
        )  # fmt: skip
        return found if kinds[1] == "strings" else o.cast(found, o.results[0])

    tf_op("PyFuncStateless").register_compat_handler(_replacing(look_up), OLDEST_OPSET)


for _op, _build in _COMPOSED.items():
    tf_op(_op).register_compat_handler(_replacing(_build), OLDEST_OPSET)
tf_op("OneHot").register_compat_handler(_one_hot, OLDEST_OPSET)
