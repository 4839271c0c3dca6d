"""Columns of categories from a vocabulary, in the program or in a file."""

from __future__ import annotations

import functools
from collections import namedtuple
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.data import TFRecordDataset
from eagerflow.feature_column.base import (
    CategoricalColumn,
    StateManager,
    as_sparse,
    check_string_or_int,
    checked_key,
    shown,
)
from eagerflow.feature_column.parents import OfFeature
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import hosted
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.io import gfile
from eagerflow.ops.array import invalid_argument
from eagerflow.util import lazy
from eagerflow.util.farmhash import fingerprint64

# Imported when it is first used: few programs need it.
serialization = lazy.Module("eagerflow.keras.saving.serialization")


class _Vocabulary(OfFeature, CategoricalColumn):
    """A column whose category ids are the indices of terms."""

    key: str
    dtype: Any
    default_value: int
    num_oov_buckets: int

    def terms(self) -> Iterable[Any]:
        """The terms in the order of their ids: bytes or integers."""
        raise NotImplementedError

    @functools.cached_property
    def _table(self) -> dict[Any, int]:
        return {term: index for index, term in enumerate(self.terms())}

    def _id_of(self, term: Any) -> int:
        index = self._table.get(term)
        if index is not None:
            return index
        if not self.num_oov_buckets:
            return self.default_value
        text = term if isinstance(term, bytes) else str(term).encode()
        return len(self._table) + fingerprint64(text) % self.num_oov_buckets

    def transform_feature(self, transformation_cache: Any, state_manager: StateManager) -> Any:
        """The ids of terms, sparse.

        Raises:
            ValueError: if the feature has another kind of values than the terms.
        """
        terms = as_sparse(transformation_cache.get(self.key, state_manager))
        dtype = terms.dtype
        if dtype.is_integer != self.dtype.is_integer:
            raise ValueError(
                "Column dtype and SparseTensors dtype must be compatible. "
                f"key: {self.key}, column dtype: {shown(self.dtype)}, tensor dtype: {shown(dtype)}"
            )
        check_string_or_int(dtype, f"column_name: {self.key} input_tensor")
        return terms.with_values(_ids_of(terms.values, self._id_of))

    def get_sparse_tensors(self, transformation_cache: Any, state_manager: StateManager) -> Any:
        """The ids of terms, without weights."""
        return self.IdWeightPair(transformation_cache.get(self, state_manager), None)


@hosted(lambda terms, id_of: TensorSpec(terms.shape, dtypes.int64))
def _ids_of(terms: _core.Tensor, id_of: Callable[[Any], int]) -> _core.Tensor:
    return _core.as_tensor(np.array([id_of(term) for term in terms.numpy().tolist()], np.int64))


class VocabularyListCategoricalColumn(
    _Vocabulary,
    namedtuple(
        "VocabularyListCategoricalColumn",
        ["key", "vocabulary_list", "dtype", "default_value", "num_oov_buckets"],
    ),
):
    """Made by `tf.feature_column.categorical_column_with_vocabulary_list`."""

    @property
    def num_buckets(self) -> int:
        """The number of terms and of buckets for others."""
        return len(self.vocabulary_list) + self.num_oov_buckets

    def terms(self) -> Iterable[Any]:
        """The terms in the order of their ids."""
        if self.dtype.is_integer:
            return [int(term) for term in self.vocabulary_list]
        return [
            term if isinstance(term, bytes) else str(term).encode() for term in self.vocabulary_list
        ]


class VocabularyFileCategoricalColumn(
    _Vocabulary,
    namedtuple(
        "VocabularyFileCategoricalColumn",
        "key vocabulary_file vocabulary_size num_oov_buckets dtype default_value file_format",
        defaults=(None,),
    ),
):
    """Made by `tf.feature_column.categorical_column_with_vocabulary_file`."""

    @classmethod
    def from_config(cls, config: dict[str, object], *args: Any, **kwargs: Any) -> Any:
        """A column from the result of `get_config`.

        Raises:
            ValueError: if it comes from a file that is not trusted to name others.
        """
        serialization.check_reference(config.get("vocabulary_file"), cls.__name__)
        return super().from_config(config, *args, **kwargs)

    @property
    def num_buckets(self) -> int:
        """The number of terms and of buckets for others."""
        return self.vocabulary_size + self.num_oov_buckets

    def terms(self) -> Iterable[Any]:
        """The first lines of the file.

        Raises:
            tf.errors.InvalidArgumentError: if it has fewer.
        """
        lines = _lines(self.vocabulary_file, self.file_format)
        if len(lines) < self.vocabulary_size:
            raise invalid_argument(
                f"Invalid vocab_size in {self.vocabulary_file}: expected {self.vocabulary_size} "
                f"but got {len(lines)}"
            )
        lines = lines[: self.vocabulary_size]
        return [int(line) for line in lines] if self.dtype.is_integer else lines


def _lines(path: str, file_format: str | None) -> list[bytes]:
    """The lines of a text file, or the records of a compressed file of records."""
    if file_format == "tfrecord_gzip":
        return [record.numpy() for record in TFRecordDataset(path, compression_type="GZIP")]
    with gfile.GFile(path, "rb") as file:
        lines = file.read().split(b"\n")
    if not lines[-1]:
        lines.pop()
    return [line.rstrip(b"\r") for line in lines]


