"""Lists and dictionaries in attributes: what checkpoints save and restore of them."""

from __future__ import annotations

import copy
import json
import pickle

import pytest

import eagerflow as tf
from eagerflow_compat.internals import tracking


def _saved(tmp_path, **objects):
    return tf.train.Checkpoint(**objects).save(str(tmp_path / "saved"))


def _holder(kind):
    return tf.train.Checkpoint() if kind == "checkpoint" else getattr(tf, kind)()


@pytest.mark.parametrize("kind", ["checkpoint", "Module"])
def test_what_is_added_later_is_restored(tmp_path, kind):
    saved = _holder(kind)
    saved.listed = [tf.Variable(1.0)]
    saved.listed.append(tf.Variable(2.0))
    saved.named = {"a": {"b": [tf.Variable(3.0)]}}
    path = _saved(tmp_path, held=saved)

    fresh = _holder(kind)
    fresh.listed = []
    fresh.named = {}
    status = tf.train.Checkpoint(held=fresh).restore(path)
    first, second, third = (tf.Variable(0.0) for _ in range(3))
    fresh.listed.append(first)
    fresh.listed += [second]
    fresh.named["a"] = {"b": []}
    fresh.named["a"]["b"].append(third)
    assert [float(v) for v in (first, second, third)] == [1.0, 2.0, 3.0]
    status.assert_consumed()


_CHANGES = {
    "replace": lambda values: values.__setitem__(0, 4),
    "replace slice": lambda values: values.__setitem__(slice(0, 1), [4]),
    "delete": lambda values: values.__delitem__(0),
    "insert": lambda values: values.insert(len(values), 4),
    "pop": lambda values: values.pop(),
    "clear": lambda values: values.clear(),
    "reverse": lambda values: values.reverse(),
    "remove": lambda values: values.remove(values[0]),
}


@pytest.mark.parametrize("change", _CHANGES)
def test_lists_whose_objects_have_moved_cannot_be_saved(tmp_path, change):
    holder = tf.train.Checkpoint()
    holder.numbers = [1, 2]
    _CHANGES[change](holder.numbers)
    holder.save(str(tmp_path / "numbers"))
    holder.objects = [tf.Variable(1.0), 2]
    _CHANGES[change](holder.objects)
    with pytest.raises(ValueError, match="Unable to save the object ListWrapper"):
        holder.save(str(tmp_path / "objects"))


def test_lists_that_have_grown_can_be_saved(tmp_path):
    holder = tf.train.Checkpoint()
    holder.objects = [tf.Variable(1.0)]
    holder.objects.extend([tf.Variable(2.0), 3])
    holder.objects *= 2
    holder.objects[2] = 5
    assert len(holder.objects) == 6
    names = dict(tf.train.list_variables(holder.save(str(tmp_path / "saved"))))
    assert {f"objects/{k}/.ATTRIBUTES/VARIABLE_VALUE" for k in (0, 1)} <= names.keys()


@pytest.mark.parametrize(
    ("change", "savable"),
    [
        (lambda values: values.__setitem__("a", tf.Variable(2.0)), True),
        (lambda values: values.__delitem__("a"), True),
        (lambda values: values.update(b=tf.Variable(2.0)), True),
        (lambda values: values.setdefault("a", 2), True),
        (lambda values: values.setdefault("b", 2), False),
        (lambda values: values.pop("a"), False),
        (lambda values: values.popitem(), False),
        (lambda values: values.clear(), False),
        (lambda values: values.__setitem__(1, tf.Variable(2.0)), False),
        (lambda values: values.__setitem__(1, 2), True),
    ],
)
def test_dictionaries_that_are_changed(tmp_path, change, savable):
    holder = tf.train.Checkpoint()
    holder.named = {"a": tf.Variable(1.0)}
    change(holder.named)
    if savable:
        holder.save(str(tmp_path / "saved"))
    else:
        with pytest.raises(ValueError, match="Unable to save the object"):
            holder.save(str(tmp_path / "saved"))


def test_the_list_that_was_set_is_shared(tmp_path):
    class Stack(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.blocks = blocks = []
            self.named = named = {}
            for k in range(2):
                blocks.append(tf.keras.layers.Dense(2))
                named[f"d{k}"] = tf.keras.layers.Dense(2)

        def call(self, x):
            for block in [*self.blocks, *self.named.values()]:
                x = block(x)
            return x

    model = Stack()
    model(tf.ones((1, 2)))
    assert len(model.weights) == 8
    assert json.loads(json.dumps([1, model.named == {}])) == [1, False]
    with pytest.raises(ValueError, match="modified outside the wrapper"):
        _saved(tmp_path, model=model)
    model.blocks, model.named = list(model.blocks), dict(model.named)
    _saved(tmp_path, model=model)


def test_wrappers_are_lists_and_dictionaries():
    module = tf.Module()
    module.listed = [1, {"a": [2]}]
    module.named = {"b": [3]}
    listed, named = module.listed, module.named
    assert repr(listed) == "ListWrapper([1, DictWrapper({'a': ListWrapper([2])})])"
    assert str(named) == "{'b': ListWrapper([3])}"
    assert isinstance(listed, list) and isinstance(named, dict)
    assert [type(x).__name__ for x in (listed, named)] == ["ListWrapper", "_DictWrapper"]
    assert listed == [1, {"a": [2]}] and [1, {"a": [2]}] == listed and named == {"b": [3]}
    assert [0] + listed == [0, 1, {"a": [2]}] and type(listed + [0]) is list
    assert json.dumps([listed, named]) == '[[1, {"a": [2]}], {"b": [3]}]'
    for twin in (copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))):
        assert twin(listed) == listed and type(twin(listed)) is type(listed)
        assert twin(named) == named and type(twin(named)) is type(named)
    assert type(listed[:1]) is list and {**named} == {"b": [3]} and [*listed][0] == 1
    assert tf.nest.flatten([listed, named]) == [1, 2, 3]
    assert type(tf.nest.map_structure(lambda x: x, named)).__name__ == "_DictWrapper"
    tf.nest.assert_same_structure(listed, [0, {"a": [0]}])
    with pytest.raises(TypeError, match="unhashable"):
        hash(listed)
    module.kept = module._no_dependency([1])
    assert type(module.kept) is list


def test_functions_return_plain_containers_and_are_not_traced_for_wrappers():
    module = tf.Module()
    module.listed, module.named = [tf.constant(1)], {"a": tf.constant(2)}
    function = tf.function(lambda values: values)
    for values in ([tf.constant(0)], module.listed, {"a": tf.constant(0)}, module.named):
        assert type(function(values)) in (list, dict)
    assert function.experimental_get_tracing_count() == 2
    assert tf.stack(module.listed).numpy().tolist() == [1]


def test_packages_find_the_elements():
    module = tf.Module()
    module.listed, module.named = [1, 2], {"b": 1, "a": 2}
    assert module.listed._values == [1, 2] and module.named._values == [2, 1]


def test_mappings_only_grow():
    mapping = tracking.Mapping(a=tf.Variable(1.0))
    mapping["b"] = tf.Variable(2.0)
    with pytest.raises(ValueError, match="append-only"):
        mapping["a"] = tf.Variable(3.0)
    assert len(tracking.List([1, 2])) == 2
    with pytest.raises(TypeError):
        tracking.List(1, 2)
