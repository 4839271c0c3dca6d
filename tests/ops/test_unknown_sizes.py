"""Functions traced with unknown sizes give the results that they give eagerly."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.framework import func_graph
from oracle import registry, static_shapes

# Draws differ from call to call; a list of results has a known length.
_LEFT_OUT = ("random", "dropout", "shuffle", "unstack")
EXPRESSIONS = [
    expression
    for family in ("partial_shapes_domains", "partial_shapes_composed")
    for case in registry.load(family).values()
    if not any(word in (expression := case.run.keywords["expression"]) for word in _LEFT_OUT)
    and all(letter in static_shapes.DTYPES for letter, _ in static_shapes.inputs_of(expression))
]


def _value(letter: str, shape: tuple[int, ...], seed: int):
    random = np.random.default_rng(seed)
    if letter == "s":
        return tf.constant(np.full(shape, "12", object))
    if letter == "b":
        return tf.constant(np.arange(np.prod(shape, dtype=int)).reshape(shape) % 2 == 0)
    if letter in "nl":
        return tf.zeros(shape, static_shapes.DTYPES[letter])
    return tf.cast(random.uniform(0.1, 0.9, shape), static_shapes.DTYPES[letter])


def _results(call):
    """The flat results as arrays, or that the call failed."""
    try:
        results = call()
    except (ValueError, tf.errors.OpError):
        return "error"
    return [np.asarray(part) for part in tf.nest.flatten(results)]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_unknown_sizes(expression):
    inputs = static_shapes.inputs_of(expression)
    code = static_shapes.compiled(expression)

    def call(*values):
        return eval(code, {"tf": tf, "raw": static_shapes.raw(tf), "_inputs": values})

    values = [_value(letter, shape, k) for k, (letter, shape) in enumerate(inputs)]
    expected = _results(lambda: call(*values))
    specs = [
        tf.TensorSpec([None] * len(shape), value.dtype)
        for (_, shape), value in zip(inputs, values, strict=True)
    ]

    def traced():
        graph = func_graph.trace(call, specs, name="call")
        return graph.run(values)

    found = _results(traced)
    if expected == "error":
        assert found == "error"
        return
    assert found != "error", "fails in a graph"
    for one, other in zip(expected, found, strict=True):
        assert one.shape == other.shape and one.dtype == other.dtype
        if one.dtype.kind in "fc":
            np.testing.assert_allclose(one, other, 1e-5, 1e-6)
        else:
            np.testing.assert_array_equal(one, other)
