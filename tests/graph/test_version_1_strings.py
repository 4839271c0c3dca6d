"""Strings in the spelling of version 1."""

import pytest

import eagerflow
import eagerflow.compat.v1 as tf


def test_strings_are_split_at_each_byte_of_the_separator():
    def split(*args, **kwargs):
        parts = tf.string_split(*args, **kwargs)
        tensors = parts.indices, parts.values, parts.dense_shape
        return [tensor.numpy().tolist() for tensor in tensors]

    indices, values, shape = split(["hello world", "a b  c", ""])
    assert indices == [[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]]
    assert values == [b"hello", b"world", b"a", b"b", b"c"]
    assert shape == [3, 3]
    assert split(["a,b;c", ",x"], ",;")[1] == [b"a", b"b", b"c", b"x"]
    assert split(["ab", "c"], "")[1] == [b"a", b"b", b"c"]
    assert split(["a,,b", ""], ",", skip_empty=False)[1] == [b"a", b"", b"b"]
    assert split(["a b"], delimiter="b")[1] == [b"a "]
    ragged = tf.string_split(["a b", "c"], result_type="RaggedTensor")
    assert ragged.to_list() == [[b"a", b"b"], [b"c"]]
    with pytest.raises(ValueError, match="vector"):
        tf.string_split("a b")
    with pytest.raises(ValueError, match="result_type"):
        tf.string_split(["a b"], result_type="Tensor")


def test_splitting_in_a_pipeline():
    dataset = eagerflow.data.Dataset.from_tensor_slices(["a b", "c d"])
    dataset = dataset.map(lambda line: tf.string_split([line]).values)
    assert [row.numpy().tolist() for row in dataset] == [[b"a", b"b"], [b"c", b"d"]]
