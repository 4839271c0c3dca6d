"""Inputs for gradient checks at zeros, ties, singular matrices and repeated indices.

Finite differences are the answer there, too: a function without a derivative has the same values on
both sides of these points, so that its gradient is 0.
"""

import itertools

import numpy as np

import eagerflow as tf
from eagerflow.ops.norms import scaled_norm
from gradient_check import Case, spread, spread_complex

tnp = tf.experimental.numpy
ONE_ZERO = [2.0, 0.0, 3.0, 4.0]
TWO_ZEROS = [2.0, 0.0, 3.0, 0.0]
ZEROS = {"one zero": ONE_ZERO, "two zeros": TWO_ZEROS, "all zeros": [0.0] * 4, "first": [0.0, 5.0]}


def product_cases():
    cases = []
    for label, row in ZEROS.items():
        rows = np.stack([row, np.ones(len(row)), row[::-1]])
        for exclusive, reverse in itertools.product((False, True), (False, True)):
            for axis in (0, 1, -1):
                cases.append(Case(
                    "cumprod", lambda x, a=axis, e=exclusive, r=reverse: tf.math.cumprod(x, a, e, r),
                    [rows], label=f"{label} {axis} {exclusive} {reverse}", flat=True,
                ))  # fmt: skip
        functions = {
            "reduce_prod": tf.reduce_prod,
            "reduce_prod of rows": lambda x: tf.reduce_prod(x, 1),
            "np.prod": lambda x: tnp.prod(x, 0),
            "np.cumprod": tnp.cumprod,
            "keras cumprod": lambda x: tf.keras.ops.cumprod(x, 1),
            "unsorted_segment_prod": lambda x: tf.math.unsorted_segment_prod(x, [1, 0, 1], 3),
            "left out": lambda x: tf.math.unsorted_segment_prod(x, [1, -1, 1], 2),
            "many ids": lambda x: tf.math.unsorted_segment_prod(
                x, tf.reshape(tf.range(tf.size(x)) % 2, tf.shape(x)), 2
            ),
            "segment_prod": lambda x: tf.math.segment_prod(x, [0, 2, 2]),
        }
        for name, function in functions.items():
            cases.append(Case(name, function, [rows], label=label, flat=True))
    complex_row = np.array([1 + 1j, 0, 2 - 1j])
    cases += [
        Case("cumprod", tf.math.cumprod, [complex_row], label="complex"),
        Case("reduce_prod", tf.reduce_prod, [complex_row], label="complex"),
        Case("segment_prod", lambda x: tf.math.segment_prod(x, [0, 0, 1]), [complex_row],
             label="complex"),
    ]  # fmt: skip
    return cases


