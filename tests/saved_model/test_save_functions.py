"""SavedModels with functions, written and read here; `tests/oracle/files.py` asks TensorFlow."""

import numpy as np
import pytest

import eagerflow as tf
from saved_model import modules


def test_functions_come_back(tmp_path):
    module = modules.make(tf, None)
    signatures = {"serving_default": module.look_up, "loop": module.loop}
    tf.saved_model.save(module, tmp_path / "m", signatures=signatures)
    modules.check(tf, tf.saved_model.load(tmp_path / "m"))


def test_what_is_loaded_can_be_saved_again(tmp_path):
    class Outer(tf.Module):
        def __init__(self, loaded):
            super().__init__()
            self.loaded = loaded

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def run(self, x):
            return self.loaded.structured(x)["y"] + 1.0

    module = modules.make(tf, None)
    tf.saved_model.save(module, tmp_path / "a", signatures={"serving_default": module.loop})
    outer = Outer(tf.saved_model.load(tmp_path / "a"))
    tf.saved_model.save(outer, tmp_path / "b")
    loaded = tf.saved_model.load(tmp_path / "b")
    assert loaded.run(tf.constant([1.0])).numpy().tolist() == [4.0]
    assert loaded.signatures["serving_default"](tf.constant([2.0]))["output_0"].numpy() == [7.0]


def test_functions_that_were_loaded_are_saved_again(tmp_path):
    module = modules.make(tf, None)
    signatures = {"serving_default": module.look_up, "loop": module.loop}
    tf.saved_model.save(module, tmp_path / "a", signatures=signatures)
    loaded = tf.saved_model.load(tmp_path / "a")
    signatures = {"serving_default": loaded.look_up, "loop": loaded.signatures["loop"]}
    tf.saved_model.save(loaded, tmp_path / "b", signatures=signatures)
    modules.check(tf, tf.saved_model.load(tmp_path / "b"))


class Plain(tf.Module):
    def __init__(self):
        super().__init__()
        self.v = tf.Variable(2.0)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32, name="given")])
    def double(self, x):
        return self.v * x


def test_signatures(tmp_path):
    module = Plain()
    tf.saved_model.save(module, tmp_path / "default")
    loaded = tf.saved_model.load(tmp_path / "default")
    signature = loaded.signatures["serving_default"]
    assert signature(given=tf.constant([3.0]))["output_0"].numpy().tolist() == [6.0]
    assert list(signature.structured_input_signature[1]) == ["given"]
    named = tf.function(lambda a, b: {"sum": a + b, "first": a})
    spec = tf.TensorSpec([], tf.int32)
    concrete = named.get_concrete_function(spec, b=spec)
    tf.saved_model.save(module, tmp_path / "named", signatures={"add": concrete})
    loaded = tf.saved_model.load(tmp_path / "named")
    result = loaded.signatures["add"](a=tf.constant(1), b=tf.constant(2))
    assert {key: int(value) for key, value in result.items()} == {"first": 1, "sum": 3}


def test_misuse_is_refused_before_anything_is_written(tmp_path):
    module = Plain()
    for signatures, text in [
        ({"a": 5}, "but got 5"),
        (tf.function(lambda x: x), "0 traces"),
        (
            tf.function(lambda: [[tf.constant(1)]], input_signature=[]),
            "non-Tensor value",
        ),
    ]:
        with pytest.raises(ValueError, match=text):
            tf.saved_model.save(module, tmp_path / "m", signatures=signatures)
    stray = tf.Variable(1.0)
    module.uses = tf.function(lambda: stray + 1.0, input_signature=[])
    with pytest.raises(AssertionError, match="'untracked' resource"):
        tf.saved_model.save(module, tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_python_is_refused_by_function_and_line(tmp_path):
    module = Plain()

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def calls_python(x):
        return tf.py_function(lambda value: value, [x], tf.float32)

    module.bad = calls_python
    with pytest.raises(tf.errors.UnimplementedError, match="test_save_functions.py.*calls_python"):
        tf.saved_model.save(module, tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_assets_are_copied(tmp_path):
    (tmp_path / "words.txt").write_text("a\n")
    module = Plain()
    module.words = tf.saved_model.Asset(str(tmp_path / "words.txt"))
    tf.saved_model.save(module, tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    assert tf.io.read_file(loaded.words).numpy() == b"a\n"
    assert str(tmp_path / "m") in loaded.words.numpy().decode()


def test_keras_models_can_be_called_without_keras(tmp_path):
    layers = tf.keras.layers
    inputs = tf.keras.Input((3,), name="features")
    x = layers.BatchNormalization()(layers.Dense(4, "swish")(inputs))
    model = tf.keras.Model(inputs, layers.Dense(2, name="out")(layers.Dropout(0.5)(x)))
    model.compile("adam", "mse")
    data = np.ones((4, 3), "f")
    model.fit(data, np.ones((4, 2)), verbose=0)
    model.save(tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    expected = model(data).numpy()
    np.testing.assert_allclose(loaded(data, training=False), expected, rtol=1e-5)
    result = loaded.signatures["serving_default"](features=tf.constant(data))
    np.testing.assert_allclose(result["out"], expected, rtol=1e-5)
    assert loaded(data, training=True).shape == [4, 2]
    again = tf.keras.models.load_model(tmp_path / "m")
    again.fit(data, np.ones((4, 2)), verbose=0)
