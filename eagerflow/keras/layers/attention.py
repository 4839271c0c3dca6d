"""Attention with scores of scalar products or sums (Luong et al., 2015; Bahdanau et al., 2014)."""

from __future__ import annotations

import functools
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape, as_shape
from eagerflow.keras.engine.calls.training_mode import by_training, may_train
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.layers.arguments import as_bool, overrides
from eagerflow.keras.layers.random_layer import BaseRandomLayer
from eagerflow.keras.typing import LayerOptions, Unpack
from eagerflow.typing import ShapeLike

_ops = _core.ops


def causal_mask(rows: int, columns: int) -> _core.Tensor:
    """The causal mask `[rows, columns]`: True where a column is not after the row."""
    return _ops.greater_equal(
        _ops.expand_dims(_ops.range(0, rows, 1), 1), _ops.range(0, columns, 1)
    )


def whole_mask(inputs: Any, mask: object, use_causal_mask: bool, others: Any = ()) -> Any:
    """The conjunction of an attention mask, the inputs' masks, the causal mask and others.

    Args:
        inputs: the query, the value and the key or None, each with a mask in place of its own, or None.
        mask: `[batch, queries, keys]`, or None; without another mask it is returned as it is.
        use_causal_mask: whether queries attend to no later keys.
        others: `[batch or 1, queries, keys]`.
    """
    masks = list(others)
    for (tensor, explicit), axis in zip(inputs, (2, 1, 1), strict=True):
        own = getattr(tensor, "_keras_mask", None) if explicit is None else explicit
        if own is not None:
            masks.append(_ops.expand_dims(as_bool(own), axis))
    if use_causal_mask:
        rows, columns = (tensor._sizes()[1] for tensor, _ in inputs[:2])
        masks.append(_ops.expand_dims(causal_mask(rows, columns), 0))
    if not masks:
        return mask
    if mask is not None:
        masks.append(as_bool(mask))
    return functools.reduce(_ops.logical_and, masks)


# Numbers of the keys of a head, of which fewer are multiplied faster one by one.
_SMALL = 1024


def needs_no_scores(query: Any, key: Any, value: Any) -> bool:
    """Whether `attended` can take these, and that pays.

    While a graph is built it is False: the plan finds the operations that attention consists of.
    """
    if _core.building() is not None or not _core.fuses():
        return False
    if any(x.dtype is not dtypes.float32 for x in (query, key, value)):
        return False
    shapes = [x.shape for x in (query, key, value)]
    if any(s.rank is None or s.rank < 3 or not s.is_fully_defined() for s in shapes):
        return False
    if not all(
        isinstance(x, _core.Tensor) and _core.device_of(x) == 0 for x in (query, key, value)
    ):
        return False  # other devices have the operations that attention consists of
    first, *others = (s.as_list()[:-2] for s in shapes)
    return others == [first, first] and shapes[1][-2] * shapes[1][-1] >= _SMALL


def attended(query: Any, key: Any, value: Any, mask: Any = None) -> _core.Tensor:
    """`softmax(query @ keyᵀ + mask) @ value` without the scores in memory."""
    operands = [query, key, value] if mask is None else [query, key, value, mask]
    return _ops.attention(*operands)[0]


def _hidden(allowed: Any, dtype: dtypes.DType) -> Any:
    """What is subtracted from scores, large for keys that are not allowed; None if nothing."""
    if allowed is None:
        return None
    low = 65504.0 if dtype is dtypes.float16 else 1.0e9
    return _ops.multiply(_ops.cast(_ops.logical_not(allowed), dtype), low)


