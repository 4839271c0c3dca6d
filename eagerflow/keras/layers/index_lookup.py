"""Tables between terms and their ids: the base of `StringLookup` and `IntegerLookup`."""

from __future__ import annotations

import collections
import os
from pathlib import Path
from typing import Any

import numpy as np

from eagerflow import _core, errors, nest
from eagerflow.checkpoint.trackable import Value
from eagerflow.debugging import Assert
from eagerflow.framework import dtypes
from eagerflow.framework.func_graph import eagerly
from eagerflow.framework.variable import Variable
from eagerflow.keras import backend
from eagerflow.keras.engine.calls.composite_inputs import is_composite
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.layers.category_encoding import (
    checked_choice,
    checked_sparse,
    encoded,
    encoded_shape,
    in_form,
)
from eagerflow.keras.layers.preprocessing_layer import PreprocessingLayer, as_tensor, listed
from eagerflow.keras.saving.serialization import check_reference
from eagerflow.keras.typing import Config
from eagerflow.lookup.tables import MutableHashTable
from eagerflow.ops.indexing import boolean_mask
from eagerflow.strings import format as format_text
from eagerflow.typing import Array, ShapeLike
from eagerflow.util.regular import open_text

_ops = _core.ops
MODES = ("int", "one_hot", "multi_hot", "count", "tf_idf")


# What stands for unknown terms in the table where their ids depend on the term, or are an error.
_UNKNOWN = -2


class TermTable(MutableHashTable):
    """The table of a layer: ids of terms, or terms of ids.

    Args:
        key_dtype: the dtype of what is looked up.
        value_dtype: the dtype of the results.
        default_value: the result for all other keys.
        values: what checkpoints have of it.
    """

    def __init__(self, key_dtype: Any, value_dtype: Any, default_value: Any, values: Any) -> None:
        super().__init__(key_dtype, value_dtype, default_value)
        self._values = values
        # Whether there is a vocabulary, even one of unknown terms only.
        self.is_initialized = False

    def _checkpoint_values(self) -> Any:
        return self._values()

    def _find(self, keys: _core.Tensor, default: object) -> _core.Tensor:
        if not self.is_initialized:
            raise errors.FailedPreconditionError._of(
                "Table not initialized. Call `adapt` of the layer with some sample data before the "
                "layer is used, or pass it a `vocabulary`."
            )
        return super()._find(keys, default)

    def replace(self, keys: list[bytes | int], values: list[bytes | int]) -> None:
        """Gives the table other contents."""
        self.is_initialized = True
        with eagerly():
            self._table = _core.Table(self._key_dtype, self._value_dtype, [])
            self.insert(
                _core.convert(keys, self._key_dtype, None),
                _core.convert(values, self._value_dtype, None),
            )


