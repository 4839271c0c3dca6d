"""TensorShape: sizes known and unknown, and how shapes combine."""

import copy
import pickle

import numpy as np
import pytest

import eagerflow as tf

Shape = tf.TensorShape


@pytest.mark.parametrize(
    ("dims", "shown", "text"),
    [
        ([2, 3], "TensorShape([2, 3])", "(2, 3)"),
        ((2,), "TensorShape([2])", "(2,)"),
        ([], "TensorShape([])", "()"),
        (4, "TensorShape([4])", "(4,)"),
        (None, "TensorShape(None)", "<unknown>"),
        ([None, 2], "TensorShape([None, 2])", "(None, 2)"),
        (range(3), "TensorShape([0, 1, 2])", "(0, 1, 2)"),
        (np.array([2, 3]), "TensorShape([2, 3])", "(2, 3)"),
        (Shape([5]), "TensorShape([5])", "(5,)"),
    ],
)
def test_text(dims, shown, text):
    shape = Shape(dims)
    assert (repr(shape), str(shape), f"{shape}") == (shown, text, text)
    assert copy.deepcopy(shape) == shape == pickle.loads(pickle.dumps(shape))


@pytest.mark.parametrize("dims", ["a", [2, "a"], [1.5], [None, object()]])
def test_sizes_must_be_integers(dims):
    with pytest.raises(TypeError):
        Shape(dims)


@pytest.mark.parametrize("dims", [-1, [2, -1]])
def test_sizes_must_not_be_negative(dims):
    with pytest.raises(ValueError, match="must be >= 0"):
        Shape(dims)


def test_tensors_stand_for_sizes():
    assert Shape(tf.constant([2, 3])) == Shape([tf.constant(2), 3]) == [2, 3]


def test_sequence():
    shape = Shape([2, None, 4])
    assert list(shape) == [2, None, 4] == shape.as_list()
    assert len(shape) == shape.rank == shape.ndims == 3
    assert shape[0] == 2 and shape[-1] == 4 and type(Shape([np.int64(3)])[0]) is int
    assert shape[:1] == Shape([2]) and shape[::-1] == [4, None, 2]
    with pytest.raises(IndexError):
        shape[3]
    assert np.zeros(Shape([2, 3])).shape == (2, 3)
    assert 2 in shape and 5 not in shape
    assert [dim.value for dim in shape.dims] == [2, None, 4]
    assert repr(shape.dims[1]) == "Dimension(None)"


def test_unknown_rank():
    shape = Shape(None)
    assert not shape and Shape([])
    assert shape.rank is None and shape.dims is None and shape.num_elements() is None
    assert shape[0] is None and shape[0:1] == [None] and shape[1:].rank is None
    for ask in (len, list, Shape.as_list):
        with pytest.raises(ValueError, match="unknown"):
            ask(shape)


def test_equality():
    assert Shape([2, 3]) == [2, 3] == Shape((2, 3)) and Shape([2, 3]) == (2, 3)
    assert Shape([2, None]) == Shape([2, None]) != Shape([2, 3])
    assert Shape(None) == None and Shape([1]) != None  # noqa: E711
    assert Shape([2]) != "ab" and not Shape([2]) == 5 and Shape([2]) != 5
    assert hash(Shape([2, 3])) == hash((2, 3))
    assert len({Shape([1]), Shape([1]), Shape([None])}) == 2


def test_elements():
    assert Shape([2, 3]).num_elements() == 6
    assert Shape([]).num_elements() == 1
    assert Shape([2, None]).num_elements() is None
    assert Shape([2, 3]).is_fully_defined() and not Shape([None]).is_fully_defined()


def test_joining():
    assert Shape([2]) + [3] == [2] + Shape([3]) == (2,) + Shape([3]) == Shape([2]) + 3 == [2, 3]
    assert (Shape([2]) + Shape(None)).rank is None
    assert Shape([2]).concatenate([None]) == [2, None]


def test_compatibility():
    partial = Shape([2, None])
    assert partial.is_compatible_with([2, 9]) and partial.is_compatible_with(None)
    assert not partial.is_compatible_with([3, 9]) and not partial.is_compatible_with([2])
    assert partial.merge_with([None, 3]) == [2, 3]
    assert Shape(None).merge_with([3]) == [3]
    with pytest.raises(ValueError, match=r"Shapes \(2, None\) and \(3, 3\) are not compatible"):
        partial.merge_with([3, 3])
    assert partial.most_specific_compatible_shape([2, 3]) == partial
    assert Shape([2, 4]).most_specific_compatible_shape([2, 3]) == partial
    assert partial.most_specific_compatible_shape([2]).rank is None
    assert Shape([2, 4]).is_subtype_of(partial) and not partial.is_subtype_of([2, 4])
    assert Shape([2, 4]).most_specific_common_supertype([Shape([2, 3]), Shape([2, 5])]) == partial


def test_ranks():
    shape = Shape([2])
    assert shape.with_rank(1) == shape == shape.with_rank_at_least(1) == shape.with_rank_at_most(1)
    assert Shape(None).with_rank(2) == [None, None]
    shape.assert_has_rank(1)
    Shape(None).assert_same_rank([1, 2])
    for failing in (
        lambda: shape.with_rank(2),
        lambda: shape.with_rank_at_least(2),
        lambda: shape.with_rank_at_most(0),
        lambda: shape.assert_has_rank(2),
        lambda: shape.assert_same_rank([1, 2]),
    ):
        with pytest.raises(ValueError, match="rank"):
            failing()
    with pytest.raises(ValueError, match=r"Shapes \(2,\) and \(3,\) are incompatible"):
        shape.assert_is_compatible_with(Shape([3]))
    with pytest.raises(ValueError, match=r"Shape \(None,\) is not fully defined"):
        Shape([None]).assert_is_fully_defined()
