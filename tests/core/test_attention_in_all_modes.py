"""A program that contains attention in steps is fused in the same way in every mode.

The modes are eager execution, a traced function, and a traced function with gradients. Each is
tested with all masks and scales of scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import eagerflow as tf
from fusing import fusing, fusions_of

# With fewer keys, products of bfloat16 are faster than fusion on some processors.
HEADS, QUERIES, KEYS, SIZE = [2, 3], 90, 530, 16

Scores = Callable[[Any], Any]
generator = np.random.default_rng(0)
VISIBLE = generator.random([QUERIES, KEYS]) < 0.7


def like(value: Any, scores: Any) -> Any:
    """A constant of the scores' dtype."""
    return tf.cast(tf.constant(np.asarray(value, np.float32)), scores.dtype)


PRODUCTS: dict[str, Callable[[Any, Any], Any]] = {
    "transposed": lambda q, k: tf.matmul(q, k, transpose_b=True),
    "adjoint": lambda q, k: tf.matmul(q, k, adjoint_b=True),
    "columns": lambda q, k: tf.matmul(q, tf.linalg.matrix_transpose(k)),
}
SCALES: dict[str, Scores] = {
    "unscaled": lambda s: s,
    "times": lambda s: s * 0.25,
    "times from the left": lambda s: like(0.25, s) * s,
    "divided": lambda s: s / 4.0,
    "several": lambda s: 0.5 * s * 1.5 / tf.sqrt(like(5, s)),
    "one element": lambda s: s * like([0.25], s),
    "one element of rank 4": lambda s: s / like([[[[4]]]], s),
    "identity": lambda s: tf.identity(tf.identity(s) * 0.25),
}
MASKS: dict[str, Scores] = {
    "unmasked": lambda s: s,
    "added": lambda s: s + like(np.where(VISIBLE, 0, -3e4), s),
    "added from the left": lambda s: like(np.where(VISIBLE, 0, -3e4), s) + s,
    "subtracted": lambda s: s - like(np.where(VISIBLE, 0, 3e4), s),
    "padding": lambda s: s + like(np.where(VISIBLE[0], 0, -3e4).reshape(1, 1, 1, KEYS), s),
    "heads": lambda s: s + like(np.linspace(-1, 1, 3 * KEYS).reshape(3, 1, KEYS), s),
    "number": lambda s: s + 3.0,
    "number from the left": lambda s: like([3], s) + s,
    "number subtracted": lambda s: s - like([[3]], s),
    "chosen": lambda s: tf.where(VISIBLE, s, like(-3e4, s)),
    "hidden": lambda s: tf.where(VISIBLE, like([-0.5], s), s),
}
SHIFTS: dict[str, Scores] = {
    "unshifted": lambda s: s,
    "added": lambda s: s + 1e-9,
    "added from the left": lambda s: like(1e-9, s) + s,
    "subtracted": lambda s: s - like([1e-9], s),
    "several": lambda s: tf.identity(s + 1e-9) - 1e-9,
}
PROGRAMS = [
    # The shorter lists alternate, so that all pairs of the longest two are tested.
    (list(PRODUCTS)[i % 3], scale, mask, list(SHIFTS)[i % 5])
    for i, (scale, mask) in enumerate((scale, mask) for scale in SCALES for mask in MASKS)
]


@pytest.fixture(autouse=True)
def _fusing() -> Iterator[None]:
    with fusing(True):
        yield


def operands(dtype: str) -> list[tf.Tensor]:
    rng = np.random.default_rng(1)
    return [
        tf.cast(tf.constant(rng.normal(size=[*HEADS, count, SIZE]).astype("f")), dtype)
        for count in (QUERIES, KEYS, KEYS)
    ]


def program_of(product: str, *steps: Scores) -> Callable[..., Any]:
    def program(query: Any, key: Any, value: Any) -> Any:
        scores = PRODUCTS[product](query, key)
        for step in steps:
            scores = step(scores)
        return tf.matmul(tf.nn.softmax(scores), value)

    return program


def with_gradients(program: Callable[..., Any]) -> Callable[..., Any]:
    def both(*inputs: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            result = program(*inputs)
            loss = tf.reduce_sum(tf.sin(tf.cast(result, tf.float32)))
        return result, *tape.gradient(loss, inputs)

    return both


def attentions_of(function: Callable[..., Any], *inputs: Any) -> list[tuple[Any, ...]]:
    return [f for f in fusions_of(lambda: function(*inputs)) if f[1].startswith("attention")]


def check(program: Callable[..., Any], dtype: str, fuses: bool, selects: bool) -> None:
    """Each mode fuses the program or none does, and all compute the values of single steps.

    Selections have no fused gradient.
    """
    inputs = operands(dtype)
    both = with_gradients(program)
    with fusing(False):
        expected = [tf.cast(x, tf.float32).numpy() for x in both(*inputs)]
    traced, traced_both = tf.function(program), tf.function(both)
    eager = attentions_of(program, *inputs)
    assert [fusion[1] for fusion in eager] == ["attention"] * fuses
    assert attentions_of(traced, *inputs) == eager
    backward = attentions_of(traced_both, *inputs)
    names = ["attention", "attention's gradient"] if fuses and not selects else []
    assert [fusion[1] for fusion in backward] == names
    tolerance = {"float32": 1e-5, "float16": 1e-2, "bfloat16": 8e-2}[dtype]
    for results in ([program(*inputs)], [traced(*inputs)], traced_both(*inputs)):
        for result, steps in zip(results, expected, strict=False):
            assert result.dtype == dtype
            scale = tolerance * np.abs(steps).max()
            np.testing.assert_allclose(tf.cast(result, tf.float32), steps, rtol=0, atol=scale)


@pytest.mark.parametrize("product, scale, mask, shift", PROGRAMS)
def test_programs_in_all_modes(product: str, scale: str, mask: str, shift: str) -> None:
    selects = mask in ("chosen", "hidden")
    steps = SCALES[scale], MASKS[mask], SHIFTS[shift]
    check(program_of(product, *steps), "float32", fuses=True, selects=selects)


@pytest.mark.parametrize("mask", MASKS)
def test_shifts_between_scales_and_masks(mask: str) -> None:
    steps = SCALES["times"], SHIFTS["added"], MASKS[mask], SHIFTS["subtracted"]
    check(program_of("columns", *steps), "float32", True, mask in ("chosen", "hidden"))


@pytest.mark.parametrize("mask", MASKS)
def test_large_shifts_of_masked_scores_run_in_steps(mask: str) -> None:
    steps = SCALES["times"], MASKS[mask], MASKS["number"]
    fuses = mask == "unmasked"
    check(program_of("transposed", *steps), "float32", fuses, mask in ("chosen", "hidden"))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("scale", ["divided", "identity"])
def test_short_floats_in_all_modes(scale: str, mask: str, dtype: str) -> None:
    steps = SCALES[scale], MASKS[mask], SHIFTS["added"]
    check(program_of("transposed", *steps), dtype, True, mask in ("chosen", "hidden"))


@pytest.mark.parametrize(
    "steps",
    [
        (MASKS["added"], SCALES["times"]),  # the mask is scaled, too
        (MASKS["added"], MASKS["padding"]),
        (MASKS["chosen"], MASKS["added"]),
        (lambda s: s + s,),
        (lambda s: like(4, s) / s,),
        (lambda s: 3.0 - s,),
        (lambda s: s * like(np.ones([1, KEYS]), s),),
        (tf.tanh,),
    ],
)
def test_other_programs_run_in_steps(steps: tuple[Scores, ...]) -> None:
    check(program_of("transposed", *steps), "float32", fuses=False, selects=True)
