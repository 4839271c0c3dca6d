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


def test_states_of_known_batches_and_steps_of_unknown_ones() -> None:
    layer = tf.keras.layers.ConvLSTM1D(2, 2, stateful=True, kernel_initializer="ones")
    x = np.linspace(-1.0, 1.0, 24).reshape(2, 3, 4, 1).astype("float32")
    layer.build((2, None, 4, 1))
    expected = layer(x).numpy()
    layer.reset_states()
    spec = tf.TensorSpec([None, None, 4, 1])
    found = tf.function(lambda x: layer(x), input_signature=[spec])(x)
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert np.count_nonzero(layer.states[0].numpy())


def test_reshape_takes_sizes_that_only_a_graph_knows() -> None:
    layer = tf.keras.layers.Reshape((-1, 2))
    function = tf.function(lambda x: layer(x), input_signature=[tf.TensorSpec([None, None, 4])])
    assert function(np.ones((3, 5, 4), "float32")).shape == (3, 10, 2)


def test_sparse_numbers_become_vectors_in_functions() -> None:
    layer = tf.keras.layers.CategoryEncoding(4, output_mode="count")
    ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 1, 3], [2, 2])
    np.testing.assert_array_equal(tf.function(lambda x: layer(x))(ids), layer(ids))
