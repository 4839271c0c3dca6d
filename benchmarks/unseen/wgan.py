"""The critic of a Wasserstein GAN with a penalty on its gradient: a step of second order."""

from unseen.program import Program
from unseen.steps import jax_step, layers, normal, pairs, tf_step, torch_step
from workload import Work

BATCH, PIXELS, UNITS, PENALTY = 64, 784, 256, 10.0
SLOPE = 0.2


def weights():
    """784-256-256-1; the last bias has no gradient and is left out."""
    return layers(0, PIXELS, UNITS, UNITS, 1)[:-1]


def data():
    """Real images and made ones, and between them, each float32 [BATCH, PIXELS]."""
    real, fake = normal(1, BATCH, PIXELS, scale=0.5), normal(2, BATCH, PIXELS)
    share = abs(normal(3, BATCH, 1)) % 1
    return real, fake, share * real + (1 - share) * fake


def critic(weights, x, activation):
    """A number for each image, [BATCH, 1]."""
    for matrix, bias in pairs(weights[:-1]):
        x = activation(x @ matrix + bias)
    return x @ weights[-1]


def with_tensorflow(tf):
    real, fake, between = map(tf.constant, data())

    def judged(variables, x):
        return critic(variables, x, lambda x: tf.nn.leaky_relu(x, SLOPE))

    def loss_of(variables):
        with tf.GradientTape() as inner:
            inner.watch(between)
            found = judged(variables, between)
        slopes = inner.gradient(found, between)
        norms = tf.sqrt(tf.reduce_sum(tf.square(slopes), axis=1))
        penalty = tf.reduce_mean(tf.square(norms - 1.0))
        distance = tf.reduce_mean(judged(variables, fake)) - tf.reduce_mean(judged(variables, real))
        return distance + PENALTY * penalty

    return tf_step(tf, weights(), loss_of)


def with_torch(torch):
    F = torch.nn.functional
    real, fake, between = map(torch.from_numpy, data())
    between.requires_grad_()

    def judged(parameters, x):
        for matrix, bias in pairs(parameters[:-1]):
            x = F.leaky_relu(torch.addmm(bias, x, matrix), SLOPE)
        return x @ parameters[-1]

    def loss_of(parameters):
        found = judged(parameters, between)
        (slopes,) = torch.autograd.grad(found.sum(), between, create_graph=True)
        penalty = (slopes.norm(2, dim=1) - 1).square().mean()
        return judged(parameters, fake).mean() - judged(parameters, real).mean() + PENALTY * penalty

    return torch_step(torch, weights(), loss_of)


def with_jax(jax):
    jnp = jax.numpy
    real, fake, between = map(jnp.asarray, data())

    def judged(weights, x):
        return critic(weights, x, lambda x: jax.nn.leaky_relu(x, SLOPE))

    def loss_of(weights):
        slopes = jax.grad(lambda x: jnp.sum(judged(weights, x)))(between)
        penalty = jnp.mean((jnp.linalg.norm(slopes, axis=1) - 1) ** 2)
        distance = jnp.mean(judged(weights, fake)) - jnp.mean(judged(weights, real))
        return distance + PENALTY * penalty

    return jax_step(jax, weights(), loss_of)


# Of two plain passes a forward and a backward product, without the input's gradient; of the penalty
# a forward product, one for the slope, and two backward through each of them.
FIRST, SECOND = 2 * BATCH * PIXELS * UNITS, 2 * BATCH * UNITS * UNITS
PROGRAM = Program(
    "wgan",
    "WGAN critic with gradient penalty, 784-256-256-1, batch 64; Adam",
    with_tensorflow,
    with_torch,
    with_jax,
    Work(flops=2 * (2 * FIRST + 3 * SECOND) + 4 * FIRST + 6 * SECOND),
)
