"""Control flow as functions."""

import functools

import numpy as np
import pytest

import eagerflow as tf


def test_cond_calls_one_branch():
    assert tf.cond(tf.constant(True), lambda: 1, lambda: 1 / 0) == 1
    with pytest.raises(TypeError, match="'false_fn' must be callable"):
        tf.cond(True, lambda: 1)


def test_case_calls_the_first_true_branch():
    yes, no = tf.constant(True), tf.constant(False)
    branches = [(no, lambda: 1), (yes, lambda: 2), (yes, lambda: 3)]
    assert tf.case(branches) == 2 and tf.case(branches[:1], default=lambda: 9) == 9
    with pytest.raises(tf.errors.InvalidArgumentError, match="More than one"):
        tf.case(branches, exclusive=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match="None of the conditions"):
        tf.case(branches[:1])


def test_switch_case():
    branches = [lambda: "a", lambda: "b"]
    assert [tf.switch_case(tf.constant(k), branches) for k in (0, 1, 7)] == ["a", "b", "b"]
    assert tf.switch_case(tf.constant(0), {1: lambda: "d", 0: lambda: "c"}) == "c"
    assert tf.switch_case(tf.constant(5), [(0, lambda: "c")], default=lambda: "d") == "d"
    with pytest.raises(ValueError, match="contiguous"):
        tf.switch_case(tf.constant(3), {3: lambda: "c"})


def test_while_loop():
    i, total = tf.while_loop(lambda i, t: i < 4, lambda i, t: (i + 1, t + i), (tf.constant(0), 0))
    assert int(i) == 4 and int(total) == 6 and tf.is_tensor(total)
    (i,) = tf.while_loop(lambda i: True, lambda i: [i + 1], [tf.constant(0)], maximum_iterations=3)
    assert int(i) == 3
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.while_loop(lambda y: y < 10.0, lambda y: [y * x], [x])[0]
    assert float(tape.gradient(y, x)) == 4 * 8.0


def test_map_fn():
    elems = {"a": tf.constant([1, 2]), "b": tf.constant([10, 20])}
    result = tf.map_fn(lambda e: e["a"] + e["b"], elems, fn_output_signature=tf.int32)
    assert result.numpy().tolist() == [11, 22]
    pair = tf.vectorized_map(lambda x: (x, x * 2), tf.constant([1, 2]))
    assert [part.numpy().tolist() for part in pair] == [[1, 2], [2, 4]]
    with pytest.raises(ValueError, match="first sizes of elems differ"):
        tf.map_fn(lambda e: e[0], (tf.ones([2]), tf.ones([3])))
    with pytest.raises(TypeError, match="not callable"):
        tf.map_fn(3, tf.ones([2]))


def test_what_graphs_need():
    assert tf.no_op() is None and tf.group(tf.constant(1)) is None
    assert len(tf.tuple([tf.constant(1), tf.constant(2)])) == 2
    with tf.control_dependencies([tf.constant(1)]):
        assert int(tf.identity(5)) == 5


def test_mapped_functions_are_converted_and_give_numpys_types():
    def larger(x, bound):
        if tf.reduce_sum(x) > bound:
            return x
        return -x

    @tf.function
    def mapped(x):
        return tf.map_fn(functools.partial(larger, bound=1.0), x)

    assert mapped(tf.constant([[1.0, 2.0], [0.0, 0.5]])).numpy().tolist() == [[1, 2], [0, -0.5]]
    doubled = tf.map_fn(
        lambda x: tf.cast(x, tf.float64) * 2, tf.constant([1, 2]), fn_output_signature=np.float64
    )
    assert doubled.dtype is tf.float64 and doubled.numpy().tolist() == [2, 4]
