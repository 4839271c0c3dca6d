"""Arguments are also checked if the result has no elements."""

import pytest

import eagerflow as tf

zeros = tf.zeros
InvalidArgument = tf.errors.InvalidArgumentError


def ids(*values):
    return tf.constant(values, tf.int32)


# TensorFlow's exceptions.
REFUSED = {
    "batch_to_space": lambda: tf.batch_to_space(zeros([0, 2, 2, 1]), [3, 3], [[0, 1], [0, 9]]),
    "broadcast_to": lambda: tf.broadcast_to(zeros([1, 0]), [-2, 0]),
    "crop_and_resize": lambda: tf.image.crop_and_resize(
        zeros([1, 0, 4, 1]), [[0.0, 0.0, 1.0, 1.0]], ids(0), [2, 2]
    ),
    "dynamic_partition": lambda: tf.dynamic_partition(zeros([2, 0]), ids(0, 7), 2),
    "dynamic_stitch": lambda: tf.dynamic_stitch([ids(-1)], [zeros([1, 0])]),
    "extract_patches": lambda: tf.image.extract_patches(
        zeros([0, 4, 4, 1]), [1, 9, 9, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID"
    ),
    "gather_nd": lambda: tf.gather_nd(zeros([3, 0]), [[7, 0]]),
    "max_pool2d": lambda: tf.nn.max_pool2d(zeros([0, 1, 1, 1]), 3, 1, "VALID"),
    "pad": lambda: tf.pad(zeros([0, 2]), [[-1, 1], [0, 0]]),
    "pad by reflection": lambda: tf.pad(zeros([0, 2]), [[0, 0], [5, 5]], "REFLECT"),
    "repeat": lambda: tf.repeat(zeros([0]), -1),
    "resize": lambda: tf.image.resize(zeros([1, 0, 4, 1]), [2, 2]),
    "resize to nothing": lambda: tf.image.resize(zeros([0, 4, 4, 1]), [-1, 2]),
    "reverse_sequence": lambda: tf.reverse_sequence(
        zeros([2, 0, 3]), [5, 5], seq_axis=1, batch_axis=0
    ),
    "reverse_sequence of no channels": lambda: tf.reverse_sequence(
        zeros([2, 2, 0]), [-1, 0], seq_axis=1, batch_axis=0
    ),
    "roll": lambda: tf.roll(zeros([2, 0]), [1], [5]),
    "scatter_nd": lambda: tf.scatter_nd([[7]], zeros([1, 0]), [3, 0]),
    "segment_max": lambda: tf.math.segment_max(zeros([2, 0]), ids(1, 0)),
    "segment_mean": lambda: tf.math.segment_mean(zeros([2, 0]), ids(1, 0)),
    "segment_sum": lambda: tf.math.segment_sum(zeros([2, 0]), ids(-1, 0)),
    "sparse.segment_sum": lambda: tf.sparse.segment_sum(zeros([3, 0]), ids(7), ids(0)),
    "tensor_scatter_nd_max": lambda: tf.tensor_scatter_nd_max(zeros([3, 0]), [[7]], zeros([1, 0])),
    "tile": lambda: tf.tile(zeros([0, 2]), [-1, 1]),
    "top_k": lambda: tf.math.top_k(zeros([0, 2]), 5),
}


@pytest.mark.parametrize("name", REFUSED)
def test_arguments_are_checked(name):
    with pytest.raises(InvalidArgument):
        REFUSED[name]()


def test_indices_of_boxes_are_checked():
    with pytest.raises(tf.errors.OutOfRangeError, match="box_index"):
        tf.image.crop_and_resize(zeros([1, 4, 4, 0]), [[0.0, 0.0, 1.0, 1.0]], ids(7), [2, 2])


def test_no_integers_come_from_an_empty_range():
    assert tf.random.uniform([0], 5, 5, tf.int32).shape == [0]
    with pytest.raises(InvalidArgument, match="minval < maxval"):
        tf.random.uniform([1], 5, 5, tf.int32)


@pytest.mark.parametrize(
    "sizes, asked, expected",
    [
        ([0], [-1, 0], [1, 0]),
        ([0, 3], [-1, 0], [3, 0]),
        ([0, 3], [0, -1], [0, 3]),
        ([2, 0, 3], [-1, 0], [6, 0]),
        ([2, 0, 3], [0, -1, 2], [0, 3, 2]),
        ([0, 3], [2, -1, 0], [2, 1, 0]),
        ([0, 3], [-1, 3], [0, 3]),
        ([0], [-1], [0]),
    ],
)
def test_a_size_beside_zero_is_that_of_the_others(sizes, asked, expected):
    assert tf.reshape(zeros(sizes), asked).shape == expected
    traced = tf.function(lambda x: tf.reshape(x, asked))
    assert traced(zeros(sizes)).shape == expected
    any_sizes = traced.get_concrete_function(tf.TensorSpec([None] * len(sizes)))
    assert any_sizes(zeros(sizes)).shape == expected


@pytest.mark.parametrize("axis", [1, -2, 7])
def test_repeat_names_an_axis_that_does_not_exist(axis):
    with pytest.raises(ValueError, match=f"axis={axis} out of bounds"):
        tf.repeat([1, 2], 2, axis)


def test_a_cross_product_of_other_sizes_has_no_meaning():
    with pytest.raises(tf.errors.FailedPreconditionError, match="last dimension of 3"):
        tf.linalg.cross(zeros([2]), zeros([2]))
    with pytest.raises(InvalidArgument):
        tf.linalg.cross(zeros([3]), zeros([2, 3]))
