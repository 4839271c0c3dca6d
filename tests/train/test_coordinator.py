"""Threads that stop together."""

import threading

import pytest

import eagerflow as tf


def test_threads_stop_together():
    coordinator = tf.train.Coordinator()
    assert not coordinator.should_stop() and not coordinator.wait_for_stop(0)
    threads = [threading.Thread(target=coordinator.wait_for_stop) for _ in range(3)]
    for thread in threads:
        thread.start()
    coordinator.request_stop()
    coordinator.join(threads)
    assert coordinator.joined and coordinator.should_stop()
    coordinator.clear_stop()
    assert not coordinator.should_stop()


def test_errors_reach_who_joins():
    coordinator = tf.train.Coordinator()

    def fail():
        with coordinator.stop_on_exception():
            raise ValueError("boom")

    thread = threading.Thread(target=fail)
    thread.start()
    with pytest.raises(ValueError, match="boom"):
        coordinator.join([thread])


def test_the_end_of_data_is_no_error():
    coordinator = tf.train.Coordinator()
    coordinator.request_stop(tf.errors.OutOfRangeError(None, None, "end"))
    coordinator.join([])
    assert coordinator.joined
