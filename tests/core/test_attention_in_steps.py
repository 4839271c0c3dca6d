"""Attention that programs write in steps is fused, and nothing else changes."""

from __future__ import annotations

import functools
import gc
import os
import random
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core
from fusing import fused_by, fusing

HEADS = [2, 3]


@pytest.fixture(autouse=True)
def _fusing() -> Iterator[None]:
    """Turns fusion on, which also forgets that earlier tests have read weights."""
    with fusing(True):
        yield


def operands(
    queries: int, keys: int, size: int, width: int | None = None, dtype: str = "float32"
) -> list[tf.Tensor]:
    generator = np.random.default_rng(queries + keys)
    shapes = [(queries, size), (keys, size), (keys, width or size)]
    return [
        tf.cast(tf.constant(generator.normal(size=[*HEADS, *shape]), tf.float32), dtype)
        for shape in shapes
    ]


def attention(q: Any, k: Any, v: Any, mask: Any = lambda scores: scores) -> Any:
    scores = tf.matmul(q, k, transpose_b=True) / tf.sqrt(tf.cast(q.shape[-1], q.dtype))
    scores = mask(scores)
    weights = tf.nn.softmax(scores)
    return tf.matmul(weights, v)


def in_steps(function: Callable[..., Any], *inputs: Any) -> Any:
    with fusing(False):
        return tf.nest.map_structure(lambda x: x.numpy(), function(*inputs))


def check(function: Callable[..., Any], *inputs: Any, tolerance: float = 5e-6) -> None:
    """The function runs as one fused attention, and returns the values of its steps."""
    found: list[Any] = []
    assert fused_by(lambda: found.append(function(*inputs))).count("attention") == 1
    expected = in_steps(function, *inputs).astype("f")
    scale = np.nanmax(np.abs(expected)) + 1e-6
    result = tf.cast(found[0], tf.float32).numpy()
    np.testing.assert_allclose(result, expected, rtol=0, atol=tolerance * scale)
    assert found[0].dtype == inputs[0].dtype


def masks(queries: int, keys: int) -> dict[str, Callable[[Any], Any]]:
    """Functions that programs apply to their scores."""
    visible = np.tri(queries, keys, dtype=bool)
    generator = np.random.default_rng(0)
    number = tf.constant
    padding = np.arange(keys) < keys - 3
    additive = number(np.where(visible, 0, -1e9).astype("f"))
    infinite = number(np.where(visible, 0, -np.inf).astype("f"))
    padded = number(np.where(padding, 0, -1e9).astype("f").reshape(1, 1, 1, keys))
    whole = number(generator.normal(size=[*HEADS, queries, keys]).astype("f"))
    head = number(generator.normal(size=[3, 1, keys]).astype("f"))
    query = number(generator.normal(size=[queries, 1]).astype("f"))
    some = number(generator.random([2, 1, queries, keys]) < 0.5)
    rows = number(generator.random([queries, 1]) < 0.9)
    return {
        "causal": lambda s: s + additive,
        "infinite": lambda s: infinite + s,
        "padded": lambda s: s + padded,
        "subtracted": lambda s: s - -additive,
        "pending": lambda s: s + whole * -2.0,
        "whole": lambda s: s + whole,
        "per head": lambda s: s + head,
        "per query": lambda s: query + s,
        "where": lambda s: tf.where(visible, s, -np.inf),
        "where, finite": lambda s: tf.where(visible, s, -1e9),
        "where not": lambda s: tf.where(tf.logical_not(visible), tf.constant(-1e9), s),
        "where, moderate": lambda s: tf.where(some, s, -0.5),
        "where, positive": lambda s: tf.where(padding, s, 2.0),
        "where, rows": lambda s: tf.where(rows, s, -3.0),
        "identity": lambda s: tf.identity(s),
        "scaled again": lambda s: 0.5 * s,
    }


@pytest.mark.parametrize("kind", masks(1, 4))
@pytest.mark.parametrize("queries, keys", [(220, 220), (333, 333), (83, 530), (800, 64)])
def test_results_are_those_of_the_steps(kind: str, queries: int, keys: int) -> None:
    mask = masks(queries, keys)[kind]
    check(lambda q, k, v: attention(q, k, v, mask), *operands(queries, keys, 16, 24))


