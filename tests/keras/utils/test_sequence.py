"""Queues that fetch batches of sequences ahead."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

import eagerflow as tf


class Scaled(tf.keras.utils.Sequence):
    """Batches whose values change at the end of an epoch; the third waits for the last one."""

    def __init__(self) -> None:
        self.scale = 1
        self.ends = 0
        self.last_read = threading.Event()

    def __len__(self) -> int:
        return 6

    def __getitem__(self, index: int) -> int:
        if index == 2 and self.scale == 1:
            self.last_read.wait(10)
            threading.Event().wait(0.05)
        if index == 5:
            self.last_read.set()
        return index * self.scale

    def on_epoch_end(self) -> None:
        self.ends += 1
        self.scale *= 5


def test_the_end_of_an_epoch_waits_for_all_batches() -> None:
    enqueuer = tf.keras.utils.OrderedEnqueuer(Scaled())
    enqueuer.start(3, 10)
    batches = enqueuer.get()
    found = [next(batches) for _ in range(12)]
    enqueuer.stop()
    assert found == [0, 1, 2, 3, 4, 5, 0, 5, 10, 15, 20, 25]


def test_the_end_of_an_epoch_waits_until_its_batches_are_taken() -> None:
    data = Scaled()
    enqueuer = tf.keras.utils.OrderedEnqueuer(data)
    enqueuer.start(3, 10)
    batches = enqueuer.get()
    assert [next(batches) for _ in range(5)] == [0, 1, 2, 3, 4]
    threading.Event().wait(0.1)
    assert data.ends == 0
    assert next(batches) == 5
    assert next(batches) == 0  # the next epoch has begun
    assert data.ends == 1
    enqueuer.stop()


class Faulty(Scaled):
    """Fails where it is told to."""

    def __init__(self, place: str) -> None:
        super().__init__()
        self.place = place

    def __len__(self) -> int:
        if self.place == "len":
            raise ValueError("no length")
        return 2

    def __getitem__(self, index: int) -> int:
        if self.place == "getitem":
            raise ValueError("no batch")
        return index

    def on_epoch_end(self) -> None:
        raise ValueError("no end")


@pytest.mark.parametrize(
    ("place", "message"), [("len", "length"), ("getitem", "batch"), ("", "end")]
)
def test_errors_reach_the_reader_and_stop_the_queue(place: str, message: str) -> None:
    enqueuer = tf.keras.utils.OrderedEnqueuer(Faulty(place))
    enqueuer.start(1, 10)
    with pytest.raises(ValueError, match=message):
        for _ in enqueuer.get():
            pass
    assert not enqueuer.is_running()


def test_a_reader_ends_when_another_thread_stops_the_queue() -> None:
    taken, go_on = threading.Event(), threading.Event()

    def items() -> Iterator[int]:
        yield 1
        go_on.wait(10)

    def read() -> None:
        for _ in enqueuer.get():
            taken.set()

    enqueuer = tf.keras.utils.GeneratorEnqueuer(items())
    enqueuer.start()
    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    assert taken.wait(10)
    enqueuer.stop(timeout=0.01)
    reader.join(10)
    alive = reader.is_alive()
    go_on.set()
    assert not alive
