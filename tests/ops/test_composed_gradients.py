"""Gradients of public functions that are written with several operations of the table."""

import numpy as np
import pytest

import eagerflow as tf
from gradient_check import Case, check_first, check_second, spread, spread_complex

X = spread((2, 3))
CUBE = spread((2, 3, 2))
IMAGE = spread((1, 4, 4, 2))
POSITIVE = spread((2, 3), 0.3, 2)
IDS = tf.constant([0, 0, 2])
PROBABILITIES = np.array([[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]])


def squares(x):
    return tf.map_fn(lambda row: row * row, x)


CASES = [
    Case("add_n", lambda a, b: tf.add_n([a, b, a]), [X, spread((2, 3), seed=1)]),
    Case("arithmetic", lambda a, b: (2 * a - b / 3) ** 2 / (1 + b * b), [X, spread(3, seed=1)]),
    Case("avg_pool1d", lambda x: tf.nn.avg_pool1d(x, 2, 1, "SAME"), [spread((1, 4, 2))]),
    Case("batch_normalization",
         lambda x, m, v, o, s: tf.nn.batch_normalization(x, m, v, o, s, 1e-3),
         [spread((3, 2)), spread(2), spread(2, 0.5, 2), spread(2, seed=1), spread(2, seed=2)]),
    Case("batch statistics", lambda x: tf.nn.batch_normalization(
        x, *tf.nn.moments(x, [0, 1, 2]), None, None, 1e-3), [IMAGE]),
    Case("boolean_mask", lambda x: tf.boolean_mask(x, [True, False, True], axis=1), [X]),
    Case("clip_by_global_norm", lambda a, b: tf.clip_by_global_norm([a, b], 1.0)[0],
         [X, spread(2)]),
    Case("clip_by_norm", lambda x: tf.clip_by_norm(x, 1.0, axes=[1]), [X]),
    Case("clip_by_norm unchanged", lambda x: tf.clip_by_norm(x, 100.0), [X]),
    Case("conv1d", lambda x, f: tf.nn.conv1d(x, f, 2, "SAME"),
         [spread((1, 5, 2)), spread((2, 2, 2), seed=1)]),
    Case("conv2d_transpose",
         lambda x, f: tf.nn.conv2d_transpose(x, f, [1, 4, 4, 1], [2, 2], "SAME"),
         [spread((1, 2, 2, 2)), spread((3, 3, 1, 2), seed=1)]),
    Case("convolution", lambda x, f: tf.nn.convolution(x, f, padding="SAME", dilations=2),
         [spread((1, 4, 4, 1)), spread((2, 2, 1, 2), seed=1)]),
    Case("crelu", lambda x: tf.nn.crelu(x), [X]),
    Case("cross", tf.linalg.cross, [X, spread((2, 3), seed=1)]),
    Case("cumulative_logsumexp", lambda x: tf.math.cumulative_logsumexp(x, axis=1), [X]),
    Case("depth_to_space", lambda x: tf.nn.depth_to_space(x, 2), [spread((1, 2, 1, 4))]),
    Case("dynamic_partition", lambda x: tf.dynamic_partition(x, [1, 0, 1], 2), [spread((3, 2))]),
    Case("dynamic_stitch", lambda a, b: tf.dynamic_stitch([[0, 2], [1]], [a, b]),
         [spread((2, 2)), spread((1, 2), seed=1)]),
    Case("einsum", lambda a, b: tf.einsum("bij,bjk->ik", a, b),
         [CUBE, spread((2, 2, 3), seed=1)]),
    Case("einsum complex", lambda a, b: tf.einsum("ij,j->i", a, b),
         [spread_complex((2, 2)), spread_complex(2, seed=3)]),
    Case("einsum diagonal", lambda a: tf.einsum("ii->i", a), [spread((3, 3))]),
    Case("embedding_lookup", lambda x: tf.nn.embedding_lookup(x, [[2, 0], [2, 1]]),
         [spread((3, 2))]),
    Case("erfcinv", tf.math.erfcinv, [spread((2, 2), 0.4, 1.6)]),
    Case("global_norm", lambda a, b: tf.linalg.global_norm([a, b]), [X, spread(2)]),
    Case("index array", lambda x: x[:, None, ::-2], [X]),
    Case("index element", lambda x: x[1, -1], [X]),
    Case("index ellipsis", lambda x: x[..., 1:], [CUBE]),
    Case("index tensor", lambda x: x[tf.constant(1):], [X]),
    Case("l2_normalize", lambda x: tf.math.l2_normalize(x, axis=1), [X]),
    Case("lbeta", tf.math.lbeta, [POSITIVE]),
    Case("log_poisson_loss",
         lambda t, x: tf.nn.log_poisson_loss(t, x, compute_full_loss=True),
         [spread((2, 3), 1.3, 4), X]),
    Case("log_sigmoid", tf.math.log_sigmoid, [spread((2, 3), -9, 9)]),
    Case("log_softmax axis 0", lambda x: tf.nn.log_softmax(x, axis=0), [X]),
    Case("loop", lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x),
                                         (tf.constant(0), x))[1], [X]),
    Case("map_fn", squares, [X]),
    Case("matvec", tf.linalg.matvec, [spread((2, 2, 3)), spread(3, seed=1)]),
    Case("max_pool2d", lambda x: tf.nn.max_pool2d(x, 2, 2, "SAME"), [spread((1, 3, 5, 2))]),
    Case("meshgrid", lambda a, b: tf.meshgrid(a, b), [spread(2), spread(3, seed=1)]),
    Case("moments", lambda x: tf.nn.moments(x, [0], keepdims=True), [X]),
    Case("ndtri", tf.math.ndtri, [spread((2, 2), 0.2, 0.8)]),
    Case("norm", tf.norm, [X]),
    Case("norm 1", lambda x: tf.norm(x, ord=1, axis=1), [X]),
    Case("norm 3", lambda x: tf.norm(x, ord=3, axis=1), [X]),
    Case("norm inf", lambda x: tf.norm(x, ord=np.inf, axis=1), [X]),
    Case("normalize", lambda x: tf.linalg.normalize(x, axis=1), [X]),
    Case("polyval", lambda a, x: tf.math.polyval([a, 2 * a, a], x), [spread(()), spread(3)]),
    Case("reciprocal_no_nan", tf.math.reciprocal_no_nan, [POSITIVE]),
    Case("reduce_euclidean_norm", lambda x: tf.math.reduce_euclidean_norm(x, axis=1), [X]),
    Case("reduce_logsumexp", lambda x: tf.reduce_logsumexp(x, axis=[0, 2]), [CUBE]),
    Case("reduce_logsumexp all", tf.reduce_logsumexp, [X]),
    Case("reduce_std", lambda x: tf.math.reduce_std(x, axis=0), [X]),
    Case("reduce_variance", lambda x: tf.math.reduce_variance(x, keepdims=True), [X]),
    Case("repeat", lambda x: tf.repeat(x, [2, 0, 1], axis=1), [X]),
    Case("reverse_sequence", lambda x: tf.reverse_sequence(x, [2, 3], seq_axis=1), [X]),
    Case("roll", lambda x: tf.roll(x, shift=[1, -2], axis=[0, 1]), [X]),
    Case("segment_max", lambda x: tf.math.segment_max(x, IDS), [spread((3, 2))]),
    Case("segment_mean", lambda x: tf.math.segment_mean(x, IDS), [spread((3, 2))]),
    Case("segment_min", lambda x: tf.math.segment_min(x, IDS), [spread((3, 2))]),
    Case("segment_sum", lambda x: tf.math.segment_sum(x, IDS), [spread((3, 2))]),
    Case("separable_conv2d",
         lambda x, d, p: tf.nn.separable_conv2d(x, d, p, [1, 1, 1, 1], "VALID"),
         [spread((1, 3, 3, 2)), spread((2, 2, 2, 1)), spread((1, 1, 2, 2), seed=1)]),
    Case("set_diag", lambda a, d: tf.linalg.set_diag(a, d), [spread((2, 3, 3)), CUBE[..., 0]]),
    Case("sigmoid_cross_entropy_with_logits",
         lambda z, x: tf.nn.sigmoid_cross_entropy_with_logits(labels=z, logits=x),
         [PROBABILITIES, X]),
    Case("silu", lambda x: tf.nn.silu(x, beta=1.5), [spread((2, 3), -5, 5)]),
    Case("softmax axis 0", lambda x: tf.nn.softmax(x, axis=0), [CUBE]),
    Case("softmax_cross_entropy_with_logits",
         lambda x: tf.nn.softmax_cross_entropy_with_logits(PROBABILITIES, x), [X]),
    Case("softmax_cross_entropy_with_logits axis 0",
         lambda x: tf.nn.softmax_cross_entropy_with_logits(PROBABILITIES.T, x, axis=0), [X.T]),
    Case("space_to_depth", lambda x: tf.nn.space_to_depth(x, 2), [spread((1, 2, 4, 1))]),
    Case("sparse_softmax_cross_entropy_with_logits",
         lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits([[1, 0, 1], [0, 1, 1]], x),
         [CUBE]),
    Case("split", lambda x: tf.split(x, 3, axis=1), [X]),
    Case("tensor_diag_part", tf.linalg.tensor_diag_part, [spread((2, 2, 2, 2))]),
    Case("tensordot", lambda a, b: tf.tensordot(a, b, [[1], [0]]), [X, spread((3, 2), seed=1)]),
    Case("trace", tf.linalg.trace, [spread((2, 3, 3))]),
    Case("unsorted_segment_max", lambda x: tf.math.unsorted_segment_max(x, [1, 0, 0], 2),
         [spread((3, 2))]),
    Case("unsorted_segment_mean", lambda x: tf.math.unsorted_segment_mean(x, IDS, 3),
         [spread((3, 2))]),
    Case("unsorted_segment_min", lambda x: tf.math.unsorted_segment_min(x, [1, 0, 0], 2),
         [spread((3, 2))]),
    Case("unsorted_segment_sqrt_n", lambda x: tf.math.unsorted_segment_sqrt_n(x, IDS, 3),
         [spread((3, 2))]),
    Case("weighted_cross_entropy_with_logits",
         lambda z, x: tf.nn.weighted_cross_entropy_with_logits(z, x, 2.0), [PROBABILITIES, X]),
    Case("weighted_moments", lambda x, w: tf.nn.weighted_moments(x, [0], w),
         [X, spread((2, 3), 0.5, 2)]),
    Case("where", lambda x, y: tf.where(x > 0, x * y, y), [X, spread(3, seed=1)]),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=str)
def test_first_order(case):
    check_first(case)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_second_order(case):
    check_second(case)


@pytest.mark.parametrize("rate", [0.3, 0.9])
def test_dropout_scales_what_it_keeps(rate):
    x = tf.constant(spread((40, 5)))
    tf.random.set_seed(3)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.dropout(x, rate)
    kept = y.numpy() != 0
    assert kept.any() and not kept.all()
    expected = np.where(kept, 1 / (1 - rate), 0)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), expected, rtol=1e-12)
