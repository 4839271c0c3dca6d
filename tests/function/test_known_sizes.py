"""Shapes that functions infer from sizes of which some are unknown, however programs take them apart."""

import pytest

import eagerflow as tf

# The sizes of a tensor [None, 6, 8], as three scalars.
SPELLINGS = {
    "indexed": lambda x: [tf.shape(x)[0], tf.shape(x)[1], tf.shape(x)[2]],
    "unstacked": lambda x: tf.unstack(tf.shape(x)),
    "split": lambda x: [part[0] for part in tf.split(tf.shape(x), 3)],
    "unevenly split": lambda x: [tf.shape(x)[0], *tf.unstack(tf.split(tf.shape(x), [1, 2])[1])],
    "rows": lambda x: [row[0] for row in tf.unstack(tf.reshape(tf.shape(x), [3, 1]))],
    "gathered": lambda x: [tf.gather(tf.shape(x), k) for k in range(3)],
    "of 64 bits": lambda x: tf.unstack(tf.cast(tf.shape(x, tf.int64), tf.int32)),
}
USES = {
    "tile": (lambda x, b, m, n: tf.tile(tf.ones([3, 1, 1]), [1, 1, n]), [3, 1, 8]),
    "reshape": (lambda x, b, m, n: tf.reshape(x, (b, m * 2, n // 2)), [None, 12, 4]),
    "zeros": (lambda x, b, m, n: tf.zeros([b, n, m - 1]), [None, 8, 5]),
    "broadcast": (lambda x, b, m, n: tf.broadcast_to(1.0, [n, tf.maximum(m, n)]), [8, 8]),
    "range": (lambda x, b, m, n: tf.range(n), [8]),
    "one_hot": (lambda x, b, m, n: tf.one_hot([1], n), [1, 8]),
    "slice": (lambda x, b, m, n: x[:, : m - 1, n // 2 :], [None, 5, 4]),
    "resize": (lambda x, b, m, n: tf.image.resize(tf.ones([1, 4, 4, 1]), [m, n]), [1, 6, 8, 1]),
    "eye": (lambda x, b, m, n: tf.eye(m, n), [6, 8]),
    "normal": (lambda x, b, m, n: tf.random.normal([b, m]), [None, 6]),
    "top_k": (lambda x, b, m, n: tf.math.top_k(x, n // 4)[0], [None, 6, 2]),
    "pad": (lambda x, b, m, n: tf.pad(tf.ones([2]), [[n, m]]), [16]),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_shapes_of_results(spelling, use):
    function, shape = USES[use]

    @tf.function(input_signature=[tf.TensorSpec([None, 6, 8])])
    def traced(x):
        result = function(x, *SPELLINGS[spelling](x))
        assert result.shape.as_list() == shape
        return result

    result = traced(tf.ones([2, 6, 8]))
    assert result.shape.as_list() == [2 if size is None else size for size in shape]


def test_parts_of_unknown_length_know_nothing():
    @tf.function(input_signature=[tf.TensorSpec([None, 6, 8]), tf.TensorSpec([], tf.int32)])
    def traced(x, count):
        first, second = tf.split(tf.shape(x), [count, 3 - count])
        return tf.zeros(first), tf.zeros(second)

    first, second = traced(tf.ones([2, 6, 8]), 1)
    assert (first.shape, second.shape) == ([2], [6, 8])
