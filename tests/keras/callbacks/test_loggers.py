"""CSVLogger, RemoteMonitor and LambdaCallback."""

import csv
import http.server
import json
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


def test_tables(tmp_path):
    path = tmp_path / "log.csv"
    history = fit(make_model(), callbacks.CSVLogger(path)).history
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["epoch", "accuracy", "loss", "val_accuracy", "val_loss"]
    assert rows[1] == ["0", str(history["accuracy"][0]), str(history["loss"][0]), "NA", "NA"]
    fit(make_model(), callbacks.CSVLogger(path, separator=";", append=True), epochs=1)
    assert len(path.read_text().splitlines()) == 5


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
