"""Conditionals and loops in traced functions."""

import signal

import numpy as np
import pytest

import eagerflow as tf
from function.traced import traced

SCALAR = tf.TensorSpec([], tf.float32)
COUNT = tf.TensorSpec([], tf.int32)
BOOLEAN = tf.TensorSpec([], tf.bool)


def trace(function, *specs):
    return traced(function, *specs).graph


# Conditionals.


def test_cond_traces_both_branches_and_runs_one():
    v = tf.Variable(0.0)
    calls = []

    def add():
        calls.append("add")
        v.assign_add(1.0)
        return v.read_value()

    def keep():
        calls.append("keep")
        return v.read_value()

    function = traced(lambda p: tf.cond(p, add, keep), BOOLEAN)
    assert float(function(True)) == 1.0
    assert float(function(False)) == 1.0
    assert float(function(True)) == 2.0
    assert calls == ["add", "keep"]


def test_cond_returns_structures_and_captures_outer_tensors():
    def function(p, x):
        y = x * 2
        return tf.cond(p, lambda: {"a": y, "b": (x, None)}, lambda: {"a": x, "b": (y + 1, None)})

    run = traced(function, BOOLEAN, SCALAR)
    result = run(True, 3.0)
    assert float(result["a"]) == 6.0 and float(result["b"][0]) == 3.0 and result["b"][1] is None
    assert float(run(False, 3.0)["b"][0]) == 7.0


def test_cond_in_cond_captures_through_the_graphs_between():
    def function(p, x):
        return tf.cond(p, lambda: tf.cond(x > 0, lambda: x * 2, lambda: -x), lambda: x + 1)

    run = traced(function, BOOLEAN, SCALAR)
    assert [float(run(p, x)) for p, x in ((True, 2.0), (True, -2.0), (False, 2.0))] == [4, 2, 3]


def test_cond_knows_what_both_shapes_have_in_common():
    def shape_of(one, other):
        graph = trace(lambda p: tf.cond(p, lambda: tf.zeros(one), lambda: tf.ones(other)), BOOLEAN)
        return graph.outputs[0].shape

    assert shape_of([2, 3], [4, 3]).as_list() == [None, 3]
    assert shape_of([2, 3], [2, 3]).as_list() == [2, 3]
    assert shape_of([2, 3], [4]).rank is None


@pytest.mark.parametrize(
    ("branches", "error", "message"),
    [
        ((lambda: 1, lambda: 2.0), TypeError, "have different types"),
        ((lambda: (1, 2), lambda: [1, 2]), TypeError, "same nested structure"),
        ((lambda: {"a": 1}, lambda: {"b": 1}), TypeError, "same set of keys"),
        ((lambda: (1, 2), lambda: 1), AssertionError, "return 2 and 1"),
        ((lambda: None, lambda: 1), ValueError, "must match"),
    ],
)
def test_branches_that_disagree_are_refused(branches, error, message):
    with pytest.raises(error, match=message):
        trace(lambda p: tf.cond(p, *branches), BOOLEAN)


def test_conditions_are_boolean_scalars():
    def choice(p):
        return tf.cond(p, lambda: 1, lambda: 2)

    with pytest.raises(TypeError, match="must not be a Python bool"):
        trace(lambda: choice(True))
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected bool"):
        trace(choice, COUNT)
    assert int(traced(choice, tf.TensorSpec([1], tf.bool))([True])) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="boolean scalar"):
        traced(choice, tf.TensorSpec([None], tf.bool))([True, False])


def test_switch_case_chooses_the_last_branch_for_other_indices():
    run = traced(lambda i: tf.switch_case(i, [lambda: 10, lambda: 20, lambda: 30]), COUNT)
    assert [int(run(i)) for i in (-1, 0, 1, 2, 3)] == [30, 10, 20, 30, 30]
    run = traced(lambda i: tf.switch_case(i, {0: lambda: 10}, default=lambda: 20), COUNT)
    assert [int(run(i)) for i in (-1, 0, 1)] == [20, 10, 20]


