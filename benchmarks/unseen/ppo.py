"""Proximal policy optimization: one update of an actor and a critic, gradients clipped."""

import numpy as np

from unseen.program import Program
from unseen.steps import below, jax_step, layers, normal, pairs, tf_step, torch_step
from workload import Work

BATCH, INPUTS, UNITS, ACTS = 256, 8, 64, 4
CLIP, WORTH, ENTROPY, NORM = 0.2, 0.5, 0.01, 0.5


def weights():
    """8-64-64-4 that acts, 8-64-64-1 that judges."""
    return layers(0, INPUTS, UNITS, UNITS, ACTS) + layers(9, INPUTS, UNITS, UNITS, 1)


def data():
    """Observations, acts, their likelihoods when they were done, advantages and returns."""
    likelihoods = (-1.4 + 0.1 * normal(3, BATCH)).astype(np.float32)
    return (
        normal(1, BATCH, INPUTS),
        below(2, ACTS, BATCH),
        likelihoods,
        normal(4, BATCH),
        normal(5, BATCH),
    )


def with_tensorflow(tf):
    seen, acts, before, advantages, returns = map(tf.constant, data())

    def network(layers):
        x = seen
        for weights, bias in layers[:-1]:
            x = tf.tanh(tf.matmul(x, weights) + bias)
        return tf.matmul(x, layers[-1][0]) + layers[-1][1]

    def loss_of(variables):
        logs = tf.nn.log_softmax(network(pairs(variables[:6])))
        chosen = tf.gather(logs, acts, batch_dims=1)
        ratios = tf.exp(chosen - before)
        clipped = tf.clip_by_value(ratios, 1.0 - CLIP, 1.0 + CLIP)
        gains = tf.minimum(ratios * advantages, clipped * advantages)
        worths = tf.squeeze(network(pairs(variables[6:])), axis=1)
        misjudged = tf.reduce_mean(tf.square(returns - worths))
        entropy = -tf.reduce_mean(tf.reduce_sum(tf.exp(logs) * logs, axis=1))
        return WORTH * misjudged - tf.reduce_mean(gains) - ENTROPY * entropy

    return tf_step(tf, weights(), loss_of, clip=NORM)


def with_torch(torch):
    F = torch.nn.functional
    seen, acts, before, advantages, returns = map(torch.from_numpy, data())

    def network(layers):
        x = seen
        for weights, bias in layers[:-1]:
            x = torch.tanh(torch.addmm(bias, x, weights))
        return torch.addmm(layers[-1][1], x, layers[-1][0])

    def loss_of(parameters):
        logs = F.log_softmax(network(pairs(parameters[:6])), dim=1)
        chosen = logs.gather(1, acts.unsqueeze(1)).squeeze(1)
        ratios = torch.exp(chosen - before)
        clipped = ratios.clamp(1 - CLIP, 1 + CLIP)
        gains = torch.min(ratios * advantages, clipped * advantages)
        misjudged = F.mse_loss(network(pairs(parameters[6:])).squeeze(1), returns)
        entropy = -(logs.exp() * logs).sum(dim=1).mean()
        return WORTH * misjudged - gains.mean() - ENTROPY * entropy

    return torch_step(torch, weights(), loss_of, clip=NORM)


def with_jax(jax):
    jnp = jax.numpy
    seen, acts, before, advantages, returns = map(jnp.asarray, data())

    def network(layers):
        x = seen
        for weights, bias in layers[:-1]:
            x = jnp.tanh(x @ weights + bias)
        return x @ layers[-1][0] + layers[-1][1]

    def loss_of(weights):
        logs = jax.nn.log_softmax(network(pairs(weights[:6])))
        chosen = jnp.take_along_axis(logs, acts[:, None], axis=1)[:, 0]
        ratios = jnp.exp(chosen - before)
        clipped = jnp.clip(ratios, 1 - CLIP, 1 + CLIP)
        gains = jnp.minimum(ratios * advantages, clipped * advantages)
        misjudged = jnp.mean((returns - network(pairs(weights[6:]))[:, 0]) ** 2)
        entropy = -jnp.mean(jnp.sum(jnp.exp(logs) * logs, axis=1))
        return WORTH * misjudged - jnp.mean(gains) - ENTROPY * entropy

    return jax_step(jax, weights(), loss_of, clip=NORM)


PRODUCTS = 2 * (2 * INPUTS * UNITS + 3 * UNITS**2) + 3 * UNITS * (ACTS + 1)
PROGRAM = Program(
    "ppo",
    "PPO update of two networks 8-64-64, batch 256, clipped; Adam",
    with_tensorflow,
    with_torch,
    with_jax,
    Work(flops=2 * BATCH * PRODUCTS),
)
