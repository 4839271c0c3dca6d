"""Elementwise operations of a traced function are fused; nothing else about them changes."""

import numpy as np
import pytest

import eagerflow as tf
from tests.function.traced import traced
from tests.fusing import fused_by, fusing, fusions_of

SIZES = (1, 7, 1000, 300_000)


def vector(dtype="float32"):
    return tf.TensorSpec([None], dtype)


def sample(size, seed):
    return tf.constant(np.random.default_rng(seed).standard_normal(size, dtype=np.float32))


def curve(a, b, c):
    return tf.tanh(a * b + c) * a - tf.where(b > 0.5, tf.exp(-b), tf.abs(c) / 2.0)


def test_results_are_those_of_eager_execution():
    f = traced(curve, vector(), vector(), vector())
    for size in SIZES:
        arguments = [sample(size, seed) for seed in range(3)]
        assert f(*arguments).numpy().tobytes() == curve(*arguments).numpy().tobytes()


def test_sizes_of_one_are_broadcast_when_they_come():
    f = traced(curve, vector(), vector(), vector())
    long, short = sample(50, 0), sample(1, 1)
    for arguments in ((long, short, short), (short, short, long), (short, long, short)):
        assert f(*arguments).numpy().tobytes() == curve(*arguments).numpy().tobytes()


def test_an_error_names_the_operation_that_fails():
    f = traced(lambda a, b, c: tf.exp(a + b) * c, vector(), vector(), vector())
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[3\] vs. \[2\].*Mul"):
        f(sample(3, 0), sample(3, 1), sample(2, 2))


def test_gradients_outside_and_inside():
    arguments = [sample(20, seed) for seed in range(3)]
    f = traced(curve, vector(), vector(), vector())

    def slopes(function):
        with tf.GradientTape() as tape:
            tape.watch(arguments)
            result = function(*arguments)
        return tape.gradient(result, arguments)

    def inside(*args):
        with tf.GradientTape() as tape:
            tape.watch(args)
            result = curve(*args)
        return tape.gradient(result, args)

    g = traced(inside, *[tf.TensorSpec([20])] * 3)
    expected = slopes(curve)
    for got in (slopes(f), g(*arguments)):
        for a, b in zip(got, expected, strict=True):
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-6, atol=1e-6)


def test_arguments_and_earlier_results_keep_their_values():
    f = traced(lambda x: tf.sqrt(tf.square(tf.reduce_sum(x, 0)) + 1.0), tf.TensorSpec([2, None]))
    x = tf.constant(np.ones((2, 40_000), np.float32))
    first = f(x)
    copy = first.numpy().copy()
    second = f(x * 3)
    assert (x.numpy() == 1).all() and (first.numpy() == copy).all()
    assert (second.numpy() == np.sqrt(np.float32(37))).all()


def test_casts_and_integers_within_a_chain():
    def mixed(x, n):
        return tf.cast(tf.cast(x * 4.0, tf.int32) + n, tf.float16) * tf.cast(x > 0, tf.float16)

    f = traced(mixed, vector(), vector("int32"))
    for size in SIZES:
        x, n = sample(size, 0), tf.range(size)
        assert f(x, n).numpy().tobytes() == mixed(x, n).numpy().tobytes()


def test_short_results_of_inputs_that_are_broadcast():
    def inside(column, row, low, high):
        return (column + row >= low) & (column + row < high)

    specs = [
        tf.TensorSpec([None, 1]),
        tf.TensorSpec([1, None]),
        tf.TensorSpec([]),
        tf.TensorSpec([]),
    ]
    f = traced(inside, *specs)
    arguments = [sample(300, 0)[:, None], sample(500, 1)[None], tf.constant(-0.5), tf.constant(1.0)]
    assert f(*arguments).numpy().tobytes() == inside(*arguments).numpy().tobytes()


def test_a_loop_that_a_tape_records_fuses_like_eager_code() -> None:
    x = tf.constant(np.random.default_rng(4).normal(size=(200, 200)))

    def step(y):
        return tf.tanh(y * x + 1.0) * 0.5

    def gradient(loop):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(loop(x))
        return tape.gradient(y, x)

    def loop(y):
        return tf.while_loop(lambda i, y: i < 9, lambda i, y: (i + 1, step(y)), (0, y))[1]

    in_graph = tf.function(lambda: gradient(loop))
    np.testing.assert_allclose(in_graph(), gradient(loop), rtol=1e-12)
    chains = [names for names, *_ in fusions_of(lambda: in_graph().numpy())]
    assert sum(names.count("Tanh") for names in chains) == 9


