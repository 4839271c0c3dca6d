"""tensorflow.python.ops.lookup_ops: tables and what they are made of."""

from __future__ import annotations

from typing import Any

from eagerflow.framework import dtypes
from eagerflow.lookup.tables import StaticHashTable as HashTable
from eagerflow.lookup.tables import Table as InitializableLookupTableBase
from eagerflow.lookup.tables import Table as LookupInterface
from eagerflow_compat.contrib.lookup import words
from eagerflow_compat.contrib.lookup.words import (
    index_table_from_file,
    index_to_string_table_from_file,
)

__all__ = [
    "HashTable",
    "InitializableLookupTableBase",
    "LookupInterface",
    "index_table_from_file",
    "index_table_from_tensor",
    "index_to_string_table_from_file",
    "index_to_string_table_from_tensor",
]


def index_table_from_tensor(
    vocabulary_list: Any,
    num_oov_buckets: int = 0,
    default_value: Any = -1,
    hasher_spec: object = None,
    dtype: Any = dtypes.string,
    name: str | None = None,
) -> Any:
    """A table from words to their places: see `tf.contrib.lookup.index_table_from_tensor`.

    Raises:
        ValueError: without words.
    """
    if vocabulary_list is None:
        raise ValueError("`vocabulary_list` must be specified.")
    return words.index_table_from_tensor(
        vocabulary_list, num_oov_buckets, default_value, hasher_spec, dtype, name
    )


def index_to_string_table_from_tensor(
    vocabulary_list: Any, default_value: Any = "UNK", name: str | None = None
) -> Any:
    """A table from places to words: see `tf.contrib.lookup.index_to_string_table_from_tensor`.

    Raises:
        ValueError: without words.
    """
    if vocabulary_list is None:
        raise ValueError("`vocabulary_list` must be specified.")
    return words.index_to_string_table_from_tensor(vocabulary_list, default_value, name)
