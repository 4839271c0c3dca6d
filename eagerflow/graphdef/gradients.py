"""Gradients of operations in exported graphs, whatever sizes are known.

TensorFlow finds the gradient of a function by itself, where each of the function's operations has a
gradient in its C++ library. Those of other operations are written here, by operations whose sizes are
tensors.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import eagerflow as tf
from eagerflow import _core
from eagerflow.errors import UnimplementedError
from eagerflow.framework.func_graph import FuncGraph, dims_of

Tensor = _core.Tensor

# The operations that TensorFlow's library differentiates in functions.
_DIFFERENTIABLE = frozenset(
    """
    Abs Acos Acosh Add AddV2 Asin Asinh Atan Atanh AvgPool BatchMatMul BatchMatMulV2 BiasAdd BroadcastTo
    Cast Complex Concat ConcatV2 Conj ConjugateTranspose Const Conv2D Cos Cosh Div DivNoNan Equal Exp
    ExpandDims Expm1 Fill Floor FloorDiv Greater GreaterEqual Identity Imag Inv Less LessEqual Log Log1p
    LogSoftmax LogicalAnd LogicalNot LogicalOr MatMul Max MaxPool Maximum Mean Min Minimum Mul MulNoNan Neg
    NoOp NotEqual OnesLike Pack Pow Range Rank RealDiv Real Reciprocal Relu Relu6 Reshape ReverseV2 Rsqrt
    Select Shape Sigmoid Sign Sin Sinh Size Slice Softmax Split SplitV Sqrt Square SquaredDifference Squeeze
    StridedSlice Sub Sum Tan Tanh Transpose Unpack Xdivy Xlog1py Xlogy ZerosLike
    """.split()
)

GRADIENTS: dict[str, Callable[..., Any]] = {}


def check_differentiable(op: str, function: Any) -> None:
    """Refuses a function with an operation that TensorFlow does not differentiate.

    Args:
        op: what the function is for.
        function: the FunctionDef message.
    """
    for node in function.node_def:
        if node.op not in _DIFFERENTIABLE:
            raise UnimplementedError(
                None,
                None,
                f"The gradient of {op} for unknown shapes cannot be exported, as TensorFlow has none "
                f"of {node.op}. Trace the function with known shapes.",
            )


def traced(node: Any, wanted: list[int]) -> FuncGraph:
    """The graph of a gradient: its inputs are the outputs' gradients, the inputs, and the outputs."""
    forward = node.differentiated[0]
    graph = FuncGraph(f"{forward.op}_grad")
    with graph.as_default():
        dy, x, y = (
            [graph.placeholder(t.dtype, dims_of(t.shape), role) for t in tensors]
            for role, tensors in (
                ("dy", forward.outputs),
                ("x", forward.inputs),
                ("y", forward.outputs),
            )
        )
        found = GRADIENTS[forward.op](dy, x, y, forward.attrs)
        graph.finish([found[k] for k in wanted])
    return graph


