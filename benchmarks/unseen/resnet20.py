"""ResNet-20 on images of 32×32 pixels, batches normalised, by SGD with momentum."""

from unseen.images import (
    jax_convolve,
    jax_normalize,
    moments,
    tf_convolve,
    tf_normalize,
    torch_images,
    torch_normalize,
)
from unseen.program import Program
from unseen.steps import below, jax_step, kernel, layers, normal, tf_step, torch_step
from workload import Work

BATCH, SIZE, CLASSES = 32, 32, 10


def convolutions():
    """Kernel size, inputs, outputs and stride of each convolution, in the order of their use."""
    found, inputs = [(3, 3, 16, 1)], 16
    for outputs in (16, 32, 64):
        for block in range(3):
            stride = 2 if outputs > 16 and block == 0 else 1
            if inputs != outputs:
                found.append((1, inputs, outputs, stride))
            found += [(3, inputs, outputs, stride), (3, outputs, outputs, 1)]
            inputs = outputs
    return found


def weights():
    """Of each convolution a kernel, a scale and an offset; then the dense layer's."""
    arrays = []
    for k, (size, inputs, outputs, _) in enumerate(convolutions()):
        arrays += [1.4 * kernel(k, size, size, inputs, outputs), *moments(outputs)]
    return arrays + layers(99, 64, CLASSES)


def data():
    """Images, float32 [BATCH, SIZE, SIZE, 3], and labels, int64 [BATCH]."""
    return normal(1, BATCH, SIZE, SIZE, 3), below(2, CLASSES, BATCH)


def network(weights, x, block, relu):
    """Of images their features: `block` convolves x by a kernel and a stride, and normalises."""
    parts = iter(zip(weights[:-2:3], weights[1:-2:3], weights[2:-2:3], convolutions(), strict=True))

    def convolved(x):
        kernel, scale, offset, (_, _, _, stride) = next(parts)
        return block(x, kernel, scale, offset, stride)

    x = relu(convolved(x))
    for width in range(3):
        for position in range(3):
            shortcut = convolved(x) if width and not position else x
            x = relu(convolved(relu(convolved(x))) + shortcut)
    return x


def with_tensorflow(tf):
    images, labels = map(tf.constant, data())

    def block(x, kernel, scale, offset, stride):
        return tf_normalize(tf, tf_convolve(tf, x, kernel, stride), scale, offset)

    def loss_of(variables):
        x = tf.reduce_mean(network(variables, images, block, tf.nn.relu), axis=[1, 2])
        logits = tf.matmul(x, variables[-2]) + variables[-1]
        return tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        )

    return tf_step(tf, weights(), loss_of, momentum=True)


def with_torch(torch):
    F = torch.nn.functional
    pictures, labels = data()
    images, labels = torch_images(torch, pictures), torch.from_numpy(labels)

    def block(x, kernel, scale, offset, stride):
        x = F.conv2d(x, kernel, stride=stride, padding=kernel.shape[-1] // 2)
        return torch_normalize(torch, x, scale, offset)

    def loss_of(parameters):
        x = network(parameters, images, block, F.relu).mean((2, 3))
        return F.cross_entropy(torch.addmm(parameters[-1], x, parameters[-2]), labels)

    return torch_step(torch, weights(), loss_of, momentum=True)


def with_jax(jax):
    jnp = jax.numpy
    images, labels = map(jnp.asarray, data())

    def block(x, kernel, scale, offset, stride):
        return jax_normalize(jax, jax_convolve(jax, x, kernel, stride), scale, offset)

    def loss_of(weights):
        x = network(weights, images, block, jax.nn.relu).mean(axis=(1, 2))
        likelihoods = jax.nn.log_softmax(x @ weights[-2] + weights[-1])
        return -jnp.mean(jnp.take_along_axis(likelihoods, labels[:, None], axis=1))

    return jax_step(jax, weights(), loss_of, momentum=True)


def products():
    """Multiplications and additions of a step."""
    sides = {16: SIZE, 32: SIZE // 2, 64: SIZE // 4}
    return 3 * sum(
        2 * BATCH * sides[outputs] ** 2 * size**2 * inputs * outputs
        for size, inputs, outputs, _ in convolutions()
    )


PROGRAM = Program(
    "resnet20",
    "ResNet-20, 32 images of 32×32; SGD with momentum",
    with_tensorflow,
    with_torch,
    with_jax,
    Work(flops=products()),
)
