"""Ids of strings and of integers."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core, strings
from eagerflow.framework import dtypes
from eagerflow.keras.layers.index_lookup import IndexLookup
from eagerflow.typing import Array
from eagerflow.util.arguments import arguments

_ops = _core.ops


class StringLookup(IndexLookup):
    """The id of each string in a vocabulary.

    Args:
        max_tokens: the largest number of ids, that of unknown strings included.
        num_oov_indices: the number of ids for unknown strings.
        mask_token: a string that stands for a missing one; its id is 0.
        oov_token: what stands for unknown strings where ids become strings.
        vocabulary: the strings, or the path of a file with one in each line; by default `adapt`
            finds them, the most frequent first.
        idf_weights: a factor for each string, with "tf_idf".
        invert: whether ids become strings instead.
        output_mode: "int", or "one_hot", "multi_hot", "count" or "tf_idf" for vectors.
        sparse: whether vectors are returned as a SparseTensor.
        pad_to_max_tokens: whether vectors have the length `max_tokens` in any case.
        encoding: that of strings.

    Raises:
        ValueError: if arguments do not fit.
        tf.errors.InvalidArgumentError: at a call, if a string is unknown and has no id.

    >>> layer = tf.keras.layers.StringLookup(vocabulary=["a", "b"])
    >>> layer(["b", "c", "a"]).numpy()
    array([2, 0, 1])
    >>> layer.get_vocabulary()
    ['[UNK]', 'a', 'b']
    """

    def __init__(
        self,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        mask_token: object = None,
        oov_token: object = "[UNK]",
        vocabulary: object = None,
        idf_weights: object = None,
        encoding: str = "utf-8",
        invert: bool = False,
        output_mode: str = "int",
        sparse: bool = False,
        pad_to_max_tokens: bool = False,
        **kwargs: Any,
    ) -> None:
        given = arguments(locals()) | {"vocabulary_dtype": "string"}
        self.__dict__["encoding"] = given.pop("encoding")
        super().__init__(**given)

    encoding: str

    def _key(self, term: object) -> str:
        if isinstance(term, bytes):
            return term.decode(self.encoding, "surrogateescape")
        return str(term)

    def _terms(self, array: Any) -> Array:
        flat = [self._key(term) for term in array.reshape(-1)]
        result = np.empty(len(flat), object)
        result[:] = flat
        return result.reshape(array.shape)

    def _table_keys(self, terms: list[Any]) -> list[bytes]:
        return [term.encode(self.encoding, "surrogateescape") for term in terms]

    def _keys(self, values: Any) -> _core.Tensor:
        return values if values.dtype is dtypes.string else strings.as_string(values)

    def _bucket(self, keys: object) -> _core.Tensor:
        return strings.to_hash_bucket_fast(keys, self.num_oov_indices)


class IntegerLookup(IndexLookup):
    """The id of each integer in a vocabulary.

    Args:
        max_tokens: the largest number of ids, that of unknown integers included.
        num_oov_indices: the number of ids for unknown integers.
        mask_token: an integer that stands for a missing one.
        oov_token: what stands for unknown ones where the layer is inverted.
        vocabulary: the integers, or the path of a file with one in each line; by default `adapt`
            finds them, the most frequent first.
        vocabulary_dtype: "int64" or "int32".
        idf_weights: a factor for each, with "tf_idf".
        invert: whether ids become integers of the vocabulary instead.
        output_mode: "int", or "one_hot", "multi_hot", "count" or "tf_idf" for vectors.
        sparse: whether vectors are returned as a SparseTensor.
        pad_to_max_tokens: whether vectors have the length `max_tokens` in any case.

    Raises:
        ValueError: if arguments do not fit.
        tf.errors.InvalidArgumentError: at a call, if an integer is unknown and has no id.

    >>> tf.keras.layers.IntegerLookup(vocabulary=[12, 36])([36, 7]).numpy()
    array([2, 0])
    """

    def __init__(
        self,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        mask_token: Any = None,
        oov_token: int = -1,
        vocabulary: object = None,
        vocabulary_dtype: str = "int64",
        idf_weights: object = None,
        invert: bool = False,
        output_mode: str = "int",
        sparse: bool = False,
        pad_to_max_tokens: bool = False,
        **kwargs: Any,
    ) -> None:
        # Older names of arguments.
        max_tokens = kwargs.pop("max_values", max_tokens)
        mask_token = kwargs.pop("mask_value", mask_token)
        oov_token = kwargs.pop("oov_value", oov_token)
        if vocabulary_dtype not in ("int64", "int32"):
            raise ValueError(
                "`vocabulary_dtype` must be 'int64' or 'int32'. "
                f"Received: vocabulary_dtype={vocabulary_dtype}"
            )
        mask_token = None if mask_token is None else int(mask_token)
        oov_token = None if oov_token is None else int(oov_token)
        super().__init__(**arguments(locals()))

    def get_vocabulary(self, include_special_tokens: bool = True) -> list[Any]:
        """The integers in the order of their ids; see `StringLookup.get_vocabulary`."""
        terms = super().get_vocabulary(include_special_tokens)
        return [None if term is None else np.int64(term) for term in terms]

    def _key(self, term: Any) -> int:
        return int(term)

    def _terms(self, array: Any) -> Array:
        return array.astype("int64")

    def _table_keys(self, terms: list[Any]) -> list[Any]:
        return list(terms)

    def _keys(self, values: Any) -> _core.Tensor:
        if values.dtype is dtypes.string:
            return strings.to_number(values, dtypes.int64)
        return _ops.cast(values, dtypes.int64)

    def _bucket(self, keys: Any) -> _core.Tensor:
        return _ops.floormod(keys, _ops.cast(self.num_oov_indices, dtypes.int64))
