"""Elements that worker processes make: order, seeds, errors, interrupts, and that nothing is left."""

import gc
import glob
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.data import processes, shared_arrays

D = tf.data.Dataset
INT = tf.TensorSpec([], tf.int64)
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")


def double(x):
    return 2 * x


def count(stop, worker=0, workers=1):
    yield from range(worker, stop, workers)


def drawn(x):
    values = [random.random(), np.random.rand(), float(tf.random.uniform([]))]
    return np.array([x, *values])


DRAWN = tf.TensorSpec([4], tf.float64)


def mapped(function=double, size=20, spec=INT, **options):
    options = {"workers": 2, "output_signature": spec} | options
    return D.range(size).map(function, **options)


def generated(function=count, size=20, spec=INT, **options):
    return D.from_generator(
        function, args=[size], output_signature=spec, **{"workers": 2} | options
    )


def numbers(dataset):
    return [int(x) for x in dataset]


def left():
    """The worker processes that there are, and the shared memory of processes of this one."""
    memory = glob.glob(f"/dev/shm/eagerflow-{os.getpid()}-*")
    return multiprocessing.active_children(), memory


@pytest.fixture(autouse=True)
def nothing_is_left():
    yield
    gc.collect()
    assert left() == ([], [])


@pytest.fixture(params=["fork", "spawn"])
def method(request, monkeypatch):
    context = multiprocessing.get_context(request.param)
    monkeypatch.setattr(processes, "start_method", lambda: context)
    return request.param


def test_elements_come_in_order(method):
    assert numbers(mapped()) == list(range(0, 40, 2))
    assert numbers(generated()) == list(range(20))
    if method == "spawn":
        with pytest.raises(TypeError, match="top level of a module"):
            numbers(mapped(lambda x: x))


def test_elements_come_as_they_are_ready():
    def slow_at_first(x):
        time.sleep(0.3 if x == 0 else 0)
        return x

    def slow(stop, worker, workers):
        for i in range(worker, stop, workers):
            time.sleep(0.1 if worker == 0 else 0)
            yield i

    for dataset in (
        mapped(slow_at_first, deterministic=False),
        generated(slow, deterministic=False),
    ):
        found = numbers(dataset)
        assert sorted(found) == list(range(20)) and found != sorted(found)
    options = tf.data.Options()
    options.deterministic = False
    assert numbers(mapped(slow_at_first).with_options(options))[0] != 0
    assert numbers(mapped(slow_at_first, deterministic=True).with_options(options))[0] == 0


@pytest.mark.parametrize("workers", [1, 2, 3, tf.data.AUTOTUNE])
def test_numbers_of_workers(workers):
    assert numbers(mapped(size=7, workers=workers)) == list(range(0, 14, 2))
    assert numbers(generated(size=7, workers=workers)) == list(range(7))
    assert numbers(mapped(size=0, workers=workers)) == []
    assert numbers(generated(size=0, workers=workers)) == []


VALUES = {
    "uint8": (tf.TensorSpec([200, 200, 3], tf.uint8), lambda x: np.full([200, 200, 3], x)),
    "bfloat16": (tf.TensorSpec([None], tf.bfloat16), lambda x: np.full([30000], x)),
    "complex": (tf.TensorSpec([None, None], tf.complex128), lambda x: np.full([100, x], 1j)),
    "strings": (tf.TensorSpec([2], tf.string), lambda x: [b"long" * 10000 * int(x), "short"]),
    "reversed": (tf.TensorSpec([None], tf.int32), lambda x: np.arange(30000 + x)[::-1]),
    "scalar": (tf.TensorSpec([], tf.bool), lambda x: x > 1),
    "growing": (tf.TensorSpec([None], tf.int64), lambda x: np.arange(10 ** (x + 2))),
    "structure": (
        {"a": (INT, tf.TensorSpec([None])), "b": tf.TensorSpec([9000])},
        lambda x: {"a": (x, [x] * int(x)), "b": np.full([9000], x)},
    ),
    "tensors": (tf.TensorSpec([5000]), lambda x: tf.fill([5000], tf.cast(x, tf.float32))),
    "ragged": (
        tf.RaggedTensorSpec([None, None], tf.int64),
        lambda x: tf.ragged.range(tf.range(x + 2)),
    ),
}


@pytest.mark.parametrize("name", VALUES)
def test_values(name, monkeypatch):
    spec, make = VALUES[name]
    size = 5

    def all_of_them(n, **worker):
        return (make(np.int64(i)) for i in range(n))

    wanted = list(D.from_generator(all_of_them, args=[size], output_signature=spec))
    for full in (False, True):
        if full:  # there is no room for shared memory
            monkeypatch.setattr(shared_arrays, "_created", lambda name, size: None)
        for dataset in (mapped(make, size, spec), generated(all_of_them, size, spec, workers=1)):
            assert dataset.element_spec == spec
            found = list(dataset)
            tf.nest.assert_same_structure(found, wanted, expand_composites=True)
            flat = (tf.nest.flatten(each, expand_composites=True) for each in (found, wanted))
            for one, other in zip(*flat, strict=True):
                np.testing.assert_array_equal(one.numpy(), other.numpy())


