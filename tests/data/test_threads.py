"""Worker threads: they overlap, stop without a reader, and pass errors to the reader."""

import gc
import threading
import time
import weakref

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.data.cursor import Cursor
from eagerflow.data.parallel import AdaptiveMapCursor, Team
from python_functions import as_python


def workers():
    """The threads of pipelines that are alive."""
    return [t for t in threading.enumerate() if t.name == "eagerflow-data"]


def all_ended():
    """Whether the workers end without a reader; waits for them."""
    if workers():  # of pipelines that wait to be collected
        gc.collect()
    for thread in workers():
        thread.join(5)
    return not workers()


@pytest.fixture(autouse=True)
def nobody_works():
    """Waits until pipelines of earlier tests have been collected."""
    assert all_ended()


@pytest.fixture(params=["python", "graph"])
def slow(request, monkeypatch):
    """Makes a pipeline with a prefetching thread and two mapping ones."""
    if request.param == "python":
        function = as_python(lambda x: x + 1)
    else:
        function = lambda x: x + 1  # noqa: E731
        monkeypatch.setattr(AdaptiveMapCursor, "_SLOW_SECONDS", -1.0)
        monkeypatch.setattr(AdaptiveMapCursor, "_TRIALS", 2)
    return lambda dataset: dataset.map(function, num_parallel_calls=2).prefetch(3)


def test_a_pipeline_dropped_half_way_leaves_no_thread(slow):
    iterator = iter(slow(tf.data.Dataset.range(1000)).batch(2).prefetch(1))
    assert [next(iterator).numpy().tolist() for _ in range(2)] == [[1, 2], [3, 4]]
    assert len(workers()) == 4
    del iterator
    assert all_ended()


def test_a_loop_left_early_leaves_no_thread(slow):
    for x in slow(tf.data.Dataset.range(1000)):
        if x > 5:
            break
    assert all_ended()


def test_a_pipeline_read_to_its_end_leaves_no_thread(slow):
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

    dataset = tf.data.Dataset.range(6).map(as_python(meet), num_parallel_calls=3)
    assert [int(x) for x in dataset] == list(range(6))


def test_prefetching_overlaps_with_the_reader_and_is_bounded():
    made = []
    third = threading.Event()

    def note(x):
        made.append(int(x))
        if len(made) == 4:
            third.set()
        return x

    iterator = iter(tf.data.Dataset.range(100).map(as_python(note)).prefetch(3))
    assert int(next(iterator)) == 0
    assert third.wait(20)
    assert len(made) <= 4


@pytest.mark.parametrize("room", [1, 2, 3, 40])
def test_prefetching_is_bounded_however_quick_elements_are(room):
    made = []
    iterator = iter(
        tf.data.Dataset.range(2000).map(as_python(lambda x: (made.append(0), x)[1])).prefetch(room)
    )
    ahead = []
    for taken in range(1, 2000):
        next(iterator)
        ahead.append(len(made) - taken)
        if taken % 100 == 0:
            threading.Event().wait(0.002)
    assert max(ahead) <= room


def test_parallel_interleave_reads_ahead_in_threads():
    meeting = threading.Barrier(2, timeout=20)

    def rows(i):
        def wait(x):
            meeting.wait()
            return x

        return tf.data.Dataset.range(2).map(lambda x: as_python(wait)(x) + i)

    dataset = tf.data.Dataset.range(0, 20, 10).interleave(rows, 2, num_parallel_calls=2)
    assert [int(x) for x in dataset] == [0, 10, 1, 11]


def test_order_is_kept_unless_it_need_not_be():
    first_may_go = threading.Event()

    def hold_back(x):
        if int(x) == 0:
            first_may_go.wait(20)
        return x

    dataset = tf.data.Dataset.range(4).map(
        as_python(hold_back), num_parallel_calls=2, deterministic=False
    )
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
    dataset = tf.data.Dataset.range(4).map(as_python(hold_back), num_parallel_calls=2).batch(1)
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
    dataset = tf.data.Dataset.range(40).map(as_python(work), num_parallel_calls=tf.data.AUTOTUNE)
    assert [int(x) for x in dataset.with_options(options)] == list(range(40))
    assert "eagerflow-data" in names
    del both


