"""Dropout for self-normalizing networks, a scaled softplus, and cross entropies with logits first."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.ops import array
from eagerflow.random import uniform
from eagerflow_compat.v1 import nn

_ops = _core.ops

# The limit of selu for large negative numbers.
_LOWEST = -1.7580993408473766


def alpha_dropout(
    x: Any,
    keep_prob: Any,
    noise_shape: Any = None,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Dropout that keeps the mean and the variance of selu's outputs (arXiv 1706.02515).

    Args:
        x: floats.
        keep_prob: the share of elements that is kept, a number or a scalar tensor.
        noise_shape: sizes of 1 drop whole slices.
        seed: makes the mask reproducible.
        name: accepted.

    Raises:
        ValueError: for a number that is not between 0 and 1.
    """
    x = _core.as_tensor(x)
    if isinstance(keep_prob, int | float):
        if not 0 < keep_prob <= 1:
            raise ValueError(
                f"keep_prob must be a scalar tensor or a float in the range (0, 1], got {keep_prob}"
            )
        if keep_prob == 1:
            return x
    keep = _core.convert(keep_prob, x.dtype, None)
    shape = array.shape(x) if noise_shape is None else noise_shape
    kept = _ops.floor(uniform(shape, seed=seed, dtype=x.dtype) + keep)
    scale = _ops.rsqrt(keep + _LOWEST**2 * keep * (1.0 - keep))
    shift = -scale * _LOWEST * (1.0 - keep)
    return scale * (x * kept + _LOWEST * (1.0 - kept)) + shift


def scaled_softplus(x: Any, alpha: Any, clip: Any = None, name: str | None = None) -> Any:
    """`alpha * log(1 + exp(x / alpha))`, at most `clip`.

    >>> tf.contrib.nn.scaled_softplus(tf.constant([-100.0, 100.0]), 0.5, clip=6.0).numpy()
    array([0., 6.], dtype=float32)
    """
    x = _core.as_tensor(x)
    alpha = _core.convert(alpha, x.dtype, None)
    result = alpha * _ops.softplus(x / alpha)
    return result if clip is None else _ops.minimum(result, _core.convert(clip, x.dtype, None))


def flipped_softmax(logits: Any, labels: Any, dim: int = -1, name: str | None = None) -> Any:
    """`tf.nn.softmax_cross_entropy_with_logits` with logits before labels."""
    return nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits, dim=dim, name=name)


def flipped_sparse_softmax(logits: Any, labels: Any, name: str | None = None) -> Any:
    """`tf.nn.sparse_softmax_cross_entropy_with_logits` with logits before labels."""
    return nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name=name)


def flipped_sigmoid(logits: Any, targets: Any, name: str | None = None) -> Any:
    """`tf.nn.sigmoid_cross_entropy_with_logits` with logits before labels."""
    return nn.sigmoid_cross_entropy_with_logits(labels=targets, logits=logits, name=name)
