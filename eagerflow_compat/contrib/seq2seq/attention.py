"""Attention to the steps of a memory: how well each fits a query."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.keras.legacy_initializers import Constant, Zeros
from eagerflow.ops import array, creation, norms
from eagerflow.ops.nn.activation import softmax
from eagerflow.typing import DTypeLike, TensorLike
from eagerflow_compat.v1.layers import Dense
from eagerflow_compat.v1.variable_scope import get_variable, variable_scope

_ops = _core.ops


def hardmax(logits: TensorLike, name: str | None = None) -> _core.Tensor:
    """One where a row is largest, zero elsewhere.

    >>> tf.contrib.seq2seq.hardmax([[1.0, 3.0, 2.0]]).numpy()
    array([[0., 1., 0.]], dtype=float32)
    """
    logits = _core.as_tensor(logits)
    best = _ops.argmax(logits, -1)
    return creation.one_hot(best, logits._sizes()[-1], dtype=logits.dtype)


class AttentionMechanism:
    """Base class: keys and values of a memory, and weights of its steps for a query.

    A subclass defines `_score`, and `_scope`, the scope of its variables. The state is the last
    weights.

    Args:
        query_layer: makes of a query what keys are compared with, or None.
        memory: `[batch, time, depth]`.
        memory_layer: makes keys of values.
        memory_sequence_length: `[batch]`, how many of the steps count.
        probability_fn: makes weights of scores; by default `tf.nn.softmax`.
        score_mask_value: the score of steps that do not count, by default minus infinity.
        custom_key_value_fn: takes keys and values, and returns others.
    """

    _scope = "attention"

    def __init__(
        self,
        query_layer: Any,
        memory: Any,
        memory_layer: Any,
        memory_sequence_length: Any,
        probability_fn: Callable[..., _core.Tensor] | None,
        score_mask_value: TensorLike | None,
        custom_key_value_fn: Callable[..., tuple[_core.Tensor, _core.Tensor]] | None,
    ) -> None:
        self._query_layer = query_layer
        self._memory_layer = memory_layer
        self._probability_fn = probability_fn or softmax
        memory = _core.as_tensor(memory)
        self.dtype = memory.dtype
        self._within: Any = None
        if memory_sequence_length is not None:
            lengths = _core.as_tensor(memory_sequence_length)
            self._within = creation.sequence_mask(lengths, array.shape(memory)[1])
            flags = _ops.reshape(
                self._within, [*memory._sizes()[:2]] + [1] * (memory.shape.rank - 2)
            )
            memory = memory * _ops.cast(flags, memory.dtype)
        self._mask_value = float("-inf") if score_mask_value is None else score_mask_value
        self._values = memory
        self._keys = memory if memory_layer is None else memory_layer(memory)
        if custom_key_value_fn is not None:
            self._keys, self._values = custom_key_value_fn(self._keys, self._values)

    @property
    def keys(self) -> _core.Tensor:
        """What queries are compared with, `[batch, time, units]`."""
        return self._keys

    @property
    def values(self) -> Any:
        """The memory, zeros beyond the lengths."""
        return self._values

    @property
    def memory_layer(self) -> Any:
        """The layer that makes keys."""
        return self._memory_layer

    @property
    def query_layer(self) -> Any:
        """The layer of queries, or None."""
        return self._query_layer

    @property
    def batch_size(self) -> _core.Tensor:
        """The number of rows."""
        return array.shape(self._keys)[0]

    @property
    def alignments_size(self) -> Any:
        """The number of steps."""
        return self._keys._sizes()[1]

    @property
    def state_size(self) -> Any:
        """The size of the state."""
        return self.alignments_size

    def initial_alignments(self, batch_size: TensorLike, dtype: DTypeLike) -> _core.Tensor:
        """The first weights: zeros."""
        sizes = _ops.stack([batch_size, self.alignments_size], 0)
        return _ops.zeros(sizes, dtypes.as_dtype(dtype))

    def initial_state(self, batch_size: TensorLike, dtype: DTypeLike) -> _core.Tensor:
        """The first state: the first weights."""
        return self.initial_alignments(batch_size, dtype)

    def __call__(self, query: _core.Tensor, state: Any) -> tuple[_core.Tensor, _core.Tensor]:
        """The weights of the steps for a query `[batch, depth]`, and the next state, the same."""
        with variable_scope(self._scope):
            score = self._score(query)
        if self._within is not None:
            hidden = _ops.fill(
                _core.convert(self._mask_value, score.dtype, None), array.shape(score)
            )
            score = _ops.select(self._within, score, hidden)
        alignments = self._probabilities(score, state)
        return alignments, alignments

    def _probabilities(self, score: Any, state: Any) -> _core.Tensor:
        """The weights for scores, and the state before."""
        return self._probability_fn(score)

    def _score(self, query: Any) -> _core.Tensor:
        raise NotImplementedError(f"{type(self).__name__} defines no score.")


def _dense(units: int, name: str, dtype: Any) -> Dense:
    return Dense(units, use_bias=False, name=name, dtype=dtype)


class LuongAttention(AttentionMechanism):
    """The product of query and key (Luong et al., EMNLP 2015).

    Args:
        num_units: the size of the keys, which is that of the queries.
        memory: `[batch, time, depth]`.
        memory_sequence_length: `[batch]`, how many of the steps count.
        scale: whether scores are multiplied by a variable, "attention_g".
        probability_fn: makes weights of scores; by default `tf.nn.softmax`.
        score_mask_value: the score of steps that do not count, by default minus infinity.
        dtype: of the layers.
        custom_key_value_fn: takes keys and values, and returns others.
        name: accepted.
    """

    _scope = "luong_attention"

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        scale: bool = False,
        probability_fn: Callable[..., _core.Tensor] | None = None,
        score_mask_value: TensorLike | None = None,
        dtype: DTypeLike | None = None,
        custom_key_value_fn: Callable[..., tuple[_core.Tensor, _core.Tensor]] | None = None,
        name: str = "LuongAttention",
    ) -> None:
        super().__init__(
            None,
            memory,
            _dense(num_units, "memory_layer", dtype),
            memory_sequence_length,
            probability_fn,
            score_mask_value,
            custom_key_value_fn,
        )
        self._num_units = num_units
        self._scale = scale
        self._factor: Any = None

    def _score(self, query: Any) -> _core.Tensor:
        depth = query.shape[-1]
        if depth != self._keys.shape[-1]:
            raise ValueError(
                f"Query and keys have different sizes: {depth} and {self._keys.shape[-1]}. Perhaps "
                "num_units should be the number of units of the cell."
            )
        score = _ops.squeeze(
            _ops.matmul(_ops.expand_dims(query, 1), self._keys, transpose_b=True), [1]
        )
        if not self._scale:
            return score
        if self._factor is None:
            self._factor = get_variable("attention_g", [], query.dtype, Constant(1.0))
        return self._factor * score


class BahdanauAttention(AttentionMechanism):
    """A layer over the sum of query and key (Bahdanau, Cho and Bengio, ICLR 2015).

    Args:
        num_units: the size of the layer.
        memory: `[batch, time, depth]`.
        memory_sequence_length: `[batch]`, how many of the steps count.
        normalize: whether the weights of the layer are normalised (Salimans and Kingma, 2016).
        probability_fn: makes weights of scores; by default `tf.nn.softmax`.
        score_mask_value: the score of steps that do not count, by default minus infinity.
        dtype: of the layers.
        custom_key_value_fn: takes keys and values, and returns others.
        name: accepted.
    """

    _scope = "bahdanau_attention"

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        normalize: bool = False,
        probability_fn: Callable[..., _core.Tensor] | None = None,
        score_mask_value: TensorLike | None = None,
        dtype: DTypeLike | None = None,
        custom_key_value_fn: Callable[..., tuple[_core.Tensor, _core.Tensor]] | None = None,
        name: str = "BahdanauAttention",
    ) -> None:
        super().__init__(
            _dense(num_units, "query_layer", dtype),
            memory,
            _dense(num_units, "memory_layer", dtype),
            memory_sequence_length,
            probability_fn,
            score_mask_value,
            custom_key_value_fn,
        )
        self._num_units = num_units
        self._normalize = normalize
        self._weights: tuple[Any, ...] = ()

    def _score(self, query: Any) -> _core.Tensor:
        if not self._weights:
            self._weights = self._made_weights(query.dtype)
        projected = _ops.expand_dims(self._query_layer(query), 1)
        v, *normal = self._weights
        if not normal:
            return _ops.reduce_sum(v * _ops.tanh(self._keys + projected), [2])
        g, b = normal
        unit = norms.unit(v) * g
        return _ops.reduce_sum(unit * _ops.tanh(self._keys + projected + b), [2])

    def _made_weights(self, dtype: DTypeLike) -> tuple[Any, ...]:
        units = self._num_units
        v = get_variable("attention_v", [units], dtype)
        if not self._normalize:
            return (v,)
        g = get_variable("attention_g", [], dtype, Constant((1.0 / units) ** 0.5))
        return v, g, get_variable("attention_b", [units], dtype, Zeros())
