"""Callbacks around a small training; numbers and texts are those of tf_keras."""

import csv
import http.server
import json
import re
import threading

import numpy as np
import pytest

import eagerflow as tf

callbacks = tf.keras.callbacks


def data():
    x = np.random.RandomState(0).rand(100, 4).astype("float32")
    return x, (x.sum(1) > 2).astype("int32")


def make_model(rate=0.1):
    layers = tf.keras.layers
    start = tf.keras.initializers.Constant(0.1)
    model = tf.keras.Sequential(
        [
            layers.Dense(8, activation="relu", kernel_initializer="ones"),
            layers.Dense(2, activation="softmax", kernel_initializer=start),
        ]
    )
    model.compile(
        tf.keras.optimizers.SGD(rate), "sparse_categorical_crossentropy", metrics=["accuracy"]
    )
    return model


def fit(model, callback=None, **options):
    options = {"epochs": 3, "verbose": 0, "shuffle": False, **options}
    return model.fit(*data(), callbacks=callback, **options)


class FakeModel:
    """What callbacks ask of a model."""

    def __init__(self, rate=0.5):
        self.optimizer = tf.keras.optimizers.SGD(rate)
        self.stop_training = False
        self.saved = []
        self.metrics = []

    def save_weights(self, path, overwrite=True, **options):
        self.saved.append(("weights", path))

    def save(self, path, overwrite=True, **options):
        self.saved.append(("model", path))


def run_epochs(callback, values, name="val_loss", model=None):
    model = model or FakeModel()
    callback.set_model(model)
    callback.on_train_begin()
    for epoch, value in enumerate(values):
        callback.on_epoch_begin(epoch, {})
        callback.on_epoch_end(epoch, {name: value})
        if model.stop_training:
            break
    callback.on_train_end()
    return model


def test_training_prints_what_keras_prints(capsys):
    schedule = callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.5, verbose=1)
    history = fit(make_model(), schedule, verbose=2, validation_split=0.2).history
    text = re.sub(r" - \S+/epoch - \S+/step", "", capsys.readouterr().out)
    text = re.sub(r" - \d+s", "", text)
    assert text.splitlines()[:8] == [
        "",
        "Epoch 1: LearningRateScheduler setting learning rate to 0.05000000074505806.",
        "Epoch 1/3",
        "3/3 - loss: 0.6838 - accuracy: 0.5125 - val_loss: 0.6398 - val_accuracy: 0.5500"
        " - lr: 0.0500",
        "",
        "Epoch 2: LearningRateScheduler setting learning rate to 0.02500000037252903.",
        "Epoch 2/3",
        "3/3 - loss: 0.6791 - accuracy: 0.4625 - val_loss: 0.6415 - val_accuracy: 0.5500"
        " - lr: 0.0250",
    ]
    np.testing.assert_allclose(history["loss"], [0.68376, 0.67908, 0.67625], atol=2e-5)
    np.testing.assert_allclose(history["lr"], [0.05, 0.025, 0.0125], rtol=1e-6)
    assert list(history) == ["loss", "accuracy", "val_loss", "val_accuracy", "lr"]


def test_the_bar_shows_running_means(capsys):
    fit(make_model(1.0), verbose=1, epochs=1)
    text = re.sub("\b", "", capsys.readouterr().out)
    first, last = text.strip("\r\n").split("\r")
    assert re.fullmatch(
        r"1/4 \[======>\.{23}\] - ETA: \d+s - loss: 0\.6931 - accuracy: 0\.5625", first
    )
    assert re.fullmatch(
        r"4/4 \[={30}\] - \d+s \d+[mu]?s/step - loss: 4\.9952 - accuracy: 0\.5200 *", last
    )


def test_stopping_early_and_lowering_the_rate(capsys):
    stop = callbacks.EarlyStopping(
        "loss", min_delta=0.1, patience=2, verbose=1, restore_best_weights=True
    )
    lower = callbacks.ReduceLROnPlateau("loss", min_delta=0.1, patience=1, verbose=1, factor=0.5)
    model = make_model(1.0)
    history = fit(model, [stop, lower], epochs=6).history
    np.testing.assert_allclose(
        history["loss"], [4.9952, 0.437, 0.5154, 0.2737, 0.208, 0.1999], atol=1e-4
    )
    assert history["lr"] == [1.0, 1.0, 1.0, 0.5, 0.5, 0.25]
    assert capsys.readouterr().out == (
        "\nEpoch 3: ReduceLROnPlateau reducing learning rate to 0.5.\n"
        "\nEpoch 5: ReduceLROnPlateau reducing learning rate to 0.25.\n"
        "\nEpoch 6: ReduceLROnPlateau reducing learning rate to 0.125.\n"
        "Epoch 6: early stopping\n"
        "Restoring model weights from the end of the best epoch: 4.\n"
    )
    assert model.evaluate(*data(), verbose=0)[0] == pytest.approx(0.2130, abs=1e-4)


