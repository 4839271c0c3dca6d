"""Style transfer: an image changed so that its features' Gram matrices become those of another."""

from unseen.images import jax_convolve, tf_convolve, torch_images
from unseen.program import Program
from unseen.steps import jax_step, kernel, normal, tf_step, torch_step
from workload import Work

SIZE, WIDTHS, WEIGHT = 128, (3, 16, 32, 64), 10.0


def kernels():
    """Of the network that sees: 3×3, and never changed."""
    return [
        1.4 * kernel(k, 3, 3, n, m)
        for k, (n, m) in enumerate(zip(WIDTHS, WIDTHS[1:], strict=False))
    ]


def data():
    """The content and the style, float32 [1, SIZE, SIZE, 3]."""
    return normal(7, 1, SIZE, SIZE, 3), 0.5 * normal(8, 1, SIZE, SIZE, 3) + 0.5


def features(x, kernels, convolve, halve):
    """What each layer sees."""
    found = []
    for k, each in enumerate(kernels):
        x = convolve(halve(x) if k else x, each)
        found.append(x)
    return found


def loss_between(found, content, grams, gram, mean):
    """Of an image: how far its last features and its Gram matrices are from those wanted."""
    styles = [mean((gram(x) - wanted) ** 2) for x, wanted in zip(found, grams, strict=True)]
    return mean((found[-1] - content) ** 2) + WEIGHT * sum(styles)


def with_tensorflow(tf):
    filters = [tf.constant(array) for array in kernels()]

    def seen(image):
        return features(
            image,
            filters,
            lambda x, kernel: tf.nn.relu(tf_convolve(tf, x, kernel)),
            lambda x: tf.nn.avg_pool2d(x, 2, 2, "VALID"),
        )

    def gram(x):
        pixels = x.shape[1] * x.shape[2]
        return tf.linalg.einsum("bijc,bijd->bcd", x, x) / pixels

    content, style = data()
    wanted, grams = seen(tf.constant(content))[-1], [gram(x) for x in seen(tf.constant(style))]

    def loss_of(variables):
        return loss_between(seen(variables[0]), wanted, grams, gram, tf.reduce_mean)

    return tf_step(tf, [content * 0.9], loss_of)


def with_torch(torch):
    F = torch.nn.functional
    layout = {"memory_format": torch.channels_last}
    filters = [torch.from_numpy(k).permute(3, 2, 0, 1).contiguous(**layout) for k in kernels()]

    def seen(image):
        return features(
            image,
            filters,
            lambda x, kernel: F.relu(F.conv2d(x, kernel, padding=1)),
            lambda x: F.avg_pool2d(x, 2),
        )

    def gram(x):
        rows = x.flatten(2)
        return rows @ rows.mT / rows.shape[-1]

    content, style = data()
    with torch.no_grad():
        wanted = seen(torch_images(torch, content))[-1]
        grams = [gram(x) for x in seen(torch_images(torch, style))]

    def loss_of(parameters):
        return loss_between(seen(parameters[0]), wanted, grams, gram, torch.mean)

    # The image as a kernel of one output, which PyTorch orders as it orders images.
    return torch_step(torch, [content.transpose(1, 2, 3, 0) * 0.9], loss_of)


def with_jax(jax):
    jnp, lax = jax.numpy, jax.lax
    filters = [jnp.asarray(array) for array in kernels()]
    window = (1, 2, 2, 1)

    def seen(image):
        return features(
            image,
            filters,
            lambda x, kernel: jax.nn.relu(jax_convolve(jax, x, kernel)),
            lambda x: lax.reduce_window(x, 0.0, lax.add, window, window, "VALID") / 4,
        )

    def gram(x):
        return jnp.einsum("bijc,bijd->bcd", x, x) / (x.shape[1] * x.shape[2])

    content, style = data()
    wanted, grams = seen(jnp.asarray(content))[-1], [gram(x) for x in seen(jnp.asarray(style))]

    def loss_of(weights):
        return loss_between(seen(weights[0]), wanted, grams, gram, jnp.mean)

    return jax_step(jax, [content * 0.9], loss_of)


def products():
    """Multiplications and additions of a step: kernels have no gradients."""
    pixels = [SIZE**2 >> 2 * k for k in range(3)]
    layers = zip(pixels, WIDTHS, WIDTHS[1:], strict=False)
    return sum(2 * 2 * 9 * count * n * m + 3 * 2 * count * m * m for count, n, m in layers)


PROGRAM = Program(
    "style",
    "style transfer by Gram matrices, 128×128, three layers; Adam",
    with_tensorflow,
    with_torch,
    with_jax,
    Work(flops=products()),
)
