"""A small U-Net that marks each pixel of an image."""

import numpy as np

from unseen.images import jax_convolve, jax_spread, tf_convolve, torch_images
from unseen.program import Program
from unseen.steps import jax_step, kernel, normal, tf_step, torch_step
from workload import Work

BATCH, SIZE = 8, 64
# Inputs and outputs of the convolutions down, of those that double the size, and those up.
DOWN = [(3, 16), (16, 16), (16, 32), (32, 32), (32, 64), (64, 64)]
WIDER = [(64, 32), (32, 16)]
UP = [(64, 32), (32, 32), (32, 16), (16, 16)]


def weights():
    """Kernels of 3×3 with biases; those that double the size, 2×2; and the last, 1×1."""
    shapes = [(3, 3, *pair) for pair in DOWN]
    shapes += [(2, 2, outputs, inputs) for inputs, outputs in WIDER]
    shapes += [(3, 3, *pair) for pair in UP] + [(1, 1, 16, 1)]
    kernels = [kernel(k, *shape) for k, shape in enumerate(shapes)]
    widths = [outputs for _, outputs in DOWN + WIDER + UP] + [1]
    return kernels + [np.zeros(width, np.float32) for width in widths]


def data():
    """Images and marks, 0 or 1, float32 [BATCH, SIZE, SIZE, 3 or 1]."""
    marks = (normal(2, BATCH, SIZE, SIZE, 1) > 0).astype(np.float32)
    return normal(1, BATCH, SIZE, SIZE, 3), marks


def network(weights, x, convolve, spread, halve, join):
    """The U: the operations are a framework's, and each takes a kernel and a bias after its input."""
    half = len(weights) // 2
    steps = iter(zip(weights[:half], weights[half:], strict=True))
    levels = []
    for level in range(3):
        x = convolve(convolve(x, *next(steps)), *next(steps))
        if level < 2:
            levels.append(x)
            x = halve(x)
    wider = [next(steps), next(steps)]
    for layer in wider:
        x = join([spread(x, *layer), levels.pop()])
        x = convolve(convolve(x, *next(steps)), *next(steps))
    return x, next(steps)


def with_tensorflow(tf):
    images, marks = map(tf.constant, data())

    def convolve(x, kernel, bias):
        return tf.nn.relu(tf.nn.bias_add(tf_convolve(tf, x, kernel), bias))

    def spread(x, kernel, bias):
        batch, height, width, _ = x.shape
        shape = [batch, 2 * height, 2 * width, kernel.shape[2]]
        return tf.nn.bias_add(tf.nn.conv2d_transpose(x, kernel, shape, 2), bias)

    def halve(x):
        return tf.nn.max_pool2d(x, 2, 2, "VALID")

    def loss_of(variables):
        x, (last, bias) = network(
            variables, images, convolve, spread, halve, lambda parts: tf.concat(parts, -1)
        )
        logits = tf.nn.bias_add(tf_convolve(tf, x, last), bias)
        return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=marks, logits=logits))

    return tf_step(tf, weights(), loss_of)


def with_torch(torch):
    F = torch.nn.functional
    images, marks = (torch_images(torch, array) for array in data())

    def convolve(x, kernel, bias):
        return F.relu(F.conv2d(x, kernel, bias, padding=1))

    def loss_of(parameters):
        x, (last, bias) = network(
            parameters,
            images,
            convolve,
            lambda x, kernel, bias: F.conv_transpose2d(x, kernel, bias, stride=2),
            lambda x: F.max_pool2d(x, 2),
            lambda parts: torch.cat(parts, 1),
        )
        return F.binary_cross_entropy_with_logits(F.conv2d(x, last, bias), marks)

    return torch_step(torch, weights(), loss_of)


def with_jax(jax):
    jnp, lax = jax.numpy, jax.lax
    images, marks = map(jnp.asarray, data())
    window = (1, 2, 2, 1)

    def loss_of(weights):
        x, (last, bias) = network(
            weights,
            images,
            lambda x, kernel, bias: jax.nn.relu(jax_convolve(jax, x, kernel) + bias),
            lambda x, kernel, bias: jax_spread(jax, x, kernel, 2) + bias,
            lambda x: lax.reduce_window(x, -jnp.inf, lax.max, window, window, "VALID"),
            lambda parts: jnp.concatenate(parts, -1),
        )
        logits = jax_convolve(jax, x, last) + bias
        return jnp.mean(jnp.logaddexp(0.0, logits) - marks * logits)

    return jax_step(jax, weights(), loss_of)


def products():
    """Multiplications and additions of a step."""
    pixels = BATCH * SIZE * SIZE
    down = [pixels >> 2 * (k // 2) for k in range(6)]
    sides = down + [pixels >> 4, pixels >> 2] + [pixels >> 2, pixels >> 2, pixels, pixels]
    taps = [9] * 6 + [4] * 2 + [9] * 4
    layers = zip(sides, taps, DOWN + WIDER + UP, strict=True)
    return 3 * sum(2 * count * size * n * m for count, size, (n, m) in layers)


PROGRAM = Program(
    "unet",
    "small U-Net, 8 images of 64×64, 16 to 64 channels; Adam",
    with_tensorflow,
    with_torch,
    with_jax,
    Work(flops=products()),
    memory=True,
)
