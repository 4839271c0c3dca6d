"""A neural differential equation: a spiral fitted through 30 steps of Runge and Kutta's method."""

import numpy as np

from unseen.program import Program
from unseen.steps import jax_step, layers, normal, tf_step, torch_step

BATCH, UNITS, STEPS, SPAN = 32, 50, 30, 0.1


def weights():
    """2-50-2."""
    return layers(0, 2, UNITS, 2)


def data():
    """Where trajectories begin, float32 [BATCH, 2], and where they should be at each step."""
    first = normal(1, BATCH, 2)
    angles = SPAN * np.arange(1, STEPS + 1)[:, None]
    x, y = first[:, 0], first[:, 1]
    turned = [np.cos(angles) * x - np.sin(angles) * y, np.sin(angles) * x + np.cos(angles) * y]
    return first, np.stack(turned, axis=-1).astype(np.float32)


def runge_kutta(slope, y):
    """One step of the classical method of order four."""
    k1 = slope(y)
    k2 = slope(y + 0.5 * SPAN * k1)
    k3 = slope(y + 0.5 * SPAN * k2)
    k4 = slope(y + SPAN * k3)
    return y + SPAN / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def with_tensorflow(tf):
    first, wanted = map(tf.constant, data())

    def loss_of(variables):
        w0, b0, w1, b1 = variables

        def slope(y):
            return tf.matmul(tf.tanh(tf.matmul(y, w0) + b0), w1) + b1

        y, path = first, []
        for _ in range(STEPS):
            y = runge_kutta(slope, y)
            path.append(y)
        return tf.reduce_mean(tf.square(tf.stack(path) - wanted))

    return tf_step(tf, weights(), loss_of)


def with_torch(torch):
    first, wanted = map(torch.from_numpy, data())

    def loss_of(parameters):
        w0, b0, w1, b1 = parameters

        def slope(y):
            return torch.addmm(b1, torch.tanh(torch.addmm(b0, y, w0)), w1)

        y, path = first, []
        for _ in range(STEPS):
            y = runge_kutta(slope, y)
            path.append(y)
        return torch.nn.functional.mse_loss(torch.stack(path), wanted)

    return torch_step(torch, weights(), loss_of)


def with_jax(jax):
    jnp = jax.numpy
    first, wanted = map(jnp.asarray, data())

    def loss_of(weights):
        w0, b0, w1, b1 = weights

        def further(y, _):
            y = runge_kutta(lambda y: jnp.tanh(y @ w0 + b0) @ w1 + b1, y)
            return y, y

        _, path = jax.lax.scan(further, first, length=STEPS)
        return jnp.mean((path - wanted) ** 2)

    return jax_step(jax, weights(), loss_of)


PROGRAM = Program(
    "ode",
    "neural ODE 2-50-2, 30 steps of Runge-Kutta, batch 32; Adam",
    with_tensorflow,
    with_torch,
    with_jax,
)
