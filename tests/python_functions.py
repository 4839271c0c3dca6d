"""Functions of pipelines that run in Python for every element."""

import functools

import eagerflow as tf


def as_python(function, dtype=tf.int64):
    """A pipeline function that calls another with scalars that have values, and returns a scalar.

    Args:
        function: called with tensors that have values.
        dtype: of its result.
    """

    @functools.wraps(function)
    def call(*parts):
        return tf.ensure_shape(tf.py_function(function, parts, dtype), [])

    return tf.autograph.experimental.do_not_convert(call)
