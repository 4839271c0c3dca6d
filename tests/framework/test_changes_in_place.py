"""Changes of parts of variables, which happen in place: what was read before stays as it was."""

import threading

import numpy as np
import pytest

import eagerflow as tf
import peak_memory

KEYS = {
    "row": lambda i: (2,),
    "row at the end": lambda i: (-1,),
    "row at a tensor": lambda i: (i,),
    "element": lambda i: (1, 2),
    "element at tensors": lambda i: (i, i),
    "inner": lambda i: (slice(1, -1), slice(1, 3)),
    "every second, from behind": lambda i: (slice(None, None, -2),),
    "column": lambda i: (Ellipsis, 1),
    "column with a new axis": lambda i: (slice(None), None, i),
    "none": lambda i: (slice(2, 2),),
    "all": lambda i: (Ellipsis,),
}
MODES = {
    "eager": lambda f: f,
    "traced": tf.function,
    "compiled": tf.function(jit_compile=True),
}


def _in_numpy(key):
    return tuple(int(part) if isinstance(part, tf.Tensor) else part for part in key)


@pytest.mark.parametrize("dtype", [tf.float32, tf.int8, tf.complex128, tf.bool, tf.string])
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("mode", MODES)
def test_parts_are_replaced(mode, key, dtype) -> None:
    if mode == "compiled" and dtype == tf.string:
        pytest.skip("programs have no strings")
    before = (np.arange(20) % 7).reshape(4, 5)
    start = tf.constant(before.astype(str)) if dtype == tf.string else tf.cast(before, dtype)
    whole = start.numpy()
    index = tf.constant(1)
    room = np.shape(whole[_in_numpy(KEYS[key](index))])
    for shape in {room, room[-1:], ()}:
        values = np.ones(shape, int) * 3 + np.arange(shape[-1] if shape else 1).reshape(shape[-1:])
        new = tf.constant(values.astype(str)) if dtype == tf.string else tf.cast(values, dtype)
        variable = tf.Variable(start)
        held = variable.read_value()
        change = MODES[mode](lambda i, x, v=variable: v[KEYS[key](i)].assign(x).read_value())
        found = change(index, new)
        expected = whole.copy()
        expected[_in_numpy(KEYS[key](index))] = new.numpy()
        assert (found.numpy() == expected).all()
        assert (variable.numpy() == expected).all()
        assert (held.numpy() == whole).all()
        again = change(index, new)  # nothing else has the value now
        assert (again.numpy() == expected).all()


@pytest.mark.parametrize("mode", MODES)
def test_what_was_read_before_keeps_its_value(mode) -> None:
    variable = tf.Variable(tf.range(12.0))

    def change():
        before = variable.read_value()
        part, total = variable[2:5], tf.reduce_sum(variable)
        variable[1:4].assign([9.0, 9.0, 9.0])
        between = variable[2:5]
        variable.scatter_nd_update([[3]], [-1.0])
        variable[4:].assign(variable[3:-1])
        return before, part, total, between, variable.read_value()

    before, part, total, between, after = MODES[mode](change)()
    assert before.numpy().tolist() == list(range(12))
    assert part.numpy().tolist() == [2, 3, 4]
    assert total.numpy() == 66
    assert between.numpy().tolist() == [9, 9, 4]
    assert after.numpy().tolist() == [0, 9, 9, -1, -1, 4, 5, 6, 7, 8, 9, 10]
    assert variable.numpy().tolist() == after.numpy().tolist()


@pytest.mark.parametrize("mode", ["eager", "traced"])
@pytest.mark.parametrize("name", ["add", "sub", "max", "min", "update"])
def test_scattered_rows(name, mode) -> None:
    rng = np.random.default_rng(0)
    start, updates = rng.normal(size=(6, 3)), rng.normal(size=(3, 3))
    indices = [[4], [0], [5]]
    variable = tf.Variable(start)
    run = MODES[mode](lambda i, x: getattr(variable, f"scatter_nd_{name}")(i, x))
    by_rows = MODES[mode](
        lambda i, x: getattr(variable, f"scatter_{name}")(tf.IndexedSlices(x, i[:, 0]))
    )
    expected = tf.constant(start)
    operation = getattr(tf, f"tensor_scatter_nd_{name}")
    for change in (run, by_rows):
        held = variable.read_value()
        change(tf.constant(indices), tf.constant(updates))
        np.testing.assert_array_equal(held, expected)
        expected = operation(expected, indices, updates)
        np.testing.assert_array_equal(variable, expected)


@pytest.mark.parametrize("mode", ["eager", "traced"])
def test_refused_changes_leave_the_value(mode) -> None:
    variable = tf.Variable(tf.zeros([3, 2]))
    changes = [
        lambda i: variable[i].assign([1.0, 2.0]),
        lambda i: variable[i % 3].assign([1.0, 2.0, 3.0]),
        lambda i: variable.scatter_nd_update([[0], [i]], tf.ones([2, 2])),
        lambda i: variable.scatter_nd_add([[0], [i]], tf.ones([2, 2])),
    ]
    for change in changes:
        with pytest.raises(tf.errors.InvalidArgumentError):
            MODES[mode](change)(tf.constant(7))
        assert not variable.numpy().any()


def test_tapes_keep_the_values_that_they_watched() -> None:
    variable = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(variable**3)
        variable[1:].assign([10.0, 10.0])
    assert tape.gradient(y, variable).numpy().tolist() == [3, 12, 27]


def test_several_threads_lose_no_change() -> None:
    variable = tf.Variable(tf.zeros([4, 1000]))

    def work(row):
        for k in range(200):
            variable[row, k].assign(1.0)
            variable.scatter_nd_add([[row, 999]], [1.0])

    threads = [threading.Thread(target=work, args=(row,)) for row in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert variable.numpy()[:, :200].all()
    assert variable.numpy()[:, 999].tolist() == [200] * 4


def test_a_row_of_a_large_variable_needs_no_memory() -> None:
    variable = tf.Variable(tf.zeros([16_000_000, 4], tf.uint8))
    row = tf.ones([4], tf.uint8)
    traced = tf.function(lambda i: variable[i].assign(row))
    scattered = tf.function(lambda i: variable.scatter_nd_update([[i]], row[None]))
    changes = [
        lambda i: variable[i].assign(row),
        lambda i: variable.scatter_nd_update([[i]], row[None]),
        traced,
        scattered,
    ]
    for change in changes:
        change(tf.constant(1))
    used = peak_memory.forget_peak()
    for change in changes:
        change(tf.constant(15_999_999))
    assert peak_memory.peak() - used < 32 << 20  # the variable has 64 MB
    assert variable[15_999_999].numpy().tolist() == [1, 1, 1, 1]


def test_loops_change_tensors_in_place() -> None:
    @tf.function
    def fill(x, n):
        for i in tf.range(n):
            x = tf.tensor_scatter_nd_update(x, [[i]], [tf.cast(i, tf.float32)])
        return x

    start = tf.zeros([50])
    assert fill(start, tf.constant(50)).numpy().tolist() == list(range(50))
    assert not start.numpy().any()
