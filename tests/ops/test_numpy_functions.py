"""What Python functions that are nodes of graphs are called with, and what they may return."""

import numpy as np
import pytest

import eagerflow as tf

VALUES = [b"a\0", np.float32(1.5), True, np.array([b"a"], object), np.ones([1, 2])]
KINDS = ["bytes", "float32", "bool", "ndarray", "ndarray"]


def told(seen):
    def function(*arguments):
        seen[:] = arguments
        return 2.0

    return function


def in_function(function):
    return tf.function(lambda: tf.numpy_function(function, VALUES, tf.float64))()


def in_a_pipeline(function):
    data = tf.data.Dataset.from_tensors(tuple(VALUES))
    return next(iter(data.map(lambda *v: tf.numpy_function(function, v, tf.float64))))


def in_a_session(function):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        return session.run(tf.compat.v1.py_func(function, VALUES, tf.float64))


@pytest.mark.parametrize("run", [in_function, in_a_pipeline, in_a_session])
def test_scalars_are_those_of_numpy(run):
    seen = []
    # A number of Python has NumPy's dtype, and fits.
    assert run(told(seen)) == 2.0
    assert [type(value).__name__.rstrip("_") for value in seen] == KINDS
    assert seen[0] == b"a\0"


def test_eagerly_all_are_arrays():
    seen = []
    tf.numpy_function(told(seen), VALUES[1:], tf.float64)
    assert {type(value) for value in seen} == {np.ndarray}


@pytest.mark.parametrize("make", [tf.compat.v1.py_func, tf.compat.v1.py_function])
def test_errors_and_no_results_in_sessions(make):
    def fail(x):
        raise KeyError("gone")

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        with pytest.raises(tf.errors.UnknownError, match="KeyError: 'gone'"):
            session.run(make(fail, [1.0], tf.float32))
        called = []
        effect = make(lambda: called.append(1), [], [])
        assert session.run(effect) is None and called == [1]


def test_a_list_of_one_result():
    ones = np.ones([3], np.float32)
    found = tf.function(lambda: tf.numpy_function(lambda x: x * 2, [ones], [tf.float32]))()
    assert [value.numpy().tolist() for value in found] == [[2.0] * 3]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        (found,) = tf.compat.v1.py_func(lambda x: x * 2, [ones], [tf.float32])
        assert session.run(found).tolist() == [2.0] * 3
