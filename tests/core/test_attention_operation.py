"""Attention as one operation, and Keras's layers that use it in plain programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core
from fusing import fusing

HEADS = (2, 3)


def normal(*shape: int, seed: int = 0, dtype: str = "float32") -> Any:
    return tf.constant(np.random.default_rng(seed).normal(size=shape).astype(dtype))


def single_steps(query: Any, key: Any, value: Any, mask: Any = None, scale: float = 1.0) -> Any:
    scores = tf.matmul(query, key, transpose_b=True) * scale
    return tf.matmul(tf.nn.softmax(scores if mask is None else scores + mask), value)


def operation(query: Any, key: Any, value: Any, mask: Any = None, scale: float = 1.0) -> Any:
    given = [query, key, value] if mask is None else [query, key, value, mask]
    return _core.ops.attention(*given, scale=scale)[0]


def assert_close(results: Any, expected: Any, rate: float = 5e-6) -> None:
    for one, other in zip(results, expected, strict=True):
        scale = max(np.nanmax(np.abs(other), initial=0), 1)
        np.testing.assert_allclose(one, other, rtol=0, atol=rate * scale)


def gradients(
    function: Callable[..., Any], inputs: list[Any], order: int = 1, watched: Any = None
) -> list[Any]:
    watched = inputs if watched is None else watched
    with tf.GradientTape() as outer:
        outer.watch(watched)
        with tf.GradientTape() as tape:
            tape.watch(watched)
            result = function(*inputs)
            target = tf.reduce_sum(tf.sin(result))
        first = tape.gradient(target, watched)
        again = tf.add_n([tf.reduce_sum(tf.square(g)) for g in first]) if order == 2 else None
    return [result, *first] + (outer.gradient(again, watched) if order == 2 else [])


MASKS: dict[str, Callable[[int, int], Any]] = {
    "none": lambda rows, columns: None,
    "causal": lambda rows, columns: np.where(np.tri(rows, columns, dtype=bool), 0, -1e9),
    "padded": lambda rows, columns: np.where(np.arange(columns) < columns - 3, 0, -1e9),
    "per head": lambda rows, columns: np.random.default_rng(5).normal(size=(3, 1, columns)),
    "per query": lambda rows, columns: np.random.default_rng(6).normal(size=(rows, 1)),
    "whole": lambda rows, columns: np.random.default_rng(7).normal(size=(*HEADS, rows, columns)),
}


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("kind", MASKS)
@pytest.mark.parametrize(("queries", "keys"), [(1, 1), (40, 70), (65, 300)])
def test_values_and_gradients_are_those_of_single_steps(
    queries: int, keys: int, kind: str, order: int
) -> None:
    inputs = [normal(*HEADS, queries, 16), normal(*HEADS, keys, 16), normal(*HEADS, keys, 24)]
    mask = MASKS[kind](queries, keys)
    if mask is not None:
        mask = tf.constant(np.asarray(mask, np.float32))

    def with_mask(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *given: function(*given, mask, 0.3)

    assert_close(
        gradients(with_mask(operation), inputs, order),
        gradients(with_mask(single_steps), inputs, order),
        5e-6 if order == 1 else 5e-5,
    )


@pytest.mark.parametrize("shift", [1e4, -1e4, -1e9, "infinite"])
@pytest.mark.parametrize("keys", [70, 300, 600])
def test_gradients_where_all_scores_are_large(keys: int, shift: Any) -> None:
    # Scores of small integers are exact, so that the shifted scores are rounded the same way.
    inputs = [tf.round(normal(*HEADS, rows, 16, seed=rows)) for rows in (65, keys, keys)]
    mask = tf.fill([65, keys], 0.0 if shift == "infinite" else shift)
    if shift == "infinite":
        mask = tf.where(np.tri(65, keys, dtype=bool), mask, -np.inf)

    def with_mask(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *given: function(*given, mask, 0.25)

    assert_close(
        gradients(with_mask(operation), inputs), gradients(with_mask(single_steps), inputs)
    )


def test_a_mask_that_is_learned_has_a_gradient() -> None:
    inputs = [normal(*HEADS, 20, 8), normal(*HEADS, 30, 8, seed=1), normal(*HEADS, 30, 8, seed=2)]
    inputs.append(normal(20, 30, seed=3))
    assert_close(gradients(operation, inputs), gradients(single_steps, inputs))


@pytest.mark.parametrize("watched", [[0], [1], [2], [0, 2]])
def test_some_gradients(watched: list[int]) -> None:
    inputs = [normal(2, 20, 8), normal(2, 300, 8, seed=1), normal(2, 300, 8, seed=2)]
    some = [inputs[k] for k in watched]
    assert_close(gradients(operation, inputs, 1, some), gradients(single_steps, inputs, 1, some))


@pytest.mark.parametrize("sizes", [(0, 4), (4, 0), (0, 0)])
def test_nothing_to_ask_or_to_see(sizes: tuple[int, int]) -> None:
    queries, keys = sizes
    inputs = [normal(2, queries, 8), normal(2, keys, 8), normal(2, keys, 5)]
    result, *found = gradients(operation, inputs)
    np.testing.assert_array_equal(result, np.zeros((2, queries, 5)))
    for gradient, given in zip(found, inputs, strict=True):
        np.testing.assert_array_equal(gradient, np.zeros(given.shape))


@pytest.mark.parametrize(
    "shapes",
    [
        [(2, 4, 8), (2, 5, 7), (2, 5, 8)],
        [(2, 4, 8), (2, 5, 8), (2, 6, 8)],
        [(3, 4, 8), (2, 5, 8), (2, 5, 8)],
        [(4, 8), (2, 5, 8), (2, 5, 8)],
        [(8,), (8,), (8,)],
        [(2, 4, 8), (2, 5, 8), (2, 5, 8), (4, 4)],
        [(2, 4, 8), (2, 5, 8), (2, 5, 8), (1, 2, 4, 5)],
    ],
)
def test_shapes_that_do_not_fit(shapes: list[tuple[int, ...]]) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"ttention .*\["):
        _core.ops.attention(*(normal(*shape) for shape in shapes))


def layer_results(layer: Any, inputs: list[Any], **options: Any) -> list[Any]:
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        if isinstance(layer, tf.keras.layers.MultiHeadAttention):
            result = layer(*inputs, **options)
        else:
            result = layer(inputs, **options)
        target = tf.reduce_sum(tf.sin(result))
    return [result, *tape.gradient(target, inputs)]


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("kind", ["multi head", "products"])
def test_layers_in_plain_programs(kind: str, causal: bool, masked: bool) -> None:
    inputs = [normal(2, 70, 32) * 0.5, normal(2, 90, 32, seed=1) * 0.5]
    seen = tf.constant(np.random.default_rng(2).random(size=(2, 90)) < 0.7)
    options: dict[str, Any] = {"use_causal_mask": causal}
    if kind == "products":
        layer: Any = tf.keras.layers.Attention()
        if masked:
            options["mask"] = [None, seen]
    else:
        layer = tf.keras.layers.MultiHeadAttention(2, 16)
        if masked:
            options["attention_mask"] = tf.tile(seen[:, None], [1, 70, 1])
    layer_results(layer, inputs, **options)
    with fusing(False):
        expected = layer_results(layer, inputs, **options)
    got: list[Any] = []
    lines = tf.debug.show_fusion(lambda: got.extend(layer_results(layer, inputs, **options)))
    assert "as attention" in lines and "as attention's gradient" in lines
    assert_close(got, expected, 2e-5)


def test_layers_whose_scores_are_asked_for_have_them() -> None:
    x = normal(2, 70, 32)
    layer = tf.keras.layers.MultiHeadAttention(2, 16)
    result, scores = layer(x, x, return_attention_scores=True)
    np.testing.assert_allclose(tf.reduce_sum(scores, -1), np.ones((2, 2, 70)), rtol=1e-5)
    assert_close([layer(x, x)], [result])


def test_dropout_of_scores() -> None:
    x = normal(2, 70, 32)
    layer = tf.keras.layers.MultiHeadAttention(2, 16, dropout=0.5)
    assert_close([layer(x, x)], [layer(x, x, training=False)])
    assert np.abs(layer(x, x, training=True) - layer(x, x, training=False)).max() > 1e-3


def test_scores_take_no_memory() -> None:
    x = normal(1, 1024, 32)
    layer = tf.keras.layers.MultiHeadAttention(4, 8)

    def step() -> None:
        layer_results(layer, [x, x], use_causal_mask=True)

    step()
    tf.config.experimental.reset_memory_stats("CPU:0")
    before = tf.config.experimental.get_memory_info("CPU:0")["current"]
    step()
    peak = tf.config.experimental.get_memory_info("CPU:0")["peak"] - before
    assert peak < 4 * 1024 * 1024 * 4
