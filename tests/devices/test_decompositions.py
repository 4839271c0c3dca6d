"""Fourier transforms, factors of matrices and gradients of crops, on devices and in programs."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core
from eagerflow.framework import plugins

pytestmark = pytest.mark.skipif(
    not any(p.is_cpu for p in plugins.installed()) or not _core.pjrt.built_in(),
    reason="needs the package xla-cpu-pjrt",
)
RANDOM = np.random.RandomState(0)
REAL = RANDOM.randn(2, 3, 4, 6)
COMPLEX = RANDOM.randn(2, 3, 4, 5) + 1j * RANDOM.randn(2, 3, 4, 5)
MATRICES = RANDOM.randn(2, 5, 5)
SYMMETRIC = MATRICES + MATRICES.transpose(0, 2, 1)
TALL, WIDE = RANDOM.randn(3, 6, 4), RANDOM.randn(4, 6)
BOXES = np.array([[0.1, 0.2, 0.7, 0.9], [0.0, 0.1, 0.8, 1.3]], "float32")


def crops(method="bilinear", size=(3, 2)):
    return lambda x, boxes: tf.image.crop_and_resize(x, boxes, [1, 0], size, method=method)


def absolute(function):
    """Vectors of which the signs are not defined."""

    def call(x):
        values, vectors = function(x)
        return values, tf.square(vectors)

    return call


EXACT = {
    "fft": (tf.signal.fft, COMPLEX),
    "ifft": (tf.signal.ifft, COMPLEX),
    "fft2d": (tf.signal.fft2d, COMPLEX),
    "ifft2d": (tf.signal.ifft2d, COMPLEX),
    "fft3d": (tf.signal.fft3d, COMPLEX),
    "ifft3d": (tf.signal.ifft3d, COMPLEX),
    "fft of one": (tf.signal.fft, COMPLEX[..., :1]),
    "rfft": (tf.signal.rfft, REAL),
    "rfft cut": (lambda x: tf.signal.rfft(x, [5]), REAL),
    "rfft padded": (lambda x: tf.signal.rfft(x, [9]), REAL),
    "rfft2d": (tf.signal.rfft2d, REAL),
    "rfft3d": (lambda x: tf.signal.rfft3d(x, [3, 5, 4]), REAL),
    "irfft": (tf.signal.irfft, COMPLEX),
    "irfft odd": (lambda x: tf.signal.irfft(x, [7]), COMPLEX),
    "irfft2d": (tf.signal.irfft2d, COMPLEX),
    "irfft3d": (tf.signal.irfft3d, COMPLEX),
    "fftnd": (lambda x: tf.signal.fftnd(x, axes=[2, 0], norm="ortho"), COMPLEX),
    "rfftnd": (lambda x: tf.signal.rfftnd(x, axes=[0, 1]), REAL),
    "irfftnd": (lambda x: tf.signal.irfftnd(x, axes=[3, 1]), COMPLEX),
    "stft": (lambda x: tf.signal.stft(x, 4, 2), REAL),
    "product of adjoints": (
        lambda x: tf.linalg.matmul(x, x, adjoint_a=True) @ tf.linalg.adjoint(x),
        COMPLEX,
    ),
    "qr": (tf.linalg.qr, TALL),
    "qr of a wide one": (tf.linalg.qr, WIDE),
    "eigh": (absolute(tf.linalg.eigh), SYMMETRIC),
    "eigvalsh": (tf.linalg.eigvalsh, SYMMETRIC),
    "lu": (lambda x: tf.linalg.lu(x)[0], MATRICES),
    "crops": (crops(), RANDOM.randn(2, 5, 7, 3), BOXES),
    "crops of one row": (crops(size=(1, 4)), RANDOM.randn(2, 5, 7, 3), BOXES),
}


@pytest.mark.parametrize(("where", "dtype"), [("device", "float64"), ("program", "float32")])
@pytest.mark.parametrize("name", EXACT)
def test_values_and_gradients(name, dtype, where):
    """They are the host's, for numbers of both precisions."""
    function, *arrays = EXACT[name]
    wide = {"float32": "complex64", "float64": "complex128"}[dtype]
    arguments = [
        tf.constant(x, wide if np.iscomplexobj(x) else "float32" if k else dtype)
        for k, x in enumerate(arrays)
    ]

    def both(*arguments):
        with tf.GradientTape() as tape:
            tape.watch(arguments)
            values = tf.nest.flatten(function(*arguments))
            loss = tf.add_n([tf.reduce_sum(tf.cast(tf.abs(x), dtype) ** 3) for x in values])
        return [*values, *tape.gradient(loss, arguments)]

    expected = both(*arguments)
    if where == "program":
        compiled = tf.function(both, jit_compile=True)
        results = compiled(*arguments)
        assert compiled.get_concrete_function(*arguments).graph.program[0] == 1
    else:
        with tf.device("/device:XLA_CPU:1"):
            results = both(*arguments)
        assert all(x.device.endswith("XLA_CPU:1") for x in results)
    single = dtype == "float32" or name.startswith("crops")
    tolerance = 2e-3 if single else 1e-8
    for mine, theirs in zip(results, expected, strict=True):
        assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape)
        np.testing.assert_allclose(mine.numpy(), theirs.numpy(), tolerance, tolerance)


