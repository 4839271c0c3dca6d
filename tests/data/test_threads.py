"""Worker threads: they overlap, stop when nobody reads, and hand errors to the reader."""

import gc
import threading
import traceback

import numpy as np
import pytest

import eagerflow as tf


def workers():
    """The threads of pipelines that are alive."""
    return [t for t in threading.enumerate() if t.name == "eagerflow-data"]


def all_ended():
    """Whether the workers end now that nobody reads; waits for them."""
    gc.collect()
    for thread in workers():
        thread.join(5)
    return not workers()


def slow(make):
    """A pipeline with a prefetching thread and two mapping ones."""
    return make.map(lambda x: x + 1, num_parallel_calls=2).prefetch(3)


def test_a_pipeline_dropped_half_way_leaves_no_thread():
    iterator = iter(slow(tf.data.Dataset.range(1000)).batch(2).prefetch(1))
    assert next(iterator).numpy().tolist() == [1, 2]
    assert len(workers()) == 4
    del iterator
    assert all_ended()


def test_a_loop_left_early_leaves_no_thread():
    for x in slow(tf.data.Dataset.range(1000)):
        if x > 5:
            break
    assert all_ended()


def test_a_pipeline_read_to_its_end_leaves_no_thread():
    iterator = iter(slow(tf.data.Dataset.range(50)))
    assert [int(x) for x in iterator] == list(range(1, 51))
    assert all_ended()


def test_an_infinite_interleave_can_be_dropped():
    dataset = tf.data.Dataset.range(3).interleave(
        lambda i: tf.data.Dataset.from_tensors(i).repeat(), 3, num_parallel_calls=3
    )
    assert [int(x) for x in dataset.take(7)] == [0, 1, 2, 0, 1, 2, 0]
    assert all_ended()


def test_calls_of_a_parallel_map_overlap():
    meeting = threading.Barrier(3, timeout=20)

    def meet(x):
        meeting.wait()
        return x

    dataset = tf.data.Dataset.range(6).map(meet, num_parallel_calls=3)
    assert [int(x) for x in dataset] == list(range(6))


def test_prefetching_overlaps_with_the_reader_and_is_bounded():
    made = []
    third = threading.Event()

    def note(x):
        made.append(int(x))
        if len(made) == 4:
            third.set()
        return x

    iterator = iter(tf.data.Dataset.range(100).map(note).prefetch(3))
    assert int(next(iterator)) == 0
    assert third.wait(20)
    assert len(made) <= 5


def test_parallel_interleave_reads_ahead_in_threads():
    meeting = threading.Barrier(2, timeout=20)

    def rows(i):
        def wait(x):
            meeting.wait()
            return x + i

        return tf.data.Dataset.range(2).map(wait)

    dataset = tf.data.Dataset.range(0, 20, 10).interleave(rows, 2, num_parallel_calls=2)
    assert [int(x) for x in dataset] == [0, 10, 1, 11]


def test_order_is_kept_unless_it_need_not_be():
    first_may_go = threading.Event()

    def hold_back(x):
        if int(x) == 0:
            first_may_go.wait(20)
        return x

    dataset = tf.data.Dataset.range(4).map(hold_back, num_parallel_calls=2, deterministic=False)
    iterator = iter(dataset)
    first = int(next(iterator))
    first_may_go.set()
    assert first == 1
    assert sorted([first, *(int(x) for x in iterator)]) == [0, 1, 2, 3]


def test_options_say_whether_order_is_kept():
    first_may_go = threading.Event()

    def hold_back(x):
        if int(x) == 0:
            first_may_go.wait(20)
        return x

    options = tf.data.Options()
    options.deterministic = False
    dataset = tf.data.Dataset.range(4).map(hold_back, num_parallel_calls=2).batch(1)
    iterator = iter(dataset.with_options(options))
    assert int(next(iterator)[0]) == 1
    first_may_go.set()
    list(iterator)


def test_slow_functions_get_threads_under_autotune():
    names = set()
    both = threading.Barrier(2)

    def work(x):
        names.add(threading.current_thread().name)
        if int(x) < 10:
            threading.Event().wait(0.001)
        return x

    options = tf.data.Options()
    options.threading.private_threadpool_size = 2
    dataset = tf.data.Dataset.range(40).map(work, num_parallel_calls=tf.data.AUTOTUNE)
    assert [int(x) for x in dataset.with_options(options)] == list(range(40))
    assert "eagerflow-data" in names
    del both


def failing(x):
    if int(x) == 3:
        raise KeyError("in the user's function")
    return x


@pytest.mark.parametrize(
    "make",
    [
        lambda d: d.map(failing),
        lambda d: d.map(failing, num_parallel_calls=2),
        lambda d: d.map(failing, num_parallel_calls=tf.data.AUTOTUNE),
        lambda d: d.map(failing).prefetch(2),
        lambda d: d.map(failing, num_parallel_calls=2).batch(2).prefetch(1),
    ],
)
def test_an_error_reaches_the_reader_with_the_users_line(make):
    with pytest.raises(KeyError, match="in the user's function") as caught:
        list(make(tf.data.Dataset.range(10)))
    lines = [frame.line for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert 'raise KeyError("in the user\'s function")' in lines
    del caught
    assert all_ended()


def test_reading_goes_on_after_an_error():
    iterator = iter(tf.data.Dataset.range(5).map(failing, num_parallel_calls=2))
    assert [int(next(iterator)) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(KeyError):
        next(iterator)
    assert [int(x) for x in iterator] == [4]


def test_errors_of_operations_can_be_ignored():
    dataset = tf.data.Dataset.range(5).map(
        lambda x: tf.reshape(tf.range(x), [3]), num_parallel_calls=2
    )
    assert [x.numpy().tolist() for x in dataset.ignore_errors()] == [[0, 1, 2]]


def test_stop_iteration_in_a_function_does_not_end_the_pipeline_quietly():
    def stop(x):
        raise StopIteration

    for calls in (None, 2):
        with pytest.raises(RuntimeError, match="StopIteration"):
            list(tf.data.Dataset.range(3).map(stop, num_parallel_calls=calls))


def test_tapes_of_the_reader_do_not_record_the_workers():
    with tf.GradientTape() as tape:
        x = tf.constant(2.0)
        tape.watch(x)
        dataset = tf.data.Dataset.range(2).map(lambda i: x * tf.cast(i, tf.float32)).prefetch(1)
        values = list(dataset)
    assert tape.gradient(values[1], x) is None


def test_memory_does_not_grow_over_many_elements():
    data = np.zeros([1000, 100], np.float32)
    dataset = (
        tf.data.Dataset.from_tensor_slices(data)
        .repeat()
        .map(lambda row: row + 1.0)
        .shuffle(100, seed=1)
        .map(lambda row: row * 2.0, num_parallel_calls=2)
        .prefetch(4)
    )
    iterator = iter(dataset)

    def held():
        for _ in range(5000):
            next(iterator)
        return tf.config.experimental.get_memory_info("CPU:0")["current"]

    before = held()
    assert held() < before + 200 * 400 + 100_000
