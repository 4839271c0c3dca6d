"""Feature columns by the names of tf.contrib.layers: those of `tf.feature_column`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from eagerflow.compat import v1
from eagerflow.feature_column.categories import HashedCategoricalColumn
from eagerflow.framework import dtypes
from eagerflow.keras.typing import InitializerLike
from eagerflow.typing import DTypeLike
from eagerflow_compat.v1.variable_scope import VariableScope, variable_scope

_columns = v1.feature_column


def real_valued_column(
    column_name: str,
    dimension: int = 1,
    default_value: Any = None,
    dtype: DTypeLike = dtypes.float32,
    normalizer: Callable[..., Any] | None = None,
) -> Any:
    """A column of `dimension` numbers; see `tf.feature_column.numeric_column`."""
    return _columns.numeric_column(column_name, (dimension,), default_value, dtype, normalizer)


def sparse_column_with_keys(
    column_name: str,
    keys: Sequence[Any],
    default_value: int = -1,
    combiner: str = "sum",
    dtype: DTypeLike = dtypes.string,
) -> Any:
    """Categories of a list; see `tf.feature_column.categorical_column_with_vocabulary_list`."""
    return _columns.categorical_column_with_vocabulary_list(column_name, keys, dtype, default_value)


def sparse_column_with_hash_bucket(
    column_name: str,
    hash_bucket_size: int,
    combiner: str = "sum",
    dtype: DTypeLike = dtypes.string,
) -> Any:
    """Categories by their hashes; see `tf.feature_column.categorical_column_with_hash_bucket`."""
    return _columns.categorical_column_with_hash_bucket(column_name, hash_bucket_size, dtype)


def sparse_column_with_integerized_feature(
    column_name: str, bucket_size: int, combiner: str = "sum", dtype: DTypeLike = dtypes.int64
) -> Any:
    """Categories that are integers; see `tf.feature_column.categorical_column_with_identity`."""
    return _columns.categorical_column_with_identity(column_name, bucket_size)


def sparse_column_with_vocabulary_file(
    column_name: str,
    vocabulary_file: str,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    combiner: str = "sum",
    dtype: DTypeLike = dtypes.string,
) -> Any:
    """Categories of a file; see `tf.feature_column.categorical_column_with_vocabulary_file`."""
    return _columns.categorical_column_with_vocabulary_file(
        column_name,
        vocabulary_file,
        vocab_size,
        num_oov_buckets,
        None if num_oov_buckets else default_value,
        dtype,
    )


def bucketized_column(source_column: Any, boundaries: Sequence[float]) -> Any:
    """Numbers by the interval that they are in; see `tf.feature_column.bucketized_column`."""
    return _columns.bucketized_column(source_column, list(boundaries))


def crossed_column(
    columns: Sequence[Any], hash_bucket_size: int, combiner: str = "sum", **kwargs: object
) -> Any:
    """Combinations of categories; see `tf.feature_column.crossed_column`.

    Of categories by their hashes, the text is combined.
    """
    keys = [one.key if isinstance(one, HashedCategoricalColumn) else one for one in columns]
    return _columns.crossed_column(keys, hash_bucket_size)


def weighted_sparse_column(
    sparse_id_column: Any, weight_column_name: str, dtype: DTypeLike = dtypes.float32
) -> Any:
    """Categories with weights; see `tf.feature_column.weighted_categorical_column`."""
    return _columns.weighted_categorical_column(sparse_id_column, weight_column_name, dtype)


def one_hot_column(sparse_id_column: Any) -> Any:
    """How often each category occurs; see `tf.feature_column.indicator_column`."""
    return _columns.indicator_column(sparse_id_column)


def embedding_column(
    sparse_id_column: Any,
    dimension: int,
    combiner: str = "mean",
    initializer: InitializerLike | None = None,
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
) -> Any:
    """Vectors of categories; see `tf.feature_column.embedding_column`."""
    return _columns.embedding_column(
        sparse_id_column,
        dimension,
        combiner,
        initializer,
        ckpt_to_load_from,
        tensor_name_in_ckpt,
        max_norm,
        trainable,
    )


def input_from_feature_columns(
    columns_to_tensors: dict[str, Any],
    feature_columns: Iterable[Any],
    weight_collections: Sequence[str] | None = None,
    trainable: bool = True,
    scope: VariableScope | str | None = None,
) -> Any:
    """The columns' values side by side; see `tf.compat.v1.feature_column.input_layer`.

    >>> from eagerflow.contrib import layers
    >>> with tf.Graph().as_default():
    ...     columns = [layers.real_valued_column("a", 2)]
    ...     layers.input_from_feature_columns({"a": tf.ones([3, 2])}, columns).shape
    TensorShape([3, 2])
    """
    with variable_scope(scope, "input_from_feature_columns"):
        return _columns.input_layer(
            columns_to_tensors, list(feature_columns), weight_collections, trainable
        )


def weighted_sum_from_feature_columns(
    columns_to_tensors: dict[str, Any],
    feature_columns: Iterable[Any],
    num_outputs: int,
    weight_collections: Sequence[str] | None = None,
    trainable: bool = True,
    scope: VariableScope | str | None = None,
) -> tuple[Any, dict[Any, list[Any]], Any]:
    """A linear model of the columns.

    Args:
        columns_to_tensors: the features by their names.
        feature_columns: the columns.
        num_outputs: the number of outputs of each example.
        weight_collections: collections that get the weights.
        trainable: whether the weights are trained.
        scope: the scope's name.

    Returns:
        The outputs, the variables of each column, and the bias.
    """
    variables: dict[Any, Any] = {}
    with variable_scope(scope, "weighted_sum_from_feature_columns"):
        outputs = _columns.linear_model(
            columns_to_tensors,
            list(feature_columns),
            units=num_outputs,
            weight_collections=weight_collections,
            trainable=trainable,
            cols_to_vars=variables,
        )
    (bias,) = variables.pop("bias")
    return outputs, variables, bias


def create_feature_spec_for_parsing(feature_columns: Iterable[Any]) -> dict[str, Any]:
    """What `tf.parse_example` reads for the columns; see `tf.feature_column.make_parse_example_spec`."""
    return _columns.make_parse_example_spec(list(feature_columns))
