"""Reductions and running sums: axes, keepdims, dtypes, empty inputs, ties, gradients."""

import numpy as np

from oracle.inputs import ALL, COMMON, FLOATS, array, gradient, gradient2, resolve, tensor
from oracle.registry import case

SUMS = ("reduce_sum", "reduce_mean", "reduce_prod", "reduce_max", "reduce_min")
LOGICAL = ("reduce_all", "reduce_any")
REDUCTIONS = (*SUMS, "reduce_logsumexp", *LOGICAL)
REAL = (*SUMS, "reduce_logsumexp")
ARG = ("argmax", "argmin")
RUNNING = ("cumsum", "math.cumprod")


def kind(op, dtype="float32"):
    return "bool" if op in LOGICAL else dtype


AXES = {
    "all": None,
    "0": 0,
    "1": 1,
    "-1": -1,
    "-3": -3,
    "0,2": [0, 2],
    "2,0": (2, 0),
    "-1,0": [-1, 0],
    "0,1,2": [0, 1, 2],
    "none": [],
    "array": np.array([1, 2]),
}


@case(op=REDUCTIONS, axis=AXES, keepdims=(False, True))
def reduce(tf, op, axis, keepdims):
    return resolve(tf, op)(tensor(tf, (2, 3, 4), kind(op)), axis=axis, keepdims=keepdims)


@case(op=REDUCTIONS, axis=(0, 2, -1, (0, 4), (1, 3), (0, 2, 4), (2, 3)))
def reduce_5d(tf, op, axis):
    return resolve(tf, op)(tensor(tf, (2, 3, 2, 1, 3), kind(op)), axis=axis)


@case(op=REDUCTIONS, shape=((), (1,), (0,), (0, 3), (3, 0), (2, 0, 3)))
def reduce_shape(tf, op, shape):
    x = tensor(tf, shape, kind(op))
    function = resolve(tf, op)
    results = [function(x), function(x, keepdims=True)]
    return results + ([function(x, axis=0), function(x, axis=-1)] if shape else [])


@case(sweep=True, op=REDUCTIONS, dtype=ALL)
def reduce_dtype(tf, op, dtype):
    x = tensor(tf, (2, 3), dtype, -3, 3)
    function = resolve(tf, op)
    return [function(x), function(x, axis=0), function(x, axis=1)]


@case(op=REAL, axis=("0", "-1", "all", "2,0"), keepdims=(False, True))
def reduce_gradient(tf, op, axis, keepdims):
    def reduce(x):
        return resolve(tf, op)(x, axis=AXES[axis], keepdims=keepdims)

    return gradient(tf, reduce, tensor(tf, (2, 3, 4)))


@case(op=REAL, dtype=("float16", "bfloat16", "float64"))
def reduce_gradient_dtype(tf, op, dtype):
    return gradient(tf, lambda x: resolve(tf, op)(x, axis=1), tensor(tf, (2, 3), dtype))["grads"]


@case(loose=4, op=("reduce_sum", "reduce_mean", "reduce_prod"))
def reduce_gradient_complex(tf, op):
    return gradient(tf, lambda x: resolve(tf, op)(x, axis=1), tensor(tf, (2, 3), "complex64"))


@case(loose=10, op=REAL, axis=("0", "all", "-1,0"))
def reduce_gradient2(tf, op, axis):
    def reduce(x):
        return resolve(tf, op)(x, axis=AXES[axis])

    return gradient2(tf, reduce, tensor(tf, (2, 3, 2), "float64", 0.5, 2))


@case(op=("reduce_max", "reduce_min"))
def extreme_gradient_of_ties(tf, op):
    x = tf.constant([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0], [-1.0, 0.0, -1.0]])
    return [
        gradient(tf, lambda x: resolve(tf, op)(x, axis=1), x),
        gradient(tf, lambda x: resolve(tf, op)(x), x),
    ]


@case
def product_gradient_with_zeros(tf):
    x = tf.constant([[1.0, 0.0, 3.0], [0.0, 0.0, 2.0], [2.0, 4.0, 5.0]])
    return [
        gradient(tf, lambda x: tf.reduce_prod(x, axis=1), x),
        gradient(tf, lambda x: tf.reduce_prod(x, axis=0), x),
        gradient(tf, tf.reduce_prod, x),
    ]


@case(op=REAL)
def reduce_special(tf, op):
    x = tf.constant(
        [
            [np.nan, 1.0, 2.0],
            [np.inf, 1.0, 2.0],
            [-np.inf, -np.inf, -np.inf],
            [np.inf, -np.inf, 0.0],
            [1e30, 1e30, 1e-30],
            [0.0, -0.0, 0.0],
        ]
    )
    return resolve(tf, op)(x, axis=1)


@case(op=("reduce_sum", "reduce_prod"), dtype=("int8", "uint8", "int32"))
def reduce_wraps(tf, op, dtype):
    info = np.iinfo(dtype)
    return resolve(tf, op)(tf.constant(np.array([info.max, info.max, 2], dtype)))


@case(dtype=("int8", "uint8", "int32", "int64"))
def mean_of_integers(tf, dtype):
    values = np.array([[1, 2, 4], [7, 3, 1]]) - (0 if dtype == "uint8" else 9)
    x = tf.constant(values.astype(dtype))
    return [tf.reduce_mean(x), tf.reduce_mean(x, axis=0), tf.reduce_mean(x, axis=1)]


@case(op=REDUCTIONS)
def math_alias(tf, op):
    return resolve(tf, "math." + op)(tensor(tf, (2, 3), kind(op)), axis=1)


