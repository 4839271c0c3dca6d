"""Saved models and weights: those of Keras 2 and 3, round trips, damage, mismatches."""

import json
import random
import zipfile
from pathlib import Path

import numpy as np
import pytest

import eagerflow as tf

SAVED = Path(__file__).parent / "saved"


def stored(name):
    return np.load(SAVED / f"{name}.npy")


@pytest.mark.parametrize("version", ["k2", "k3"])
@pytest.mark.parametrize("ending", ["keras", "h5"])
def test_sequential_models_of_keras(version, ending):
    model = tf.keras.models.load_model(SAVED / f"{version}_seq.{ending}")
    np.testing.assert_allclose(
        model.predict(stored(f"{version}_x"), verbose=0), stored(f"{version}_y"), atol=1e-6
    )
    assert int(model.optimizer.iterations) == 1 and len(model.optimizer.variables) == 13
    model.set_weights([weight * 0 for weight in model.get_weights()])
    model.load_weights(SAVED / f"{version}_seq.weights.h5")
    np.testing.assert_allclose(
        model.predict(stored(f"{version}_x"), verbose=0), stored(f"{version}_y"), atol=1e-6
    )


@pytest.mark.parametrize("version", ["k2", "k3"])
@pytest.mark.parametrize("ending", ["keras", "h5"])
@pytest.mark.filterwarnings("ignore:No training configuration")
def test_functional_models_of_keras(version, ending):
    model = tf.keras.models.load_model(SAVED / f"{version}_fun.{ending}")
    _, got = model.predict(stored(f"{version}_fx"), verbose=0)
    np.testing.assert_allclose(got, stored(f"{version}_fy"), atol=1e-6)


def make(compiled=True):
    inputs = tf.keras.Input((6,))
    x = tf.keras.layers.Dense(5, "relu", name="first")(inputs)
    x = tf.keras.layers.BatchNormalization()(x)
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(2, name="last")(x))
    if compiled:
        model.compile("adam", "mse", metrics=["mae"])
        model.fit(np.ones((8, 6)), np.ones((8, 2)), verbose=0)
    return model


X = np.random.default_rng(0).normal(size=(4, 6)).astype("f")


@pytest.mark.parametrize("ending", [".keras", ".h5"])
def test_models_come_back(tmp_path, ending):
    model = make()
    model.save(tmp_path / f"m{ending}")
    loaded = tf.keras.models.load_model(tmp_path / f"m{ending}")
    np.testing.assert_array_equal(loaded.predict(X, verbose=0), model.predict(X, verbose=0))
    # Training goes on as if nothing had happened.
    for each in (model, loaded):
        each.fit(X, np.zeros((4, 2)), verbose=0, shuffle=False)
    for ours, theirs in zip(loaded.get_weights(), model.get_weights(), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-6)


@pytest.mark.parametrize("name", ["w.weights.h5", "w.h5", "w", "w.safetensors", "w.npz"])
def test_weights_come_back(tmp_path, name):
    model, fresh = make(), make(compiled=False)
    model.save_weights(tmp_path / name)
    fresh.load_weights(tmp_path / name)
    np.testing.assert_array_equal(fresh.predict(X, verbose=0), model.predict(X, verbose=0))


def test_subclassed_models(tmp_path):
    class Pair(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.first = tf.keras.layers.Dense(3)
            self.rest = [tf.keras.layers.Dense(2), tf.keras.layers.Dense(1)]

        def call(self, x):
            x = self.first(x)
            for layer in self.rest:
                x = layer(x)
            return x

    model = Pair()
    expected = model(X).numpy()
    for name in ("p", "p.weights.h5", "p.h5"):
        model.save_weights(tmp_path / name)
        fresh = Pair()
        if name == "p":
            status = fresh.load_weights(tmp_path / name)  # before there are weights
            got = fresh(X).numpy()
            status.assert_consumed()
        else:
            with pytest.raises(ValueError, match="Call the Model first"):
                fresh.load_weights(tmp_path / name)
            fresh(X)
            fresh.load_weights(tmp_path / name)
            got = fresh(X).numpy()
        np.testing.assert_array_equal(got, expected)


def test_custom_objects(tmp_path):
    @tf.keras.utils.register_keras_serializable("tests")
    class Scaled(tf.keras.layers.Layer):
        def __init__(self, factor=2.0, **kwargs):
            super().__init__(**kwargs)
            self.factor = factor

        def call(self, x):
            return x * self.factor

        def get_config(self):
            return {**super().get_config(), "factor": self.factor}

    model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(6,)), Scaled(3.0)])
    for ending in (".keras", ".h5"):
        model.save(tmp_path / f"m{ending}")
        loaded = tf.keras.models.load_model(tmp_path / f"m{ending}", compile=False)
        assert loaded.layers[-1].factor == 3.0
        np.testing.assert_array_equal(loaded.predict(X, verbose=0), model.predict(X, verbose=0))