def test_early_stopping_rules():
    assert run_epochs(callbacks.EarlyStopping(patience=1), [3, 2, 2.5, 1]).stop_training
    accuracy = callbacks.EarlyStopping("val_accuracy", patience=0)
    run_epochs(accuracy, [0.5, 0.6, 0.55], "val_accuracy")
    assert (accuracy.stopped_epoch, accuracy.best) == (2, 0.6)
    late = callbacks.EarlyStopping(start_from_epoch=3, patience=0)
    run_epochs(late, [1, 2, 3, 4, 5])
    assert late.stopped_epoch == 4
    baseline = callbacks.EarlyStopping(baseline=1.0, patience=2)
    run_epochs(baseline, [4, 3, 2, 1.5, 1.2])
    assert baseline.stopped_epoch == 0 or not baseline.model.stop_training
    with pytest.warns(UserWarning, match="val_loss.*not available.*loss"):
        run_epochs(callbacks.EarlyStopping(), [1.0], "loss")


def test_lowering_rules():
    callback = callbacks.ReduceLROnPlateau(patience=1, cooldown=2, factor=0.1, min_lr=0.01)
    model = run_epochs(callback, [1.0] * 8)
    assert float(model.optimizer.learning_rate) == pytest.approx(0.01)
    with pytest.raises(ValueError, match="factor >= 1.0"):
        callbacks.ReduceLROnPlateau(factor=1.0)


def test_a_schedule_of_the_epoch_alone_and_a_wrong_one():
    model = run_epochs(callbacks.LearningRateScheduler(lambda epoch: 0.1 * (epoch + 1)), [1, 1])
    assert float(model.optimizer.learning_rate) == pytest.approx(0.2)
    with pytest.raises(ValueError, match="should be float"):
        run_epochs(callbacks.LearningRateScheduler(lambda epoch: 1), [1])


def test_checkpoints(tmp_path, capsys):
    path = str(tmp_path / "of" / "w{epoch:02d}-{val_loss:.1f}.weights.h5")
    callback = callbacks.ModelCheckpoint(
        path, save_best_only=True, save_weights_only=True, verbose=1
    )
    model = run_epochs(callback, [3.0, 4.0, 2.0])
    names = [path.rsplit("/", 1)[1] for _, path in model.saved]
    assert names == ["w01-3.0.weights.h5", "w03-2.0.weights.h5"]
    assert (tmp_path / "of").is_dir()
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("Epoch 1: val_loss improved from inf to 3.00000, saving model to")
    assert lines[3] == "Epoch 2: val_loss did not improve from 3.00000"
    model = run_epochs(callbacks.ModelCheckpoint(tmp_path / "m.keras"), [1.0])
    assert model.saved == [("model", str(tmp_path / "m.keras"))]
    higher = callbacks.ModelCheckpoint("m", "val_acc", save_best_only=True)
    assert len(run_epochs(higher, [0.5, 0.4, 0.6], "val_acc").saved) == 2
    first = callbacks.ModelCheckpoint("m", save_best_only=True, initial_value_threshold=1.0)
    assert run_epochs(first, [2.0, 0.5]).saved == [("model", "m")]
    with pytest.raises(KeyError, match="accuracy"):
        run_epochs(callbacks.ModelCheckpoint("{accuracy}"), [1.0])
    with pytest.raises(ValueError, match="save_freq"):
        callbacks.ModelCheckpoint("m", save_freq="batch")


def test_checkpoints_by_batches():
    model = FakeModel()
    callback = callbacks.ModelCheckpoint("m{epoch}-{batch}", save_freq=3)
    every = callbacks.CallbackList(callback, model=model)
    for epoch in range(2):
        every.on_epoch_begin(epoch)
        for batch in range(4):
            every.on_train_batch_end(batch, {"loss": tf.constant(1.0)})
        every.on_epoch_end(epoch)
    assert [path for _, path in model.saved] == ["m1-3", "m2-2"]


