"""Variables in graphs: reads, changes, and operations that Python may not perform on them."""

import copy

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.errors import OperatorNotAllowedInGraphError
from function.traced import lists, traced

VECTOR = tf.TensorSpec([None], tf.float32)
INTS = tf.TensorSpec([None], tf.int32)


def test_reads_and_changes_run_in_the_order_of_the_program():
    v = tf.Variable(0.0)

    def program():
        before = v.read_value()
        v.assign(10.0)
        after = v + 0
        v.assign_sub(3.0)
        return before, after, v

    run = traced(program)
    assert lists(run()) == (0.0, 10.0, 7.0)
    assert lists(run()) == (7.0, 10.0, 7.0)


def test_what_assign_returns_is_a_tensor_of_the_latest_value():
    v = tf.Variable(0.0)

    def twice():
        first = v.assign_add(1.0)
        second = v.assign_add(1.0)
        return first, second, first + second

    assert lists(traced(twice)()) == (2.0, 2.0, 4.0)

    def changed():
        assert isinstance(v.assign(3.0, read_value=False), tf.Operation)
        return v.read_value()

    assert traced(changed)() == 3.0


def test_operators_and_functions_read_variables():
    v = tf.Variable([1.0, 2.0, 3.0])
    run = traced(
        lambda x: (v + x, x - v, -v, v > 2.0, v[0], v[1:], v**2, 1 / v, tf.concat([v, x], 0)),
        VECTOR,
    )
    assert lists(run([1.0, 2.0, 3.0])) == (
        [2.0, 4.0, 6.0],
        [0.0, 0.0, 0.0],
        [-1.0, -2.0, -3.0],
        [False, False, True],
        1.0,
        [2.0, 3.0],
        [1.0, 4.0, 9.0],
        [1.0, 0.5, np.float32(1 / 3)],
        [1.0, 2.0, 3.0, 1.0, 2.0, 3.0],
    )


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        (slice(1, None), [7.0, 8.0], [[1, 2], [7, 8], [7, 8]]),
        ((slice(None, None, 2), 1), [0.0, 9.0], [[1, 0], [3, 4], [5, 9]]),
        ((..., 0), 3.0, [[3, 2], [3, 4], [3, 6]]),
        ((slice(2, None), tf.newaxis), [[[1.0, 1.0]]], [[1, 2], [3, 4], [1, 1]]),
        (-1, 0.0, [[1, 2], [3, 4], [0, 0]]),
    ],
)
def test_slices_are_assigned(key, value, expected):
    m = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    result = traced(lambda: m[key].assign(value))()
    assert result.numpy().tolist() == m.numpy().tolist() == expected


