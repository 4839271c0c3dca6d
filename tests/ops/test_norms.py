"""Norms, and values scaled by norms, where squares overflow or vanish."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow._core import ops

tnp = tf.experimental.numpy
ORDINARY = [1.0, 100.0, 0.01]
SIZES = {
    "float16": [100.0, 1e4, 1.2e4, 1e-4],
    "bfloat16": [1e20, 6e37, 1e-20, 1e-36],
    "float32": [1e20, 6e37, 1e-20, 1e-36],
    "float64": [1e160, 1e200, 3e307, 1e-200, 1e-300],
}
CASES = [(dtype, size) for dtype, sizes in SIZES.items() for size in [*ORDINARY, *sizes]]
RTOL = {"float16": 4e-3, "bfloat16": 2e-2, "float32": 1e-6, "float64": 1e-13}
UNIT = np.array([0.6, -0.8])
# The derivative of the direction of [3, -4] by its elements, times the norm.
TURNS = np.eye(2) - np.outer(UNIT, UNIT)
crossed = pytest.mark.parametrize(("dtype", "size"), CASES)
modes = pytest.mark.parametrize("mode", ["eager", "function"])


def vector(dtype, size):
    return tf.constant(np.array([3.0, -4.0]) * size, dtype)


def called(mode, function, *args):
    return tf.function(function)(*args) if mode == "function" else function(*args)


def double(value):
    return tf.cast(value, tf.float64).numpy()


def value_and_gradient(mode, function, x, weights=None):
    def both(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return y, tape.gradient(y, x, None if weights is None else tf.constant(weights, x.dtype))

    return map(double, called(mode, both, x))


NORMS = {
    "norm": tf.norm,
    "norm along an axis": lambda x: tf.norm(x, axis=-1),
    "norm of a matrix": lambda x: tf.norm(x[None], "fro", axis=(0, 1)),
    "norm 2": lambda x: tf.norm(x, 2, axis=0, keepdims=True),
    "reduce_euclidean_norm": tf.math.reduce_euclidean_norm,
    "global_norm": lambda x: tf.linalg.global_norm([x[:1], x[1:]]),
    "hypot": lambda x: tnp.hypot(x[0], x[1]),
    "keras norm": tf.keras.ops.norm,
    "std": lambda x: tf.math.reduce_std(tf.stack([x[0] * 0.5, x[0] * -0.5, x[1], -x[1]])),
}


@modes
@pytest.mark.parametrize("name", NORMS)
@crossed
def test_norms_and_their_gradients(dtype, size, name, mode):
    norm, slope = value_and_gradient(mode, NORMS[name], vector(dtype, size))
    if name == "std":
        expected = np.sqrt(0.5 * 1.5**2 + 0.5 * 4**2)
        by_x = np.array([0.5 * 0.5 * 1.5, 0.5 * -4 * 1.0]) / expected
    else:
        expected, by_x = 5.0, UNIT
    np.testing.assert_allclose(norm, expected * size, rtol=RTOL[dtype])
    np.testing.assert_allclose(slope, by_x, rtol=2 * RTOL[dtype])


UNITS = {
    "l2_normalize": lambda x: tf.math.l2_normalize(x, epsilon=0.0),
    "normalize": lambda x: tf.linalg.normalize(x)[0],
    "keras.ops.normalize": lambda x: tf.keras.ops.normalize(x, epsilon=0.0),
}


@modes
@pytest.mark.parametrize("name", UNITS)
@crossed
def test_units_and_their_gradients(dtype, size, name, mode):
    unit, slope = value_and_gradient(mode, UNITS[name], vector(dtype, size), [1.0, 0.0])
    np.testing.assert_allclose(unit, UNIT, rtol=RTOL[dtype])
    expected = TURNS[0] / (5.0 * size)
    if 1e-300 < np.min(np.abs(expected)) and np.max(np.abs(expected)) < np.finfo("f4").max:
        tiny = float(np.finfo(np.float16).tiny) if dtype == "float16" else 1e-37
        if dtype == "float64" or np.min(np.abs(expected)) > tiny:
            np.testing.assert_allclose(slope, expected, rtol=6 * RTOL[dtype])
    assert np.isfinite(slope).all() or np.max(np.abs(expected)) > float(tf.as_dtype(dtype).max)


def test_l2_normalize_divides_by_the_root_of_epsilon_where_norms_are_smaller():
    for dtype, sizes in SIZES.items():
        for size in sizes:
            found = double(tf.math.l2_normalize(vector(dtype, size)))
            expected = UNIT * min(1.0, 5 * size / 1e-6)
            np.testing.assert_allclose(found, expected, rtol=RTOL[dtype], err_msg=f"{dtype} {size}")
    zeros = tf.math.l2_normalize(tf.zeros([3], tf.float16))
    assert zeros.numpy().tolist() == [0, 0, 0]


CLIPS = {
    "clip_by_norm": lambda x, limit: tf.clip_by_norm(x, limit),
    "along an axis": lambda x, limit: tf.clip_by_norm(x[None], limit, axes=[1])[0],
    "clip_by_global_norm": lambda x, limit: tf.clip_by_global_norm([x], limit)[0][0],
    "several": lambda x, limit: tf.concat(tf.clip_by_global_norm([x[:1], x[1:]], limit)[0], 0),
    "slices": lambda x, limit: tf.clip_by_norm(tf.IndexedSlices(x, [0, 1]), limit).values,
}


@modes
@pytest.mark.parametrize("name", CLIPS)
@crossed
def test_clipping(dtype, size, name, mode):
    x = vector(dtype, size)
    limit = tf.constant(2.0 if size >= 1 else size, dtype)
    clipped, slope = value_and_gradient(mode, lambda x: CLIPS[name](x, limit), x, [1.0, 0.0])
    limit = double(limit)
    np.testing.assert_allclose(clipped, UNIT * limit, rtol=2 * RTOL[dtype])
    expected = TURNS[0] * limit / (5 * size)
    close = np.abs(slope - expected) <= 6 * RTOL[dtype] * np.abs(expected) + 1e-37
    assert close.all() or dtype == "float16", (slope, expected)
    assert np.isfinite(slope).all()
    large = tf.constant(np.minimum(1e3 * size, float(tf.as_dtype(dtype).max)), dtype)
    if double(large) > 5 * size:
        unchanged, slope = value_and_gradient(mode, lambda x: CLIPS[name](x, large), x, [1.0, 0.0])
        np.testing.assert_allclose(unchanged, double(x), rtol=RTOL[dtype])
        np.testing.assert_allclose(slope, [1.0, 0.0], rtol=RTOL[dtype], atol=1e-30)


@modes
@pytest.mark.parametrize("option", ["clipnorm", "global_clipnorm"])
@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.parametrize(("dtype", "size"), [c for c in CASES if c[0] in ("float32", "float64")])
def test_optimizers_clip(dtype, size, legacy, option, mode):
    optimizers = tf.keras.optimizers.legacy if legacy else tf.keras.optimizers
    optimizer = optimizers.SGD(1.0, **{option: size})
    variable = tf.Variable(tf.zeros([2], dtype))

    def step(gradient):
        optimizer.apply_gradients([(gradient, variable)])

    called(mode, step, vector(dtype, size))
    np.testing.assert_allclose(variable.numpy(), -UNIT * size, rtol=4e-6)


CONSTRAINTS = {
    "MaxNorm": lambda: tf.keras.constraints.MaxNorm(0.5),
    "UnitNorm": lambda: tf.keras.constraints.UnitNorm(),
    "MinMaxNorm": lambda: tf.keras.constraints.MinMaxNorm(0.25, 0.5),
    "MinMaxNorm in part": lambda: tf.keras.constraints.MinMaxNorm(0.25, 0.5, rate=0.75),
}


@modes
@pytest.mark.parametrize("name", CONSTRAINTS)
@crossed
def test_constraints(dtype, size, name, mode):
    found = double(called(mode, CONSTRAINTS[name](), vector(dtype, size)))
    norm = 5.0 * size
    limits = {"MaxNorm": (0, 0.5), "UnitNorm": (1, 1)}
    least, most = limits.get(name, (0.25, 0.5))
    desired = np.clip(norm, least, most)
    if name.endswith("part"):
        desired = 0.75 * desired + 0.25 * norm
    epsilon = double(tf.constant(1e-7, dtype))
    np.testing.assert_allclose(
        found, UNIT * norm * (desired / (epsilon + norm)), rtol=2 * RTOL[dtype], atol=1e-37
    )


@modes
@crossed
def test_cosines(dtype, size, mode):
    x = vector(dtype, size)
    if size < 1e-5:
        return  # below the root of epsilon, vectors count as shorter
    loss = called(mode, lambda x: tf.keras.losses.cosine_similarity(x[None], x[None]), x)
    np.testing.assert_allclose(double(loss), [-1], rtol=2 * RTOL[dtype])
    layer = tf.keras.layers.UnitNormalization(axis=-1, dtype=dtype)
    np.testing.assert_allclose(double(called(mode, layer, x[None])), [UNIT], rtol=2 * RTOL[dtype])
    dot = tf.keras.layers.Dot(1, normalize=True, dtype=dtype)
    np.testing.assert_allclose(double(dot([x[None], x[None]])), [[1]], rtol=2 * RTOL[dtype])
    if dtype in ("float32", "float64"):
        metric = tf.keras.metrics.CosineSimilarity(dtype=dtype)
        metric.update_state(x[None], x[None])
        np.testing.assert_allclose(metric.result(), 1, rtol=1e-6)


@pytest.mark.parametrize("dtype", SIZES)
def test_infinities_and_nan_are_kept(dtype):
    inf, nan = float("inf"), float("nan")
    rows = tf.constant([[inf, 1.0], [-inf, inf], [nan, 1.0], [nan, inf], [0.0, 0.0]], dtype)
    found = double(tf.norm(rows, axis=1))
    np.testing.assert_array_equal(found[:3], [inf, inf, nan])
    assert not np.isfinite(found[3]) and found[4] == 0
    found = double(ops.hypot(rows[:, 0], rows[:, 1]))
    np.testing.assert_array_equal(found, [inf, inf, nan, inf, 0])
    assert np.isnan(double(tf.clip_by_global_norm([rows[0]], 1.0)[0][0])).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("axis", [None, [0], [1], [0, 2], [-1]])
@pytest.mark.parametrize("keepdims", [False, True])
def test_slices_of_all_sizes(dtype, axis, keepdims):
    sizes = [1.0, 1e-30, 1e25] if dtype == "float32" else [1.0, 1e-250, 1e250]
    x = np.random.default_rng(0).normal(size=(3, 4, 5)) * np.reshape(sizes, (3, 1, 1))
    largest = np.max(np.abs(x), axis=None if axis is None else tuple(axis), keepdims=True)
    expected = (
        largest
        * np.linalg.norm(
            (x / largest).transpose(0, 1, 2).astype(np.float64).reshape(x.shape), axis=None
        )
        if axis is None
        else largest * np.sqrt(np.sum((x / largest) ** 2, tuple(axis), keepdims=True))
    )
    found = tf.norm(tf.constant(x, dtype), axis=axis[0] if axis and len(axis) == 1 else axis,
                    keepdims=True)  # fmt: skip
    np.testing.assert_allclose(found, np.reshape(expected, found.shape), rtol=2e-6)
    again = tf.math.reduce_euclidean_norm(tf.constant(x, dtype), axis, keepdims)
    np.testing.assert_allclose(np.ravel(again), np.ravel(expected), rtol=2e-6)


@pytest.mark.parametrize("dtype", SIZES)
@pytest.mark.parametrize("axis", [0, 1, 2, [0, 2], [1, 2]])
def test_few_norms_that_are_rescaled_leave_others_as_they_are(dtype, axis):
    x = np.random.default_rng(2).normal(size=(30, 17, 20))
    ordinary = double(tf.norm(tf.constant(x, dtype), axis=axis, keepdims=True))
    limit = float(tf.as_dtype(dtype).max)
    extremes = double(tf.constant([0.0, 1e-30, limit / 100], dtype))
    which = np.zeros(ordinary.shape, int)
    which.flat[[3, 5, 11]] = 1, 2, 3
    x = np.where(which == 0, x, np.append(0.0, extremes)[which])
    expected = extremes * np.sqrt(x.size / ordinary.size)
    expected[expected > limit] = np.inf
    found = double(tf.norm(tf.constant(x, dtype), axis=axis, keepdims=True))
    np.testing.assert_allclose(found.flat[[3, 5, 11]], expected, rtol=4 * RTOL[dtype])
    np.testing.assert_array_equal(found[which == 0], ordinary[which == 0])


@pytest.mark.parametrize("count", [10, 300])
def test_distances_of_points_from_themselves(count):
    """The differences may be deferred, and threads share the norms that need them."""
    points = tf.constant(np.random.default_rng(3).normal(size=(count, 16)), "float32")
    found = tf.norm(points[:, None] - points[None], axis=-1)
    differences = double(points)[:, None] - double(points)[None]
    np.testing.assert_allclose(found, np.linalg.norm(differences, axis=-1), rtol=1e-5)


@pytest.mark.parametrize("order", [1.5, 2.5, 3, 7])
@pytest.mark.parametrize(("dtype", "size"), [c for c in CASES if c[1] < 3e307])
def test_other_orders(dtype, size, order):
    expected = size * (3.0**order + 4.0**order) ** (1 / order)
    if expected > float(tf.as_dtype(dtype).max):
        expected = np.inf
    found = double(tf.norm(vector(dtype, size), order))
    np.testing.assert_allclose(found, expected, rtol=4 * RTOL[dtype])


def test_ordinary_norms_have_the_bits_of_roots_of_sums():
    for dtype in ("float32", "float64"):
        x = tf.constant(np.random.default_rng(1).normal(size=(50, 30)), dtype)
        expected = tf.sqrt(tf.reduce_sum(tf.square(x), 1, keepdims=True))
        np.testing.assert_array_equal(tf.norm(x, axis=1, keepdims=True), expected)
        np.testing.assert_array_equal(
            tf.math.l2_normalize(x, 1), x * tf.math.rsqrt(tf.reduce_sum(x * x, 1, keepdims=True))
        )
        np.testing.assert_array_equal(tf.norm(x), tf.sqrt(tf.nn.l2_loss(x) * 2.0))


@pytest.mark.parametrize(
    ("total", "axis"),
    [
        (np.zeros(2), []),
        (np.zeros(2), None),
        (np.zeros([]), [0]),
        (np.zeros(3), [1]),
        (np.zeros(2, np.float32), [1]),
    ],
)
def test_sums_of_squares_belong_to_the_tensors(total, axis):
    """Other sums were read, or written, past their ends."""
    x = tf.constant(np.arange(6.0).reshape([2, 3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[Op:ScaledNorm\]"):
        tf._core.ops.scaled_norm(tf.constant(total), [x], axis)