@as_python
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
    with pytest.raises(tf.errors.UnknownError, match="in the user's function") as caught:
        list(make(tf.data.Dataset.range(10)))
    assert 'raise KeyError("in the user\'s function")' in str(caught.value)
    del caught
    assert all_ended()


def test_reading_goes_on_after_an_error():
    iterator = iter(tf.data.Dataset.range(5).map(failing, num_parallel_calls=2))
    assert [int(next(iterator)) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(tf.errors.UnknownError):
        next(iterator)
    assert [int(x) for x in iterator] == [4]


def test_errors_of_operations_can_be_ignored():
    dataset = tf.data.Dataset.range(5).map(
        lambda x: tf.reshape(tf.range(x), [3]), num_parallel_calls=2
    )
    assert [x.numpy().tolist() for x in dataset.ignore_errors()] == [[0, 1, 2]]


def test_tapes_of_the_reader_do_not_record_the_workers():
    with tf.GradientTape() as tape:
        x = tf.constant(2.0)
        tape.watch(x)
        dataset = tf.data.Dataset.range(2).map(lambda i: x * tf.cast(i, tf.float32)).prefetch(1)
        values = list(dataset)
    assert tape.gradient(values[1], x) is None


class Alive:
    """Counts the arguments of a pipeline function that are still alive."""

    def __init__(self):
        self.most = 0
        self.seen = 0
        self.references = {}

    def __call__(self, x):
        result = tf.identity(x)
        reference = weakref.ref(result, lambda r: self.references.pop(id(r)))
        self.references[id(reference)] = reference
        self.most = max(self.most, len(self.references))
        self.seen += 1
        return result


def test_no_tensors_are_left_behind_by_100000_elements():
    first, second = Alive(), Alive()
    dataset = (
        tf.data.Dataset.from_tensor_slices(np.zeros([1000, 4], np.float32))
        .repeat()
        .map(lambda x: tf.py_function(first, [x], tf.float32))
        .shuffle(100, seed=1)
        .map(lambda x: tf.py_function(second, [x], tf.float32), num_parallel_calls=2)
        .prefetch(4)
    )
    for _ in dataset.take(100_000):
        pass
    assert min(first.seen, second.seen) >= 100_000
    # The most tensors that a shuffle's buffer, a map's queue and the threads may hold.
    assert first.most <= 100 + 256
    assert second.most <= 256
    del _
    assert all_ended()
    assert not first.references and not second.references


def test_large_batches_do_not_add_up():
    """Each batch has 2 MiB, which the engine's statistics count exactly."""
    images = np.zeros([64, 256, 1024], np.float32)
    dataset = tf.data.Dataset.from_tensor_slices(images).repeat().shuffle(4, seed=1).batch(2)
    iterator = iter(dataset.map(lambda x: x + 1.0, num_parallel_calls=2).prefetch(2))

    def held():
        for _ in range(100):
            next(iterator)
        return tf.config.experimental.get_memory_info("CPU:0")["current"]

    held()
    batch = 2 * 1024 * 1024
    before = tf.config.experimental.get_memory_info("CPU:0")["current"]
    # The queues may be full at one time and empty at another.
    assert abs(held() - before) <= 30 * batch


def quick(count, calls=2):
    """A pipeline that passes elements in blocks."""
    return tf.data.Dataset.range(count).map(lambda x: x + 1, num_parallel_calls=calls)


def test_blocks_of_elements_keep_their_order():
    assert [int(x) for x in quick(3000).prefetch(64)] == list(range(1, 3001))


def test_errors_in_blocks_stand_in_their_places():
    def fail(x):
        if int(x) % 7 == 3:
            raise ValueError(f"<{int(x)}>")
        return x

    iterator = iter(
        tf.data.Dataset.range(1000).map(as_python(fail), num_parallel_calls=2).prefetch(50)
    )
    found = []
    while True:
        try:
            found.append(int(next(iterator)))
        except tf.errors.InvalidArgumentError as error:
            found.append(int(error.message.split("<")[1].split(">")[0]))
        except StopIteration:
            break
    assert found == list(range(1000))


def test_no_more_calls_at_the_same_time_than_asked_for():
    lock = threading.Lock()
    now, most = 0, 0

    def note(x):
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
        threading.Event().wait(0.0001)
        with lock:
            now -= 1
        return x

    list(tf.data.Dataset.range(200).map(as_python(note), num_parallel_calls=2))
    assert most <= 2


def test_a_function_that_becomes_slow_does_not_hold_back_what_is_made():
    go_on = threading.Event()

    def hold_back(x):
        if int(x) == 500:
            go_on.wait(20)
        return x

    iterator = iter(tf.data.Dataset.range(600).map(as_python(hold_back), num_parallel_calls=2))
    first = [int(next(iterator)) for _ in range(500)]
    go_on.set()
    assert first + [int(x) for x in iterator] == list(range(600))


def test_several_threads_may_read_one_iterator():
    iterator = iter(quick(2000).prefetch(16))
    parts = [[], [], []]

    def read(part):
        part.extend(int(x) for x in iterator)

    readers = [threading.Thread(target=read, args=(part,)) for part in parts]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert sorted(x for part in parts for x in part) == list(range(1, 2001))
    assert all(part == sorted(part) for part in parts)


def test_positions_between_blocks():
    iterator = iter(quick(2000).prefetch(40))
    for _ in range(997):
        next(iterator)
    state = iterator.state()
    rest = [int(x) for x in iterator]
    assert rest == list(range(998, 2001))
    other = iter(quick(2000).prefetch(40))
    other.restore(state)
    assert [int(x) for x in other] == rest


def test_elements_made_by_the_reader_are_not_recorded():
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        values = list(tf.data.Dataset.range(50).map(lambda i: x * 2.0).prefetch(1))
    assert all(tape.gradient(value, x) is None for value in values)


def test_a_long_element_does_not_hold_back_those_before_it():
    """Blocks of quick elements end early if an element takes long."""

    variable = tf.Variable(0, dtype=tf.int64)

    def until_told(x):
        """Counts until the variable is set, for one element."""
        waits = tf.equal(x, 500)
        going = lambda i: tf.logical_and(waits, tf.equal(variable.read_value(), 0))  # noqa: E731
        return tf.while_loop(going, lambda i: i + 1, (tf.constant(0, tf.int64),))[0] * 0 + x

    iterator = iter(tf.data.Dataset.range(600).map(until_told, num_parallel_calls=2))
    first = [int(next(iterator)) for _ in range(490)]
    variable.assign(1)
    assert first + [int(x) for x in iterator] == list(range(600))


class SlowNumbers(Cursor):
    """Counts to 60, and how often two threads read at the same time."""

    def __init__(self):
        self.count = self.overlaps = 0
        self.inside = False

    def __next__(self):
        self.overlaps += self.inside
        self.inside = True
        number = self.count
        self.count += 1
        time.sleep(0.002)
        self.inside = False
        if number == 60:
            raise StopIteration
        return number

    def state(self):
        return self.count

    def restore(self, state):
        self.count = state


def test_a_reader_that_computes_leaves_the_input_to_the_worker_that_reads_it():
    def make(x):
        time.sleep(0.0003)
        return x

    numbers = SlowNumbers()
    team = Team(numbers, make, workers=3, room=6, ordered=True)
    read = []
    with pytest.raises(StopIteration):
        while True:
            read.append(team.next())
            time.sleep(0.004)  # the workers fill the queue
            if len(read) % 7 == 0:
                while team.out or team.blocks:  # until no element is ready and no worker is busy
                    read.append(team.next())
    assert read == list(range(60)) and numbers.overlaps == 0


def test_errors_of_elements_do_not_tell_of_an_empty_queue():
    def failing(x):
        if x == 5:
            raise ValueError("five")
        return x

    data = tf.data.Dataset.range(10).map(
        lambda x: tf.py_function(failing, [x], tf.int64), num_parallel_calls=2
    )
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        list(data)
    told, error = [], caught.value
    while error is not None:
        told.append(type(error))
        error = error.__cause__ or error.__context__
    assert told == [tf.errors.InvalidArgumentError, ValueError]
