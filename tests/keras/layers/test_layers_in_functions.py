"""Layers in traced functions, whose batch size is unknown, compute what they compute at once."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

import eagerflow as tf
from eagerflow.framework import func_graph
from layer_cases import FAMILIES, flat

CASES = [
    (family, case, known)
    for family in FAMILIES
    for case in importlib.import_module(f"layer_cases.{family}").CASES
    for known in (True, False)
]
IDS = [f"{family}/{case.name}-{'known' if known else 'unknown'}" for family, case, known in CASES]


@pytest.mark.parametrize(("family", "case", "known"), CASES, ids=IDS)
def test_layer_in_a_function(family, case, known):
    layer = case.make(tf.keras.layers)
    tensors = [tf.constant(array) for array in case.arrays]
    call = case.arguments(tf)

    def run(*inputs):
        return flat(layer(case.packed(inputs), **call))

    run(*tensors)
    weights = layer.get_weights()
    expected = run(*tensors)
    layer.set_weights(weights)  # some layers change theirs in training
    specs = [
        tf.TensorSpec(t.shape if known else [None, *t.shape[1:]] if t.shape.rank else [], t.dtype)
        for t in tensors
    ]
    graph = func_graph.trace(run, specs, name="call")
    results = func_graph.pack_outputs(graph, graph.run(tensors))
    assert len(results) == len(expected)
    for result, value, static in zip(results, expected, graph.outputs, strict=False):
        assert static.shape.is_compatible_with(value.shape)
        assert result.dtype == value.dtype
        # What a function draws, it draws from streams of its own.
        if family != "noise" and not case.name.startswith("Random"):
            if value.dtype == tf.string:
                np.testing.assert_array_equal(result, value)
            else:
                np.testing.assert_allclose(result, value, rtol=1e-5, atol=1e-6)
