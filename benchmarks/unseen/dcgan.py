"""A step of a deep convolutional GAN: both of its networks, each with an optimizer of its own."""

from unseen.images import (
    jax_convolve,
    jax_normalize,
    jax_spread,
    moments,
    tf_normalize,
    torch_images,
    torch_normalize,
)
from unseen.program import Program
from unseen.steps import (
    jax_rule,
    jax_stateful,
    kernel,
    layers,
    normal,
    tf_optimizer,
    torch_optimizer,
    torch_parameter,
)
from workload import Work

BATCH, NOISE, WIDE, NARROW, SLOPE = 32, 64, 64, 32, 0.2


def weights():
    """Of the generator, from noise over 7×7 and 14×14 to 28×28; and of the discriminator, back."""
    generator = [
        kernel(0, NOISE, 7 * 7 * WIDE),
        *moments(WIDE),
        kernel(1, 4, 4, NARROW, WIDE),
        *moments(NARROW),
        kernel(2, 4, 4, 1, NARROW),
    ]
    discriminator = [kernel(3, 4, 4, 1, NARROW), kernel(4, 4, 4, NARROW, WIDE)]
    return generator, discriminator + layers(5, 7 * 7 * WIDE, 1)


def data():
    """Images, float32 [BATCH, 28, 28, 1], and noise, float32 [BATCH, NOISE]."""
    return normal(8, BATCH, 28, 28, 1), normal(9, BATCH, NOISE)


def with_tensorflow(tf):
    images, noise = map(tf.constant, data())
    makes, judges = ([tf.Variable(w) for w in part] for part in weights())
    optimizers = tf_optimizer(tf), tf_optimizer(tf)

    def generator():
        w0, s0, o0, w1, s1, o1, w2 = makes
        x = tf.reshape(tf.matmul(noise, w0), [BATCH, 7, 7, WIDE])
        x = tf.nn.relu(tf_normalize(tf, x, s0, o0))
        x = tf.nn.conv2d_transpose(x, w1, [BATCH, 14, 14, NARROW], 2)
        x = tf.nn.relu(tf_normalize(tf, x, s1, o1))
        return tf.tanh(tf.nn.conv2d_transpose(x, w2, [BATCH, 28, 28, 1], 2))

    def discriminator(x):
        k0, k1, matrix, bias = judges
        x = tf.nn.leaky_relu(tf.nn.conv2d(x, k0, 2, "SAME"), SLOPE)
        x = tf.nn.leaky_relu(tf.nn.conv2d(x, k1, 2, "SAME"), SLOPE)
        return tf.matmul(tf.reshape(x, [BATCH, -1]), matrix) + bias

    def entropy(labels, logits):
        return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))

    def step():
        with tf.GradientTape() as of_maker, tf.GradientTape() as of_judge:
            fake = discriminator(generator())
            real = discriminator(images)
            fooled = entropy(tf.ones_like(fake), fake)
            judged = entropy(tf.ones_like(real), real) + entropy(tf.zeros_like(fake), fake)
        slopes = of_maker.gradient(fooled, makes), of_judge.gradient(judged, judges)
        for optimizer, gradients, variables in zip(
            optimizers, slopes, (makes, judges), strict=True
        ):
            optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return fooled + judged

    return step


def with_torch(torch):
    F = torch.nn.functional
    pictures, noise = data()
    images, noise = torch_images(torch, pictures), torch.from_numpy(noise)
    makes, judges = ([torch_parameter(torch, w) for w in part] for part in weights())
    optimizers = torch_optimizer(torch, makes), torch_optimizer(torch, judges)

    def generator():
        w0, s0, o0, w1, s1, o1, w2 = makes
        # The channels lie last in memory.
        x = (noise @ w0).reshape(BATCH, 7, 7, WIDE).permute(0, 3, 1, 2)
        x = F.relu(torch_normalize(torch, x, s0, o0))
        x = F.conv_transpose2d(x, w1, stride=2, padding=1)
        x = F.relu(torch_normalize(torch, x, s1, o1))
        return torch.tanh(F.conv_transpose2d(x, w2, stride=2, padding=1))

    def discriminator(x):
        k0, k1, matrix, bias = judges
        x = F.leaky_relu(F.conv2d(x, k0, stride=2, padding=1), SLOPE)
        x = F.leaky_relu(F.conv2d(x, k1, stride=2, padding=1), SLOPE)
        return torch.addmm(bias, x.permute(0, 2, 3, 1).flatten(1), matrix)

    def step():
        fake, real = discriminator(generator()), discriminator(images)
        fooled = F.softplus(-fake).mean()
        judged = F.softplus(-real).mean() + F.softplus(fake).mean()
        slopes = [
            torch.autograd.grad(fooled, makes, retain_graph=True),
            torch.autograd.grad(judged, judges),
        ]
        for optimizer, gradients, parameters in zip(
            optimizers, slopes, (makes, judges), strict=True
        ):
            for parameter, gradient in zip(parameters, gradients, strict=True):
                parameter.grad = gradient
            optimizer.step()
        return (fooled + judged).detach()

    return step


def with_jax(jax):
    jnp = jax.numpy
    images, noise = map(jnp.asarray, data())
    begin, apply = jax_rule(jax)

    def generator(makes):
        w0, s0, o0, w1, s1, o1, w2 = makes
        x = (noise @ w0).reshape(BATCH, 7, 7, WIDE)
        x = jax.nn.relu(jax_normalize(jax, x, s0, o0))
        x = jax_spread(jax, x, w1, 2)
        x = jax.nn.relu(jax_normalize(jax, x, s1, o1))
        return jnp.tanh(jax_spread(jax, x, w2, 2))

    def discriminator(judges, x):
        k0, k1, matrix, bias = judges
        x = jax.nn.leaky_relu(jax_convolve(jax, x, k0, 2, "SAME"), SLOPE)
        x = jax.nn.leaky_relu(jax_convolve(jax, x, k1, 2, "SAME"), SLOPE)
        return x.reshape(BATCH, -1) @ matrix + bias

    def fooled(makes, judges):
        return jnp.mean(jax.nn.softplus(-discriminator(judges, generator(makes))))

    def judged(judges, makes):
        real = jnp.mean(jax.nn.softplus(-discriminator(judges, images)))
        return real + jnp.mean(jax.nn.softplus(discriminator(judges, generator(makes))))

    def update(state):
        (makes, judges), (first, second) = state
        of_maker, slopes = jax.value_and_grad(fooled)(makes, judges)
        of_judge, other_slopes = jax.value_and_grad(judged)(judges, makes)
        makes, first = apply(makes, slopes, first)
        judges, second = apply(judges, other_slopes, second)
        return of_maker + of_judge, ((makes, judges), (first, second))

    networks = jax.tree.map(jnp.asarray, weights())
    return jax_stateful(jax, update, (networks, tuple(map(begin, networks))))


# Convolutions that halve 28×28 and 14×14, or double them, with 4×4 taps.
FIRST = 2 * BATCH * 14 * 14 * 16 * NARROW
SECOND = 2 * BATCH * 7 * 7 * 16 * NARROW * WIDE
# The generator's forward and backward; the discriminator's forward twice, and backward through it
# for the generator, and for itself from both.
PROGRAM = Program(
    "dcgan",
    "DCGAN, both networks, 28×28, 32 and 64 channels, batch 32; Adam",
    with_tensorflow,
    with_torch,
    with_jax,
    Work(flops=(3 + 2 + 1 + 2) * FIRST + (3 + 2 + 1 + 4) * SECOND),
)
