"""Texts as sequences of ids, or as vectors."""

from __future__ import annotations

import re
import string
from typing import Any

from eagerflow import _core, strings
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.keras import config
from eagerflow.keras.engine.calls.composite_inputs import is_ragged
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.layers.arguments import sizes_of
from eagerflow.keras.layers.category_encoding import checked_choice
from eagerflow.keras.layers.lookup import StringLookup
from eagerflow.keras.layers.preprocessing_layer import PreprocessingLayer, as_tensor, listed
from eagerflow.keras.saving import serialization
from eagerflow.keras.typing import Config
from eagerflow.typing import ShapeLike
from eagerflow.util.arguments import checked_count

_ops = _core.ops
_STANDARD = ("lower_and_strip_punctuation", "lower", "strip_punctuation")
_SPLITS = ("whitespace", "character")
_MODES = ("int", "multi_hot", "count", "tf_idf")
_PUNCTUATION = f"[{re.escape(string.punctuation)}]"


class TextVectorization(PreprocessingLayer):
    """Texts as the ids of their words.

    Args:
        max_tokens: the largest number of ids, that of unknown words included.
        standardize: "lower_and_strip_punctuation", "lower", "strip_punctuation", None, or a
            function of a tensor of strings.
        split: "whitespace", "character", None, or a function of a tensor of strings.
        ngrams: None, the largest number of words that are joined, or a tuple of such numbers.
        output_mode: "int", or "multi_hot", "count" or "tf_idf" for vectors; None for the words.
        output_sequence_length: the length of the sequences, which are cut or padded with 0; by
            default that of the longest.
        pad_to_max_tokens: whether vectors have the length `max_tokens` in any case.
        vocabulary: the words, or the path of a file with one in each line; by default `adapt`
            finds them, the most frequent first.
        idf_weights: a factor for each word, with "tf_idf".
        sparse: whether vectors are returned as a SparseTensor.
        ragged: whether sequences are returned as a RaggedTensor, without padding.
        encoding: that of the texts.

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
        output_mode: str | None = "int",
        output_sequence_length: int | None = None,
        pad_to_max_tokens: bool = False,
        vocabulary: object = None,
        idf_weights: object = None,
        sparse: bool = False,
        ragged: bool = False,
        encoding: str = "utf-8",
        **kwargs: Any,
    ) -> None:
        kind = kwargs.pop("dtype", "string")
        if kind is not None and dtypes.as_dtype(kind) is not dtypes.string:
            raise ValueError(
                f"`TextVectorization` may only have a dtype of string. Received dtype: {kind}."
            )
        layer, function = type(self).__name__, ("None", "a function")
        checked_choice(standardize, _STANDARD, layer, "standardize", function)
        checked_choice(split, _SPLITS, layer, "split", function)
        mode = checked_choice(output_mode, _MODES, layer, others=("None",))
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
        kwargs["autocast"] = False
        super().__init__(dtype="string", **kwargs)
        self._max_tokens = max_tokens
        self._standardize = standardize
        self._split = split
        self._ngrams_arg = ngrams
        if isinstance(ngrams, int):
            checked_count("ngrams", ngrams, 1000)
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
            output_mode=mode or "int",
            sparse=sparse,
            encoding=encoding,
            vocabulary_size=size,
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

    def update_state(self, data: Any) -> None:
        if self._lookup_layer.input_vocabulary is not None:
            raise ValueError(
                "Cannot adapt TextVectorization layer after setting a static vocabulary via init "
                "argument or `set_vocabulary`."
            )
        self._lookup_layer.update_state(self._words(data))

    def reset_state(self) -> None:
        self._lookup_layer.reset_state()

    def finalize_state(self) -> None:
        self._lookup_layer.finalize_state()

    def _words(self, inputs: object) -> Any:
        """The words of texts, in a (ragged) tensor; the texts themselves if they are not split."""
        texts = _standardized(as_tensor(inputs), self._standardize)
        if self._split is not None:
            if texts.shape.rank is not None and texts.shape.rank > 1:
                if texts.shape[-1] != 1:
                    raise _bad_rank(texts.shape)
                texts = _ops.squeeze(texts, [-1])
            texts = _split(texts, self._split)
        if self._ngrams is not None:
            texts = strings.ngrams(texts, self._ngrams, separator=" ")
        return texts

    def call(self, inputs: Any) -> Any:
        words = self._words(inputs)
        if self._output_mode is None:
            return words
        results = self._lookup_layer(words)
        if self._output_mode != "int" or self._ragged:
            return results
        length = self._output_sequence_length
        if is_ragged(results):
            return results.to_tensor(shape=[None] * (len(results.shape) - 1) + [length])
        if length is None or not len(results.shape):
            return results
        results = results[..., :length]
        *rows, width = results._sizes()
        return _ops.concat([results, _ops.zeros([*rows, length - width], results.dtype)], -1)

    def compute_output_shape(self, input_shape: ShapeLike) -> TensorShape:
        sizes = sizes_of(input_shape)
        if self._output_mode == "int":
            return TensorShape([sizes[0], self._output_sequence_length])
        if self._output_mode is not None:
            return TensorShape([sizes[0], self._lookup_layer._depth()])
        if self._split is not None:
            return TensorShape([*sizes, None])
        return TensorShape(sizes if len(sizes) > 1 else [*sizes, 1])

    def compute_output_signature(self, input_signature: Any) -> TensorSpec:
        """The shape and dtype of the results for texts of this specification."""
        shape = self.compute_output_shape(input_signature.shape)
        return TensorSpec(shape, dtypes.int64 if self._output_mode == "int" else config.floatx())

    def get_config(self) -> Config:
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
    def from_config(cls, config: Config) -> Layer:
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


def _named(function: object) -> Any:
    return serialization.serialize_keras_object(function) if callable(function) else function


def _bad_rank(shape: TensorShape) -> ValueError:
    return ValueError(
        "When using `TextVectorization` to tokenize strings, the input rank must be 1 or the last "
        f"shape dimension must be 1. Received: inputs.shape={shape} with rank={shape.rank}"
    )


def _standardized(texts: Any, standardize: object) -> Any:
    """Texts in a standard form."""
    if callable(standardize):
        return standardize(texts)
    if standardize in ("lower", "lower_and_strip_punctuation"):
        texts = strings.lower(texts)
    if standardize in ("strip_punctuation", "lower_and_strip_punctuation"):
        texts = strings.regex_replace(texts, _PUNCTUATION, "")
    return texts


def _split(texts: Any, split: object) -> Any:
    """The parts of texts, along a further axis."""
    if callable(split):
        return split(texts)
    if split == "whitespace":
        return strings.split(texts)
    if split == "character":
        return strings.unicode_split(texts, "UTF-8")
    raise ValueError(
        f"{split} is not a supported splitting. TextVectorization supports None, 'whitespace', "
        "'character', or a function."
    )
