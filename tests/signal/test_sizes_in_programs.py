"""Transforms in compiled functions, to sizes that are computed from shapes."""

import numpy as np
import pytest

import eagerflow as tf

signal = tf.signal
ALL = [
    (signal.rfft, 1, False),
    (signal.rfft2d, 2, False),
    (signal.rfft3d, 3, False),
    (signal.irfft, 1, True),
    (signal.irfft2d, 2, True),
    (signal.irfft3d, 3, True),
    (lambda x, sizes: signal.rfftnd(x, sizes, axes=[1, 2]), 2, False),
    (lambda x, sizes: signal.irfftnd(x, sizes, axes=[1, 2]), 2, True),
    (lambda x, sizes: signal.fftnd(x, sizes, axes=[1, 2]), 2, True),
    (lambda x, sizes: signal.ifftnd(x, sizes, axes=[1, 2]), 2, True),
]


@pytest.mark.parametrize("jit_compile", [False, True])
@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize(("transform", "rank", "is_complex"), ALL)
def test_sizes_come_from_shapes(transform, rank, is_complex, known, jit_compile):
    generator = np.random.default_rng(0)
    x = generator.normal(size=(2, 3, 4)).astype(np.float32)
    x = tf.constant(x + 1j * x[::-1] if is_complex else x)
    spec = [tf.TensorSpec(x.shape if known else [None, None, None], x.dtype)]

    @tf.function(input_signature=spec, jit_compile=jit_compile)
    def doubled(x):
        return transform(x, [2 * tf.shape(x)[axis] for axis in range(3 - rank, 3)])

    expected = transform(x, [2 * size for size in x.shape[3 - rank :]])
    np.testing.assert_allclose(doubled(x), expected, rtol=1e-5, atol=1e-5)