def _checked_unknown(key: str, default_value: int | None, num_oov_buckets: int) -> int:
    """The id of unknown terms, if they have no buckets.

    Raises:
        ValueError: if they have both, or fewer than no buckets.
    """
    if num_oov_buckets:
        if default_value not in (None, -1):
            raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
        if num_oov_buckets < 0:
            raise ValueError(f"Invalid num_oov_buckets {num_oov_buckets} in {key}.")
    return -1 if default_value is None else default_value


def categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Any,
    dtype: Any = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> VocabularyListCategoricalColumn:
    """A column of categories from a list.

    Args:
        key: the feature's name; its values are strings or integers; "" and -1 are dropped.
        vocabulary_list: the terms in the order of their ids.
        dtype: their dtype; by default that of the list.
        default_value: the id of terms that are not in the list; those with -1 are dropped.
        num_oov_buckets: the number of further ids that such terms share instead, by their hashes.

    Raises:
        ValueError: if arguments do not fit.

    >>> color = tf.feature_column.categorical_column_with_vocabulary_list("color", ["R", "G"])
    >>> layer = tf.keras.layers.DenseFeatures([tf.feature_column.indicator_column(color)])
    >>> layer({"color": tf.constant(["G", "?"])}).numpy()
    array([[0., 1.],
           [0., 0.]], dtype=float32)
    """
    if vocabulary_list is None or len(vocabulary_list) < 1:
        raise ValueError(f"vocabulary_list {vocabulary_list} must be non-empty, column_name: {key}")
    if len(set(vocabulary_list)) != len(vocabulary_list):
        raise ValueError(f"Duplicate keys in vocabulary_list {vocabulary_list}, column_name: {key}")
    kind = np.array(vocabulary_list).dtype
    vocabulary_dtype = dtypes.string if kind.kind in "SUO" else dtypes.as_dtype(kind)
    default_value = _checked_unknown(key, default_value, num_oov_buckets)
    check_string_or_int(vocabulary_dtype, f"column_name: {key} vocabulary")
    dtype = vocabulary_dtype if dtype is None else dtypes.as_dtype(dtype)
    if dtype.is_integer != vocabulary_dtype.is_integer:
        raise ValueError(
            f"dtype {shown(dtype)} and vocabulary dtype {shown(vocabulary_dtype)} do not match, "
            f"column_name: {key}"
        )
    check_string_or_int(dtype, f"column_name: {key}")
    checked_key(key)
    return VocabularyListCategoricalColumn(
        key, tuple(vocabulary_list), dtype, default_value, num_oov_buckets
    )


def categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: Any,
    vocabulary_size: int | None = None,
    dtype: Any = dtypes.string,
    default_value: int | None = None,
    num_oov_buckets: int = 0,
    file_format: str | None = None,
) -> VocabularyFileCategoricalColumn:
    """A column of categories from a file.

    Args:
        key: the feature's name.
        vocabulary_file: the path of a file with a term in each line.
        vocabulary_size: the number of terms to take; all by default.
        dtype: string or an integer dtype.
        default_value: the id of terms that are not in the file; those with -1, the default, are
            dropped.
        num_oov_buckets: the number of further ids that such terms share instead, by their hashes.
        file_format: None for text, or "tfrecord_gzip" for records that are terms.

    Raises:
        ValueError: if arguments do not fit, or there is no such file.
    """
    return column_from_file(
        key, vocabulary_file, vocabulary_size, num_oov_buckets, default_value, dtype, file_format
    )


def categorical_column_with_vocabulary_file_v1(
    key: str,
    vocabulary_file: Any,
    vocabulary_size: int | None = None,
    num_oov_buckets: int = 0,
    default_value: int | None = None,
    dtype: Any = dtypes.string,
) -> VocabularyFileCategoricalColumn:
    """`tf.feature_column.categorical_column_with_vocabulary_file` with version 1's arguments."""
    return column_from_file(
        key, vocabulary_file, vocabulary_size, num_oov_buckets, default_value, dtype, None
    )


def column_from_file(
    key: str,
    vocabulary_file: Any,
    vocabulary_size: int | None,
    num_oov_buckets: int,
    default_value: int | None,
    dtype: Any,
    file_format: str | None,
) -> VocabularyFileCategoricalColumn:
    if not vocabulary_file:
        raise ValueError(f"Missing vocabulary_file in {key}.")
    path = str(vocabulary_file)
    if vocabulary_size is None:
        if not gfile.exists(path):
            raise ValueError(f"vocabulary_file in {key} does not exist.")
        vocabulary_size = len(_lines(path, file_format))
    if vocabulary_size < 1:
        raise ValueError(f"Invalid vocabulary_size in {key}.")
    default_value = _checked_unknown(key, default_value, num_oov_buckets)
    dtype = dtypes.as_dtype(dtype)
    check_string_or_int(dtype, f"column_name: {key}")
    checked_key(key)
    return VocabularyFileCategoricalColumn(
        key, path, vocabulary_size, num_oov_buckets, dtype, default_value, file_format
    )