@pytest.mark.parametrize("dtype, tolerance", [("float16", 4e-3), ("bfloat16", 3e-2)])
@pytest.mark.parametrize("kind", ["causal", "where, finite", "padded"])
def test_shorter_floats(dtype: str, tolerance: float, kind: str) -> None:
    visible = np.tri(600, 600, dtype=bool)
    added = tf.cast(np.where(visible, 0, -3e4), dtype)

    def mask(scores: Any) -> Any:
        if kind == "where, finite":
            return tf.where(visible, scores, tf.constant(-3e4, dtype))
        return scores + (added if kind == "causal" else added[-2:-1])

    check(
        lambda q, k, v: attention(q, k, v, mask),
        *operands(600, 600, 16, dtype=dtype),
        tolerance=tolerance,
    )


@pytest.mark.parametrize("rank", [2, 3, 4, 5])
def test_ranks(rank: int) -> None:
    inputs = operands(600, 600, 32)
    part = {2: (0, 0), 3: 0, 4: (), 5: tf.newaxis}[rank]
    check(attention, *[x[part] if part != () else x for x in inputs])


def test_keys_in_columns() -> None:
    q, k, v = operands(220, 210, 16)
    columns = tf.transpose(k, [0, 1, 3, 2])
    check(lambda q, k, v: tf.matmul(tf.nn.softmax(q @ k * 0.25), v), q, columns, v)


@pytest.mark.parametrize(
    "scoring, weighing, order",
    [
        ("bhqd,bhkd->bhqk", "bhqk,bhkd->bhqd", [0, 1, 2, 3]),
        ("bqhd,bkhd->bhqk", "bhqk,bkhd->bqhd", [0, 2, 1, 3]),
        ("...qd,...kd->...qk", "...qk,...kd->...qd", [0, 1, 2, 3]),
    ],
)
def test_sums_by_equations(scoring: str, weighing: str, order: list[int]) -> None:
    def program(q: Any, k: Any, v: Any) -> Any:
        weights = tf.nn.softmax(tf.einsum(scoring, q, k) * 0.3, axis=-1)
        return tf.einsum(weighing, weights, v)

    check(program, *[tf.transpose(x, order) for x in operands(220, 210, 16)])


def test_the_scores_take_no_memory() -> None:
    # As programs do, the function still holds scores and weights when they are multiplied.
    queries = 600
    inputs = operands(queries, queries, 32)
    scores = 4 * 6 * queries * queries
    visible = np.tri(queries, dtype=bool)

    def peak() -> int:
        gc.collect()
        before = tf.config.experimental.get_memory_info("CPU:0")["current"]
        tf.config.experimental.reset_memory_stats("CPU:0")
        result = attention(*inputs, lambda s: tf.where(visible, s, -1e9))
        result.numpy()
        return tf.config.experimental.get_memory_info("CPU:0")["peak"] - before

    assert peak() < scores / 2
    with fusing(False):
        assert peak() >= 2 * scores


def test_scores_and_weights_that_are_asked_for_have_their_values() -> None:
    q, k, v = operands(220, 220, 16)

    def program() -> list[Any]:
        raw = tf.matmul(q, k, transpose_b=True)
        scores = raw * 0.25
        weights = tf.nn.softmax(scores)
        return [tf.matmul(weights, v), weights, scores, raw, weights * 2.0, tf.reduce_max(raw)]

    results, expected = program(), in_steps(program)
    np.testing.assert_allclose(results[0], expected[0], atol=1e-5)
    for result, value in zip(results[1:], expected[1:], strict=True):
        np.testing.assert_array_equal(result, value)


@pytest.mark.parametrize("what", ["raw", "scores", "weights"])
@pytest.mark.parametrize("how", ["numpy", "print", "operation", "slice", "reshape"])
def test_what_is_asked_for_before_the_product(what: str, how: str) -> None:
    q, k, v = operands(220, 221, 16)
    ask: dict[str, Callable[[Any], Any]] = {
        "numpy": lambda x: x.numpy(),
        "print": str,
        "operation": lambda x: tf.cumsum(x, -1),
        "slice": lambda x: x[0, 0],
        "reshape": lambda x: tf.reshape(x, [-1]),
    }

    def program() -> Any:
        values = {"raw": tf.matmul(q, k, transpose_b=True)}
        values["scores"] = values["raw"] * 0.25
        if what != "weights":
            asked = ask[how](values[what])
        values["weights"] = tf.nn.softmax(values["scores"])
        if what == "weights":
            asked = ask[how](values[what])
        return asked, tf.matmul(values["weights"], v)

    asked, result = program()
    with fusing(False):
        expected_asked, expected = program()
    if how == "print":
        assert asked == expected_asked
    else:
        np.testing.assert_array_equal(asked, expected_asked)
    # Scores that are in memory are not computed again.
    np.testing.assert_allclose(result, expected, atol=1e-5)