def test_elements_are_passed_as_numpy_values():
    def seen(pair, ragged, text):
        assert isinstance(pair["x"], np.ndarray) and pair["x"].flags.writeable
        pair["x"] += 1
        assert isinstance(ragged, tf.RaggedTensor) and isinstance(text, bytes)
        return pair["x"].sum() + len(text), ragged.bounding_shape()[0]

    ragged = tf.ragged.constant([[[1], [2, 3]], [[]]])
    x = np.ones([2, 100, 100])
    source = D.from_tensor_slices(({"x": x}, ragged, ["a", "bc"]))
    dataset = source.map(seen, workers=2, output_signature=(tf.TensorSpec([]), INT))
    assert [(float(a), int(b)) for a, b in dataset] == [(20001.0, 2), (20002.0, 1)]
    assert (x == 1).all()


def test_both_directions_are_full_at_once(monkeypatch):
    monkeypatch.setattr(shared_arrays, "_created", lambda name, size: None)
    source = D.from_tensors(np.ones([1 << 20])).repeat(12)
    spec = tf.TensorSpec([1 << 20], tf.float64)
    assert sum(1 for _ in source.map(double, workers=1, output_signature=spec)) == 12


@pytest.mark.parametrize("seed", [None, 3])
def test_random_values_follow_from_the_seed_and_the_position(seed):
    def passes(workers):
        tf.random.set_seed(seed)
        dataset = mapped(drawn, 8, DRAWN, workers=workers)
        return [np.array(list(dataset.as_numpy_iterator())) for _ in range(2)]

    first, second = passes(1)
    assert len(np.unique(np.concatenate([first, second])[:, 1:])) == 48
    np.testing.assert_array_equal(first[:, 0], range(8))
    again = passes(3)
    assert (np.array(again) == [first, second]).all() == (seed is not None)


def test_random_values_of_generators_differ_between_processes():
    def draw(stop, worker, workers):
        for i in range(worker, stop, workers):
            yield drawn(i)

    def passes():
        tf.random.set_seed(1)
        dataset = generated(draw, 8, DRAWN)
        return np.array([list(dataset.as_numpy_iterator()) for _ in range(2)])

    found = passes()
    assert len(np.unique(found[..., 1:])) == 48
    np.testing.assert_array_equal(found, passes())


def test_the_programs_random_values_stay_as_they_are():
    random.seed(1), np.random.seed(1)
    wanted = random.random(), np.random.rand()
    random.seed(1), np.random.seed(1)
    numbers(mapped())
    assert (random.random(), np.random.rand()) == wanted


class Unpicklable(Exception):
    def __init__(self, one, two):
        super().__init__(one)


def failing(x):
    if x == 3:
        raise ValueError("three is too much")
    if x == 5:
        raise Unpicklable("five", 5)
    if x == 7:
        sys.exit(7)
    return "text" if x == 9 else x


def test_errors_have_the_traceback_of_the_process():
    iterator = iter(mapped(failing, 12))
    found, messages = [], []
    while True:
        try:
            found.append(int(next(iterator)))
        except StopIteration:
            break
        except Exception as error:
            messages.append((type(error), str(error), str(error.__cause__)))
    assert found == [0, 1, 2, 4, 6, 8, 10, 11]
    kinds = [kind.__name__ for kind, _, _ in messages]
    assert kinds == ["InvalidArgumentError", "UnknownError", "RuntimeError", "InvalidArgumentError"]
    assert "three is too much" in messages[0][1] and ", in failing" in messages[0][1]
    assert "Unpicklable: five" in messages[1][1]
    assert "SystemExit: 7" in messages[2][1] and ", in failing" in messages[2][2]
    assert "`map_func` returned an element that could not be converted" in messages[3][1]


def test_errors_of_generators():
    def broken(stop, worker, workers):
        yield worker
        if worker == 0:
            raise ValueError("no more")
        yield 10
        yield 20

    iterator = iter(generated(broken))
    assert [int(next(iterator)), int(next(iterator))] == [0, 1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="(?s)in broken.*no more"):
        next(iterator)
    assert numbers(iterator) == [10, 20]

    def never(stop):
        raise KeyError("here")

    with pytest.raises(tf.errors.UnknownError, match="here"):
        numbers(generated(never, workers=1))
    assert numbers(generated(never, workers=1).ignore_errors()) == []


