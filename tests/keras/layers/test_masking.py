"""Masks pass through layers."""

from __future__ import annotations

import numpy as np

import eagerflow as tf

layers = tf.keras.layers


def test_masks_pass_through_layers() -> None:
    ids = tf.constant([[1, 2, 0], [3, 0, 0]])
    embedded = layers.Embedding(5, 4, mask_zero=True)(ids)
    mask = ids.numpy() != 0
    through = layers.Dropout(0.5)(layers.Activation("relu")(layers.Dense(3)(embedded)))
    np.testing.assert_array_equal(through._keras_mask.numpy(), mask)
    mean = layers.GlobalAveragePooling1D()(embedded)
    expected = embedded.numpy()[0, :2].mean(0)
    np.testing.assert_allclose(mean.numpy()[0], expected, rtol=1e-5)
    both = layers.Concatenate(axis=1)([embedded, embedded])
    np.testing.assert_array_equal(both._keras_mask.numpy(), np.concatenate([mask, mask], 1))
    added = layers.Add()([embedded, layers.Masking()(tf.ones([2, 3, 4]))])
    np.testing.assert_array_equal(added._keras_mask.numpy(), mask)
    assert getattr(layers.Flatten()(embedded), "_keras_mask", None) is None
    heads = layers.MultiHeadAttention(2, 3)
    _, weights = heads(embedded, embedded, return_attention_scores=True)
    assert np.all(weights.numpy()[0, :, :2, 2] < 1e-6)


def test_multi_head_attention_takes_arrays():
    x = np.linspace(0, 1, 24, dtype="f").reshape(2, 3, 4)
    layer = tf.keras.layers.MultiHeadAttention(2, 2)
    want = layer(tf.constant(x), tf.constant(x), tf.constant(x), use_causal_mask=True)
    np.testing.assert_array_equal(layer(x, x, x, use_causal_mask=True), want)