def test_weights_that_are_asked_for_again_and_again_are_written() -> None:
    inputs = operands(220, 220, 16)

    def program() -> tuple[Any, Any]:
        weights = tf.nn.softmax(tf.matmul(inputs[0], inputs[1], transpose_b=True))
        return tf.matmul(weights, inputs[2]), weights

    assert "attention" in fused_by(program)
    assert "attention" in fused_by(lambda: program()[1].numpy())
    # Skipping the weights was useless, since the program read them: no fusion for a while.
    later = [fused_by(lambda: program()[1].numpy()).count("attention") for _ in range(130)]
    assert sum(later) == 2 and not any(later[:60])


def test_what_is_dropped_in_the_middle() -> None:
    q, k, v = operands(220, 220, 16)
    scores = tf.matmul(q, k, transpose_b=True)
    scaled = scores * 0.25
    del scores
    weights = tf.nn.softmax(scaled)
    del scaled
    gc.collect()
    result = tf.matmul(weights, v)
    del weights
    expected = in_steps(
        lambda: tf.matmul(tf.nn.softmax(q @ tf.linalg.matrix_transpose(k) / 4.0), v)
    )
    np.testing.assert_allclose(result, expected, atol=1e-5)
    # Values that nothing reads are freed.
    before = tf.config.experimental.get_memory_info("CPU:0")["current"]
    for _ in range(5):
        tf.nn.softmax(tf.matmul(q, k, transpose_b=True) * 0.25)
    assert tf.config.experimental.get_memory_info("CPU:0")["current"] == before


def test_values_of_variables_are_those_of_the_time_of_the_call() -> None:
    q, k, v = (tf.Variable(x) for x in operands(220, 220, 16))
    expected = in_steps(attention, q, k, v)
    scores = tf.matmul(q, k, transpose_b=True) * 0.25
    q.assign(tf.zeros_like(q))
    weights = tf.nn.softmax(scores)
    k.assign_add(tf.ones_like(k))
    result = tf.matmul(weights, v)
    v.assign(tf.zeros_like(v))
    np.testing.assert_allclose(result, expected, atol=1e-5)


def test_a_variable_takes_the_values_of_weights() -> None:
    q, k, _ = operands(220, 220, 16)
    variable = tf.Variable(tf.zeros([*HEADS, 220, 220]))
    variable.assign(tf.nn.softmax(tf.matmul(q, k, transpose_b=True)))
    expected = in_steps(lambda: tf.nn.softmax(tf.matmul(q, k, transpose_b=True)))
    np.testing.assert_array_equal(variable, expected)


@pytest.mark.parametrize("order", [1, 2])
def test_gradients_are_those_of_the_steps(order: int) -> None:
    inputs = operands(220, 220, 16)

    def program() -> Any:
        with tf.GradientTape() as outer:
            outer.watch(inputs)
            with tf.GradientTape() as tape:
                tape.watch(inputs)
                loss = tf.reduce_sum(tf.sin(attention(*inputs)))
            first = tape.gradient(loss, inputs)
            total = tf.add_n([tf.reduce_sum(g * g) for g in first])
        return first if order == 1 else outer.gradient(total, inputs)

    for result, expected in zip(program(), in_steps(program), strict=True):
        np.testing.assert_array_equal(result, expected)


