"""Points of Sobol sequences whose sizes are known, or tensors of a graph."""

import numpy as np
import pytest

import eagerflow as tf

pytest.importorskip("scipy")

SCALAR = tf.TensorSpec([], tf.int32)
# Of what a graph gets as a tensor, the shape that it knows of the points.
UNKNOWN = {
    "num_results": (lambda n: tf.math.sobol_sample(2, n), (None, 2), (2, 3, 0)),
    "dim": (lambda n: tf.math.sobol_sample(n, 2), (2, None), (3, 2, 0)),
    "skip": (lambda n: tf.math.sobol_sample(2, 2, skip=n), (2, 2), (2, 2, 3)),
    "all": (
        lambda n: tf.raw_ops.SobolSample(dim=n, num_results=n, skip=n, dtype=tf.float64),
        (None, None),
        (3, 3, 3),
    ),
    "none": (lambda n: tf.math.sobol_sample(tf.constant(2), tf.constant(3)), (3, 2), (2, 3, 0)),
}


@pytest.mark.parametrize("kind", UNKNOWN)
def test_sizes_may_be_tensors_of_a_graph(kind):
    call, shape, sizes = UNKNOWN[kind]
    concrete = tf.function(call, autograph=False).get_concrete_function(SCALAR)
    assert concrete.structured_outputs.shape.as_list() == list(shape)
    points = concrete(tf.constant(3))
    expected = tf.math.sobol_sample(*sizes, dtype=points.dtype)
    np.testing.assert_array_equal(points, expected)


def test_sizes_of_a_graph_are_checked_when_it_runs():
    call = tf.function(lambda n: tf.math.sobol_sample(2, n), autograph=False)
    with pytest.raises(tf.errors.InvalidArgumentError, match="num_results must be at least one"):
        call(tf.constant(0))
