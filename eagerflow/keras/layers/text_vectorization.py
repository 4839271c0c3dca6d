"""Texts as sequences of ids, or as vectors."""

from __future__ import annotations

import re
import string
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import host_call
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.keras.engine.composite_inputs import is_composite
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.layers.arguments import sizes_of
from eagerflow.keras.layers.category_encoding import checked_mode
from eagerflow.keras.layers.index_lookup import MODES
from eagerflow.keras.layers.lookup import StringLookup
from eagerflow.keras.layers.preprocessing_layer import (
    PreprocessingLayer,
    as_tensor,
    listed,
)
from eagerflow.keras.saving import serialization
from eagerflow.ragged.spec import RaggedTensorSpec
from eagerflow.ragged.tensor import RaggedTensor

_ops = _core.ops
_STANDARD = ("lower_and_strip_punctuation", "lower", "strip_punctuation")
_PUNCTUATION = re.compile("[" + re.escape(string.punctuation) + "]")
_CAPITALS = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_SPACES = " \t\n\r\v\f"


class TextVectorization(PreprocessingLayer):
    """Texts as the ids of their words.

    Args:
        max_tokens: the largest number of ids, that of unknown words included.
        standardize: "lower_and_strip_punctuation", "lower", "strip_punctuation", None, or a
            function of a tensor of strings.
        split: "whitespace", "character", None, or a function of a tensor of strings.
        ngrams: None, the largest number of words that are joined, or a tuple of such numbers.
        output_mode: "int", or "multi_hot", "count" or "tf_idf" for vectors.
        output_sequence_length: the length of the sequences, which are cut or padded with 0; by
            default that of the longest.
        pad_to_max_tokens: whether vectors have the length `max_tokens` in any case.
        vocabulary: the words, or the path of a file with one in each line; by default `adapt`
            finds them, the most frequent first.
        idf_weights: a factor for each word, with "tf_idf".
        sparse: whether vectors are returned as a SparseTensor.
        ragged: whether sequences are returned as a RaggedTensor, without padding.
        encoding: that of the texts.
        **kwargs: `name`, `dtype`, …

    Raises:
        ValueError: if arguments do not fit.

    >>> layer = tf.keras.layers.TextVectorization()
    >>> layer.adapt(["the cat sat", "the cat"])
    >>> layer.get_vocabulary()
    ['', '[UNK]', 'the', 'cat', 'sat']
    >>> layer(["The dog sat!", "cat"]).numpy()
    array([[2, 1, 4],
           [3, 0, 0]])
    """

    _saves_any_shape = True

    _unsaved_arguments = frozenset(
        "max_tokens ngrams pad_to_max_tokens sparse vocabulary idf_weights".split()
    )

    def __init__(
        self,
        max_tokens: int | None = None,
        standardize: Any = "lower_and_strip_punctuation",
        split: Any = "whitespace",
        ngrams: Any = None,
        output_mode: str = "int",
        output_sequence_length: int | None = None,
        pad_to_max_tokens: bool = False,
        vocabulary: Any = None,
        idf_weights: Any = None,
        sparse: bool = False,
        ragged: bool = False,
        encoding: str = "utf-8",
        **kwargs: Any,
    ) -> None:
        if not (standardize is None or callable(standardize) or standardize in _STANDARD):
            raise ValueError(
                "Unknown argument `standardize` for layer TextVectorization. Allowed values are: "
                f"{_STANDARD}. Received: {standardize}"
            )
        if not (split is None or callable(split) or split in ("whitespace", "character")):
            raise ValueError(
                "Unknown argument `split` for layer TextVectorization. Allowed values are: "
                f"('whitespace', 'character'). Received: {split}"
            )
        allowed = tuple(mode for mode in MODES if mode != "one_hot")
        mode = checked_mode(output_mode, allowed, "TextVectorization")
        if not (
            ngrams is None
            or isinstance(ngrams, int)
            or (isinstance(ngrams, (tuple, list)) and all(isinstance(n, int) for n in ngrams))
        ):
            raise ValueError(
                "`ngrams` must be None, an integer, or a tuple of integers. "
                f"Received: ngrams={ngrams}"
            )
        if mode == "int" and not (
            output_sequence_length is None
            or (isinstance(output_sequence_length, int) and output_sequence_length > 0)
        ):
            raise ValueError(
                "`output_sequence_length` must be either None or an integer when `output_mode` is "
                f"'int'. Received: output_sequence_length={output_sequence_length}"
            )
        if mode != "int" and output_sequence_length is not None:
            raise ValueError(
                "`output_sequence_length` must not be set if `output_mode` is not 'int'. "
                f"Received: output_sequence_length={output_sequence_length}"
            )
        if ragged and output_sequence_length is not None:
            raise ValueError(
                "`output_sequence_length` must not be set if ragged is True. Received: "
                f"ragged={ragged} and output_sequence_length={output_sequence_length}"
            )
        if ragged and mode != "int":
            raise ValueError(
                "`ragged` must not be true if `output_mode` is not `'int'`. "
                f"Received: ragged={ragged} and output_mode={output_mode}"
            )
        size = kwargs.pop("vocabulary_size", None)
        if kwargs.get("dtype") in ("string", dtypes.string):
            kwargs.pop("dtype")
        dtype = kwargs.pop("dtype", None) or ("int64" if mode == "int" else None)
        kwargs["autocast"] = False
        super().__init__(dtype="string", **kwargs)
        self._max_tokens = max_tokens
        self._standardize = standardize
        self._split = split
        self._ngrams_arg = ngrams
        self._ngrams = tuple(range(1, ngrams + 1)) if isinstance(ngrams, int) else ngrams
        self._ragged = ragged
        self._output_mode = mode
        self._output_sequence_length = output_sequence_length
        self._encoding = encoding
        self._lookup_layer = StringLookup(
            max_tokens=max_tokens,
            vocabulary=vocabulary,
            idf_weights=idf_weights,
            pad_to_max_tokens=pad_to_max_tokens,
            mask_token="",
            output_mode=mode,
            sparse=sparse,
            encoding=encoding,
            vocabulary_size=size,
            dtype=dtype,
        )

    def get_vocabulary(self, include_special_tokens: bool = True) -> list[str]:
        """The words in the order of their ids, padding and unknown words first."""
        return self._lookup_layer.get_vocabulary(include_special_tokens)

    def vocabulary_size(self) -> int:
        """The number of ids, those of padding and unknown words included."""
        return self._lookup_layer.vocabulary_size()

    def set_vocabulary(self, vocabulary: Any, idf_weights: Any = None) -> None:
        """Sets the words; see `StringLookup.set_vocabulary`."""
        self._lookup_layer.set_vocabulary(vocabulary, idf_weights=idf_weights)

    def save_own_variables(self, store: dict[str, Any]) -> None:
        """Puts the factors of "tf_idf" into a store."""
        self._lookup_layer.save_own_variables(store)

    def load_own_variables(self, store: Any) -> None:
        """Loads what `save_own_variables` put into a store."""
        self._lookup_layer.load_own_variables(store)

    def save_assets(self, dir_path: str) -> None:
        """Writes the words into `vocabulary.txt` in a folder, if the configuration lacks them."""
        self._lookup_layer.save_assets(dir_path)

    def load_assets(self, dir_path: str) -> None:
        """Reads what `save_assets` wrote."""
        self._lookup_layer.load_assets(dir_path)

    def build(self, input_shape: Any) -> None:
        if input_shape is not None:
            sizes = sizes_of(input_shape)
            if len(sizes) > 1 and self._split is not None and sizes[-1] not in (1, None):
                raise _bad_rank(TensorShape(sizes))
        Layer.build(self, input_shape)

    def update_state(self, data: Any) -> None:
        if self._lookup_layer.input_vocabulary is not None:
            raise ValueError(
                "Cannot adapt TextVectorization layer after setting a static vocabulary via init "
                "argument or `set_vocabulary`."
            )
        self._lookup_layer.count_documents(self._words(data))

    def reset_state(self) -> None:
        self._lookup_layer.reset_state()

    def finalize_state(self) -> None:
        self._lookup_layer.finalize_state()

    def _text(self, value: Any) -> str:
        if isinstance(value, bytes):
            return value.decode(self._encoding, "surrogateescape")
        return str(value)

    def _words(self, inputs: Any) -> list[list[str]]:
        """The words of each text."""
        if callable(self._standardize):
            inputs = self._standardize(inputs)
        if callable(self._split):
            if not callable(self._standardize):
                inputs = self._standardized(as_tensor(inputs))
            rows = _rows(self._split(_without_last(inputs)))
            words = [[self._text(word) for word in row] for row in rows]
        else:
            tensor = as_tensor(inputs)
            if hasattr(tensor, "to_list"):
                rows = tensor.to_list()
                words = [[self._standard(self._text(word)) for word in row] for row in rows]
                return [self._joined(row) for row in words] if self._ngrams else words
            if self._split is not None:
                tensor = _without_last(tensor)
            array = np.asarray(tensor.numpy(), dtype=object)
            if self._split is None:
                array = array.reshape(-1, array.shape[-1] if array.ndim > 1 else 1)
                words = [[self._standard(self._text(word)) for word in row] for row in array]
            else:
                words = [self._parts(self._standard(self._text(t))) for t in array.reshape(-1)]
        return [self._joined(row) for row in words] if self._ngrams else words

    def _standardized(self, inputs: Any) -> Any:
        """Texts in the layer's own standard form."""
        if hasattr(inputs, "with_flat_values"):
            return inputs.with_flat_values(self._standardized(inputs.flat_values))
        texts = np.asarray(inputs.numpy(), dtype=object)
        array = np.empty(texts.size, object)
        array[:] = [self._standard(self._text(text)) for text in texts.reshape(-1)]
        return _core.convert(array.reshape(texts.shape), dtypes.string, None)

    def _standard(self, text: str) -> str:
        kind = self._standardize
        if kind in ("lower", "lower_and_strip_punctuation"):
            text = text.translate(_CAPITALS)
        if kind in ("strip_punctuation", "lower_and_strip_punctuation"):
            text = _PUNCTUATION.sub("", text)
        return text

    def _parts(self, text: str) -> list[str]:
        if self._split == "character":
            return list(text)
        return [part for part in re.split(f"[{_SPACES}]+", text) if part]

    def _joined(self, words: list[str]) -> list[str]:
        """Runs of neighbouring words, the short ones first."""
        return [
            " ".join(words[start : start + count])
            for count in self._ngrams or ()
            for start in range(len(words) - count + 1)
        ]

    def call(self, inputs: Any) -> Any:
        inputs = as_tensor(inputs)
        if _core.building() is not None:
            return host_call(self._vectorized, self._spec(inputs), (inputs,), name=self.name)
        return self._vectorized(inputs)

    def _vectorized(self, inputs: Any) -> Any:
        """The result for texts that are known."""
        if self._split is None and self._ngrams is None:
            if not is_composite(inputs):
                return self._of_words(inputs)
            if len(inputs.shape) > 2:
                return self._of_nested_words(inputs)
        if self._split is not None:
            inputs = _without_last(inputs)
        words = self._words(inputs)
        single = not len(inputs.shape)
        if self._ragged and not single:
            return self._as_ragged(words)
        length = self._output_sequence_length
        if self._output_mode == "int":
            width = length or max(map(len, words), default=0)
        else:
            width = max(map(len, words), default=0)
        padded = np.full((len(words), width), "", object)
        for row, entry in enumerate(words):
            padded[row, : len(entry)] = entry[:width]
        lookup = self._lookup_layer
        lookup.note_size()
        ids = _core.as_tensor(lookup._looked_up(padded))
        result = lookup.encode(ids)
        if self._split is None and len(inputs.shape) == 1 and self._output_mode == "int":
            return _ops.squeeze(result, [1])
        return _ops.squeeze(result, [0]) if single else result

    def _of_words(self, inputs: Any) -> Any:
        """The result for texts that are single words, in the texts' shape."""
        if callable(self._standardize):
            words = self._standardize(inputs)
        else:
            words = self._standardized(inputs)
        self._lookup_layer.note_size()
        ids = self._lookup_layer.encode(self._lookup_layer.to_ids(words))
        length = self._output_sequence_length
        if self._output_mode != "int" or length is None or not ids.ndim:
            return ids
        ids = ids[..., :length]
        *rows, width = ids._sizes()
        return _ops.concat([ids, _ops.zeros([*rows, length - width], ids.dtype)], -1)

    def _of_nested_words(self, inputs: Any) -> Any:
        """The result for a ragged tensor of words whose rank is above 2."""
        if self._output_mode != "int":
            raise ValueError(
                "When output_mode is not `'int'`, maximum supported output rank is 2. Received "
                f"output_mode {self._output_mode} and input shape {inputs.shape}."
            )
        ids = inputs.with_flat_values(self._of_words(inputs.flat_values))
        if self._ragged:
            return ids
        length = self._output_sequence_length
        return ids.to_tensor(
            shape=None if length is None else [None] * (len(inputs.shape) - 1) + [length]
        )

    def _as_ragged(self, words: list[list[str]]) -> Any:
        """Ids of words, in rows of different lengths."""
        rows = [row[: self._output_sequence_length] for row in words]
        flat = np.array([word for row in rows for word in row] or [""], object)
        ids = self._lookup_layer._looked_up(flat)[: sum(map(len, rows))]
        values = self._lookup_layer.encode(_core.as_tensor(ids))
        return RaggedTensor.from_row_lengths(values, [len(row) for row in rows])

    def _spec(self, inputs: Any) -> Any:
        """The spec of the result for texts of a graph."""
        self._lookup_layer.note_size()
        shape = inputs.shape.as_list()
        dtype = dtypes.as_dtype(self._lookup_layer.compute_dtype)
        if self._ragged and shape:
            return RaggedTensorSpec([shape[0], None], dtype)
        width: int | None
        if self._output_mode != "int":
            width = self._lookup_layer._depth() or 1
        elif self._split is None and self._ngrams is None:
            return TensorSpec([*shape[:-1], self._output_sequence_length or shape[-1]], dtype)
        else:
            width = self._output_sequence_length
        return TensorSpec([*shape[:1], width], dtype)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        sizes = sizes_of(input_shape)
        if self._output_mode == "int":
            return TensorShape([sizes[0], self._output_sequence_length])
        return TensorShape([sizes[0], self._lookup_layer._depth()])

    def compute_output_signature(self, input_signature: Any) -> TensorSpec:
        """The shape and dtype of the results for texts of this specification."""
        shape = self.compute_output_shape(input_signature.shape)
        return TensorSpec(shape, dtypes.as_dtype(self._lookup_layer.compute_dtype))

    def get_config(self) -> dict[str, Any]:
        lookup = self._lookup_layer
        return super().get_config() | {
            "max_tokens": lookup.max_tokens,
            "standardize": _named(self._standardize),
            "split": _named(self._split),
            "ngrams": self._ngrams_arg,
            "pad_to_max_tokens": lookup.pad_to_max_tokens,
            "sparse": lookup.sparse,
            "vocabulary": lookup.plain_vocabulary(),
            "idf_weights": listed(lookup.input_idf_weights),
            "vocabulary_size": lookup._frozen_vocab_size,
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A layer from what `get_config` returned.

        Raises:
            ValueError: if it names a file, and such files are not trusted.
        """
        config = dict(config)
        serialization.check_reference(config.get("vocabulary"), cls.__name__)
        for name in ("standardize", "split"):
            if isinstance(config.get(name), dict):
                config[name] = serialization.deserialize_as("activation", config[name])
        if isinstance(config.get("ngrams"), list):
            config["ngrams"] = tuple(config["ngrams"])
        return cls(**config)


def _named(function: Any) -> Any:
    return serialization.serialize_keras_object(function) if callable(function) else function


def _bad_rank(shape: Any) -> ValueError:
    return ValueError(
        "When using `TextVectorization` to tokenize strings, the input rank must be 1 or the last "
        f"shape dimension must be 1. Received: inputs.shape={shape} with rank={shape.rank}"
    )


def _without_last(inputs: Any) -> Any:
    """Texts `[batch, 1]` as `[batch]`."""
    if is_composite(inputs):
        raise _bad_rank(inputs.shape)
    if inputs.ndim < 2:
        return inputs
    if inputs._sizes()[-1] != 1:
        raise _bad_rank(inputs.shape)
    return _ops.squeeze(inputs, [-1])


def _rows(value: Any) -> list[list[Any]]:
    """The words that a program's function returned: lists, or a (ragged) tensor."""
    if hasattr(value, "to_list"):
        value = value.to_list()
    elif hasattr(value, "numpy"):
        value = value.numpy().tolist()
    return value if value and isinstance(value[0], list) else [value]