class IndexLookup(PreprocessingLayer):
    """Ids of terms: first that of the mask, then those of unknown terms, then the terms'.

    The arguments are those of `StringLookup`, and `vocabulary_dtype`.

    Raises:
        ValueError: if arguments do not fit.
    """

    _unsaved_arguments = frozenset({"vocabulary", "idf_weights"})

    _composite_call = "ids"

    def __init__(
        self,
        max_tokens: int | None,
        num_oov_indices: int,
        mask_token: object,
        oov_token: object,
        vocabulary_dtype: str,
        vocabulary: object = None,
        idf_weights: object = None,
        invert: bool = False,
        output_mode: str = "int",
        sparse: bool = False,
        pad_to_max_tokens: bool = False,
        **kwargs: Any,
    ) -> None:
        if max_tokens is not None and max_tokens <= 1:
            raise ValueError(
                f"If set, `max_tokens` must be greater than 1. Received: max_tokens={max_tokens}"
            )
        if pad_to_max_tokens and max_tokens is None:
            raise ValueError(
                "If pad_to_max_tokens is True, must set `max_tokens`. "
                f"Received: max_tokens={max_tokens}"
            )
        if num_oov_indices < 0:
            raise ValueError(
                "`num_oov_indices` must be greater than or equal to 0. "
                f"Received: num_oov_indices={num_oov_indices}"
            )
        mode = checked_choice(output_mode, MODES, type(self).__name__)
        if invert and mode != "int":
            raise ValueError(
                "`output_mode` must be `'int'` when `invert` is true. "
                f"Received: output_mode={output_mode}"
            )
        checked_sparse(sparse, mode, type(self).__name__)
        if idf_weights is not None and mode != "tf_idf":
            raise ValueError(
                "`idf_weights` should only be set if `output_mode` is `'tf_idf'`. Received: "
                f"idf_weights={idf_weights} and output_mode={output_mode}"
            )
        for ignored in ("has_input_vocabulary", "has_static_table"):
            kwargs.pop(ignored, None)
        self.__dict__["_frozen_vocab_size"] = kwargs.pop("vocabulary_size", None)
        if kwargs.get("dtype") is None:
            kwargs["dtype"] = "int64" if mode == "int" else backend.floatx()
        kwargs["autocast"] = False
        super().__init__(**kwargs)
        if mode == "int" and not dtypes.as_dtype(self.compute_dtype).is_integer:
            raise ValueError(
                "When `output_mode='int'`, `dtype` should be an integer type. "
                f"Received: dtype={kwargs['dtype']}"
            )
        self.invert = invert
        self.max_tokens = max_tokens
        self.num_oov_indices = num_oov_indices
        self.mask_token = mask_token
        self.oov_token = oov_token
        self.output_mode = mode
        self.sparse = sparse
        self.pad_to_max_tokens = pad_to_max_tokens
        self.vocabulary_dtype = vocabulary_dtype
        attributes = self.__dict__
        attributes["input_vocabulary"] = vocabulary
        attributes["input_idf_weights"] = idf_weights
        attributes["_tokens"] = []
        with eagerly():
            attributes["lookup_table"] = self._made_table()
            if mode == "tf_idf":
                none = _ops.zeros([0], dtypes.as_dtype(self.compute_dtype or "float32"))
                attributes["idf_weights"] = Variable(
                    none, trainable=False, shape=[None], name="idf_weights"
                )
        attributes["_counts"] = collections.Counter()
        attributes["_document_counts"] = collections.Counter()
        attributes["_documents"] = 0
        if vocabulary is not None:
            self.set_vocabulary(vocabulary, idf_weights)

    _saves_any_shape = True
    input_vocabulary: Any
    input_idf_weights: Any
    lookup_table: TermTable
    idf_weights: Variable
    _tokens: list[int | str]
    _counts: collections.Counter
    _document_counts: collections.Counter
    _documents: int
    _frozen_vocab_size: int | None

    def _key(self, term: object) -> Any:
        """A term as the table's key; subclasses define it."""
        raise NotImplementedError

    def _terms(self, array: object) -> Any:
        """Terms from a tensor's array, in the form that `_key` returns."""
        raise NotImplementedError

    def _table_keys(self, terms: list[Any]) -> list[Any]:
        """Terms as the table has them."""
        raise NotImplementedError

    def _keys(self, values: object) -> Any:
        """Values as a tensor of the table's keys."""
        raise NotImplementedError

    def _bucket(self, keys: object) -> Any:
        """Which of the ids of unknown terms terms have, by their keys."""
        raise NotImplementedError

    def _made_table(self) -> TermTable:
        kind = dtypes.string if self.vocabulary_dtype == "string" else dtypes.int64
        values = self._checkpoint_terms
        if not self.invert:
            unknown = self._first_unknown if self.num_oov_indices == 1 else _UNKNOWN
            return TermTable(kind, dtypes.int64, unknown, values)
        oov = self.oov_token
        missing = "" if kind is dtypes.string else -1
        return TermTable(dtypes.int64, kind, missing if oov is None else oov, values)

    @property
    def _first_unknown(self) -> int:
        return 1 if self.mask_token is not None and self.output_mode == "int" else 0

    @property
    def _first_term(self) -> int:
        return self._first_unknown + self.num_oov_indices

    def vocabulary_size(self) -> int:
        """The number of ids, those of the mask and of unknown terms included."""
        return len(self._tokens) + self._first_term

    vocab_size = vocabulary_size

    def get_vocabulary(self, include_special_tokens: bool = True) -> list[Any]:
        """The terms in the order of their ids.

        Args:
            include_special_tokens: whether the mask and the unknown term come before them.
        """
        special = [self.mask_token] * self._first_unknown
        special += [self.oov_token] * self.num_oov_indices
        return special + self._tokens if include_special_tokens else list(self._tokens)

    def set_vocabulary(self, vocabulary: Any, idf_weights: Any = None) -> None:
        """Sets the terms.

        Args:
            vocabulary: a list or array of terms, with the mask and unknown term before them or
                without; or the path of a file with a term in each line.
            idf_weights: a factor for each term, with "tf_idf".

        Raises:
            ValueError: if terms are there twice, or too many, or factors or the file are missing.
        """
        if self.output_mode == "tf_idf":
            if idf_weights is None:
                raise ValueError(
                    "`idf_weights` must be set if output_mode is TF_IDF. "
                    f"Received: idf_weights={idf_weights}"
                )
        elif idf_weights is not None:
            raise ValueError(
                "`idf_weights` should only be set if output_mode is `'tf_idf'`. Received: "
                f"output_mode={self.output_mode} and idf_weights={idf_weights}"
            )
        if isinstance(vocabulary, str):
            if not os.path.exists(vocabulary):
                raise ValueError(f"Vocabulary file {vocabulary} does not exist.")
            with open_text(vocabulary) as file:
                terms = [line.rstrip("\n") for line in file]
            _check_lines(terms)
        elif isinstance(vocabulary, _core.Tensor) and _core.building() is not None:
            raise RuntimeError(
                f"Cannot set a tensor vocabulary on {type(self).__name__} layer {self.name} when "
                "not executing eagerly. Create this layer or call `set_vocabulary` outside of any "
                "`tf.function`s and with eager execution enabled."
            )
        else:
            terms = list(np.asarray(listed(vocabulary), dtype=object).reshape(-1))
        if not terms:
            raise ValueError(f"Cannot set an empty vocabulary, you passed {vocabulary}.")
        terms = [self._key(term) for term in terms]
        length = len(terms)
        special = [self.mask_token] * self._first_unknown
        special += [self.oov_token] * self.num_oov_indices
        keys = [None if term is None else self._key(term) for term in special]
        if keys and terms[: len(keys)] == keys:
            terms = terms[len(keys) :]
        self._check_terms(terms, special)
        idf = None
        if idf_weights is not None:
            idf = np.asarray(listed(idf_weights), "float64").reshape(-1)
            if len(idf) != length:
                raise ValueError(
                    "`idf_weights` must be the same length as vocabulary. len(idf_weights) is "
                    f"{len(idf)}; len(vocabulary) is {length}"
                )
        self._set_terms(terms, idf)

    def save_own_variables(self, store: dict[str, Any]) -> None:
        """Puts the factors of "tf_idf" into a store."""
        if self._has_idf:
            store["idf_weights"] = self.idf_weights.numpy()

    def load_own_variables(self, store: Any) -> None:
        """Loads what `save_own_variables` put into a store."""
        if "idf_weights" in store:
            factors = _core.as_tensor(store["idf_weights"])
            self.idf_weights.assign(_ops.cast(factors, self.idf_weights.dtype))

    @property
    def _has_idf(self) -> bool:
        """Whether there are factors, which "tf_idf" needs."""
        return self.output_mode == "tf_idf" and bool(self.idf_weights.numpy().size)

    def _check_hdf5(self) -> None:
        if self.input_vocabulary is None and self._tokens:
            raise NotImplementedError(
                "Save or restore weights that is not an instance of `tf.Variable` is not supported "
                "in h5, use `save_format='tf'` instead. Received a model or layer "
                f"{type(self).__name__} with a vocabulary that `adapt` or `set_vocabulary` made."
            )

    def _checkpoint_terms(self) -> dict[str, Value]:
        """What the table's checkpoints have, unless the constructor was called with the terms."""
        if self.input_vocabulary is not None:
            return {}

        def terms() -> _core.Tensor:
            array = np.empty(len(self._tokens), object)
            array[:] = [str(term).encode() for term in self._tokens]
            return _core.convert(array, dtypes.string, None)

        def set_terms(values: Any) -> None:
            terms = [self._from_text(term.decode()) for term in values.numpy().tolist()]
            self._set_terms([self._key(term) for term in terms], None)

        return {"table-keys": Value(terms, set_terms)}

    def save_assets(self, dir_path: str) -> None:
        """Writes the terms into `vocabulary.txt` in a folder, if the configuration lacks them."""
        if self.input_vocabulary is None and self._tokens:
            text = "\n".join(str(term) for term in self.get_vocabulary())
            Path(dir_path, "vocabulary.txt").write_text(text, encoding="utf-8")

    def load_assets(self, dir_path: str) -> None:
        """Reads what `save_assets` wrote."""
        path = Path(dir_path, "vocabulary.txt")
        if self.input_vocabulary is not None or not path.exists():
            return
        special = self._first_unknown + self.num_oov_indices
        terms = path.read_text(encoding="utf-8").split("\n")[special:]
        self._set_terms([self._key(self._from_text(term)) for term in terms], None)

    def _from_text(self, term: str) -> str | int:
        return term if self.vocabulary_dtype == "string" else int(term)

    def _check_terms(self, terms: list[Any], special: list[object]) -> None:
        counts = collections.Counter(terms)
        repeated = [term for term, count in counts.items() if count > 1]
        if repeated:
            raise ValueError(
                "The passed vocabulary has at least one repeated term. Please uniquify your "
                f"dataset. The repeated terms are: {repeated}"
            )
        for kind, token in (("mask", self.mask_token), ("oov", self.oov_token)):
            if token is not None and self._key(token) in counts:
                if kind == "oov" and not self.num_oov_indices:
                    continue
                raise ValueError(
                    f"Found reserved {'mask' if kind == 'mask' else 'OOV'} token at unexpected "
                    "location in `vocabulary`. Note that passed `vocabulary` does not need to "
                    "include the OOV and mask tokens. Either remove all mask and OOV tokens, or "
                    "include them only at the start of the vocabulary in precisely this order: "
                    f"{special}. Received: {kind}_token={token} at vocabulary index "
                    f"{terms.index(self._key(token))}"
                )
        size = len(terms) + self._first_term
        if self.max_tokens is not None and size > self.max_tokens:
            raise ValueError(
                "Attempted to set a vocabulary larger than the maximum vocab size. Passed vocab "
                f"size is {size}, max vocab size is {self.max_tokens}."
            )

    def _set_terms(self, terms: list[Any], idf: Array | None) -> None:
        attributes = self.__dict__
        start = self._first_term
        before, after = self._frozen_vocab_size, len(terms) + start
        if terms and self._has_length_of_terms() and before not in (None, after):
            raise RuntimeError(
                f"When using `output_mode={self.output_mode}` and `pad_to_max_tokens=False`, the "
                "vocabulary size cannot be changed after the layer is called. Old vocab size is "
                f"{before}, new vocab size is {after}"
            )
        attributes["_tokens"] = terms
        ids, keys = list(range(start, after)), self._table_keys(terms)
        mask = self.mask_token
        if mask is not None:
            ids.append(0 if self.output_mode == "int" or self.invert else -1)
            keys += self._table_keys([self._key(mask)])
        self.lookup_table.replace(*((ids, keys) if self.invert else (keys, ids)))
        if idf is not None:
            # Unknown terms have the mean factor if the factors are of known terms only.
            unknown = [np.average(idf)] * (start + len(terms) - len(idf))
            rest = [0.0] * ((self.max_tokens or 0) - start - len(terms)) * self.pad_to_max_tokens
            factors = np.concatenate([unknown, idf, rest])
            with eagerly():
                self.idf_weights.assign(_ops.cast(factors, self.idf_weights.dtype))

    def update_state(self, data: Any) -> None:
        if self.input_vocabulary is not None:
            raise ValueError(
                f"Cannot adapt {type(self).__name__} layer after setting a static vocabulary via "
                "init argument or `set_vocabulary`."
            )
        data = as_tensor(data)
        if is_composite(data):
            rows = data.to_list() if hasattr(data, "to_list") else [data.values.numpy().tolist()]
            terms = [np.array(nest.flatten(row), dtype=object) for row in rows]
            self._count_documents([self._terms(row).tolist() for row in terms])
            return
        array = self._terms(np.asarray(data.numpy(), dtype=object))
        self._counts.update(array.reshape(-1).tolist())
        if self.output_mode == "tf_idf":
            # A vector is one document.
            documents = array.reshape(len(array) if array.ndim > 1 else 1, -1)
            for document in documents:
                self._document_counts.update(set(document.tolist()))
            self.__dict__["_documents"] += len(documents)

    def _count_documents(self, documents: list[list[str]]) -> None:
        """Counts the terms of documents of different lengths."""
        for document in documents:
            self._counts.update(document)
            self._document_counts.update(set(document))
        self.__dict__["_documents"] += len(documents)

    def reset_state(self) -> None:
        if self.input_vocabulary is not None:
            return
        self._counts.clear()
        self._document_counts.clear()
        self.__dict__["_documents"] = 0

    def finalize_state(self) -> None:
        if self.input_vocabulary is not None or not self._counts:
            return
        special = {self._key(t) for t in (self.mask_token, self.oov_token) if t is not None}
        counted = [(count, term) for term, count in self._counts.items() if term not in special]
        terms = [term for _, term in sorted(counted, reverse=True)]
        if self.max_tokens is not None:
            terms = terms[: self.max_tokens - self._first_term]
        idf = None
        if self.output_mode == "tf_idf":
            with_term = np.array([self._document_counts[term] for term in terms], "float64")
            idf = np.log(1.0 + self._documents / (1.0 + with_term))
        self._set_terms(terms, idf)
        self._counts.clear()

    def build(self, input_shape: Any) -> None:
        Layer.build(self, input_shape)

    def call(self, inputs: Any) -> Any:
        inputs = as_tensor(inputs)
        self.note_size()
        ids = self.to_ids(inputs)
        return ids if self.invert else self.encode(ids)

    def to_ids(self, values: Any) -> Any:
        """The ids of terms, -1 for those that vectors leave out; or the terms of ids."""
        if self.invert:
            terms = self.lookup_table.lookup(_ops.cast(values, dtypes.int64))
            wanted = dtypes.as_dtype(self.vocabulary_dtype)
            return terms if terms.dtype is wanted else _ops.cast(terms, wanted)
        keys = self._keys(values)
        ids = self.lookup_table.lookup(keys)
        if self.num_oov_indices == 1:
            return ids
        unknown = _ops.equal(ids, _ops.cast(_UNKNOWN, dtypes.int64))
        if self.num_oov_indices:
            return _ops.select(unknown, self._bucket(keys) + self._first_unknown, ids)
        message = format_text(
            "When `num_oov_indices=0` all inputs should be in vocabulary, found OOV values {}, "
            "consider setting `num_oov_indices=1`.",
            boolean_mask(keys, unknown),
        )
        Assert(_ops.logical_not(_ops.reduce_any(unknown)), [message])
        return ids

    def encode(self, ids: Any) -> Any:
        """Ids in the layer's output mode."""
        if self.output_mode == "int":
            return _ops.cast(ids, dtypes.as_dtype(self.compute_dtype))
        idf = None
        if self.output_mode == "tf_idf":  # what the layer has learned when a graph runs
            if _core.building() is None and not self._has_idf:
                raise ValueError(
                    "When output mode is `'tf_idf'`, idf_weights must be provided: pass them to the "
                    "layer, or call `adapt` with some sample data."
                )
            idf = self.idf_weights.read_value()
        vectors = encoded(ids, self.output_mode, self._depth() or 1, self.compute_dtype, idf=idf)
        return in_form(vectors, self.sparse)

    def note_size(self) -> None:
        """Keeps the number of terms for the configuration: layers after this one depend on it.

        Raises:
            RuntimeError: if vectors have no length yet, because there are no terms.
        """
        if self._tokens:
            self.__dict__["_frozen_vocab_size"] = self.vocabulary_size()
        elif self._has_length_of_terms() and self._frozen_vocab_size is None:
            raise RuntimeError(
                f"When using `output_mode={self.output_mode}` and `pad_to_max_tokens=False`, you "
                "must set the layer's vocabulary before calling it. Either pass a `vocabulary` "
                "argument to the layer, or call `adapt` with some sample data."
            )

    def _has_length_of_terms(self) -> bool:
        """Whether results are vectors whose length is the number of ids."""
        return self.output_mode != "int" and not self.pad_to_max_tokens

    def _depth(self) -> int | None:
        if self.pad_to_max_tokens:
            return self.max_tokens
        # A configuration knows the size before the terms are read.
        return self.vocabulary_size() if self._tokens else self._frozen_vocab_size

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        return encoded_shape(input_shape, self.output_mode, self._depth())

    def plain_vocabulary(self) -> Any:
        """The terms that the constructor was called with; those of a file, not its path."""
        is_path = isinstance(self.input_vocabulary, str)
        return list(self._tokens) if is_path else listed(self.input_vocabulary)

    @classmethod
    def from_config(cls, config: Config) -> Layer:
        """A layer from what `get_config` returned.

        Raises:
            ValueError: if it names a file, and such files are not trusted.
        """
        check_reference(config.get("vocabulary"), cls.__name__)
        return super().from_config(config)

    def get_config(self) -> Config:
        return super().get_config() | {
            "idf_weights": listed(self.input_idf_weights),
            "vocabulary": self.plain_vocabulary(),
            "vocabulary_size": self._frozen_vocab_size,
        }


def _check_lines(lines: list[str]) -> None:
    """Refuses a file that has a line twice.

    Raises:
        tf.errors.FailedPreconditionError: if there is one.
    """
    numbers: dict[str, int] = {}
    for number, line in enumerate(lines):
        if numbers.setdefault(line, number) != number:
            raise errors.FailedPreconditionError._of(
                f"HashTable has different value for same key. Key {line} has {numbers[line]} and "
                f"trying to add value {number}: each line of the file may be there once."
            )
