"""Linear systems, resized images, mirrored edges and segments in compiled functions."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core
from eagerflow.framework import plugins

pytestmark = pytest.mark.skipif(
    not any("cpu" in p.name for p in plugins.installed()) or not _core.pjrt.built_in(),
    reason="needs the package xla-cpu-pjrt",
)
RANDOM = np.random.RandomState(0)
MATRICES = RANDOM.randn(3, 5, 5)
MATRICES[0, 0, 0] = 0.0  # needs another pivot
SYMMETRIC = MATRICES @ MATRICES.transpose(0, 2, 1) + np.eye(5)
SIDES = RANDOM.randn(3, 5, 2)
IMAGES = RANDOM.randn(2, 7, 9, 3)

PROGRAMS = {
    "solve": (tf.linalg.solve, MATRICES, SIDES),
    "solve adjoint": (lambda a, b: tf.linalg.solve(a, b, adjoint=True), MATRICES, SIDES),
    "solve one": (tf.linalg.solve, MATRICES[:1, :1, 1:2], SIDES[:1, :1]),
    "inv": (tf.linalg.inv, MATRICES),
    "inv adjoint": (lambda a: tf.linalg.inv(a, adjoint=True), MATRICES[1]),
    "det": (tf.linalg.det, MATRICES),
    "slogdet": (tf.linalg.slogdet, MATRICES),
    "logdet": (tf.linalg.logdet, SYMMETRIC),
    "cholesky": (tf.linalg.cholesky, SYMMETRIC),
    "triangular_solve": (tf.linalg.triangular_solve, SYMMETRIC, SIDES),
    "cholesky_solve": (
        lambda a, b: tf.linalg.cholesky_solve(tf.linalg.cholesky(a), b),
        SYMMETRIC,
        SIDES,
    ),
    "symmetric pad": (lambda x: tf.pad(x, [[0, 1], [2, 3], [0, 0], [1, 0]], "SYMMETRIC"), IMAGES),
    "reflect pad": (lambda x: tf.pad(x, [[0, 1], [2, 3], [0, 0], [1, 0]], "REFLECT"), IMAGES),
    "segment_mean": (
        lambda x: tf.sparse.segment_mean(x, [0, 2, 1, 0], [0, 0, 2, 2], num_segments=4),
        MATRICES,
    ),
    "segment_sqrt_n": (
        lambda x: tf.sparse.segment_sqrt_n(x, [0, 2, 1, 0], [0, 0, 2, 2], num_segments=4),
        MATRICES,
    ),
}


def _resized(method, antialias):
    return lambda x: tf.image.resize(x, [11, 5], method=method, antialias=antialias)


for _method in ("bilinear", "nearest", "bicubic", "area", "lanczos3"):
    PROGRAMS[_method] = (_resized(_method, False), IMAGES)
    PROGRAMS[_method + " antialias"] = (_resized(_method, True), IMAGES)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_values_and_gradients(name, dtype):
    """Programs give what the CPU's kernels give, between other operations as well."""
    function, *arrays = PROGRAMS[name]
    arguments = [tf.constant(array, dtype) for array in arrays]

    def both(*arguments):
        with tf.GradientTape() as tape:
            tape.watch(arguments)
            values = tf.nest.flatten(function(*[x * 1.5 for x in arguments]))
            loss = tf.add_n([tf.reduce_sum(tf.cast(x, dtype) ** 2) for x in values])
        return [*values, *tape.gradient(loss, arguments)]

    compiled = tf.function(both, jit_compile=True)
    expected = tf.function(both)(*arguments)
    # Images are resized in single precision.
    tolerance = 1e-9 if expected[0].dtype == tf.float64 else 2e-3
    for mine, theirs in zip(compiled(*arguments), expected, strict=True):
        assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape)
        np.testing.assert_allclose(mine.numpy(), theirs.numpy(), tolerance, tolerance)
    assert compiled.get_concrete_function(*arguments).graph.program[0] == 1


def test_factors():
    """The operation that tf.linalg.lu calls, on a device."""
    with tf.device("/device:XLA_CPU:0"):
        lu, order = _core.ops.lu_factors(tf.constant(MATRICES))
    expected, rows = _core.ops.lu_factors(tf.constant(MATRICES))
    np.testing.assert_allclose(lu.numpy(), expected.numpy(), 1e-9, 1e-9)
    assert (order.numpy() == rows.numpy()).all()


def test_singular_matrices():
    """No program raises an error in the middle: results are not finite, as XLA's."""
    singular = tf.ones([2, 2])
    inverse = tf.function(lambda a: tf.linalg.inv(a * 1.0) * 1.0, jit_compile=True)(singular)
    assert not np.isfinite(inverse.numpy()).any()
    det = tf.function(lambda a: tf.linalg.det(a * 1.0) * 1.0, jit_compile=True)(singular)
    assert float(det) == 0


def test_crops():
    """Boxes that reach beyond the image have the given value there."""
    boxes = tf.constant([[0.0, 0.0, 1.0, 1.0], [0.1, -0.2, 0.5, 1.3]])
    for method in ("bilinear", "nearest"):
        for size in ([4, 5], [1, 1]):

            def crop(x, method=method, size=size):
                return tf.image.crop_and_resize(
                    x * 2.0, boxes, [1, 0], size, method=method, extrapolation_value=3.0
                )

            images = tf.constant(IMAGES, tf.float32)
            mine, theirs = tf.function(crop, jit_compile=True)(images), crop(images)
            np.testing.assert_allclose(mine.numpy(), theirs.numpy(), 1e-4, 1e-4)


