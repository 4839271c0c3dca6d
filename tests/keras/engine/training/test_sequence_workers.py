"""Sequences that threads and processes read ahead."""

import multiprocessing
import os
import random

import numpy as np
import pytest

import eagerflow as tf


class Numbered(tf.keras.utils.Sequence):
    """Batches that tell their number, their epoch and the process that made them."""

    def __init__(self, failing=None):
        self.epoch = 0
        self.failing = failing

    def __len__(self):
        return 6

    def __getitem__(self, index):
        if index == self.failing:
            raise KeyError("no such batch")
        return np.full((2, 2), [index, self.epoch]), np.full((2, 1), os.getpid())

    def on_epoch_end(self):
        self.epoch += 1


class Watching(tf.keras.Model):
    def train_step(self, data):
        x, y = data
        self.seen.append(tuple(x.numpy()[0].astype(int).tolist()))
        self.processes.add(int(y[0, 0]))
        return {"loss": tf.reduce_mean(x)}


@pytest.fixture
def model():
    model = Watching()
    model.seen, model.processes = [], set()
    model.compile(run_eagerly=True)
    return model


@pytest.mark.parametrize("workers", [0, 1, 3])
@pytest.mark.parametrize("processes", [False, True])
def test_batches_come_in_order(model, workers, processes):
    model.fit(
        Numbered(),
        epochs=2,
        verbose=0,
        shuffle=False,
        workers=workers,
        use_multiprocessing=processes,
        max_queue_size=2,
    )
    assert model.seen == [(index, epoch) for epoch in range(2) for index in range(6)]
    assert (os.getpid() in model.processes) == (not processes or workers == 0)


@pytest.mark.parametrize("processes", [False, True])
def test_errors_arrive(model, processes):
    with pytest.raises(KeyError, match="no such batch"):
        model.fit(
            Numbered(failing=2),
            verbose=0,
            shuffle=False,
            workers=2,
            use_multiprocessing=processes,
        )
    assert model.seen == [(0, 0), (1, 0)]


def test_a_sequence_asks_for_its_own_workers(model):
    class Own(Numbered):
        workers = 2
        use_multiprocessing = True

    model.fit(Own(), verbose=0, shuffle=False)
    assert os.getpid() not in model.processes and len(model.seen) == 6


@pytest.mark.parametrize("processes", [False, True])
def test_interrupted_in_the_middle(model, processes):
    class Stop(tf.keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            if batch == 2:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.fit(
            Numbered(),
            verbose=0,
            shuffle=False,
            workers=2,
            use_multiprocessing=processes,
            callbacks=[Stop()],
        )
    model.fit(Numbered(), verbose=0, shuffle=False)
    assert model.seen[3:] == [(index, 0) for index in range(6)]


def test_predictions_by_processes():
    model = tf.keras.Sequential([tf.keras.layers.Lambda(lambda x: 2 * x)])
    result = model.predict(Numbered(), verbose=0, workers=2, use_multiprocessing=True)
    assert result[::2, 0].tolist() == [0, 2, 4, 6, 8, 10]
    assert model.predict(Numbered(), verbose=0).tolist() == result.tolist()


@pytest.mark.parametrize(
    "arguments, seen",
    [
        ({"epochs": 2, "steps_per_epoch": 1}, [(0, 0), (0, 1)]),
        ({"epochs": 2, "steps_per_epoch": 2, "workers": 2}, [(0, 0), (1, 0), (0, 1), (1, 1)]),
        (
            {"epochs": 2, "steps_per_epoch": 7, "workers": 2},
            [*((index, 0) for index in range(6)), (0, 1)]
            + [*((index, 2) for index in range(6)), (0, 3)],
        ),
    ],
)
def test_each_epoch_starts_a_sequence_again(model, arguments, seen):
    """Recorded from Keras 2, whose workers go on with another round where an epoch is longer."""
    model.fit(Numbered(), shuffle=False, verbose=0, **arguments)
    assert model.seen == seen


def test_a_sequence_without_workers_runs_out(model, caplog):
    model.fit(Numbered(), shuffle=False, verbose=0, epochs=2, steps_per_epoch=8)
    assert "ran out of data" in caplog.text
    assert model.seen == [(index, 0) for index in range(6)]


class Drawing(Numbered):
    """Batches of random values."""

    def __getitem__(self, index):
        return np.full((1, 2), [random.random(), np.random.rand()]), np.zeros((1, 1))


@pytest.mark.parametrize("workers", [1, 3])
def test_processes_draw_different_values_in_each_batch_and_epoch(workers):
    class Seen(tf.keras.Model):
        def train_step(self, data):
            self.seen.extend(data[0].numpy().ravel().tolist())
            return {"loss": tf.reduce_mean(data[0])}

    def values():
        model = Seen()
        model.seen = []
        model.compile(run_eagerly=True)
        tf.random.set_seed(3)
        options = {"workers": workers, "use_multiprocessing": True, "shuffle": False, "verbose": 0}
        model.fit(Drawing(), epochs=2, **options)
        return model.seen

    found = values()
    assert len(set(found)) == len(found) == 24
    assert found == values()


def test_the_shuffles_of_the_program_do_not_depend_on_processes(model):
    orders = []
    for processes in (False, True):
        random.seed(2)
        model.seen.clear()
        model.fit(Numbered(), epochs=2, verbose=0, shuffle=True, use_multiprocessing=processes)
        orders.append(list(model.seen))
    assert orders[0] == orders[1]


def test_a_process_that_ends_is_an_error(model):
    class Ending(Numbered):
        def __getitem__(self, index):
            if index == 3:
                os._exit(4)
            return super().__getitem__(index)

    with pytest.raises(tf.errors.UnavailableError, match="status 4"):
        model.fit(Ending(), verbose=0, workers=2, shuffle=False, use_multiprocessing=True)
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("processes", [False, True])
def test_queues(processes):
    batches = tf.keras.utils.OrderedEnqueuer(Numbered(), use_multiprocessing=processes)
    batches.start(workers=2, max_queue_size=3)
    found = batches.get()
    assert [int(next(found)[0][0, 0]) for _ in range(12)] == [*range(6), *range(6)]
    batches.stop()
    batches = tf.keras.utils.OrderedEnqueuer(Numbered(failing=1), use_multiprocessing=processes)
    batches.start(workers=2)
    with pytest.raises(KeyError, match="no such batch"):
        list(batches.get())
    assert not multiprocessing.active_children()
