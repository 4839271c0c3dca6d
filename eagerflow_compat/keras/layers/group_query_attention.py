"""Attention in which groups of queries' heads share keys and values (Ainslie et al., 2023)."""

from __future__ import annotations

import math
from typing import Any

from eagerflow import _core
from eagerflow.framework.shapes import TensorShape, as_shape
from eagerflow.keras import regularizers
from eagerflow.keras.engine.layer_config import resolve_arguments
from eagerflow.keras.layers.activation import Softmax
from eagerflow.keras.layers.arguments import FunctionLayer, as_bool
from eagerflow.keras.layers.attention import whole_mask
from eagerflow.keras.layers.dropout import Dropout
from eagerflow.keras.layers.einsum_dense import EinsumDense
from eagerflow.keras.typing import Config, ConstraintLike, InitializerLike, RegularizerLike
from eagerflow.ops import array

_ops = _core.ops
_FUNCTIONS = tuple(
    f"{weight}_{kind}"
    for kind in ("initializer", "regularizer", "constraint")
    for weight in ("kernel", "bias")
)


class GroupQueryAttention(FunctionLayer):
    """Several attentions over projections of queries, which share projections of keys and values.

    Args:
        head_dim: the size of each head.
        num_query_heads: how many heads queries have.
        num_key_value_heads: how many keys and values have; it must divide the queries'.
        dropout: the share of weights that are dropped in training.
        use_bias: whether projections have a bias.
        sliding_window: how far apart a query and a key may be at most, plus one.
        flash_attention: ignored.
        kernel_initializer: for the projections' kernels.
        bias_initializer: for their biases.
        kernel_regularizer: adds a loss for the kernels.
        bias_regularizer: adds a loss for the biases.
        activity_regularizer: adds a loss for the projections' results.
        kernel_constraint: is applied to the kernels after each step of an optimizer.
        bias_constraint: is applied to the biases after each step.
        use_gate: whether a projection of the query decides how much of the result passes.
        seed: of the dropped weights.

    A call takes a query `[batch, queries, dim]`, a value `[batch, keys, dim]`, a key (by default
    the value), masks `query_mask`, `value_mask` and `key_mask`, `attention_mask`
    `[batch, queries, keys]`, `return_attention_scores`, `training` and `use_causal_mask`.

    Raises:
        ValueError: if the head counts or the window do not fit.

    >>> layer = tf.keras.layers.GroupQueryAttention(4, num_query_heads=6, num_key_value_heads=2)
    >>> layer(tf.ones([2, 5, 8]), tf.ones([2, 7, 8])).shape
    TensorShape([2, 5, 8])
    """

    _class_name_in_keras3 = "GroupedQueryAttention"

    _unsaved_arguments = frozenset({"flash_attention"})

    _passes_dtype_policy = True

    def __init__(
        self,
        head_dim: int,
        num_query_heads: int,
        num_key_value_heads: int,
        dropout: float = 0.0,
        use_bias: bool = True,
        sliding_window: int | None = None,
        flash_attention: bool | None = None,
        kernel_initializer: InitializerLike = "glorot_uniform",
        bias_initializer: InitializerLike = "zeros",
        kernel_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        use_gate: bool = False,
        seed: int | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        if num_query_heads % num_key_value_heads:
            raise ValueError(
                "`num_query_heads` must be divisible by `num_key_value_heads`. Received: "
                f"num_query_heads={num_query_heads}, num_key_value_heads={num_key_value_heads}"
            )
        if sliding_window is not None and not (
            isinstance(sliding_window, int) and sliding_window > 0
        ):
            raise ValueError(
                "`sliding_window` must be `None` or a positive integer. Received: "
                f"sliding_window={sliding_window}"
            )
        self.head_dim = head_dim
        self.num_query_heads = num_query_heads
        self.num_key_value_heads = num_key_value_heads
        self.dropout = dropout
        self.use_bias = use_bias
        self.sliding_window = sliding_window
        self.use_gate = use_gate
        self.seed = seed
        self._projections_regularizer = regularizers.get(activity_regularizer)
        resolve_arguments(self, locals())
        self._projected = False

    def _projection(self, equation: str, sizes: tuple, bias: str, name: str, **more: Any) -> Any:
        functions: dict[str, Any] = {name: getattr(self, name) for name in _FUNCTIONS}
        for key in ("kernel_initializer", "bias_initializer"):
            functions[key] = type(functions[key]).from_config(functions[key].get_config())
        return EinsumDense(
            equation,
            output_shape=(None, *sizes),
            bias_axes=bias if self.use_bias else None,
            name=name,
            activity_regularizer=self._projections_regularizer,
            dtype=self._dtype_policy,
            **functions,
            **more,
        )

    def _build_from(self, query: _core.Tensor, value: Any, key: object) -> None:
        """Makes the projections."""
        self._projected = True
        dim, of_queries = as_shape(query.shape)[-1], (self.num_query_heads, self.head_dim)
        shared = (self.num_key_value_heads, self.head_dim)
        heads = "abc,cde->abde"
        self._query_dense = self._projection(heads, of_queries, "de", "query")
        self._key_dense = self._projection(heads, shared, "de", "key")
        if self.use_gate:
            self._gate_dense = self._projection(
                heads, of_queries, "de", "gate", activation="sigmoid"
            )
        self._value_dense = self._projection(heads, shared, "de", "value")
        self._softmax = Softmax(axis=-1, dtype=self._dtype_policy)
        self._dropout_layer = Dropout(rate=self.dropout, dtype=self._dtype_policy, seed=self.seed)
        self._output_dense = self._projection("abde,dec->abc", (dim,), "c", "attention_output")

    def call(
        self,
        query: _core.Tensor,
        value: _core.Tensor,
        key: Any = None,
        query_mask: Any = None,
        value_mask: Any = None,
        key_mask: Any = None,
        attention_mask: Any = None,
        return_attention_scores: bool = False,
        training: bool | None = None,
        use_causal_mask: bool = False,
    ) -> Any:
        """The result, and with `return_attention_scores` the weights as well."""
        if not self._projected:
            self._build_from(query, value, key)
        inputs = ((query, query_mask), (value, value_mask), (key, key_mask))
        window = self._window(query, value)
        mask = whole_mask(inputs, attention_mask, use_causal_mask, window)
        gate = self._gate_dense(query) if self.use_gate else None
        key = value if key is None else key
        repeats = self.num_query_heads // self.num_key_value_heads
        queries = _ops.multiply(self._query_dense(query), 1.0 / math.sqrt(self.head_dim))
        keys = array.repeat(self._key_dense(key), repeats, 2)
        values = array.repeat(self._value_dense(value), repeats, 2)
        queries, keys, values = (_ops.transpose(x, [0, 2, 1, 3]) for x in (queries, keys, values))
        scores = _ops.matmul(queries, keys, False, True)
        if mask is None:
            weights = self._softmax(scores)
        else:
            mask = as_bool(mask)
            while mask.ndim < 4:
                mask = _ops.expand_dims(mask, -3)
            weights = self._softmax(scores, mask=mask)
        used = self._dropout_layer(weights, training=training) if self.dropout > 0 else weights
        result = _ops.transpose(_ops.matmul(used, values), [0, 2, 1, 3])
        if gate is not None:
            result = _ops.multiply(result, gate)
        result = self._output_dense(result)
        return (result, weights) if return_attention_scores else result

    def _window(self, query: Any, value: Any) -> list[_core.Tensor]:
        """The mask of the keys within the window, `[1, queries, keys]`, in a list if there is one."""
        if self.sliding_window is None:
            return []
        rows, columns = query._sizes()[1], value._sizes()[1]
        distances = _ops.expand_dims(_ops.range(0, rows, 1), 1) - _ops.range(0, columns, 1)
        return [_ops.expand_dims(_ops.less(_ops.abs(distances), self.sliding_window), 0)]

    def compute_output_shape(
        self, query_shape: Any, value_shape: object = None, key_shape: object = None
    ) -> TensorShape:
        """The query's shape."""
        return as_shape(query_shape)

    def get_config(self) -> Config:
        """The arguments that make a layer like this one."""
        return super().get_config() | {
            "activity_regularizer": regularizers.serialize(self._projections_regularizer)
        }
