"""Columns of combinations of categories."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from eagerflow import _core
from eagerflow.feature_column.base import CategoricalColumn, StateManager, is_sparse
from eagerflow.feature_column.categories import HashedCategoricalColumn
from eagerflow.feature_column.serialization import (
    deserialize_feature_column,
    serialize_feature_column,
)
from eagerflow.framework import dtypes
from eagerflow.io.features import VarLenFeature
from eagerflow.sparse.crossing import cross_hashed

_ops = _core.ops


class CrossedColumn(
    CategoricalColumn, namedtuple("CrossedColumn", ["keys", "hash_bucket_size", "hash_key"])
):
    """Made by `tf.feature_column.crossed_column`."""

    def _leaves(self) -> list[Any]:
        """The columns and keys to cross; crossed columns among them are replaced by their keys."""
        return [
            leaf
            for key in self.keys
            for leaf in (key._leaves() if isinstance(key, CrossedColumn) else [key])
        ]

    @property
    def name(self) -> str:
        """The names of all that is crossed."""
        names = [leaf if isinstance(leaf, str) else leaf.name for leaf in self._leaves()]
        return "_X_".join(sorted(names))

    @property
    def parents(self) -> list[Any]:
        """The columns and features' names that are crossed."""
        return list(self.keys)

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """The features of the columns, and the features that are crossed as they are."""
        spec: dict[str, Any] = {}
        for key in self.keys:
            spec.update(
                {key: VarLenFeature(dtypes.string)}
                if isinstance(key, str)
                else key.parse_example_spec
            )
        return spec

    @property
    def num_buckets(self) -> int:
        """The number of buckets."""
        return self.hash_bucket_size

    def transform_feature(self, transformation_cache: Any, state_manager: StateManager) -> Any:
        """The buckets of all combinations, sparse.

        Raises:
            ValueError: if a column of categories has weights.
        """
        inputs = []
        for key in self._leaves():
            if isinstance(key, str):
                inputs.append(transformation_cache.get(key, state_manager))
                continue
            pair = key.get_sparse_tensors(transformation_cache, state_manager)
            if pair.weight_tensor is not None:
                raise ValueError(
                    "crossed_column does not support weight_tensor, but the given column "
                    f"populates weight_tensor. Given column: {key.name}"
                )
            inputs.append(pair.id_tensor)
        return cross_hashed(
            [_categories(value) for value in inputs], self.hash_bucket_size, self.hash_key
        )

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: StateManager) -> Any:
        """The buckets, without weights."""
        return self.IdWeightPair(transformation_cache.get(self, state_manager), None)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make a column like this one."""
        config = dict(zip(self._fields, self, strict=True))
        return {**config, "keys": tuple(serialize_feature_column(key) for key in self.keys)}

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: Any = None, columns_by_name: Any = None
    ) -> CrossedColumn:
        """A column from the result of `get_config`."""
        keys = tuple(
            deserialize_feature_column(key, custom_objects, columns_by_name)
            for key in config["keys"]
        )
        return cls(**{**config, "keys": keys})


def _categories(value: Any) -> Any:
    """Numbers as integers: fractions are cut off."""
    if value.dtype is dtypes.string or value.dtype.is_integer:
        return value
    if is_sparse(value):
        return value.with_values(_ops.cast(value.values, dtypes.int64))
    return _ops.cast(value, dtypes.int64)


def crossed_column(keys: Any, hash_bucket_size: int, hash_key: int | None = None) -> CrossedColumn:
    """A column of all combinations of categories, in buckets by their hashes.

    Args:
        keys: two or more names of features, or columns of categories that are not hashed.
        hash_bucket_size: the number of buckets.
        hash_key: the initial state of the hashes.

    Raises:
        ValueError: if there are fewer, or no buckets, or a column cannot be crossed.

    >>> pair = tf.feature_column.crossed_column(["color", "size"], 4)
    >>> layer = tf.keras.layers.DenseFeatures([tf.feature_column.indicator_column(pair)])
    >>> layer({"color": tf.constant(["R", "G"]), "size": tf.constant(["S", "S"])}).shape
    TensorShape([2, 4])
    """
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}")
    if not keys or len(keys) < 2:
        raise ValueError(f"keys must be a list with length > 1. Given: {keys}")
    for key in keys:
        if not isinstance(key, str | CategoricalColumn):
            raise ValueError(
                "Unsupported key type. All keys must be either string, or categorical column "
                f"except HashedCategoricalColumn. Given: {key}"
            )
        if isinstance(key, HashedCategoricalColumn):
            raise ValueError(
                "categorical_column_with_hash_bucket is not supported for crossing. Hashing before "
                "crossing will increase probability of collision. Instead, use the feature name "
                f"as a string. Given: {key}"
            )
    return CrossedColumn(tuple(keys), hash_bucket_size, hash_key)