class _Attention(BaseRandomLayer):
    """The sum of values, weighted by the softmax of scores of queries and keys."""

    def __init__(self, dropout: float = 0.0, **kwargs: Any) -> None:
        # A removed argument that programs still pass.
        causal = kwargs.pop("causal", False)
        super().__init__(**kwargs)
        self.causal = causal
        self.dropout = dropout
        self.supports_masking = True
        self._masks_only_from_masks = True

    def _calculate_scores(self, query: _core.Tensor, key: object) -> Any:
        raise NotImplementedError

    def _scores_are_products(self) -> bool:
        """Whether the scores are those of queries and keys, and nothing else."""
        return False

    def call(
        self,
        inputs: Any,
        mask: Any = None,
        training: Any = None,
        return_attention_scores: bool = False,
        use_causal_mask: bool = False,
    ) -> Any:
        self._validate_call_args(inputs, mask)
        query, value = inputs[0], inputs[1]
        key = inputs[2] if len(inputs) > 2 else value
        drops = self.dropout > 0 and may_train(training)
        products = self._scores_are_products() and not (return_attention_scores or drops)
        if products and needs_no_scores(query, key, value):
            sizes = query.shape[-2], key.shape[-2]
            hidden = _hidden(self._allowed(mask, use_causal_mask, sizes), query.dtype)
            result = attended(query, key, value, None if hidden is None else _ops.negative(hidden))
        else:
            scores = self._calculate_scores(query, key)
            allowed = self._allowed(mask, use_causal_mask, scores._sizes()[-2:])
            result, weights = self._apply_scores(scores, value, allowed, training)
        if mask and mask[0] is not None:
            shown = _ops.cast(_ops.expand_dims(mask[0], -1), result.dtype)
            result = _ops.multiply(result, shown)
        return (result, weights) if return_attention_scores else result

    def _apply_scores(
        self, scores: Any, value: Any, scores_mask: Any = None, training: Any = None
    ) -> tuple[Any, Any]:
        """The values by the softmax of their scores, and that; subclasses override it.

        Args:
            scores: `[batch, queries, keys]`.
            value: `[batch, keys, dim]`.
            scores_mask: True where a query attends to a key, or None.
            training: whether weights are dropped.
        """
        hidden = _hidden(scores_mask, scores.dtype)
        weights = _ops.softmax(scores if hidden is None else _ops.subtract(scores, hidden))
        if self.dropout > 0 and may_train(training):
            full_weights = weights
            dropped = functools.partial(self._random_generator.dropout, full_weights, self.dropout)
            weights = by_training(training, lambda on: dropped() if on else full_weights)
        return _ops.matmul(weights, value), weights

    def _allowed(self, mask: Any, causal: bool, sizes: Any) -> Any:
        """True where a query attends to a key, for scores of these sizes; None if everywhere."""
        allowed = None
        if mask and mask[1] is not None:
            allowed = _ops.expand_dims(mask[1], -2)
        if self.causal or causal:
            earlier = causal_mask(*sizes)
            allowed = earlier if allowed is None else _ops.logical_and(allowed, earlier)
        return allowed

    def compute_mask(self, inputs: list[_core.Tensor], mask: Any = None) -> _core.Tensor | None:
        self._validate_call_args(inputs, mask)
        return mask[0] if mask else None

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        query, value = as_shape(input_shape[0]), as_shape(input_shape[1])
        return query[:-1].concatenate(value[-1])

    def _validate_call_args(self, inputs: list[_core.Tensor], mask: object) -> None:
        kind = type(self).__name__
        if not isinstance(inputs, list):
            raise ValueError(
                f"{kind} layer must be called on a list of inputs, namely [query, value] or "
                f"[query, value, key]. Received: {inputs}."
            )
        if not 2 <= len(inputs) <= 3:
            raise ValueError(
                f"{kind} layer accepts inputs list of length 2 or 3, namely [query, value] or "
                f"[query, value, key]. Received length: {len(inputs)}."
            )
        if not mask:
            return
        if not isinstance(mask, list):
            raise ValueError(
                f"{kind} layer mask must be a list, namely [query_mask, value_mask]. "
                f"Received: {mask}."
            )
        if not 2 <= len(mask) <= len(inputs):
            raise ValueError(
                f"{kind} layer mask must be a list of length 2, namely [query_mask, value_mask]. "
                f"Received length: {len(mask)}."
            )

    def get_config(self) -> dict[str, bool | str]:
        return {**super().get_config(), "dropout": self.dropout}


