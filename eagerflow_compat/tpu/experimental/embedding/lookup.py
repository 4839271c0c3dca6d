"""Features looked up in tables: ids, in tensors of three kinds, become combined rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from eagerflow import _core, nest
from eagerflow.framework.module import AutoTrackable
from eagerflow.framework.variable import Variable
from eagerflow.ops.indexing import where
from eagerflow.ops.nn.embedding import embedding_lookup, safe_embedding_lookup_sparse
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.sparse.tensor import SparseTensor
from eagerflow_compat.internals.nest import flatten_with_joined_string_paths
from eagerflow_compat.tpu.experimental.embedding.configuration import FeatureConfig, TableConfig
from eagerflow_compat.tpu.experimental.embedding.optimizers import Optimizer

_ops = _core.ops
Tensor = _core.Tensor


def serving_embedding_lookup(
    inputs: Any, weights: Tensor, tables: Mapping[TableConfig, Any], feature_config: Any
) -> Any:
    """The activations of features.

    Args:
        inputs: ids: tensors, each id of which gives a row, or sparse or ragged tensors, whose rows of
            ids are combined; in the structure of `feature_config`, or some entries of its dictionary.
        weights: None, or the weight of each id, for sparse and ragged ones.
        tables: the variables, by their configurations.
        feature_config: a `FeatureConfig`, or a structure of them.

    Returns:
        A structure of tensors like `inputs`.

    Raises:
        ValueError: for features that are not configured, weights that do not fit, and other inputs.

    >>> embedding = tf.tpu.experimental.embedding
    >>> table = embedding.TableConfig(3, 2, initializer=tf.ones_initializer(), combiner="sum")
    >>> ids = tf.ragged.constant([[0, 2], [1], []])
    >>> tables = {table: tf.Variable(tf.ones([3, 2]))}
    >>> embedding.serving_embedding_lookup(
    ...     ids, None, tables, embedding.FeatureConfig(table)
    ... ).numpy()
    array([[2., 2.],
           [1., 1.],
           [0., 0.]], dtype=float32)
    """
    features = dict(flatten_with_joined_string_paths(feature_config))
    ids = flatten_with_joined_string_paths(inputs)
    if not {path for path, _ in ids} <= features.keys():
        raise ValueError(
            "Inputs are not a subset of feature_config. Inputs keys are "
            f"{ {path for path, _ in ids} }, but feature_config keys are {features.keys()}"
        )
    weights_of = {} if weights is None else dict(flatten_with_joined_string_paths(weights))
    outputs = []
    for path, value in ids:
        feature, weight = features[path], weights_of.get(path)
        _check_weight(path, value, weight, feature)
        table = tables[feature.table]
        if isinstance(value, SparseTensor):
            outputs.append(_of_sparse(value, weight, table, feature))
        elif isinstance(value, RaggedTensor):
            outputs.append(_of_ragged(value, weight, table, feature))
        elif isinstance(value, Tensor):
            if feature.max_sequence_length > 0:
                raise ValueError(
                    f"Feature {path} is a sequence feature but a dense tensor was passed."
                )
            outputs.append(embedding_lookup(table, value))
        else:
            raise ValueError(
                f"Input {path} is type {type(value)}. Tensor, SparseTensor or RaggedTensor expected."
            )
    return nest.pack_sequence_as(inputs, outputs)


def _check_weight(path: str, value: Any, weight: Any, feature: FeatureConfig) -> None:
    if weight is None:
        return
    if isinstance(value, Tensor):
        raise ValueError(f"Weight specified for {path}, but input is dense.")
    if type(weight) is not type(value):
        raise ValueError(
            f"Weight for {path} is of type {type(weight)} but it does not match type of the input "
            f"which is {type(value)}."
        )
    if feature.max_sequence_length > 0:
        raise ValueError(f"Weight specified for {path}, but this is a sequence feature.")


def _keeps_sequences(value: SparseTensor, feature: FeatureConfig) -> bool:
    """Whether rows are kept one after the other, and not combined."""
    return value.shape.rank == 2 and feature.max_sequence_length > 0


def _of_sparse(ids: SparseTensor, weights: Any, table: Any, feature: FeatureConfig) -> Tensor:
    if not _keeps_sequences(ids, feature):
        return safe_embedding_lookup_sparse(
            table, ids, sparse_weights=weights, combiner=feature.table.combiner
        )
    length = feature.max_sequence_length
    kept = _ops.squeeze(where(_ops.less(ids.indices[:, 1], length)), [1])
    rows = embedding_lookup(table, _ops.gather(ids.values, kept))
    count = _ops.cast(ids.dense_shape[0], "int64")
    shape = _ops.stack([count, _ops.cast(length, "int64"), _ops.cast(feature.table.dim, "int64")])
    return _ops.scatter_nd(_ops.gather(ids.indices, kept), rows, shape)


def _of_ragged(ids: RaggedTensor, weights: Any, table: Any, feature: FeatureConfig) -> Tensor:
    if ids.shape.rank != 2:
        raise ValueError(f"Only rank 2 ragged tensor is supported, but got rank {ids.shape.rank}")
    batch, sizes = ids.shape[0], feature.output_shape.as_list() if feature.output_shape.rank else []
    length = feature.max_sequence_length
    if sizes and length == 0 and batch is not None:
        _check_factor(sizes, batch)
    if length > 0:
        rows = ids.with_values(embedding_lookup(table, ids.values))
        return rows.to_tensor(shape=[None, length, feature.table.dim])
    flat = None if weights is None else weights.to_sparse()
    return _of_sparse(ids.to_sparse(), flat, table, feature)


def _check_factor(sizes: Sequence[int | None], batch: int) -> None:
    if batch % math.prod(size or 1 for size in sizes):
        raise ValueError(
            "Output shape set in the FeatureConfig should be the factor of the input data batch size. "
            f"But instead got output shape {tuple(sizes)}, input data batch size {batch}"
        )


class TPUEmbeddingForServing(AutoTrackable):
    """Tables as variables, and the look-up of features in them.

    Checkpoints have the tables and their slots by the names of tables, as those of TPUs do.

    Args:
        feature_config: a `FeatureConfig`, or a structure of them.
        optimizer: of all tables that have none of their own; None: these have no slots.
        experimental_sparsecore_restore_info: ignored.

    Raises:
        ValueError: for other configurations, and two tables of one name.

    >>> embedding = tf.tpu.experimental.embedding
    >>> table = embedding.TableConfig(10, 4, name="words")
    >>> layer = embedding.TPUEmbeddingForServing(embedding.FeatureConfig(table), embedding.SGD())
    >>> layer(tf.constant([1, 5])).shape
    TensorShape([2, 4])
    """

    def __init__(
        self,
        feature_config: Any,
        optimizer: Optimizer | None,
        experimental_sparsecore_restore_info: dict[str, Any] | None = None,
    ) -> None:
        features = nest.flatten(feature_config)
        for feature in features:
            if not isinstance(feature, FeatureConfig):
                raise ValueError(
                    f"Features are configured by FeatureConfig, received {feature!r} in `feature_config`."
                )
        self._feature_config = feature_config
        self._tables = list({id(f.table): f.table for f in features}.values())
        names: set[str] = set()
        for number, table in enumerate(self._tables):
            table.optimizer = optimizer if table.optimizer is None else table.optimizer
            if table.optimizer is not None and not isinstance(table.optimizer, Optimizer):
                raise ValueError(
                    f"{type(table.optimizer)} is an unsupported optimizer class. Please pass an "
                    "instance of one of the optimizer classes under tf.tpu.experimental.embedding."
                )
            table.name = f"table_{number}" if table.name is None else table.name
            if table.name in names:
                raise ValueError(
                    f"Tables must have a unique name. Multiple tables with name {table.name} found."
                )
            names.add(table.name)
        self._built: dict[str, dict[str, Any]] = {}

    def build(self) -> None:
        """Makes the variables, if there are none."""
        if not self._built:
            self._built = {table.name: self._variables_of(table) for table in self._tables}

    def _variables_of(self, table: TableConfig) -> dict[str, Any]:
        shape, name = [table.vocabulary_size, table.dim], str(table.name)

        def variable(name: str, initializer: Any, trainable: bool) -> Any:
            value = initializer(shape, dtype=table.dtype)
            made = Variable(value, trainable=trainable, name=name)
            return self._track_trackable(made, name)

        parameters = variable(name, table.initializer, True)
        slots = {}
        if table.optimizer is not None:
            slots = table.optimizer._create_slots(
                parameters, lambda slot, initial: variable(f"{name}/{slot}", initial, False)
            )
        return {**slots, "parameters": parameters}

    def _trackable_children(
        self, save_type: str = "checkpoint", cache: object = None, **kwargs: object
    ) -> dict[str, Any]:
        return dict(self.__dict__.get("_dependencies", {}))

    @property
    def variables(self) -> dict[str, dict[str, Any]]:
        """The slots of each table, and the table itself as "parameters"."""
        self.build()
        return self._built

    @property
    def embedding_tables(self) -> dict[TableConfig, Any]:
        """The tables' variables."""
        self.build()
        return {table: self._built[table.name]["parameters"] for table in self._tables}

    def embedding_lookup(self, features: Any, weights: Any = None) -> Any:
        """See `serving_embedding_lookup`."""
        return serving_embedding_lookup(
            features, weights, self.embedding_tables, self._feature_config
        )

    __call__ = embedding_lookup