def test_slices_at_unknown_places_are_assigned():
    m = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    run = traced(lambda k, x: m[k].assign(x), tf.TensorSpec([], tf.int32), VECTOR)
    assert run(1, [5.0, 6.0]).numpy().tolist() == [[1, 2], [5, 6]]
    assert run(0, [7.0]).numpy().tolist() == [[7, 7], [5, 6]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot broadcast input shape"):
        run(0, [1.0, 2.0, 3.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot broadcast input shape"):
        traced(lambda: m[0].assign([1.0, 2.0, 3.0]))()


SCATTERS = {
    "add": [[3.0, 5.0], [3.0, 4.0], [9.0, 11.0]],
    "sub": [[-1.0, -1.0], [3.0, 4.0], [1.0, 1.0]],
    "max": [[2.0, 3.0], [3.0, 4.0], [5.0, 6.0]],
    "min": [[1.0, 2.0], [3.0, 4.0], [4.0, 5.0]],
    "update": [[2.0, 3.0], [3.0, 4.0], [4.0, 5.0]],
    "mul": [[2.0, 6.0], [3.0, 4.0], [20.0, 30.0]],
    "div": [[0.5, 0.66667], [3.0, 4.0], [1.25, 1.2]],
}


@pytest.mark.parametrize("name", SCATTERS)
def test_rows_are_scattered(name):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    run = traced(
        lambda x, k: getattr(v, f"scatter_{name}")(tf.IndexedSlices(x, k)),
        tf.TensorSpec([None, 2], tf.float32),
        INTS,
    )
    result = run([[2.0, 3.0], [4.0, 5.0]], [0, 2])
    np.testing.assert_allclose(result, SCATTERS[name], rtol=1e-4)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[0\]"):
        traced(lambda k: v.scatter_add(tf.IndexedSlices([[1.0, 1.0]], k)), INTS)([7])


def test_rows_of_one_index_are_multiplied():
    v = tf.Variable([1.0, 10.0])
    run = traced(lambda x, k: v.scatter_mul(tf.IndexedSlices(x, k)), VECTOR, INTS)
    assert run([2.0, 3.0], [1, 1]).numpy().tolist() == [1.0, 60.0]


def test_slices_are_scattered_by_position_and_by_batch():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    run = traced(lambda x, k: v.scatter_nd_add(k, x), VECTOR, tf.TensorSpec([None, 2], tf.int32))
    assert run([2.0, 3.0], [[0, 1], [2, 0]]).numpy().tolist() == [[1, 4], [3, 4], [8, 6]]
    run = traced(
        lambda x, k: v.batch_scatter_update(tf.IndexedSlices(x, k)),
        tf.TensorSpec([None, 1], tf.float32),
        tf.TensorSpec([None, 1], tf.int32),
    )
    result = run([[7.0], [8.0], [9.0]], [[0], [1], [0]])
    assert result.numpy().tolist() == [[7, 4], [3, 8], [9, 6]]


def test_a_counter_stops_at_its_limit():
    v = tf.Variable(0)
    run = traced(lambda: v.count_up_to(2))
    assert [int(run()) for _ in range(2)] == [0, 1]
    with pytest.raises(tf.errors.OutOfRangeError, match="Reached limit of 2"):
        run()
    assert int(v) == 2


def test_variables_of_partial_shapes():
    v = tf.Variable([1.0, 2.0], shape=[None])
    run = traced(lambda x: (v.assign(x), tf.shape(v), v * 2), VECTOR)
    assert lists(run([1.0, 2.0, 3.0]))[1:] == ([3], [2.0, 4.0, 6.0])
    u = tf.Variable([1.0], shape=tf.TensorShape(None))
    run = traced(lambda x: (u.assign(x), tf.rank(u)), tf.TensorSpec(None, tf.float32))
    assert run([[1.0, 2.0]])[1] == 2


def test_shapes_that_cannot_fit_are_refused_while_tracing_others_when_it_runs():
    v = tf.Variable([1.0, 2.0, 3.0])
    for method in (v.assign, v.assign_add, v.assign_sub):
        with pytest.raises(ValueError, match="shape"):
            traced(method, tf.TensorSpec([4], tf.float32))
        run = traced(method, VECTOR)
        with pytest.raises(tf.errors.InvalidArgumentError, match="shape"):
            run([1.0, 2.0, 3.0, 4.0])
    with pytest.raises(ValueError, match="conversion requested"):
        traced(v.assign, INTS)


@pytest.mark.parametrize(
    ("ask", "error"),
    [
        (lambda v: v.numpy(), NotImplementedError),
        (np.array, NotImplementedError),
        (copy.deepcopy, NotImplementedError),
        (bool, OperatorNotAllowedInGraphError),
        (list, OperatorNotAllowedInGraphError),
        (len, TypeError),
        (hash, TypeError),
        (int, TypeError),
        (float, TypeError),
    ],
)
def test_python_asks_variables_for_no_value(ask, error):
    v = tf.Variable(1)
    with pytest.raises(error):
        traced(lambda: ask(v) and None)


def test_a_variable_is_shown_without_its_value():
    v = tf.Variable([1.0], name="v")
    shown = []
    traced(lambda: shown.append(repr(v)))
    assert shown == ["<tf.Variable 'v:0' shape=(1,) dtype=float32>"]


def test_gradients_by_variables_follow_changes():
    v = tf.Variable([1.0, 2.0])

    def program():
        with tf.GradientTape() as tape:
            v.assign(v * 2)
            y = tf.reduce_sum(v * v)
        return tape.gradient(y, v)

    assert traced(program)().numpy().tolist() == [4.0, 8.0]


def test_reads_are_shared_until_something_may_change_the_variable() -> None:
    v, w = tf.Variable([1.0, 2.0]), tf.Variable([5.0, 7.0])

    @tf.function
    def change():
        v.assign_add([10.0, 10.0])

    def outside():
        v.assign_add([100.0, 100.0])
        return np.float32(0)

    @tf.function
    def step():
        first = v * w + v[0]
        v.assign(v + 1.0)
        second = v * w + v[0]
        change()
        third = v.read_value()
        fourth = v.value() * 1.0
        w[0].assign(0.0)
        fifth = v * w + v[0]
        nothing = tf.numpy_function(outside, [], tf.float32)
        with tf.control_dependencies([nothing]):
            return first, second, third, fourth, fifth, tf.identity(v), v.read_value()

    a, b = np.array([1.0, 2.0]), np.array([5.0, 7.0])
    for found in (step(), step()):
        expected = [a * b + a[0]]
        a = a + 1
        expected.append(a * b + a[0])
        a = a + 10
        expected += [a, a]
        b = np.array([0.0, 7.0])
        expected.append(a * b + a[0])
        a = a + 100
        expected += [a, a]
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other)
        v.assign(v)


def test_operations_on_one_value_of_a_variable_run_once() -> None:
    v = tf.Variable(tf.ones([200, 200]))
    step = tf.function(lambda: tf.add_n([tf.tanh(v) @ v for _ in range(5)]))
    step()
    with tf.profiler.profile() as profile:
        step()
    names = [event.name for event in profile.events]
    assert [names.count(name) for name in ("ReadVariableOp", "Tanh", "MatMul")] == [1, 1, 1]
