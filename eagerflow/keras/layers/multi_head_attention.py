"""Attention with several heads (Vaswani et al., 2017)."""

from __future__ import annotations

import math
import string
from typing import Any

from eagerflow import _core
from eagerflow.framework.shapes import TensorShape, as_shape
from eagerflow.keras import constraints, initializers, regularizers
from eagerflow.keras.engine.calls.composite_inputs import is_ragged
from eagerflow.keras.layers.activation import Softmax
from eagerflow.keras.layers.arguments import FunctionLayer, overrides
from eagerflow.keras.layers.attention import attended, causal_mask, needs_no_scores, whole_mask
from eagerflow.keras.layers.dropout import Dropout
from eagerflow.keras.layers.einsum_dense import EinsumDense
from eagerflow.keras.typing import ConstraintLike, InitializerLike, RegularizerLike
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.linalg.einsum import einsum
from eagerflow.ragged.tensor import RaggedTensor

_ops = _core.ops
_LETTERS = string.ascii_lowercase


class MultiHeadAttention(FunctionLayer):
    """Several attentions over projections of queries, keys and values, whose results are concatenated.

    Args:
        num_heads: how many.
        key_dim: the size of each head's queries and keys.
        value_dim: the size of each head's values; `key_dim` by default.
        dropout: the share of weights that are dropped in training.
        use_bias: whether projections have a bias.
        output_shape: the sizes of the result's last axes; by default the query's last one.
        attention_axes: the axes over which attention goes; all but the first and last by default.
        kernel_initializer: for the projections' kernels.
        bias_initializer: for their biases.
        kernel_regularizer: adds a loss for the kernels.
        bias_regularizer: adds a loss for the biases.
        kernel_constraint: is applied to the kernels after each step of an optimizer.
        bias_constraint: is applied to the biases after each step.
        softmax_robust_masking: whether masked weights are exactly zero.
        seed: the random seed of the dropout.

    A call takes a query `[batch, queries, dim]`, a value `[batch, keys, dim]`, a key (by default
    the value), `attention_mask` `[batch, queries, keys]`, `return_attention_scores`, `training`,
    `use_causal_mask`, and masks `query_mask`, `value_mask` and `key_mask` in place of those that
    the inputs carry.

    >>> layer = tf.keras.layers.MultiHeadAttention(num_heads=2, key_dim=4)
    >>> x = tf.ones([3, 5, 8])
    >>> result, weights = layer(x, x, return_attention_scores=True)
    >>> result.shape, weights.shape
    (TensorShape([3, 5, 8]), TensorShape([3, 2, 5, 5]))
    """

    _unsaved_arguments = frozenset({"seed"})

    _names_in_keras3 = {
        f"_{part}_dense": f"{part}_dense" for part in ("query", "key", "value", "output")
    }

    _passes_dtype_policy = True

    def __init__(
        self,
        num_heads: int,
        key_dim: int,
        value_dim: int | None = None,
        dropout: float = 0.0,
        use_bias: bool = True,
        output_shape: Any = None,
        attention_axes: Any = None,
        kernel_initializer: InitializerLike = "glorot_uniform",
        bias_initializer: InitializerLike = "zeros",
        kernel_regularizer: RegularizerLike = None,
        bias_regularizer: RegularizerLike = None,
        activity_regularizer: RegularizerLike = None,
        kernel_constraint: ConstraintLike = None,
        bias_constraint: ConstraintLike = None,
        softmax_robust_masking: bool = False,
        seed: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.supports_masking = True
        self._num_heads = num_heads
        self._key_dim = key_dim
        self._value_dim = value_dim or key_dim
        self._dropout = dropout
        self._seed = seed
        self._use_bias = use_bias
        self._output_shape = output_shape
        self._kernel_initializer = initializers.get(kernel_initializer)
        self._bias_initializer = initializers.get(bias_initializer)
        self._kernel_regularizer = regularizers.get(kernel_regularizer)
        self._bias_regularizer = regularizers.get(bias_regularizer)
        self._kernel_constraint = constraints.get(kernel_constraint)
        self._bias_constraint = constraints.get(bias_constraint)
        self._softmax_robust_masking = softmax_robust_masking
        if attention_axes is not None and not hasattr(attention_axes, "__len__"):
            attention_axes = (attention_axes,)
        self._attention_axes: Any = attention_axes
        self._built_from_signature = False
        self._query_shape: Any = None
        self._key_shape: Any = None
        self._value_shape: Any = None

    def _projection(self, rank: int, size: int, name: str) -> EinsumDense:
        """A dense layer from the last axis to heads of a size."""
        free, last, (heads, each) = _LETTERS[: rank - 1], _LETTERS[rank - 1], ("y", "z")
        return EinsumDense(
            f"{free}{last},{last}{heads}{each}->{free}{heads}{each}",
            output_shape=[None] * (rank - 2) + [self._num_heads, size],
            bias_axes=heads + each if self._use_bias else None,
            name=name,
            **self._get_common_kwargs_for_sublayer(),
        )

    def _get_common_kwargs_for_sublayer(self) -> dict[str, Any]:
        """The arguments of all projections; each has its own initializers."""
        own_initializers = {
            name: type(own).from_config(own.get_config())
            for name, own in (
                ("kernel_initializer", self._kernel_initializer),
                ("bias_initializer", self._bias_initializer),
            )
        }
        return {
            **own_initializers,
            "kernel_regularizer": self._kernel_regularizer,
            "bias_regularizer": self._bias_regularizer,
            "kernel_constraint": self._kernel_constraint,
            "bias_constraint": self._bias_constraint,
            "dtype": self._dtype_policy,
        }

    def _build_from_signature(self, query: Any, value: Any, key: Any = None) -> None:
        """Makes the projections for inputs or their shapes."""
        self._built_from_signature = True
        self._query_shape = query = _shape_of(query)
        self._value_shape = value = _shape_of(value)
        self._key_shape = key = value if key is None else _shape_of(key)
        rank = query.rank
        self._query_dense = self._projection(rank, self._key_dim, "query")
        self._key_dense = self._projection(key.rank, self._key_dim, "key")
        self._value_dense = self._projection(value.rank, self._value_dim, "value")
        self._build_attention(rank + 1)
        self._output_dense = self._make_output_dense(
            rank - 1, self._get_common_kwargs_for_sublayer(), "attention_output"
        )

    def _build_attention(self, rank: int) -> None:
        """Makes what attends, for projections of a rank; subclasses override it."""
        axes = self._attention_axes
        self._attention_axes = tuple(range(1, rank - 2)) if axes is None else tuple(axes)
        if not self._attention_axes:
            raise IndexError(
                "Attention goes over the axes between the first and the last, which the query has "
                f"none of: its shape is {self._query_shape}, and must be [batch, queries, size] or "
                "have more axes."
            )
        self._dot_product_equation, self._combine_equation = _equations(rank, self._attention_axes)
        count = len(self._attention_axes)
        self._softmax = Softmax(
            axis=tuple(range(-count, 0)) if count > 1 else (-1,),
            robust_masking=self._softmax_robust_masking,
            dtype=self._dtype_policy,
        )
        self._dropout_layer = Dropout(rate=self._dropout, seed=self._seed, dtype=self._dtype_policy)

    def _make_output_dense(
        self, free_dims: int, common_kwargs: dict[str, Any], name: str | None = None
    ) -> Any:
        """The layer from the heads' values to the result; subclasses override it.

        Args:
            free_dims: the number of axes before the heads.
            common_kwargs: the arguments of all projections.
            name: the layer's name.
        """
        sizes = self._output_shape
        if sizes is None:
            sizes = [self._query_shape[-1]]
        sizes = list(sizes) if hasattr(sizes, "__len__") else [sizes]
        free = _LETTERS[:free_dims]
        out = _LETTERS[free_dims : free_dims + len(sizes)]
        return EinsumDense(
            f"{free}yz,yz{out}->{free}{out}",
            output_shape=[None] * (free_dims - 1) + sizes,
            bias_axes=out if self._use_bias else None,
            name=name,
            **common_kwargs,
        )

    def call(
        self,
        query: Any,
        value: Any,
        key: Any = None,
        attention_mask: Any = None,
        return_attention_scores: bool = False,
        training: Any = None,
        use_causal_mask: bool = False,
        query_mask: Any = None,
        value_mask: Any = None,
        key_mask: Any = None,
    ) -> Any:
        if not self._built_from_signature:
            self._build_from_signature(query, value, key)
        own = overrides(
            self, MultiHeadAttention, "_compute_attention _masked_softmax _build_attention"
        )
        lengths = query.nested_row_lengths() if is_ragged(query) else None
        query, value, key = _padded(query, value, key)
        value = _core.as_tensor(value)
        key = None if key is None else _core.as_tensor(key)
        inputs = ((query, query_mask), (value, value_mask), (key, key_mask))
        if overrides(self, MultiHeadAttention, "_compute_attention_mask _compute_causal_mask"):
            if not (query_mask is None and value_mask is None and key_mask is None):
                attention_mask = whole_mask(inputs, attention_mask, False)
            mask = self._compute_attention_mask(
                query,
                value,
                key=key,
                attention_mask=attention_mask,
                use_causal_mask=use_causal_mask,
            )
        else:
            mask = whole_mask(inputs, attention_mask, use_causal_mask)
        key = value if key is None else key
        if own:
            result, weights = self._compute_attention(
                self._query_dense(query),
                self._key_dense(key),
                self._value_dense(value),
                mask,
                training,
            )
            result = self._output_dense(result)
            if lengths is not None:
                result = RaggedTensor.from_tensor(result, lengths=lengths)
            return (result, weights) if return_attention_scores else result
        # The queries are scaled, which have fewer elements than the product.
        queries = _ops.multiply(self._query_dense(query), 1.0 / math.sqrt(self._key_dim))
        queries, sizes = self._by_heads(queries)
        keys, others = self._by_heads(self._key_dense(key))
        values, _ = self._by_heads(self._value_dense(value))
        batch = queries._shape_tuple()[:-2]
        if keys._shape_tuple()[:-2] != batch or values._shape_tuple()[:-2] != batch:
            self._check_batches(query, key, value)
        drops = self._dropout > 0 and training is not False
        plain = len(sizes) == 1 and (mask is None or not self._softmax_robust_masking)
        alone = plain and not (return_attention_scores or drops)
        if alone and needs_no_scores(queries, keys, values):
            attended_values = attended(queries, keys, values, self._added(mask, queries))
        else:
            scores = _ops.matmul(queries, keys, False, True)
            weights = self._weights(scores, mask, sizes, others)
            used = self._dropout_layer(weights, training=training)
            if len(sizes) > 1:
                used = _ops.reshape(used, scores._sizes())
            attended_values = _ops.matmul(used, values)
        result = self._output_dense(self._joined(attended_values, sizes))
        if lengths is not None:
            result = RaggedTensor.from_tensor(result, lengths=lengths)
        return (result, weights) if return_attention_scores else result

    def _compute_attention_mask(
        self,
        query: Any,
        value: Any,
        key: Any = None,
        attention_mask: Any = None,
        use_causal_mask: bool = False,
    ) -> Any:
        """The conjunction of a mask, those that the inputs carry, and the causal one; or None."""
        others = [self._compute_causal_mask(query, value)] if use_causal_mask else []
        inputs = ((query, None), (value, None), (key, None))
        return whole_mask(inputs, attention_mask, False, others)

    def _compute_causal_mask(self, query: Any, value: Any = None) -> Any:
        """The mask `[1, queries, keys]` that hides later keys."""
        rows = _core.as_tensor(query)._sizes()[1]
        columns = rows if value is None else _core.as_tensor(value)._sizes()[1]
        return _ops.expand_dims(causal_mask(rows, columns), 0)

    def _check_batches(self, query: Any, key: Any, value: Any) -> None:
        """Refuses inputs of different sizes along the axes that attention does not go over."""
        for name, other in (("key", key), ("value", value)):
            sizes = zip(query._shape_tuple()[:-1], other._shape_tuple()[:-1], strict=True)
            for axis, (mine, its) in enumerate(sizes):
                if axis not in self._attention_axes and None not in (mine, its) and mine != its:
                    raise invalid_argument(
                        f"The query and the {name} must have the same size along axis {axis}. "
                        f"Received shapes: query {query.shape}, {name} {other.shape}"
                    )

    def _compute_attention(
        self, query: Any, key: Any, value: Any, attention_mask: Any = None, training: Any = None
    ) -> tuple[Any, Any]:
        """The values by their weights, and the weights, of projections; subclasses override it.

        Args:
            query: `[batch, queries, heads, size]`, or with more axes that attention goes over.
            key: `[batch, keys, heads, size]`, likewise.
            value: `[batch, keys, heads, value size]`, likewise.
            attention_mask: what `call` makes of the masks.
            training: whether weights are dropped.
        """
        query = _ops.multiply(query, 1.0 / math.sqrt(self._key_dim))
        scores = einsum(self._dot_product_equation, key, query)
        weights = self._masked_softmax(scores, attention_mask)
        used = self._dropout_layer(weights, training=training)
        return einsum(self._combine_equation, used, value), weights

    def _masked_softmax(self, attention_scores: Any, attention_mask: Any = None) -> Any:
        """The weights for scores `[batch, heads, queries, keys]`."""
        if attention_mask is not None:
            axis = attention_mask.ndim - 2 * len(self._attention_axes)
            for _ in range(attention_scores.ndim - attention_mask.ndim):
                attention_mask = _ops.expand_dims(attention_mask, axis)
        return self._softmax(attention_scores, attention_mask)

    def _by_heads(self, x: Any) -> tuple[Any, list[int]]:
        """`[batch axes, heads, positions, size]`, and the sizes of the axes that attention goes over.

        The projections return `[axes, heads, size]`.
        """
        rank = x.ndim
        axes = self._attention_axes
        shape = x._sizes()
        batch = [axis for axis in range(rank - 2) if axis not in axes]
        x = _ops.transpose(x, [*batch, rank - 2, *axes, rank - 1])
        sizes = [shape[axis] for axis in axes]
        if len(sizes) > 1:
            head = [shape[axis] for axis in batch]
            x = _ops.reshape(x, [*head, shape[-2], math.prod(sizes), shape[-1]])
        return x, sizes

    def _joined(self, x: Any, sizes: list[int]) -> Any:
        """The inverse of `_by_heads`."""
        axes = self._attention_axes
        shape = x._sizes()
        count = len(sizes)
        if count > 1:
            x = _ops.reshape(x, [*shape[:-2], *sizes, shape[-1]])
        rank = x.ndim
        batch = [axis for axis in range(rank - 2) if axis not in axes]
        order = [*batch, rank - 2, *axes, rank - 1]
        back = [0] * rank
        for position, axis in enumerate(order):
            back[axis] = position
        return _ops.transpose(x, back)

    def _added(self, mask: Any, queries: Any) -> Any:
        """What `Softmax` adds to scores under a mask."""
        if mask is None:
            return None
        axis = mask.ndim - 2
        for _ in range(queries.ndim - mask.ndim):
            mask = _ops.expand_dims(mask, axis)
        return _ops.multiply(_ops.subtract(1.0, _ops.cast(mask, queries.dtype)), -1e9)

    def _weights(self, scores: Any, mask: Any, sizes: list[int], others: list[int]) -> Any:
        """The softmax of scores, with the axes that attention goes over apart."""
        if len(sizes) > 1:
            scores = _ops.reshape(scores, [*scores._sizes()[:-2], *sizes, *others])
        if mask is None:
            return self._softmax(scores)
        # The axis of heads, and batch axes that the mask lacks.
        axis = mask.ndim - 2 * len(sizes)
        for _ in range(scores.ndim - mask.ndim):
            mask = _ops.expand_dims(mask, axis)
        return self._softmax(scores, mask=mask)

    def compute_output_shape(
        self, query_shape: Any, value_shape: Any = None, key_shape: Any = None
    ) -> TensorShape:
        query, value = as_shape(query_shape), as_shape(value_shape)
        if key_shape is not None:
            key = as_shape(key_shape)
            if value.rank and value.as_list()[:-1] != key.as_list()[:-1]:
                raise ValueError(
                    "All dimensions of `value` and `key`, except the last one, must be equal. "
                    f"Received {value_shape} and {key_shape}"
                )
        if value.rank and query[-1] != value[-1]:
            raise ValueError(
                "The last dimension of `query_shape` and `value_shape` must be equal, but are "
                f"{query[-1]}, {value[-1]}. Received: query_shape={query_shape}, "
                f"value_shape={value_shape}"
            )
        if self._output_shape is None:
            return query
        return query[:-1].concatenate(self._output_shape)

    def get_config(self) -> dict[str, Any]:
        return super().get_config() | {
            "query_shape": _listed(self._query_shape),
            "key_shape": _listed(self._key_shape),
            "value_shape": _listed(self._value_shape),
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A layer from what `get_config` returned, with weights if the shapes are in it."""
        config = dict(config)
        query, key, value = (
            config.pop(f"{name}_shape", None) for name in ("query", "key", "value")
        )
        layer = cls(**config)
        if query is not None and key is not None and value is not None:
            layer._build_from_signature(TensorShape(query), TensorShape(value), TensorShape(key))
        return layer


def _shape_of(value: Any) -> TensorShape:
    return as_shape(getattr(value, "shape", value))


def _equations(rank: int, axes: tuple[int, ...]) -> tuple[str, str]:
    """The products of keys and queries, and of weights and values, as `tf.einsum` describes them.

    Args:
        rank: of a projection, whose last axes are the heads and the size of each.
        axes: those that attention goes over.
    """
    queries = _LETTERS[:rank]
    fresh = iter(_LETTERS[rank:])
    keys = "".join(next(fresh) if k in axes else letter for k, letter in enumerate(queries))
    batch = "".join(letter for k, letter in enumerate(queries[:-1]) if k not in axes)
    scores = batch + "".join(queries[k] for k in axes) + "".join(keys[k] for k in axes)
    return f"{keys},{queries}->{scores}", f"{scores},{keys}->{queries}"


def _listed(shape: TensorShape | None) -> list | None:
    return None if shape is None else shape.as_list()


def _padded(query: Any, value: Any, key: Any) -> tuple[Any, Any, Any]:
    """Ragged inputs as dense tensors; keys and values get the same number of positions."""
    query = query.to_tensor() if is_ragged(query) else query
    if is_ragged(value) and is_ragged(key):
        shape = _core.ops.maximum(key.bounding_shape(), value.bounding_shape())
        return query, value.to_tensor(shape=shape), key.to_tensor(shape=shape)
    if is_ragged(value):
        return query, value.to_tensor(shape=None if key is None else key.shape), key
    if is_ragged(key):
        return query, value, key.to_tensor(shape=value.shape)
    return query, value, key