def test_switch_case_refuses_what_tensorflow_refuses():
    with pytest.raises(TypeError, match=r"branches\[0\] and branches\[1\] arguments"):
        trace(lambda i: tf.switch_case(i, [lambda: 1, lambda: 2.0]), COUNT)
    with pytest.raises(TypeError, match="expected type of int32"):
        trace(lambda i: tf.switch_case(i, [lambda: 1]), tf.TensorSpec([], tf.int64))
    with pytest.raises(TypeError, match="must be an integer Tensor"):
        trace(lambda i: tf.switch_case(i, [lambda: 1]), SCALAR)


def test_case_calls_the_first_true_one():
    def function(x):
        pairs = [(x < 1, lambda: 1), (x < 3, lambda: 2)]
        return tf.case(pairs, default=lambda: 3)

    assert [int(traced(function, SCALAR)(x)) for x in (0.0, 2.0, 5.0)] == [1, 2, 3]


def test_nodes_have_the_types_of_tensorflow():
    v = tf.Variable(1.0)

    def function(p, i):
        tf.cond(p, lambda: i, lambda: i + 1)
        tf.cond(p, lambda: v.assign_add(1.0), lambda: v.assign_sub(1.0))
        tf.switch_case(i, [lambda: 1, lambda: 2])
        return tf.while_loop(lambda j: j < i, lambda j: j + 1, [0], name="loop")

    nodes = [node for node in trace(function, BOOLEAN, COUNT).nodes if node.inputs]
    assert [(node.name, node.type) for node in nodes] == [
        ("cond", "StatelessIf"),
        ("cond_1", "If"),
        ("switch_case", "StatelessCase"),
        ("loop", "StatelessWhile"),
    ]


# Loops.


def test_loop_is_traced_once_and_keeps_its_structure():
    calls = []

    def body(i, state):
        calls.append(i)
        return [i + 1, {"a": state["a"] * 2}]

    run = traced(lambda n: tf.while_loop(lambda i, _: i < n, body, (0, {"a": 1.0})), COUNT)
    i, state = run(10)
    assert int(i) == 10 and float(state["a"]) == 1024.0
    assert isinstance(run(0), tuple) and float(run(0)[1]["a"]) == 1.0
    assert len(calls) == 1


def test_loop_stops_at_the_limit():
    def function(n):
        return tf.while_loop(lambda i: i < 100, lambda i: i + 1, [0], maximum_iterations=n)

    run = traced(function, COUNT)
    assert [int(run(n)[0]) for n in (0, 7, 1000)] == [0, 7, 100]
    always = traced(lambda n: tf.while_loop(lambda i: True, lambda i: i + 1, [0], None, 1, True,
                                            False, n), COUNT)  # fmt: skip
    assert int(always(12)[0]) == 12
    with pytest.raises(TypeError, match="int32"):
        trace(lambda: tf.while_loop(lambda i: True, lambda i: i + 1, [0], maximum_iterations=2.5))


def test_loop_variables_keep_shapes_and_dtypes():
    def loop(body, **kwargs):
        return lambda n: tf.while_loop(lambda i, _: i < n, body, (0, tf.ones([1])), **kwargs)

    def doubled(i, d):
        return i + 1, tf.concat([d, d], 0)

    with pytest.raises(ValueError, match="use the `shape_invariants` argument"):
        trace(loop(doubled), COUNT)
    with pytest.raises(ValueError, match=r"shape \(2,\), but has shape \(4,\) after one"):
        trace(loop(doubled, shape_invariants=(tf.TensorShape([]), tf.TensorShape([2]))), COUNT)
    with pytest.raises(TypeError, match="type should remain constant"):
        trace(loop(lambda i, d: (i + 1, tf.cast(d, tf.int32))), COUNT)
    with pytest.raises(ValueError, match="same number of elements"):
        trace(loop(lambda i, d: (i + 1,)), COUNT)
    with pytest.raises(ValueError, match="same nested structure"):
        trace(loop(lambda i, d: (i + 1, (d, d))), COUNT)
    for invariant in (tf.TensorShape([None]), tf.TensorSpec([None], tf.float32)):
        invariants = (tf.TensorShape([]), invariant)
        graph = trace(loop(doubled, shape_invariants=invariants), COUNT)
        assert graph.outputs[1].shape.as_list() == [None]
        assert graph.run([tf.constant(3)])[1].shape == [8]


