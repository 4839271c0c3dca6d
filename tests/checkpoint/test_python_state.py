"""Objects that write their state as text into checkpoints."""

import json

import pytest

import eagerflow as tf


class Settings(tf.train.experimental.PythonState):
    def __init__(self, **values):
        self.values = values

    def serialize(self):
        return json.dumps(self.values)

    def deserialize(self, string_value):
        self.values = json.loads(string_value)


def test_text_is_saved_beside_variables(tmp_path):
    saved = tf.train.Checkpoint(settings=Settings(depth=3), step=tf.Variable(4))
    path = saved.save(str(tmp_path / "model"))
    names = [name for name, _ in tf.train.list_variables(path)]
    assert "settings/.ATTRIBUTES/py_state" in names
    restored = tf.train.Checkpoint(settings=Settings(), step=tf.Variable(0))
    restored.restore(path).assert_consumed()
    assert restored.settings.values == {"depth": 3} and restored.step.numpy() == 4


def test_text_waits_for_its_object(tmp_path):
    path = tf.train.Checkpoint(settings=Settings(depth=3)).save(str(tmp_path / "model"))
    late = tf.train.Checkpoint()
    late.restore(path)
    late.settings = Settings()
    assert late.settings.values == {"depth": 3}


def test_both_directions_have_to_be_defined():
    with pytest.raises(TypeError, match="abstract"):
        tf.train.experimental.PythonState()
