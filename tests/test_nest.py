"""Nested structures: flattening, packing, mapping and comparing them."""

from collections import OrderedDict, defaultdict, namedtuple

import numpy as np
import pytest

import eagerflow as tf

Point = namedtuple("Point", "y x")
STRUCTURES = [
    1,
    None,
    [1, 2],
    (),
    {"b": 1, "a": [2, (3,)]},
    Point([1], {"k": 2}),
    OrderedDict([("b", 1), ("a", 2)]),
    [[], {}, ((1,),)],
]


def test_dictionaries_are_walked_by_sorted_keys():
    assert tf.nest.flatten({"b": 1, "a": [2, (3,)]}) == [2, 3, 1]
    assert tf.nest.flatten(OrderedDict([("b", 1), ("a", 2)])) == [2, 1]
    with pytest.raises(TypeError, match="sort|<"):
        tf.nest.flatten({1: 2, "a": 3})


@pytest.mark.parametrize("structure", STRUCTURES, ids=repr)
def test_packing_undoes_flattening(structure):
    leaves = tf.nest.flatten(structure)
    again = tf.nest.pack_sequence_as(structure, leaves)
    assert again == structure and type(again) is type(structure)
    assert tf.nest.map_structure(lambda leaf: leaf, structure) == structure
    tf.nest.assert_same_structure(structure, again)


@pytest.mark.parametrize("leaf", ["abc", b"ab", {2, 1}, np.ones(2), tf.TensorShape([1])])
def test_leaves(leaf):
    assert not tf.nest.is_nested(leaf)
    (flat,) = tf.nest.flatten(leaf)
    assert flat is leaf


def test_tensors_and_variables_are_leaves():
    leaves = [tf.constant([1, 2]), tf.Variable([1])]
    assert [a is b for a, b in zip(tf.nest.flatten(leaves), leaves, strict=True)] == [True, True]


def test_mapping_keeps_kinds_and_order():
    result = tf.nest.map_structure(lambda a, b: a + b, {"b": 1, "a": (2,)}, {"a": (20,), "b": 10})
    assert list(result.items()) == [("b", 11), ("a", (22,))]
    packed = tf.nest.pack_sequence_as(defaultdict(list, b=0, a=0), [1, 2])
    assert packed == {"a": 1, "b": 2} and packed.default_factory is list
    assert tf.nest.map_structure(lambda a, b: a * b, [1, 2], (3, 4), check_types=False) == [3, 8]


@pytest.mark.parametrize(
    ("first", "second", "error", "text"),
    [
        ([1, 2], [1, 2, 3], ValueError, "number of elements"),
        ([1, 2], (1, 2), TypeError, "type list, while second structure type=tuple"),
        ([1], 1, ValueError, "is a sequence"),
        ({"a": 1}, {"b": 1}, ValueError, "same set of keys"),
        ([1, [2]], [1, 2], ValueError, 'Substructure "type=list str=\\[2\\]"'),
        (Point(1, 2), (1, 2), TypeError, "type Point"),
    ],
)
def test_differences(first, second, error, text):
    with pytest.raises(error, match=text) as raised:
        tf.nest.assert_same_structure(first, second)
    assert "Entire first structure:\n" in str(raised.value)
    with pytest.raises(error):
        tf.nest.map_structure(lambda a, b: a, first, second)


def test_same_structures():
    tf.nest.assert_same_structure({"a": 1}, OrderedDict(a=2))
    tf.nest.assert_same_structure([1, 2], (3, 4), check_types=False)


def test_wrong_arguments():
    with pytest.raises(TypeError, match="func must be callable"):
        tf.nest.map_structure(3, [1])
    with pytest.raises(ValueError, match="at least one structure"):
        tf.nest.map_structure(lambda: 1)
    with pytest.raises(ValueError, match="Only valid keyword arguments"):
        tf.nest.map_structure(lambda x: x, [1], foo=1)
    with pytest.raises(ValueError, match="Structure had 2 atoms, but flat_sequence had 1"):
        tf.nest.pack_sequence_as([1, 2], [1])
    with pytest.raises(ValueError, match="target structure is of type"):
        tf.nest.pack_sequence_as(1, [1, 2])
    with pytest.raises(TypeError, match="Attempted to pack value"):
        tf.nest.pack_sequence_as([1], 1)
