"""Random expressions: every way to differentiate them gives the same."""

import gc
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eagerflow as tf

UNARY = {
    "sin": tf.sin,
    "tanh": tf.tanh,
    "exp": lambda x: tf.exp(0.3 * tf.tanh(x)),
    "square": tf.square,
    "softplus": tf.nn.softplus,
    "mean": lambda x: x - tf.reduce_mean(x),
    "flip": lambda x: tf.reverse(x, [0]),
    "transpose": tf.transpose,
    "softmax": tf.nn.softmax,
    "cumsum": lambda x: 0.2 * tf.cumsum(x, axis=1),
    "rows": lambda x: tf.gather(x, [1, 0, 0]),
    "slice": lambda x: tf.concat([x[1:], x[:1]], 0),
}
BINARY = {
    "add": tf.add,
    "mul": tf.multiply,
    "matmul": lambda x, y: 0.3 * tf.matmul(x, y),
    "divide": lambda x, y: x / (2.0 + tf.square(y)),
    "where": lambda x, y: tf.where(tf.constant([[True, False, True]]), x, y),
}


@st.composite
def programs(draw):
    """A list of operations on numbered values; 0 and 1 are the inputs."""
    steps = []
    for count in range(2, 2 + draw(st.integers(1, 8))):
        operand = st.integers(0, count - 1)
        if draw(st.booleans()):
            steps.append((draw(st.sampled_from(sorted(UNARY))), draw(operand)))
        else:
            steps.append((draw(st.sampled_from(sorted(BINARY))), draw(operand), draw(operand)))
    return steps


def run(program, x, y):
    values = [x, y]
    for name, *operands in program:
        function = UNARY[name] if len(operands) == 1 else BINARY[name]
        values.append(function(*(values[k] for k in operands)))
    return 0.1 * tf.reduce_sum(values[-1] * values[-1]) + tf.reduce_sum(values[-1])


def inputs(seed):
    rng = np.random.RandomState(seed)
    return [tf.constant(rng.uniform(-1, 1, (3, 3))) for _ in range(4)]


def dense(tape, value, sources):
    found = tape.gradient(value, sources, unconnected_gradients="zero")
    return [tf.convert_to_tensor(gradient) for gradient in found]


def gradients(program, x, y, persistent=False):
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch([x, y])
        value = run(program, x, y)
    return dense(tape, value, [x, y]), tape, value


@settings(max_examples=60, deadline=None)
@given(programs(), st.integers(0, 1000))
def test_reverse_forward_and_differences_agree(program, seed):
    x, y, dx, dy = inputs(seed)
    (gx, gy), _, _ = gradients(program, x, y)
    reverse = float(tf.reduce_sum(gx * dx) + tf.reduce_sum(gy * dy))
    with tf.autodiff.ForwardAccumulator([x, y], [dx, dy]) as accumulator:
        value = run(program, x, y)
    forward = float(accumulator.jvp(value, unconnected_gradients="zero"))
    step = 1e-5
    ends = [run(program, x + s * step * dx, y + s * step * dy) for s in (1, -1)]
    difference = float(ends[0] - ends[1]) / (2 * step)
    scale = 1 + abs(reverse)
    assert abs(reverse - forward) <= 1e-9 * scale
    assert abs(reverse - difference) <= 1e-5 * scale


@settings(max_examples=40, deadline=None)
@given(programs(), st.integers(0, 1000))
def test_persistent_tapes_give_the_same_each_time(program, seed):
    x, y, *_ = inputs(seed)
    once, _, _ = gradients(program, x, y)
    first, tape, value = gradients(program, x, y, persistent=True)
    again = dense(tape, value, [x, y])
    for a, b, c in zip(once, first, again, strict=True):
        assert (a.numpy() == b.numpy()).all() and (b.numpy() == c.numpy()).all()


