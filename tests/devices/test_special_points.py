"""Derivatives at zeros, ties and repeated indices in compiled programs, and norms of extreme values."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core
from eagerflow.framework import plugins
from gradient_cases.special_points import CASES
from gradient_check import dense, gradient_of, output_weights

pytestmark = pytest.mark.skipif(
    not any("cpu" in p.name for p in plugins.installed()) or not _core.pjrt.built_in(),
    reason="needs the package xla-cpu-pjrt",
)
# Singular vectors, and those of large matrices, are computed on the host.
ON_HOST = {"norm 2 of matrices", "det-rank 6-7x7", "det-rank 5-7x7"}
# One case of each label: a program takes some 100 ms.
COMPILED = [
    case
    for case in CASES
    if not {case.name, str(case)} & ON_HOST
    and "one zero 1" not in case.label
    and "-1 " not in case.label
    and case.inputs[0].dtype.kind == "f"
]


@pytest.mark.parametrize("case", COMPILED, ids=str)
def test_programs_have_the_derivatives_of_eager_calls(case):
    weights = [tf.constant(weight) for weight in output_weights(case)]
    tensors = [tf.constant(array) for array in case.inputs]

    def derivatives(*tensors):
        found = gradient_of(case, list(tensors), weights)
        return [0.0 if g is None else tf.convert_to_tensor(g) for g in found]

    compiled = tf.function(derivatives, jit_compile=True)
    for i, found, expected in zip(
        case.varied, compiled(*tensors), gradient_of(case, tensors, weights), strict=True
    ):
        expected = dense(expected, case.inputs[i])
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("size", ["one", "large", "small", "zero"])
def test_norms(dtype, size):
    largest = float(tf.as_dtype(dtype).max)
    factor = {"one": 1.0, "large": largest / 8, "small": 100 / largest, "zero": 0.0}[size]
    x = tf.constant(np.array([[3.0, -4.0], [0.0, 5.0]]) * factor, dtype)

    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            norm = tf.norm(x, axis=1)
        parts = tf.clip_by_global_norm([x[0], x[1]], 1.0)[0]
        return norm, tape.gradient(norm, x), tf.clip_by_norm(x, 1.0, axes=[1]), *parts

    for found, expected in zip(tf.function(f, jit_compile=True)(x), f(x), strict=True):
        found, expected = (tf.cast(t, tf.float64).numpy() for t in (found, expected))
        np.testing.assert_allclose(found, expected, rtol=2e-2 if "16" in dtype else 1e-6)
