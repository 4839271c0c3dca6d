"""One iterator that several threads read: each element is returned once, in order."""

import sys
import threading

import numpy as np
import pytest

import eagerflow as tf
from python_functions import as_python

D = tf.data.Dataset


@pytest.fixture(autouse=True)
def threads_alternate_often():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def numbers(value):
    """The numbers of an element."""
    return np.ravel(value).tolist()


def read_by_threads(iterator, count=4, read=None):
    """The elements that each of several threads reads until the end; raises their errors."""
    parts = [[] for _ in range(count)]
    failures = []

    def work(part):
        try:
            for x in iterator if read is None else iter(lambda: read(iterator), None):
                part.extend(numbers(x))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(part,), daemon=True) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    if failures:
        raise failures[0]
    return parts


def from_generator(count):
    return D.from_generator(lambda: iter(range(count)), output_signature=tf.TensorSpec([], "int64"))


ORDERED = {
    "range": lambda n: D.range(n),
    "slices": lambda n: D.from_tensor_slices(np.arange(n)),
    "map": lambda n: D.range(n).map(lambda x: x + 0),
    "batch": lambda n: D.range(n).map(lambda x: x + 0).batch(3),
    "unbatch": lambda n: D.from_tensor_slices(np.arange(n).reshape(-1, 4)).unbatch(),
    "repeat": lambda n: D.range(n).take(n // 2).concatenate(D.range(n // 2, n)),
    "generator": from_generator,
    "prefetch": lambda n: D.range(n).map(lambda x: x + 0).prefetch(2),
    "parallel map": lambda n: D.range(n).map(lambda x: x + 0, num_parallel_calls=2),
    "scan": lambda n: D.range(n).scan(np.int64(0), lambda s, x: (s + 1, s)),
    "flat map": lambda n: D.range(0, n, 50).flat_map(lambda i: D.range(i, i + 50)),
    "window": lambda n: D.range(n).window(4).flat_map(lambda w: w.batch(4)),
    "enumerate": lambda n: D.range(n).enumerate().map(lambda i, x: i),
    "rebatch": lambda n: D.range(n).batch(5).rebatch(3),
    "cache": lambda n: D.range(n).cache(),
}
UNORDERED = {
    "shuffle": lambda n: D.from_tensor_slices(np.arange(n)).shuffle(100),
    "map, shuffle": lambda n: D.range(n).map(lambda x: x + 0).shuffle(100),
    "shuffle, batch": lambda n: D.range(n).shuffle(100).batch(3),
    "interleave": lambda n: D.range(0, n, 50).interleave(lambda i: D.range(i, i + 50), 3),
    "parallel interleave": lambda n: D.range(0, n, n // 4).interleave(
        lambda i: D.range(i, i + n // 4), num_parallel_calls=2
    ),
    "sample": lambda n: D.sample_from_datasets([D.range(n // 2), D.range(n // 2, n)]),
    "group by window": lambda n: D.range(n).group_by_window(
        lambda x: x % 3, lambda k, w: w.batch(7), window_size=7
    ),
    "parallel map": lambda n: D.range(n).map(lambda x: x, 2, deterministic=False),
}


@pytest.mark.parametrize("make", ORDERED.values(), ids=ORDERED)
def test_each_element_is_given_once_and_in_order(make):
    parts = read_by_threads(iter(make(2000)))
    assert sorted(sum(parts, [])) == list(range(2000))
    assert all(part == sorted(part) for part in parts)


@pytest.mark.parametrize("make", UNORDERED.values(), ids=UNORDERED)
def test_each_element_is_given_once(make):
    parts = read_by_threads(iter(make(2000)))
    assert sorted(sum(parts, [])) == list(range(2000))


def take_next(iterator):
    try:
        return iterator.get_next()
    except tf.errors.OutOfRangeError:
        return None


def take_optional(iterator):
    found = iterator.get_next_as_optional()
    return found.get_value() if found.has_value() else None


@pytest.mark.parametrize("read", [take_next, take_optional])
def test_each_element_is_given_once_however_it_is_asked_for(read):
    parts = read_by_threads(iter(D.range(2000).map(lambda x: x + 0)), read=read)
    assert sorted(sum(parts, [])) == list(range(2000))
    parts = read_by_threads(D.range(2000).shuffle(9).as_numpy_iterator())
    assert sorted(sum(parts, [])) == list(range(2000))


def test_an_error_is_given_to_one_thread_and_the_others_go_on():
    def fail(x):
        if int(x) % 100 == 50:
            raise ValueError("damaged")
        return x

    errors = []

    def read(iterator):
        while True:
            try:
                return next(iterator, None)
            except tf.errors.InvalidArgumentError as error:
                errors.append(error)

    parts = read_by_threads(iter(D.range(1000).map(as_python(fail))), read=read)
    assert len(errors) == 10
    assert sorted(sum(parts, [])) == [x for x in range(1000) if x % 100 != 50]


def test_positions_told_while_others_read_are_those_of_an_element():
    """Each position is between two elements: the remaining ones end with the last, complete."""
    dataset = D.range(600).map(lambda x: x + 0).shuffle(20, seed=3).batch(2)
    whole = [x.numpy().tolist() for x in dataset]
    iterator = iter(D.range(600).map(lambda x: x + 0).shuffle(20, seed=3).batch(2))
    states = []
    done = threading.Event()

    def watch():
        while not done.is_set():
            states.append(iterator.state())

    watcher = threading.Thread(target=watch)
    watcher.start()
    read_by_threads(iterator, 2)
    done.set()
    watcher.join(60)
    for state in states[:: max(1, len(states) // 20)]:
        other = iter(dataset)
        other.restore(state)
        rest = [x.numpy().tolist() for x in other]
        assert rest == whole[len(whole) - len(rest) :]


def test_a_pipeline_may_read_its_own_iterator():
    """The thread that holds the lock does not wait for itself."""
    iterator = None

    def with_next(x):
        return next(iterator) if int(x) == 0 else x

    iterator = iter(D.range(3).map(as_python(with_next)))
    assert [int(x) for x in iterator] == [1, 2]


def test_waiting_threads_are_served_while_one_computes():
    """A thread that waits for its turn does not keep others from computing."""
    go_on = threading.Event()
    iterator = iter(D.range(2).map(as_python(lambda x: (go_on.wait(60), x)[1])))
    found = []
    threads = [threading.Thread(target=lambda: found.append(int(next(iterator)))) for _ in range(2)]
    for thread in threads:
        thread.start()
    go_on.set()
    for thread in threads:
        thread.join(60)
    assert sorted(found) == [0, 1]
