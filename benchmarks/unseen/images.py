"""What networks of images are made of, in each framework: convolutions and batches normalised."""

import numpy as np

EPSILON = 1e-3


def tf_convolve(tf, x, kernel, stride=1):
    """Padded by half of the kernel on every side."""
    half = kernel.shape[0] // 2
    return tf.nn.conv2d(x, kernel, stride, [[0, 0], [half, half], [half, half], [0, 0]])


def tf_normalize(tf, x, scale, offset):
    """By the moments of the batch."""
    return tf.compat.v1.nn.fused_batch_norm(x, scale, offset, epsilon=EPSILON, is_training=True)[0]


def torch_images(torch, images):
    """Images as PyTorch orders them, with their channels last in memory."""
    layout = {"memory_format": torch.channels_last}
    return torch.from_numpy(images).permute(0, 3, 1, 2).contiguous(**layout)


def torch_normalize(torch, x, scale, offset):
    return torch.nn.functional.batch_norm(x, None, None, scale, offset, training=True, eps=EPSILON)


def jax_convolve(jax, x, kernel, stride=1, padding=None):
    half = kernel.shape[0] // 2
    return jax.lax.conv_general_dilated(
        x,
        kernel,
        (stride, stride),
        padding or [(half, half), (half, half)],
        dimension_numbers=("NHWC", "HWIO", "NHWC"),
    )


def jax_spread(jax, x, kernel, stride):
    """A transposed convolution, [batch, stride * height, stride * width, outputs]."""
    return jax.lax.conv_transpose(
        x,
        kernel,
        (stride, stride),
        "SAME",
        dimension_numbers=("NHWC", "HWIO", "NHWC"),
        transpose_kernel=True,
    )


def jax_normalize(jax, x, scale, offset):
    mean, variance = x.mean(axis=(0, 1, 2)), x.var(axis=(0, 1, 2))
    return (x - mean) * (scale * jax.lax.rsqrt(variance + EPSILON)) + offset


def moments(width):
    """A scale and an offset."""
    return [np.ones(width, np.float32), np.zeros(width, np.float32)]
