"""Attention, and dense layers in Einstein's notation."""

from __future__ import annotations

from typing import Any

import numpy as np

from layer_cases import Case, values

QUERY, VALUE, KEY = values(2, 3, 4), values(2, 5, 4, seed=1), values(2, 5, 4, seed=2)
SHORT = np.arange(5) < np.array([[3], [5]])
MASKS = {"mask": [np.array([[True, True, False], [True, True, True]]), SHORT]}
PAIRS = values(2, 3, 5, seed=7) > -1.0
SCORES = {"return_attention_scores": True}


def heads(arguments: dict[str, Any], call: dict[str, Any] | None = None, x: Any = None) -> Any:
    """A case's layer, input and call; the query is the input, the value an argument."""
    return (
        lambda k: k.MultiHeadAttention(num_heads=2, key_dim=3, **arguments),
        QUERY if x is None else x,
        {"value": VALUE, **(call or {})},
    )


CASES = [
    Case("attention", lambda k: k.Attention(), [QUERY, VALUE]),
    Case("attention-key", lambda k: k.Attention(use_scale=True), [QUERY, VALUE, KEY], SCORES,
         shape=False),
    Case("attention-mask", lambda k: k.Attention(dropout=0.3), [QUERY, VALUE], MASKS,
         examples=False),
    Case("attention-causal", lambda k: k.Attention(), [QUERY, VALUE], {"use_causal_mask": True}),
    Case("attention-concat", lambda k: k.Attention(score_mode="concat"), [QUERY, VALUE]),
    Case("attention-concat-scale", lambda k: k.Attention(True, "concat"), [QUERY, VALUE, KEY]),
    Case("additive", lambda k: k.AdditiveAttention(), [QUERY, VALUE, KEY]),
    Case("additive-mask", lambda k: k.AdditiveAttention(use_scale=False), [QUERY, VALUE],
         {**MASKS, **SCORES, "use_causal_mask": True}, examples=False, shape=False),
    *(
        Case(f"heads-{name}", make, x, call, examples=False, shape=False)
        for name, (make, x, call) in {
            "plain": heads({}),
            "scores": heads({"value_dim": 5, "use_bias": False}, SCORES),
            "mask": heads({}, {"attention_mask": PAIRS, **SCORES}),
            "robust": heads({"softmax_robust_masking": True}, {"attention_mask": PAIRS}),
            "causal": heads({"dropout": 0.5}, {"use_causal_mask": True, **SCORES}),
            "key": heads({"output_shape": (6,)}, {"key": KEY}),
            "functions": heads(
                {
                    "kernel_regularizer": "l2",
                    "activity_regularizer": "l2",
                    "bias_initializer": "ones",
                    "kernel_constraint": "max_norm",
                }
            ),
            "axes": heads(
                {"attention_axes": (2,)}, {"value": values(2, 3, 5, 4, seed=1)}, values(2, 3, 2, 4)
            ),
            "two-axes": heads(
                {}, {"value": values(2, 3, 2, 4, seed=1), **SCORES}, values(2, 2, 3, 4)
            ),
        }.items()
    ),
    Case("einsum", lambda k: k.EinsumDense("ab,bc->ac", 5, bias_axes="c"), values(3, 4), shape=False),
    Case("einsum-sequence", lambda k: k.EinsumDense("abc,cd->abd", (None, 6)), QUERY, shape=False),
    Case(
        "einsum-dots",
        lambda k: k.EinsumDense("...x,xy->...y", 6, bias_axes="y", activation="relu"),
        values(2, 3, 2, 4),
        shape=False,
    ),
    Case(
        "einsum-right",
        lambda k: k.EinsumDense("ab...,bc->ac...", 5, bias_axes="c"),
        values(2, 3, 2, 4),
        shape=False,
    ),
    Case(
        "einsum-heads",
        lambda k: k.EinsumDense("abc,cde->abde", (None, 2, 3), bias_axes="de"),
        QUERY,
        shape=False,
    ),
    Case(
        "einsum-join",
        lambda k: k.EinsumDense("abcd,cde->abe", (None, 6), kernel_regularizer="l2"),
        values(2, 3, 2, 4),
        shape=False,
    ),
    Case("einsum-swap", lambda k: k.EinsumDense("abc,cde->aebd", (5, 3, 2), bias_axes="e"), QUERY,
         shape=False),
]  # fmt: skip
