"""Models whose inputs and outputs have structures, saved and restored in every way."""

from collections import OrderedDict, namedtuple
from pathlib import Path

import numpy as np
import pytest

import eagerflow as tf

keras = tf.keras
Pair = namedtuple("Pair", "first second")

STRUCTURES = {
    "one": lambda a, b, c: a,
    "list-of-one": lambda a, b, c: [a],
    "tuple-of-one": lambda a, b, c: (a,),
    "dict-of-one": lambda a, b, c: {"k": a},
    "list": lambda a, b, c: [a, b],
    "tuple": lambda a, b, c: (a, b),
    "dict": lambda a, b, c: {"z": a, "k": b},
    "ordered-dict": lambda a, b, c: OrderedDict([("z", a), ("k", b)]),
    "named-tuple": lambda a, b, c: Pair(a, b),
    "three": lambda a, b, c: (a, b, c),
    "tuple-in-list": lambda a, b, c: [(a, b), c],
    "list-in-tuple": lambda a, b, c: ([a, b], c),
    "nested-dicts": lambda a, b, c: {"p": {"q": a}, "r": [b, (c,)]},
    "nested-named-tuple": lambda a, b, c: Pair([a], {"k": b}),
    "mixed": lambda a, b, c: [{"u": a}, (b,), OrderedDict([("z", c)])],
    "deep": lambda a, b, c: ([({"p": (a, [b])},)], Pair((), (c,))),
}


def made(inputs: str, outputs: str):
    keras.utils.set_random_seed(1)
    tensors = STRUCTURES[inputs](*(keras.Input([2], name=name) for name in "abc"))
    flat = tf.nest.flatten(tensors)
    first, last = flat[0], flat[-1]
    results = (
        keras.layers.Dense(1, name="dense")(first),
        keras.layers.Add(name="add")([first, last]),
        keras.layers.ReLU(name="relu")(last),
    )
    return keras.Model(tensors, STRUCTURES[outputs](*results))


def file(name: str):
    def restored(model, folder: Path):
        model.save(folder / name, **({} if "." in name else {"save_format": "tf"}))
        return keras.models.load_model(folder / name)

    return restored


def json_and_weights(model, folder: Path):
    restored = keras.models.model_from_json(model.to_json())
    restored.set_weights(model.get_weights())
    return restored


def configuration(model, folder: Path):
    restored = type(model).from_config(model.get_config())
    restored.set_weights(model.get_weights())
    return restored


def clone(model, folder: Path):
    restored = keras.models.clone_model(model)
    restored.set_weights(model.get_weights())
    return restored


def inside_another(model, folder: Path):
    """As the only layer of a saved model."""
    tensors = tf.nest.map_structure(lambda tensor: keras.Input([2]), model._graph.nested_inputs)
    return file("outer.keras")(keras.Model(tensors, model(tensors)), folder)


WAYS = {
    "keras": file("model.keras"),
    "h5": file("model.h5"),
    "saved-model": file("model"),
    "json": json_and_weights,
    "config": configuration,
    "clone": clone,
    "inside": inside_another,
}
CASES = [(name, name) for name in STRUCTURES]
CASES += [("one", "tuple"), ("tuple", "one"), ("tuple", "nested-dicts"), ("nested-dicts", "tuple")]


def shape_of(value) -> object:
    """A structure's containers with their types, and its leaves as lists."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value).__name__, value._fields, [shape_of(item) for item in value]
    if isinstance(value, list | tuple):
        return type(value), [shape_of(item) for item in value]
    if isinstance(value, dict):
        return type(value), [(key, shape_of(item)) for key, item in value.items()]
    return np.asarray(value).tolist()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("inputs", "outputs"), CASES)
@pytest.mark.filterwarnings("ignore:No training configuration")
def test_restored_models_have_the_structures_that_were_saved(inputs, outputs, way, tmp_path):
    model = made(inputs, outputs)
    data = STRUCTURES[inputs](*(tf.constant([[k, -1.0], [0.5, k]]) for k in range(3)))
    expected = model(data)
    restored = WAYS[way](model, tmp_path)
    assert shape_of(restored(data)) == shape_of(expected)
    again = WAYS[way](restored, tmp_path)
    assert shape_of(again(data)) == shape_of(expected)


@pytest.mark.parametrize("kind", ["keras", "h5"])
def test_keys_that_are_no_text_stay(kind, tmp_path):
    a = keras.Input([2])
    model = keras.Model(a, {0: keras.layers.ReLU()(a), 7: (a * 2,)})
    restored = WAYS[kind](model, tmp_path)
    assert shape_of(restored(tf.ones([1, 2]))) == shape_of(model(tf.ones([1, 2])))


def test_changed_parts_of_a_configuration_win():
    config = made("one", "tuple").get_config()
    config["output_layers"] = [["add", 0, 0], ["add", 0, 0], ["dense", 0, 0]]
    outputs = keras.Model.from_config(config)(tf.ones([1, 2]))
    assert type(outputs) is list
    assert len(outputs) == 3