@pytest.mark.parametrize("matrices", [TALL, WIDE, MATRICES[0]], ids=["tall", "wide", "square"])
def test_full_factors(matrices):
    """All columns of Q are orthonormal."""
    with tf.device("/device:XLA_CPU:0"):
        q, r = tf.linalg.qr(matrices, full_matrices=True)
    expected = tf.linalg.qr(matrices, full_matrices=True)
    np.testing.assert_allclose(q, expected.q, 1e-9, 1e-9)
    np.testing.assert_allclose(r, expected.r, 1e-9, 1e-9)


def test_eigenvalues_without_a_tape():
    """Nothing asks for the vectors."""
    mine = tf.function(lambda x: tf.linalg.eigvalsh(x * 2.0), jit_compile=True)
    np.testing.assert_allclose(mine(SYMMETRIC), np.linalg.eigvalsh(2 * SYMMETRIC), 1e-9, 1e-9)


def test_nearest_crops():
    """Each sample's gradient goes to one pixel."""
    images = tf.constant(RANDOM.randn(2, 5, 7, 3), tf.float32)

    def gradient():
        with tf.GradientTape() as tape:
            tape.watch(images)
            loss = tf.reduce_sum(crops("nearest")(images, BOXES) ** 2)
        return tape.gradient(loss, images)

    mine = tf.function(gradient, jit_compile=True)()
    np.testing.assert_allclose(mine, gradient(), 1e-5, 1e-5)


def test_shapes_without_elements():
    """They need no program."""
    with tf.device("/device:XLA_CPU:0"):
        assert tf.signal.rfft(tf.zeros([0, 4])).shape == [0, 3]
        assert tf.signal.fft(tf.zeros([2, 0], tf.complex64)).shape == [2, 0]
        assert tf.linalg.qr(tf.zeros([0, 3, 3])).q.shape == [0, 3, 3]


def test_matrices_that_are_not_finite():
    """Eigenvalues are refused on devices as on the host; programs give NaN."""
    with (
        tf.device("/device:XLA_CPU:0"),
        pytest.raises(tf.errors.InvalidArgumentError, match="was not successful"),
    ):
        tf.linalg.eigh([[1.0, 0.0], [np.nan, 1.0]])


def test_what_stays_on_the_host(capfd):
    """Factors that no program has are computed there, which the log of placement says."""
    with tf.device("/device:XLA_CPU:0"):
        x = tf.constant(MATRICES)
        tf.debugging.set_log_device_placement(True)
        try:
            tf.linalg.qr(x)
            tf.signal.rfft(x)
            tf.signal.fftnd(tf.zeros([2, 2, 2, 2], tf.complex64))
            values = tf.linalg.svd(x, compute_uv=False)
            tf.linalg.eig(x)
            tf.linalg.logm(tf.cast(x, tf.complex128))
        finally:
            tf.debugging.set_log_device_placement(False)
    lines = [line for line in capfd.readouterr().err.splitlines() if "Executing op" in line]
    places = {line.split()[2]: line.rpartition("device:")[2] for line in lines}
    assert places["Qr"] == "XLA_CPU:0"
    assert [places[op] for op in ("Svd", "Eig", "MatrixLogarithm")] == ["CPU:0"] * 3
    assert values.device.endswith("XLA_CPU:0")
    assert [line.rpartition("device:")[2] for line in lines if "FFTND" in line] == [
        "XLA_CPU:0",
        "CPU:0",
    ]


@pytest.mark.parametrize("fast", [True, False])
@pytest.mark.parametrize("matrices", [TALL, WIDE], ids=["tall", "wide"])
def test_least_squares(matrices, fast):
    """By normal equations as one program, by orthogonal factors with parts on the host."""
    sides = tf.constant(RANDOM.randn(*matrices.shape[:-1], 2))
    expected = tf.linalg.lstsq(matrices, sides, 0.1 if fast else 0.0, fast)
    with tf.device("/device:XLA_CPU:0"):
        x = tf.linalg.lstsq(matrices, sides, 0.1 if fast else 0.0, fast)
    np.testing.assert_allclose(x, expected, 1e-8, 1e-8)
    if fast:
        compiled = tf.function(tf.linalg.lstsq, jit_compile=True)
        np.testing.assert_allclose(compiled(matrices, sides, 0.1), expected, 1e-8, 1e-8)
