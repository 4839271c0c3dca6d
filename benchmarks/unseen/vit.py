"""A small vision transformer: images as sequences of patches."""

import numpy as np

from unseen.images import jax_convolve, moments, torch_images
from unseen.program import Program
from unseen.steps import below, jax_step, kernel, layers, normal, tf_step, torch_step
from workload import Work

BATCH, SIZE, PATCH, WIDTH, HEADS, BLOCKS, CLASSES = 32, 32, 4, 64, 4, 3, 10
PATCHES, PARTS, EPSILON = (SIZE // PATCH) ** 2, WIDTH // HEADS, 1e-5
# Arrays of a block.
EACH = 12


def weights():
    """The patches' kernel and bias, their positions, the blocks, a normalisation and a dense layer."""
    arrays = [kernel(0, PATCH, PATCH, 3, WIDTH), np.zeros(WIDTH, np.float32)]
    arrays.append(normal(1, PATCHES, WIDTH, scale=0.1))
    for k in range(BLOCKS):
        arrays += [*moments(WIDTH), *layers(10 * k + 2, WIDTH, 3 * WIDTH)]
        arrays += layers(10 * k + 3, WIDTH, WIDTH)
        arrays += [*moments(WIDTH), *layers(10 * k + 4, WIDTH, 4 * WIDTH, WIDTH)]
    return arrays + moments(WIDTH) + layers(99, WIDTH, CLASSES)


def data():
    """Images, float32 [BATCH, SIZE, SIZE, 3], and labels, int64 [BATCH]."""
    return normal(1, BATCH, SIZE, SIZE, 3), below(2, CLASSES, BATCH)


def network(weights, x, normalize, dense, attend, gelu):
    """Through the blocks, then normalised: [BATCH, PATCHES, WIDTH]."""
    for k in range(BLOCKS):
        g0, o0, w0, b0, w1, b1, g1, o1, w2, b2, w3, b3 = weights[3 + EACH * k :][:EACH]
        x = x + dense(attend(dense(normalize(x, g0, o0), w0, b0)), w1, b1)
        x = x + dense(gelu(dense(normalize(x, g1, o1), w2, b2)), w3, b3)
    return normalize(x, *weights[-4:-2])


def with_tensorflow(tf):
    images, labels = map(tf.constant, data())

    def normalize(x, scale, offset):
        mean, variance = tf.nn.moments(x, -1, keepdims=True)
        return tf.nn.batch_normalization(x, mean, variance, offset, scale, EPSILON)

    def attend(x):
        parts = tf.reshape(x, [BATCH, PATCHES, 3, HEADS, PARTS])
        query, key, value = tf.unstack(tf.transpose(parts, [2, 0, 3, 1, 4]))
        scores = tf.matmul(query, key, transpose_b=True) * PARTS**-0.5
        seen = tf.matmul(tf.nn.softmax(scores), value)
        return tf.reshape(tf.transpose(seen, [0, 2, 1, 3]), [BATCH, PATCHES, WIDTH])

    def dense(x, matrix, bias):
        return tf.matmul(x, matrix) + bias

    def loss_of(variables):
        cut, bias, positions = variables[:3]
        x = tf.nn.conv2d(images, cut, PATCH, "VALID") + bias
        x = tf.reshape(x, [BATCH, PATCHES, WIDTH]) + positions
        x = network(variables, x, normalize, dense, attend, tf.nn.gelu)
        logits = dense(tf.reduce_mean(x, axis=1), *variables[-2:])
        return tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        )

    return tf_step(tf, weights(), loss_of)


def with_torch(torch):
    F = torch.nn.functional
    pictures, labels = data()
    images, labels = torch_images(torch, pictures), torch.from_numpy(labels)

    def normalize(x, scale, offset):
        return F.layer_norm(x, (WIDTH,), scale, offset, EPSILON)

    def attend(x):
        parts = x.view(BATCH, PATCHES, 3, HEADS, PARTS).permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(*parts.unbind())
        return seen.transpose(1, 2).flatten(2)

    def dense(x, matrix, bias):
        return F.linear(x, matrix.t(), bias)

    def loss_of(parameters):
        cut, bias, positions = parameters[:3]
        x = F.conv2d(images, cut, bias, stride=PATCH).flatten(2).transpose(1, 2) + positions
        x = network(parameters, x, normalize, dense, attend, F.gelu)
        return F.cross_entropy(dense(x.mean(1), *parameters[-2:]), labels)

    return torch_step(torch, weights(), loss_of)


def with_jax(jax):
    jnp = jax.numpy
    images, labels = map(jnp.asarray, data())

    def normalize(x, scale, offset):
        mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(variance + EPSILON) * scale + offset

    def attend(x):
        parts = x.reshape(BATCH, PATCHES, 3, HEADS, PARTS)
        query, key, value = jnp.moveaxis(parts, 2, 0)
        return jax.nn.dot_product_attention(query, key, value).reshape(BATCH, PATCHES, WIDTH)

    def dense(x, matrix, bias):
        return x @ matrix + bias

    def loss_of(weights):
        cut, bias, positions = weights[:3]
        x = jax_convolve(jax, images, cut, PATCH, "VALID") + bias
        x = x.reshape(BATCH, PATCHES, WIDTH) + positions
        x = network(
            weights, x, normalize, dense, attend, lambda x: jax.nn.gelu(x, approximate=False)
        )
        likelihoods = jax.nn.log_softmax(dense(x.mean(1), *weights[-2:]))
        return -jnp.mean(jnp.take_along_axis(likelihoods, labels[:, None], axis=1))

    return jax_step(jax, weights(), loss_of)


# For each patch: four square products, eight of the dense layers, and the two of attention.
PRODUCTS = BLOCKS * (12 * WIDTH**2 + 2 * PATCHES * WIDTH)
PROGRAM = Program(
    "vit",
    "small vision transformer, 32 images of 64 patches, 64 wide, 3 blocks; Adam",
    with_tensorflow,
    with_torch,
    with_jax,
    Work(flops=2 * BATCH * PATCHES * (3 * PRODUCTS + 2 * PATCH**2 * 3 * WIDTH)),
    memory=True,
)
