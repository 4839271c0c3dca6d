"""Lookup tables whose keys and values come from datasets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from eagerflow import _core
from eagerflow.data.dataset import Dataset
from eagerflow.framework import dtypes
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.lookup.tables import StaticHashTable, StaticVocabularyTable
from eagerflow.typing import DTypeLike, TensorLike


class DatasetInitializer:
    """Keys and values for a lookup table, read from a dataset of pairs.

    Args:
        dataset: pairs of scalars.

    Raises:
        TypeError: if elements are not pairs.
        ValueError: if a key or value is not a scalar.

    >>> pairs = tf.data.Dataset.zip(
    ...     tf.data.Dataset.from_tensor_slices(["a", "b"]), tf.data.Dataset.range(2)
    ... )
    >>> table = tf.lookup.StaticHashTable(tf.data.experimental.DatasetInitializer(pairs), -1)
    >>> table.lookup(tf.constant(["b", "c"])).numpy()
    array([ 1, -1])
    """

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        spec = dataset.element_spec
        if not isinstance(spec, tuple) or len(spec) != 2:
            raise TypeError(
                "Datasets used to initialize lookup tables must produce elements in the form (key, "
                f"value), got {spec}."
            )
        for leaf, what in zip(spec, ("key", "value"), strict=True):
            if not isinstance(leaf, TensorSpec) or leaf.shape.rank not in (0, None):
                raise ValueError(
                    "Datasets used to initialize lookup tables must produce elements in the form "
                    "(key, value), where the keys and values are scalar tensors. However, the given "
                    f"dataset produces the {what} {leaf}."
                )
        self._dtypes = (spec[0].dtype, spec[1].dtype)

    @property
    def key_dtype(self) -> dtypes.DType:
        """The dtype of the keys."""
        return self._dtypes[0]

    @property
    def value_dtype(self) -> dtypes.DType:
        """The dtype of the values."""
        return self._dtypes[1]

    def pairs(self) -> Iterable[tuple[Any, Any]]:
        """The keys with their values, as plain Python values."""
        for key, value in self.dataset:
            yield _plain(key), _plain(value)


def _plain(tensor: _core.Tensor) -> Any:
    value = tensor.numpy()
    return value if isinstance(value, bytes) else value.item()


def table_from_dataset(
    dataset: Dataset | None = None,
    num_oov_buckets: int = 0,
    vocab_size: Any = None,
    default_value: Any = None,
    hasher_spec: object = None,
    key_dtype: DTypeLike = dtypes.string,
    name: str | None = None,
) -> StaticVocabularyTable | StaticHashTable:
    """A lookup table of the pairs that a dataset yields.

    Args:
        dataset: pairs of a key and a value, both scalars.
        num_oov_buckets: the number of further ids that other keys share; values are int64 then.
        vocab_size: how many pairs to take; all by default.
        default_value: the value of other keys; -1, or an empty string, by default.
        hasher_spec: accepted; other keys share ids by FarmHash.
        key_dtype: the dtype of the keys that are looked up.
        name: a name.

    Returns:
        A `tf.lookup.StaticHashTable`, or a `StaticVocabularyTable` if other keys share ids.

    Raises:
        ValueError: if an argument is out of range.
        TypeError: if the elements are not pairs, or the keys of another kind.
    """
    if vocab_size is not None and int(vocab_size) < 1:
        raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}.")
    if num_oov_buckets < 0:
        raise ValueError(
            f"`num_oov_buckets` must be greater than or equal to 0, got {num_oov_buckets}."
        )
    if not isinstance(dataset, Dataset):
        raise TypeError(f"`dataset` must be a `tf.data.Dataset` object, got {type(dataset)}.")
    pairs = dataset if vocab_size is None else dataset.take(vocab_size)
    initializer = DatasetInitializer(pairs)
    key_dtype = dtypes.as_dtype(key_dtype)
    if key_dtype.is_integer != initializer.key_dtype.is_integer:
        raise TypeError(
            f"The dataset's keys are {initializer.key_dtype!r}, but `key_dtype` is {key_dtype!r}."
        )
    if num_oov_buckets:
        return StaticVocabularyTable(initializer, num_oov_buckets, key_dtype, name)
    if default_value is None:
        default_value = "" if initializer.value_dtype is dtypes.string else -1
    default = _core.convert(default_value, initializer.value_dtype, None)
    return StaticHashTable(initializer, default, name)


def index_table_from_dataset(
    dataset: Dataset | None = None,
    num_oov_buckets: int = 0,
    vocab_size: TensorLike | None = None,
    default_value: Any = -1,
    hasher_spec: Any = None,
    key_dtype: DTypeLike = dtypes.string,
    name: str | None = None,
) -> StaticVocabularyTable | StaticHashTable:
    """A lookup table from keys to their positions in a dataset.

    Args:
        dataset: keys, scalars.
        num_oov_buckets: the number of further ids that other keys share.
        vocab_size: how many keys to take; all by default.
        default_value: the id of other keys if they share none.
        hasher_spec: accepted; other keys share ids by FarmHash.
        key_dtype: the dtype of the keys.
        name: a name.

    Raises:
        ValueError: if an argument is out of range.
        TypeError: if the keys are of another kind.

    >>> words = tf.data.Dataset.from_tensor_slices(["emerson", "lake", "palmer"])
    >>> table = tf.data.experimental.index_table_from_dataset(words)
    >>> table.lookup(tf.constant(["lake", "and"])).numpy()
    array([ 1, -1])
    """
    if not isinstance(dataset, Dataset):
        raise TypeError(f"`dataset` must be a `tf.data.Dataset` object, got {type(dataset)}.")
    pairs = dataset.enumerate().map(lambda index, key: (key, index))
    return table_from_dataset(
        pairs, num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype, name
    )