def test_errors_of_the_input_keep_their_place():
    finite = D.range(6).map(lambda x: tf.debugging.check_numerics(1 / (x - 3), "inf"))
    source = finite.map(lambda x: tf.cast(x, tf.int64))
    iterator = iter(source.map(double, workers=2, output_signature=INT))
    assert [int(next(iterator)) for _ in range(3)] == [0, 0, -2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="inf"):
        next(iterator)
    assert numbers(iterator) == [2, 0]


def killed(x):
    if x == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    if x == 6:
        os._exit(9)
    return x


@pytest.mark.parametrize("deterministic", [True, False])
@pytest.mark.parametrize("number, how", [(4, "SIGKILL.*memory"), (6, "status 9")])
def test_a_process_that_ends(deterministic, number, how):
    def generator(stop, worker, workers):
        yield from map(killed, range(number + worker, stop, workers))

    for dataset in (
        D.range(number, 20).map(
            killed, workers=2, output_signature=INT, deterministic=deterministic
        ),
        generated(generator, deterministic=deterministic),
    ):
        iterator = iter(dataset)
        with pytest.raises(tf.errors.UnavailableError, match=how):
            for _ in iterator:
                pass
        assert numbers(iterator) == []
        assert left() == ([], [])


def hanging(x):
    while x == 3:
        time.sleep(0.01)
    return x


@pytest.mark.parametrize("deterministic", [True, False])
def test_a_process_that_hangs(deterministic):
    def generator(stop, worker, workers):
        yield from map(hanging, range(worker, stop, workers))

    options = {"timeout": 0.3, "deterministic": deterministic}
    for dataset in (mapped(hanging, 4, **options), generated(generator, 4, **options)):
        iterator = iter(dataset)
        with pytest.raises(
            tf.errors.DeadlineExceededError, match="(?s)0.3 seconds.*in hanging"
        ) as caught:
            for _ in iterator:
                pass
        assert "_serve" not in str(caught.value)
        assert numbers(iterator) == []
        assert left() == ([], [])


@pytest.mark.parametrize("make", [mapped, generated])
def test_an_abandoned_iterator_leaves_nothing(make):
    gc.disable()
    try:
        iterator = iter(make(size=10**6, spec=INT).prefetch(2))
        assert int(next(iterator)) == 0
        assert len(left()[0]) == 2
        del iterator
        deadline = time.monotonic() + 20
        while left() != ([], []) and time.monotonic() < deadline:
            time.sleep(0.01)  # the thread that reads ahead has a cursor until it notices
        assert left() == ([], [])
    finally:
        gc.enable()


def big(x):
    return np.full([50000], x)


def test_memory_of_unread_elements_is_given_back():
    iterator = iter(mapped(big, 100, tf.TensorSpec([50000], tf.int64)))
    next(iterator)
    time.sleep(0.2)  # more are ready, and their memory has names
    del iterator
    assert left() == ([], [])


def interrupting(x):
    if x == 30:
        time.sleep(1)  # the program has read what there was, and waits
        os.kill(os.getppid(), signal.SIGINT)
        time.sleep(0.5)  # it is still waiting when the interrupt comes
    return x


@pytest.fixture
def interruptible():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_reading_goes_on_after_an_interrupt(interruptible):
    iterator = iter(mapped(interrupting, 60))
    found = []
    with pytest.raises(KeyboardInterrupt):
        for x in iterator:
            found.append(int(x))
    assert len(found) == 30
    assert found + numbers(iterator) == list(range(60))


def test_an_interrupt_in_the_middle_of_a_message_ends_the_processes(monkeypatch):
    iterator = iter(mapped(size=60))
    next(iterator)

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(shared_arrays.Channel, "receive", interrupted)
        with pytest.raises(KeyboardInterrupt):
            next(iterator)
    assert left() == ([], [])
    with pytest.raises(tf.errors.CancelledError, match="ended"):
        next(iterator)


PROGRAM = """
import os, signal, sys, time
import numpy as np
import eagerflow as tf
signal.signal(signal.SIGINT, signal.default_int_handler)
def work(x):
    if x == 9 and sys.argv[1] == "hang":
        time.sleep(1000)
    return np.full([50000], x)
spec = tf.TensorSpec([None], tf.int64)
iterator = iter(tf.data.Dataset.range(10**9).map(work, workers=2, output_signature=spec))
next(iterator)
import multiprocessing
print(*[child.pid for child in multiprocessing.active_children()], flush=True)
how = sys.argv[1]
if how == "leave":
    sys.exit(7)
if how in ("INT", "KILL", "TERM"):
    os.kill(os.getpid(), getattr(signal, "SIG" + how))
if how == "hang":
    os.kill(os.getpid(), signal.SIGKILL)
raise RuntimeError
"""


