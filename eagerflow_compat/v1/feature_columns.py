"""tf.compat.v1.feature_column: models' inputs and linear models, from feature columns."""

from __future__ import annotations

import collections
import re
import weakref
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.feature_column.base import (
    CategoricalColumn,
    DenseColumn,
    FeatureColumn,
    StateManager,
    TransformationCache,
)
from eagerflow.feature_column.embedding import SharedEmbeddingColumn, SharedTable, shared_columns
from eagerflow.framework import context, dtypes
from eagerflow.graph.collection_names import GraphKeys
from eagerflow.keras.layers.dense_features import size_of, sorted_columns
from eagerflow.ops.nn.embedding import safe_embedding_lookup_sparse, table_of
from eagerflow.sparse.arrangement import reshape
from eagerflow.typing import DTypeLike, ShapeLike, TensorLike
from eagerflow_compat.v1.variable_scope import get_variable, variable_scope

_ops = _core.ops


def _checked(features: object, columns: Any, kinds: tuple[type, ...]) -> list[Any]:
    if not isinstance(features, dict):
        raise ValueError(f"features should be a dictionary of `Tensor`s. Given type: {features}")
    columns = sorted_columns(columns)
    for column in columns:
        if not isinstance(column, kinds):
            raise ValueError(
                f"Items of feature_columns must be a {' or a '.join(k.__name__ for k in kinds)}. "
                "You can wrap a categorical column with an embedding_column or indicator_column. "
                f"Given: {column}"
            )
    return columns


def _collected(variable: _core.Variable, collections: Iterable[str] | None) -> None:
    graph = context.building_graph()
    for name in collections or ():
        if graph is not None and name != GraphKeys.GLOBAL_VARIABLES:
            graph.add_to_collection(name, variable)


def _state(trainable: bool, collections: Iterable[str] | None) -> StateManager:
    """A state manager whose variables are named by their columns, in the current scope."""

    def make(
        column: Any, name: str, shape: Any, dtype: DTypeLike, column_trains: bool, initializer: Any
    ) -> Any:
        variable = get_variable(
            name, shape, dtype, initializer, trainable=trainable and column_trains
        )
        _collected(variable, collections)
        return variable

    return StateManager(make)


def input_layer(
    features: dict[str, Any],
    feature_columns: Any,
    weight_collections: list[str] | None = None,
    trainable: bool = True,
    cols_to_vars: dict[Any, Any] | None = None,
    cols_to_output_tensors: dict[Any, Any] | None = None,
) -> Any:
    """One matrix of a dictionary of features.

    Args:
        features: tensors, or sparse ones, by name.
        feature_columns: dense columns: `numeric_column`, `bucketized_column`, `indicator_column`,
            `embedding_column`.
        weight_collections: collections that the columns' variables are added to.
        trainable: whether the variables are to be trained.
        cols_to_vars: a dictionary to which each column's variables are added.
        cols_to_output_tensors: a dictionary to which each column's output is added.

    Returns:
        `[batch, n]`, the columns side by side in the order of their names.

    Raises:
        ValueError: if a column is not dense, or a feature is missing.

    >>> age = tf.compat.v1.feature_column.numeric_column("age")
    >>> tf.compat.v1.feature_column.input_layer({"age": [[30.0], [50.0]]}, [age]).numpy()
    array([[30.],
           [50.]], dtype=float32)
    """
    columns = _checked(features, feature_columns, (DenseColumn,))
    state = _state(trainable, weight_collections)
    parts = []
    with variable_scope(None, default_name="input_layer"):
        for column in columns:
            shared = isinstance(column, SharedEmbeddingColumn)
            if shared:
                # The variables that columns share are made in the outer scope.
                column.create_state(state)
                owned = [column.table(state)]
            else:
                with variable_scope(None, default_name=column.name):
                    column.create_state(state)
                owned = state.variables_of(column)
            parts.append(_dense_part(column, features, state))
            if cols_to_vars is not None:
                cols_to_vars[column] = owned
            if cols_to_output_tensors is not None:
                cols_to_output_tensors[column] = parts[-1]
        return parts[0] if len(parts) == 1 else _ops.concat(parts, 1)


def _dense_part(column: Any, features: dict[str, Any], state: StateManager) -> _core.Tensor:
    tensor = column.get_dense_tensor(TransformationCache(_needed(column, features)), state)
    return _ops.reshape(tensor, [-1, size_of(column)])


def _needed(column: FeatureColumn, features: Mapping[str, TensorLike]) -> dict[str, TensorLike]:
    """The features that a column reads, without those that are missing."""
    return {key: features[key] for key in column.parse_example_spec if key in features}


