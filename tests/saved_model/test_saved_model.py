"""SavedModels: objects, variables and Keras models, written and read."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.saved_model.signatures import SignatureFunction


def test_modules(tmp_path):
    module = tf.Module()
    module.v = tf.Variable([1.0, 2.0], name="v")
    module.fixed = tf.Variable(3, trainable=False)
    module.parts = [tf.Variable(4.0), {"inner": (tf.Variable("text"),)}]
    tf.saved_model.save(module, tmp_path / "m")
    assert tf.saved_model.contains_saved_model(tmp_path / "m")
    loaded = tf.saved_model.load(str(tmp_path / "m"))
    assert loaded.v.numpy().tolist() == [1.0, 2.0] and loaded.v.name == "v:0"
    assert int(loaded.fixed) == 3 and not loaded.fixed.trainable
    assert float(loaded.parts[0]) == 4.0
    assert loaded.parts[1]["inner"][0].numpy() == b"text"
    assert len(loaded.trainable_variables) == 3


@pytest.mark.parametrize("kind", ["sequential", "functional"])
def test_keras_models(tmp_path, kind):
    if kind == "sequential":
        model = tf.keras.Sequential([tf.keras.layers.Dense(3, "relu"), tf.keras.layers.Dense(2)])
        model.build((None, 4))
    else:
        inputs = tf.keras.Input((4,))
        model = tf.keras.Model(inputs, tf.keras.layers.Dense(2)(inputs))
    model.compile("adam", "mse")
    x = np.random.default_rng(0).normal(size=(5, 4)).astype("f")
    model.fit(x, np.ones((5, 2)), verbose=0)
    model.save(tmp_path / "m")
    for load in (tf.keras.models.load_model, tf.saved_model.load):
        loaded = load(tmp_path / "m")
        np.testing.assert_array_equal(loaded(x), model(x))


def test_misuse(tmp_path):
    with pytest.raises(OSError, match="does not exist"):
        tf.saved_model.load(tmp_path / "nothing")
    with pytest.raises(ValueError, match="Trackable"):
        tf.saved_model.save(3, tmp_path / "m")
    module = tf.Module()
    module.v = tf.Variable(1)
    tf.saved_model.save(module, tmp_path / "m")
    with pytest.raises(ValueError, match="tags"):
        tf.saved_model.load(tmp_path / "m", tags=["train"])
    (tmp_path / "m" / "saved_model.pb").write_bytes(b"\xff\xff\xff")
    with pytest.raises(tf.errors.DataLossError, match="saved_model.pb"):
        tf.saved_model.load(tmp_path / "m")


def test_a_loaded_keras_model_goes_on_training(tmp_path):
    x, y = np.ones((4, 2), np.float32), np.ones((4, 1), np.float32)
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile(tf.keras.optimizers.Adam(0.1), "mse", metrics=["mae"])
    model.fit(x, y, epochs=2, verbose=0)
    model.save(tmp_path / "m")
    loaded = tf.keras.models.load_model(tmp_path / "m")
    assert int(loaded.optimizer.iterations) == 2
    expected = model.fit(x, y, epochs=2, verbose=0).history
    assert loaded.fit(x, y, epochs=2, verbose=0).history == expected
    plain = tf.keras.models.load_model(tmp_path / "m", compile=False)
    with pytest.raises(RuntimeError, match="compile"):
        plain.fit(x, y)


def test_signatures_of_keras_models():
    first, second = tf.keras.Input((3,), name="b"), tf.keras.Input((3,), name="a")
    total = tf.keras.layers.Add(name="total")([first, second])
    twice = tf.keras.layers.Lambda(lambda x: 2 * x, name="twice")(first)
    model = tf.keras.Model([first, second], [total, twice])
    found = SignatureFunction(model)
    assert found.structured_input_signature[1]["a"].shape.as_list() == [None, 3]
    results = found(a=tf.ones([1, 3]), b=[[1.0, 2.0, 3.0]])
    assert results["total"].numpy().tolist() == [[2.0, 3.0, 4.0]]
    assert results["twice"].numpy().tolist() == [[2.0, 4.0, 6.0]]
    with pytest.raises(TypeError, match="takes the inputs"):
        found(a=tf.ones([1, 3]))
    with pytest.raises(TypeError, match="got a tensor of shape"):
        found(a=tf.ones([1, 3]), b=tf.ones([1, 2]))


def test_a_loaded_keras_model_has_its_signature(tmp_path):
    dense = tf.keras.layers.Dense(2, kernel_initializer="ones", name="out")
    model = tf.keras.Sequential([tf.keras.Input((3,), name="given"), dense])
    tf.saved_model.save(model, tmp_path / "m")
    signatures = tf.saved_model.load(tmp_path / "m").signatures
    assert list(signatures) == ["serving_default"] and len(signatures) == 1
    serve = signatures["serving_default"]
    assert serve.structured_outputs["out"].shape.as_list() == [None, 2]
    for result in (serve(tf.ones([1, 3])), serve(given=tf.ones([1, 3]))):
        assert result["out"].numpy().tolist() == [[3.0, 3.0]]


def test_variables_of_any_size(tmp_path):
    """A loaded variable has the sizes that were saved, and takes values of others."""
    module = tf.Module()
    module.v = tf.Variable(tf.zeros([2, 0]), shape=[2, None])
    module.v.assign(tf.ones([2, 3]))
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert loaded.v.shape.as_list() == [2, None]
    assert loaded.v.numpy().tolist() == [[1.0] * 3] * 2
    loaded.v.assign(tf.zeros([2, 1]))
