"""Recurrent layers as loops of programs."""

import numpy as np
import pytest

import eagerflow as tf
from eagerflow import _core
from eagerflow.framework import plugins

pytestmark = pytest.mark.skipif(
    not any(p.is_cpu for p in plugins.installed()) or not _core.pjrt.built_in(),
    reason="needs the package xla-cpu-pjrt",
)
GATED = (
    {},
    {"recurrent_activation": "hard_sigmoid", "activation": "relu"},
    {"go_backwards": True, "activation": "sigmoid", "return_sequences": False},
)
CASES = [(name, options) for name in ("LSTM", "GRU") for options in GATED]
CASES += [("SimpleRNN", {}), ("SimpleRNN", {"activation": "linear", "go_backwards": True})]


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize(("name", "options"), CASES)
def test_layers(name, options, masked):
    """States and all gradients are those of the CPU's kernels."""
    tf.keras.utils.set_random_seed(2)
    layer = getattr(tf.keras.layers, name)(4, **{"return_sequences": True} | options)
    x = tf.random.normal([2, 5, 3])
    mask = tf.constant([[1, 1, 0, 1, 0], [1, 1, 1, 1, 1]]) > 0 if masked else None
    layer(x)

    def outputs(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = layer(x, mask=mask)
            loss = tf.reduce_sum(tf.sin(y))
        return [y, *tape.gradient(loss, [x, *layer.trainable_weights])]

    compiled = tf.function(outputs, jit_compile=True)
    for mine, theirs in zip(compiled(x), outputs(x), strict=True):
        np.testing.assert_allclose(mine.numpy(), theirs.numpy(), 1e-4, 1e-5)
    types = {node.type for node in compiled.get_concrete_function(x).graph.get_operations()}
    assert {name, f"{name}Grad"} <= types
