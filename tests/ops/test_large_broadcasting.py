"""Broadcasting of arrays that are processed in parts, which begin in the middle of a row."""

import numpy as np
import pytest

import eagerflow as tf

SHAPES = [
    ((200, 1001), (1001,)),
    ((200, 1001), (200, 1)),
    ((71, 503, 3), (503, 1)),
    ((16, 65, 67, 3), (65, 1, 3)),
    ((3, 1, 50_001), (1, 2, 1)),
    ((64, 20, 1), (64, 1, 30)),
    ((64, 1, 8), (1, 64, 8)),
    ((1000, 1), (1, 3)),
    ((9, 1, 30, 1), (9, 5, 1, 7)),
    ((40, 1, 100), (40, 11, 1)),
]
OPERATIONS = {
    "add": (tf.add, np.add),
    "maximum": (tf.maximum, np.maximum),
    "less": (tf.less, np.less),
    "squared difference": (tf.math.squared_difference, lambda a, b: (a - b) ** 2),
    "floor division": (lambda a, b: a // (b + 10), lambda a, b: a // (b + 10)),
    "power": (lambda a, b: tf.pow(a, b + 5), lambda a, b: a ** (b + 5)),
    "choice": (lambda a, b: tf.where(a > b, a, b + 1), lambda a, b: np.where(a > b, a, b + 1)),
    "choice by one": (lambda a, b: tf.where(b > 0, a, 7), lambda a, b: np.where(b > 0, a, 7)),
    "copies": (
        lambda a, b: tf.broadcast_to(b, np.broadcast_shapes(a.shape, b.shape)),
        lambda a, b: np.broadcast_to(b, np.broadcast_shapes(a.shape, b.shape)),
    ),
}


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_as_numpy(shapes, dtype):
    rng = np.random.default_rng(5)
    a, b = (rng.integers(-4, 5, shape).astype(dtype) for shape in shapes)
    for name, (ours, theirs) in OPERATIONS.items():
        for left, right in ((a, b), (b, a)):
            found = ours(tf.constant(left), tf.constant(right))
            np.testing.assert_allclose(found, theirs(left, right), rtol=1e-5, err_msg=name)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "complex128"])
@pytest.mark.parametrize("rows, inner", [(20, 1), (20, 30), (3, 8), (7, 129), (600, 64), (1, 5000)])
def test_chains_of_operands_that_broadcast(dtype, rows, inner):
    """Operations in one pass have the bits of single ones, with several operands expanded."""
    rng = np.random.default_rng(rows)

    def draw(*shape):
        return tf.constant(rng.normal(size=shape).astype(dtype))

    x, each, row, one = draw(33, rows, inner), draw(33, rows, 1), draw(33, 1, inner), draw(rows, 1)

    def chain(x, each, row, one):
        return (x * each + row) * one - each, x * row + one

    def step_by_step(x, each, row, one):
        product = tf.constant((x * each).numpy())
        total = tf.constant((product + row).numpy())
        scaled = tf.constant((total * one).numpy())
        return (scaled - each).numpy(), (tf.constant((x * row).numpy()) + one).numpy()

    singly = step_by_step(x, each, row, one)
    for run in (chain, tf.function(chain)):
        for found, wanted in zip(run(x, each, row, one), singly, strict=True):
            np.testing.assert_array_equal(found, wanted)
    sums = tf.reduce_sum(x * each + row, axis=-1)
    wanted = np.sum(x.numpy() * each.numpy() + row.numpy(), axis=-1)
    tolerance = 2e-2 if dtype == "float16" else 1e-4
    np.testing.assert_allclose(sums, wanted, rtol=tolerance, atol=tolerance * inner**0.5)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_gradients_are_sums_over_what_is_repeated(dtype, shapes):
    rng = np.random.default_rng(3)
    a, b = (tf.constant(rng.normal(size=shape).astype(dtype)) for shape in shapes)
    weights = rng.normal(size=np.broadcast_shapes(*shapes)).astype(dtype)

    def gradients(a, b):
        with tf.GradientTape() as tape:
            tape.watch([a, b])
            total = tf.reduce_sum(a * b * weights)
        return tape.gradient(total, [a, b])

    wide = np.float64
    full_a, full_b = (np.broadcast_to(x.numpy().astype(wide), weights.shape) for x in (a, b))
    for run in (gradients, tf.function(gradients)):
        for found, factor, x in zip(run(a, b), (full_b, full_a), (a, b), strict=True):
            shape = (1,) * (weights.ndim - len(x.shape)) + tuple(x.shape)
            axes = tuple(i for i, size in enumerate(shape) if size != weights.shape[i])
            terms = weights.astype(wide) * factor
            wanted = terms.sum(axis=axes, keepdims=True).reshape(x.shape)
            bound = np.abs(terms).sum(axis=axes, keepdims=True).reshape(x.shape)
            assert (np.abs(found - wanted) <= 20 * np.finfo(dtype).eps * (bound + 1)).all()
