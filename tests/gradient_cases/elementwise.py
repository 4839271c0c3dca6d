"""Elementwise operations: one smooth region or several each, broadcasting, complex numbers."""

from __future__ import annotations

import numpy as np

from elementwise_intervals import SMOOTH
from elementwise_intervals import UNARY as INTERVALS
from gradient_cases import call
from gradient_check import Case, spread, spread_complex

# The intervals in which an entry is smooth: those in which TensorFlow is asked, or others.
UNARY = {name.rpartition(".")[2]: [INTERVALS[name]] for name in SMOOTH} | {
    "abs": [(-2, -0.1), (0.1, 2)],
    "acos": [(-0.8, 0.8)],
    "acosh": [(1.3, 3)],
    "asin": [(-0.8, 0.8)],
    "asinh": [(-3, 3)],
    "atanh": [(-0.8, 0.8)],
    "digamma": [(0.5, 4), (-1.8, -1.2)],
    "elu": [(-2, -0.1), (0.1, 2)],
    "erfc": [(-2, 2)],
    "erfinv": [(-0.8, 0.8)],
    "identity": [(-2, 2)],
    "leaky_relu": [(-2, -0.1), (0.1, 2)],
    "lgamma": [(0.5, 4), (-1.8, -1.2)],
    "log": [(0.3, 3)],
    "log1p": [(-0.7, 3)],
    "reciprocal": [(0.4, 2), (-2, -0.4)],
    "relu": [(0.1, 2), (-2, 6)],
    "relu6": [(0.1, 5.9), (-2, 8)],
    "rsqrt": [(0.4, 3)],
    "selu": [(-2, -0.1), (0.1, 2)],
    "softplus": [(-4, 4), (20, 40), (-40, -20)],
    "softsign": [(-2, -0.1), (0.1, 2)],
    "sqrt": [(0.4, 3)],
    "tan": [(-1.2, 1.2)],
}
UNARY |= {f"bessel_{kind}": [(0.4, 3)] for kind in "k0 k0e k1 k1e y0 y1".split()}
UNARY |= {f"bessel_{kind}": [(0.4, 3), (-3, -0.4)] for kind in "i0 i0e i1 i1e j0 j1".split()}
UNARY |= {name: [(-2, 2)] for name in "dawsn fresnel_cos fresnel_sin".split()}
UNARY |= {"expint": [(0.4, 3)], "ndtri": [(0.2, 0.8)], "spence": [(0.2, 0.8), (1.5, 4)]}
# Those whose derivatives at complex numbers TensorFlow has.
COMPLEX_UNARY = {
    "abs": (0.4, 2),
    "acos": (0.2, 0.9),
    "acosh": (0.2, 0.9),
    "angle": (0.3, 2),
    "asin": (0.2, 0.9),
    "asinh": (0.2, 0.9),
    "atan": (0.2, 0.7),
    "atanh": (0.2, 0.7),
    "conj": (-2, 2),
    "cos": (-1, 1),
    "cosh": (-1, 1),
    "exp": (-1, 1),
    "expm1": (-1, 1),
    "identity": (-2, 2),
    "imag": (-2, 2),
    "log": (0.3, 2),
    "log1p": (0.3, 2),
    "negative": (-2, 2),
    "real": (-2, 2),
    "reciprocal": (0.4, 2),
    "rsqrt": (0.4, 2),
    "sigmoid": (-1, 1),
    "sin": (-1, 1),
    "sinh": (-1, 1),
    "sqrt": (0.4, 2),
    "square": (-2, 2),
    "tan": (-0.7, 0.7),
    "tanh": (-0.7, 0.7),
}
# name: intervals of both arguments.
BINARY = {
    "add": ((-2, 2), (-2, 2)),
    "atan2": ((-2, 2), (0.3, 2)),
    "divide_no_nan": ((-2, 2), (0.4, 2)),
    "hypot": ((-2, 2), (0.3, 2)),
    "divide_real": ((-2, 2), (0.4, 2)),
    "maximum": ((-2, 2), (-1.91, 2.07)),
    "minimum": ((-2, 2), (-1.91, 2.07)),
    "multiply": ((-2, 2), (-2, 2)),
    "multiply_no_nan": ((-2, 2), (-2, 2)),
    "pow": ((0.4, 2), (-2, 2)),
    "squared_difference": ((-2, 2), (-1.9, 2.3)),
    "subtract": ((-2, 2), (-2, 2)),
    "xdivy": ((0.4, 2), (0.4, 2)),
    "xlog1py": ((0.4, 2), (0.4, 2)),
    "xlogy": ((0.4, 2), (0.4, 2)),
}
# TensorFlow's gradients of squared_difference, xdivy, xlogy and xlog1py leave conjugates out: ours
# follow them there, and are compared with recorded ones only.
COMPLEX_BINARY = ["add", "divide_no_nan", "divide_real", "multiply", "pow", "subtract"]
SHAPES = [
    ((3, 2), (3, 2)),
    ((3, 2), (2,)),
    ((2,), (3, 2)),
    ((), (2, 2)),
    ((2, 2), ()),
    ((2, 1), (1, 3)),
    ((2, 1, 2), (3, 1)),
    ((1,), ()),
    ((0, 2), (2,)),
]
# name: the position of the output gradient among the arguments, and intervals of the other.
STORED = {
    "elu_grad": (0, [(-0.9, -0.1), (0.1, 2)]),
    "gelu_grad": (0, [(-3, 3)]),
    "leaky_relu_grad": (0, [(-2, -0.1), (0.1, 2)]),
    "reciprocal_grad": (1, [(0.4, 2)]),
    "relu6_grad": (0, [(0.1, 5.9), (-2, 8)]),
    "relu_grad": (0, [(0.1, 2), (-2, 2)]),
    "rsqrt_grad": (1, [(0.4, 2)]),
    "selu_grad": (0, [(-1.6, -0.1), (0.1, 2)]),
    "sigmoid_grad": (1, [(0.1, 0.9)]),
    "softplus_grad": (0, [(-4, 4)]),
    "softsign_grad": (0, [(-2, -0.1), (0.1, 2)]),
    "sqrt_grad": (1, [(0.4, 2)]),
    "tanh_grad": (1, [(-0.9, 0.9)]),
}


