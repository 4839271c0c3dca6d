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
    """The images with the borders that SAME asks for."""
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
