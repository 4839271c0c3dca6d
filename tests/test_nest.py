"""Nested structures: flattening, packing, mapping and comparing them."""

from collections import ChainMap, Counter, OrderedDict, UserDict, defaultdict, namedtuple

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import nest

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


class Masked:
    """An object that defines how it is flattened."""

    def __init__(self, mask, *values):
        self.mask, self.values = mask, values

    def __tf_flatten__(self):
        return (self.mask,), self.values

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(*metadata, *components)


def test_objects_that_come_apart():
    value = {"b": Masked("m", [1, 2], 3), "a": 0}
    assert tf.nest.is_nested(value["b"]) and tf.nest.flatten(value) == [0, 1, 2, 3]
    tripled = tf.nest.map_structure(lambda x: x * 3, value)["b"]
    assert tripled.mask == "m" and tripled.values == ([3, 6], 9)
    other = Masked("other", [10, 20], 30)
    total = tf.nest.map_structure(lambda a, b: a + b, value["b"], other)
    assert total.mask == "m" and total.values == ([11, 22], 33)
    with pytest.raises(TypeError, match="type Masked"):
        tf.nest.assert_same_structure(value["b"], ([1, 2], 3))
    tf.nest.assert_same_structure(value["b"], ([1, 2], 3), check_types=False)
    with pytest.raises(ValueError, match=r"number of elements(.|\n)*Masked\(\[., .\], .\)"):
        tf.nest.assert_same_structure(value["b"], Masked("m", [1, 2]))


def test_objects_of_attrs():
    class Pair:
        __attrs_attrs__ = (Attribute("y"), Attribute("x"))

        def __init__(self, y, x):
            self.y, self.x = y, x

    pair = tf.nest.map_structure(lambda n: n + 1, Pair(2, [1]))
    assert type(pair) is Pair and (pair.y, pair.x) == (3, [2])


def test_objects_of_attrs_without_attributes():
    class Empty:
        __attrs_attrs__ = ()

    assert tf.nest.flatten([Empty(), 1]) == [1]
    first, second = tf.nest.map_structure(lambda n: n + 1, [Empty(), 1])
    assert type(first) is Empty and second == 2
    assert type(tf.function(lambda: (Empty(), tf.constant(1)))()[0]) is Empty


Attribute = namedtuple("Attribute", "name")


@pytest.mark.parametrize("kind", [Counter, ChainMap, UserDict, OrderedDict])
def test_other_mappings_keep_their_kind(kind):
    packed = tf.nest.pack_sequence_as(kind({"b": 1, "a": 2}), ["x", "y"])
    assert type(packed) is kind and dict(packed) == {"a": "x", "b": "y"}


def test_references_are_keys():
    variables = [tf.Variable(float(k)) for k in range(3)]
    by_variable = {v.ref(): k for k, v in enumerate(variables)}
    assert sorted(tf.nest.flatten(by_variable)) == [0, 1, 2]
    tens = tf.nest.map_structure(lambda k: k * 10, by_variable)
    assert [tens[v.ref()] for v in variables] == [0, 10, 20]


def test_composite_values_are_compared():
    rows, deeper = tf.ragged.constant([[1], [2, 3]]), tf.ragged.constant([[[1]]])
    sparse = tf.SparseTensor([[0]], [1], [2])
    tf.nest.assert_same_structure(rows, tf.ragged.constant([[4]]), expand_composites=True)
    tf.nest.assert_same_structure(rows, rows._type_spec, expand_composites=True)
    for other in (deeper, sparse, tf.constant(1)):
        tf.nest.assert_same_structure([rows], [other])
        with pytest.raises(ValueError, match="TypeSpecs|is a sequence"):
            tf.nest.assert_same_structure([rows], [other], expand_composites=True)
    with pytest.raises(ValueError, match="Incompatible CompositeTensor TypeSpecs"):
        tf.nest.map_structure(lambda a, b: a, rows, sparse, expand_composites=True)


def test_parts_of_specs_and_slices():
    spec = tf.RaggedTensorSpec([None, None], tf.int32)
    parts = tf.nest.flatten([spec], expand_composites=True)
    assert [part.dtype for part in parts] == [tf.int32, tf.int64]
    again = tf.nest.pack_sequence_as(spec, [[1, 2, 3], [0, 1, 3]], expand_composites=True)
    assert again.to_list() == [[1], [2, 3]]
    slices = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([1]), tf.constant([3, 2]))
    doubled = tf.nest.map_structure(lambda x: x * 2, slices, expand_composites=True)
    assert isinstance(doubled, tf.IndexedSlices)
    assert [x.numpy().tolist() for x in (doubled.values, doubled.indices, doubled.dense_shape)] == [
        [[2.0, 2.0]],
        [2],
        [6, 4],
    ]


def test_keys_count_only_where_types_do():
    assert tf.nest.map_structure(lambda a, b: (a, b), {"a": 1}, {"b": 2}, check_types=False) == {
        "a": (1, 2)
    }
    with pytest.raises(TypeError, match="incompatible type"):
        tf.nest.pack_sequence_as([1, 2], {"a": 1, "b": 2})


def test_walkers_differ_in_what_they_take_for_containers():
    pairs = nest.Walker(lambda kind: nest.TUPLE if kind is tuple else None)
    assert pairs.flatten((1, ([2], {"a": 3}))) == [1, [2], {"a": 3}]
    assert pairs.map(str, (1, ([2],))) == ("1", ("[2]",))
    assert pairs.pack((0, (0, 0)), [1, 2, 3]) == (1, (2, 3))
    assert not pairs.is_nested([1])


@pytest.mark.parametrize(
    ("shallow", "structure", "error"),
    [
        ((0, 0), 1, TypeError),
        ((0, 0), {"a": 1, "b": 2}, TypeError),
        ((0, 0), (1, 2, 3), ValueError),
        ({"a": 0}, {"b": 1}, ValueError),
        ([0, (0, 0)], [1, [2]], ValueError),
    ],
    ids=repr,
)
def test_parts_are_of_structures_of_the_form(shallow, structure, error):
    assert nest.flatten_up_to([0, {"k": 0}], [[1, 2], {"k": (3,)}]) == [[1, 2], (3,)]
    with pytest.raises(error, match="does not have the form"):
        nest.flatten_up_to(shallow, structure)