def unary_cases() -> list[Case]:
    cases = [
        call(name, spread(shape, *interval))
        for name, intervals in UNARY.items()
        for interval in intervals
        for shape in ((2, 4), (), (0,))
    ]
    cases += [
        call(name, spread_complex(shape, *interval))
        for name, interval in COMPLEX_UNARY.items()
        for shape in ((2, 2), ())
    ]
    for name in ("real", "conj"):
        cases.append(call(name, spread(4)))
    cases.append(call("imag", spread(4), flat=True))
    cases.append(call("sign", spread(4), flat=True))
    cases.append(call("gelu", spread((2, 4), -3, 3), approximate=True))
    cases.append(call("leaky_relu", spread((2, 4)), alpha=0.4))
    cases.append(call("leaky_relu", spread((2, 4)), alpha=1.5))
    cases.append(call("cast", spread(4), dtype="complex128"))
    cases.append(call("cast", spread_complex(4), dtype="float64"))
    cases.append(call("cast", spread(4), dtype="float64"))
    return cases


def binary_cases() -> list[Case]:
    cases = [
        call(name, spread(first, *left, seed=1), spread(second, *right, seed=2))
        for name, (left, right) in BINARY.items()
        for first, second in SHAPES
    ]
    cases += [
        call(name, spread_complex(first, 0.4, 2), spread_complex(second, 0.5, 1.6, seed=3))
        for name in COMPLEX_BINARY
        for first, second in SHAPES[:4]
    ]
    cases += [call("complex", spread(first), spread(second, seed=3)) for first, second in SHAPES]
    cases += [
        call("floormod", spread((3, 2), 4.1, 4.9), spread(shape, 1.3, 1.31)) for shape in ((2,), ())
    ]
    cases += [
        call("floormod", spread((2,), -4.9, -4.1), spread((3, 2), 1.3, 1.31)),
        call("divide_no_nan", [1.0, 2.0], [0.5, 0.0], wrt=[0]),
        call("multiply_no_nan", [1.0, 2.0], [0.5, 0.0], wrt=[0]),
        call("xlogy", [0.0, 2.0], [0.5, 1.5], wrt=[1]),
        call("pow", [-1.5, 2.0, -0.5], [2.0, 3.0, 1.0], wrt=[0]),
        call("pow", [0.0, 2.0], [2.0, 3.0], wrt=[0]),
        call("polygamma", [1.0, 2.0, 3.0], spread(3, 0.8, 3), wrt=[1]),
        call("polygamma", 1.0, spread((2, 2), 0.8, 3), wrt=[1]),
        call("zeta", [2.0, 3.0, 1.5], spread((2, 3), 0.8, 3), wrt=[1]),
        call("igamma", spread((2, 3), 0.5, 9), spread(3, 0.4, 9), wrt=[1]),
        call("igammac", spread((2, 3), 0.5, 9), spread(3, 0.4, 9), wrt=[1]),
        call("igamma_grad_a", spread((2, 3), 0.5, 9), spread(3, 0.4, 9), wrt=[1]),
        call("betainc", spread(4, 0.5, 3), 1.5, spread(4, 0.2, 0.8), wrt=[2]),
    ]
    return cases


def choice_cases() -> list[Case]:
    condition = np.array([[True, False, True], [False, False, True]])
    return [
        call("select", condition, spread((2, 3)), spread((2, 3), seed=1)),
        call("select", condition[0], spread((2, 3)), spread((2, 1), seed=1)),
        call("select", condition, spread(()), spread((3,), seed=1)),
        call("select", True, spread((2,)), spread((1,), seed=1)),
        call("select", condition, spread_complex((2, 3)), spread_complex((3,), seed=1)),
        call("clip_by_value", spread((2, 4)), -1.0, 1.0),
        call("clip_by_value", spread((2, 4)), -1.0, 1.0, wrt=[0]),
        call("clip_by_value", spread((2, 4)), spread((4,), -1.6, -0.6), spread((2, 1), 0.6, 1.6)),
        call("clip_by_value", spread((2, 2)), -5.0, 5.0),
    ]


def stored_cases() -> list[Case]:
    """Operations that stand for gradients: their second derivatives are third ones."""
    cases = []
    for name, (position, intervals) in STORED.items():
        for interval in intervals:
            inputs = [spread((2, 3), *interval), spread((2, 3), *interval)]
            inputs[position] = spread((2, 3), seed=5)
            cases.append(call(name, *inputs))
    cases.append(call("gelu_grad", spread(4, seed=5), spread(4, -3, 3), approximate=True))
    cases.append(call("leaky_relu_grad", spread(4, seed=5), spread(4), alpha=0.4))
    for name in ("sqrt_grad", "rsqrt_grad", "reciprocal_grad", "tanh_grad", "sigmoid_grad"):
        cases.append(call(name, spread_complex(3, 0.4, 2), spread_complex(3, seed=5)))
    return cases


CASES = [*unary_cases(), *binary_cases(), *choice_cases(), *stored_cases()]
