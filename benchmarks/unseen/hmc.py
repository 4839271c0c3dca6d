"""Hamiltonian Monte Carlo on a logistic regression: a proposal of 30 leaps, and whether it is taken."""

import numpy as np

from unseen.program import Program
from unseen.steps import normal
from workload import Work

POINTS, FEATURES, LEAPS, SPAN = 1000, 50, 30, 0.01
# The logarithm of a number drawn from 0 to 1.
CHANCE = np.float32(-0.5)


def data():
    """Features, float32 [POINTS, FEATURES]; answers, 0 or 1, float32 [POINTS, 1]; momenta."""
    x, true = normal(0, POINTS, FEATURES), normal(1, FEATURES, 1)
    answers = (x @ true + normal(2, POINTS, 1) > 0).astype(np.float32)
    return x, answers, normal(3, FEATURES, 1)


def with_tensorflow(tf):
    x, answers, momenta = map(tf.constant, data())
    position = tf.Variable(tf.zeros([FEATURES, 1]))

    def energy(q):
        losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=answers, logits=tf.matmul(x, q))
        return tf.reduce_sum(losses) + 0.5 * tf.reduce_sum(tf.square(q))

    def energy_and_slope(q):
        with tf.GradientTape() as tape:
            tape.watch(q)
            height = energy(q)
        return height, tape.gradient(height, q)

    def step():
        q, p = tf.identity(position), momenta
        height, slope = energy_and_slope(q)
        before = height + 0.5 * tf.reduce_sum(tf.square(p))
        for _ in range(LEAPS):
            p = p - 0.5 * SPAN * slope
            q = q + SPAN * p
            height, slope = energy_and_slope(q)
            p = p - 0.5 * SPAN * slope
        after = height + 0.5 * tf.reduce_sum(tf.square(p))
        position.assign(tf.where(CHANCE < before - after, q, position))
        return after

    return step


def with_torch(torch):
    F = torch.nn.functional
    x, answers, momenta = map(torch.from_numpy, data())
    position = torch.zeros(FEATURES, 1)

    def energy_and_slope(q):
        q = q.detach().requires_grad_()
        losses = F.binary_cross_entropy_with_logits(x @ q, answers, reduction="sum")
        height = losses + 0.5 * q.square().sum()
        (slope,) = torch.autograd.grad(height, q)
        return height.detach(), slope

    def step():
        nonlocal position
        q, p = position, momenta
        height, slope = energy_and_slope(q)
        before = height + 0.5 * p.square().sum()
        for _ in range(LEAPS):
            p = p - 0.5 * SPAN * slope
            q = q + SPAN * p
            height, slope = energy_and_slope(q)
            p = p - 0.5 * SPAN * slope
        after = height + 0.5 * p.square().sum()
        if before - after > CHANCE:
            position = q
        return after

    return step


def with_jax(jax):
    jnp = jax.numpy
    x, answers, momenta = map(jnp.asarray, data())
    position = jnp.zeros((FEATURES, 1))

    def energy(q):
        logits = x @ q
        losses = jnp.logaddexp(0.0, logits) - answers * logits
        return jnp.sum(losses) + 0.5 * jnp.sum(q**2)

    energy_and_slope = jax.value_and_grad(energy)

    @jax.jit
    def propose(position):
        def leap(_, state):
            q, p, _, slope = state
            p = p - 0.5 * SPAN * slope
            q = q + SPAN * p
            height, slope = energy_and_slope(q)
            return q, p - 0.5 * SPAN * slope, height, slope

        height, slope = energy_and_slope(position)
        before = height + 0.5 * jnp.sum(momenta**2)
        first = position, momenta, height, slope
        q, p, height, _ = jax.lax.fori_loop(0, LEAPS, leap, first)
        after = height + 0.5 * jnp.sum(p**2)
        return after, jnp.where(before - after > CHANCE, q, position)

    def step():
        nonlocal position
        after, position = propose(position)
        return after

    return step


PROGRAM = Program(
    "hmc",
    "Hamiltonian Monte Carlo, 31 gradients of a 1,000×50 logistic regression",
    with_tensorflow,
    with_torch,
    with_jax,
    # Each gradient reads the features twice, from caches if they fit: what counts is the products.
    Work(flops=(LEAPS + 1) * 4 * POINTS * FEATURES),
)
