"""Columns of trainable vectors, one for each category."""

from __future__ import annotations

import math
from collections import namedtuple
from typing import Any

from eagerflow import _core
from eagerflow.feature_column.base import (
    DenseColumn,
    FeatureColumn,
    SequenceDenseColumn,
    StateManager,
)
from eagerflow.feature_column.categories import steps_of
from eagerflow.feature_column.parents import OfCategories
from eagerflow.feature_column.sequence import check_sequence, check_single
from eagerflow.feature_column.serialization import (
    deserialize_feature_column,
    deserialize_function,
    serialize_feature_column,
    serialize_function,
)
from eagerflow.framework import context, dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.ops import array
from eagerflow.ops.nn.embedding import (
    embedding_lookup_sparse,
    safe_embedding_lookup_sparse,
    table_of,
)
from eagerflow.train import load_variable
from eagerflow.util import lazy
from eagerflow.util.arguments import arguments

# Imported when they are first used: few programs need them.
initializers = lazy.Module("eagerflow.keras.legacy_initializers")
serialization = lazy.Module("eagerflow.keras.saving.serialization")
variables = lazy.Module("eagerflow.graph.variables")

_ops = _core.ops


class _Embedding(OfCategories, DenseColumn, SequenceDenseColumn):
    """The base of columns of learned vectors."""

    categorical_column: Any
    combiner: str
    max_norm: float | None
    use_safe_embedding_lookup: bool

    def transform_feature(self, transformation_cache: Any, state_manager: StateManager) -> Any:
        """The categories and their weights."""
        return self.categorical_column.get_sparse_tensors(transformation_cache, state_manager)

    def table(self, state_manager: StateManager) -> Any:
        """The variable with the vectors."""
        raise NotImplementedError

    def _vectors(self, transformation_cache: Any, state_manager: StateManager) -> _core.Tensor:
        ids, weights = transformation_cache.get(self, state_manager)
        table = table_of(self.table(state_manager))
        if self.use_safe_embedding_lookup:
            return safe_embedding_lookup_sparse(
                table, ids, weights, combiner=self.combiner, max_norm=self.max_norm
            )
        vectors = embedding_lookup_sparse(table, ids, weights, self.combiner, self.max_norm)
        # The lookup ends with the last example that has categories.
        rows = _ops.cast(_ops.shape(vectors)[0], dtypes.int64)
        return array.pad(
            vectors, _ops.reshape(_ops.stack([0, ids.dense_shape[0] - rows, 0, 0], 0), [2, 2])
        )

    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> _core.Tensor:
        """The combined vectors, `[batch, dimension]`.

        Raises:
            ValueError: for a column of sequences.
        """
        check_single(self, "embedding_column")
        return self._vectors(transformation_cache, state_manager)

    def get_sequence_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> Any:
        """The combined vectors of each step, and the number of steps of each example.

        Raises:
            ValueError: unless it is a column of sequences.
        """
        check_sequence(self, "embedding_column")
        vectors = self._vectors(transformation_cache, state_manager)
        pair = self.categorical_column.get_sparse_tensors(transformation_cache, state_manager)
        return self.TensorSequenceLengthPair(vectors, steps_of(pair.id_tensor))


class EmbeddingColumn(
    _Embedding,
    namedtuple(
        "EmbeddingColumn",
        "categorical_column dimension combiner initializer ckpt_to_load_from "
        "tensor_name_in_ckpt max_norm trainable use_safe_embedding_lookup",
        defaults=(True,),
    ),
):
    """Made by `tf.feature_column.embedding_column`."""

    @property
    def name(self) -> str:
        """The name of the categories with the suffix of this kind of column."""
        return f"{self.categorical_column.name}_embedding"

    @property
    def variable_shape(self) -> TensorShape:
        """The shape of a vector."""
        return TensorShape([self.dimension])

    def create_state(self, state_manager: StateManager) -> None:
        """Makes the variable with the vectors."""
        self.categorical_column.create_state(state_manager)
        state_manager.create_variable(
            self,
            name="embedding_weights",
            shape=(self.categorical_column.num_buckets, self.dimension),
            dtype=dtypes.float32,
            trainable=self.trainable,
            initializer=_first_values(self),
        )

    def table(self, state_manager: StateManager) -> Any:
        """The variable with the vectors."""
        return state_manager.get_variable(self, "embedding_weights")

    def get_config(self) -> dict[str, Any]:
        """The arguments that make a column like this one."""
        config = dict(zip(self._fields, self, strict=True))
        config["categorical_column"] = serialize_feature_column(self.categorical_column)
        config["initializer"] = serialize_function(self.initializer)
        return config

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: Any = None, columns_by_name: Any = None
    ) -> EmbeddingColumn:
        """A column from the result of `get_config`.

        Raises:
            ValueError: if it comes from a file that is not trusted to name others.
        """
        serialization.check_reference(config.get("ckpt_to_load_from"), cls.__name__, "its vectors")
        config = dict(config)
        config["categorical_column"] = deserialize_feature_column(
            config["categorical_column"], custom_objects, columns_by_name
        )
        config["initializer"] = deserialize_function(
            config["initializer"], custom_objects, "initializer"
        )
        return cls(**config)


