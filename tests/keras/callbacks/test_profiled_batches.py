"""TensorBoard(profile_batch=...) profiles the batches that it names."""

import glob
import gzip
import json

import numpy as np
import pytest

import eagerflow as tf

TensorBoard = tf.keras.callbacks.TensorBoard


def fit(board, steps=6, epochs=1, others=()):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile("sgd", "mse", run_eagerly=True)
    x, y = np.ones((steps, 2), "f4"), np.ones((steps, 1), "f4")
    model.fit(x, y, 1, epochs=epochs, verbose=0, callbacks=[*others, board])


def profiles(folder):
    return glob.glob(f"{folder}/plugins/profile/*/*.trace.json.gz")


class Watch(tf.keras.callbacks.Callback):
    """Notes during which batches a profile is running."""

    def __init__(self, board):
        super().__init__()
        self.board, self.batches, self.count = board, [], 0

    def on_train_batch_end(self, batch, logs=None):
        self.count += 1
        if self.board._profiles:
            self.batches.append(self.count)


@pytest.mark.parametrize(
    ("batches", "profiled"),
    [
        (0, []),
        (1, [1]),
        (3, [3]),
        ((2, 4), [2, 3, 4]),
        ([5, 5], [5]),
        ("2,4", [2, 3, 4]),
        ("3", [3]),
        ("0", []),
        ((5, 8), [5, 6, 7, 8]),
        ((7, 99), [7, 8]),
        (50, []),
    ],
)
def test_batches_are_counted_over_epochs(batches, profiled, tmp_path):
    board = TensorBoard(str(tmp_path), profile_batch=batches)
    watch = Watch(board)
    fit(board, steps=4, epochs=2, others=[watch])
    assert watch.batches == profiled
    assert len(profiles(tmp_path)) == bool(profiled)
    for path in profiles(tmp_path):
        with gzip.open(path, "rt") as file:
            names = [event["name"] for event in json.load(file)["traceEvents"]]
        assert any("MatMul" in name for name in names)
    assert not board._profiles


@pytest.mark.parametrize("batches", [-1, (3, 2), (0, 3), (1, 2, 3), "a,b", "1,2,3", None, 1.5])
def test_what_names_no_batches_is_refused(batches, tmp_path):
    with pytest.raises(ValueError, match="profile_batch must be a non-negative integer"):
        TensorBoard(str(tmp_path), profile_batch=batches)


def test_the_programs_own_profile_goes_on(tmp_path):
    with tf.profiler.experimental.Profile(str(tmp_path / "own")):
        fit(TensorBoard(str(tmp_path / "board"), profile_batch=2))
    assert len(profiles(tmp_path / "own")) == 1 and not profiles(tmp_path / "board")
