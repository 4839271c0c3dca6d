"""tf.nn of version 1, in graphs whose placeholders give what programs vary."""

import numpy as np
import pytest

import eagerflow as tf

v1 = tf.compat.v1


def run(fetches, feed):
    with v1.Session() as session:
        return session.run(fetches, feed)


@pytest.mark.parametrize("shape", [[], None])
def test_dropout_keeps_what_a_placeholder_says(shape):
    with tf.Graph().as_default():
        kept = v1.placeholder(tf.float32, shape)
        by_part = v1.nn.dropout(tf.ones([1000]), kept, seed=1)
        by_rate = v1.nn.dropout(tf.ones([1000]), rate=1.0 - kept, seed=1)
        everything, _ = run([by_part, by_rate], {kept: 1.0})
        np.testing.assert_array_equal(everything, 1.0)
        first, second = run([by_part, by_rate], {kept: 0.5})
        assert set(first) == set(second) == {0.0, 2.0}
        assert 400 < np.count_nonzero(first) < 600


def test_dropout_takes_numbers_of_numpy():
    assert v1.nn.dropout(tf.ones([3]), np.float32(1.0)).numpy().tolist() == [1, 1, 1]


def test_dropout_refuses_what_is_no_number():
    with pytest.raises(ValueError, match="must be a floating point number or Tensor"):
        v1.nn.dropout(tf.ones([3]), "a half")


def test_dropout_by_a_part_of_unknown_shape_keeps_the_shape():
    with tf.Graph().as_default():
        kept = v1.placeholder(tf.float32)
        assert v1.nn.dropout(v1.placeholder(tf.float32, [None, 4]), kept).shape.as_list() == [
            None,
            4,
        ]
        with pytest.raises(tf.errors.InvalidArgumentError):
            run(v1.nn.dropout(tf.ones([2]), kept), {kept: [0.5, 0.5]})


def test_labels_come_before_logits():
    """As in TensorFlow 2.21, which no longer asks for their names."""
    nn, logits = v1.nn, [[2.0, 1.0]]
    for function, labels in (
        (nn.softmax_cross_entropy_with_logits, [[1.0, 0.0]]),
        (nn.sigmoid_cross_entropy_with_logits, [[1.0, 0.0]]),
        (nn.sparse_softmax_cross_entropy_with_logits, [0]),
    ):
        given = function(labels, logits).numpy().tolist()
        assert given == function(labels=labels, logits=logits).numpy().tolist()
        with pytest.raises(ValueError, match="must be provided"):
            function(labels)
