"""Embeddings that also turn vectors into scores of ids."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework.shapes import TensorShape
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.layers.embedding import Embedding
from eagerflow.keras.typing import ConstraintLike, InitializerLike, RegularizerLike
from eagerflow.ops import conversion

_ops = _core.ops


class ReversibleEmbedding(Embedding):
    """An `Embedding` that is called with `reverse=True` on vectors, too.

    Press and Wolf, "Using the output embedding to improve language models" (2016).

    Args:
        input_dim: the number of ids, from 0 on.
        output_dim: the size of a vector.
        tie_weights: whether the same matrix serves both ways.
        embeddings_initializer: for the matrix.
        embeddings_regularizer: adds a loss for it.
        embeddings_constraint: is applied to it after each step of an optimizer.
        mask_zero: whether 0 stands for a step that is left out.
        reverse_dtype: the dtype of the scores.
        logit_soft_cap: the bound of the scores.

    >>> layer = tf.keras.layers.ReversibleEmbedding(100, 8)
    >>> layer(layer(tf.constant([[1, 2, 3]])), reverse=True).shape
    TensorShape([1, 3, 100])
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        tie_weights: bool = True,
        embeddings_initializer: InitializerLike = "uniform",
        embeddings_regularizer: RegularizerLike = None,
        embeddings_constraint: ConstraintLike = None,
        mask_zero: bool = False,
        reverse_dtype: Any = None,
        logit_soft_cap: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            input_dim,
            output_dim,
            embeddings_initializer=embeddings_initializer,
            embeddings_regularizer=embeddings_regularizer,
            embeddings_constraint=embeddings_constraint,
            mask_zero=mask_zero,
            **kwargs,
        )
        self.tie_weights = tie_weights
        self.reverse_dtype = reverse_dtype
        self.logit_soft_cap = logit_soft_cap

    def build(self, input_shape: Any = None) -> None:
        """Makes the matrix, or both of them."""
        super().build(input_shape)
        if not self.tie_weights:
            self.reverse_embeddings = self.add_weight(
                name="reverse_embeddings",
                shape=(self.output_dim, self.input_dim),
                initializer=self.embeddings_initializer,
            )
        Layer.build(self, input_shape)

    def call(self, inputs: _core.Tensor, reverse: bool = False) -> Any:
        """Vectors of ids, or scores of vectors."""
        if not reverse:
            return super().call(inputs)
        dtype = self.reverse_dtype or self.compute_dtype
        matrix = self.embeddings if self.tie_weights else self.reverse_embeddings
        scores = _ops.matmul(
            conversion.cast(inputs, dtype), conversion.cast(matrix, dtype), False, self.tie_weights
        )
        if self.logit_soft_cap is not None:
            scores = _ops.tanh(scores / self.logit_soft_cap) * self.logit_soft_cap
        return scores

    def compute_mask(self, inputs: _core.Tensor, mask: _core.Tensor | None = None) -> Any:
        """Which ids are not zero; vectors keep the mask they have."""
        if not inputs.dtype.is_integer:
            return mask
        return super().compute_mask(inputs, mask)

    def compute_output_shape(self, input_shape: Any, reverse: bool = False) -> TensorShape:
        """The shape of the vectors, or of the scores."""
        if reverse:
            return TensorShape([*TensorShape(input_shape)[:-1], self.input_dim])
        return super().compute_output_shape(input_shape)