FORMS = {
    "list": lambda tf: tf.reduce_sum([[1, 2], [3, 4]], 0),
    "python scalar": lambda tf: [tf.reduce_sum(3.5), tf.reduce_max(4)],
    "positional keepdims": lambda tf: tf.reduce_sum([[1.0, 2.0]], 1, True),
    "axis tensor": lambda tf: tf.reduce_sum(tensor(tf, (2, 3, 4)), tf.constant([0, 2])),
    "axis scalar tensor": lambda tf: tf.reduce_mean(tensor(tf, (2, 3)), axis=tf.constant(1)),
    "axis int64 tensor": lambda tf: tf.reduce_max(
        tensor(tf, (2, 3)), tf.constant([1], dtype=tf.int64)
    ),
    "axis range": lambda tf: tf.reduce_sum(tensor(tf, (2, 3, 4)), axis=range(1, 3)),
    "list of tensors": lambda tf: tf.reduce_mean([tf.constant(1.0), tf.constant(4.0)]),
    "array": lambda tf: tf.reduce_sum(np.arange(6.0).reshape(2, 3), axis=0),
    "variable": lambda tf: tf.reduce_sum(tf.Variable([[1.0, 2.0], [3.0, 4.0]]), axis=1),
    "scalar with empty axis": lambda tf: tf.reduce_sum(tf.constant(2.0), axis=[]),
    "all of list": lambda tf: tf.reduce_all([True, False]),
    "nan mean": lambda tf: tf.reduce_mean(tf.zeros([0, 2]), axis=0),
    "large float32 sum": lambda tf: tf.reduce_sum(tf.fill([1 << 16], 0.5)),
    "large float16 mean": lambda tf: tf.reduce_mean(tf.fill([4096], tf.constant(100.0, tf.half))),
    "logsumexp large": lambda tf: tf.reduce_logsumexp([1000.0, 1000.0, -1000.0]),
    "logsumexp empty": lambda tf: tf.reduce_logsumexp(tf.zeros([0])),
}


@case(form=FORMS)
def reduce_form(tf, form):
    return form(tf)


@case(op=("reduce_sum", "reduce_mean", "reduce_max"), axis=(0, 1), shape=((300, 7), (7, 300)))
def reduce_longer(tf, op, axis, shape):
    return resolve(tf, op)(tensor(tf, shape), axis=axis)


# --- argmax, argmin ---------------------------------------------------------------------------


@case(op=ARG, axis=(None, 0, 1, 2, -1, -2))
def arg(tf, op, axis):
    return resolve(tf, op)(tensor(tf, (2, 3, 4)), axis=axis)


@case(sweep=True, op=ARG, dtype=ALL)
def arg_dtype(tf, op, dtype):
    return resolve(tf, op)(tensor(tf, (2, 5), dtype, -9, 9), axis=1)


@case(op=ARG, output_type=("int32", "int64", "uint16", "int16"))
def arg_output_type(tf, op, output_type):
    if op == "argmin" and output_type.endswith("16"):
        return None
    return resolve(tf, op)(tensor(tf, (2, 5)), axis=1, output_type=resolve(tf, output_type))


@case(op=ARG, shape=((1,), (1, 1), (0, 3), (2, 1, 3, 1, 2)))
def arg_shape(tf, op, shape):
    return resolve(tf, op)(tensor(tf, shape), axis=-1)


@case(op=ARG)
def arg_ties_and_nan(tf, op):
    x = tf.constant([[1.0, 3.0, 3.0, 1.0], [2.0, 2.0, 2.0, 2.0], [np.inf, -np.inf, 0.0, np.inf]])
    function = resolve(tf, op)
    return [function(x, axis=1), function(x), function(x, 0), resolve(tf, "math." + op)(x, 1)]


# --- cumulative -------------------------------------------------------------------------------


@case(op=RUNNING, axis=(0, 1, -1), exclusive=(False, True), reverse=(False, True))
def running(tf, op, axis, exclusive, reverse):
    x = tensor(tf, (2, 3, 2))
    return resolve(tf, op)(x, axis=axis, exclusive=exclusive, reverse=reverse)


@case(op=RUNNING, axis=(0, -1), exclusive=(False, True), reverse=(False, True))
def running_gradient(tf, op, axis, exclusive, reverse):
    def run(x):
        return resolve(tf, op)(x, axis=axis, exclusive=exclusive, reverse=reverse)

    return gradient(tf, run, tensor(tf, (3, 4)))


@case(loose=10, op=RUNNING, exclusive=(False, True), reverse=(False, True))
def running_gradient2(tf, op, exclusive, reverse):
    def run(x):
        return resolve(tf, op)(x, exclusive=exclusive, reverse=reverse)

    return gradient2(tf, run, tensor(tf, (3, 2), "float64", 0.5, 2))


@case(sweep=True, op=RUNNING, dtype=COMMON)
def running_dtype(tf, op, dtype):
    return resolve(tf, op)(tensor(tf, (2, 3), dtype, 0, 2), axis=1)


@case(op=RUNNING, shape=((1,), (0,), (2, 0), (2, 1, 3, 1, 2)))
def running_shape(tf, op, shape):
    return resolve(tf, op)(tensor(tf, shape), axis=-1)


@case
def running_alias(tf):
    return [tf.math.cumsum([1, 2, 3]), tf.cumsum([[1.0, 2.0]], 1), tf.cumsum([1])]


@case(op=("reduce_sum", "reduce_mean"), dtype=FLOATS)
def sum_accuracy(tf, op, dtype):
    return resolve(tf, op)(tf.constant(array((40, 50), dtype, 0, 1)), axis=1)
