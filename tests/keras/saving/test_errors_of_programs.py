"""What a class of the program raises for a file's configuration is not taken for damage of the file."""

import json

import pytest

import eagerflow as tf


class Refusing(tf.keras.layers.Dense):
    """A layer that refuses its configuration while it is loaded."""

    error: type[Exception] | None = None

    @classmethod
    def from_config(cls, config):
        if cls.error is not None:
            raise cls.error("the program's own reason")
        return super().from_config(config)


def as_json(model, path):
    path.write_text(model.to_json())


def of_json(path, known):
    return tf.keras.models.model_from_json(path.read_text(), custom_objects=known)


def saved(model, path):
    model.save(path)


def loaded(path, known):
    return tf.keras.models.load_model(path, custom_objects=known)


FORMATS = {
    "model.keras": (saved, loaded),
    "model.h5": (saved, loaded),
    "m.json": (as_json, of_json),
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("error", [KeyError, AttributeError, OverflowError, json.JSONDecodeError])
@pytest.mark.parametrize("file", FORMATS)
@pytest.mark.parametrize("wrapped", [False, True])
def test_the_error_is_the_programs(tmp_path, monkeypatch, file, error, wrapped):
    save, load = FORMATS[file]
    layer = Refusing(2, name="refusing")
    if wrapped:
        layer = tf.keras.layers.TimeDistributed(layer, name="wrapper")
    shape = [3, 2] if wrapped else [2]
    save(tf.keras.Sequential([tf.keras.Input(shape), layer]), tmp_path / file)
    raised = error if error is not json.JSONDecodeError else lambda text: error(text, "{", 0)
    monkeypatch.setattr(Refusing, "error", raised)
    with pytest.raises(error, match="the program's own reason") as caught:
        load(tmp_path / file, {"Refusing": Refusing})
    assert type(caught.value) is error


class Passing(tf.keras.layers.Layer):
    """A layer that makes one of Keras from a part of its configuration."""

    @classmethod
    def from_config(cls, config):
        tf.keras.layers.deserialize(
            {"class_name": "Conv2D", "config": {"filters": 2, "kernel_size": {}}}
        )
        return cls(**config)


@pytest.mark.parametrize("file", ["model.keras", "model.h5"])
def test_what_keras_raises_inside_is_damage(tmp_path, monkeypatch, file):
    tf.keras.Sequential([tf.keras.Input([2]), Passing(name="passing")]).save(tmp_path / file)
    error = KeyError("a key that the file lacks")

    def from_config(config):
        raise error

    monkeypatch.setattr(tf.keras.layers.Conv2D, "from_config", from_config)
    with pytest.raises(tf.errors.DataLossError, match="a key that the file lacks"):
        tf.keras.models.load_model(tmp_path / file, custom_objects={"Passing": Passing})