@pytest.mark.parametrize("dtypes", ["float32 int32", "float64 uint8", "int16 uint64", "int8 int64"])
def test_bits_of_other_dtypes(dtypes):
    """Elements of another size are a last axis more or less."""
    one, other = dtypes.split()
    parts = max(1, tf.as_dtype(other).size // tf.as_dtype(one).size)
    x = tf.constant(np.arange(-parts, parts).reshape(2, parts), one)

    @tf.function(jit_compile=True)
    def there_and_back(x):
        y = tf.bitcast(x + 1, other)
        return y, tf.bitcast(y, one)

    bits, back = there_and_back(x)
    expected = (x.numpy() + np.ones([], one)).view(other)
    np.testing.assert_array_equal(bits.numpy().reshape(2, -1), expected.reshape(2, -1))
    np.testing.assert_array_equal(back.numpy().reshape(x.shape), x.numpy() + 1)
    assert there_and_back.get_concrete_function(x).graph.program[0] == 1


q = tf.quantization
EDGES = np.array([[-9.0, np.nan, 0.3, 0.1], [0.7, 0.2, np.inf, 2.0], [-0.4, 1.1, 0.9, -0.1]])
LOW, HIGH = [-1.0, -0.5, 0.0, -2.0], [1.0, 1.5, 0.0, 1.0]
FAKE_QUANT = {
    "args": lambda x, low, high: q.fake_quant_with_min_max_args(x, -1.0, 1.7, 4),
    "vars": lambda x, low, high: q.fake_quant_with_min_max_vars(x, low[0], high[1]),
    "none": lambda x, low, high: q.fake_quant_with_min_max_vars(x, low[2], high[2]),
    "channels": lambda x, low, high: q.fake_quant_with_min_max_vars_per_channel(
        x, low, high, narrow_range=True
    ),
    "args_gradient": lambda x, low, high: q.fake_quant_with_min_max_args_gradient(
        tf.ones_like(x) * 2.0, x
    ),
    "vars_gradient": lambda x, low, high: q.fake_quant_with_min_max_vars_gradient(
        tf.ones_like(x) * 2.0, x, low[0], high[1]
    ),
    "channels_gradient": lambda x, low, high: q.fake_quant_with_min_max_vars_per_channel_gradient(
        tf.ones_like(x) * 2.0, x, low, high
    ),
}


@pytest.mark.parametrize("name", FAKE_QUANT)
def test_fake_quantization(name):
    """It rounds in programs and on a device as on the host, and so do its gradients."""
    arrays = [tf.constant(array, tf.float32) for array in (EDGES, LOW, HIGH)]

    def quantized(*arrays):
        with tf.GradientTape() as tape:
            tape.watch(arrays)
            values = tf.nest.flatten(FAKE_QUANT[name](*[x * 1.0 for x in arrays]))
            loss = tf.add_n([tf.reduce_sum(x * 3.0) for x in values])
        zeros = tf.UnconnectedGradients.ZERO
        return [*values, *tape.gradient(loss, arrays, unconnected_gradients=zeros)]

    compiled = tf.function(quantized, jit_compile=True)
    expected = quantized(*arrays)
    with tf.device("/device:XLA_CPU:0"):
        eager = quantized(*arrays)
    for x, y, z in zip(compiled(*arrays), eager, expected, strict=True):
        np.testing.assert_allclose(x.numpy(), z.numpy(), 1e-5, 1e-5)
        np.testing.assert_allclose(y.numpy(), z.numpy(), 1e-5, 1e-5)
    assert compiled.get_concrete_function(*arrays).graph.program[0] == 1


NAN = np.array([[np.nan, 1.0], [2.0, np.nan], [3.0, 4.0]])
WITH_NAN = {
    "maximum": lambda x: tf.maximum(x, x[:, ::-1]),
    "minimum": lambda x: tf.minimum(x, x[:, ::-1]),
    "clip_by_value": lambda x: tf.clip_by_value(x, 0.0, 2.5),
    "relu": lambda x: tf.nn.relu(x[:, ::-1]),
    "relu6": tf.nn.relu6,
    "reduce_max": lambda x: tf.reduce_max(x, axis=1),
    "reduce_min": lambda x: tf.reduce_min(x, axis=0),
    "reduce_max of all": tf.reduce_max,
    "max_pool": lambda x: tf.nn.max_pool1d(x[:, :, None], 2, 2, "VALID"),
    "softmax": tf.nn.softmax,
    "softplus": tf.nn.softplus,
}


@pytest.mark.parametrize("name", WITH_NAN)
def test_not_a_number_stays(name):
    """Of NaN and a number the largest and the smallest is NaN, in whichever order they come."""
    function = WITH_NAN[name]
    x = tf.constant(NAN, tf.float32)
    compiled = tf.function(lambda x: function(x * 1.0), jit_compile=True)
    np.testing.assert_allclose(compiled(x).numpy(), function(x).numpy(), 1e-6)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32"])
def test_means_of_integers_do_not_wrap(dtype):
    x = tf.constant(np.full([20, 30], 100, dtype))
    mean = tf.function(lambda x: tf.reduce_mean(x, [0, 1]), jit_compile=True)
    with tf.device("/device:XLA_CPU:0"):
        found = mean(x)
    assert found.numpy() == 100
    assert found.dtype == x.dtype
