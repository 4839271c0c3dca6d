"""Matrix products, convolutions, pooling and losses against NumPy and SciPy on random inputs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import signal, special

import eagerflow as tf
from random_arrays import COMPLEX, FLOATS, assert_matches, random_array, seeds, widened

sides = st.sampled_from([0, 1, 2, 3, 7, 17, 33])


@pytest.mark.parametrize("dtype", [*FLOATS, "int32", "int64", *COMPLEX])
@given(
    batches=st.sampled_from([((), ()), ((3,), (3,)), ((2, 1), (3,)), ((0,), (1,)), ((), (2, 2))]),
    m=sides,
    k=sides,
    n=sides,
    seed=seeds,
    flip_a=st.sampled_from(["", "transpose", "adjoint"]),
    flip_b=st.sampled_from(["", "transpose", "adjoint"]),
)
def test_matrix_products(dtype, batches, m, k, n, seed, flip_a, flip_b):
    def operand(offset, batch, rows, columns, flip):
        shape = (*batch, columns, rows) if flip else (*batch, rows, columns)
        x = random_array(seed + offset, shape, dtype)
        used = np.swapaxes(widened(x), -1, -2) if flip else widened(x)
        return tf.constant(x), np.conj(used) if flip == "adjoint" else used

    a, used_a = operand(0, batches[0], m, k, flip_a)
    b, used_b = operand(1, batches[1], k, n, flip_b)
    flags = {f"{flip}_{name}": True for flip, name in ((flip_a, "a"), (flip_b, "b")) if flip}
    scale = 16 * max(k, 1)
    assert_matches(tf.matmul(a, b, **flags), used_a @ used_b, dtype, rtol=4, atol=scale)


EQUATIONS = ["ij,jk->ik", "bij,bjk->bik", "i,i->", "ij->ji", "ii->i", "ij,ij->", "bhqd,bhkd->bhqk",
             "...ij,...j->...i", "i,j->ij", "ijk->k", "abc,cd,de->abe"]  # fmt: skip


@pytest.mark.parametrize("equation", EQUATIONS)
@given(seed=seeds, data=st.data())
def test_einsum(equation, seed, data):
    sizes = {label: data.draw(st.integers(1, 5)) for label in equation if label.isalpha()}
    terms = equation.split("->")[0].replace("...", "xy").split(",")
    sizes |= {"x": 2, "y": 3}
    operands = [
        random_array(seed + k, [sizes[label] for label in term], "float32")
        for k, term in enumerate(terms)
    ]
    expected = np.einsum(equation, *[widened(x) for x in operands])
    assert_matches(tf.einsum(equation, *operands), expected, "float32", rtol=4, atol=200)


def padded(x, window, stride, padding, dilation=1, value=0.0):
    """The images with SAME padding."""
    if padding == "VALID":
        return x
    widths = [(0, 0)]
    for side in x.shape[1:3]:
        reach = (window - 1) * dilation + 1
        total = max((-(-side // stride) - 1) * stride + reach - side, 0)
        widths.append((total // 2, total - total // 2))
    return np.pad(x, [*widths, (0, 0)], constant_values=value)


def windows(x, window, stride, dilation=1):
    """[batch, rows, columns, channels, window, window]"""
    reach = (window - 1) * dilation + 1
    view = np.lib.stride_tricks.sliding_window_view(x, (reach, reach), (1, 2))
    return view[:, ::stride, ::stride, :, ::dilation, ::dilation]


images = st.tuples(st.integers(1, 3), st.integers(5, 12), st.integers(5, 12))
paddings = st.sampled_from(["SAME", "VALID"])


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@given(
    image=images,
    channels=st.sampled_from([1, 2, 3, 8, 16]),
    filters=st.sampled_from([1, 4, 5, 16]),
    window=st.integers(1, 3),
    stride=st.integers(1, 3),
    dilation=st.integers(1, 2),
    padding=paddings,
    seed=seeds,
)
def test_convolution(dtype, image, channels, filters, window, stride, dilation, padding, seed):
    if stride > 1:
        dilation = 1
    x = random_array(seed, (*image, channels), dtype, -1, 1)
    w = random_array(seed + 1, (window, window, channels, filters), dtype, -1, 1)
    parts = windows(padded(widened(x), window, stride, padding, dilation), window, stride, dilation)
    expected = np.einsum("nhwcij,ijcf->nhwf", parts, widened(w), optimize=True)
    got = tf.nn.conv2d(x, w, stride, padding, dilations=dilation)
    assert_matches(got, expected, dtype, rtol=4, atol=4 * window * channels)


@given(
    image=images,
    channels=st.integers(1, 9),
    multiplier=st.integers(1, 3),
    stride=st.integers(1, 2),
    padding=paddings,
    seed=seeds,
)
def test_depthwise_convolution(image, channels, multiplier, stride, padding, seed):
    x = random_array(seed, (*image, channels), "float32", -1, 1)
    w = random_array(seed + 1, (3, 3, channels, multiplier), "float32", -1, 1)
    parts = windows(padded(widened(x), 3, stride, padding), 3, stride)
    expected = np.einsum("nhwcij,ijcm->nhwcm", parts, widened(w))
    expected = expected.reshape(*expected.shape[:3], -1)
    got = tf.nn.depthwise_conv2d(x, w, [1, stride, stride, 1], padding)
    assert_matches(got, expected, "float32", rtol=4, atol=40)


@given(image=images, groups=st.sampled_from([2, 4]), seed=seeds)
def test_grouped_convolution(image, groups, seed):
    x = random_array(seed, (*image, 2 * groups), "float32", -1, 1)
    w = random_array(seed + 1, (3, 3, 2, 3 * groups), "float32", -1, 1)
    parts = [
        tf.nn.conv2d(x[..., 2 * k : 2 * k + 2], w[..., 3 * k : 3 * k + 3], 1, "SAME").numpy()
        for k in range(groups)
    ]
    got = tf.nn.conv2d(x, w, 1, "SAME")
    assert_matches(got, np.concatenate(parts, -1), "float32", rtol=4, atol=40)


@given(image=images, stride=st.integers(1, 3), padding=paddings, seed=seeds)
def test_transposed_convolution_is_the_adjoint(image, stride, padding, seed):
    """sum(conv(x) * y) = sum(x * conv_transpose(y))"""
    x = random_array(seed, (*image, 3), "float64", -1, 1)
    w = random_array(seed + 1, (3, 3, 3, 4), "float64", -1, 1)
    forward = tf.nn.conv2d(x, w, stride, padding)
    y = random_array(seed + 2, forward.shape, "float64", -1, 1)
    back = tf.nn.conv2d_transpose(y, w, x.shape, stride, padding)
    np.testing.assert_allclose(np.sum(forward.numpy() * y), np.sum(x * back.numpy()), 1e-9, 1e-9)


@pytest.mark.parametrize("dtype", FLOATS)
@given(
    image=images,
    channels=st.sampled_from([1, 3, 16, 33]),
    window=st.integers(1, 4),
    stride=st.integers(1, 3),
    padding=paddings,
    seed=seeds,
)
def test_pooling(dtype, image, channels, window, stride, padding, seed):
    x = random_array(seed, (*image, channels), dtype)
    bordered = padded(widened(x), window, stride, padding, value=np.nan)
    parts = windows(bordered, window, stride)
    expected = np.nanmax(parts, (-1, -2))
    assert_matches(tf.nn.max_pool2d(x, window, stride, padding), expected, dtype)
    expected = np.nanmean(parts, (-1, -2))
    assert_matches(tf.nn.avg_pool2d(x, window, stride, padding), expected, dtype, 4, 16)


@given(rows=st.integers(1, 40), classes=st.integers(1, 40), seed=seeds)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_cross_entropy(dtype, rows, classes, seed):
    logits = random_array(seed, (rows, classes), dtype, -30, 30)
    labels = np.random.default_rng(seed).integers(0, classes, rows)
    expected = -special.log_softmax(widened(logits), -1)[np.arange(rows), labels]
    got = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
    assert_matches(got, expected, dtype, rtol=4, atol=60)
    dense = special.softmax(random_array(seed + 1, (rows, classes), "float64"), -1)
    expected = -np.sum(dense * special.log_softmax(widened(logits), -1), -1)
    got = tf.nn.softmax_cross_entropy_with_logits(dense.astype(dtype), logits)
    assert_matches(got, expected, dtype, rtol=4, atol=60)
    expected = np.logaddexp(0, widened(logits)) - dense * logits
    got = tf.nn.sigmoid_cross_entropy_with_logits(dense.astype(dtype), logits)
    assert_matches(got, expected, dtype, rtol=4, atol=60)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_cross_entropy_of_no_classes_is_0(dtype):
    tf.fill([5], tf.constant(7.0, dtype))  # leaves a freed buffer with other values
    nothing = tf.zeros([5, 0], dtype)
    got = tf.nn.softmax_cross_entropy_with_logits(nothing, nothing)
    np.testing.assert_array_equal(got.numpy().astype("float32"), np.zeros(5))


@given(image=images, channels=st.integers(1, 20), seed=seeds)
def test_batch_normalisation(image, channels, seed):
    x = random_array(seed, (*image, channels), "float32")
    mean, variance = tf.nn.moments(tf.constant(x), [0, 1, 2])
    wide = widened(x)
    np.testing.assert_allclose(mean, wide.mean((0, 1, 2)), 1e-4, 1e-5)
    np.testing.assert_allclose(variance, wide.var((0, 1, 2)), 1e-4, 1e-5)
    scale, offset = random_array(seed + 1, (2, channels), "float32", 0.5, 2)
    got = tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-3)
    expected = (wide - wide.mean((0, 1, 2))) / np.sqrt(wide.var((0, 1, 2)) + 1e-3) * scale + offset
    assert_matches(got, expected, "float32", rtol=100, atol=100)


@given(size=st.integers(1, 60), window=st.integers(1, 9), seed=seeds)
def test_one_dimension_agrees_with_correlation(size, window, seed):
    x = random_array(seed, (1, size + window, 1), "float64")
    w = random_array(seed + 1, (window, 1, 1), "float64")
    expected = signal.correlate(x[0, :, 0], w[:, 0, 0], "valid")
    assert_matches(tf.nn.conv1d(x, w, 1, "VALID")[0, :, 0], expected, "float64", 100, 1000)
