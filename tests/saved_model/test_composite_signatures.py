"""Functions and signatures with ragged and sparse tensors."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.data import stored_spec
from eagerflow.framework import spec_names
from eagerflow.protos.saved_model import MESSAGES
from eagerflow.protos.structure import MESSAGES as STRUCTURED


class Doubling(tf.keras.Model):
    """A model of the program's class that takes ragged tensors."""

    def call(self, x):
        return x * 2.0


def ragged_models():
    keras, words = tf.keras, tf.ragged.constant([["a", "b"], ["c"]])
    dense, ragged = keras.Input([3]), keras.Input([None], ragged=True, name="r")
    text = keras.Input([None], ragged=True, dtype=tf.string)
    numbers = tf.ragged.constant([[1.0], [2.0, 3.0]])
    doubling = Doubling()
    doubling(numbers)
    return {
        "pair": (keras.Model([dense, ragged], [dense, ragged * 2.0]), [tf.ones([2, 3]), numbers]),
        "text": (keras.Model(text, tf.concat([text, words], axis=1)), words),
        "own class": (doubling, numbers),
    }


@pytest.mark.parametrize("name", ["pair", "text", "own class"])
def test_models_with_ragged_tensors_are_called_by_their_functions(name, tmp_path):
    model, values = ragged_models()[name]
    expected = tf.nest.flatten(model(values), expand_composites=True)
    model.save(tmp_path / "m", save_format="tf")
    loaded = tf.saved_model.load(str(tmp_path / "m"))
    parts = tf.nest.flatten(values, expand_composites=True)
    served = loaded.signatures["serving_default"]
    arguments = dict(zip(["args_0", "args_0_1", "args_0_2"], parts, strict=False))
    assert served.structured_input_signature[1].keys() == arguments.keys()
    results = served(**arguments)
    assert any(isinstance(value, tf.RaggedTensor) for value in results.values())
    assert all(value.shape[0] in (None, 2) for value in results.values())
    for outputs in (loaded(values), list(results.values())):
        found = tf.nest.flatten(outputs, expand_composites=True)
        for value, correct in zip(found, expected, strict=True):
            np.testing.assert_array_equal(value, correct)
    more = tf.ragged.constant([[1.0], [2.0], [3.0]])
    if name == "own class":
        assert loaded(more).to_list() == [[2.0], [4.0], [6.0]]
        sizes = {spec.shape.as_list()[0] for spec in served.structured_input_signature[1].values()}
        assert sizes == {None}


def test_signatures_have_composite_tensors_as_such(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda x: {"s": tf.sparse.from_dense(x), "d": x})
    concrete = module.f.get_concrete_function(tf.TensorSpec([None, 2], tf.float32))
    tf.saved_model.save(module, str(tmp_path / "m"), signatures=concrete)
    graph = MESSAGES["SavedModel"].FromString((tmp_path / "m" / "saved_model.pb").read_bytes())
    outputs = graph.meta_graphs[0].signature_def["serving_default"].outputs
    assert outputs["d"].name.endswith(":0")
    described = outputs["s"].composite_tensor
    assert described.type_spec.type_spec_class_name == "SparseTensorSpec"
    assert [part.name.rpartition(":")[2] for part in described.components] == ["1", "2", "3"]
    served = tf.saved_model.load(str(tmp_path / "m")).signatures["serving_default"]
    result = served(x=tf.constant([[0.0, 3.0]]))
    assert tf.sparse.to_dense(result["s"]).numpy().tolist() == [[0.0, 3.0]]
    assert isinstance(served.structured_outputs["s"], tf.SparseTensorSpec)


@pytest.mark.parametrize("spec", [tf.SparseTensorSpec([2, 2]), tf.RaggedTensorSpec([2, None])])
def test_names_that_programs_give_to_specs_of_tensorflow_are_not_those_of_files(spec, monkeypatch):
    monkeypatch.setitem(spec_names.NAMES, type(spec), f"program.{type(spec).__name__}")
    message = STRUCTURED["StructuredValue"]()
    stored_spec.fill_value(message, spec)
    assert message.type_spec_value.type_spec_class_name == type(spec).__name__
    assert stored_spec.read_value(message) == spec
