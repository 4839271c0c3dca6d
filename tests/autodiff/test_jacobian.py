"""Jacobians: many rows in one backward pass give what one pass for each gives."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core
from gradient_cases.arrays import CASES as ARRAYS
from gradient_cases.composed import CASES as COMPOSED
from gradient_cases.elementwise import CASES as ELEMENTWISE
from gradient_cases.nn import CASES as NN
from gradient_cases.special_points import CASES as SPECIAL
from gradient_check import dense, weights_like

CASES = [case for case in [*ARRAYS, *ELEMENTWISE, *NN, *COMPOSED, *SPECIAL] if not case.flat]
ROWS = 3


def recorded(case):
    tensors = [tf.constant(array) for array in case.inputs]
    sources = [tensors[i] for i in case.varied]
    with tf.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
        tape.watch(sources)
        outputs = case.outputs(tensors)
    return tape, outputs, sources


def row_weights(output):
    return [weights_like(output.numpy(), seed) for seed in range(ROWS)]


def compare(case, rows, singles):
    for place, i in enumerate(case.varied):
        expected = np.stack([dense(single[place], case.inputs[i]) for single in singles])
        got = dense(rows[place], expected)
        np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_rows_at_once_are_like_row_by_row(case):
    tape, outputs, sources = recorded(case)
    for output in outputs:
        weights = row_weights(output)
        rows = tape._gradients_of_rows(output, sources, tf.constant(np.stack(weights)))
        singles = [tape.gradient(output, sources, tf.constant(weight)) for weight in weights]
        compare(case, rows, singles)


@pytest.mark.parametrize("case", [case for case in CASES if case.second], ids=str)
def test_rows_are_recorded(case):
    """The gradient of rows, by inputs and weights, and its own rows, are those of single passes."""
    tensors = [tf.constant(array) for array in case.inputs]
    sources = [tensors[i] for i in case.varied]
    output = case.outputs(tensors)[0]
    weights = [tf.constant(weight) for weight in row_weights(output)]

    def first(at_once):
        with tf.GradientTape(persistent=True) as outer:
            outer.watch([*sources, *weights])
            with tf.GradientTape(persistent=True, watch_accessed_variables=False) as tape:
                tape.watch(sources)
                output = case.outputs(tensors)[0]
            if at_once:
                found = tape._gradients_of_rows(output, sources, tf.stack(weights))
            else:
                singles = [tape.gradient(output, sources, weight) for weight in weights]
                found = [
                    None
                    if column[0] is None
                    else tf.stack([tf.convert_to_tensor(g) for g in column])
                    for column in zip(*singles, strict=True)
                ]
            total = tf.add_n(
                [tf.reduce_sum(tf.abs(g) ** 2.0) for g in found if g is not None] or [tf.zeros([])]
            )
        return outer, total

    together, total = first(True)
    apart, expected = first(False)
    np.testing.assert_allclose(total, expected, rtol=1e-9)
    wanted = [*sources, *weights]
    for got, one in zip(
        together.gradient(total, wanted), apart.gradient(expected, wanted), strict=True
    ):
        one = None if one is None else tf.convert_to_tensor(one).numpy()
        if one is None or not one.any():
            assert got is None or not tf.convert_to_tensor(got).numpy().any()
        else:
            np.testing.assert_allclose(tf.convert_to_tensor(got), one, rtol=1e-7, atol=1e-10)


def test_costs_one_pass():
    """A jacobian of 50 rows runs as many operations as one of 2."""
    weights = tf.ones([3, 3])

    def operations(rows):
        x = tf.ones([rows, 3])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.nn.softplus(tf.tanh(x @ weights) * x)[:, 1:], 1)
        seen = []
        observer = lambda name, inputs, outputs: seen.append(name)  # noqa: E731
        _core.add_observer(observer)
        try:
            tape.jacobian(y, x)
        finally:
            _core.remove_observer(observer)
        return len(seen)

    assert operations(50) == operations(2)


@tf.custom_gradient
def doubled(x):
    def grad(dy):
        assert isinstance(dy.numpy(), np.ndarray) and dy.shape == [2]  # one row, with its value
        return dy * 2.0

    return x * 1.0, grad


def test_python_gradients_see_one_row_at_a_time():
    x = tf.constant([1.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = doubled(x) * x
    assert tape.jacobian(y, x).numpy().tolist() == [[3.0, 0.0], [0.0, 9.0]]


def test_large_values_are_worked_on_in_parts():
    x = tf.fill([1 << 22], 2.0)  # a row of 16 MiB
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reshape(x * x, [1 << 20, 4])[:5, 0]
    jacobian = tape.jacobian(y, x)
    assert jacobian.shape == [5, 1 << 22]
    places = tf.where(jacobian)
    assert places.numpy().tolist() == [[k, 4 * k] for k in range(5)]
    assert tf.reduce_sum(jacobian).numpy() == 20.0


def test_as_many_axes_as_there_can_be():
    x = tf.reshape(tf.range(2.0), [2] + [1] * 11)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(x * x, axis=list(range(1, 12)))
    assert tape.gradient(y, x).shape == x.shape


def test_no_rows():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = (x * x)[:0]
    assert tape.jacobian(y, x).shape == [0, 2]


def test_rows_of_lookups():
    table = tf.Variable(tf.reshape(tf.range(6.0), [3, 2]))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(table, [2, 0, 2]) ** 2.0, 1)
    jacobian = tape.jacobian(y, table).numpy()
    assert jacobian[0].tolist() == jacobian[2].tolist() == [[0, 0], [0, 0], [8, 10]]
    assert jacobian[1].tolist() == [[0, 2], [0, 0], [0, 0]]


def test_tapes_that_have_been_used():
    x = tf.constant([[3.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    tape.batch_jacobian(y, x)
    for call in (tape.jacobian, tape.batch_jacobian):
        with pytest.raises(RuntimeError, match="A non-persistent GradientTape can only be used"):
            call(y, [x])


def test_few_parallel_iterations_need_persistent_tapes():
    def columns(persistent, count):
        with tf.GradientTape(persistent=persistent) as tape:
            x = tf.constant([[3.0]])
            tape.watch(x)
            y = tf.tile(x * x, [1, count])
        return tape.batch_jacobian(y, x, parallel_iterations=8)

    assert columns(True, 16).shape == [1, 16, 1]
    assert columns(False, 7).shape == [1, 7, 1]
    for call in (columns, tf.function(columns)):
        with pytest.raises(RuntimeError, match="persistent=True.*parallel_iterations"):
            call(False, 8)


def test_weights_of_elements_are_made_as_passes_need_them():
    info = tf.config.experimental.get_memory_info
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reshape(tf.stack([x] * 4000), [120, 100]) ** 2  # all weights are 576 MB
    tf.config.experimental.reset_memory_stats("CPU:0")
    before = info("CPU:0")["current"]
    jacobian = tape.jacobian(y, x)
    assert info("CPU:0")["peak"] - before < 150 << 20
    expected = np.tile(np.diag([2.0, 4.0, 6.0]), [4000, 1]).reshape(120, 100, 3)
    np.testing.assert_array_equal(jacobian, expected)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64", "complex64"])
def test_elements_of_each_dtype(dtype):
    x = tf.cast([[1, 2], [3, 4]], dtype)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    expected = np.diag([2, 4, 6, 8]).reshape(2, 2, 2, 2)
    assert tf.cast(tape.jacobian(y, x), "complex64").numpy().real.tolist() == expected.tolist()
    rows = tf.cast(tape.batch_jacobian(y, x), "complex64").numpy().real
    assert rows.tolist() == [[[2, 0], [0, 4]], [[6, 0], [0, 8]]]


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (NotImplementedError, tf.errors.UnimplementedError),
        (ValueError, tf.errors.InvalidArgumentError),
        (TypeError, tf.errors.InvalidArgumentError),
        (StopIteration, tf.errors.OutOfRangeError),
        (MemoryError, tf.errors.ResourceExhaustedError),
        (KeyError, tf.errors.UnknownError),
        (ZeroDivisionError, tf.errors.UnknownError),
    ],
)
@pytest.mark.parametrize("call", [tf.numpy_function, tf.py_function])
def test_errors_of_python_code_in_the_rows(call, raised, expected):
    """They are those of a graph, as in TensorFlow, and those of Python in a pass of one row."""

    def function(value):
        raise raised("the program's")

    @tf.custom_gradient
    def doubled(x):
        return x * 2.0, lambda dy: call(function, [dy], tf.float32)

    x = tf.Variable(tf.ones([2, 1]))
    with tf.GradientTape(persistent=True) as tape:
        y = doubled(x)
    alone = raised if call is tf.numpy_function else expected
    with pytest.raises(expected, match="the program's"):
        tape.jacobian(y, x)
    with pytest.raises(expected, match="the program's"):
        tape.batch_jacobian(y, x)
    with pytest.raises(alone, match="the program's"):
        tape.gradient(y, x)
    with pytest.raises(alone, match="the program's"):
        tape.jacobian(y, x, experimental_use_pfor=False)
