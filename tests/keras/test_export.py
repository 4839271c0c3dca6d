"""Models as SavedModels for inference: `export`, ExportArchive, TFSMLayer."""

import numpy as np
import pytest

import eagerflow as tf

K = tf.keras
X = np.linspace(-1, 1, 12, dtype="f").reshape(4, 3)


def model(inputs=1):
    given = [K.Input((3,), name=f"in{k}") for k in range(inputs)]
    x = K.layers.Add()(given) if inputs > 1 else given[0]
    x = K.layers.BatchNormalization()(K.layers.Dense(4, "relu")(x))
    return K.Model(given if inputs > 1 else given[0], K.layers.Dense(2)(K.layers.Dropout(0.5)(x)))


def test_exported_models_serve(tmp_path):
    made = model()
    made.export(tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    np.testing.assert_allclose(loaded.serve(X), made(X), rtol=1e-5)
    assert sorted(loaded.signatures) == ["serve", "serving_default"]
    (result,) = loaded.signatures["serving_default"](tf.constant(X)).values()
    np.testing.assert_allclose(result, made(X), rtol=1e-5)
    assert len(loaded._trainable_variables) == 6


def test_models_of_several_inputs(tmp_path):
    made = model(2)
    made.export(tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    np.testing.assert_allclose(loaded.serve([X, X]), made([X, X]), rtol=1e-5)


def test_archives_of_several_endpoints(tmp_path):
    made = model()
    archive = K.export.ExportArchive()
    archive.track(made)
    spec = tf.TensorSpec([None, 3], tf.float32)
    archive.add_endpoint("call", lambda x: made(x, training=False), [spec])
    archive.add_endpoint("train", lambda x: made(x, training=True), [spec])
    traced = tf.function(lambda x: {"twice": x * 2.0})
    with pytest.raises(ValueError, match="you must provide an `input_signature`"):
        archive.add_endpoint("twice", traced)
    traced(tf.constant([1.0]))
    archive.add_endpoint("twice", traced)
    with pytest.raises(ValueError, match="already taken"):
        archive.add_endpoint("call", made.__call__, [spec])
    archive.add_variable_collection("kernels", [made.weights[0]])
    archive.write_out(tmp_path / "m")
    np.testing.assert_allclose(archive.call(X), made(X), rtol=1e-5)
    loaded = tf.saved_model.load(tmp_path / "m")
    assert sorted(loaded.signatures) == ["call", "serving_default", "train", "twice"]
    assert loaded.twice(tf.constant([3.0]))["twice"].numpy().tolist() == [6.0]
    np.testing.assert_array_equal(loaded.kernels[0], made.weights[0])
    layer = K.layers.TFSMLayer(tmp_path / "m", "call", "train")
    np.testing.assert_allclose(layer(X), made(X), rtol=1e-5)
    before = [w.numpy() for w in layer.non_trainable_weights]
    layer(X, training=True)
    assert any(
        not np.array_equal(a, b) for a, b in zip(before, layer.non_trainable_weights, strict=True)
    )


def test_layers_of_saved_models_train(tmp_path):
    model().export(tmp_path / "m")
    layer = K.layers.TFSMLayer(tmp_path / "m", call_endpoint="serve")
    whole = K.Sequential([K.Input((3,)), layer, K.layers.Dense(1)])
    assert len(whole.trainable_weights) == 8
    whole.compile(K.optimizers.Adam(0.05), "mse")
    losses = whole.fit(X, X[:, :1], epochs=20, verbose=0).history["loss"]
    assert losses[-1] < losses[0] / 2
    frozen = K.layers.TFSMLayer(tmp_path / "m", call_endpoint="serve", trainable=False)
    assert not frozen.trainable_weights


def test_misuse():
    archive = K.export.ExportArchive()
    with pytest.raises(ValueError, match="No endpoints"):
        archive.write_out("/nowhere")
    with pytest.raises(ValueError, match="Invalid resource type"):
        archive.track(3)
    with pytest.raises(ValueError, match="not yet been built"):
        archive.track(K.layers.Dense(2))
    with pytest.raises(ValueError, match="list/tuple/set"):
        archive.add_variable_collection("v", tf.Variable(1.0))
    with pytest.raises(ValueError, match="at least once"):
        K.Sequential([K.layers.Dense(2)]).export("/nowhere")


TEXTS = np.array([["a"], ["b c"], ["zz"]])
NUMBERS = np.array([[3], [5], [6]])
PREPROCESSING = {
    "words": (lambda: K.layers.StringLookup(vocabulary=["a", "b"], output_mode="one_hot"), TEXTS),
    "shared ids": (lambda: K.layers.StringLookup(vocabulary=["a"], num_oov_indices=3), TEXTS),
    "masked": (lambda: K.layers.StringLookup(vocabulary=["a"], mask_token="zz"), TEXTS),
    "texts": (
        lambda: K.layers.TextVectorization(vocabulary=["a", "b", "c"], output_sequence_length=4),
        TEXTS,
    ),
    "factors": (
        lambda: K.layers.TextVectorization(
            vocabulary=["a", "b", "c"], output_mode="tf_idf", idf_weights=[1.0, 2.0, 3.0]
        ),
        TEXTS,
    ),
    "hashes": (lambda: K.layers.Hashing(5), TEXTS),
    "integers": (lambda: K.layers.IntegerLookup(vocabulary=[3, 5]), NUMBERS),
    "names": (lambda: K.layers.StringLookup(vocabulary=["a", "b"], invert=True), NUMBERS),
    "vectors": (lambda: K.layers.CategoryEncoding(7, "multi_hot"), NUMBERS),
    "bins": (lambda: K.layers.Discretization([4.0, 5.5]), NUMBERS),
}


@pytest.mark.parametrize("kind", PREPROCESSING)
def test_preprocessing_is_exported(kind, tmp_path):
    make, x = PREPROCESSING[kind]
    dtype = "string" if x is TEXTS else "int64"
    made = K.Sequential([K.Input((1,), dtype=dtype), make()])
    made.export(tmp_path / "m")
    x = tf.constant(x)
    found = tf.saved_model.load(tmp_path / "m").serve(x)
    assert found.numpy().tolist() == made(x).numpy().tolist()
    assert b"PyFunc" not in (tmp_path / "m" / "saved_model.pb").read_bytes()


def test_crossed_features_are_exported(tmp_path):
    given = [K.Input((1,), dtype="string"), K.Input((1,), dtype="int64")]
    made = K.Model(given, K.layers.HashedCrossing(7)(given))
    made.export(tmp_path / "m")
    x = [tf.constant(TEXTS), tf.constant(NUMBERS)]
    found = tf.saved_model.load(tmp_path / "m").serve(x)
    assert found.numpy().tolist() == made(x).numpy().tolist()


def test_models_without_inputs_are_exported_as_they_were_called(tmp_path):
    class Model(K.Model):
        def __init__(self):
            super().__init__()
            self.dense = K.layers.Dense(2)

        def call(self, x, training=False):
            return self.dense(x["p"]) + self.dense(x["q"])

    made = Model()
    x = {"p": tf.constant(X), "q": tf.constant(X)}
    made(x)
    made.export(tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    np.testing.assert_allclose(loaded.serve(x), made(x), rtol=1e-5)
    assert sorted(loaded.signatures["serve"].structured_input_signature[1]) == ["p", "q"]


def test_arguments_of_keras_3(tmp_path, capsys):
    made = model()
    spec = [tf.TensorSpec([5, 3])]
    made.export(tmp_path / "m", format="tf_saved_model", verbose=True, input_signature=spec)
    assert "Endpoint 'serve'" in capsys.readouterr().out
    loaded = tf.saved_model.load(tmp_path / "m")
    assert loaded.serve(tf.ones((5, 3))).shape == (5, 2)
    with pytest.raises(ValueError, match="format=tflite"):
        made.export(tmp_path / "n", format="tflite")
    archive = K.export.ExportArchive()
    archive.track_and_add_endpoint("call", made, [tf.TensorSpec([None, 3])])
    archive.write_out(tmp_path / "a", verbose=False)
    assert tf.saved_model.load(tmp_path / "a").call(X).shape == (4, 2)