def test_mismatches_are_all_listed_and_nothing_is_loaded(tmp_path):
    make().save_weights(tmp_path / "w.h5")
    make().save_weights(tmp_path / "w.weights.h5")
    inputs = tf.keras.Input((6,))
    x = tf.keras.layers.Dense(7, name="first")(inputs)
    x = tf.keras.layers.BatchNormalization()(x)
    other = tf.keras.Model(inputs, tf.keras.layers.Dense(3, name="last")(x))
    before = other.get_weights()
    for name in ("w.h5", "w.weights.h5"):
        with pytest.raises(ValueError, match=r"(?s)none was loaded.*first|dense.*7.*3"):
            other.load_weights(tmp_path / name)
    for ours, theirs in zip(other.get_weights(), before, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("ending", [".safetensors", ".npz"])
def test_arrays_that_do_not_fit(tmp_path, ending):
    path = tmp_path / f"w{ending}"
    make(compiled=False).save_weights(path)
    other = tf.keras.Sequential([tf.keras.layers.Dense(5, input_shape=(6,))])
    with pytest.raises(ValueError, match=r"(?s)does not fit.*only in the file"):
        other.load_weights(path)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(tf.errors.DataLossError, match="is damaged"):
        other.load_weights(path)


def test_names_of_arrays(tmp_path):
    """Layers' names; those that are not the program's are counted in each model."""
    from safetensors.numpy import load_file

    def make():
        layers = tf.keras.layers
        inner = [layers.Embedding(5, 4, dtype="bfloat16"), layers.Dense(4, name="inner")]
        encoder = tf.keras.Sequential([tf.keras.Input((3,)), *inner], name="encoder")
        x = tf.keras.Input((3,))
        y = layers.Dense(2)(layers.Dense(2)(encoder(x)))
        return tf.keras.Model(x, layers.Bidirectional(layers.GRU(2), name="both")(y))

    first, second = make(), make()
    path = tmp_path / "w.safetensors"
    first.export(path, format="safetensors")
    found = load_file(path)
    assert found["encoder/embedding/embeddings"].dtype == "bfloat16"
    for name in (
        "encoder/inner/kernel",
        "dense/bias",
        "dense_1/bias",
        "both/forward_layer/cell/kernel",
    ):
        assert name in found
    assert len(found) == len(first.weights)
    second.load_weights(path)
    for ours, theirs in zip(second.get_weights(), first.get_weights(), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_by_name(tmp_path):
    model = make()
    model.save_weights(tmp_path / "w.h5")
    other = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(5, name="first", input_shape=(6,)),
            tf.keras.layers.Dense(4, name="new"),
        ]
    )
    other.load_weights(tmp_path / "w.h5", by_name=True)
    np.testing.assert_array_equal(other.layers[0].kernel, model.get_layer("first").kernel)


def test_code_in_files_is_not_run(tmp_path):
    model = tf.keras.Sequential([tf.keras.layers.Lambda(lambda x: x * 2, input_shape=(3,))])
    model.save(tmp_path / "m.keras")
    with pytest.raises(ValueError, match="safe|unsafe|lambda"):
        tf.keras.models.load_model(tmp_path / "m.keras")


@pytest.mark.parametrize("ending", [".keras", ".h5", ".weights.h5"])
def test_damaged_files(tmp_path, ending):
    model = make()
    path = tmp_path / f"m{ending}"
    (model.save_weights if "weights" in ending else model.save)(path)
    whole = path.read_bytes()
    chance = random.Random(1)
    for trial in range(40):
        if trial % 2:
            content = whole[: chance.randrange(len(whole))]
        else:
            mutated = bytearray(whole)
            for _ in range(30):
                mutated[chance.randrange(len(mutated))] = chance.randrange(256)
            content = bytes(mutated)
        path.write_bytes(content)
        try:
            if "weights" in ending:
                make(compiled=False).load_weights(path)
            else:
                tf.keras.models.load_model(path, compile=False)
        except (ValueError, OSError, KeyError, TypeError, RuntimeError, tf.errors.OpError):
            pass  # a clear refusal; anything else, such as a crash, fails the test


