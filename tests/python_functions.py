"""Functions of pipelines that run as Python for every element."""

import functools

import eagerflow as tf


def as_python(function, dtype=tf.int64):
    """A function of pipelines that calls another with the values of scalars, and returns a scalar.

    Args:
        function: called with tensors that have values.
        dtype: of its result.
    """

    @functools.wraps(function)
    def call(*parts):
        return tf.ensure_shape(tf.py_function(function, parts, dtype), [])

    return tf.autograph.experimental.do_not_convert(call)
