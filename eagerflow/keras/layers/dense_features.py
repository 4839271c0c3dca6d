"""DenseFeatures: the inputs of a model for tables, from feature columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.feature_column.base import (
    DenseColumn,
    FeatureColumn,
    StateManager,
    TransformationCache,
)
from eagerflow.feature_column.serialization import (
    deserialize_feature_column,
    serialize_feature_column,
)
from eagerflow.framework.dtypes import DType
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.typing import Config, CustomObjects

_ops = _core.ops


class FeaturesLayer(Layer):
    """A layer whose weights are the variables of feature columns.

    Args:
        feature_columns: one column, or several.
        expected_column_type: the class that they must be of.
        trainable: whether their variables are to be trained.

    Raises:
        ValueError: if there are no columns, or other ones, or two of one name.
    """

    _unsaved_arguments = frozenset({"expected_column_type"})

    def __init__(
        self,
        feature_columns: Any,
        expected_column_type: type,
        trainable: bool,
        name: str | None,
        **kwargs: Any,
    ) -> None:
        kwargs.pop("partitioner", None)
        super().__init__(name=name, trainable=trainable, **kwargs)
        columns = sorted_columns(feature_columns)
        for column in columns:
            if not isinstance(column, expected_column_type):
                raise ValueError(
                    f"Items of feature_columns must be a {expected_column_type}. You can wrap a "
                    "categorical column with an embedding_column or indicator_column. "
                    f"Given: {column}"
                )
        attributes = self.__dict__
        attributes["_feature_columns"] = columns
        attributes["_state_manager"] = StateManager(self._make_variable)

    _feature_columns: list[Any]
    _state_manager: StateManager

    def _make_variable(
        self, column: Any, name: str, shape: Any, dtype: DType, trainable: bool, initializer: Any
    ) -> Any:
        trainable = bool(trainable and self.trainable)
        return self.add_weight(
            f"{column.name}/{name}", shape, dtype, initializer, trainable=trainable, autocast=False
        )

    def build(self, input_shape: Any) -> None:
        for column in self._feature_columns:
            column.create_state(self._state_manager)
        super().build(input_shape)

    def get_config(self) -> Config:
        """The arguments that make a layer like this one."""
        columns = [serialize_feature_column(column) for column in self._feature_columns]
        return {**super().get_config(), "feature_columns": columns, "partitioner": None}

    @classmethod
    def from_config(cls, config: Config, custom_objects: CustomObjects | None = None) -> Any:
        """A layer from what `get_config` returned.

        Args:
            config: the configuration.
            custom_objects: a program's own functions and classes by name.
        """
        known: dict[Any, Any] = {}
        columns = [
            deserialize_feature_column(column, custom_objects, known)
            for column in config["feature_columns"]
        ]
        return cls(**{**config, "feature_columns": columns})


def sorted_columns(columns: object) -> list[FeatureColumn]:
    """Columns in the order of their names.

    Args:
        columns: one column, or several.

    Raises:
        ValueError: if there are none, or other things, or two of one name.
    """
    columns = [columns] if isinstance(columns, FeatureColumn) else columns
    if isinstance(columns, Mapping):
        raise ValueError("Expected feature_columns to be iterable, found dict.")
    if not isinstance(columns, Iterable):
        raise ValueError(f"Expected feature_columns to be iterable, given: {columns}.")
    columns = list(columns)
    for column in columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(
                "Items of feature_columns must be a FeatureColumn. "
                f"Given (type {type(column)}): {column}."
            )
    if not columns:
        raise ValueError("feature_columns must not be empty.")
    known: dict[str, Any] = {}
    for column in columns:
        if column.name in known:
            raise ValueError(
                f"Duplicate feature column name found for columns: {column} and "
                f"{known[column.name]}. This usually means that these columns refer to same base "
                "feature. Either one must be discarded or a duplicated but renamed item must be "
                "inserted in features dict."
            )
        known[column.name] = column
    return sorted(columns, key=lambda column: column.name)


def _features(features: _core.Tensor) -> dict[str, _core.Tensor]:
    if not isinstance(features, Mapping):
        raise ValueError(f"We expected a dictionary here. Instead we got: {type(features)}")
    return dict(features)


def size_of(column: Any) -> int:
    """The size of a column's vector for one example, or one step."""
    return int(np.prod(column.variable_shape.as_list()))


class DenseFeatures(FeaturesLayer):
    """A layer that makes one matrix of a dictionary of features.

    Args:
        feature_columns: dense columns: `numeric_column`, `bucketized_column`, `indicator_column`,
            `embedding_column`.
        trainable: whether the columns' variables are to be trained.

    It gives `[batch, n]`, the columns side by side in the order of their names.

    Raises:
        ValueError: if there are no columns, or other ones, or two of one name.

    >>> age = tf.feature_column.numeric_column("age")
    >>> layer = tf.keras.layers.DenseFeatures([age, tf.feature_column.bucketized_column(age, [40])])
    >>> layer({"age": tf.constant([[30.0], [50.0]])}).numpy()
    array([[30.,  1.,  0.],
           [50.,  0.,  1.]], dtype=float32)
    """

    def __init__(
        self, feature_columns: Any, trainable: bool = True, name: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(feature_columns, DenseColumn, trainable, name, **kwargs)

    def call(self, features: Any, cols_to_output_tensors: Any = None, training: Any = None) -> Any:
        """The matrix.

        Args:
            features: tensors, or sparse ones, by name.
            cols_to_output_tensors: a dictionary that gets each column's part.
            training: ignored.

        Raises:
            ValueError: if `features` is no dictionary, or lacks a feature.
        """
        features = _features(features)
        cache = TransformationCache(features)
        parts: list[Any] = []
        for column in self._feature_columns:
            part = column.get_dense_tensor(cache, self._state_manager)
            batch = _ops.shape(part)[0] if part.ndim is None else part._sizes()[0]
            part = _ops.reshape(part, [batch, size_of(column)])
            self._check_batch(part, parts)
            if cols_to_output_tensors is not None:
                cols_to_output_tensors[column] = part
            parts.append(part)
        return parts[0] if len(parts) == 1 else _ops.concat(parts, 1)

    def _check_batch(self, part: _core.Tensor, parts: list[_core.Tensor]) -> None:
        """Raises ValueError if a column has another number of examples than those before it."""
        for column, other in zip(self._feature_columns, parts, strict=False):
            if not part.shape[:1].is_compatible_with(other.shape[:1]):
                name = self._feature_columns[len(parts)].name
                raise ValueError(
                    "Batch size (first dimension) of each feature must be same. Batch size of columns "
                    f"({column.name}, {name}): ({other.shape[0]}, {part.shape[0]})"
                )

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The number of examples, and the size of the columns' vectors."""
        first = next(iter(input_shape.values())) if isinstance(input_shape, dict) else input_shape
        return (first[0], sum(map(size_of, self._feature_columns)))
