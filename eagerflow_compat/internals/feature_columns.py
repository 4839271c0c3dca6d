"""tensorflow.python.feature_column: columns by the names that they had before they were public."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eagerflow import _core, feature_column
from eagerflow.feature_column.base import (
    CategoricalColumn,
    DenseColumn,
    FeatureColumn,
    SequenceDenseColumn,
    TransformationCache,
)
from eagerflow.feature_column.categories import (
    HashedCategoricalColumn,
    IdentityCategoricalColumn,
    WeightedCategoricalColumn,
)
from eagerflow.feature_column.crossed import CrossedColumn
from eagerflow.feature_column.embedding import EmbeddingColumn, SharedEmbeddingColumn
from eagerflow.feature_column.indicator import IndicatorColumn
from eagerflow.feature_column.numeric import BucketizedColumn, NumericColumn
from eagerflow.feature_column.sequence import SequenceCategoricalColumn, SequenceNumericColumn
from eagerflow.feature_column.serialization import (
    deserialize_feature_column,
    serialize_feature_column,
)
from eagerflow.feature_column.vocabulary import (
    VocabularyFileCategoricalColumn,
    VocabularyListCategoricalColumn,
)
from eagerflow.keras.layers.dense_features import sorted_columns
from eagerflow_compat.internals.columns import FeatureTransformationCache, StateManager
from eagerflow_compat.v1.feature_columns import (
    input_layer,
    linear_model,
    scope_name,
    weighted_sum,
)
from eagerflow_compat.v1.templates import make_template

__all__ = [
    "BucketizedColumn",
    "CategoricalColumn",
    "CrossedColumn",
    "DenseColumn",
    "EmbeddingColumn",
    "FeatureColumn",
    "FeatureTransformationCache",
    "HashedCategoricalColumn",
    "IdentityCategoricalColumn",
    "IndicatorColumn",
    "InputLayer",
    "NumericColumn",
    "SequenceCategoricalColumn",
    "SequenceDenseColumn",
    "SequenceNumericColumn",
    "SharedEmbeddingColumn",
    "StateManager",
    "VocabularyFileCategoricalColumn",
    "VocabularyListCategoricalColumn",
    "WeightedCategoricalColumn",
    "concatenate_context_input",
    "deserialize_feature_columns",
    "is_feature_column_v2",
    "serialize_feature_columns",
]


def __getattr__(name: str) -> Any:
    """What had an underscore before its name: `_NumericColumn`, `_numeric_column`."""
    public = name[1:]
    if name[0] != "_" or public[0] == "_":
        raise AttributeError(name)
    return globals().get(public) or getattr(feature_column, public)


class _LazyBuilder(TransformationCache):
    """The features of a batch, which columns ask for without a state manager.

    Args:
        features: tensors, arrays and sparse tensors by name.
    """

    def get(self, key: Any, state_manager: Any = None, training: Any = None) -> Any:
        return super().get(key, state_manager, training)


class _Scoped:
    """A function of features whose variables are made by its first call, and used by all."""

    def __init__(self, function: Any, name: str, arguments: dict[str, Any]) -> None:
        self._template = make_template(name, function, **arguments)
        self._variables: dict[Any, Any] = arguments["cols_to_vars"]

    def __call__(self, features: dict[str, Any], **kwargs: object) -> Any:
        return self._template(features)

    def cols_to_vars(self) -> dict[Any, Any]:
        """The variables of each column."""
        return self._variables


class _LinearModel(_Scoped):
    """A linear model as a layer; see `tf.compat.v1.feature_column.linear_model`."""

    def __init__(
        self,
        feature_columns: Any,
        units: int = 1,
        sparse_combiner: str = "sum",
        weight_collections: Any = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: object,
    ) -> None:
        arguments = {
            "feature_columns": feature_columns,
            "units": units,
            "sparse_combiner": sparse_combiner,
            "weight_collections": weight_collections,
            "trainable": trainable,
            "cols_to_vars": {},
        }
        super().__init__(linear_model, name or "linear_model", arguments)


class InputLayer(_Scoped):
    """One matrix of features, as a layer; see `tf.compat.v1.feature_column.input_layer`."""

    def __init__(
        self,
        feature_columns: Any,
        weight_collections: Any = None,
        trainable: bool = True,
        cols_to_vars: dict[Any, Any] | None = None,
        name: str = "feature_column_input_layer",
        create_scope_now: bool = True,
    ) -> None:
        arguments = {
            "feature_columns": feature_columns,
            "weight_collections": weight_collections,
            "trainable": trainable,
            "cols_to_vars": {} if cols_to_vars is None else cols_to_vars,
        }
        super().__init__(input_layer, name, arguments)


def is_feature_column_v2(feature_columns: Sequence[object]) -> bool:
    """Whether all are columns: there is one kind of them, which both generations take."""
    return all(isinstance(column, FeatureColumn) for column in feature_columns)


_normalize_feature_columns = sorted_columns
_sanitize_column_name_for_variable_scope = scope_name


def _create_weighted_sum(
    column: Any,
    transformation_cache: TransformationCache,
    state_manager: StateManager,
    sparse_combiner: str,
    weight_var: Any,
) -> _core.Tensor:
    """A column's term of a linear model: see `weighted_sum`."""
    return weighted_sum(column, transformation_cache, state_manager, weight_var, sparse_combiner)


def _verify_static_batch_size_equality(tensors: Sequence[Any], columns: Sequence[Any]) -> None:
    """Checks that the batches of columns have one size, as far as it is known.

    Raises:
        ValueError: if two differ.
    """
    first: Any = None
    for tensor, column in zip(tensors, columns, strict=True):
        size = tensor.shape[0]
        if size is None:
            continue
        if first is not None and size != first[0]:
            raise ValueError(
                "Batch size (first dimension) of each feature must be same. Batch size of columns "
                f"({first[1].name}, {column.name}): ({first[0]}, {size})"
            )
        first = first or (size, column)


def concatenate_context_input(context_input: Any, sequence_input: Any) -> Any:
    """Sequences with the same vector beside each of their steps.

    Args:
        context_input: `[batch, d]`.
        sequence_input: `[batch, steps, e]`.

    Returns:
        `[batch, steps, e + d]`.

    Raises:
        ValueError: if a rank or dtype is another.
    """
    for value, rank in ((sequence_input, 3), (context_input, 2)):
        if value.shape.rank not in (None, rank) or not value.dtype.is_floating:
            raise ValueError(f"Expected floats of rank {rank}, got {value}.")
    steps = _core.ops.shape(sequence_input)[1]
    repeated = _core.ops.tile(_core.ops.expand_dims(context_input, 1), [1, steps, 1])
    return _core.ops.concat([sequence_input, repeated], 2)


def serialize_feature_columns(feature_columns: Sequence[FeatureColumn]) -> list[Any]:
    """The configuration of each column."""
    return [serialize_feature_column(column) for column in feature_columns]


def deserialize_feature_columns(
    configs: Sequence[Any], custom_objects: dict[str, object] | None = None
) -> list[Any]:
    """The columns of configurations; what several are made from is made once."""
    made: dict[Any, Any] = {}
    return [deserialize_feature_column(config, custom_objects, made) for config in configs]