def _gradient(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        GRADIENTS.update(dict.fromkeys(names, function))
        return function

    return register


def _summed_to(value: Tensor, like: Tensor) -> Tensor:
    """A gradient in the shape of an operand that was broadcast."""
    axes, _ = tf.raw_ops.BroadcastGradientArgs(s0=tf.shape(like), s1=tf.shape(value))
    return tf.reshape(tf.reduce_sum(value, axes), tf.shape(like))


@_gradient("select")
def _select(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    condition, a, b = x[:3]
    zero = tf.zeros_like(dy[0])
    parts = tf.where(condition, dy[0], zero), tf.where(condition, zero, dy[0])
    return [None, _summed_to(parts[0], a), _summed_to(parts[1], b)]


@_gradient("add_n")
def _add_n(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [dy[0]] * len(x)


@_gradient("softplus")
def _softplus(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [dy[0] * tf.sigmoid(x[0])]


@_gradient("erf")
def _erf(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [dy[0] * 2.0 / math.sqrt(math.pi) * tf.exp(-tf.square(x[0]))]


@_gradient("erfc")
def _erfc(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [-found for found in _erf(dy, x, y, attrs)]


@_gradient("gelu")
def _gelu(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    v = x[0]
    if attrs["approximate"]:
        factor = math.sqrt(2.0 / math.pi)
        t = tf.tanh(factor * (v + 0.044715 * v * v * v))
        inner = factor * (1.0 + 3.0 * 0.044715 * v * v)
        return [dy[0] * 0.5 * (1.0 + t + v * (1.0 - t * t) * inner)]
    density = tf.exp(-0.5 * tf.square(v)) / math.sqrt(2.0 * math.pi)
    return [dy[0] * (0.5 * (1.0 + tf.math.erf(v / math.sqrt(2.0))) + v * density)]


@_gradient("elu")
def _elu(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [tf.raw_ops.EluGrad(gradients=dy[0], outputs=y[0])]


@_gradient("selu")
def _selu(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [tf.raw_ops.SeluGrad(gradients=dy[0], outputs=y[0])]


@_gradient("leaky_relu")
def _leaky_relu(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [tf.raw_ops.LeakyReluGrad(gradients=dy[0], features=x[0], alpha=attrs["alpha"])]


@_gradient("softsign")
def _softsign(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [dy[0] / tf.square(1.0 + tf.abs(x[0]))]


@_gradient("lgamma")
def _lgamma(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [dy[0] * tf.math.digamma(x[0])]


@_gradient("softmax_cross_entropy")
def _softmax_cross_entropy(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    weights = tf.expand_dims(dy[0], -1)
    return [(tf.nn.softmax(x[0]) - x[1]) * weights, -tf.nn.log_softmax(x[0]) * weights]


@_gradient("sparse_softmax_cross_entropy")
def _sparse_softmax_cross_entropy(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    labels = tf.one_hot(x[1], tf.shape(x[0])[-1], dtype=x[0].dtype)
    return [(tf.nn.softmax(x[0]) - labels) * tf.expand_dims(dy[0], -1), None]


@_gradient("gather")
def _gather(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    if attrs["axis"] or attrs["batch_dims"]:
        raise UnimplementedError(
            None,
            None,
            "The gradient of gather along another axis than the first, for unknown shapes, cannot be "
            "exported. Trace the function with known shapes.",
        )
    sizes = tf.shape(x[0])
    rows = tf.reshape(dy[0], tf.concat([[-1], sizes[1:]], 0))
    return [tf.math.unsorted_segment_sum(rows, tf.reshape(x[1], [-1]), sizes[0]), None]


@_gradient("gather_nd")
def _gather_nd(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [tf.scatter_nd(x[1], dy[0], tf.shape(x[0], x[1].dtype)), None]


@_gradient("unsorted_segment_sum", "segment_sum")
def _segment_sum(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [tf.gather(dy[0], x[1]), None]


@_gradient("pad")
def _pad(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    before = tf.constant(attrs["paddings"][::2])
    if attrs["mode"] == "CONSTANT":
        return [tf.slice(dy[0], before, tf.shape(x[0]))]
    paddings = tf.reshape(tf.constant(attrs["paddings"]), [-1, 2])
    return [tf.raw_ops.MirrorPadGrad(input=dy[0], paddings=paddings, mode=attrs["mode"])]


@_gradient("tile")
def _tile(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    multiples = attrs["multiples"]
    sizes = tf.stack([tf.constant(multiples), tf.shape(x[0])], 1)
    parts = tf.reshape(dy[0], tf.reshape(sizes, [-1]))
    return [tf.reduce_sum(parts, list(range(0, 2 * len(multiples), 2)))]


@_gradient("cumsum")
def _cumsum(dy: Any, x: Any, y: Any, attrs: Any) -> list[Any]:
    return [tf.cumsum(dy[0], attrs["axis"], attrs["exclusive"], not attrs["reverse"])]