def test_loop_conditions_are_boolean_scalars():
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected bool"):
        trace(lambda n: tf.while_loop(lambda i: n - i, lambda i: i + 1, [0]), COUNT)
    vector = traced(lambda n: tf.while_loop(lambda i: [i < n], lambda i: i + 1, [0]), COUNT)
    assert int(vector(3)[0]) == 3
    with pytest.raises(tf.errors.InvalidArgumentError, match="boolean scalar"):
        traced(lambda n: tf.while_loop(lambda i: [i < n, i < n], lambda i: i + 1, [0]), COUNT)(3)


def test_composite_values_are_loop_variables():
    def function(n):
        first = tf.ragged.constant([[1], [2, 3]])
        return tf.while_loop(lambda i, _: i < n, lambda i, r: (i + 1, r * 2), [0, first])[1]

    assert traced(function, COUNT)(3).to_list() == [[8], [16, 24]]


def test_variables_and_strings_and_effects_in_loops():
    v = tf.Variable(1.0)

    def body(i, text, value):
        v.assign_add(1.0)
        return i + 1, text + "a", value + v

    def function(n):
        return tf.while_loop(lambda i, *_: i < n, body, (0, "b", v))

    i, text, value = traced(function, COUNT)(3)
    assert int(i) == 3 and text.numpy() == b"baaa" and float(v) == 4.0
    assert float(value) == 1.0 + 2.0 + 3.0 + 4.0


def test_loops_in_loops():
    def inner(total, k):
        return tf.while_loop(lambda j, t: j < k, lambda j, t: (j + 1, t + j * k), (0, total))[1]

    def function(n):
        return tf.while_loop(lambda i, t: i < n, lambda i, t: (i + 1, inner(t, i)), (0, 0))[1]

    run = traced(function, COUNT)
    for n in (6, 9):
        assert int(run(n)) == sum(j * i for i in range(n) for j in range(i))


def test_results_of_loops_are_not_overwritten_by_later_runs():
    run = traced(lambda x: tf.while_loop(lambda y: y < 100.0, lambda y: y * 2, [x]), SCALAR)
    results = [run(float(k))[0] for k in range(1, 6)]
    assert [float(r) for r in results] == [128.0, 128.0, 192.0, 128.0, 160.0]
    swapped = traced(
        lambda n: tf.while_loop(
            lambda i, a, b: i < n, lambda i, a, b: (i + 1, b, a + b), (0, 1, 1)
        ),
        COUNT,
    )
    assert [int(swapped(n)[1]) for n in range(8)] == [1, 1, 2, 3, 5, 8, 13, 21]


def test_a_failing_iteration_leaves_the_next_run_alone():
    def body(i, x):
        return i + 1, tf.reshape(x, [4 - i, -1])

    def function(n):
        loop = tf.while_loop(
            lambda i, _: i < n, body, (0, tf.zeros([4, 3])),
            shape_invariants=(tf.TensorShape([]), tf.TensorShape([None, None])),
        )  # fmt: skip
        return loop[1]

    run = traced(function, COUNT)
    assert run(2).shape == [3, 4]
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(5)
    assert run(2).shape == [3, 4]


def test_signals_interrupt_a_loop():
    def interrupt(*_):
        raise KeyboardInterrupt

    run = traced(lambda n: tf.while_loop(lambda i: i < n, lambda i: i + 1, [0])[0], COUNT)
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(KeyboardInterrupt):
            run(2_000_000_000)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert int(run(10)) == 10


# Derivatives.


def powers(x, n):
    """x * (0.9 x)^(2^n - 1) / ..., by a loop whose body reads the variable twice."""
    return tf.while_loop(lambda i, _: i < n, lambda i, y: (i + 1, y * y * 0.9), [0, x])[1]


