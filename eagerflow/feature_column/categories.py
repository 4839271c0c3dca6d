"""Columns of category ids, of hashed categories, and of weighted categories."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from eagerflow import _core
from eagerflow.feature_column.base import (
    CategoricalColumn,
    FeatureColumn,
    StateManager,
    as_sparse,
    check_string_or_int,
    checked_key,
    is_sparse,
    shown,
)
from eagerflow.feature_column.parents import OfFeature
from eagerflow.feature_column.serialization import (
    deserialize_feature_column,
    serialize_feature_column,
)
from eagerflow.framework import dtypes
from eagerflow.framework.sizes import reshaped
from eagerflow.io.features import VarLenFeature
from eagerflow.sparse.tensor import SparseTensor
from eagerflow.strings import hashing, manipulation

_ops = _core.ops


class IdentityCategoricalColumn(
    OfFeature,
    CategoricalColumn,
    namedtuple("IdentityCategoricalColumn", ["key", "number_buckets", "default_value"]),
):
    """Made by `tf.feature_column.categorical_column_with_identity`."""

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """A feature of variable length."""
        return {self.key: VarLenFeature(dtypes.int64)}

    @property
    def num_buckets(self) -> int:
        """The number of categories."""
        return self.number_buckets

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> SparseTensor:
        """The category ids, int64, sparse.

        Raises:
            ValueError: if they are no integers.
        """
        ids = as_sparse(transformation_cache.get(self.key, state_manager))
        if not ids.dtype.is_integer:
            raise ValueError(
                f"Invalid input, not integer. key: {self.key} dtype: {shown(ids.dtype)}"
            )
        values = _ops.cast(ids.values, dtypes.int64)
        if self.default_value is not None:
            default = _core.convert(self.default_value, dtypes.int64, None)
            values = _ops.select(_is_bucket(values, self.number_buckets), values, default)
        return ids.with_values(values)

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: StateManager) -> Any:
        """The category ids, without weights."""
        return self.IdWeightPair(transformation_cache.get(self, state_manager), None)


class HashedCategoricalColumn(
    OfFeature,
    CategoricalColumn,
    namedtuple("HashedCategoricalColumn", ["key", "hash_bucket_size", "dtype"]),
):
    """Made by `tf.feature_column.categorical_column_with_hash_bucket`."""

    @property
    def num_buckets(self) -> int:
        """The number of buckets."""
        return self.hash_bucket_size

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> SparseTensor:
        """The buckets of values, sparse.

        Raises:
            ValueError: if the feature has another kind of values.
        """
        terms = as_sparse(transformation_cache.get(self.key, state_manager))
        dtype = terms.dtype
        check_string_or_int(dtype, f"column_name: {self.key} input_tensor")
        if dtype.is_integer != self.dtype.is_integer:
            raise ValueError(
                "Column dtype and SparseTensors dtype must be compatible. "
                f"key: {self.key}, column dtype: {shown(self.dtype)}, tensor dtype: {shown(dtype)}"
            )
        values = terms.values if dtype is dtypes.string else manipulation.as_string(terms.values)
        return terms.with_values(hashing.to_hash_bucket_fast(values, self.hash_bucket_size))

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: StateManager) -> Any:
        """The buckets, without weights."""
        return self.IdWeightPair(transformation_cache.get(self, state_manager), None)


class WeightedCategoricalColumn(
    CategoricalColumn,
    namedtuple("WeightedCategoricalColumn", ["categorical_column", "weight_feature_key", "dtype"]),
):
    """Made by `tf.feature_column.weighted_categorical_column`."""

    @property
    def name(self) -> str:
        """The names of the categories and of their weights."""
        return f"{self.categorical_column.name}_weighted_by_{self.weight_feature_key}"

    @property
    def parents(self) -> list[Any]:
        """The column of categories, and the name of the weights."""
        return [self.categorical_column, self.weight_feature_key]

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """The features of the categories, and the weights.

        Raises:
            ValueError: if the weights are among the categories' features, and are no weights there.
        """
        spec = dict(self.categorical_column.parse_example_spec)
        wanted = VarLenFeature(self.dtype)
        known = spec.setdefault(self.weight_feature_key, wanted)
        if known != wanted:
            raise ValueError(
                f"Parse config {known} already exists for {self.weight_feature_key}, which must "
                f"be {wanted} to hold weights."
            )
        return spec

    @property
    def num_buckets(self) -> int:
        """The number of categories."""
        return self.categorical_column.num_buckets

    def transform_feature(self, transformation_cache: Any, state_manager: StateManager) -> Any:
        """The categories and their weights, both sparse.

        Raises:
            ValueError: if the weights have another dtype than the column's.
        """
        weights = transformation_cache.get(self.weight_feature_key, state_manager)
        if weights.dtype != self.dtype.base_dtype:
            raise ValueError(
                f"Bad dtype, expected {shown(self.dtype)}, but got {shown(weights.dtype)}."
            )
        if not is_sparse(weights):
            weights = as_sparse(weights, 0)
        if not weights.dtype.is_floating:
            weights = weights.with_values(_ops.cast(weights.values, dtypes.float32))
        ids = transformation_cache.get(self.categorical_column, state_manager)
        return ids, weights

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: StateManager) -> Any:
        """The categories and their weights."""
        return self.IdWeightPair(*transformation_cache.get(self, state_manager))

    def get_config(self) -> dict[str, Any]:
        """The arguments that make a column like this one."""
        return {
            "categorical_column": serialize_feature_column(self.categorical_column),
            "weight_feature_key": self.weight_feature_key,
            "dtype": self.dtype.name,
        }

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: Any = None, columns_by_name: Any = None
    ) -> Any:
        """A column from the result of `get_config`."""
        inner = config["categorical_column"]
        return cls(
            deserialize_feature_column(inner, custom_objects, columns_by_name),
            config["weight_feature_key"],
            dtypes.as_dtype(config["dtype"]),
        )


def with_vectors(pair: Any, num_buckets: int) -> _core.Tensor:
    """Vectors `[..., num_buckets]` of how often, or with which weights, categories are there.

    Args:
        pair: categories `[..., n]` and their weights, or None; categories that are no bucket's
            ids are dropped.
        num_buckets: the number of categories.
    """
    ids, weights = pair
    outer = outer_sizes(ids)
    places = _ops.zeros_like(ids.values)
    for axis, size in enumerate(outer):
        places = places * size + ids.indices[:, axis]
    # Segments of negative numbers are dropped.
    segments = _ops.select(
        _is_bucket(ids.values, num_buckets),
        places * num_buckets + ids.values,
        _core.convert(-1, dtypes.int64, None),
    )
    if weights is None:
        counted = _ops.cast(_ops.ones_like(ids.values), dtypes.float32)
    else:
        counted = weights.values
    total = num_buckets
    for size in outer:
        total = total * size
    summed = _ops.unsorted_segment_sum(counted, segments, total)
    return reshaped(summed, [*outer, num_buckets])


def outer_sizes(values: SparseTensor) -> list[Any]:
    """The sizes of all axes but the last; scalars of a graph where they are not known."""
    known = values.shape.as_list()
    return [values.dense_shape[k] if n is None else n for k, n in enumerate(known[:-1])]


def _is_bucket(ids: Any, num_buckets: int) -> _core.Tensor:
    """Which ids are those of buckets."""
    return _ops.logical_and(_ops.greater_equal(ids, 0), _ops.less(ids, num_buckets))


def steps_of(ids: SparseTensor) -> _core.Tensor:
    """The number of steps of each sequence, up to the last with an element, int64 `[batch]`."""
    rows = outer_sizes(ids)[0]
    ends = _ops.unsorted_segment_max(ids.indices[:, 1] + 1, ids.indices[:, 0], rows)
    return _ops.maximum(ends, _core.convert(0, dtypes.int64, None))


def categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> IdentityCategoricalColumn:
    """A column of integers that are category ids.

    Args:
        key: the feature's name.
        num_buckets: the number of categories.
        default_value: the category id of integers out of range.

    Raises:
        ValueError: if there are no categories, or the default is none.

    >>> rank = tf.feature_column.categorical_column_with_identity("rank", 3)
    >>> layer = tf.keras.layers.DenseFeatures([tf.feature_column.indicator_column(rank)])
    >>> layer({"rank": tf.constant([2, 0])}).numpy()
    array([[0., 0., 1.],
           [1., 0., 0.]], dtype=float32)
    """
    if num_buckets < 1:
        raise ValueError(f"num_buckets {num_buckets} < 1, column_name {key}")
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError(
            f"default_value {default_value} not in range [0, {num_buckets}), column_name {key}"
        )
    checked_key(key)
    return IdentityCategoricalColumn(key, num_buckets, default_value)


def categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: Any = dtypes.string
) -> HashedCategoricalColumn:
    """A column of strings or integers in buckets, by their hashes.

    Args:
        key: the feature's name.
        hash_bucket_size: the number of buckets.
        dtype: the values' dtype; integers are hashed as they are written.

    Raises:
        ValueError: if there are no buckets, or for other dtypes.

    >>> word = tf.feature_column.categorical_column_with_hash_bucket("word", 4)
    >>> layer = tf.keras.layers.DenseFeatures([tf.feature_column.indicator_column(word)])
    >>> layer({"word": tf.constant(["a", "b"])}).numpy()
    array([[0., 0., 0., 1.],
           [0., 0., 1., 0.]], dtype=float32)
    """
    if hash_bucket_size is None:
        raise ValueError(f"hash_bucket_size must be set. key: {key}")
    if hash_bucket_size < 1:
        raise ValueError(
            f"hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}, key: {key}"
        )
    dtype = dtypes.as_dtype(dtype)
    checked_key(key)
    check_string_or_int(dtype, f"column_name: {key}")
    return HashedCategoricalColumn(key, hash_bucket_size, dtype)


def weighted_categorical_column(
    categorical_column: FeatureColumn, weight_feature_key: str, dtype: Any = dtypes.float32
) -> WeightedCategoricalColumn:
    """A column of categories whose weights are another feature.

    Args:
        categorical_column: the column of categories.
        weight_feature_key: the name of the weights, which have the indices of the categories.
        dtype: the weights' dtype.

    Raises:
        ValueError: if the dtype is not numeric.

    >>> color = tf.feature_column.categorical_column_with_vocabulary_list("color", ["R", "G"])
    >>> weighted = tf.feature_column.weighted_categorical_column(color, "share")
    >>> layer = tf.keras.layers.DenseFeatures([tf.feature_column.indicator_column(weighted)])
    >>> layer({"color": tf.constant([["R", "G"]]), "share": tf.constant([[0.25, 0.75]])}).numpy()
    array([[0.25, 0.75]], dtype=float32)
    """
    dtype = dtypes.as_dtype(dtype)
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype {shown(dtype)} is not convertible to float.")
    return WeightedCategoricalColumn(categorical_column, weight_feature_key, dtype)
