"""Optimizers' states in the order of Keras 3's files."""

import json
import zipfile

import h5py
import numpy as np
import pytest

import eagerflow as tf

k = tf.keras
X, Y = np.ones((8, 3), np.float32), np.ones((8, 1), np.float32)


def trained(optimizer):
    model = k.Sequential([k.layers.Dense(1, input_shape=(3,))])
    model.compile(optimizer, "mse")
    model.fit(X, Y, batch_size=4, verbose=0)
    return model


def stored(path):
    with zipfile.ZipFile(path) as archive, archive.open("model.weights.h5") as file:
        with h5py.File(file, "r") as tree:
            group = tree["optimizer/vars"]
            return [group[str(n)][()] for n in range(len(group))]


SCHEDULE = k.optimizers.schedules.ExponentialDecay(0.1, 10, 0.9)


# The numbers of values are those of Keras 3.15 for two weights.
@pytest.mark.parametrize(
    "optimizer, count",
    [
        (k.optimizers.Adam(0.1), 6),
        (k.optimizers.Adam(SCHEDULE), 5),
        (k.optimizers.SGD(0.1), 2),
        (k.optimizers.SGD(0.1, momentum=0.9), 4),
        (k.optimizers.SGD(SCHEDULE), 1),
        (k.optimizers.Nadam(0.1), 7),
    ],
)
def test_files_in_the_order_of_keras_3(tmp_path, optimizer, count):
    model = trained(optimizer)
    model.save(tmp_path / "m.keras", keras_version=3)
    values = stored(tmp_path / "m.keras")
    assert len(values) == count and values[0] == 2
    if optimizer.get_config()["learning_rate"] == pytest.approx(0.1):
        assert values[1] == np.float32(0.1)
    loaded = k.models.load_model(tmp_path / "m.keras").optimizer
    assert int(loaded.iterations) == 2
    for ours, theirs in zip(loaded.variables, optimizer.variables, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_nadams_product_of_momenta(tmp_path):
    trained(k.optimizers.Nadam(0.1)).save(tmp_path / "m.keras", keras_version=3)
    expected = 0.9 * (1 - 0.5 * 0.96) * 0.9 * (1 - 0.5 * 0.96**2)
    np.testing.assert_allclose(stored(tmp_path / "m.keras")[-1], expected, rtol=1e-6)


def test_versions_of_files(tmp_path):
    model = trained("adam")
    for version, first in ((2, "2"), (3, "3")):
        model.save(tmp_path / "m.keras", keras_version=version)
        with zipfile.ZipFile(tmp_path / "m.keras") as archive:
            assert json.loads(archive.read("metadata.json"))["keras_version"].startswith(first)
    with pytest.raises(ValueError, match="must be 2 or 3"):
        model.save(tmp_path / "m.keras", keras_version=4)
    with pytest.raises(TypeError, match="keras_version"):
        model.save(tmp_path / "m.h5", keras_version=3)
