"""Quantiles, functions that ignore NaN, modes, histograms and distinct elements, beside NumPy."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import eagerflow as tf

NAN = float("nan")
METHODS = [
    "linear",
    "lower",
    "higher",
    "midpoint",
    "nearest",
    "inverted_cdf",
    "interpolated_inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "hazen",
    "weibull",
    "median_unbiased",
    "normal_unbiased",
]
REDUCTIONS = ["median", "nanmedian", "nansum", "nanmean", "nanvar", "nanstd", "nanmax", "nanmin"]
TABLE = np.array([[1.0, NAN, 3.0, 3.0], [NAN, NAN, NAN, NAN], [7.0, 5.0, NAN, -2.0]])


def close(found, expected, rtol=1e-9):
    expected = np.asarray(expected)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found.numpy(), expected, rtol=rtol, atol=1e-12)


def quiet(function, *args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args, **kwargs)


arrays = hnp.arrays(
    np.float64,
    hnp.array_shapes(max_dims=3, max_side=5),
    elements=st.one_of(st.integers(-3, 3).map(float), st.just(NAN)),
)


@st.composite
def reduced(draw):
    x = draw(arrays)
    axes = st.sets(st.integers(0, x.ndim - 1), min_size=1).map(tuple)
    return (
        x,
        draw(st.one_of(st.none(), st.integers(-x.ndim, x.ndim - 1), axes)),
        draw(st.booleans()),
    )


@given(reduced(), st.sampled_from(REDUCTIONS))
def test_reductions(case, name):
    x, axis, keepdims = case
    expected = quiet(getattr(np, name), x, axis=axis, keepdims=keepdims)
    close(getattr(tf.math, name)(x, axis, keepdims), expected)


@given(reduced(), st.sampled_from(METHODS), st.lists(st.integers(0, 8), max_size=3), st.booleans())
def test_quantiles(case, method, shares, without_nan):
    x, axis, keepdims = case
    q = np.array(shares) / 8 if shares else 0.375
    name = "nanquantile" if without_nan else "quantile"
    expected = quiet(getattr(np, name), x, q, axis, method=method, keepdims=keepdims)
    close(getattr(tf.math, name)(x, q, axis, method, keepdims), expected)
    percent = name.replace("quantile", "percentile")
    close(getattr(tf.math, percent)(x, q * 100, axis, method, keepdims), expected)


def test_what_quantiles_return():
    assert tf.math.median([1, 2]).dtype == tf.float64
    assert tf.math.median(tf.constant([1.0, 2.0], tf.bfloat16)).dtype == tf.bfloat16
    close(tf.math.median(np.zeros([0, 2]), 0), [NAN, NAN])
    close(tf.math.quantile([1.0, np.inf, np.inf], 0.75), np.inf)
    close(tf.math.quantile(np.arange(2.0**25 + 1), 1 - 2.0**-25), 2.0**25 - 1)
    for wrong in (-0.1, 1.5, NAN):
        with pytest.raises(ValueError, match="Shares"):
            tf.math.quantile([1.0], wrong)
    with pytest.raises(ValueError, match="Shares"):
        tf.math.percentile([1.0], 101)
    with pytest.raises(ValueError, match="method"):
        tf.math.quantile([1.0], 0.5, method="cubic")


@given(arrays, st.data())
def test_modes(x, data):
    x = np.nan_to_num(x)
    axis = data.draw(st.one_of(st.none(), st.integers(-x.ndim, x.ndim - 1)))
    keepdims = data.draw(st.booleans())
    rows = x.reshape(-1) if axis is None else np.moveaxis(x, axis, -1)

    def most(row):
        values, counts = np.unique(row, return_counts=True)
        return values[counts.argmax()], counts.max()

    found = tf.math.mode(x, axis, keepdims)
    values, counts = (np.apply_along_axis(lambda row, k=k: most(row)[k], -1, rows) for k in (0, 1))
    if keepdims:
        values, counts = (
            v.reshape([1] * x.ndim) if axis is None else np.expand_dims(v, axis)
            for v in (values, counts)
        )
    close(found.mode, values)
    close(found.count, counts)
    assert found.count.dtype == tf.int64


def test_modes_of_nan():
    found = tf.math.mode([NAN, NAN, 2.0])
    assert found.mode.numpy() == 2.0 and found.count.numpy() == 1


@given(arrays, st.data())
def test_histograms(x, data):
    x = x[~np.isnan(x)]
    bins = data.draw(st.one_of(st.integers(1, 6), st.just([-2.0, 0.0, 0.5, 3.0])))
    limits = data.draw(st.sampled_from([None, (-2.0, 2.0), (0.0, 0.0)]))
    weights = data.draw(st.sampled_from([None, np.linspace(0, 1, len(x))]))
    density = data.draw(st.booleans())
    expected, edges = quiet(np.histogram, x, bins, limits, density=density, weights=weights)
    counts, found = tf.math.histogram(x, bins, limits, density, weights)
    close(found, edges)
    close(counts, expected)
    assert density or counts.dtype == (tf.int64 if weights is None else tf.float64)


def test_histograms_of_other_values():
    counts, edges = tf.math.histogram([1, 2, 2])
    expected = np.histogram([1, 2, 2])
    close(counts, expected[0])
    close(edges, expected[1])
    close(tf.math.histogram([1.0, NAN, 3.0], 2, (0.0, 4.0))[0], [1, 1])
    assert tf.math.histogram(tf.constant([1.0]))[1].dtype == tf.float32
    close(tf.math.histogram(np.array([0.1, 0.2]), [0.1, 0.2, 0.3])[0], [1, 1])
    close(tf.math.nanvar([1.0, np.inf]), NAN)
    with pytest.raises(ValueError, match="ascend"):
        tf.math.histogram([1.0], [2.0, 1.0])
    with pytest.raises(ValueError, match="positive"):
        tf.math.histogram([1.0], 0)
    with pytest.raises(ValueError, match="ascending"):
        tf.math.histogram([1.0], 3, (2.0, 1.0))


@given(arrays, st.data())
def test_unique(x, data):
    axis = data.draw(st.one_of(st.none(), st.integers(-x.ndim, x.ndim - 1)))
    if axis is not None:
        x = np.nan_to_num(x)
    x = x.astype(data.draw(st.sampled_from(["float64", "float32"])))
    expected = np.unique(x, True, True, True, axis)
    found = tf.math.unique(x, True, True, True, axis)
    close(found[0], expected[0])
    close(found[1], expected[1])
    close(found[2], expected[2].reshape(-1) if axis is not None else expected[2])
    close(found[3], expected[3])
    close(tf.math.unique(x, axis=axis), expected[0])


def test_unique_of_other_values():
    close(tf.math.unique([True, False, True]), [False, True])
    assert tf.math.unique([[True], [True]], axis=0).numpy().tolist() == [[True]]
    found = tf.math.unique(tf.zeros([0], tf.int32), True, True, True)
    assert [part.shape.as_list() for part in found] == [[0]] * 4
    close(tf.math.unique(np.zeros([2, 0]), axis=0), np.zeros([1, 0]))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.math.unique(["a", "b"])


GRAPHS = {
    "unknown sizes": {"input_signature": [tf.TensorSpec([None, None], tf.float64)]},
    "xla": {"jit_compile": True},
}


@pytest.mark.parametrize("options", GRAPHS.values(), ids=GRAPHS)
def test_graphs(options):
    def everything(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.math.nanquantile(x, 0.3) + tf.math.nanvar(x)
        whole = tf.where(tf.math.is_nan(x), 0.0, x)
        return (
            [getattr(tf.math, name)(x, 1) for name in REDUCTIONS],
            tf.math.quantile(whole, [0.2, 0.7], 0, "hazen"),
            tf.math.mode(whole, 1),
            tf.math.histogram(whole, 3),
            tape.gradient(loss, x),
        )

    def distinct(x):  # its shape depends on values, so that programs of XLA cannot compute it
        slices = tf.ensure_shape(tf.where(tf.math.is_nan(x), 0.0, x), [None, 4])
        return tf.math.unique(x, True, True, True), tf.math.unique(slices, True, True, True, 0)

    functions = [everything] if "jit_compile" in options else [everything, distinct]

    for x in (TABLE, TABLE[:2]):
        for function in functions:
            found = tf.function(function, **options)(tf.constant(x))
            expected = function(tf.constant(x))
            for a, b in zip(tf.nest.flatten(found), tf.nest.flatten(expected), strict=True):
                close(a, b, rtol=1e-6)


def test_unknown_rank():
    @tf.function(input_signature=[tf.TensorSpec(None, tf.float64)])
    def of_all(x):
        return tf.math.median(x), tf.math.unique(x, return_counts=True)

    middle, (values, counts) = of_all(np.array([[1.0, 3.0], [3.0, 9.0]]))
    close(middle, 3.0)
    close(values, [1.0, 3.0, 9.0])
    close(counts, [1, 2, 1])


@pytest.mark.parametrize("shape", [[0], [0, 2]])
def test_nothing_in_graphs(shape):
    def of_nothing(x):
        first, edges = tf.math.quantile(x, [0.5, 1.0], 0), tf.math.histogram(x, 3)
        return first, tf.math.nanmedian(x), edges

    signature = [tf.TensorSpec([None] * len(shape))]
    found = tf.function(of_nothing, input_signature=signature)(tf.zeros(shape))
    for a, b in zip(
        tf.nest.flatten(found), tf.nest.flatten(of_nothing(tf.zeros(shape))), strict=True
    ):
        close(a, b)
    close(found[0], np.full([2, *shape[1:]], NAN))
    close(found[2][1], np.histogram([], 3)[1], rtol=1e-6)


@pytest.mark.parametrize("axis", [2, -3, (0, 2)])
def test_axes_out_of_range(axis):
    with pytest.raises(ValueError, match="out of bounds for an array of rank 2"):
        tf.math.median(tf.zeros([2, 3]), axis)
    if isinstance(axis, int):
        with pytest.raises(ValueError, match="out of bounds"):
            tf.math.unique(tf.zeros([2, 3]), axis=axis)


def test_gradients():
    x = tf.constant([3.0, 1.0, NAN, 7.0])
    expected = {
        "nanmedian": [1.0, 0.0, 0.0, 0.0],
        "nansum": [1.0, 1.0, 0.0, 1.0],
        "nanmean": [1 / 3, 1 / 3, 0.0, 1 / 3],
        "nanmax": [0.0, 0.0, 0.0, 1.0],
        "nanmin": [0.0, 1.0, 0.0, 0.0],
        "nanvar": [2 / 3 * (3 - 11 / 3), 2 / 3 * (1 - 11 / 3), 0.0, 2 / 3 * (7 - 11 / 3)],
    }
    for name, gradient in expected.items():
        np.testing.assert_allclose(tf.func.grad(getattr(tf.math, name))(x), gradient, rtol=1e-5)
    close(
        tf.func.grad(lambda x: tf.math.quantile(x, 0.25))(tf.constant([1.0, 2.0, 5.0])),
        [0.5, 0.5, 0.0],
    )
    close(
        tf.func.grad(lambda x: tf.math.mode(x).mode)(tf.constant([1.0, 2.0, 5.0])), [1.0, 0.0, 0.0]
    )
    close(
        tf.func.grad(lambda w: tf.math.histogram([1.0, 2.0, 2.5], 2, weights=w)[0][1])(
            tf.ones([3])
        ),
        [0.0, 1.0, 1.0],
    )
    close(
        tf.func.grad(lambda x: tf.reduce_sum(tf.math.unique(x)))(tf.constant([1.0, 2.0, 1.0])),
        [1.0, 1.0, 0.0],
    )
