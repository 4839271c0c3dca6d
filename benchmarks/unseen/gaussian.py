"""A Gaussian process's marginal likelihood in float64, and a step up its gradient."""

import numpy as np

from unseen.program import Program
from workload import Work

POINTS, RATE = 400, 1e-3


def data():
    """Where the process was seen, float64 [POINTS, 1], and its values, float64 [POINTS, 1]."""
    generator = np.random.default_rng(0)
    x = np.sort(generator.uniform(-3, 3, (POINTS, 1)), axis=0)
    return x, np.sin(2 * x) + 0.1 * generator.normal(size=x.shape)


def logarithms():
    """Of the amplitude, the length scale and the noise's deviation."""
    return np.log([1.0, 0.5, 0.2])


def with_tensorflow(tf):
    x, y = map(tf.constant, data())
    variable = tf.Variable(logarithms())
    unit = tf.eye(POINTS, dtype=tf.float64)

    def step():
        with tf.GradientTape() as tape:
            amplitude, length, noise = tf.unstack(tf.exp(variable))
            distances = tf.square((x - tf.transpose(x)) / length)
            covariance = amplitude**2 * tf.exp(-0.5 * distances) + (noise**2 + 1e-6) * unit
            factor = tf.linalg.cholesky(covariance)
            fit = tf.reduce_sum(y * tf.linalg.cholesky_solve(factor, y))
            log_determinant = tf.reduce_sum(tf.math.log(tf.linalg.diag_part(factor)))
            loss = (0.5 * fit + log_determinant) / POINTS + 0.5 * np.log(2 * np.pi)
        variable.assign_sub(RATE * tape.gradient(loss, variable))
        return loss

    return step


def with_torch(torch):
    x, y = map(torch.from_numpy, data())
    parameter = torch.from_numpy(logarithms()).requires_grad_()
    unit = torch.eye(POINTS, dtype=torch.float64)

    def step():
        amplitude, length, noise = torch.exp(parameter).unbind()
        distances = ((x - x.T) / length).square()
        covariance = amplitude**2 * torch.exp(-0.5 * distances) + (noise**2 + 1e-6) * unit
        factor = torch.linalg.cholesky(covariance)
        fit = (y * torch.cholesky_solve(y, factor)).sum()
        log_determinant = factor.diagonal().log().sum()
        loss = (0.5 * fit + log_determinant) / POINTS + 0.5 * np.log(2 * np.pi)
        (gradient,) = torch.autograd.grad(loss, parameter)
        with torch.no_grad():
            parameter.sub_(RATE * gradient)
        return loss.detach()

    return step


def with_jax(jax):
    jnp = jax.numpy
    with jax.enable_x64(True):
        x, y = map(jnp.asarray, data())
        weights = jnp.asarray(logarithms())

    def loss_of(weights):
        amplitude, length, noise = jnp.exp(weights)
        distances = ((x - x.T) / length) ** 2
        covariance = amplitude**2 * jnp.exp(-0.5 * distances)
        covariance += (noise**2 + 1e-6) * jnp.eye(POINTS)
        factor = jnp.linalg.cholesky(covariance)
        fit = jnp.sum(y * jax.scipy.linalg.cho_solve((factor, True), y))
        log_determinant = jnp.sum(jnp.log(jnp.diagonal(factor)))
        return (0.5 * fit + log_determinant) / POINTS + 0.5 * np.log(2 * np.pi)

    @jax.jit
    def update(weights):
        loss, gradient = jax.value_and_grad(loss_of)(weights)
        return loss, weights - RATE * gradient

    def step():
        nonlocal weights
        with jax.enable_x64(True):
            loss, weights = update(weights)
        return loss

    return step


# A third of a cube for the factor; for its gradient two triangles solved, each a cube. A processor
# does half as many operations on float64 as on float32 in the same time.
PROGRAM = Program(
    "gaussian",
    "marginal likelihood of a Gaussian process with gradient, 400 points, float64",
    with_tensorflow,
    with_torch,
    with_jax,
    Work(flops=2 * (1 / 3 + 2) * POINTS**3),
)
