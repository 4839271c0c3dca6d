"""Numeric columns, and columns of the buckets of their values."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.feature_column.base import (
    CategoricalColumn,
    DenseColumn,
    FeatureColumn,
    StateManager,
    checked_key,
    is_sparse,
    shown,
)
from eagerflow.feature_column.parents import OfFeature
from eagerflow.feature_column.serialization import (
    deserialize_feature_column,
    serialize_feature_column,
    with_tuples,
)
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import hosted
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.io.features import FixedLenFeature
from eagerflow.sparse.tensor import SparseTensor, SparseTensorSpec
from eagerflow.typing import DTypeLike, ShapeLike, TensorLike

_ops = _core.ops


class NumericColumn(
    OfFeature,
    DenseColumn,
    namedtuple("NumericColumn", ["key", "shape", "default_value", "dtype", "normalizer_fn"]),
):
    """A numeric feature; made by `tf.feature_column.numeric_column`."""

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """A feature of fixed shape."""
        return {self.key: FixedLenFeature(self.shape, self.dtype, self.default_value)}

    @property
    def variable_shape(self) -> TensorShape:
        """The shape of one example."""
        return TensorShape(self.shape)

    def transform_feature(self, transformation_cache: Any, state_manager: Any) -> _core.Tensor:
        """The normalized values, float32.

        Raises:
            ValueError: if the feature is sparse.
        """
        values = transformation_cache.get(self.key, state_manager)
        if is_sparse(values):
            raise ValueError(
                "The corresponding Tensor of numerical column must be a Tensor. SparseTensor is "
                f"not supported. key: {self.key}"
            )
        if self.normalizer_fn is not None:
            values = self.normalizer_fn(values)
        return _ops.cast(values, dtypes.float32)

    def get_dense_tensor(self, transformation_cache: Any, state_manager: StateManager) -> Any:
        """The normalized values, float32 `[batch, *shape]`."""
        return transformation_cache.get(self, state_manager)


class BucketizedColumn(
    DenseColumn, CategoricalColumn, namedtuple("BucketizedColumn", ["source_column", "boundaries"])
):
    """The buckets of numeric values; made by `tf.feature_column.bucketized_column`."""

    @property
    def name(self) -> str:
        """The source's name with the suffix of this kind of column."""
        return f"{self.source_column.name}_bucketized"

    @property
    def parents(self) -> list[Any]:
        """The numeric column."""
        return [self.source_column]

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """The feature of the numeric column."""
        return self.source_column.parse_example_spec

    @property
    def variable_shape(self) -> TensorShape:
        """The shape of one example: a vector for each of its values."""
        return TensorShape([*self.source_column.shape, len(self.boundaries) + 1])

    @property
    def num_buckets(self) -> int:
        """The number of buckets of all values of one example."""
        return (len(self.boundaries) + 1) * self.source_column.shape[0]

    def transform_feature(self, transformation_cache: Any, state_manager: StateManager) -> Any:
        """The index of each value's bucket."""
        values = transformation_cache.get(self.source_column, state_manager)
        edges = np.array(self.boundaries, np.float32)
        return _buckets(values, edges)

    def get_dense_tensor(self, transformation_cache: Any, state_manager: Any) -> _core.Tensor:
        """One-hot vectors of the buckets, `[batch, *variable_shape]`."""
        buckets = transformation_cache.get(self, state_manager)
        vectors = np.eye(len(self.boundaries) + 1, dtype=np.float32)
        return _ops.gather(_core.as_tensor(vectors), buckets, 0, 0)

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: StateManager) -> Any:
        """The buckets as category ids; each value of an example has its own range of ids."""
        buckets = transformation_cache.get(self, state_manager)
        ids = _categories(buckets, self.source_column.shape[0], len(self.boundaries) + 1)
        return self.IdWeightPair(ids, None)

    def get_config(self) -> dict[str, Any]:
        """The arguments that make a column like this one."""
        return {
            "source_column": serialize_feature_column(self.source_column),
            "boundaries": self.boundaries,
        }

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: Any = None, columns_by_name: Any = None
    ) -> BucketizedColumn:
        """A column from the result of `get_config`."""
        config = with_tuples(config)
        source = config["source_column"]
        config["source_column"] = deserialize_feature_column(
            source, custom_objects, columns_by_name
        )
        return cls(**config)


def checked_shape(shape: ShapeLike, key: str) -> tuple[int, ...]:
    """A shape as a tuple of positive sizes.

    Raises:
        TypeError: if a size is no integer.
        ValueError: if a size is not positive.
    """
    sizes = tuple(shape) if isinstance(shape, list | tuple | TensorShape) else (shape,)
    for size in sizes:
        if not isinstance(size, int):
            raise TypeError(f"shape dimensions must be integer. shape: {sizes}, key: {key}")
        if size < 1:
            raise ValueError(f"shape dimensions must be greater than 0. shape: {sizes}, key: {key}")
    return sizes


def _nested(value: TensorLike) -> Any:
    """Lists as tuples, all the way down."""
    return tuple(map(_nested, value)) if isinstance(value, list | tuple) else value


