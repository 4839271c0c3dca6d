"""Derivatives of every operation in traced functions of unknown sizes, called by each other."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.functions.function import function
from gradient_cases.arrays import CASES as ARRAYS
from gradient_cases.composed import CASES as COMPOSED
from gradient_cases.elementwise import CASES as ELEMENTWISE
from gradient_cases.nn import CASES as NN
from gradient_cases.special_points import CASES as SPECIAL

# They need the number of slices during tracing, as in TensorFlow.
SLICED = {"unstack", "map_fn"}
CASES = [
    case for case in [*ARRAYS, *ELEMENTWISE, *NN, *COMPOSED, *SPECIAL] if case.name not in SLICED
]


def first(case, f, tensors):
    sources = [tensors[i] for i in case.varied]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        outputs = [y for y in tf.nest.flatten(f(*tensors)) if y.dtype.is_floating]
    return tape.gradient(outputs, sources, unconnected_gradients="zero")


def second(case, f, tensors):
    sources = [tensors[i] for i in case.varied]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        # Nonlinear, so that the result depends on all that the first gradient depends on.
        gradients = [tf.sin(tf.convert_to_tensor(g)) for g in first(case, f, tensors)]
    return tape.gradient(gradients, sources, unconnected_gradients="zero")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_traced_functions_have_the_derivatives_of_eager_ones(case):
    tensors = [tf.constant(value) for value in case.inputs]
    signature = [tf.TensorSpec([None] * len(t.shape), t.dtype) for t in tensors]
    called = function(lambda *args: case.function(*args), input_signature=signature)
    derive = second if case.second else first
    expected = derive(case, case.function, tensors)
    whole = function(lambda *args: derive(case, called, args), input_signature=signature)
    for result, value in zip(whole(*tensors), expected, strict=True):
        result, value = (tf.convert_to_tensor(t).numpy() for t in (result, value))
        np.testing.assert_allclose(result, value, rtol=1e-6, atol=1e-9)