REDUCED = {
    "one operation": lambda x, y: tf.reduce_sum(x * y, 1),
    "several": lambda x, y: tf.reduce_sum(tf.square(x - y)),
    "of columns": lambda x, y: tf.reduce_mean(tf.abs(x - y), 0),
    "softmax": lambda x, y: tf.nn.softmax(x * 0.1 - y),
    "norm": lambda x, y: tf.norm(x - y),
    "read again": lambda x, y: tf.nn.l2_normalize(tf.nn.relu(x) + y, 1),
    "deviation": lambda x, y: tf.math.reduce_std(x + y, 1),
    "greatest of several": lambda x, y: tf.reduce_logsumexp(x * 0.1 - y[:1], 1),
}


@pytest.mark.parametrize("name", REDUCED)
@pytest.mark.parametrize("gradient", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
def test_reductions_read_elements_as_in_eager_code(dtype, gradient, name):
    rng = np.random.default_rng(5)
    x, y = (tf.cast(rng.normal(size=(150, 160)), dtype) for _ in range(2))

    def compute(x, y):
        if not gradient:
            return REDUCED[name](x, y)
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = REDUCED[name](x, y)
        return tape.gradient(value, x) + tf.reduce_sum(value)

    in_graph = tf.function(compute)
    with fusing(False):
        expected = compute(x, y)
    for found in (compute(x, y), in_graph(x, y), in_graph(x, y)):
        np.testing.assert_allclose(
            tf.cast(found, "float64"),
            tf.cast(expected, "float64"),
            rtol=0.03 if dtype == "bfloat16" else 1e-5,
            atol=1e-2 if dtype == "bfloat16" else 1e-6,
        )
    if not gradient:  # which eager code computes again, and graphs keep
        wanted = {kind for kind in fused_by(lambda: compute(x, y).numpy()) if kind != "chain"}
        assert wanted <= set(fused_by(lambda: in_graph(x, y).numpy()))


REPEATED = {
    "broadcast": lambda x: x * tf.broadcast_to(tf.reduce_mean(x, 1, keepdims=True), x.shape),
    "fill": lambda x: x + tf.fill(x.shape, tf.reduce_sum(x)),
    "zeros": lambda x: tf.where(x > 0, x, tf.zeros_like(x)),
    "ones": lambda x: tf.maximum(x, tf.ones_like(x)),
    "both": lambda x: tf.zeros_like(x) + tf.ones_like(x),
    "returned": lambda x: (x * tf.zeros_like(x), tf.zeros_like(x))[1] + x,
    "not elementwise": lambda x: tf.matmul(x, tf.ones_like(x), transpose_b=True),
    "of another shape": lambda x: x + tf.broadcast_to(x[:1, :1], [1, x.shape[1]]),
    "gradient of a sum": lambda x: tf.gradients(tf.reduce_sum(tf.tanh(x)), x)[0],
}


@pytest.mark.parametrize("name", REPEATED)
@pytest.mark.parametrize("shape", [(3, 4), (150, 160)], ids=str)
def test_operands_that_repeat_a_tensor(shape, name):
    x = tf.constant(np.random.default_rng(6).normal(size=shape))
    in_graph = tf.function(REPEATED[name])
    with fusing(False):
        expected = tf.function(REPEATED[name])(x) if "gradient" in name else REPEATED[name](x)
    np.testing.assert_allclose(in_graph(x), expected, rtol=1e-12)


def test_zeros_to_choose_from_need_no_memory():
    x = tf.ones([1000, 1000])
    choose = tf.function(lambda x: tf.where(x > 2.0, x, tf.zeros_like(x)))
    [(names, _, _, _, reads, writes)] = fusions_of(lambda: choose(x).numpy())
    assert (names[:2], reads, writes) == (("Greater", "SelectV2"), 3, 1)
    tf.config.experimental.reset_memory_stats("CPU:0")
    before = tf.config.experimental.get_memory_info("CPU:0")["current"]
    result = choose(x)
    peak = tf.config.experimental.get_memory_info("CPU:0")["peak"]
    assert peak - before < 1.1 * result.numpy().nbytes