class SharedTable:
    """The shared vectors of several columns: one variable in each graph.

    Args:
        name: the variable's name.
        shape: its shape.
        initializer: its initial value.
        trainable: whether it is to be trained.
    """

    def __init__(
        self, name: str, shape: tuple[int, int], initializer: Any, trainable: bool
    ) -> None:
        self.name = name
        self.shape = shape
        self.initializer = initializer
        self.trainable = trainable
        self._variables: dict[int, tuple[Any, Any]] = {}

    def variable(self) -> Any:
        """The variable of the program's graph, also where weights of layers are made at once."""
        graph = context.surrounding_graph()
        known = self._variables.get(id(graph))
        if known is not None and known[0] is graph:
            return known[1]
        if graph is not None and context.building_graph() is None:
            with context.building(graph):
                return self.variable()
        made = self._make()
        self._variables[id(graph)] = graph, made
        return made

    def _make(self) -> Any:
        """A new variable; a subclass names it otherwise."""

        def initial() -> Any:
            initializers.refresh(self.initializer)
            return self.initializer(self.shape, dtype=dtypes.float32)

        return variables.make_unscoped(self.name, initial, trainable=self.trainable)


class SharedEmbeddingColumn(
    _Embedding,
    namedtuple(
        "SharedEmbeddingColumn",
        "categorical_column shared_embedding_column_creator combiner max_norm "
        "use_safe_embedding_lookup",
    ),
):
    """Made by `tf.feature_column.shared_embeddings`."""

    @property
    def name(self) -> str:
        """The name of the categories with the suffix of this kind of column."""
        return f"{self.categorical_column.name}_shared_embedding"

    @property
    def variable_shape(self) -> TensorShape:
        """The shape of a vector."""
        return TensorShape([self.shared_embedding_column_creator.shape[1]])

    def create_state(self, state_manager: StateManager) -> None:
        """Makes the variable with the vectors, unless another column has."""
        self.categorical_column.create_state(state_manager)
        table = self.shared_embedding_column_creator.variable()
        state_manager.add_resource(self, "embedding_weights", table)

    def table(self, state_manager: StateManager) -> Any:
        """The variable with the vectors."""
        return state_manager.get_resource(self, "embedding_weights")


def _first_values(column: EmbeddingColumn) -> Any:
    """The initializer, or a function that reads a checkpoint."""
    if column.ckpt_to_load_from is None:
        return column.initializer

    def restored(shape: TensorShape, dtype: Any = None, **kwargs: object) -> _core.Tensor:
        value = load_variable(column.ckpt_to_load_from, column.tensor_name_in_ckpt)
        return _core.convert(value, dtype and dtypes.as_dtype(dtype), None)

    return restored


def _checked_initializer(
    dimension: int, initializer: object, ckpt: str | None, tensor_name: str | None, names: str
) -> Any:
    """The initializer; by default a truncated normal distribution of variance 1 / dimension.

    Raises:
        ValueError: if arguments do not fit.
    """
    if dimension is None or dimension < 1:
        raise ValueError(f"Invalid dimension {dimension}.")
    if (ckpt is None) != (tensor_name is None):
        raise ValueError(
            "Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them."
        )
    if initializer is not None and not callable(initializer):
        raise ValueError(f"initializer must be callable if specified. {names}")
    if initializer is None:
        initializer = initializers.TruncatedNormal(mean=0.0, stddev=1 / math.sqrt(dimension))
    return initializer