@settings(max_examples=40, deadline=None)
@given(programs(), programs(), st.integers(0, 1000))
def test_gradients_of_a_sum_add_up(one, other, seed):
    x, y, *_ = inputs(seed)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        a, b = run(one, x, y), run(other, x, y)
        both = a + b
    parts = [dense(tape, t, [x, y]) for t in (a, b, both, [a, b])]
    for ga, gb, total, listed in zip(*parts, strict=True):
        np.testing.assert_allclose(ga + gb, total, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(listed, total, rtol=1e-10, atol=1e-12)


@settings(max_examples=20, deadline=None)
@given(programs(), st.integers(0, 1000))
def test_second_derivatives_are_symmetric_and_like_forward_over_reverse(program, seed):
    x, y, dx, dy = inputs(seed)

    def product(a, b):
        """b·H·a by a tape around a tape."""
        with tf.GradientTape() as outer:
            outer.watch([x, y])
            (gx, gy), _, _ = gradients(program, x, y)
            along = tf.reduce_sum(gx * a) + tf.reduce_sum(gy * a)
        hx, hy = dense(outer, along, [x, y])
        return float(tf.reduce_sum(hx * b) + tf.reduce_sum(hy * b))

    there, back = product(dx, dy), product(dy, dx)
    assert abs(there - back) <= 1e-8 * (1 + abs(there))
    with tf.autodiff.ForwardAccumulator([x, y], [dx, dx]) as accumulator:
        (gx, gy), _, _ = gradients(program, x, y)
    hx, hy = accumulator.jvp([gx, gy], unconnected_gradients="zero")
    mixed = float(tf.reduce_sum(hx * dy) + tf.reduce_sum(hy * dy))
    assert abs(there - mixed) <= 1e-8 * (1 + abs(there))


@settings(max_examples=40, deadline=None)
@given(programs(), st.integers(0, 1000))
def test_jacobians_are_the_gradients_of_each_element(program, seed):
    x, y, *_ = inputs(seed)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        value = run(program, x, y)
        rows = tf.sin(tf.reshape(value * x, [9]))
        elements = tf.unstack(rows)
    together = tape.jacobian(rows, [x, y], unconnected_gradients="zero")
    apart = [dense(tape, element, [x, y]) for element in elements]
    for position, jacobian in enumerate(together):
        expected = np.stack([gradients[position] for gradients in apart])
        np.testing.assert_allclose(jacobian, expected, rtol=1e-9, atol=1e-12)


def memory():
    gc.collect()
    return tf._core.memory_stats()["current"]


def test_tapes_that_are_dropped_keep_nothing():
    x = tf.ones([100, 100])
    v = tf.Variable(tf.ones([100, 100]))

    def unfinished():
        with tf.GradientTape() as tape:
            tape.watch(x)
            tf.reduce_sum(tf.exp(x) * v)

    def failing():
        with pytest.raises(ZeroDivisionError), tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            tf.exp(x)
            raise ZeroDivisionError
        assert not tf._core.recording()

    def entered():
        tape = tf.GradientTape()
        tape.__enter__()
        tape.watch(x)
        tf.exp(x) * v
        del tape

    def forward():
        with tf.autodiff.ForwardAccumulator(x, x) as accumulator:
            y = tf.exp(x) * v
        accumulator.jvp(y)

    for function in (unfinished, failing, entered, forward):
        function()
        before = memory()
        for _ in range(200):
            function()
        assert memory() <= before, function.__name__
        assert not tf._core.recording()


def test_many_tapes_keep_nothing():
    v = tf.Variable([1.0, 2.0])
    for count in range(20_000):
        if count == 100:
            before = memory()
        with tf.GradientTape() as tape:
            y = v * v
        tape.gradient(y, v)
    assert memory() <= before


def test_threads_have_their_own_tapes():
    x = tf.constant(3.0)
    found, errors = {}, []
    barrier = threading.Barrier(8)

    def work(number):
        try:
            for _ in range(200):
                barrier.wait()
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    y = x ** float(number)
                found[number] = tape.gradient(y, x).numpy()
        except Exception as error:
            errors.append(error)
            barrier.abort()

    with tf.GradientTape() as tape:  # records nothing of the others
        tape.watch(x)
        threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        y = x * 2.0
    assert not errors
    np.testing.assert_allclose([found[k] for k in range(8)], [k * 3.0 ** (k - 1) for k in range(8)])
    assert tape.gradient(y, x).numpy() == 2.0