def norm_cases():
    zeros = np.zeros((2, 3))
    half = np.array([[0.0, 0.0, 0.0], [1.0, -2.0, 3.0]])
    same = np.array([[2.0, 2.0, 2.0], [1.0, -2.0, 3.0]])
    # Where there is no derivative, there is no second one either.
    kinks = {
        "norm": tf.norm,
        "norm of rows": lambda x: tf.norm(x, axis=1),
        "norm kept": lambda x: tf.norm(x, axis=0, keepdims=True),
        "norm 1": lambda x: tf.norm(x, 1, axis=1),
        "norm 2": lambda x: tf.norm(x, 2, axis=1),
        "norm 3": lambda x: tf.norm(x, 3, axis=1),
        "norm 1.5": lambda x: tf.norm(x, 1.5),
        "norm inf": lambda x: tf.norm(x, np.inf, axis=1),
        "norm of matrices": lambda x: tf.norm(x, "fro", axis=(0, 1)),
        "norm 1 of matrices": lambda x: tf.norm(x, 1, axis=(0, 1)),
        "norm inf of matrices": lambda x: tf.norm(x, np.inf, axis=(0, 1)),
        "norm 2 of matrices": lambda x: tf.norm(x[None] * [[[1.0]], [[2.0]]], 2, axis=(1, 2)),
        "reduce_euclidean_norm": lambda x: tf.math.reduce_euclidean_norm(x, 1),
        "global_norm": lambda x: tf.linalg.global_norm([x, x[0]]),
        "keras norm": lambda x: tf.keras.ops.norm(x, axis=1),
        "hypot": lambda x: tnp.hypot(x, 2 * x),
        "norm of complex": lambda x: tf.math.real(tf.norm(tf.complex(x, x), axis=1)),
    }
    cases = []
    for size in (1e200, 1e-200):
        for options in ({}, {"axis": [1]}, {"axis": [0], "keepdims": True}, {"mean": True}):

            def norms(x, size=size, options=options):
                norm, length, _ = scaled_norm(x * size, **options)
                return [norm / size, length]

            cases.append(Case("scaled_norm", norms, [spread((2, 3))], label=f"{size} {options}"))
    for name, function in kinks.items():
        cases.append(Case(name, function, [zeros], label="zeros", second=False, flat=True))
        if "matrices" not in name:
            cases.append(Case(name, function, [half], label="a row of zeros", second=False))
    deviations = {
        "reduce_std": lambda x: tf.math.reduce_std(x, 1),
        "np.std": lambda x: tnp.std(x, axis=1),
        "keras std": lambda x: tf.keras.ops.std(x, axis=1),
    }
    for name, function in deviations.items():
        cases.append(Case(name, function, [same], label="equal values", second=False))
    smooth = {
        "clip_by_norm": lambda x: tf.clip_by_norm(x, 2.0, axes=[1]),
        "clip_by_global_norm": lambda x: tf.clip_by_global_norm([x], 2.0)[0],
        "l2_normalize": lambda x: tf.math.l2_normalize(x, 1, epsilon=1e-2),
        "normalize": lambda x: tf.keras.ops.normalize(x, epsilon=0.1),
    }
    for name, function in smooth.items():
        cases.append(Case(name, function, [half], label="a row of zeros"))
    return cases


def elementwise_cases():
    near = np.array([0.0, 1e-8, -1e-5, 1e-3, 0.1, 0.318, 0.3184, -0.5, 1.0, 2.5])
    tie = np.array([0.0, 1.5, -2.0])
    return [
        Case("logaddexp", tnp.logaddexp, [tie, tie]),
        Case("logaddexp", tnp.logaddexp, [tie, tie + 1e-7], label="near a tie"),
        Case("logaddexp2", tnp.logaddexp2, [tie, tie]),
        Case("keras logaddexp", tf.keras.ops.logaddexp, [tie, tie]),
        Case("sinc", tnp.sinc, [near]),
        Case("power 0", lambda x: x**0.0, [tie], flat=True),
        Case("power 0", lambda x: tf.pow(x, [0.0, 0.0, 0.0]), [tie], flat=True, label="tensor"),
        Case("power 1", lambda x: x**1.0, [tie]),
        Case("power 2", lambda x: tf.pow(x, 2.0), [tie]),
        Case("np.power", lambda x: tnp.power(x, 0.0), [tie], flat=True),
        Case("complex power 0", lambda x: x**0.0, [np.array([0j, 1 + 1j])], flat=True),
        Case("xlogy", tf.math.xlogy, [np.array([0.0, 0.0, 2.0]), np.array([0.5, 3.0, 1.0])]),
        Case("xlog1py", tf.math.xlog1py, [np.array([0.0, 0.0, 2.0]), np.array([-0.5, 3.0, 1.0])]),
        Case("xdivy", tf.math.xdivy, [np.array([0.0, 0.0, 2.0]), np.array([-0.5, 3.0, 1.0])]),
        Case(
            "igamma",
            lambda x: tf.math.igamma(tf.constant([2.0, 3.5, 2.0], x.dtype), x),
            [np.array([0.3, 0.999, 1.001])],
        ),
        Case(
            "weighted_cross_entropy",
            lambda x: tf.nn.weighted_cross_entropy_with_logits(x * 0 + 0.3, x, 2.0),
            [tie],
        ),
        Case(
            "log_poisson_loss",
            lambda z: tf.nn.log_poisson_loss(z, z * 0 + 0.3, compute_full_loss=True),
            [np.array([0.0, -0.5, 2.0])],
        ),
        Case("atan2", lambda y, x: tf.atan2(1e200 * y, 1e200 * x), [tie + 1, tie + 0.5]),
        Case("spence", tf.math.special.spence, [np.array([1.0, 0.999, 1.2499, 1.2501, 0.7])]),
    ]  # fmt: skip


