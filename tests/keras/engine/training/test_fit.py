"""Training step by step: which batches, masks and values Keras takes; values are recorded."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eagerflow as tf

layers = tf.keras.layers


RANDOM = np.random.RandomState(0)


X = RANDOM.randn(20, 3).astype("float32")


Y = (RANDOM.rand(20, 1) > 0.5).astype("float32")


def dense(**kwargs: Any) -> Any:
    model = tf.keras.Sequential([layers.Dense(1, kernel_initializer="ones", input_shape=(3,))])
    kwargs.setdefault("optimizer", tf.keras.optimizers.SGD(0.05))
    model.compile(loss="mse", **kwargs)
    return model


def two_outputs(**kwargs: Any) -> Any:
    a, b = tf.keras.Input((3,)), tf.keras.Input((3,))
    both = layers.Concatenate()([a, b])
    outputs = [layers.Dense(1, name=name, kernel_initializer="ones")(both) for name in "pq"]
    model = tf.keras.Model([a, b], outputs)
    model.compile(tf.keras.optimizers.SGD(0.05), **kwargs)
    return model


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=2e-4, atol=1e-6)


def test_validation_takes_batches_of_the_same_size() -> None:
    model = dense(metrics=["mae"])
    data = {"batch_size": 8, "validation_data": (X, Y), "validation_steps": 1}
    history = model.fit(X, Y, epochs=2, shuffle=False, verbose=0, **data).history
    close(history["loss"], [4.1328092, 2.1273923])
    close(history["val_loss"], [2.7228718, 1.4258887])
    close(history["val_mae"], [1.3705546, 1.0020928])


def test_arrays_last_for_their_epochs(caplog: Any) -> None:
    model = dense()
    history = model.fit(X, Y, batch_size=8, epochs=3, steps_per_epoch=5, shuffle=False, verbose=0)
    assert "ran out of data" in caplog.text
    assert history.epoch == [0, 1]
    close(history.history["loss"], [3.4162951, 1.0660672])


def batches() -> Iterator[Any]:
    for start in range(0, 20, 5):
        yield X[start : start + 5], Y[start : start + 5]


def test_generators_that_end_with_the_first_epoch(caplog: Any) -> None:
    history = dense().fit(batches(), epochs=2, verbose=0)
    assert "ran out of data" in caplog.text
    close(history.history["loss"], [3.8255444, 0.0])


def test_a_dataset_knows_its_batches() -> None:
    dataset = tf.data.Dataset.from_tensor_slices((X, Y)).batch(8)
    close(
        dense().fit(dataset, batch_size=3, verbose=0).history["loss"],
        dense().fit(dataset, verbose=0).history["loss"],
    )
    assert dense().predict(dataset, batch_size=2, verbose=0).shape == (20, 1)


def test_lists_of_one_are_for_the_first_output() -> None:
    fit = {"x": [X, X], "y": [Y, Y], "verbose": 0}
    losses = two_outputs(loss=["mse"]).fit(**fit).history
    assert sorted(losses) == ["loss", "p_loss"]
    losses = two_outputs(loss="mse", loss_weights=[1.0]).fit(**fit).history
    assert losses["q_loss"] == [0.0]
    close(losses["loss"], losses["p_loss"])


def test_bars_over_several_steps_show_the_last_value(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = itertools.count()
    monkeypatch.setattr("time.time", lambda: float(next(ticks)))
    dense(steps_per_execution=2).fit(X, Y, batch_size=4, shuffle=False)
    out = capsys.readouterr().out
    assert "4/5 [=======================>......]" in out and " - loss: 5.1983" in out
    assert " - loss: 4.0937" in out
    dense().fit(
        X, Y, batch_size=8, verbose=2, callbacks=[tf.keras.callbacks.ProgbarLogger("samples")]
    )
    assert "3/3 - " in capsys.readouterr().out


class Stop(tf.keras.callbacks.Callback):
    """Breaks training off at a batch."""

    def __init__(self, epoch: int, batch: int) -> None:
        super().__init__()
        self.at = (epoch, batch)
        self.epoch = 0
        self.steps: list[tuple[int, int]] = []

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self.epoch = epoch

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        self.steps.append((self.epoch, batch))

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        if (self.epoch, batch) == self.at:
            raise KeyboardInterrupt


def test_training_goes_on_within_an_epoch(tmp_path: Path) -> None:
    def fit(*callbacks: Any) -> Any:
        model = dense(optimizer=tf.keras.optimizers.Adam(0.1))
        backup = tf.keras.callbacks.BackupAndRestore(tmp_path / "backup", save_freq=2)
        return model.fit(
            X, Y, epochs=4, batch_size=5, callbacks=[backup, *callbacks], verbose=0, shuffle=False
        )

    with pytest.raises(KeyboardInterrupt):
        fit(Stop(1, 2))
    watch = Stop(-1, -1)
    history = fit(watch)
    assert watch.steps[:3] == [(1, 2), (1, 3), (2, 0)]
    # TensorFlow begins the epoch's data and metrics anew.
    whole = fit().history["loss"]
    assert history.history["loss"] == whole[1:]


def test_rows_are_built_for_batches_of_all_sizes() -> None:
    model = tf.keras.Sequential([layers.Dense(2)])
    model.predict(X, batch_size=8, verbose=0)
    assert model.output_shape == (None, 2)
    called = tf.keras.Sequential([layers.Dense(2)])
    called(X[:4])
    assert called.output_shape == (4, 2)


def test_what_layers_and_optimizers_say_of_themselves() -> None:
    layer = layers.Conv1DTranspose(3, 2)
    layer.build((None, 7, 4))
    assert str(layer.input_spec) == "InputSpec(ndim=3, axes={-1: 4})"
    assert tf.keras.optimizers.Adam().get_config()["jit_compile"] is False


def test_predictions_of_different_lengths_are_ragged() -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(None, 1))])
    parts = [np.ones((1, 3, 1), "float32"), np.ones((1, 5, 1), "float32")]
    spec = tf.TensorSpec((1, None, 1), tf.float32)
    outputs = model.predict(
        tf.data.Dataset.from_generator(lambda: iter(parts), output_signature=spec)
    )
    assert outputs.shape.as_list() == [2, None, 2] and outputs.row_lengths().numpy().tolist() == [
        3,
        5,
    ]


@pytest.mark.parametrize(
    ("labels", "weights"),
    [
        ([0, 1, 2, 1.0], [1, 2, 4, 2]),
        ([[0], [1], [2], [1]], [1, 2, 4, 2]),
        ([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0]], [1, 2, 4, 2]),
        ([[[1], [0]]] * 4, [[2, 1]] * 4),
        ([[[0, 0, 1], [1, 0, 0]]] * 4, [[4, 1]] * 4),
    ],
)
def test_class_weights(labels: Any, weights: Any) -> None:
    class Noting(tf.keras.Model):
        def train_step(self, data: Any) -> Any:
            self.weights_seen = data[2]
            return {"loss": 0.0}

    model = Noting()
    model.compile(run_eagerly=True)
    arguments: Any = {"class_weight": {0: 1.0, 1: 2.0, 2: 4.0}, "shuffle": False, "verbose": 0}
    model.fit(np.ones((4, 1)), np.array(labels), **arguments)
    np.testing.assert_array_equal(model.weights_seen.numpy(), weights)


def test_functions_do_not_train() -> None:
    model = dense()

    @tf.function
    def train() -> None:
        model.fit(X, Y, verbose=0)

    with pytest.raises(RuntimeError, match="`Model.fit` inside a `tf.function`"):
        train()


def test_lists_of_arrays_come_as_tuples() -> None:
    class Noting(tf.keras.Model):
        def train_step(self, data: Any) -> Any:
            self.kinds = [type(part) for part in data]
            return {"loss": 0.0}

    model = Noting()
    model.compile()
    model.fit([X, X], Y, verbose=0)
    assert model.kinds[0] is tuple and issubclass(model.kinds[1], tf.Tensor)
    model.fit(iter([([X, X], [Y, Y])]), verbose=0)
    assert model.kinds == [tuple, tuple]


@pytest.mark.parametrize("labels", ["vector", "column", "one hot"])
def test_weights_of_classes_for_labels_of_all_shapes(labels: str) -> None:
    classes = np.array([0, 1, 2, 1])
    y = {"vector": classes, "column": classes[:, None], "one hot": np.eye(3)[classes]}[labels]
    weights = {0: 1.0, 1: 2.0, 2: 4.0}
    layer = tf.keras.layers.Dense(3 if labels == "one hot" else 1, kernel_initializer="ones")
    model = tf.keras.Sequential([layer])
    model.compile("sgd", "mse")
    x = np.ones((4, 2))
    each = np.mean((np.asarray(y, float).reshape(4, -1) - 2.0) ** 2, axis=1)
    expected = np.mean(each * [weights[c] for c in classes])
    loss = model.fit(x, y, class_weight=weights, batch_size=4, verbose=0).history["loss"][0]
    np.testing.assert_allclose(loss, expected, rtol=1e-5)


@pytest.mark.parametrize("strategy", [tf.distribute.get_strategy, tf.distribute.MirroredStrategy])
def test_compiled_steps_under_a_strategy(strategy):
    """They train as others do, and refuse texts."""
    losses = []
    for compiled in (False, True):
        with strategy().scope():
            model = tf.keras.Sequential(
                [tf.keras.layers.Dense(1, kernel_initializer="ones", input_shape=(2,))]
            )
            model.compile("sgd", "mse", jit_compile=compiled)
        x = np.arange(8.0, dtype="f").reshape(4, 2) / 8.0
        losses += model.fit(x, x[:, :1], epochs=2, verbose=0, shuffle=False).history["loss"]
    np.testing.assert_allclose(losses[:2], losses[2:], rtol=1e-5)
    with strategy().scope():
        words = tf.keras.Sequential(
            [
                tf.keras.Input((None,), dtype=tf.string),
                tf.keras.layers.StringLookup(vocabulary=["a"]),
            ]
        )
        words.compile("sgd", "mse", jit_compile=True)
    words.jit_compile = False
    assert words.predict(np.array([["a"]])) == [[1]]
    words.jit_compile = True
    for call in (words.predict, lambda x: words.evaluate(x, np.ones([1, 1]))):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Graph execution error"):
            call(np.array([["a"]]))
