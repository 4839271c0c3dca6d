"""Programs compiled by XLA's plugin for the CPU, beside JAX with it and JAX with its own XLA.

They are left out where the plugin is not installed.
"""

import itertools

import numpy as np

import cnn
import gpt
import small
import tiny
from frameworks import computed, plugin
from training import COMPARED_STEPS
from workload import Case, Target, Workload

DEVICE = "/device:XLA_CPU:0"
ELEMENTS = 16 << 20
LAYERS, WIDTH = 20, 64


def compiled_steps(make_step):
    """Training steps as one program each, with the loss on the host in the end."""

    def contender(tf):
        with tf.device(DEVICE):
            step = tf.function(make_step(tf))

        def run(count):
            with tf.device(DEVICE):
                for _ in range(count):
                    loss = step()
                float(loss)

        def losses():
            with tf.device(DEVICE):
                return [float(step()) for _ in range(COMPARED_STEPS)]

        return Case(run, losses)

    return contender


def add_on_device(tf):
    with tf.device(DEVICE):
        a, b = tf.constant(small.A), tf.constant(small.B)

    def run(count):
        with tf.device(DEVICE):
            for _ in range(count):
                c = a + b
            c.numpy()

    return Case(run, lambda: np.ravel((a + b).numpy()))


def first_calls(wrap, tanh, arrays):
    """Calls of functions that were never called: each has another factor in its program."""
    factors = itertools.count(2)
    x, weights = arrays

    def call(factor):
        def network(x):
            for _ in range(LAYERS):
                x = tanh((x @ weights) * factor)
            return x

        return computed(wrap(network)(x))

    def run(count):
        for _ in range(count):
            call(1.0 / next(factors))

    return Case(run, lambda: np.ravel(np.asarray(call(0.5)))[:8])


def compiler_arrays():
    generator = np.random.default_rng(0)
    return [generator.normal(size=(WIDTH, WIDTH)).astype(np.float32) for _ in range(2)]


def compile_on_device(tf):
    case = first_calls(tf.function, tf.tanh, [tf.constant(array) for array in compiler_arrays()])

    def run(count):
        with tf.device(DEVICE):
            case.run(count)

    def value():
        with tf.device(DEVICE):
            return case.value()

    return Case(run, value)


def compile_jax(jax):
    return first_calls(jax.jit, jax.numpy.tanh, [jax.numpy.asarray(a) for a in compiler_arrays()])


def copy_to_device(tf):
    values = tf.constant(np.ones(ELEMENTS, np.float32))

    def run(count):
        with tf.device(DEVICE):
            for _ in range(count):
                copy = tf.identity(values)
        computed(copy[:1])

    return Case(run, lambda: [ELEMENTS])


def copy_numpy(numpy):
    values = np.ones(ELEMENTS, np.float32)

    def run(count):
        for _ in range(count):
            values.copy()

    return Case(run, lambda: [ELEMENTS])


def workloads():
    """All of them, or none if there is no plugin."""
    if plugin() is None:
        return []
    steps = Target("jax-plugin", 1.05)
    return [
        Workload(
            name="device-add",
            title="`a + b`, 2×2, on a device",
            target=Target("jax-plugin", 0.6),
            contenders={
                "eagerflow": add_on_device,
                "jax": small.add_jax,
                "jax-plugin": small.add_jax,
            },
        ),
        Workload(
            name="device-perceptron",
            title="step of Q-learning with 4-64-64-2, batch 64, as one program",
            target=steps,
            contenders={
                "eagerflow": compiled_steps(tiny.q_step),
                "jax": tiny.q_jax,
                "jax-plugin": tiny.q_jax,
            },
        ),
        Workload(
            name="device-cnn",
            title="step of the small CNN as one program",
            target=steps,
            contenders={
                "eagerflow": compiled_steps(lambda tf: cnn.make_step(tf, cnn.SMALL)),
                "jax": cnn.with_jax(cnn.SMALL),
                "jax-plugin": cnn.with_jax(cnn.SMALL),
            },
        ),
        Workload(
            name="device-gpt",
            title="step of the small GPT as one program",
            target=steps,
            contenders={
                "eagerflow": compiled_steps(gpt.make_step),
                "jax": gpt.with_jax,
                "jax-plugin": gpt.with_jax,
            },
        ),
        Workload(
            name="device-compile",
            title="first call of a function of 20 layers",
            target=Target("jax-plugin", 1.2),
            contenders={
                "eagerflow": compile_on_device,
                "jax": compile_jax,
                "jax-plugin": compile_jax,
            },
        ),
        Workload(
            name="device-copy",
            title="64 MiB from the host to a device",
            target=Target("numpy", 1.1),
            contenders={"eagerflow": copy_to_device, "numpy": copy_numpy},
        ),
    ]


WORKLOADS = workloads()
