"""Tensors, variables and tapes used from eight threads at once."""

import subprocess
import sys
import threading
from pathlib import Path

import numpy as np

import eagerflow as tf

THREADS = 8


def run_program(program):
    """Runs a program in a process of its own, which must exit with 0."""
    root = Path(tf.__file__).parents[1]
    subprocess.run([sys.executable, "-c", program], check=True, cwd=root)


def in_threads(work):
    """Runs work(k) in every thread at the same time; the results, or the first exception."""
    results = [None] * THREADS
    errors = []
    barrier = threading.Barrier(THREADS)

    def run(k):
        barrier.wait()
        try:
            results[k] = work(k)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results


def test_shared_tensors():
    x = tf.constant(np.random.default_rng(0).normal(size=(200, 200)), tf.float32)
    expected = tf.reduce_sum(tf.tanh(x @ x)).numpy()

    def work(k):
        return [float(tf.reduce_sum(tf.tanh(x @ x))) for _ in range(50)]

    for values in in_threads(work):
        np.testing.assert_allclose(values, expected, 1e-4)


def test_small_operations():
    one = tf.constant(1)

    def work(k):
        total = tf.constant(0)
        for _ in range(20_000):
            total = total + one
        return int(total)

    assert in_threads(work) == [20_000] * THREADS


def test_a_tape_belongs_to_its_thread():
    v = tf.Variable(3.0)

    def work(k):
        slopes = []
        for _ in range(500):
            with tf.GradientTape() as tape:
                y = v**2 * float(k)
            slopes.append(float(tape.gradient(y, v)))
        return slopes

    for k, slopes in enumerate(in_threads(work)):
        assert slopes == [6.0 * k] * 500


def test_other_threads_do_not_record():
    v = tf.Variable(3.0)
    results = []
    with tf.GradientTape() as tape:
        thread = threading.Thread(target=lambda: results.append(v * 2.0))
        thread.start()
        thread.join()
        y = v * v
    assert tape.gradient([y, results[0]], v).numpy() == 6.0


def test_updates_of_one_variable():
    v = tf.Variable(tf.zeros([1000], tf.int64))

    def work(k):
        for _ in range(500):
            v.assign_add(tf.ones([1000], tf.int64))

    in_threads(work)
    np.testing.assert_array_equal(v.numpy(), THREADS * 500)


def test_readers_see_whole_values():
    v = tf.Variable(tf.zeros([20_000]))

    def work(k):
        for i in range(200):
            if k % 2:
                v.assign(tf.fill([20_000], float(i)))
            else:
                values = v.numpy()
                assert values.min() == values.max()

    in_threads(work)


def test_large_kernels_beside_each_other():
    images = tf.random.stateless_normal([4, 32, 32, 8], [1, 2])
    filters = tf.random.stateless_normal([3, 3, 8, 16], [3, 4])

    def gradient():
        with tf.GradientTape() as tape:
            tape.watch(filters)
            loss = tf.reduce_sum(tf.nn.relu(tf.nn.conv2d(images, filters, 1, "SAME")))
        return tape.gradient(loss, filters).numpy()

    expected = gradient()
    for got in in_threads(lambda k: [gradient() for _ in range(10)]):
        np.testing.assert_allclose(got, [expected] * 10, 1e-3, 1e-2)


def test_training_in_every_thread():
    def work(k):
        x = tf.random.stateless_normal([32, 4], [k, 0])
        y = x @ tf.constant([[1.0], [2.0], [3.0], [4.0]])
        w = tf.Variable(tf.zeros([4, 1]))
        optimizer = tf.optimizers.SGD(0.1)
        for _ in range(200):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(x @ w - y))
            optimizer.apply_gradients([(tape.gradient(loss, w), w)])
        return w.numpy().ravel()

    for w in in_threads(work):
        np.testing.assert_allclose(w, [1, 2, 3, 4], atol=0.1)


