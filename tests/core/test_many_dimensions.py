"""Tensors of many dimensions: up to 254, as in TensorFlow."""

import numpy as np
import pytest

import eagerflow as tf

RANKS = [12, 13, 14, 40, 64, 65, 253]


def long_at(rank, axes):
    """A tensor of 2, 4, 8 ... elements whose axes longer than 1 are `axes`."""
    shape = [2 if axis in axes else 1 for axis in range(rank)]
    return tf.reshape(tf.range(2.0 ** len(axes)), shape)


def flat(tensor):
    return tf.reshape(tensor, [-1]).numpy().tolist()


@pytest.mark.parametrize("rank", RANKS)
def test_made_and_reshaped(rank):
    shape = [1] * (rank - 1) + [2]
    for made in (
        tf.zeros(shape),
        tf.fill(shape, 3),
        tf.constant(1.0, shape=shape),
        tf.random.uniform(shape),
        tf.broadcast_to([1.0, 2.0], shape),
        tf.Variable(tf.ones(shape)).assign_add(tf.ones(shape)),
    ):
        assert made.shape == shape
        assert len(tf.shape(made)) == rank
    nested = [1.0, 2.0]
    for _ in range(rank - 1):
        nested = [nested]
    assert tf.constant(nested).shape == shape
    assert tf.squeeze(tf.constant(nested)).numpy().tolist() == [1.0, 2.0]
    assert tf.squeeze(tf.constant(nested), axis=[0]).shape == shape[1:]
    assert tf.expand_dims(tf.zeros(shape), -1).shape == [*shape, 1]


@pytest.mark.parametrize("rank", [13, 64])
def test_text(rank):
    tensor = tf.zeros([1] * rank)
    assert repr(tensor.numpy()) in repr(tensor)
    assert str(tensor.numpy()) in str(tensor)


@pytest.mark.parametrize("rank", RANKS)
def test_elementwise(rank):
    x = long_at(rank, (0, rank // 2, rank - 1))
    assert flat(-x) == [-float(i) for i in range(8)]
    assert flat(x + 1) == [float(i + 1) for i in range(8)]
    assert flat(tf.where(x > 3, x, 0.0)) == [0, 0, 0, 0, 4, 5, 6, 7]
    row = long_at(rank, (1, rank // 2))  # 0, 1 in the middle; 2, 3 in the second place
    both = x + row
    assert both.shape[:2] == [2, 2]
    expected = np.arange(8.0).reshape(2, 1, 2, 2) + np.arange(4.0).reshape(1, 2, 2, 1)
    assert flat(both) == expected.ravel().tolist()
    assert flat(tf.cast(x, tf.int32)) == list(range(8))


@pytest.mark.parametrize("rank", RANKS)
def test_reductions(rank):
    x = long_at(rank, (0, rank // 2, rank - 1))
    assert tf.reduce_sum(x).numpy() == 28
    assert flat(tf.reduce_sum(x, -1)) == [1, 5, 9, 13]
    assert flat(tf.reduce_sum(x, [0, rank // 2])) == [12, 16]
    assert flat(tf.reduce_max(x, [0, rank - 1], keepdims=True)) == [5, 7]
    assert tf.reduce_max(x, 0, keepdims=True).shape[0] == 1
    assert flat(tf.reduce_all(x > 3, rank - 1)) == [False, False, True, True]


@pytest.mark.parametrize("rank", RANKS)
def test_axes_in_another_order(rank):
    x = long_at(rank, (0, rank // 2, rank - 1))
    values = np.arange(8).reshape(2, 2, 2)
    assert flat(tf.transpose(x)) == values.T.ravel().tolist()
    moved = tf.transpose(x, [rank - 1, *range(rank - 1)])
    assert moved.shape == [2, *x.shape[:-1]]
    assert flat(moved) == values.transpose(2, 0, 1).ravel().tolist()
    assert flat(tf.reverse(x, [-1])) == values[:, :, ::-1].ravel().tolist()
    with pytest.raises(tf.errors.InvalidArgumentError, match="missing from perm"):
        tf.transpose(x, [0] * rank)
    with pytest.raises(tf.errors.InvalidArgumentError, match="more than once"):
        tf.reverse(x, [rank - 1, -1])


@pytest.mark.parametrize("rank", RANKS)
def test_joined_and_taken_apart(rank):
    x = long_at(rank, (0, rank - 1))
    assert flat(tf.concat([x, x], -1)) == [0, 1, 0, 1, 2, 3, 2, 3]
    assert flat(tf.stack([x, x])) == [0, 1, 2, 3, 0, 1, 2, 3]
    assert [flat(part) for part in tf.unstack(x)] == [[0, 1], [2, 3]]
    assert [flat(part) for part in tf.split(x, 2, axis=-1)] == [[0, 2], [1, 3]]
    assert flat(x[1]) == [2, 3]
    assert flat(x[..., 0]) == [0, 2]
    assert flat(tf.gather(x, [1, 0], axis=rank - 1)) == [1, 0, 3, 2]
    assert flat(tf.tile(x, [1] * (rank - 1) + [2])) == [0, 1, 0, 1, 2, 3, 2, 3]
    assert tf.where(x > 2).numpy().tolist() == [[1, *[0] * (rank - 2), 1]]
    assert flat(tf.boolean_mask(x, x > 0)) == [1, 2, 3]


@pytest.mark.parametrize("rank", RANKS)
def test_gradients(rank):
    x = long_at(rank, (0, rank // 2))
    row = long_at(rank, (rank // 2, rank - 1))
    with tf.GradientTape() as tape:
        tape.watch([x, row])
        y = tf.reduce_sum(tf.transpose(x * row))
    by_x, by_row = tape.gradient(y, [x, row])
    assert by_x.shape == x.shape
    assert flat(by_x) == [1, 5, 1, 5]
    assert by_row.shape == row.shape
    assert flat(by_row) == [2, 2, 4, 4]


def test_no_elements():
    shape = [2] * 100 + [0]
    x = tf.zeros(shape)
    assert x.shape == shape
    assert tf.transpose(x).shape == shape[::-1]
    assert tf.concat([x, x], 0).shape[0] == 4
    assert (x + 1.0).shape == shape
    assert tf.tile(x, [2] * 101).shape[0] == 4
    with pytest.raises(tf.errors.InvalidArgumentError, match="overflow"):
        tf.reduce_sum(x, -1)


def test_too_many():
    with pytest.raises(tf.errors.InvalidArgumentError, match="at most 254 dimensions"):
        tf.zeros([1] * 255)
    with pytest.raises(tf.errors.InvalidArgumentError, match="at most 254 dimensions"):
        tf.expand_dims(tf.zeros([1] * 254), 0)
    nested = 1.0
    for _ in range(255):
        nested = [nested]
    with pytest.raises(ValueError, match="more than 254 levels"):
        tf.constant(nested)
