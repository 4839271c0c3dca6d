"""tf.TensorSpec: what it says, compares with and rejects."""

import copy
import pickle

import pytest

import eagerflow as tf


def test_repr():
    assert (
        repr(tf.TensorSpec([None, 3])) == "TensorSpec(shape=(None, 3), dtype=tf.float32, name=None)"
    )
    assert (
        repr(tf.TensorSpec(None, tf.int32, "x"))
        == "TensorSpec(shape=<unknown>, dtype=tf.int32, name='x')"
    )


def test_equality_and_hash():
    assert tf.TensorSpec([None, 3]) == tf.TensorSpec([None, 3])
    assert tf.TensorSpec([None, 3]) != tf.TensorSpec([2, 3])
    assert tf.TensorSpec([2], name="a") != tf.TensorSpec([2], name="b")
    assert len({tf.TensorSpec([2]), tf.TensorSpec((2,), "float32")}) == 1


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        (tf.ones([2, 3]), True),
        (tf.ones([3]), False),
        (tf.ones([2, 3], tf.int32), False),
        (tf.TensorSpec([None, None]), True),
        ([[1.0, 2.0, 3.0]], True),
        ("text", False),
    ],
)
def test_compatible(value, fits):
    assert tf.TensorSpec([None, 3]).is_compatible_with(value) is fits


def test_relations():
    wide = tf.TensorSpec([2]).most_specific_compatible_type(tf.TensorSpec([3]))
    assert wide == tf.TensorSpec([None])
    assert tf.TensorSpec([2]).is_subtype_of(wide) and not wide.is_subtype_of(tf.TensorSpec([2]))
    with pytest.raises(ValueError, match="int32"):
        wide.most_specific_compatible_type(tf.TensorSpec([3], tf.int32))


def test_copies():
    spec = tf.TensorSpec([None, 3], tf.float64, "x")
    assert copy.deepcopy(spec) == spec
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert tf.TensorSpec.from_spec(spec, "y").name == "y"
    assert tf.TensorSpec.from_tensor(tf.ones([4])) == tf.TensorSpec([4])