def sine_or_cube(x, n):
    return tf.cond(tf.equal(n % 2, 0), lambda: tf.sin(x), lambda: x * x * x)


@pytest.mark.parametrize("function", [powers, sine_or_cube])
@pytest.mark.parametrize("n", [0, 1, 4])
def test_derivatives_of_nodes_are_those_of_eager_programs(function, n):
    x, count = tf.constant(1.1), tf.constant(n)

    def derivatives(f):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = f(x, count)
            first = inner.gradient(y, x)
        second = outer.gradient(first, x, unconnected_gradients="zero")
        with tf.autodiff.ForwardAccumulator(x, tf.ones([])) as accumulator:
            y = f(x, count)
        return [float(d) for d in (y, first, second, accumulator.jvp(y))]

    def derivatives_inside(x, count):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = function(x, count)
            first = inner.gradient(y, x)
        second = outer.gradient(first, x, unconnected_gradients="zero")
        with tf.autodiff.ForwardAccumulator(x, tf.ones([])) as accumulator:
            z = function(x, count)
        return y, first, second, accumulator.jvp(z)

    expected = derivatives(function)
    np.testing.assert_allclose(derivatives(traced(function, SCALAR, COUNT)), expected, rtol=1e-5)
    inside = [float(d) for d in traced(derivatives_inside, SCALAR, COUNT)(x, count)]
    np.testing.assert_allclose(inside, expected, rtol=1e-5)


def test_gradients_reach_what_loops_and_branches_capture():
    w = tf.Variable(2.0)

    def function(x, n):
        scale, bias = x * 3, w.read_value()

        def body(i, y):
            return i + 1, tf.cond(y > 5.0, lambda: y + bias, lambda: y * scale)

        return tf.while_loop(lambda i, _: i < n, body, [0, x])[1]

    def gradients(f, x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x, n)
        return tape.gradient(y, [x, w], unconnected_gradients="zero")

    x, n = tf.constant(1.5), tf.constant(5)
    expected = [float(g) for g in gradients(function, x, n)]
    outside = gradients(traced(function, SCALAR, COUNT), x, n)
    assert [float(g) for g in outside] == pytest.approx(expected)
    inside = traced(lambda x, n: gradients(function, x, n), SCALAR, COUNT)(x, n)
    assert [float(g) for g in inside] == pytest.approx(expected)
    assert expected[1] != 0.0


def test_graphs_of_branches_and_loops_say_what_they_are():
    seen = []

    def note(x):
        seen.append(x.graph.is_control_flow_graph)
        return x

    @tf.function
    def run(x):
        note(x)
        x = tf.cond(x > 0, lambda: note(x + 1), lambda: note(x - 1))
        x = tf.switch_case(x, [lambda: note(x + 1), lambda: note(x - 1)])
        return tf.while_loop(lambda i: note(i) < 9, lambda i: [note(i + 1)], [x])

    run(tf.constant(1))
    assert seen == [False] + [True] * 6


@pytest.mark.parametrize("in_function", [True, False])
def test_branches_and_loops_are_where_their_nodes_are(in_function):
    devices = []

    def note(x):
        y = tf.sin(x)
        devices.append(y.device)
        with tf.device("CPU:1"):
            devices.append(tf.cos(x).device)
        return y

    def build(x):
        with tf.device("CPU:0"):
            tf.cond(x > 0.0, lambda: note(x), lambda: note(x))
            tf.switch_case(tf.constant(0), [lambda: note(x)])
            tf.while_loop(lambda y: note(y) < 0.0, lambda y: [note(y)], [x])
            tf.map_fn(note, tf.ones([2]))
        tf.cond(x > 0.0, lambda: x, lambda: x)

    if in_function:
        tf.function(build).get_concrete_function(tf.TensorSpec([]))
    else:
        with tf.Graph().as_default():
            build(tf.constant(1.0))
    assert devices == ["/device:CPU:0", "/device:CPU:1"] * 6
