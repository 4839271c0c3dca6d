"""Real-valued volume-preserving flows: the likelihood of points through six affine couplings."""

import numpy as np

from unseen.program import Program
from unseen.steps import jax_step, layers, normal, tf_step, torch_step
from workload import Work

BATCH, WIDTH, UNITS, COUPLINGS = 256, 8, 128, 6
HALF = WIDTH // 2
CONSTANT = 0.5 * WIDTH * np.log(2 * np.pi)


def weights():
    """Of each coupling 4-128-128-8: of one half of a point the other's scales and shifts."""
    shape = HALF, UNITS, UNITS, WIDTH
    return [array for k in range(COUPLINGS) for array in layers(10 * k, *shape)]


def data():
    """float32 [BATCH, WIDTH]."""
    return 0.5 * normal(99, BATCH, WIDTH) + 1


def couplings(weights):
    """The weights of one coupling after another."""
    return [weights[6 * k : 6 * k + 6] for k in range(COUPLINGS)]


def with_tensorflow(tf):
    points = tf.constant(data())

    def loss_of(variables):
        x, volume = points, 0.0
        for w0, b0, w1, b1, w2, b2 in couplings(variables):
            kept, moved = tf.split(x, 2, axis=1)
            hidden = tf.nn.relu(tf.matmul(kept, w0) + b0)
            hidden = tf.nn.relu(tf.matmul(hidden, w1) + b1)
            scale, shift = tf.split(tf.matmul(hidden, w2) + b2, 2, axis=1)
            scale = tf.tanh(scale)
            volume += tf.reduce_sum(scale, axis=1)
            x = tf.concat([moved * tf.exp(scale) + shift, kept], axis=1)
        likelihood = volume - 0.5 * tf.reduce_sum(tf.square(x), axis=1) - CONSTANT
        return -tf.reduce_mean(likelihood)

    return tf_step(tf, weights(), loss_of)


def with_torch(torch):
    points = torch.from_numpy(data())

    def loss_of(parameters):
        x, volume = points, 0.0
        for w0, b0, w1, b1, w2, b2 in couplings(parameters):
            kept, moved = x.chunk(2, dim=1)
            hidden = torch.relu(torch.addmm(b0, kept, w0))
            hidden = torch.relu(torch.addmm(b1, hidden, w1))
            scale, shift = torch.addmm(b2, hidden, w2).chunk(2, dim=1)
            scale = torch.tanh(scale)
            volume = volume + scale.sum(dim=1)
            x = torch.cat([moved * torch.exp(scale) + shift, kept], dim=1)
        return -(volume - 0.5 * x.square().sum(dim=1) - CONSTANT).mean()

    return torch_step(torch, weights(), loss_of)


def with_jax(jax):
    jnp = jax.numpy
    points = jnp.asarray(data())

    def loss_of(weights):
        x, volume = points, 0.0
        for w0, b0, w1, b1, w2, b2 in couplings(weights):
            kept, moved = jnp.split(x, 2, axis=1)
            hidden = jax.nn.relu(kept @ w0 + b0)
            hidden = jax.nn.relu(hidden @ w1 + b1)
            scale, shift = jnp.split(hidden @ w2 + b2, 2, axis=1)
            scale = jnp.tanh(scale)
            volume += jnp.sum(scale, axis=1)
            x = jnp.concatenate([moved * jnp.exp(scale) + shift, kept], axis=1)
        return -jnp.mean(volume - 0.5 * jnp.sum(x**2, axis=1) - CONSTANT)

    return jax_step(jax, weights(), loss_of)


PROGRAM = Program(
    "realnvp",
    "RealNVP of 6 couplings 4-128-128-8, batch 256; Adam",
    with_tensorflow,
    with_torch,
    with_jax,
    Work(flops=COUPLINGS * 3 * 2 * BATCH * UNITS * (HALF + UNITS + WIDTH)),
)
