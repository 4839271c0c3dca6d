"""Attention that only moves forwards in its memory (Raffel et al., arXiv 1704.00784)."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.keras.legacy_initializers import Constant
from eagerflow.ops import array, creation
from eagerflow.ops.loops import scan
from eagerflow.random import normal
from eagerflow.typing import DTypeLike, TensorLike
from eagerflow_compat.contrib.seq2seq.attention import (
    AttentionMechanism,
    BahdanauAttention,
    LuongAttention,
)
from eagerflow_compat.v1.variable_scope import get_variable

_ops = _core.ops


def safe_cumprod(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Any:
    """Cumulative products of numbers between 0 and 1, by sums of their logarithms.

    >>> tf.contrib.seq2seq.safe_cumprod(tf.constant([0.5, 0.5, 1.0])).numpy()
    array([0.5 , 0.25, 0.25], dtype=float32)
    """
    x = _core.as_tensor(x)
    least = float(np.finfo(x.dtype.as_numpy_dtype).tiny)
    logs = _ops.log(_ops.clip_by_value(x, least, 1.0))
    return _ops.exp(_ops.cumsum(logs, axis, exclusive, reverse))


def monotonic_attention(p_choose_i: Any, previous_attention: Any, mode: str) -> Any:
    """The weights of steps, each of which is chosen at or behind the step chosen before.

    Args:
        p_choose_i: `[batch, time]`, how probable each step is chosen if it is reached.
        previous_attention: `[batch, time]`, the weights before.
        mode: "recursive", exactly, one step after the other; "parallel", which may be inexact for long
            memories; or "hard", for probabilities of 0 and 1.

    Returns:
        `[batch, time]`.

    Raises:
        ValueError: for another mode.

    >>> chosen = [[0.0, 1.0, 1.0]]
    >>> tf.contrib.seq2seq.monotonic_attention(chosen, [[1.0, 0.0, 0.0]], "hard").numpy()
    array([[0., 1., 0.]], dtype=float32)
    """
    p, before = _core.as_tensor(p_choose_i), _core.as_tensor(previous_attention)
    if mode == "parallel":
        passed = safe_cumprod(1.0 - p, axis=1, exclusive=True)
        reached = before / _ops.clip_by_value(passed, 1e-10, 1.0)
        return p * passed * _ops.cumsum(reached, 1)
    if mode == "hard":
        p = p * _ops.cumsum(before, 1)
        return p * _ops.cumprod(1.0 - p, 1, True)
    if mode == "recursive":
        passed = _ops.concat([_ops.ones_like(p[:, :1]), 1.0 - p[:, :-1]], 1)
        by_time = [_ops.transpose(part, [1, 0]) for part in (passed, before)]
        reached = scan(
            lambda last, now: now[0] * last + now[1], by_time, _ops.zeros_like(before[:, 0])
        )
        return p * _ops.transpose(reached, [1, 0])
    raise ValueError("mode must be 'recursive', 'parallel', or 'hard'.")


class _Monotonic(AttentionMechanism):
    """The part that both mechanisms share: probabilities of scores, and a bias of them."""

    def _set(self, noise: float, seed: int | None, bias: float, mode: str) -> None:
        self._noise, self._seed, self._mode = noise, seed, mode
        self._start = bias
        self._bias: Any = None

    def _score(self, query: Any) -> Any:
        score = super()._score(query)
        if self._bias is None:
            start = Constant(self._start)
            self._bias = get_variable("attention_score_bias", [], query.dtype, start)
        return score + self._bias

    def _probabilities(self, score: Any, state: Any) -> Any:
        if self._noise > 0:
            score = score + self._noise * normal(
                array.shape(score), dtype=score.dtype, seed=self._seed
            )
        hard = self._mode == "hard"
        p = _ops.cast(score > 0, score.dtype) if hard else _ops.sigmoid(score)
        return monotonic_attention(p, state, self._mode)

    def initial_alignments(self, batch_size: Any, dtype: DTypeLike) -> _core.Tensor:
        """The first weights: all at the first step."""
        zeros = _ops.zeros([batch_size], "int32")
        return creation.one_hot(zeros, self.alignments_size, dtype=dtypes.as_dtype(dtype))


class BahdanauMonotonicAttention(_Monotonic, BahdanauAttention):
    """`BahdanauAttention` that only moves forwards.

    Args:
        num_units: the size of the layer.
        memory: `[batch, time, depth]`.
        memory_sequence_length: `[batch]`, how many of the steps count.
        normalize: whether the weights of the layer are normalised.
        score_mask_value: the score of steps that do not count, by default minus infinity.
        sigmoid_noise: how far random numbers change scores before their sigmoid, in training.
        sigmoid_noise_seed: of these numbers.
        score_bias_init: the variable that is added to scores, at first.
        mode: see `monotonic_attention`.
        dtype: of the layers.
        name: accepted.
    """

    _scope = "bahdanau_monotonic_attention"

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        normalize: bool = False,
        score_mask_value: TensorLike | None = None,
        sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: int | None = None,
        score_bias_init: float = 0.0,
        mode: str = "parallel",
        dtype: DTypeLike | None = None,
        name: str = "BahdanauMonotonicAttention",
    ) -> None:
        super().__init__(
            num_units,
            memory,
            memory_sequence_length,
            normalize,
            score_mask_value=score_mask_value,
            dtype=dtype,
        )
        self._set(sigmoid_noise, sigmoid_noise_seed, score_bias_init, mode)


class LuongMonotonicAttention(_Monotonic, LuongAttention):
    """`LuongAttention` that only moves forwards.

    Args:
        num_units: the size of the keys, which is that of the queries.
        memory: `[batch, time, depth]`.
        memory_sequence_length: `[batch]`, how many of the steps count.
        scale: whether scores are multiplied by a variable.
        score_mask_value: the score of steps that do not count, by default minus infinity.
        sigmoid_noise: how far random numbers change scores before their sigmoid, in training.
        sigmoid_noise_seed: of these numbers.
        score_bias_init: the variable that is added to scores, at first.
        mode: see `monotonic_attention`.
        dtype: of the layers.
        name: accepted.
    """

    _scope = "luong_monotonic_attention"

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        scale: bool = False,
        score_mask_value: TensorLike | None = None,
        sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: int | None = None,
        score_bias_init: float = 0.0,
        mode: str = "parallel",
        dtype: DTypeLike | None = None,
        name: str = "LuongMonotonicAttention",
    ) -> None:
        super().__init__(
            num_units,
            memory,
            memory_sequence_length,
            scale,
            score_mask_value=score_mask_value,
            dtype=dtype,
        )
        self._set(sigmoid_noise, sigmoid_noise_seed, score_bias_init, mode)