def test_tables(tmp_path):
    path = tmp_path / "log.csv"
    history = fit(make_model(), callbacks.CSVLogger(path)).history
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["epoch", "accuracy", "loss", "val_accuracy", "val_loss"]
    assert rows[1] == ["0", str(history["accuracy"][0]), str(history["loss"][0]), "NA", "NA"]
    fit(make_model(), callbacks.CSVLogger(path, separator=";", append=True), epochs=1)
    assert len(path.read_text().splitlines()) == 5


def test_a_loss_that_is_no_number_ends_training(capsys):
    layers = [tf.keras.layers.Dense(1)]
    model = tf.keras.Sequential(layers)
    model.compile("sgd", "mse")
    with np.errstate(all="ignore"), pytest.warns(RuntimeWarning, match="NaN"):
        history = model.fit(
            np.full((4, 1), np.nan, "float32"),
            np.zeros((4, 1), "float32"),
            epochs=3,
            verbose=0,
            callbacks=[callbacks.TerminateOnNaN()],
        )
    assert history.epoch == [0]
    assert "Batch 0: Invalid loss, terminating training" in capsys.readouterr().out


class Recorder(callbacks.Callback):
    """Notes which methods are called."""

    def __init__(self):
        super().__init__()
        self.calls = []

    def on_train_begin(self, logs=None):
        self.calls.append("train begin")

    def on_epoch_begin(self, epoch, logs=None):
        self.calls.append(f"epoch {epoch}")

    def on_train_batch_end(self, batch, logs=None):
        assert type(logs["loss"]) is float
        self.calls.append(f"batch {batch}")

    def on_test_begin(self, logs=None):
        self.calls.append("test begin")

    def on_test_batch_end(self, batch, logs=None):
        self.calls.append(f"test {batch}")

    def on_epoch_end(self, epoch, logs=None):
        self.calls.append(sorted(logs))

    def on_predict_batch_end(self, batch, logs=None):
        self.calls.append(logs["outputs"].shape)

    def on_train_end(self, logs=None):
        self.calls.append("train end")


def test_order():
    recorder = Recorder()
    model = make_model()
    fit(model, recorder, epochs=1, validation_split=0.5)
    assert recorder.calls == [
        "train begin",
        "epoch 0",
        "batch 0",
        "batch 1",
        "test begin",
        "test 0",
        "test 1",
        ["accuracy", "loss", "val_accuracy", "val_loss"],
        "train end",
    ]
    recorder.calls.clear()
    model.predict(data()[0][:40], verbose=0, callbacks=[recorder])
    assert recorder.calls == [(32, 2), (8, 2)]
    assert recorder.params["steps"] is not None and recorder.model is model


def test_functions_as_callbacks():
    seen = []
    fit(
        make_model(),
        callbacks.LambdaCallback(
            on_train_begin=lambda logs: seen.append("begin"),
            on_batch_end=lambda batch, logs: seen.append(batch),
            on_epoch_end=lambda epoch, logs: seen.append(sorted(logs)),
            on_test_begin=lambda logs: seen.append("test"),
        ),
        epochs=1,
        validation_split=0.5,
    )
    assert seen == ["begin", 0, 1, "test", ["accuracy", "loss", "val_accuracy", "val_loss"]]


def test_interrupted_training_goes_on(tmp_path):
    class Stop(callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            if epoch == 2:
                raise RuntimeError("stop")

    whole = fit(make_model(), epochs=5).history["loss"]
    model = make_model()
    model.build((None, 4))
    with pytest.raises(RuntimeError, match="stop"):
        fit(model, [callbacks.BackupAndRestore(tmp_path), Stop()], epochs=5)
    model = make_model()
    model.build((None, 4))
    history = fit(model, callbacks.BackupAndRestore(tmp_path), epochs=5)
    assert history.epoch == [3, 4]
    np.testing.assert_allclose(history.history["loss"], whole[3:], rtol=1e-5)
    assert not list(tmp_path.rglob("*.npz"))


def test_values_go_to_a_server():
    bodies = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *arguments):
            pass

    with http.server.HTTPServer(("localhost", 0), Handler) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        root = f"http://localhost:{server.server_port}"
        callback = callbacks.RemoteMonitor(root, send_as_json=True)
        callback.on_epoch_end(1, {"loss": np.float64(0.5)})
        thread.join()
    assert json.loads(bodies[0]) == {"epoch": 1, "loss": 0.5}
    with pytest.warns(UserWarning, match="could not reach|Could not reach"):
        callback.on_epoch_end(1, {"loss": 0.5})
