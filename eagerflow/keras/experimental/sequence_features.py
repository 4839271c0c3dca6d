"""SequenceFeatures: the inputs of a model for sequences, from feature columns."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.feature_column.base import SequenceDenseColumn, TransformationCache
from eagerflow.keras.layers.dense_features import FeaturesLayer, size_of
from eagerflow.ops import assertions

_ops = _core.ops


class SequenceFeatures(FeaturesLayer):
    """A layer that combines sparse features into one tensor of sequences.

    Args:
        feature_columns: columns of sequences.
        trainable: whether the columns' variables are to be trained.
        name: the layer's name.
        **kwargs: what layers take.

    It returns `[batch, steps, n]`, the columns concatenated in the order of their names, and the
    number of steps of each sequence, `[batch]`.

    Raises:
        ValueError: if there are no columns, or other ones, or two of one name.

    >>> column = tf.feature_column.sequence_numeric_column("price")
    >>> layer = tf.keras.experimental.SequenceFeatures([column])
    >>> values, lengths = layer({"price": tf.sparse.from_dense([[1.0, 2.0], [3.0, 0.0]])})
    >>> values.shape, lengths.numpy()
    (TensorShape([2, 2, 1]), array([2, 1]))
    """

    def __init__(
        self, feature_columns: Any, trainable: bool = True, name: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(feature_columns, SequenceDenseColumn, trainable, name, **kwargs)

    def call(self, features: Any, training: bool | _core.Tensor | None = None) -> Any:
        """The sequences, and their lengths.

        Args:
            features: sparse tensors by name.
            training: ignored.

        Raises:
            ValueError: if `features` is no dictionary, or lacks a feature.
            tf.errors.InvalidArgumentError: if a sequence is longer in one column than in another.
        """
        if not isinstance(features, dict):
            raise ValueError(f"We expected a dictionary here. Instead we got: {type(features)}")
        cache = TransformationCache(features)
        parts, lengths = [], None
        for column in self._feature_columns:
            part, length = column.get_sequence_dense_tensor(cache, self._state_manager)
            rows, steps = part._sizes()[:2]
            parts.append(_ops.reshape(part, [rows, steps, size_of(column)]))
            if lengths is not None:
                message = f"The sequences of column {column.name} differ from those before it."
                assertions.assert_equal(length, lengths, message)
            lengths = length
        return (parts[0] if len(parts) == 1 else _ops.concat(parts, 2)), lengths

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The batch size, the sequence length, and the width of a step's features."""
        first = next(iter(input_shape.values())) if isinstance(input_shape, dict) else input_shape
        return (first[0], first[1], sum(map(size_of, self._feature_columns)))
