"""The methods of attention layers that subclasses override, and that programs call by themselves."""

import numpy as np
import pytest

import eagerflow as tf

layers = tf.keras.layers
X = tf.ones([1, 2, 4])


def inputs():
    rng = np.random.default_rng(0)
    query, value = (tf.constant(rng.normal(size=[2, n, 4]), tf.float32) for n in (3, 5))
    query._keras_mask = tf.constant([[True, True, False]] * 2)
    value._keras_mask = tf.constant([[True] * 4 + [False]] * 2)
    return query, value


class TestMasks:
    def test_there_is_none(self):
        layer = layers.MultiHeadAttention(2, 3)
        assert layer._compute_attention_mask(X, X) is None

    def test_a_mask_alone_is_returned(self):
        layer, mask = layers.MultiHeadAttention(2, 3), tf.ones([1, 2, 2])
        assert layer._compute_attention_mask(X, X, attention_mask=mask) is mask

    def test_all_together(self):
        query, value = inputs()
        layer = layers.MultiHeadAttention(2, 3)
        mask = layer._compute_attention_mask(
            query, value, key=value, attention_mask=tf.ones([2, 3, 5]), use_causal_mask=True
        )
        expected = [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0], [0, 0, 0, 0, 0]]
        np.testing.assert_array_equal(mask, np.array([expected] * 2, bool))
        assert layer._compute_causal_mask(query, value).shape == [1, 3, 5]
        assert layer._compute_causal_mask(query).shape == [1, 3, 3]

    def test_that_of_a_subclass_is_used(self):
        class Own(layers.MultiHeadAttention):
            def _compute_attention_mask(self, query, value, key=None, **kwargs):
                return tf.constant([[[True, False], [True, False]]])

        _, weights = Own(2, 3)(X, X, return_attention_scores=True)
        np.testing.assert_array_equal(weights, [[[[1.0, 0.0]] * 2] * 2])

    def test_explicit_masks_reach_that_of_a_subclass(self):
        class Own(layers.MultiHeadAttention):
            def _compute_causal_mask(self, query, value=None):
                return tf.ones([1, 2, 2], tf.bool)

        mask = tf.constant([[True, False]])
        _, weights = Own(2, 3)(
            X, X, return_attention_scores=True, use_causal_mask=True, value_mask=mask
        )
        np.testing.assert_array_equal(weights, [[[[1.0, 0.0]] * 2] * 2])


def test_the_parts_of_a_call():
    """A layer computes what a program does that calls its parts one after another."""
    query, value = inputs()
    layer = layers.MultiHeadAttention(2, 3)
    expected, weights = layer(query, value, return_attention_scores=True, use_causal_mask=True)
    again = layers.MultiHeadAttention(2, 3)
    again._build_from_signature(query=query, value=value)
    mask = again._compute_attention_mask(query, value, use_causal_mask=True)
    projections = [
        part(x)
        for part, x in (
            (layer._query_dense, query),
            (layer._key_dense, value),
            (layer._value_dense, value),
        )
    ]
    result, got = again._compute_attention(*projections, attention_mask=mask)
    np.testing.assert_allclose(got, weights, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(layer._output_dense(result), expected, rtol=1e-5, atol=1e-6)


def test_methods_are_called_in_turn():
    calls = []

    class Own(layers.MultiHeadAttention):
        pass

    for name in (
        "_build_from_signature _get_common_kwargs_for_sublayer _build_attention "
        "_make_output_dense _compute_attention_mask _compute_causal_mask _compute_attention "
        "_masked_softmax"
    ).split():

        def method(self, *args, _name=name, **kwargs):
            calls.append(_name)
            return getattr(super(Own, self), _name)(*args, **kwargs)

        setattr(Own, name, method)
    query, value = inputs()
    tf.keras.utils.set_random_seed(0)
    got = Own(2, 3)(query, value, use_causal_mask=True)
    tf.keras.utils.set_random_seed(0)
    expected = layers.MultiHeadAttention(2, 3)(query, value, use_causal_mask=True)
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)
    kwargs = "_get_common_kwargs_for_sublayer"
    assert calls == [
        "_build_from_signature",
        *[kwargs] * 3,
        "_build_attention",
        kwargs,
        "_make_output_dense",
        "_compute_attention_mask",
        "_compute_causal_mask",
        "_compute_attention",
        "_masked_softmax",
    ]


def test_an_own_softmax():
    class Masked(layers.MultiHeadAttention):
        def _masked_softmax(self, attention_scores, attention_mask=None):
            return super()._masked_softmax(attention_scores * 0.0, attention_mask)

    class Built(layers.MultiHeadAttention):
        def _build_attention(self, rank):
            super()._build_attention(rank)
            self._softmax = layers.Softmax(axis=-2)

    rng = np.random.default_rng(0)
    x = tf.constant(rng.normal(size=[1, 2, 4]), tf.float32)
    _, weights = Masked(2, 3)(x, x, return_attention_scores=True)
    np.testing.assert_allclose(weights, np.full([1, 2, 2, 2], 0.5))
    _, weights = Built(2, 3)(x, x, return_attention_scores=True)
    np.testing.assert_allclose(tf.reduce_sum(weights, -2), np.ones([1, 2, 2]), rtol=1e-6)


def test_an_own_output():
    class Own(layers.MultiHeadAttention):
        def _make_output_dense(self, free_dims, common_kwargs, name=None):
            return layers.EinsumDense(
                "abcd,cde->abe", output_shape=[None, 7], name=name, **common_kwargs
            )

    assert Own(2, 3)(X, X).shape == [1, 2, 7]


@pytest.mark.parametrize("kind", [layers.Attention, layers.AdditiveAttention])
class TestScores:
    def test_that_of_a_subclass_is_used(self, kind):
        calls = []

        class Own(kind):
            def _validate_call_args(self, inputs, mask):
                calls.append("validate")
                super()._validate_call_args(inputs, mask)

            def _apply_scores(self, scores, value, scores_mask=None, training=None):
                calls.append(None if scores_mask is None else scores_mask.shape)
                return super()._apply_scores(
                    scores * 0.0, value, scores_mask=scores_mask, training=training
                )

        rng = np.random.default_rng(0)
        query, value = (tf.constant(rng.normal(size=[1, n, 40]), tf.float32) for n in (3, 30))
        result = Own()([query, value])
        expected = tf.broadcast_to(tf.reduce_mean(value, 1, keepdims=True), [1, 3, 40])
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)
        assert calls[:2] == ["validate", None]
        Own()([query, value], use_causal_mask=True)
        assert [3, 30] in calls

    def test_by_itself(self, kind):
        mask = tf.constant([[[True, False]] * 2])
        result, weights = kind()._apply_scores(
            tf.ones([1, 2, 2]), tf.ones([1, 2, 3]), scores_mask=mask
        )
        assert result.shape == [1, 2, 3]
        np.testing.assert_array_equal(weights, [[[1.0, 0.0]] * 2])