class Attention(_Attention):
    """Attention whose scores are scalar products of queries and keys.

    Args:
        use_scale: whether scores are multiplied by a learned number.
        score_mode: "dot", or "concat" for the sum of tanh(query + key).
        **kwargs: `dropout` (of the weights, in training), `name`, `dtype`, …

    It is called with a list: queries `[batch, queries, dim]`, values `[batch, keys, dim]`, and
    keys of the values' shape (by default the values). A call takes `mask` (a list of bool tensors
    for queries and values), `training`, `return_attention_scores` and `use_causal_mask`.

    Raises:
        ValueError: for another mode, or inputs that are no such list.

    >>> tf.keras.layers.Attention()([tf.ones([2, 3, 4]), tf.ones([2, 5, 4])]).shape
    TensorShape([2, 3, 4])
    """

    def __init__(self, use_scale: bool = False, score_mode: str = "dot", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.use_scale = use_scale
        self.score_mode = score_mode
        if score_mode not in ("dot", "concat"):
            raise ValueError(
                f"Received: score_mode={score_mode}. Acceptable values are: ['dot', 'concat']"
            )

    def build(self, input_shape: ShapeLike) -> None:
        self.scale: Any = None
        self.concat_score_weight: Any = None
        if self.use_scale:
            self.scale = self.add_weight(
                name="scale", shape=(), initializer="ones", dtype=self.dtype, trainable=True
            )
        if self.score_mode == "concat":
            self.concat_score_weight = self.add_weight(
                name="concat_score_weight",
                shape=(),
                initializer="ones",
                dtype=self.dtype,
                trainable=True,
            )
        Layer.build(self, input_shape)

    def _calculate_scores(self, query: _core.Tensor, key: Any) -> _core.Tensor:
        if self.score_mode == "dot":
            scores = _ops.matmul(query, key, False, True)
            return scores if self.scale is None else _ops.multiply(scores, self.scale)
        both = _ops.add(_ops.expand_dims(query, -2), _ops.expand_dims(key, -3))
        if self.scale is not None:
            both = _ops.multiply(both, self.scale)
        sums = _ops.reduce_sum(_ops.tanh(both), axis=-1)
        return _ops.multiply(sums, self.concat_score_weight)

    def _scores_are_products(self) -> bool:
        plain = not overrides(self, Attention, "_calculate_scores _apply_scores")
        return plain and self.score_mode == "dot" and self.scale is None


class AdditiveAttention(_Attention):
    """Attention whose scores are sums of tanh(query + key).

    Args:
        use_scale: whether the terms of the sum have learned factors.
        **kwargs: `dropout` (of the weights, in training), `name`, `dtype`, …

    It is called as `Attention`.

    Raises:
        ValueError: if the inputs are no list of two or three tensors.

    >>> tf.keras.layers.AdditiveAttention()([tf.ones([2, 3, 4]), tf.ones([2, 5, 4])]).shape
    TensorShape([2, 3, 4])
    """

    def __init__(self, use_scale: bool = True, **kwargs: Unpack[LayerOptions]) -> None:
        super().__init__(**kwargs)
        self.use_scale = use_scale

    def build(self, input_shape: Any) -> None:
        self.scale = None
        if self.use_scale:
            self.scale = self.add_weight(
                name="scale",
                shape=[as_shape(input_shape[1])[-1]],
                initializer="glorot_uniform",
                dtype=self.dtype,
                trainable=True,
            )
        Layer.build(self, input_shape)

    def _calculate_scores(self, query: _core.Tensor, key: Any) -> _core.Tensor:
        both = _ops.add(_ops.expand_dims(query, -2), _ops.expand_dims(key, -3))
        terms = _ops.tanh(both)
        if self.scale is not None:
            terms = _ops.multiply(terms, self.scale)
        return _ops.reduce_sum(terms, axis=-1)
