"""Tables from words to their numbers, and back."""

from __future__ import annotations

from typing import Any

from eagerflow.framework import dtypes
from eagerflow.lookup.initializers import (
    KeyValueTensorInitializer,
    TextFileIndex,
    TextFileInitializer,
)
from eagerflow.lookup.tables import (
    StaticHashTable,
    StaticVocabularyTable,
)
from eagerflow.ops import array, creation
from eagerflow.ops.conversion import convert_to_tensor
from eagerflow.typing import DTypeLike, FilePath, TensorLike


def index_table_from_tensor(
    mapping: TensorLike,
    num_oov_buckets: int = 0,
    default_value: TensorLike = -1,
    hasher_spec: object = None,
    dtype: DTypeLike = dtypes.string,
    name: str | None = None,
) -> Any:
    """A table from words to their places in a vector.

    Args:
        mapping: the words.
        num_oov_buckets: how many further numbers the other words share, by FarmHash.
        default_value: the number of other words, if there are no such buckets.
        hasher_spec: ignored.
        dtype: the dtype of the words.
        name: a name.

    >>> table = tf.contrib.lookup.index_table_from_tensor(["a", "b"])
    >>> table.lookup(tf.constant(["b", "c"])).numpy()
    array([ 1, -1])
    """
    words = convert_to_tensor(mapping, dtypes.as_dtype(dtype))
    numbers = creation.range(array.shape(words, dtypes.int64)[0])
    return _table(
        KeyValueTensorInitializer(words, numbers, dtype, dtypes.int64),
        num_oov_buckets,
        default_value,
        name,
    )


def index_table_from_file(
    vocabulary_file: FilePath | None = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: TensorLike = -1,
    hasher_spec: object = None,
    key_dtype: DTypeLike = dtypes.string,
    name: str | None = None,
    key_column_index: int = TextFileIndex.WHOLE_LINE,
    value_column_index: int = TextFileIndex.LINE_NUMBER,
    delimiter: str = "\t",
) -> Any:
    """A table from the words in a file to the numbers of their lines.

    Args:
        vocabulary_file: the file's path.
        num_oov_buckets: how many further numbers the other words share, by FarmHash.
        vocab_size: how many lines to read; all by default.
        default_value: the number of other words, if there are no such buckets.
        hasher_spec: ignored.
        key_dtype: the dtype of the words.
        name: a name.
        key_column_index: the column of the words; whole lines by default.
        value_column_index: the column of their numbers; those of lines by default.
        delimiter: what comes between columns.

    Raises:
        ValueError: if there is no file.
    """
    if not vocabulary_file:
        raise ValueError("vocabulary_file must be specified and must not be empty.")
    lines = TextFileInitializer(
        vocabulary_file,
        key_dtype,
        key_column_index,
        dtypes.int64,
        value_column_index,
        vocab_size,
        delimiter,
    )
    return _table(lines, num_oov_buckets, default_value, name)


def _table(initializer: Any, num_oov_buckets: int, default_value: Any, name: str | None) -> Any:
    if num_oov_buckets:
        return StaticVocabularyTable(initializer, num_oov_buckets, name=name)
    return StaticHashTable(initializer, default_value, name)


def index_to_string_table_from_tensor(
    mapping: TensorLike, default_value: TensorLike = "UNK", name: str | None = None
) -> StaticHashTable:
    """A table from numbers to the words at these places of a vector.

    >>> table = tf.contrib.lookup.index_to_string_table_from_tensor(["a", "b"])
    >>> table.lookup(tf.constant([1, 2], tf.int64)).numpy()
    array([b'b', b'UNK'], dtype=object)
    """
    words = convert_to_tensor(mapping, dtypes.string)
    numbers = creation.range(array.shape(words, dtypes.int64)[0])
    return StaticHashTable(
        KeyValueTensorInitializer(numbers, words, dtypes.int64, dtypes.string), default_value, name
    )


def index_to_string_table_from_file(
    vocabulary_file: FilePath,
    vocab_size: int | None = None,
    default_value: TensorLike = "UNK",
    name: str | None = None,
    key_column_index: int = TextFileIndex.LINE_NUMBER,
    value_column_index: int = TextFileIndex.WHOLE_LINE,
    delimiter: str = "\t",
) -> StaticHashTable:
    """A table from the numbers of a file's lines to the words in them."""
    lines = TextFileInitializer(
        vocabulary_file,
        dtypes.int64,
        key_column_index,
        dtypes.string,
        value_column_index,
        vocab_size,
        delimiter,
    )
    return StaticHashTable(lines, default_value, name)
