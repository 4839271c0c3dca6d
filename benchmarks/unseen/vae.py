"""A variational autoencoder of dense layers; the noise of its samples is drawn beforehand."""

import numpy as np

from unseen.program import Program
from unseen.steps import jax_step, layers, normal, tf_step, torch_step
from workload import Work

BATCH, PIXELS, UNITS, CODE = 100, 784, 256, 16


def weights():
    """The encoder, 784-256-32, and the decoder, 16-256-784."""
    return layers(0, PIXELS, UNITS, 2 * CODE) + layers(5, CODE, UNITS, PIXELS)


def data():
    """Black and white images, float32 [BATCH, PIXELS]; noise, float32 [BATCH, CODE]."""
    return (normal(1, BATCH, PIXELS) > 1).astype(np.float32), normal(2, BATCH, CODE)


def with_tensorflow(tf):
    images, noise = map(tf.constant, data())

    def loss_of(variables):
        w0, b0, w1, b1, w2, b2, w3, b3 = variables
        hidden = tf.nn.relu(tf.matmul(images, w0) + b0)
        mean, log_variance = tf.split(tf.matmul(hidden, w1) + b1, 2, axis=1)
        code = mean + tf.exp(0.5 * log_variance) * noise
        logits = tf.matmul(tf.nn.relu(tf.matmul(code, w2) + b2), w3) + b3
        entropies = tf.nn.sigmoid_cross_entropy_with_logits(labels=images, logits=logits)
        divergence = tf.square(mean) + tf.exp(log_variance) - log_variance - 1.0
        return tf.reduce_mean(
            tf.reduce_sum(entropies, axis=1) + 0.5 * tf.reduce_sum(divergence, axis=1)
        )

    return tf_step(tf, weights(), loss_of)


def with_torch(torch):
    F = torch.nn.functional
    images, noise = map(torch.from_numpy, data())

    def loss_of(parameters):
        w0, b0, w1, b1, w2, b2, w3, b3 = parameters
        hidden = torch.relu(torch.addmm(b0, images, w0))
        mean, log_variance = torch.addmm(b1, hidden, w1).chunk(2, dim=1)
        code = mean + torch.exp(0.5 * log_variance) * noise
        logits = torch.addmm(b3, torch.relu(torch.addmm(b2, code, w2)), w3)
        entropy = F.binary_cross_entropy_with_logits(logits, images, reduction="sum")
        divergence = torch.sum(mean.square() + log_variance.exp() - log_variance - 1)
        return (entropy + 0.5 * divergence) / BATCH

    return torch_step(torch, weights(), loss_of)


def with_jax(jax):
    jnp = jax.numpy
    images, noise = map(jnp.asarray, data())

    def loss_of(weights):
        w0, b0, w1, b1, w2, b2, w3, b3 = weights
        hidden = jax.nn.relu(images @ w0 + b0)
        mean, log_variance = jnp.split(hidden @ w1 + b1, 2, axis=1)
        code = mean + jnp.exp(0.5 * log_variance) * noise
        logits = jax.nn.relu(code @ w2 + b2) @ w3 + b3
        entropy = jnp.sum(jnp.logaddexp(0.0, logits) - images * logits)
        divergence = jnp.sum(mean**2 + jnp.exp(log_variance) - log_variance - 1)
        return (entropy + 0.5 * divergence) / BATCH

    return jax_step(jax, weights(), loss_of)


# The first layer's input needs no gradient.
PRODUCTS = 2 * BATCH * UNITS * (2 * PIXELS + 3 * 2 * CODE + 3 * CODE + 3 * PIXELS)
PROGRAM = Program(
    "vae",
    "variational autoencoder, 784-256-2×16, batch 100; Adam",
    with_tensorflow,
    with_torch,
    with_jax,
    Work(flops=PRODUCTS),
)