def embedding_column(
    categorical_column: FeatureColumn,
    dimension: int,
    combiner: str = "mean",
    initializer: object = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> EmbeddingColumn:
    """A column of learned vectors for categories.

    Args:
        categorical_column: the column of categories.
        dimension: the size of a vector.
        combiner: what becomes of the vectors of several categories: "mean", "sum" or "sqrtn".
        initializer: the initial vectors; by default from a truncated normal with a standard
            deviation of `1 / sqrt(dimension)`.
        ckpt_to_load_from: a checkpoint from which to read the vectors instead.
        tensor_name_in_ckpt: their name there.
        max_norm: the largest norm of vectors; larger ones are scaled down.
        trainable: whether the vectors are trained.
        use_safe_embedding_lookup: whether categories may be missing or invalid; such have zeros.

    Raises:
        ValueError: if arguments do not fit.

    >>> tags = tf.feature_column.categorical_column_with_vocabulary_list("tags", ["a", "b"])
    >>> column = tf.feature_column.embedding_column(tags, 2, initializer=tf.ones_initializer())
    >>> tf.keras.layers.DenseFeatures([column])({"tags": tf.constant(["b", "?"])}).numpy()
    array([[1., 1.],
           [0., 0.]], dtype=float32)
    """
    initializer = _checked_initializer(
        dimension,
        initializer,
        ckpt_to_load_from,
        tensor_name_in_ckpt,
        f"Embedding of column_name: {getattr(categorical_column, 'name', categorical_column)}",
    )
    return EmbeddingColumn(**arguments(locals()))


def shared_embeddings(
    categorical_columns: Any,
    dimension: int,
    combiner: str = "mean",
    initializer: object = None,
    shared_embedding_collection_name: str | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> list[SharedEmbeddingColumn]:
    """Columns of learned vectors that several columns of categories share; only in graphs.

    Args:
        categorical_columns: columns of one kind with equally many categories.
        dimension: the size of a vector.
        combiner: what becomes of the vectors of several categories: "mean", "sum" or "sqrtn".
        initializer: the initial vectors; by default from a truncated normal with a standard
            deviation of `1 / sqrt(dimension)`.
        shared_embedding_collection_name: the name of the variable; by default the columns' names,
            joined.
        ckpt_to_load_from: a checkpoint from which to read the vectors instead.
        tensor_name_in_ckpt: their name there.
        max_norm: the largest norm of vectors; larger ones are scaled down.
        trainable: whether the vectors are trained.
        use_safe_embedding_lookup: whether categories may be missing or invalid; such have zeros.

    Returns:
        A column for each column of categories.

    Raises:
        RuntimeError: if operations run eagerly.
        ValueError: if the columns are of several kinds, or arguments do not fit.
    """
    return shared_columns(SharedTable, *arguments(locals()).values())


def shared_columns(
    table: type[SharedTable],
    columns: Any,
    dimension: int,
    combiner: str,
    initializer: object,
    name: str | None,
    ckpt: str | None,
    tensor_name: str | None,
    max_norm: float | None,
    trainable: bool,
    safe: bool,
) -> list[SharedEmbeddingColumn]:
    """Columns that share one variable, which the class `table` creates; see `shared_embeddings`."""
    if context.building_graph() is None:
        raise RuntimeError(
            "shared_embedding_columns are not supported when eager execution is enabled."
        )
    columns = list(columns)
    if not columns:
        raise IndexError("categorical_columns must not be empty.")
    names = sorted(column.name for column in columns)
    initializer = _checked_initializer(
        dimension, initializer, ckpt, tensor_name, f"Columns: {names}"
    )
    first = columns[0]
    for column in columns[1:]:
        if _kind(column) is not _kind(first):
            raise ValueError(
                "To use shared_embedding_column, all categorical_columns must have the same type, "
                "or be weighted_categorical_column or sequence column of the same type. "
                f"Given column: {first} of type: {type(first)} does not match given column: "
                f"{column} of type: {type(column)}"
            )
        if column.num_buckets != first.num_buckets:
            raise ValueError(
                "To use shared_embedding_column, all categorical_columns must have the same number "
                f"of buckets. Given column: {first} with buckets: {first.num_buckets} does not "
                f"match column: {column} with buckets: {column.num_buckets}"
            )
    name = name or "_".join(names) + "_shared_embedding"
    shape = (first.num_buckets, dimension)
    single = EmbeddingColumn(
        first, dimension, combiner, initializer, ckpt, tensor_name, max_norm, trainable, safe
    )
    shared = table(name, shape, _first_values(single), trainable)
    return [SharedEmbeddingColumn(column, shared, combiner, max_norm, safe) for column in columns]


def _kind(column: FeatureColumn) -> type:
    """The class of the categories inside columns of weights and sequences."""
    while hasattr(column, "categorical_column"):
        column = column.categorical_column
    return type(column)
