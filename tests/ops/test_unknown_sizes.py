"""Functions traced with unknown sizes have the results and gradients of eager calls."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.framework import func_graph
from oracle import registry, static_shapes

# Draws differ from call to call; a list of results has a known length.
_LEFT_OUT = ("random", "dropout", "shuffle", "unstack")
EXPRESSIONS = [
    expression
    for family in ("partial_shapes", "partial_shapes_domains", "partial_shapes_composed")
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


def _prepared(expression):
    """A call of the expression, values for its inputs, and specs without their sizes."""
    code, raw = static_shapes.compiled(expression), static_shapes.raw(tf)
    inputs = static_shapes.inputs_of(expression)
    values = [_value(letter, shape, k) for k, (letter, shape) in enumerate(inputs)]
    specs = [tf.TensorSpec([None] * value.shape.rank, value.dtype) for value in values]
    return lambda *given: eval(code, {"tf": tf, "raw": raw, "_inputs": given}), values, specs


def _eagerly_and_traced(call, values, specs):
    expected = _results(lambda: call(*values))
    found = _results(lambda: func_graph.trace(call, specs, name="call").run(values))
    return expected, found


def _compare(expected, found):
    if "error" in (expected, found):
        assert expected == found
        return
    for one, other in zip(expected, found, strict=True):
        assert one.shape == other.shape and one.dtype == other.dtype
        if one.dtype.kind in "fc":
            np.testing.assert_allclose(one, other, 1e-5, 1e-6)
        else:
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_results(expression):
    _compare(*_eagerly_and_traced(*_prepared(expression)))


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_gradients(expression):
    call, values, specs = _prepared(expression)
    differentiable = [k for k, value in enumerate(values) if value.dtype.is_floating]

    def gradients(*given):
        sources = [given[k] for k in differentiable]
        with tf.GradientTape() as tape:
            tape.watch(sources)
            results = [part for part in tf.nest.flatten(call(*given)) if part.dtype.is_floating]
        found = tape.gradient(results, sources, unconnected_gradients="zero")
        return [tf.convert_to_tensor(part) for part in found]

    expected, found = _eagerly_and_traced(gradients, values, specs)
    if expected != "error":  # unused nodes do not run in a graph
        _compare(expected, found)


def test_axes_of_tensors_of_unknown_rank():
    @tf.function(input_signature=[tf.TensorSpec(None, tf.int32)] * 2)
    def columns(x, counts):
        return tf.repeat(x, counts, axis=1)

    matrix = tf.constant([[1, 2], [3, 4]])
    assert columns(matrix, 2).numpy().tolist() == [[1, 1, 2, 2], [3, 3, 4, 4]]
    assert columns(matrix, [2, 1]).numpy().tolist() == [[1, 1, 2], [3, 3, 4]]
    assert columns(matrix[:, :, None], [0, 1]).numpy().tolist() == [[[2]], [[4]]]
    assert columns(matrix[:0], 3).shape == [0, 6]


def test_masks_along_an_axis_known_when_the_function_runs():
    @tf.function(input_signature=[tf.TensorSpec(None, tf.int32)])
    def masked(axis):
        return tf.boolean_mask([[1, 2], [3, 4]], [True, False], axis=axis)

    assert masked(0).numpy().tolist() == [[1, 2]]
    assert masked(1).numpy().tolist() == [[1], [3]]


def test_repeats_along_an_axis_of_unknown_rank_have_gradients():
    @tf.function(input_signature=[tf.TensorSpec(None, tf.float32)])
    def gradient(x):
        return tf.gradients(tf.reduce_sum(tf.repeat(x, [1, 3], axis=1) * 2.0), x)[0]

    assert gradient(tf.ones([2, 2])).numpy().tolist() == [[2.0, 6.0]] * 2
