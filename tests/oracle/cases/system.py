"""What surrounds the engine: devices, eager mode, assertions."""

import numpy as np

from oracle.registry import case, errors

FORMS = {
    "executing_eagerly": lambda tf: tf.executing_eagerly(),
    "cpus": lambda tf: [[d.name, d.device_type] for d in tf.config.list_physical_devices("CPU")],
    "cpu text": lambda tf: repr(tf.config.list_physical_devices("CPU")[0]),
    "device": lambda tf: _on(tf, "/CPU:0"),
    "device lower case": lambda tf: _on(tf, "cpu:0"),
    "device long": lambda tf: _on(tf, "/device:CPU:0"),
    "device full": lambda tf: _on(tf, "/job:localhost/replica:0/task:0/device:CPU:0"),
    "device none": lambda tf: _on(tf, None),
    "device that is missing": lambda tf: _on(tf, "/GPU:7"),
    "default device": lambda tf: tf.constant(1.0).device,
    "name_scope": lambda tf: _scoped(tf),
}


def _on(tf, device):
    with tf.device(device):
        x = tf.constant([1.0, 2.0]) + 1.0
    return [x, x.device]


def _scoped(tf):
    with tf.name_scope("layer"):
        return tf.add(1.0, 2.0, name="sum")


@case(form=FORMS)
def environment(tf, form):
    return form(tf)


PASSING = {
    "assert_equal": lambda tf: tf.debugging.assert_equal([1, 2], [1, 2]),
    "assert_equal broadcast": lambda tf: tf.debugging.assert_equal(tf.ones([2, 3]), 1.0),
    "assert_none_equal": lambda tf: tf.debugging.assert_none_equal([1, 2], [3, 4]),
    "assert_less": lambda tf: tf.debugging.assert_less([1.0], [2.0]),
    "assert_less_equal": lambda tf: tf.debugging.assert_less_equal([1, 2], 2),
    "assert_greater": lambda tf: tf.debugging.assert_greater(tf.constant([3]), [2]),
    "assert_greater_equal": lambda tf: tf.debugging.assert_greater_equal([2], [2]),
    "assert_near": lambda tf: tf.debugging.assert_near([1.0], [1.0 + 1e-7]),
    "assert_positive": lambda tf: tf.debugging.assert_positive([1.0, 2.0]),
    "assert_negative": lambda tf: tf.debugging.assert_negative([-1, -2]),
    "assert_non_negative": lambda tf: tf.debugging.assert_non_negative([0, 1]),
    "assert_non_positive": lambda tf: tf.debugging.assert_non_positive([0, -1]),
    "assert_rank": lambda tf: tf.debugging.assert_rank(tf.zeros([2, 3]), 2),
    "assert_rank_at_least": lambda tf: tf.debugging.assert_rank_at_least(tf.zeros([2, 3]), 1),
    "assert_rank_in": lambda tf: tf.debugging.assert_rank_in(tf.zeros([2, 3]), (1, 2)),
    "assert_scalar": lambda tf: tf.debugging.assert_scalar(tf.constant(1)),
    "assert_type": lambda tf: tf.debugging.assert_type(tf.constant(1), tf.int32),
    "assert_integer": lambda tf: tf.debugging.assert_integer(tf.constant(1)),
    "assert_shapes": lambda tf: tf.debugging.assert_shapes(
        [(tf.zeros([2, 3]), ("N", 3)), (tf.zeros([2]), ("N",))]
    ),
    "assert_all_finite": lambda tf: tf.debugging.assert_all_finite([1.0, 2.0], "not finite"),
    "assert_same_float_dtype": lambda tf: tf.debugging.assert_same_float_dtype([tf.zeros([1])]),
    "check_numerics": lambda tf: tf.debugging.check_numerics([1.0, 2.0], "bad"),
    "empty": lambda tf: tf.debugging.assert_equal(tf.zeros([0]), tf.zeros([0])),
    "top level": lambda tf: [
        tf.assert_equal([1], [1]),
        tf.assert_less([1], [2]),
        tf.assert_greater([2], [1]),
        tf.assert_rank(tf.zeros([1]), 1),
    ],
    "is_numeric_tensor": lambda tf: [
        tf.debugging.is_numeric_tensor(tf.constant(1)),
        tf.debugging.is_numeric_tensor(tf.constant("a")),
    ],
}


@case(form=PASSING)
def assertion_holds(tf, form):
    return form(tf)


errors(
    "system",
    "assertion_fails",
    {
        "assert_equal": (lambda tf: tf.debugging.assert_equal([1, 2], [1, 3]), ["x == y"]),
        "assert_equal message": (
            lambda tf: tf.debugging.assert_equal([1, 2], [1, 3], message="sizes differ"),
            ["sizes differ"],
        ),
        "assert_none_equal": (
            lambda tf: tf.debugging.assert_none_equal([1, 2], [3, 2]),
            ["x != y"],
        ),
        "assert_less": (lambda tf: tf.debugging.assert_less([1.0], [1.0]), ["x < y"]),
        "assert_less_equal": (lambda tf: tf.debugging.assert_less_equal([3], [2]), ["x <= y"]),
        "assert_greater": (lambda tf: tf.debugging.assert_greater([1], [2], "small"), ["small"]),
        "assert_greater_equal": (
            lambda tf: tf.debugging.assert_greater_equal([1], [2]),
            ["x >= y"],
        ),
        "assert_near": (lambda tf: tf.debugging.assert_near([1.0], [1.1]), []),
        "assert_positive": (lambda tf: tf.debugging.assert_positive([1.0, 0.0]), ["x > 0"]),
        "assert_negative": (lambda tf: tf.debugging.assert_negative([1]), ["x < 0"]),
        "assert_non_negative": (lambda tf: tf.debugging.assert_non_negative([-1]), ["x >= 0"]),
        "assert_non_positive": (lambda tf: tf.debugging.assert_non_positive([1]), ["x <= 0"]),
        "assert_rank": (lambda tf: tf.debugging.assert_rank(tf.zeros([2]), 2), ["rank 2"]),
        "assert_rank_at_least": (
            lambda tf: tf.debugging.assert_rank_at_least(tf.zeros([2]), 2),
            ["rank"],
        ),
        "assert_rank_in": (
            lambda tf: tf.debugging.assert_rank_in(tf.zeros([2]), (2, 3)),
            ["rank"],
        ),
        "assert_scalar": (lambda tf: tf.debugging.assert_scalar(tf.zeros([2])), ["scalar", "(2,)"]),
        "assert_type": (
            lambda tf: tf.debugging.assert_type(tf.constant(1), tf.float32),
            ["float32"],
        ),
        "assert_integer": (lambda tf: tf.debugging.assert_integer(tf.constant(1.0)), ["integer"]),
        "assert_shapes": (
            lambda tf: tf.debugging.assert_shapes([(tf.zeros([2, 3]), ("N", 4))]),
            ["4"],
        ),
        "assert_all_finite": (
            lambda tf: tf.debugging.assert_all_finite([1.0, np.nan], "not finite"),
            ["not finite", "nan"],
        ),
        "check_numerics": (
            lambda tf: tf.debugging.check_numerics([1.0, np.inf], "bad values"),
            ["bad values", "inf"],
        ),
        "assert_same_float_dtype": (
            lambda tf: tf.debugging.assert_same_float_dtype(
                [tf.zeros([1]), tf.zeros([1], "float64")]
            ),
            ["float32", "float64"],
        ),
        "not a device": (lambda tf: _on(tf, "nonsense"), ["nonsense"]),
    },
)
