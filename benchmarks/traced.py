"""Functions that are traced: training steps, elementwise chains, loops, and what tracing costs."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import cnn
import regression
from frameworks import MODULES, computed
from training import training_case
from workload import FASTEST_PEER, ITSELF, Case, Target, Workload

MILLION = 1 << 20
CHAIN = 16 * MILLION
LOOP_STEPS = 100_000
RNN_STEPS, RNN_BATCH, RNN_INPUTS, RNN_UNITS = 100, 32, 32, 64


def traced_steps(make_step: Callable, **more: Callable) -> dict[str, Callable]:
    """A training step traced by us and by TensorFlow, beside our eager one."""

    def traced(tf):
        return training_case(tf.function(make_step(tf)))

    return {
        "eagerflow": traced,
        "tf.function": traced,
        "eager": lambda tf: training_case(make_step(tf)),
        **more,
    }


def perceptron_step(tf):
    """A step of 784-128-10 on a batch of 32, by Adam."""
    generator = np.random.default_rng(0)
    x = tf.constant(generator.normal(size=(32, 784)).astype(np.float32))
    labels = tf.constant(generator.integers(0, 10, 32))
    sizes = (784, 128, 10)
    layers = [
        (
            tf.Variable(generator.normal(scale=0.05, size=pair).astype(np.float32)),
            tf.Variable(tf.zeros(pair[1])),
        )
        for pair in zip(sizes, sizes[1:], strict=False)
    ]
    variables = [variable for layer in layers for variable in layer]
    optimizer = tf.optimizers.Adam(1e-3)

    def step():
        with tf.GradientTape() as tape:
            (w0, b0), (w1, b1) = layers
            logits = tf.matmul(tf.nn.relu(tf.matmul(x, w0) + b0), w1) + b1
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
            )
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return loss

    return step


def values_case(call: Callable[[], Any], finish=lambda result: result) -> Case:
    """A Case of a function without state; the first numbers of its result are compared."""

    def run(count):
        for _ in range(count):
            computed(finish(call()))

    return Case(run, lambda: np.ravel(np.asarray(call()))[:8])


def chain_arrays():
    generator = np.random.default_rng(0)
    return [generator.normal(size=CHAIN).astype(np.float32) for _ in range(5)]


def chain(tf, wrap):
    a, b, c, d, e = map(tf.constant, chain_arrays())
    function = wrap(lambda a, b, c, d, e: tf.tanh(a * b + c) * d - e)
    return values_case(lambda: function(a, b, c, d, e))


def jax_chain(jax):
    arrays = [jax.numpy.asarray(array) for array in chain_arrays()]
    function = jax.jit(lambda a, b, c, d, e: jax.numpy.tanh(a * b + c) * d - e)
    return values_case(lambda: function(*arrays), jax.block_until_ready)


def chain_in_additions(tf, wrap):
    """The chain's time as a multiple of an addition's, measured in turns."""
    a, b, c, d, e = map(tf.constant, chain_arrays())
    function = wrap(lambda a, b, c, d, e: tf.tanh(a * b + c) * d - e)

    def run(count):
        seconds = [0.0, 0.0]
        for _ in range(count):
            for k, call in enumerate((lambda: function(a, b, c, d, e), lambda: tf.add(a, b))):
                start = time.perf_counter()
                computed(call())
                seconds[k] += time.perf_counter() - start
        return seconds[0] / seconds[1]

    return Case(run, lambda: [1.0])


def arithmetic(tf, x, y):
    """150 elementwise operations."""
    for _ in range(30):
        x = x * 0.5 + y
        x = tf.maximum(x, -2.0) - y * 0.25
    return x


def arithmetic_case(tf, wrap):
    generator = np.random.default_rng(0)
    x, y = (tf.constant(generator.normal(size=MILLION).astype(np.float32)) for _ in range(2))
    function = wrap(lambda x, y: arithmetic(tf, x, y))
    return values_case(lambda: function(x, y))


def while_loop(tf):
    @tf.function
    def count():
        return tf.while_loop(
            lambda i, total: i < LOOP_STEPS,
            lambda i, total: (i + 1, total * 0.999 + 1.0),
            (tf.constant(0), tf.constant(0.0)),
        )[1]

    return values_case(count)


def range_loop(tf):
    @tf.function
    def count(limit):
        total = tf.constant(0)
        for i in tf.range(limit):
            if i % 3 == 0:
                total += i % 7
            else:
                total -= 1
        return total

    limit = tf.constant(LOOP_STEPS)
    return values_case(lambda: count(limit))


def rnn_arrays():
    generator = np.random.default_rng(0)
    inputs = generator.normal(size=(RNN_STEPS, RNN_BATCH, RNN_INPUTS))
    kernel = generator.normal(scale=0.1, size=(RNN_INPUTS, RNN_UNITS))
    recurrent = generator.normal(scale=0.1, size=(RNN_UNITS, RNN_UNITS))
    bias = generator.normal(scale=0.1, size=RNN_UNITS)
    return [array.astype(np.float32) for array in (inputs, kernel, recurrent, bias)]


def recurrent_case(tf):
    """A hand-written cell over a sequence, and the gradient of what it ends in."""
    inputs, *weights = map(tf.constant, rnn_arrays())

    @tf.function
    def gradients(inputs, kernel, recurrent, bias):
        with tf.GradientTape() as tape:
            tape.watch((kernel, recurrent, bias))
            state = tf.zeros((RNN_BATCH, RNN_UNITS))
            for step in tf.range(RNN_STEPS):
                state = tf.tanh(inputs[step] @ kernel + state @ recurrent + bias)
            loss = tf.reduce_sum(tf.square(state))
        return tape.gradient(loss, (kernel, recurrent, bias))

    return values_case(lambda: gradients(inputs, *weights)[2])


def jax_recurrent(jax):
    jnp = jax.numpy
    inputs, *weights = map(jnp.asarray, rnn_arrays())

    def loss(weights):
        kernel, recurrent, bias = weights

        def cell(state, x):
            return jnp.tanh(x @ kernel + state @ recurrent + bias), None

        state, _ = jax.lax.scan(cell, jnp.zeros((RNN_BATCH, RNN_UNITS)), inputs)
        return jnp.sum(jnp.square(state))

    gradients = jax.jit(jax.grad(loss))
    return values_case(lambda: gradients(weights)[2], jax.block_until_ready)


# From the definition of a model of 50 layers' training step to the end of its first call.
FIRST_CALL = """
import time
import {module} as tf

