"""TensorArrays, loops and choices in compiled functions, and their gradients."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core
from eagerflow.framework import plugins

pytestmark = pytest.mark.skipif(
    not any("cpu" in p.name for p in plugins.installed()) or not _core.pjrt.built_in(),
    reason="needs the package xla-cpu-pjrt",
)

VARIABLE = tf.Variable(np.float32(np.random.RandomState(0).randn(4, 4)))


def rnn(x, w):
    steps = tf.TensorArray(tf.float32, size=tf.shape(x)[0])
    h = tf.zeros([tf.shape(x)[1], 4])
    for i in tf.range(tf.shape(x)[0]):
        h = tf.tanh(h @ w + x[i])
        steps = steps.write(i, h)
    return steps.stack()


def rnn_of_lists(x, w):
    inputs = tf.TensorArray(tf.float32, size=6).unstack(x)
    steps = tf.TensorArray(tf.float32, size=6)

    def step(i, h, steps):
        h = tf.tanh(h @ w + inputs.read(i))
        return i + 1, h, steps.write(i, h)

    return tf.while_loop(lambda i, *_: i < 6, step, (0, tf.zeros([3, 4]), steps))[2].stack()


def lengths(x, w):
    sizes = tf.constant([5, 2, 3])
    steps, h = tf.TensorArray(tf.float32, size=6), tf.zeros([3, 4])
    for i in tf.range(tf.reduce_max(sizes)):
        h = tf.where((i < sizes)[:, None], tf.tanh(h @ w + x[i]), h)
        steps = steps.write(i, h)
    return steps.stack()


def growing(x, w):
    steps, h = tf.TensorArray(tf.float32, size=0, dynamic_size=True), tf.zeros([3, 4])
    for i in tf.range(6):
        h = tf.tanh(h @ w + x[-1 - i])
        steps = steps.write(i, h)
    return steps.stack()


def concatenated(x, w):
    parts = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for i in tf.range(6):
        parts = parts.write(i, x[i] @ w)
    return parts.concat()


def mapped(x, w):
    return tf.map_fn(lambda row: row @ w, x)


def mapped_twice(x, w):
    return tf.map_fn(lambda row: tf.map_fn(lambda r: tf.reduce_sum(w * r), row), x)


def scanned(x, w):
    return tf.scan(lambda h, row: tf.tanh(h @ w + row), x)


def folded(x, w):
    return tf.foldr(lambda h, row: tf.tanh(h @ w + row), x)


def gathered(x, w):
    return tf.TensorArray(tf.float32, size=6).unstack(x @ w).gather([3, 1, 1])


def scattered(x, w):
    array = tf.TensorArray(tf.float32, size=6).scatter([5, 4, 3, 2, 1, 0], x @ w)
    return array.stack() + array.read(2)


def cut(x, w):
    array = tf.TensorArray(tf.float32, size=3).split(tf.reshape(x @ w, [18, 4]), [6, 6, 6])
    return array.concat() * 2.0 + tf.tile(array.read(1), [3, 1])


def reads_what_it_writes(x, w):
    array = tf.TensorArray(tf.float32, size=6).unstack(x)
    for i in tf.range(5):
        array = array.write(i + 1, tf.tanh(array.read(i) @ w))
    return array.stack()


def writes_again(x, w):
    array = tf.TensorArray(tf.float32, size=1).unstack(x[:1])
    for _ in tf.range(5):
        array = array.write(0, tf.tanh(array.read(0) @ w))
    return array.stack()


def until(x, w):
    def grown(h):
        return (h * 1.5 + tf.reduce_sum(w) ** 2,)

    return tf.while_loop(
        lambda h: tf.reduce_sum(h) < 50.0, grown, (tf.abs(x),), maximum_iterations=6
    )[0]


def nested(x, w):
    total = tf.zeros([4])
    for i in tf.range(6):
        for j in tf.range(3):
            total = tf.sin(total + x[i, j]) * w[0]
    return total


def columns(x, w):
    total = tf.zeros([6, 3])
    for i in tf.range(4):
        total = tf.sin(total + x[..., i]) * w[i, i] + tf.slice(x, [0, 0, i], [6, 3, 1])[:, :, 0]
    return total


def chosen(x, w):
    return tf.cond(tf.reduce_sum(x) > 0.0, lambda: x @ w, lambda: tf.sin(x))


def chosen_in_loop(x, w):
    h = x[0]
    for i in tf.range(6):
        h = tf.tanh(h @ w) if tf.reduce_sum(h) > 0.0 else h + x[i]
    return h


def with_variable(x, w):
    h = x[0]
    for i in tf.range(6):
        h = tf.tanh(h @ VARIABLE + x[i]) @ w
    return tf.switch_case(tf.cast(h[0, 0] > 0, tf.int32), [lambda: h * 2.0, lambda: h @ VARIABLE])


PROGRAMS = (
    *(rnn, rnn_of_lists, lengths, growing, concatenated, mapped, mapped_twice, scanned, folded),
    *(gathered, scattered, cut, reads_what_it_writes, writes_again, until, nested, columns),
    *(chosen, chosen_in_loop, with_variable),
)


def gradients(function):
    def compute(x, w):
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            loss = tf.reduce_sum(function(x, w) ** 2)
        return tape.gradient(loss, [x, w, VARIABLE], unconnected_gradients="zero")

    return compute


def check(function, *arguments):
    compiled = tf.function(function, jit_compile=True)
    mine = tf.nest.flatten(compiled(*arguments))
    theirs = tf.nest.flatten(tf.function(function)(*arguments))
    for x, y in zip(mine, theirs, strict=True):
        assert (x.dtype, x.shape) == (y.dtype, y.shape)
        np.testing.assert_allclose(x.numpy(), y.numpy(), 2e-4, 2e-4)
    assert compiled.get_concrete_function(*arguments).graph.program[0] == 1


@pytest.fixture
def arguments():
    random = np.random.RandomState(1)
    return tf.constant(np.float32(random.randn(6, 3, 4))), tf.constant(
        np.float32(random.randn(4, 4) / 2)
    )


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_values_and_gradients(program, arguments):
    """Programs give what graphs give, and tapes inside of them go back through loops."""
    check(program, *arguments)
    check(gradients(program), *arguments)


def test_lengths_of_the_call(arguments):
    """Of a trace for unknown sizes, one program for each length."""
    signature = [tf.TensorSpec([None, None, 4]), tf.TensorSpec([4, 4])]
    compiled = tf.function(gradients(rnn), jit_compile=True, input_signature=signature)
    plain = tf.function(gradients(rnn))
    x, w = arguments
    for steps in (6, 2, 5):
        for mine, theirs in zip(compiled(x[:steps], w), plain(x[:steps], w), strict=True):
            np.testing.assert_allclose(mine.numpy(), theirs.numpy(), 1e-4, 1e-4)


def test_gradients_of_loops_are_loops(arguments):
    """The text of a program does not grow with the number of iterations."""
    x, w = arguments
    sizes = []
    for steps in (10, 100):
        compiled = tf.function(gradients(rnn), jit_compile=True)
        many = tf.zeros([steps, 3, 4])
        compiled(many, w)
        sizes.append(len(compiled.get_concrete_function(many, w).graph.program[1]))
    assert sizes[1] < sizes[0] * 1.2


def test_loops_without_a_bound(arguments):
    """The message names what is missing; without jit_compile, the gradient runs."""

    def unbounded(x, w):
        return tf.while_loop(lambda h: tf.reduce_sum(h) < 50.0, lambda h: h * 1.5, [x * x])[0]

    compiled = tf.function(gradients(unbounded), jit_compile=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match="needs maximum_iterations"):
        compiled(*arguments)
    plain = tf.function(gradients(unbounded))(*arguments)[0]
    assert np.isfinite(plain.numpy()).all()


def test_second_derivatives(arguments):
    """They go through the iterations of a loop whose number is known."""

    def second(x, w):
        with tf.GradientTape() as outer:
            outer.watch(w)
            with tf.GradientTape() as inner:
                inner.watch(w)
                loss = tf.reduce_sum(rnn(x, w) ** 2)
            gradient = inner.gradient(loss, w)
            total = tf.reduce_sum(gradient**2)
        return outer.gradient(total, w)

    check(second, *arguments)
