"""Derivatives of every operation by inputs without elements, forward and backward."""

import numpy as np
import pytest

import eagerflow as tf
from gradient_cases.arrays import CASES as ARRAYS
from gradient_cases.composed import CASES as COMPOSED
from gradient_cases.elementwise import CASES as ELEMENTWISE
from gradient_cases.nn import CASES as NN

# Their gradients have none, which forward mode needs.
WITHOUT = {"lstm", "gru", "simple_rnn"}
CASES = [
    case
    for case in [*ARRAYS, *ELEMENTWISE, *NN, *COMPOSED]
    if not case.flat and case.name not in WITHOUT
]


def emptied(case):
    """The inputs with an axis of no elements: that axis of one of them, or all axes of its size."""
    found = {}
    for k, array in enumerate(case.inputs):
        for axis in range(array.ndim):
            alone = list(case.inputs)
            alone[k] = array.take([], axis)
            size = array.shape[axis]
            together = [
                other[tuple(slice(0 if n == size else n) for n in other.shape)]
                for other in case.inputs
            ]
            aligned = [
                other.take([], axis) if other.ndim > axis and other.shape[axis] == size else other
                for other in case.inputs
            ]
            for arrays in (alone, together, aligned):
                found.setdefault(tuple(other.shape for other in arrays), arrays)
    return found.values()


def answered(case, arrays):
    """The outputs for arrays; None if the operation refuses them."""
    try:
        return case.outputs([tf.constant(array) for array in arrays])
    except (ValueError, TypeError, IndexError, tf.errors.OpError):
        return None


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_is_answered_has_derivatives(case):
    for arrays in emptied(case):
        outputs = answered(case, arrays)
        if outputs is None:
            continue
        tensors = [tf.constant(array) for array in arrays]
        sources = [tensors[i] for i in case.varied]
        tangents = [tf.ones_like(source) for source in sources]
        with tf.autodiff.ForwardAccumulator(sources, tangents) as accumulator:
            outputs = case.outputs(tensors)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(sources)
            again = case.outputs(tensors)
        for output, same in zip(outputs, again, strict=True):
            product = accumulator.jvp(output, unconnected_gradients="zero")
            assert product.shape == output.shape and product.dtype == output.dtype
            gradients = tape.gradient(same, sources, unconnected_gradients="zero")
            for source, gradient in zip(sources, gradients, strict=True):
                assert np.shape(tf.convert_to_tensor(gradient)) == source.shape
