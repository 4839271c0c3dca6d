"""Gradients of operations in exported graphs, whatever sizes are known.

TensorFlow finds the gradient of a function by itself, where each of the function's operations has a
gradient in its C++ library. Those of other operations are written here, by operations whose sizes are
tensors.
"""

from __future__ import annotations

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
    Abs Acos Acosh Add AddN AddV2 Asin Asinh Atan Atan2 Atanh AvgPool BatchMatMul BatchMatMulV2 BiasAdd
    BroadcastTo Cast Ceil Complex ComplexAbs Concat ConcatV2 Conj ConjugateTranspose Const Conv2D Cos Cosh
    Digamma Div DivNoNan Equal Erf Erfinv Exp ExpandDims Expm1 Fill Floor FloorDiv Greater GreaterEqual
    Identity Imag Inv Less LessEqual Lgamma Log Log1p LogSoftmax LogicalAnd LogicalNot LogicalOr MatMul Max
    MaxPool Maximum Mean Min Minimum Mul MulNoNan Ndtri Neg NoOp NotEqual OnesLike Pack Pow Range Rank
    RealDiv Real Reciprocal Relu Relu6 Reshape ReverseV2 Round Rsqrt Select Shape ShapeN Sigmoid Sign Sin
    Sinh Size Slice Softmax Softplus Split SplitV Sqrt Square SquaredDifference Squeeze StridedSlice Sub
    Sum Tan Tanh Transpose Unpack Xdivy Xlog1py Xlogy ZerosLike
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
