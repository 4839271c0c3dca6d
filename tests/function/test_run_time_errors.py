"""Errors of operations in graphs name the lines of the program, from the call to the operation."""

import pytest

import eagerflow as tf
from eagerflow import errors


def failing(x):
    index = tf.cast(x, tf.int32)
    return tf.gather([1.0, 2.0], index)


def checked(x):
    tf.debugging.assert_less(x, 2.0, message="too large")
    return x


@tf.function
def calling(x):
    return failing(x) + 1.0


@tf.function
def choosing(x):
    if x > 1.0:
        return calling(x)
    return x


@tf.function
def looping(x):
    for _ in tf.range(3):
        x = calling(x) + 5.0
    return x


@tf.function
def differentiating(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = calling(x)
    return y, tape.gradient(y, x)


@tf.function
def mapping(x):
    return tf.map_fn(failing, x[None])


@tf.function
def asserting(x):
    return tf.cond(x > 1.0, lambda: checked(x), lambda: x)


def lines_of(message):
    """The functions and line numbers that a message lists."""
    places = [line.split(", ") for line in message.splitlines() if line.startswith("  File")]
    return [(place[2][3:], int(place[1][5:])) for place in places]


@pytest.mark.parametrize(
    ("function", "node", "where"),
    [
        (calling, "GatherV2", ["failing"]),
        (choosing, "GatherV2", ["choosing", "failing"]),
        (looping, "GatherV2", ["looping", "failing"]),
        (differentiating, "GatherV2", ["differentiating", "failing"]),
        (mapping, "map/GatherV2", ["mapping", "failing"]),
        (asserting, "cond/Assert", ["asserting", "checked"]),
    ],
)
def test_messages_lead_from_the_function_to_the_line_that_failed(function, node, where):
    with pytest.raises(errors.InvalidArgumentError) as caught:
        function(tf.constant(3.0))
    message = str(caught.value)
    assert message.startswith(f"Graph execution error:\n\nDetected at node {node} defined at")
    assert message.endswith(f"[[{{{{node {node}}}}}]]")
    lines = lines_of(message)
    assert lines[-1][0] == where[-1], lines
    inner, line = (checked, 1) if node == "cond/Assert" else (failing, 2)
    assert lines[-1][1] == inner.__code__.co_firstlineno + line
    assert lines[0][0] == where[0]


def test_a_failed_run_leaves_nothing_behind():
    for _ in range(2):
        with pytest.raises(errors.InvalidArgumentError) as caught:
            choosing(tf.constant(3.0))
        assert len(lines_of(str(caught.value))) <= 4
    assert choosing(tf.constant(1.0)).numpy() == 1.0


def test_other_exceptions_stay_as_they_are():
    @tf.function
    def stops(x):
        return tf.numpy_function(stop, [x], tf.float32)

    def stop(x):
        raise KeyboardInterrupt("now")

    with pytest.raises(KeyboardInterrupt, match="^now$"):
        stops(tf.constant(1.0))


LEAST = -(2**63)  # the engine's internal mark of unknown values


@pytest.mark.parametrize("sizes", [[LEAST, 2], [LEAST, 2, 2**62], [LEAST + 1, 2]])
def test_the_least_integer_is_no_unknown_size(sizes):
    spec, x = tf.TensorSpec([None, None]), tf.zeros([2, 3])
    with pytest.raises(ValueError, match="Size 0 must be non-negative"):
        tf.function(lambda a: tf.reshape(a, sizes), input_signature=[spec])(x)
    reshape = tf.function(tf.reshape, input_signature=[spec, tf.TensorSpec([None], tf.int64)])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Size 0 must be non-negative"):
        reshape(x, tf.constant(sizes, tf.int64))
    with pytest.raises(ValueError, match="Size 0 must be non-negative"), tf.Graph().as_default():
        tf.reshape(tf.compat.v1.placeholder(tf.float32, [None, None]), sizes)


def test_the_least_integer_is_a_bound():
    row = tf.function(lambda a: a[LEAST:2], input_signature=[tf.TensorSpec([None])])
    assert row(tf.range(3.0)).numpy().tolist() == [0, 1]
    fill = tf.function(lambda s: tf.fill(s, 1.0), input_signature=[tf.TensorSpec([1], tf.int64)])
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be >= 0"):
        fill(tf.constant([LEAST], tf.int64))


def test_images_that_are_too_long_for_sums_of_sizes():
    @tf.function
    def grown(x):
        return tf.nn.conv2d_transpose(x, tf.zeros([1, 1, 1, 2]), [1, 1, 2**63 - 1, 1], 1)

    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match="too long"):
        grown(tf.zeros([1, 4, 4, 2]))
