"""Padded batches: their errors, and padding of structures."""

import pytest

import eagerflow as tf


@pytest.mark.parametrize(
    "make, kind, message",
    [
        (lambda d: d.map(lambda x: tf.data.Dataset.range(1)), TypeError, "datasets of datasets"),
        (lambda d: d.map(lambda x: tf.sparse.from_dense([[x]])), TypeError, "SparseTensorSpec"),
        (lambda d: d.map(lambda x: (x, None)), TypeError, "subclass of TensorSpec"),
    ],
)
def test_padded_batches_hold_tensors_only(make, kind, message):
    with pytest.raises(kind, match=message):
        make(tf.data.Dataset.range(3)).padded_batch(2)


@pytest.mark.parametrize(
    "shapes, kind", [(tf.constant([1.5]), TypeError), ([[1, 1], [1, 1]], ValueError)]
)
def test_padded_shapes_are_vectors_of_integers(shapes, kind):
    with pytest.raises(kind, match="must be a `tf.int64` vector tensor"):
        tf.data.Dataset.from_tensors([1, 2, 3]).padded_batch(2, padded_shapes=shapes)


def test_none_stands_for_the_padding_of_a_structure():
    rows = tf.data.Dataset.from_tensor_slices([1, 2]).map(
        lambda n: (tf.fill([n], n), {"text": tf.strings.as_string(tf.fill([n], n))})
    )
    (batch,) = rows.padded_batch(
        2, padded_shapes=([-1], {"text": [-1]}), padding_values=(-1, None)
    ).as_numpy_iterator()
    assert batch[0].tolist() == [[1, -1], [2, 2]]
    assert batch[1]["text"].tolist() == [[b"1", b""], [b"2", b"2"]]