def test_weights_from_before_a_tape() -> None:
    q, k, v = operands(220, 220, 16)

    def program() -> Any:
        scores = tf.matmul(q, k, transpose_b=True)
        weights = tf.nn.softmax(scores)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([v, scores])
            result = tf.reduce_sum(tf.matmul(weights, v) ** 2)
            other = tf.reduce_sum(tf.matmul(tf.nn.softmax(scores), v) ** 2)
        return result, tape.gradient(result, v), *tape.gradient(other, [scores, v])

    for result, expected in zip(program(), in_steps(program), strict=True):
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("where", ["query", "key", "value", "mask"])
@pytest.mark.parametrize("keys", [220, 400])
def test_numbers_that_are_not_finite(value: float, where: str, keys: int) -> None:
    arrays = [x.numpy() for x in operands(220, keys, 16)]
    mask = np.zeros([220, keys], "f")
    place = {"query": arrays[0], "key": arrays[1], "value": arrays[2], "mask": mask[None, None]}
    place[where][0, 0, 5, 3] = value

    def program(*inputs: Any) -> Any:
        return attention(*inputs, lambda s: s + mask)

    inputs = [tf.constant(x) for x in arrays]
    assert "attention" in fused_by(lambda: program(*inputs))
    result = program(*inputs).numpy()
    expected = in_steps(program, *inputs)
    np.testing.assert_array_equal(np.isnan(result), np.isnan(expected))
    np.testing.assert_allclose(result, expected, atol=1e-4)


@pytest.mark.parametrize("keys", [220, 400])
@pytest.mark.parametrize("hidden", [-np.inf, -1e9])
def test_rows_that_see_nothing(keys: int, hidden: float) -> None:
    visible = np.ones([220, keys], bool)
    visible[7:80] = False
    inputs = operands(220, keys, 16)

    def chosen(q: Any, k: Any, v: Any) -> Any:
        return attention(q, k, v, lambda s: tf.where(visible, s, hidden))

    def added(q: Any, k: Any, v: Any) -> Any:
        return attention(q, k, v, lambda s: s + np.where(visible, 0, hidden).astype("f"))

    for program in chosen, added:
        assert "attention" in fused_by(functools.partial(program, *inputs))
        result, expected = program(*inputs).numpy(), in_steps(program, *inputs)
        np.testing.assert_allclose(result, expected, atol=1e-5)
        assert np.isnan(result[:, :, 7:80]).all() == np.isinf(hidden)


def test_what_is_no_attention_runs_step_by_step() -> None:
    q, k, v = operands(220, 220, 16)
    scores = lambda: tf.matmul(q, k, transpose_b=True)  # noqa: E731
    programs: list[Callable[[], Any]] = [
        lambda: tf.matmul(tf.nn.softmax(tf.tanh(scores())), v),
        lambda: tf.matmul(tf.nn.softmax(scores(), axis=-2), v),
        lambda: tf.matmul(tf.nn.softmax(scores()), v, transpose_a=True),
        lambda: tf.matmul(tf.nn.softmax(scores()), tf.linalg.matrix_transpose(v), transpose_b=True),
        lambda: tf.matmul(tf.nn.softmax(scores()), v[:1]),
        lambda: tf.matmul(tf.nn.softmax(scores() * np.float32(np.inf)), v),
        lambda: tf.matmul(tf.nn.softmax(tf.where(tf.constant(True), scores(), v[..., :1])), v),
        lambda: tf.matmul(tf.nn.softmax(scores() + scores() * 0.5), v),
        lambda: tf.nn.softmax(scores() - 1.0) * scores(),
    ]
    for program in programs:
        np.testing.assert_allclose(program(), in_steps(program), atol=1e-4)


def test_errors_are_raised_by_the_call() -> None:
    q, k, v = operands(220, 220, 16)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Matrix size-incompatible"):
        tf.matmul(q, k)
    scores = tf.matmul(q, k, transpose_b=True)
    with pytest.raises(tf.errors.InvalidArgumentError):
        scores + tf.zeros([7])
    weights = tf.nn.softmax(scores)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Matrix size-incompatible"):
        tf.matmul(weights, v[:, :, :-1])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.matmul(weights, tf.cast(v, tf.float64))
    assert weights.shape == scores.shape == (*HEADS, 220, 220)


def test_fusing_can_be_turned_off_and_small_tensors_do_not_wait() -> None:
    inputs = operands(220, 220, 16)
    with fusing(False):
        assert "attention" not in fused_by(lambda: attention(*inputs))
    assert "attention" not in fused_by(lambda: attention(*operands(20, 20, 16)))
    for empty in (0, 220), (220, 0):
        assert attention(*operands(*empty, 16)).shape == (*HEADS, empty[0], 16)


