"""Words cut into the longest parts that a vocabulary has."""

from __future__ import annotations

import re
from typing import Any

import eagerflow as tf
from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.tensor import items
from eagerflow.lookup.tables import Table
from eagerflow.ragged.graph_specs import convert
from eagerflow.typing import DTypeLike, TensorLike
from eagerflow_compat.text.characters import characters
from eagerflow_compat.text.pieces import Piece, cut_with_offsets
from eagerflow_compat.text.tokenization import Detokenizer, TokenizerWithOffsets

Tensor = _core.Tensor


def vocabulary_table(vocabulary: Any) -> Any:
    """A table from the words of a file, or of a list, to their numbers; a table as it is.

    Raises:
        TypeError: if it is none of these.

    >>> from eagerflow_compat.text import wordpiece
    >>> wordpiece.vocabulary_table(["a", "b"]).lookup(tf.constant(["b"])).numpy()
    array([1])
    """
    if isinstance(vocabulary, (str, bytes)) or (
        isinstance(vocabulary, Tensor) and not vocabulary.ndim
    ):
        initializer: Any = tf.lookup.TextFileInitializer(
            vocabulary,
            tf.string,
            tf.lookup.TextFileIndex.WHOLE_LINE,
            tf.int64,
            tf.lookup.TextFileIndex.LINE_NUMBER,
        )
    elif isinstance(vocabulary, (list, tuple)):
        numbers = tf.range(len(vocabulary), dtype=tf.int64)
        initializer = tf.lookup.KeyValueTensorInitializer(tf.constant(vocabulary), numbers)
    elif isinstance(vocabulary, Table):
        return vocabulary
    else:
        raise TypeError(
            f"Unable to build a lookup table from {vocabulary}: pass a table of tf.lookup, the path of "
            "a file with a word a line, or a list of words"
        )
    return tf.lookup.StaticVocabularyTable(initializer, 1)


class WordpieceTokenizer(TokenizerWithOffsets, Detokenizer):
    """Cuts words into the longest parts that a vocabulary has, from the left.

    Args:
        vocab_lookup_table: a table from parts to numbers, the path of a file with a part a line, or
            a list of parts.
        suffix_indicator: what parts within a word begin with in the vocabulary.
        max_bytes_per_word: longer words are unknown.
        max_chars_per_token: the longest part, where that is known.
        token_out_type: tf.int64 or tf.int32 for numbers, tf.string for the parts.
        unknown_token: stands for unknown words; None leaves them as they are.
        split_unknown_characters: whether only the characters that no part has are unknown, not
            their whole word.

    Raises:
        TypeError: if the vocabulary is none of these.

    >>> from eagerflow_compat import text
    >>> tokenizer = text.WordpieceTokenizer(
    ...     ["they", "##'", "##re", "great"], token_out_type=tf.string
    ... )
    >>> tokenizer.tokenize([["they're", "nice"]]).to_list()
    [[[b'they', b"##'", b'##re'], [b'[UNK]']]]
    """

    def __init__(
        self,
        vocab_lookup_table: Any,
        suffix_indicator: str = "##",
        max_bytes_per_word: int = 100,
        max_chars_per_token: int | None = None,
        token_out_type: DTypeLike = dtypes.int64,
        unknown_token: str | None = "[UNK]",
        split_unknown_characters: bool = False,
    ) -> None:
        super().__init__()
        self._vocab_lookup_table = vocabulary_table(vocab_lookup_table)
        self._suffix = _core.convert(suffix_indicator, dtypes.string, None).numpy()
        self._max_bytes_per_word = max_bytes_per_word
        self._max_chars_per_token = max_chars_per_token
        self._token_out_type = dtypes.as_dtype(token_out_type)
        self._unknown_token = (unknown_token or "[UNK]").encode()
        self._use_unknown_token = bool(unknown_token)
        self._split_unknown_characters = split_unknown_characters
        self._known: frozenset[bytes] | None = None
        self._size = -1

    def vocab_size(self, name: str | None = None) -> Tensor:
        """How many parts the vocabulary has, with those for unknown words."""
        return self._vocab_lookup_table.size()

    def tokenize(self, input: TensorLike) -> Any:
        """The parts of each word, in one axis more."""
        return self.tokenize_with_offsets(input)[0]

    def tokenize_with_offsets(self, input: TensorLike) -> Any:
        """The parts of each word, and the bytes where they begin and end."""
        parts, starts, ends = cut_with_offsets(self._cut, input, "WordpieceTokenizeWithOffsets")
        if self._token_out_type is not dtypes.string:
            numbers = self._vocab_lookup_table.lookup(getattr(parts, "flat_values", parts))
            numbers = tf.cast(numbers, self._token_out_type)
            parts = numbers if isinstance(parts, Tensor) else parts.with_flat_values(numbers)
        return parts, starts, ends

    def detokenize(self, token_ids: TensorLike) -> Any:
        """The words of numbers of parts, along the last axis; other numbers are unknown.

        Args:
            token_ids: integers of rank 2 or more, also ragged.

        Raises:
            tf.errors.InvalidArgumentError: if the vocabulary's numbers have gaps.
        """
        parts, ids = self._exported()
        order = tf.argsort(ids)
        tf.debugging.assert_equal(
            tf.gather(ids, order),
            tf.range(tf.size(ids, ids.dtype), dtype=ids.dtype),
            "`detokenize` only works with vocabulary tables where the indices are dense on the "
            "interval `[0, vocab_size)`",
        )
        vocabulary = tf.concat([tf.gather(parts, order), [self._unknown_token]], 0)
        numbers = convert(token_ids, None)
        numbers = tf.minimum(numbers, tf.cast(tf.size(parts), numbers.dtype))
        tokens = tf.gather(vocabulary, numbers)
        if isinstance(tokens, Tensor):
            tokens = tf.RaggedTensor.from_tensor(tokens)
        joined = tf.strings.reduce_join(tokens, axis=-1, separator=" ")
        joined = tf.strings.regex_replace(joined, " " + re.escape(self._suffix.decode()), "")
        return tf.strings.split(tf.strings.regex_replace(joined, "^ +| +$", ""), " ")

    def _exported(self) -> tuple[Tensor, Tensor]:
        return self._vocab_lookup_table.export()

    def _words(self) -> frozenset[bytes]:
        """The vocabulary; tables may grow, and a static one is filled by the first session."""
        size = len(self._vocab_lookup_table._table)
        if self._known is None or size != self._size:
            self._known, self._size = frozenset(items(self._exported()[0])), size
        return self._known

    def _cut(self, word: bytes) -> list[Piece]:
        unknown = self._unknown_token if self._use_unknown_token else word
        if len(word) > self._max_bytes_per_word:
            # TensorFlow's end is that of the token that stands for the word.
            return [(unknown, 0, len(unknown))]
        known = self._words()
        ends = [end for _, _, end in characters(word)]
        most = self._max_chars_per_token or len(ends)
        found: list[Piece] = []
        at = start = 0
        while at < len(ends):
            prefix = self._suffix if start else b""
            for last in range(min(at + most, len(ends)) - 1, at - 1, -1):
                part = prefix + word[start : ends[last]]
                if part in known:
                    break
            else:
                if not self._split_unknown_characters:
                    return [(unknown, 0, len(word))]
                last = at
                part = prefix + word[start : ends[last]]
                if self._use_unknown_token:
                    part = prefix + self._unknown_token
            found.append((part, start, ends[last]))
            at, start = last + 1, ends[last]
        return found
