"""What programs that extend tf.keras.layers.MultiHeadAttention use of it."""

from __future__ import annotations

import numpy as np
import pytest

import eagerflow as tf

LAYER = tf.keras.layers.MultiHeadAttention


@pytest.mark.parametrize(
    ("shape", "axes", "equations"),
    [
        ((1, 2, 8), None, ("aecd,abcd->acbe", "acbe,aecd->abcd")),
        ((1, 2, 3, 8), (1, 2), ("afgde,abcde->adbcfg", "adbcfg,afgde->abcde")),
        ((1, 2, 3, 8), (2,), ("abfde,abcde->abdcf", "abdcf,abfde->abcde")),
    ],
)
def test_equations_of_the_products(shape, axes, equations):
    layer = LAYER(2, 4, attention_axes=axes)
    layer(tf.ones(shape), tf.ones(shape))
    assert (layer._dot_product_equation, layer._combine_equation) == equations


class _Own(LAYER):
    def _compute_attention(self, query, key, value, attention_mask=None, training=None):
        return super()._compute_attention(query, key, value, attention_mask, training)


@pytest.mark.parametrize("axes", [None, (1, 2), (2,)])
def test_subclasses_compute_the_attention_themselves(axes):
    rng = np.random.default_rng(0)
    shape = (2, 3, 4, 8) if axes else (2, 3, 8)
    x = tf.constant(rng.normal(size=shape), tf.float32)
    layer, own = LAYER(2, 4, attention_axes=axes), _Own(2, 4, attention_axes=axes)
    mask = None if axes else tf.constant(rng.random((2, 3, 3)) > 0.3)
    for each in (layer, own):
        each(x, x)
    own.set_weights(layer.get_weights())
    expected = layer(x, x, attention_mask=mask, return_attention_scores=True)
    found = own(x, x, attention_mask=mask, return_attention_scores=True)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


def test_layers_are_built_from_lists():
    layer = LAYER(2, 4)
    layer._build_from_signature([None, 3, 8], [None, 3, 8])
    assert layer._query_dense.name == "query"


@pytest.mark.parametrize(
    "query, key, value",
    [
        ((2, 3, 8), (1, 3, 8), (1, 3, 8)),
        ((1, 3, 8), (2, 3, 8), (2, 3, 8)),
        ((2, 3, 8), (1, 3, 8), (2, 3, 8)),
        ((2, 3, 8), (2, 3, 8), (1, 3, 8)),
        ((2, 3, 4, 8), (2, 1, 4, 8), (2, 1, 4, 8)),
    ],
)
def test_batches_are_not_broadcast(query, key, value):
    layer = LAYER(2, 4, attention_axes=len(query) - 2)
    inputs = [tf.ones(shape) for shape in (query, value, key)]
    with pytest.raises(tf.errors.InvalidArgumentError, match="same size along axis"):
        layer(*inputs)
    with pytest.raises(ValueError, match="same size along axis"):
        tf.function(layer)(*inputs)


def test_inputs_have_positions():
    with pytest.raises(IndexError, match=r"\[batch, queries, size\]"):
        LAYER(2, 4)(tf.ones([3, 8]), tf.ones([3, 8]))