def test_errors(tmp_path):
    model = make()
    with pytest.raises(OSError, match="No file"):
        tf.keras.models.load_model(tmp_path / "missing.keras")
    with pytest.raises(FileNotFoundError, match="missing"):
        model.load_weights(tmp_path / "missing.h5")
    with pytest.raises(ValueError, match="save_format"):
        model.save(tmp_path / "m", save_format="pickle")
    model.save(tmp_path / "m.keras")
    with pytest.raises(FileExistsError):
        model.save(tmp_path / "m.keras", overwrite=False)
    (tmp_path / "bad.keras").write_bytes(b"nothing")
    with pytest.raises(ValueError, match="archive"):
        tf.keras.models.load_model(tmp_path / "bad.keras")
    with zipfile.ZipFile(tmp_path / "empty.keras", "w"):
        pass
    with pytest.raises(ValueError, match="archive"):
        tf.keras.models.load_model(tmp_path / "empty.keras")


def test_compiled_models_in_files_are_what_every_keras_reads(tmp_path):
    h5py = pytest.importorskip("h5py")
    keras, path = tf.keras, str(tmp_path / "model.h5")
    rows = [
        keras.layers.Embedding(10, 4, input_length=6),
        keras.layers.Bidirectional(keras.layers.LSTM(3)),
        keras.layers.Dense(1),
    ]
    model = keras.Sequential(rows)
    for optimizer, name in (
        (keras.optimizers.AdamW(0.25), "Custom>AdamW"),
        (keras.optimizers.legacy.SGD(0.25, momentum=0.5), "SGD"),
    ):
        model.compile(optimizer, "mse", metrics=[keras.metrics.MeanAbsoluteError()])
        model.fit(np.ones((4, 6), "int32"), np.ones((4, 1)), verbose=0)
        model.save(path)
        with h5py.File(path) as file:
            training = json.loads(file.attrs["training_config"])
            layers = json.loads(file.attrs["model_config"])["config"]["layers"]
        # Keras 2 knows its newest optimizers by this name, and Keras 3 no loss by a short one.
        assert training["optimizer_config"]["class_name"] == name
        assert training["loss"] == "mean_squared_error"
        # Keras 3 finds the layer inside another one by its module.
        wrapper = next(layer for layer in layers if layer["class_name"] == "Bidirectional")
        assert wrapper["config"]["layer"]["module"] == "keras.layers"
        again = keras.models.load_model(path)
        assert type(again.optimizer) is type(optimizer)
        assert float(again.optimizer.learning_rate) == 0.25
        for ours, theirs in zip(again.optimizer.variables, optimizer.variables, strict=True):
            np.testing.assert_array_equal(ours.numpy(), theirs.numpy())
    model.compile("adam", keras.losses.MeanSquaredError())
    model.save(tmp_path / "model.keras")
    with zipfile.ZipFile(tmp_path / "model.keras") as archive:
        config = json.loads(archive.read("config.json"))
    assert "reduction" not in config["compile_config"]["loss"]["config"]
    layers = config["config"]["layers"]
    assert ["batch_input_shape" in layer["config"] for layer in layers] == [True] + [False] * 3


def test_archives_leave_out_what_keras_3_does_not_know(tmp_path):
    model = make()
    model.compile(tf.keras.optimizers.Adam(), "mse")
    model.save(tmp_path / "m.keras")
    with zipfile.ZipFile(tmp_path / "m.keras") as archive:
        config = json.loads(archive.read("config.json"))
    optimizer = config["compile_config"]["optimizer"]["config"]
    assert {"jit_compile", "is_legacy_optimizer"}.isdisjoint(optimizer)


def trained_model() -> tf.keras.Model:
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
    model.compile("adam", "mse")
    model.fit(np.ones((4, 3)), np.ones((4, 2)), verbose=0)
    return model


@pytest.mark.parametrize("name", ["model", "model.h5"])
def test_optimizers_can_be_left_out(tmp_path: Path, name: str) -> None:
    model = trained_model()
    optimizer = model.optimizer
    path = str(tmp_path / name)
    model.save(path, include_optimizer=False)
    assert model.optimizer is optimizer
    model.fit(np.ones((4, 3)), np.ones((4, 2)), verbose=0)
    again = tf.keras.models.load_model(path)
    assert again.optimizer is None
    if name == "model":
        names = [n for n, _ in tf.train.list_variables(f"{path}/variables/variables")]
        assert names and not any("optimizer" in n for n in names)
    model.save(path)
    assert isinstance(tf.keras.models.load_model(path).optimizer, tf.keras.optimizers.Adam)


def test_formats_have_several_names(tmp_path: Path) -> None:
    model = trained_model()
    for number, (kind, ending, folder) in enumerate(
        [
            ("keras_v3", ".keras", False),
            ("tensorflow", "", True),
            ("hdf5", "", False),
            ("tf", ".h5", False),
        ]
    ):
        path = tmp_path / f"{number}{ending}"
        model.save(path, save_format=kind)
        assert path.is_dir() == folder
        assert tf.keras.models.load_model(path).optimizer is not None