def _filled(value: TensorLike, shape: tuple[int, ...]) -> Any:
    for size in reversed(shape):
        value = (value,) * size
    return value


def _default(value: Any, shape: tuple[int, ...], dtype: Any, key: str) -> Any:
    """A default in the shape of an example."""
    original = value
    if isinstance(value, np.ndarray):
        value = value.tolist()
    leaves = np.array(value, dtype=object).reshape(-1).tolist()
    kinds = (int, np.integer) if dtype.is_integer else (int, float, np.integer, np.floating)
    if not all(isinstance(leaf, kinds) and not isinstance(leaf, bool) for leaf in leaves):
        raise TypeError(
            "default_value must be compatible with dtype. "
            f"default_value: {original}, dtype: {shown(dtype)}, key: {key}"
        )
    cast = int if dtype.is_integer else None
    if not isinstance(value, list | tuple):
        return _filled(cast(value) if cast else value, shape)
    if np.shape(value) != shape:
        raise ValueError(
            "The shape of default_value must be equal to given shape. "
            f"default_value: {original}, shape: {shape}, key: {key}"
        )
    return _nested(value)


def check_normalizer(normalizer_fn: Any) -> None:
    """Raises if a normalizer is no function.

    Raises:
        TypeError: in that case.
    """
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")


def checked_number_dtype(dtype: DTypeLike, key: str) -> dtypes.DType:
    """The dtype of a numeric column.

    Raises:
        ValueError: if it is neither integer nor floating.
    """
    dtype = dtypes.as_dtype(dtype)
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {shown(dtype)}, key: {key}")
    return dtype


@hosted(lambda values, edges: TensorSpec(values.shape, dtypes.int32))
def _buckets(values: _core.Tensor, edges: np.ndarray) -> _core.Tensor:
    """The index of each value's bucket."""
    return _core.as_tensor(np.searchsorted(edges, values.numpy(), side="right").astype(np.int32))


@hosted(lambda buckets, count, size: SparseTensorSpec([buckets.shape[0], count], dtypes.int64))
def _categories(buckets: _core.Tensor, count: int, size: int) -> SparseTensor:
    """Buckets as category ids; each of the values of an example has its own range of `size` ids."""
    ids = buckets.numpy().reshape(-1, count) + size * np.arange(count)
    indices = np.argwhere(np.ones(ids.shape, bool))
    return SparseTensor(indices, _core.as_tensor(ids.reshape(-1).astype(np.int64)), ids.shape)


def numeric_column(
    key: str,
    shape: ShapeLike = (1,),
    default_value: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    normalizer_fn: Callable[[Any], Any] | None = None,
) -> NumericColumn:
    """A numeric column.

    Args:
        key: the feature's name.
        shape: the shape of one example.
        default_value: the values of examples that lack the feature, for parsing: a scalar, or
            values of that shape.
        dtype: the dtype of the values in examples; those of the column are float32.
        normalizer_fn: a function of the feature's tensor that is called first.

    Raises:
        TypeError: if a size, the default or the normalizer is of another kind.
        ValueError: if sizes are not positive, or the default does not have the shape.

    >>> age = tf.feature_column.numeric_column("age", normalizer_fn=lambda x: x / 10)
    >>> tf.keras.layers.DenseFeatures([age])({"age": [30.0, 45.0]}).numpy()
    array([[3. ],
           [4.5]], dtype=float32)
    """
    shape = checked_shape(shape, key)
    checked_key(key)
    dtype = checked_number_dtype(dtype, key)
    if default_value is not None:
        default_value = _default(default_value, shape, dtype, key)
    check_normalizer(normalizer_fn)
    return NumericColumn(key, shape, default_value, dtype, normalizer_fn)


def bucketized_column(source_column: FeatureColumn, boundaries: Any) -> BucketizedColumn:
    """A column of the buckets between boundaries that values lie in.

    Args:
        source_column: a `numeric_column` of one axis.
        boundaries: a sorted list; a bucket includes its lower boundary.

    Raises:
        ValueError: if the source is another column, or the boundaries are not sorted.

    >>> age = tf.feature_column.numeric_column("age")
    >>> decades = tf.feature_column.bucketized_column(age, [30, 40])
    >>> tf.keras.layers.DenseFeatures([decades])({"age": [30.0, 45.0]}).numpy()
    array([[0., 1., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    if not isinstance(source_column, NumericColumn):
        raise ValueError(
            "source_column must be a column generated with numeric_column(). "
            f"Given: {source_column}"
        )
    if len(source_column.shape) > 1:
        raise ValueError(f"source_column must be one-dimensional column. Given: {source_column}")
    if not boundaries:
        raise ValueError("boundaries must not be empty.")
    if not isinstance(boundaries, list | tuple):
        raise ValueError("boundaries must be a sorted list.")
    if any(one >= other for one, other in zip(boundaries, boundaries[1:], strict=False)):
        raise ValueError("boundaries must be a sorted list.")
    return BucketizedColumn(source_column, tuple(boundaries))
