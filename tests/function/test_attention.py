"""Attention in traced functions, which runs without the scores in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eagerflow as tf
from fusing import fused_by, fusing

HEADS = [2, 3]


def operands(queries: int, keys: int, size: int, in_columns: bool = False) -> list[tf.Tensor]:
    generator = np.random.default_rng(queries + keys)
    query, key, value = (
        tf.constant(generator.normal(size=[*HEADS, count, size]).astype(np.float32))
        for count in (queries, keys, keys)
    )
    return [query, tf.transpose(key, [0, 1, 3, 2]) if in_columns else key, value]


def masked(kind: str, queries: int, keys: int) -> Callable[[Any], Any]:
    """A function that a program applies to its scores."""
    visible = np.tri(queries, keys, dtype=bool)
    generator = np.random.default_rng(0)
    mask = {
        "none": np.float32(0),
        "causal": np.where(visible, 0, -1e9),
        "infinite": np.where(visible, 0, -np.inf),
        "padded": np.where(np.arange(keys) < keys - 3, 0, -1e9).reshape(1, 1, 1, keys),
        "subtracted": np.where(visible, 0, 1e9),
        "per head": generator.normal(size=[3, 1, keys]),
        "per query": generator.normal(size=[queries, 1]),
        "whole": generator.normal(size=[*HEADS, queries, keys]),
    }[kind]
    tensor = tf.constant(np.asarray(mask, np.float32))
    if kind == "none":
        return lambda scores: scores
    if kind == "subtracted":
        return lambda scores: scores - tensor
    return lambda scores: tensor + scores


def attention(query: Any, key: Any, value: Any, mask: Any, in_columns: bool = False) -> Any:
    scores = tf.matmul(query, key, transpose_b=not in_columns) * 0.5 / tf.sqrt(tf.constant(3.0))
    return tf.matmul(tf.nn.softmax(mask(scores)), value)


def with_gradients(function: Callable[..., Any]) -> Callable[..., Any]:
    def both(*inputs: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            result = function(*inputs)
            loss = tf.reduce_sum(tf.sin(result))
        return result, *tape.gradient(loss, inputs)

    return both


def assert_close(results: Any, expected: Any) -> None:
    for one, other in zip(results, expected, strict=True):
        scale = np.nanmax(np.abs(other)) + 1e-6
        np.testing.assert_allclose(one, other, rtol=0, atol=5e-6 * scale)


@pytest.mark.parametrize(
    "kind",
    ["none", "causal", "infinite", "padded", "subtracted", "per head", "per query", "whole"],
)
@pytest.mark.parametrize("queries, keys", [(70, 70), (300, 300), (33, 530), (520, 64)])
def test_results_and_gradients_are_those_of_single_steps(
    kind: str, queries: int, keys: int
) -> None:
    mask = masked(kind, queries, keys)
    program = with_gradients(lambda q, k, v: attention(q, k, v, mask))
    inputs = operands(queries, keys, 24)
    traced = tf.function(program)
    ran = fused_by(lambda: traced(*inputs))
    assert "attention" in ran and "attention's gradient" in ran
    assert_close(traced(*inputs), program(*inputs))


def test_keys_in_columns() -> None:
    mask = masked("causal", 300, 300)
    program = with_gradients(lambda q, k, v: attention(q, k, v, mask, in_columns=True))
    inputs = operands(300, 300, 20, in_columns=True)
    traced = tf.function(program)
    assert "attention's gradient" in fused_by(lambda: traced(*inputs))
    assert_close(traced(*inputs), program(*inputs))


def test_one_head_is_shared_by_threads() -> None:
    mask = masked("causal", 700, 700)
    program = with_gradients(lambda q, k, v: attention(q, k, v, mask))
    inputs = [x[0, 0] for x in operands(700, 700, 16)]
    assert_close(tf.function(program)(*inputs), program(*inputs))


@pytest.mark.parametrize("watched", [[0], [1], [2], [0, 2], [1, 2]])
def test_some_gradients(watched: list[int]) -> None:
    inputs = operands(90, 90, 16)
    mask = masked("none", 90, 90)

    def program(*inputs: Any) -> Any:
        sources = [inputs[i] for i in watched]
        with tf.GradientTape() as tape:
            tape.watch(sources)
            result = attention(*inputs, mask)
            loss = tf.reduce_sum(result**2)
        return result, *tape.gradient(loss, sources)

    traced = tf.function(program)
    assert "attention's gradient" in fused_by(lambda: traced(*inputs))
    assert_close(traced(*inputs), program(*inputs))


def test_rows_that_see_nothing_are_not_numbers() -> None:
    inputs = operands(80, 300, 8)
    nothing = np.zeros([80, 300], np.float32)
    nothing[7] = -np.inf
    program = with_gradients(lambda q, k, v: attention(q, k, v, lambda s: s + nothing))
    for one, other in zip(tf.function(program)(*inputs), program(*inputs), strict=True):
        np.testing.assert_array_equal(np.isnan(one), np.isnan(other))


def test_hidden_values_that_are_not_numbers_spread_as_in_single_steps() -> None:
    query, key, value = operands(400, 600, 8)
    value = tf.concat([value[..., :-1, :], tf.fill([*HEADS, 1, 8], np.nan)], axis=2)
    mask = masked("causal", 400, 600)
    assert np.isnan(tf.function(attention)(query, key, value, mask)).all()


@pytest.mark.parametrize("shift, fuses", [(1e-9, True), (3.0, False), (np.inf, False)])
def test_scores_that_are_shifted(shift: float, fuses: bool) -> None:
    """Some libraries add a very small number to their scores."""
    inputs = operands(90, 90, 16)
    causal = masked("causal", 90, 90)
    program = with_gradients(lambda q, k, v: attention(q, k, v, lambda s: causal(s) + shift))
    traced = tf.function(program)
    assert ("attention" in fused_by(lambda: traced(*inputs))) == fuses
    if np.isfinite(shift):
        assert_close(traced(*inputs), program(*inputs))
    else:
        assert np.isnan(traced(*inputs)[0]).all()


@pytest.mark.parametrize("shown", [True, False])
@pytest.mark.parametrize("hidden", [-np.inf, -1e9, -2.0, 0.5])
@pytest.mark.parametrize("queries, keys", [(90, 90), (300, 600)])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_scores_that_a_condition_chooses(
    shown: bool, hidden: float, queries: int, keys: int, dtype: str
) -> None:
    inputs = [tf.cast(x, dtype) for x in operands(queries, keys, 16)]
    visible = tf.constant(np.tri(queries, keys, dtype=bool))
    number = tf.cast(max(hidden, -6e4) if np.isfinite(hidden) else hidden, dtype)

    def program(query: Any, key: Any, value: Any) -> Any:
        scores = tf.matmul(query, key, transpose_b=True) / tf.cast(4, dtype)
        if shown:
            scores = tf.where(visible, scores, number)
        else:
            scores = tf.where(tf.logical_not(visible), number, scores)
        return tf.matmul(tf.nn.softmax(scores), value)

    traced = tf.function(program)
    assert "attention" in fused_by(lambda: traced(*inputs))
    with fusing(False):
        expected = program(*inputs).numpy()
    tolerance = 5e-6 if dtype == "float32" else 4e-3
    np.testing.assert_allclose(traced(*inputs), expected, rtol=0, atol=tolerance * 5)
    # With gradients it runs step by step.
    both = with_gradients(program)
    assert "attention" not in fused_by(lambda: tf.function(both)(*inputs))
    for one, other in zip(tf.function(both)(*inputs), both(*inputs), strict=True):
        np.testing.assert_allclose(one, other, atol=tolerance * 20)


def test_a_condition_that_broadcasts_the_other_way_runs_step_by_step() -> None:
    query, key, value = (x[0] for x in operands(90, 90, 16))
    condition = tf.constant(np.random.default_rng(0).random([2, 1, 90, 90]) < 0.5)

    def program(query: Any, key: Any, value: Any, condition: Any) -> Any:
        scores = tf.where(condition, tf.matmul(query, key, transpose_b=True), -1e9)
        return tf.matmul(tf.nn.softmax(scores), value)

    unknown = tf.TensorSpec(None, tf.float32)
    signature = [unknown] * 3 + [tf.TensorSpec(None, tf.bool)]
    result = tf.function(program, input_signature=signature)(query, key, value, condition)
    np.testing.assert_allclose(result, program(query, key, value, condition), atol=1e-4)


def test_scores_that_others_read_stay() -> None:
    inputs = operands(90, 90, 16)

    @tf.function
    def program(query: Any, key: Any, value: Any) -> Any:
        weights = tf.nn.softmax(tf.matmul(query, key, transpose_b=True))
        return weights, tf.matmul(weights, value)

    assert "attention" not in fused_by(lambda: program(*inputs))
    weights, result = program(*inputs)
    np.testing.assert_allclose(tf.reduce_sum(weights, -1), np.ones([*HEADS, 90]), rtol=1e-5)
    np.testing.assert_allclose(result, tf.matmul(weights, inputs[2]), rtol=1e-5)


def test_a_learned_mask_gets_its_gradient() -> None:
    query, key, value = operands(90, 90, 16)
    bias = tf.Variable(tf.zeros([90, 90]))

    def program() -> Any:
        with tf.GradientTape() as tape:
            result = attention(query, key, value, lambda scores: scores + bias)
            loss = tf.reduce_sum(result**2)
        return tape.gradient(loss, bias)

    np.testing.assert_allclose(tf.function(program)(), program(), rtol=1e-4, atol=1e-4)


def test_masks_and_keys_that_broadcast_the_other_way_run_step_by_step() -> None:
    query, key, value = (x[0] for x in operands(90, 90, 16))
    mask = tf.zeros([2, 1, 90, 90])
    unknown = tf.TensorSpec(None, tf.float32)

    @tf.function(input_signature=[unknown] * 4)
    def program(query: Any, key: Any, value: Any, mask: Any) -> Any:
        weights = tf.nn.softmax(tf.matmul(query, key, transpose_b=True) + mask)
        return tf.matmul(weights, value)

    result = program(query, key, value, mask)
    assert result.shape == [2, 3, 90, 16]
    np.testing.assert_allclose(result[1], program(query, key, value, mask[0]), rtol=1e-5, atol=1e-6)
    shared = program(query, key[:1], value, mask)
    np.testing.assert_allclose(shared[0, 0], result[0, 0], rtol=1e-5, atol=1e-6)


def test_tapes_around_a_function_see_its_steps() -> None:
    inputs = operands(70, 70, 16)
    mask = masked("causal", 70, 70)
    program = with_gradients(lambda q, k, v: attention(q, k, v, mask))

    def second(function: Callable[..., Any]) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            _, *gradients = function(*inputs)
            loss = tf.add_n([tf.reduce_sum(g**2) for g in gradients])
        return tape.gradient(loss, inputs)

    traced = tf.function(program)
    assert_close(second(traced), second(program))
    assert_close(traced(*inputs), program(*inputs))  # earlier calls have no effect
    assert_close(tf.function(lambda: second(program))(), second(program))


def test_the_last_gradient_alone_under_a_tape() -> None:
    """The forward pass is fused, and a tape sees only the gradient of the result."""
    inputs = operands(70, 70, 16)
    weight = tf.ones([*HEADS, 70, 16])

    def program(weight: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            result = attention(*inputs, lambda scores: scores)
            loss = tf.reduce_sum(result * weight)
        return tape.gradient(loss, inputs[0])

    def slope(function: Callable[..., Any]) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(weight)
            total = tf.reduce_sum(function(weight) ** 2)
        return tape.gradient(total, weight)

    np.testing.assert_allclose(slope(tf.function(program)), slope(program), rtol=1e-3, atol=1e-6)


def test_threads_share_a_plan() -> None:
    inputs = operands(130, 270, 16)
    traced = tf.function(with_gradients(lambda q, k, v: attention(q, k, v, lambda s: s)))
    expected = traced(*inputs)
    results: list[Any] = []
    threads = [threading.Thread(target=lambda: results.append(traced(*inputs))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    for result in results:
        assert_close(result, expected)


def test_keras_layers() -> None:
    layer = tf.keras.layers.MultiHeadAttention(num_heads=2, key_dim=16)
    x = tf.random.stateless_normal([2, 100, 32], seed=[1, 2])

    def program(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            result = layer(x, x, use_causal_mask=True)
            loss = tf.reduce_sum(result**2)
        return result, *tape.gradient(loss, [x, *layer.trainable_variables])

    expected = program(x)
    traced = tf.function(program)
    ran = fused_by(lambda: traced(x))
    assert "attention" in ran and "attention's gradient" in ran
    scale = max(np.abs(e).max() for e in expected)
    for one, other in zip(traced(x), expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-5 * scale)


def test_results_alone_of_unknown_sizes() -> None:
    layer = tf.keras.layers.MultiHeadAttention(num_heads=2, key_dim=16)
    x = tf.random.stateless_normal([2, 100, 32], seed=[1, 2])
    expected = layer(x, x)
    traced = tf.function(lambda x: layer(x, x), input_signature=[tf.TensorSpec([None, None, 32])])
    assert "attention" in fused_by(lambda: traced(x))
    np.testing.assert_allclose(traced(x), expected, rtol=1e-4, atol=1e-5)


def test_show_fusion_tells_of_attention() -> None:
    inputs = operands(90, 90, 16)
    traced = tf.function(lambda q, k, v: attention(q, k, v, lambda scores: scores))
    shown = tf.debug.show_fusion(traced, *inputs)
    assert shown == "MatMul, Softmax, MatMul -> float32[2, 3, 90, 16], as attention"


def test_scores_take_no_memory() -> None:
    size = 2048
    inputs = [tf.ones([1, 1, size, 8])] * 3
    traced = tf.function(with_gradients(lambda q, k, v: attention(q, k, v, lambda s: s)))
    traced(*inputs)
    tf.config.experimental.reset_memory_stats("CPU:0")
    before = tf.config.experimental.get_memory_info("CPU:0")["current"]
    traced(*inputs)
    peak = tf.config.experimental.get_memory_info("CPU:0")["peak"]
    assert peak - before < size * size  # bytes: a quarter of one matrix of scores


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("queries, keys", [(70, 70), (33, 530)])
def test_short_floats(dtype: str, queries: int, keys: int) -> None:
    wide = masked("causal", queries, keys)

    def program(*inputs: Any, dtype: str) -> Any:
        cast = [tf.cast(x, dtype) for x in inputs]

        def short(query: Any, key: Any, value: Any) -> Any:
            scores = tf.matmul(query, key, transpose_b=True) * 0.25
            mask = tf.maximum(wide(tf.zeros(scores.shape)), -60000.0)
            return tf.matmul(tf.nn.softmax(scores + tf.cast(mask, dtype)), value)

        return with_gradients(short)(*cast)

    inputs = operands(queries, keys, 24)
    exact = program(*inputs, dtype="float32")
    single = program(*inputs, dtype=dtype)
    traced = tf.function(lambda *inputs: program(*inputs, dtype=dtype))
    ran = fused_by(lambda: traced(*inputs))
    # Few keys of bfloat16 run step by step where the processor multiplies them.
    if dtype == "float16" or keys >= 512:
        assert "attention" in ran and "attention's gradient" in ran
    for one, other, best in zip(traced(*inputs), single, exact, strict=True):
        assert one.dtype == dtype and one.shape == other.shape
        scale = np.abs(best).max()
        errors = [np.abs(x.numpy().astype("f") - best).max() / scale for x in (one, other)]
        # Both round the inputs; only single steps round the scores.
        assert errors[0] <= 1.5 * errors[1] + 1e-3