def test_creators_of_variables_belong_to_a_thread():
    def not_trainable(next_creator, **kwargs):
        return next_creator(**kwargs | {"trainable": False})

    with tf.variable_creator_scope(not_trainable):
        assert not tf.Variable(1.0).trainable
        assert all(in_threads(lambda k: tf.Variable(float(k)).trainable))


def test_a_forked_process_has_threads_of_its_own():
    program = """
import os
import eagerflow as tf
ones = tf.ones([2000, 1000])
total = lambda: float(tf.reduce_sum(ones * 3.0 + ones))
assert total() == 8e6
child = os.fork()
if child == 0:
    os._exit(7 if total() == 8e6 else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
assert total() == 8e6
"""
    run_program(program)


def test_a_forked_process_needs_no_threads_of_openmp():
    run_program("""
import os
import eagerflow as tf
tf._core.set_num_threads(6)  # so many that oneDNN shares large products among OpenMP's
ones = tf.ones([600, 600])
total = lambda: float(tf.reduce_max(ones @ ones + 1.0))
assert total() == 601
child = os.fork()
if child == 0:
    import signal
    signal.alarm(60)
    os._exit(7 if total() == 601 else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
""")


def test_threads_at_work_do_not_disturb_the_end_of_the_program():
    run_program("""
import threading
import eagerflow as tf

x = tf.ones([300, 300])
started = threading.Barrier(4)

@tf.custom_gradient
def slow(x):
    return tf.py_function(lambda x: x @ x @ x, [x], tf.float32), lambda dy: [dy]

def work(step):
    step()
    started.wait()
    while True:
        step()

for step in (lambda: x @ x, lambda: tf.exp(x) + x, lambda: slow(x)):
    threading.Thread(target=work, args=(step,), daemon=True).start()
started.wait()
""")


def test_a_limit_on_threads_changes_no_result():
    x = tf.constant(np.random.RandomState(0).randn(512, 700).astype(np.float32))
    before = tf._core.num_threads()
    results = []
    for count in (1, 2, 3, 1, 5):
        tf._core.set_num_threads(count)
        results.append(tf.tanh(tf.transpose(tf.matmul(x, x, transpose_b=True))).numpy())
    tf._core.set_num_threads(before)
    for result in results[1:]:
        np.testing.assert_allclose(result, results[0], rtol=1e-5, atol=1e-5)


def test_threads_draw_different_numbers_from_one_generator():
    generator = tf.random.Generator.from_seed(1)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        drawn = in_threads(
            lambda k: [int(generator.uniform_full_int([], tf.uint64)) for _ in range(500)]
        )
    finally:
        sys.setswitchinterval(interval)
    assert len({number for part in drawn for number in part}) == 500 * THREADS
    other = tf.random.Generator.from_seed(1)
    other.skip(500 * THREADS)
    assert (other.state == generator.state).numpy().all()


def test_updates_of_rows_lose_no_others():
    v = tf.Variable(tf.zeros([3000], tf.int64))
    row = tf.IndexedSlices(tf.ones([1], tf.int64), tf.constant([7]))

    def work(k):
        for i in range(300):
            if k % 3 == 0:
                v.assign_add(tf.ones([3000], tf.int64))
            elif k % 3 == 1:
                v.scatter_add(row)
            else:
                v[k].assign(i)

    in_threads(work)
    values = v.numpy()
    assert values[7] == 3 * 300 + 3 * 300
    assert (np.delete(values, [2, 5, 7]) == 3 * 300).all()


def test_exported_tables_are_whole():
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1)

    def work(k):
        for i in range(200):
            if k % 2:
                keys = tf.range(k * 100, k * 100 + 50 + i % 7, dtype=tf.int64)
                table.insert(keys, keys * 2)
                table.remove(keys)
            else:
                keys, values = table.export()
                np.testing.assert_array_equal(values, keys * 2)

    in_threads(work)