x = tf.ones((8, 16))
weights = [tf.Variable(tf.eye(16)) for _ in range(50)]
biases = [tf.Variable(tf.zeros(16)) for _ in range(50)]

@tf.function
def small(x):
    return x + 1

small(x)
start = time.perf_counter()

@tf.function
def step(x):
    with tf.GradientTape() as tape:
        h = x
        for w, b in zip(weights, biases):
            h = tf.nn.relu(tf.matmul(h, w) + b)
        loss = tf.reduce_mean(tf.square(h))
    for variable, gradient in zip(weights + biases, tape.gradient(loss, weights + biases)):
        variable.assign_sub(0.1 * gradient)
    return loss

step(x)
print(time.perf_counter() - start)
"""


def compiled(tf):
    """A wrapper that has TensorFlow's compiler make the function."""
    return lambda function: tf.function(function, jit_compile=True)


WORKLOADS = [
    Workload(
        name="traced-regression",
        title="traced linear regression step",
        target=Target("eager", 0.5),
        contenders=traced_steps(regression.make_step, jax=regression.with_jax),
        also=(Target("jax", 0.4),),
    ),
    Workload(
        name="traced-perceptron",
        title="traced step of 784-128-10, batch 32; Adam",
        target=Target("eager", 0.8),
        contenders=traced_steps(perceptron_step),
        also=(Target("tf.function", 0.25),),
    ),
    Workload(
        name="traced-cnn",
        title="traced step of the small CNN",
        target=Target("eager", 0.95),
        contenders=traced_steps(lambda tf: cnn.make_step(tf, cnn.SMALL)),
        also=(Target("tf.function", 0.25),),
    ),
    Workload(
        name="traced-cnn-memory",
        title="peak memory of traced steps of the large CNN",
        target=Target("eager", 1.0),
        contenders=traced_steps(lambda tf: cnn.make_step(tf, cnn.LARGE)),
        measure="memory",
        also=(Target("tf.function", 0.6),),
    ),
    Workload(
        name="traced-chain",
        title="`tanh(a*b+c)*d-e` over 16 M floats, traced",
        target=Target("jax", 0.4),
        contenders={
            "eagerflow": lambda tf: chain(tf, tf.function),
            "tf.function": lambda tf: chain(tf, tf.function),
            "jit_compile": lambda tf: chain(tf, compiled(tf)),
            "jax": jax_chain,
        },
        also=(Target("jit_compile", 0.4),),
    ),
    Workload(
        name="traced-chain-in-additions",
        title="that chain's time in additions of 16 M floats",
        target=Target(ITSELF, 2.3),
        contenders={"eagerflow": lambda tf: chain_in_additions(tf, tf.function)},
        measure="share",
    ),
    Workload(
        name="traced-arithmetic",
        title="150 elementwise operations over 1 M floats, traced",
        target=Target(FASTEST_PEER, 0.5),
        contenders={
            "eagerflow": lambda tf: arithmetic_case(tf, tf.function),
            "tf.function": lambda tf: arithmetic_case(tf, tf.function),
            "jit_compile": lambda tf: arithmetic_case(tf, compiled(tf)),
        },
    ),
    Workload(
        name="traced-while",
        title="`while_loop` of 100,000 scalar steps",
        target=Target("tf.function", 0.1),
        contenders={"eagerflow": while_loop, "tf.function": while_loop},
    ),
    Workload(
        name="traced-range",
        title="`for i in tf.range(100_000)` with an if, traced",
        target=Target("tf.function", 0.05),
        contenders={"eagerflow": range_loop, "tf.function": range_loop},
    ),
    Workload(
        name="traced-rnn",
        title="hand-written recurrent cell, 100 steps, with gradient, traced",
        target=Target("tf.function", 0.25),
        contenders={
            "eagerflow": recurrent_case,
            "tf.function": recurrent_case,
            "jax": jax_recurrent,
        },
        also=(Target("jax", 1.0),),
    ),
    Workload(
        name="first-call",
        title="first call of a traced step of a 50-layer perceptron",
        target=Target("tf.function", 0.2),
        contenders={
            "eagerflow": FIRST_CALL.format(module=MODULES["eagerflow"]),
            "tf.function": FIRST_CALL.format(module=MODULES["tf.function"]),
        },
        measure="process",
    ),
]