def is_running(pid):
    """Whether there is such a process; where nobody waits for orphans, they stay as zombies."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.parametrize(
    "how, code",
    [
        ("leave", 7),
        ("error", 1),
        ("INT", -signal.SIGINT),
        ("TERM", -signal.SIGTERM),
        ("KILL", -signal.SIGKILL),
        ("hang", -signal.SIGKILL),
    ],
)
def test_processes_end_with_the_program(how, code, tmp_path):
    with open(tmp_path / "errors", "w+") as errors:
        program = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, how], stdout=subprocess.PIPE, stderr=errors, text=True
        )
        pids = [int(pid) for pid in program.stdout.readline().split()]
        assert len(pids) == 2
        assert program.wait(60) == code
        deadline = time.monotonic() + 20
        pattern = f"/dev/shm/eagerflow-{program.pid}-*"
        while (any(map(is_running, pids)) or glob.glob(pattern)) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not any(map(is_running, pids)) and not glob.glob(pattern)
        program.stdout.close()
        errors.seek(0)
        if how == "leave":
            assert errors.read() == ""


def test_a_forked_process_leaves_the_workers_alone():
    iterator = iter(mapped())
    next(iterator)
    child = os.fork()
    if not child:
        del iterator
        gc.collect()
        os._exit(0)
    os.waitpid(child, 0)
    assert len(numbers(iterator)) == 19


def test_workers_have_no_workers():
    def nested(x):
        return numbers(mapped(size=2))[0]

    with pytest.raises(tf.errors.UnknownError, match="A worker process cannot have"):
        numbers(mapped(nested))


@pytest.mark.parametrize("deterministic", [True, False])
@pytest.mark.parametrize("make", ["map", "generator"])
def test_positions(make, deterministic, tmp_path):
    def generator(stop, worker, workers):
        for i in range(worker, stop, workers):
            yield drawn(i)

    def dataset():
        tf.random.set_seed(5)
        if make == "map":
            made = (
                D.range(30)
                .shuffle(30, seed=1)
                .map(drawn, workers=2, output_signature=DRAWN, deterministic=deterministic)
            )
        else:
            made = generated(generator, 30, DRAWN, workers=3, deterministic=deterministic)
        return made.batch(4).repeat(2)

    def rows(batches):
        return sorted(tuple(row) for batch in batches for row in batch.numpy())

    wanted = rows(dataset())
    source = iter(dataset())
    before = [next(source) for _ in range(3)]
    state = tf.train.Checkpoint(iterator=source)
    path = state.write(str(tmp_path / "position"))
    more = [next(source) for _ in range(7)]
    after = iter(dataset())
    tf.train.Checkpoint(iterator=after).read(path)
    after = list(after)
    if deterministic:
        for one, other in zip(more, after, strict=False):
            np.testing.assert_array_equal(one.numpy(), other.numpy())
    assert rows([*before, *after]) == wanted


def test_arguments():
    with pytest.raises(ValueError, match="output_signature"):
        D.range(3).map(double, workers=2)
    with pytest.raises(ValueError, match="need `workers`"):
        D.range(3).map(double, output_signature=INT)
    with pytest.raises(ValueError, match="need `workers`"):
        D.from_generator(count, output_signature=INT, timeout=3)
    with pytest.raises(ValueError, match="for threads"):
        D.range(3).map(double, 2, workers=2, output_signature=INT)
    with pytest.raises(ValueError, match="callable"):
        D.range(3).map(3, workers=2, output_signature=INT)
    with pytest.raises(TypeError, match="TypeSpec"):
        D.range(3).map(double, workers=2, output_signature=tf.int64)
    for make in (mapped, generated):
        with pytest.raises(tf.errors.InvalidArgumentError, match="workers"):
            make(workers=0)
        with pytest.raises(tf.errors.InvalidArgumentError, match="timeout"):
            make(timeout=0)
        with pytest.raises(TypeError, match="deterministic"):
            make(deterministic=1)
    with pytest.raises(TypeError, match="`worker` and `workers`"):
        generated(lambda stop: range(stop))
    assert "2 worker processes" in mapped().explain() and "double" in mapped().explain()
    assert len(mapped()) == 20 and generated().cardinality() == tf.data.UNKNOWN_CARDINALITY


def test_in_functions_and_under_other_steps():
    @tf.function
    def total():
        result = tf.constant(0, tf.int64)
        for x in mapped(size=5).batch(2):
            result += tf.reduce_sum(x)
        return result

    assert int(total()) == 20
    lanes = D.range(2).interleave(
        lambda i: D.range(3).map(double, workers=1, output_signature=INT), num_parallel_calls=2
    )
    assert sorted(numbers(lanes)) == [0, 0, 2, 2, 4, 4]
    zipped = D.zip(mapped(size=4), generated(size=4)).prefetch(1)
    assert [(int(a), int(b)) for a, b in zipped] == [(0, 0), (2, 1), (4, 2), (6, 3)]
