"""Classes of programs that have the names of Keras's own: files keep all of their arguments."""

import json

import h5py
import pytest

import eagerflow as tf

keras = tf.keras
layers = keras.layers


def namesake(name):
    """A layer with this name whose arguments Keras's class lacks, or has with other defaults."""

    class Layer(layers.Layer):
        def __init__(self, history=False, optional=True, groups=2, axis=0, unit=7, **kwargs):
            super().__init__(**kwargs)
            self.given = {"history": history, "optional": optional, "groups": groups}
            self.given |= {"axis": axis, "unit": unit}

        def call(self, inputs):
            """The inputs."""
            return inputs

        def get_config(self):
            """All arguments."""
            return {**super().get_config(), **self.given}

    Layer.__name__ = Layer.__qualname__ = name
    return Layer


ARGUMENTS = {"history": True, "optional": False, "groups": 1, "axis": [1], "unit": None}


@pytest.mark.parametrize("registered", [False, True])
@pytest.mark.parametrize("file", ["model.keras", "model.h5"])
@pytest.mark.parametrize(
    "name",
    [
        "MultiHeadAttention",
        "BatchNormalization",
        "Embedding",
        "SeparableConv2D",
        "TextVectorization",
    ]
    + ["GroupedQueryAttention", "Discretization", "Dense"],
)
def test_arguments_come_back(tmp_path, name, file, registered):
    cls = namesake(name)
    known = {name: cls}
    if registered:
        cls = keras.saving.register_keras_serializable(f"of_{name}_{file}")(cls)
        known = {}
    model = keras.Sequential([layers.Input((3,)), cls(**ARGUMENTS)])
    model.save(tmp_path / file)
    loaded = keras.models.load_model(tmp_path / file, known, compile=False)
    assert type(loaded.layers[-1]) is cls
    assert loaded.layers[-1].given == ARGUMENTS


def test_hdf5_files_have_no_modules_and_functional_models_by_their_name(tmp_path):
    x = layers.Input((3,))
    inner = keras.Model(x, layers.Dense(2)(x))
    outer = keras.Model(x, inner(x))
    outer.save(tmp_path / "model.h5")
    with h5py.File(tmp_path / "model.h5") as file:
        config = json.loads(file.attrs["model_config"])
    assert config["class_name"] == config["config"]["layers"][1]["class_name"] == "Functional"
    assert "module" not in config["config"]["layers"][1]
