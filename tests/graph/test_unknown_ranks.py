"""Operations of a graph whose integers are placeholders without a shape."""

from __future__ import annotations

import numpy as np
import pytest

import eagerflow as tf

v1 = tf.compat.v1

VALUE = np.arange(12.0, dtype=np.float32).reshape(3, 4)
CASES = {
    "an index": (lambda p, a: p[a], 1),
    "a slice's start": (lambda p, a: p[a:], 1),
    "a slice's step": (lambda p, a: p[::a], 2),
    "the second index": (lambda p, a: p[0, a], 2),
    "the first of two": (lambda p, a: p[a, 1:], 2),
    "two indices": (lambda p, a: p[a, a], 1),
    "after a slice": (lambda p, a: p[:, a], 1),
    "after all others": (lambda p, a: p[..., a], 3),
    "before a new axis": (lambda p, a: p[a, None], 1),
    "a slice's end": (lambda p, a: p[1:a, :a], 2),
    "slice": (lambda p, a: tf.slice(p, a, [1, 1]), [0, 1]),
    "strided_slice": (lambda p, a: tf.strided_slice(p, a, [2, 2]), [0, 0]),
    "gather": (lambda p, a: tf.gather(p, a), 1),
    "reshape": (lambda p, a: tf.reshape(p, a), [4, 3]),
    "tile": (lambda p, a: tf.tile(p, a), [1, 2]),
    "broadcast_to": (lambda p, a: tf.broadcast_to(p, a), [2, 3, 4]),
    "transpose": (lambda p, a: tf.transpose(p, a), [1, 0]),
    "pad": (lambda p, a: tf.pad(p, a), [[1, 1], [0, 0]]),
    "reverse": (lambda p, a: tf.reverse(p, a), [0]),
    "roll": (lambda p, a: tf.roll(p, a, 0), 1),
    "roll by two": (lambda p, a: tf.roll(p, a, [0, 1]), [1, 2]),
    "expand_dims": (lambda p, a: tf.expand_dims(p, a), 0),
    "concat": (lambda p, a: tf.concat([p, p], a), 0),
    "split": (lambda p, a: tf.split(p, 2, a)[0], 1),
    "reduce_sum": (lambda p, a: tf.reduce_sum(p, a), 0),
    "argmax": (lambda p, a: tf.argmax(p, a), 1),
    "cumsum": (lambda p, a: tf.cumsum(p, a), 1),
    "top_k": (lambda p, a: tf.nn.top_k(p, a)[0], 2),
    "one_hot": (lambda p, a: tf.one_hot([0, 1], a), 3),
    "range": (lambda p, a: tf.range(a), 3),
    "linspace": (lambda p, a: tf.linspace(0.0, 1.0, a), 3),
    "eye": (lambda p, a: tf.eye(a), 2),
    "fill": (lambda p, a: tf.fill(a, 1.0), [2, 2]),
    "zeros": (lambda p, a: tf.zeros(a), [2]),
    "sequence_mask": (lambda p, a: tf.sequence_mask([1, 2], a), 3),
    "cond": (lambda p, a: tf.cond(a > 0, lambda: p, lambda: -p), 1),
    "while_loop": (lambda p, a: tf.while_loop(lambda i: i < a, lambda i: [i + 1], [0]), 3),
}


@pytest.mark.parametrize("shape", [None, "of the value"])
@pytest.mark.parametrize("name", CASES)
def test_as_with_values(name, shape):
    function, integers = CASES[name]
    expected = function(tf.constant(VALUE), tf.constant(integers))
    with tf.Graph().as_default(), v1.Session() as session:
        p = v1.placeholder(tf.float32, VALUE.shape)
        a = v1.placeholder(tf.int32, shape and np.shape(integers))
        found = session.run(function(p, a), {p: VALUE, a: integers})
    for one, other in zip(tf.nest.flatten(found), tf.nest.flatten(expected), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tf.nn.softmax(x, 0),
        lambda x: tf.nn.log_softmax(x, -2),
        tf.signal.fftshift,
        lambda x: tf.compat.v1.where(x[:, 0] > 1, x, -x),
        lambda x: tf.raw_ops.Select(condition=x[:, 0] > 1, x=x, y=-x),
        lambda x: tf.nn.embedding_lookup_sparse(x, tf.sparse.eye(3, dtype=tf.int64), None, "mean"),
    ],
)
def test_values_of_unknown_rank(function):
    """What eager calls answer, and its gradient."""
    traced = tf.function(function, input_signature=[tf.TensorSpec(None, tf.float32)])
    x = tf.constant(VALUE)
    answers = []
    for run in (function, traced):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(run(x) ** 2)
        answers.append((y, tf.convert_to_tensor(tape.gradient(y, x))))
    for one, other in zip(*answers, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)