def test_show_fusion_tells_of_it() -> None:
    inputs = operands(220, 220, 16)
    text = str(tf.debug.show_fusion(lambda: attention(*inputs)))
    assert "MatMul, Softmax, MatMul -> float32[2, 3, 220, 16], as attention" in text


def test_threads_that_share_scores() -> None:
    q, k, v = operands(220, 220, 16)
    expected, expected_weights = in_steps(
        lambda: (attention(q, k, v), tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / 4.0))
    )
    failures: list[BaseException] = []

    def work(number: int, weights: Any, start: threading.Barrier) -> None:
        try:
            start.wait()
            if number % 2:
                np.testing.assert_allclose(tf.matmul(weights, v), expected, atol=1e-5)
            else:
                np.testing.assert_array_equal(weights.numpy(), expected_weights)
        except BaseException as error:
            failures.append(error)

    for _ in range(20):
        _core.set_fuses(True)  # forgets which weights were read
        weights = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / tf.constant(4.0))
        start = threading.Barrier(4)
        threads = [threading.Thread(target=work, args=(n, weights, start)) for n in range(4)]
        del weights
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failures


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_forked_process_has_the_values() -> None:
    q, k, v = operands(220, 220, 16)
    scores = tf.matmul(q, k, transpose_b=True) * 0.25
    weights = tf.nn.softmax(scores)
    child = os.fork()
    if child == 0:
        good = False
        try:
            result = tf.matmul(weights, v).numpy()
            good = np.allclose(result, weights.numpy() @ v.numpy(), atol=1e-5)
        finally:
            os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0
    np.testing.assert_allclose(tf.matmul(weights, v), weights.numpy() @ v.numpy(), atol=1e-5)


def test_products_of_a_backward_pass_that_gradients_share() -> None:
    generator = np.random.default_rng(0)
    p, q = (tf.constant(generator.normal(size=[6, 220, 220]).astype("f")) for _ in range(2))
    short = tf.constant(generator.normal(size=[6, 16, 220]).astype("f"))

    def program() -> Any:
        with tf.GradientTape() as tape:
            tape.watch([p, q])
            product = tf.matmul(tf.tanh(p - q), short, transpose_b=True)
        first, second = tape.gradient(product, [p, q])
        return first + 1.0, second, tf.nn.softmax(first) * first

    for result, expected in zip(program(), in_steps(program), strict=True):
        np.testing.assert_array_equal(result, expected)


def random_program(seed: int) -> list[Any]:
    """Attention with steps of all kinds, some of which are held, dropped or read."""
    q, k, v = operands(220, 220, 16)
    generator = np.random.default_rng(seed)
    added = tf.constant(generator.normal(size=[*HEADS, 220, 220]).astype("f"))
    visible = np.tri(220, dtype=bool)
    chooser = random.Random(seed)
    raw = tf.matmul(q, k, transpose_b=True)
    kept = []
    scores = raw
    for _ in range(chooser.randrange(3)):
        scores = chooser.choice(
            [
                lambda s: s * 0.5,
                lambda s: s + added,
                lambda s: tf.where(visible, s, -1e9),
                lambda s: s + raw * 0.1,
                tf.tanh,
                lambda s: s - added * 2.0,
            ]
        )(scores)
    if chooser.random() < 0.2:
        kept.append(scores)
    if chooser.random() < 0.1:
        scores.numpy()
    weights = tf.nn.softmax(scores)
    if chooser.random() < 0.3:
        del raw, scores
    if chooser.random() < 0.2:
        kept.append(weights)
    if chooser.random() < 0.15:
        weights = weights * 2.0
    if chooser.random() < 0.2:
        with tf.GradientTape() as tape:
            tape.watch([weights, v])
            result = tf.matmul(weights, v)
        kept += tape.gradient(result, [weights, v])
    else:
        result = tf.matmul(weights, v)
    kept.append(result)
    if chooser.random() < 0.3:
        kept.append(tf.reduce_sum(weights, -1))
    if chooser.random() < 0.3:
        kept.append(tf.matmul(weights, v) + 1.0)
    chooser.shuffle(kept)
    return kept


@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed: int) -> None:
    expected = in_steps(random_program, seed)
    for result, value in zip(random_program(seed), expected, strict=True):
        np.testing.assert_allclose(result, value, atol=2e-4)