def matrix_cases():
    singular = np.array([[1.0, 2.0], [2.0, 4.0]])
    rounded = np.arange(1.0, 10.0).reshape(3, 3)
    batch = np.stack([singular, np.zeros((2, 2)), np.eye(2)])
    a, b = spread((7, 7)), spread((7, 7), seed=1)
    cases = [Case("det", tf.linalg.det, [np.zeros((1, 1))])]
    for label, matrix in {"singular": singular, "rounded": rounded, "batch": batch}.items():
        cases.append(Case("det", tf.linalg.det, [matrix], label=label))
    for missing in (1, 2):
        values = np.concatenate([np.linspace(0.8, 1.2, 7 - missing), np.zeros(missing)])
        u, v = np.linalg.qr(a)[0], np.linalg.qr(b)[0]
        cases.append(Case("det", tf.linalg.det, [u * values @ v], label=f"rank {7 - missing}"))
    for missing in (2, 3):
        values = np.array([1.0, 0.9, 1.1, 1.2])
        values[-missing:] = 0
        u, v = np.linalg.qr(a[:4, :4])[0], np.linalg.qr(b[:4, :4])[0]
        cases.append(Case("det", tf.linalg.det, [u * values @ v], label=f"{missing} zeros",
                          flat=True))  # fmt: skip
    row = spread_complex(3)
    cases.append(Case("det", tf.linalg.det, [np.stack([row, 2 * row, spread_complex(3, seed=5)])],
                      label="complex"))  # fmt: skip
    cases.append(Case("det", tf.linalg.det, [spread_complex((3, 3))], label="regular complex"))
    return cases


def index_cases():
    x, updates = spread((4, 2)), spread((3, 2), seed=1)
    twice = [[1], [3], [1]]
    tied = np.array([1.0, 2.0, 3.0])
    return [
        Case("tensor_scatter_nd_update",
             lambda x, u: tf.tensor_scatter_nd_update(x, twice, u), [x, updates]),
        Case("tensor_scatter_nd_update",
             lambda x, u: tf.tensor_scatter_nd_update(x, [[0, 1], [0, 1], [2, 0]], u),
             [x, spread(3)], label="elements"),
        Case("tensor_scatter_nd_update",
             lambda x, u: tf.tensor_scatter_nd_update(x, [[[1], [1]], [[0], [1]]], u),
             [x, spread((2, 2, 2), seed=2)], label="matrix of rows"),
        Case("dynamic_stitch", lambda a, b: tf.dynamic_stitch([[0, 2], [1, 0]], [a, b]),
             [spread((2, 2)), spread((2, 2), seed=1)]),
        Case("dynamic_stitch", lambda a: tf.dynamic_stitch([[2, 2, 0]], [a]), [spread((3, 2))],
             label="one"),
        Case("keras scatter_update",
             lambda x, u: tf.keras.ops.scatter_update(x, twice, u), [x, updates]),
        Case("tensor_scatter_nd_add", lambda x, u: tf.tensor_scatter_nd_add(x, twice, u),
             [x, updates]),
        Case("tensor_scatter_nd_max",
             lambda x, u: tf.tensor_scatter_nd_max(x, [[0], [0], [1]], u), [tied, tied + 0.5]),
    ]  # fmt: skip


CASES = [
    *product_cases(),
    *norm_cases(),
    *elementwise_cases(),
    *matrix_cases(),
    *index_cases(),
]