@pytest.mark.parametrize(
    ("name", "arguments", "error", "words"),
    [
        ("m.keras", {"include_optimizer": False}, ValueError, "not supported .*include_optimizer"),
        ("m.keras", {"save_traces": True}, ValueError, "not supported .*save_traces"),
        ("m", {"save_format": "keras"}, ValueError, "expected a `.keras` extension"),
        ("m", {"save_format": "other"}, ValueError, "Unknown `save_format`"),
        ("m.h5", {"other": 1}, TypeError, "unexpected keyword argument 'other'"),
    ],
)
def test_arguments_of_other_formats_are_refused(
    tmp_path: Path, name: str, arguments: dict, error: type, words: str
) -> None:
    with pytest.raises(error, match=words):
        trained_model().save(tmp_path / name, **arguments)
    assert not (tmp_path / name).exists()


def test_checkpoints_have_no_endings_of_hdf5(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="looks like an HDF5 file"):
        trained_model().save_weights(tmp_path / "w.h5", save_format="tf")


def test_names_of_layers_that_begin_with_others(tmp_path):
    inputs = tf.keras.Input((4,))
    x = tf.keras.layers.Dense(2, name="block/dense")(inputs)
    model = tf.keras.Model(inputs, tf.keras.layers.Activation("relu", name="block")(x))
    weights = model.get_weights()
    model.save_weights(tmp_path / "w.h5")
    model.set_weights([0 * weight for weight in weights])
    model.load_weights(tmp_path / "w.h5")
    np.testing.assert_array_equal(model.get_weights()[0], weights[0])


def test_models_that_are_not_built_are_saved_with_a_warning(tmp_path):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    with pytest.warns(UserWarning, match="has not yet been built"):
        model.save(tmp_path / "m.keras")
    assert not tf.keras.models.load_model(tmp_path / "m.keras").built


def test_arguments_without_a_configuration(caplog):
    class Scaled(tf.keras.Model):
        def __init__(self, scale):
            super().__init__()
            self.scale = scale

    assert Scaled(np.int32(2)).get_config() == {}
    assert "Defaulting to empty config" in caplog.text


def test_saved_models_have_what_only_their_functions_use(tmp_path):
    class Noted(tf.keras.layers.Layer):
        def call(self, x):
            self.add_metric(tf.reduce_sum(x), name="total")
            return x

    dropout = tf.keras.layers.Dropout(0.5, force_generator=True)
    model = tf.keras.Sequential([Noted(input_shape=(4,)), dropout])
    x = np.ones([2, 4], np.float32)
    model(x, training=True)
    assert not dropout.get_weights()
    model.save(tmp_path / "model", save_format="tf")
    loaded = tf.saved_model.load(tmp_path / "model")
    (found,) = loaded.signatures["serving_default"](tf.constant(x)).values()
    assert found.numpy().tolist() == x.tolist()
    names = [name for name, _ in tf.train.list_variables(tmp_path / "model/variables/variables")]
    assert any("_random_generator" in name for name in names)
    assert any("_metrics/0/total" in name for name in names)
    # Files of weights do not have them.
    model.save_weights(tmp_path / "weights")
    assert len(tf.train.list_variables(tmp_path / "weights")) < len(names)


@tf.keras.saving.register_keras_serializable("saved arguments")
class Grouped(tf.keras.layers.Layer):
    """A layer whose arguments have names and values that files of Keras's own layers leave out."""

    def __init__(self, groups=4, optional=True, noise_shape=(1,), **kwargs):
        super().__init__(**kwargs)
        self.groups, self.optional, self.noise_shape = groups, optional, noise_shape

    def get_config(self):
        own = {"groups": self.groups, "optional": self.optional, "noise_shape": self.noise_shape}
        return {**super().get_config(), **own}

    def call(self, inputs):
        return inputs


@pytest.mark.parametrize("extension", ["keras", "h5", "tf"])
@pytest.mark.parametrize("groups", [1, 2, 4])
def test_arguments_that_other_classes_have_by_default(groups, extension, tmp_path):
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Conv1D(4, 1, groups=groups, input_shape=(3, 4)),
            tf.keras.layers.GroupNormalization(groups),
            Grouped(groups, optional=False, noise_shape=None),
        ]
    )
    path = tmp_path / ("model" if extension == "tf" else f"model.{extension}")
    model.save(path, save_format=extension)
    loaded = tf.keras.models.load_model(path)
    assert [layer.groups for layer in loaded.layers] == [groups] * 3
    assert loaded.layers[2].optional is False and loaded.layers[2].noise_shape is None
    x = np.random.default_rng(0).normal(size=[2, 3, 4]).astype("f")
    np.testing.assert_array_equal(loaded(x), model(x))
