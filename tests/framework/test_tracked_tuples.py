"""Tuples that attributes of modules hold: those with objects have the class that TensorFlow wraps them in."""

import copy
import pickle
from collections import namedtuple

import pytest

import eagerflow as tf

Pair = namedtuple("Pair", "a b")


def held(value):
    module = tf.Module()
    module.value = value
    return module.value


@pytest.mark.parametrize("value", [(), (1, 2), ("a", None), ((1,), (2.0,))])
def test_tuples_without_objects_stay(value):
    assert type(held(value)) is tuple and held(value) is value


@pytest.mark.parametrize(
    "make",
    [
        lambda: (tf.Module(), tf.Module()),
        lambda: (1, tf.Variable(2.0)),
        lambda: ([1], 2),
        lambda: ({"a": 1},),
        lambda: ((tf.Variable(1.0),), "x"),
    ],
)
def test_tuples_with_objects_are_wrapped_and_are_tuples(make):
    value = make()
    found = held(value)
    assert type(found).__name__ == "_TupleWrapper" and isinstance(found, tuple)
    assert len(found) == len(value) and type(found[:1]) is tuple and type(found + (3,)) is tuple
    assert repr(value[-1]) == repr(found[-1]) or found[-1] == value[-1]
    assert tf.nest.flatten(found) == tf.nest.flatten(value)
    tf.nest.assert_same_structure(found, value)
    tf.nest.assert_same_structure(value, found)
    assert type(tf.nest.map_structure(lambda leaf: leaf, found)) is tuple
    with pytest.raises(TypeError, match="sequence type"):
        tf.nest.assert_same_structure(found, list(value))


def test_named_tuples_stay():
    assert type(held(Pair(1, tf.Variable(2.0)))) is Pair


def test_lists_and_dictionaries_wrap_their_tuples():
    module = tf.Module()
    module.items, module.named = [(tf.Variable(1.0), 2)], {"a": (tf.Variable(3.0),)}
    assert type(module.items[0]).__name__ == type(module.named["a"]).__name__ == "_TupleWrapper"
    assert [float(v) for v in module.variables] == [1.0, 3.0]


def test_copies_and_checkpoints(tmp_path):
    module = tf.Module()
    module.parts = (tf.Variable(1.0), [tf.Variable(2.0)])
    path = tf.train.Checkpoint(module=module).save(str(tmp_path / "c"))
    names = [name for name, _ in tf.train.list_variables(path)]
    assert [name.partition("/.A")[0] for name in names[1:3]] == [
        "module/parts/0",
        "module/parts/1/0",
    ]
    again = copy.deepcopy(module)
    again.parts[0].assign(5.0)
    assert float(module.parts[0]) == 1.0 and type(again.parts) is type(module.parts)
    tf.train.Checkpoint(module=again).restore(path).assert_consumed()
    assert float(again.parts[0]) == 1.0
    plain = held(([1], 2))
    assert pickle.loads(pickle.dumps(plain)) == ([1], 2)


def test_functions_are_traced_once_for_either():
    traces = []

    @tf.function
    def total(pair):
        traces.append(type(pair))
        return pair[0]["a"] + pair[1]

    value = ({"a": tf.constant(1.0)}, tf.constant(2.0))
    assert float(total(held(value))) == float(total(value)) == 3.0
    assert traces == [tuple]