def linear_model(
    features: dict[str, Any],
    feature_columns: Iterable[FeatureColumn],
    units: int = 1,
    sparse_combiner: str = "sum",
    weight_collections: Iterable[str] | None = None,
    trainable: bool = True,
    cols_to_vars: dict[Any, Any] | None = None,
) -> _core.Tensor:
    """The weighted sum of features, and a bias; all weights are zero at first.

    Args:
        features: tensors, or sparse ones, by name.
        feature_columns: dense columns, and columns of categories, each of which has a weight.
        units: the number of outputs.
        sparse_combiner: how the weights of several categories are combined: "sum", "mean" or
            "sqrtn".
        weight_collections: collections that the variables are added to.
        trainable: whether the variables are to be trained.
        cols_to_vars: a dictionary to which each column's variables, and the "bias", are added.

    Returns:
        `[batch, units]`.

    Raises:
        ValueError: if a column is of another kind, or a feature is missing.

    >>> age = tf.compat.v1.feature_column.numeric_column("age")
    >>> tf.compat.v1.feature_column.linear_model({"age": [[30.0], [50.0]]}, [age]).numpy()
    array([[0.],
           [0.]], dtype=float32)
    """
    columns = _checked(features, feature_columns, (DenseColumn, CategoricalColumn))
    state = _state(trainable, weight_collections)
    sums: list[Any] = []
    with variable_scope(None, default_name="linear_model"):
        for column in columns:
            with variable_scope(_unused(scope_name(column.name))):
                column.create_state(state)
                rows = (
                    column.num_buckets if isinstance(column, CategoricalColumn) else size_of(column)
                )
                weights = state.create_variable(
                    column, "weights", (rows, units), dtypes.float32, initializer=_zeros
                )
            cache = TransformationCache(_needed(column, features))
            sums.append(weighted_sum(column, cache, state, weights, sparse_combiner))
            if cols_to_vars is not None:
                cols_to_vars[column] = [weights]
        bias = get_variable("bias_weights", [units], dtypes.float32, _zeros, trainable=trainable)
        _collected(bias, weight_collections)
        if cols_to_vars is not None:
            cols_to_vars["bias"] = [bias]
        return sum(sums[1:], sums[0]) + bias


def scope_name(name: str) -> str:
    """A column's name as a variable scope's: with `_` where a scope cannot have a character.

    >>> from eagerflow_compat.v1 import feature_columns
    >>> feature_columns.scope_name("hours per week")
    'hours_per_week'
    """
    return re.sub(r"[^A-Za-z0-9_.\-]", "_", name)


# The number of linear models of each graph that have a column of a name.
_used: weakref.WeakKeyDictionary[Any, collections.Counter[str]] = weakref.WeakKeyDictionary()


def _unused(name: str) -> str:
    """A column's name, with a suffix if a linear model of the graph has the column already."""
    graph = context.building_graph()
    if graph is None:
        return name
    names = _used.setdefault(graph, collections.Counter())
    names[name] += 1
    return f"{name}_{names[name] - 1}" if names[name] > 1 else name


def _zeros(shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: object) -> _core.Tensor:
    return _core.as_tensor(np.zeros(shape, np.float32))


def weighted_sum(
    column: Any,
    cache: TransformationCache,
    state: StateManager,
    weights: _core.Tensor,
    combiner: str = "sum",
) -> _core.Tensor:
    """A column's term of a linear model, `[batch, units]`.

    Args:
        column: a dense column, or one of categories.
        cache: the features of a batch.
        state: has the column's variables.
        weights: `[n, units]`, for each number or category of the column.
        combiner: how the weights of several categories are combined.
    """
    if not isinstance(column, CategoricalColumn):
        tensor = column.get_dense_tensor(cache, state)
        return _ops.matmul(_ops.reshape(tensor, [-1, size_of(column)]), weights)
    ids, factors = column.get_sparse_tensors(cache, state)
    matrix = [ids.dense_shape[0], -1]
    ids = reshape(ids, matrix)
    factors = None if factors is None else reshape(factors, matrix)
    return safe_embedding_lookup_sparse(table_of(weights), ids, factors, combiner=combiner)


class _ScopedTable(SharedTable):
    """Shared vectors whose variable is made within the scope in which it is first asked for."""

    def _make(self) -> Any:
        with variable_scope(None, default_name=self.name):
            return get_variable(
                "embedding_weights",
                self.shape,
                dtypes.float32,
                self.initializer,
                trainable=self.trainable,
            )


def shared_embedding_columns(
    categorical_columns: Iterable[FeatureColumn],
    dimension: int,
    combiner: str = "mean",
    initializer: Any = None,
    shared_embedding_collection_name: str | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> list[SharedEmbeddingColumn]:
    """Like `tf.feature_column.shared_embeddings`; the variable is made within `input_layer`."""
    return shared_columns(
        _ScopedTable,
        categorical_columns,
        dimension,
        combiner,
        initializer,
        shared_embedding_collection_name,
        ckpt_to_load_from,
        tensor_name_in_ckpt,
        max_norm,
        trainable,
        use_safe_embedding_lookup,
    )
