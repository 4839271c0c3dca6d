"""BERT's tokenizer: words by simple rules, then parts of words by a vocabulary."""

from __future__ import annotations

from typing import Any

import eagerflow as tf
from eagerflow.framework import dtypes
from eagerflow.typing import DTypeLike, TensorLike
from eagerflow_compat.text.normalizing import case_fold_utf8, normalize_utf8
from eagerflow_compat.text.regex import regex_split_with_offsets
from eagerflow_compat.text.tokenization import Detokenizer, TokenizerWithOffsets
from eagerflow_compat.text.wordpiece import WordpieceTokenizer

_SPACE = r"\s+"
# Signs of ASCII that Unicode does not call punctuation are some too.
_PUNCTUATION = r"[!-/:-@\[-`{-~\p{P}]"
# Ideographs are words by themselves.
_IDEOGRAPH = (
    r"[\x{3400}-\x{4DBF}\x{4E00}-\x{9FFF}\x{F900}-\x{FAFF}\x{20000}-\x{2A6DF}\x{2A700}-\x{2CEAF}"
    r"\x{2F800}-\x{2FA1F}]"
)
_UNUSED = r"\[unused\d+\]"


class BasicTokenizer(TokenizerWithOffsets):
    """Cuts strings at white space, around punctuation and around ideographs.

    Args:
        lower_case: whether case and accents are taken away first.
        keep_whitespace: whether runs of white space are tokens too.
        normalization_form: the normal form that strings are brought into, if case stays.
        preserve_unused_token: whether words such as [unused12] stay whole.

    Raises:
        ValueError: if the case and another form than NFD are asked for.

    >>> from eagerflow_compat.text.bert import BasicTokenizer
    >>> BasicTokenizer(lower_case=True).tokenize(["Größe, 大小"]).to_list()[0][:2]
    [b'grosse', b',']
    """

    def __init__(
        self,
        lower_case: bool = False,
        keep_whitespace: bool = False,
        normalization_form: str | None = None,
        preserve_unused_token: bool = False,
    ) -> None:
        super().__init__()
        if lower_case and normalization_form not in (None, "NFD"):
            raise ValueError(
                "`lower_case` strips accents. When `lower_case` is set, `normalization_form` is 'NFD'; "
                f"it was {normalization_form!r}."
            )
        self._lower_case = lower_case
        self._normalization_form = normalization_form
        kept = [_PUNCTUATION, _IDEOGRAPH]
        if preserve_unused_token:
            kept.insert(0, _UNUSED)
        self._delimiter = "|".join([*kept, _SPACE])
        self._kept = self._delimiter if keep_whitespace else "|".join(kept)

    def tokenize(self, text_input: TensorLike) -> Any:
        """The words of each string, in one axis more."""
        return self.tokenize_with_offsets(text_input)[0]

    def tokenize_with_offsets(self, text_input: TensorLike) -> Any:
        """The words, and the bytes of the normalized strings where they begin and end."""
        if self._lower_case:
            text_input = self.lower_case(text_input)
        elif self._normalization_form is not None:
            text_input = normalize_utf8(text_input, self._normalization_form)
        text_input = tf.strings.regex_replace(text_input, r"\p{Cc}|\p{Cf}", " ")
        return regex_split_with_offsets(
            text_input, self._delimiter, self._kept, "BertBasicTokenizer"
        )

    def lower_case(self, text_input: TensorLike) -> Any:
        """The strings without case and accents."""
        text_input = normalize_utf8(case_fold_utf8(text_input), "NFD")
        return tf.strings.regex_replace(text_input, r"\p{Mn}", "")


class BertTokenizer(TokenizerWithOffsets, Detokenizer):
    """Cuts strings into words, and these into the parts that a vocabulary has.

    Args:
        vocab_lookup_table: see `WordpieceTokenizer`, as the next six.
        suffix_indicator: what parts within a word begin with.
        max_bytes_per_word: longer words are unknown.
        max_chars_per_token: the longest part.
        token_out_type: tf.int64, tf.int32 or tf.string.
        unknown_token: stands for unknown words.
        split_unknown_characters: whether only characters are unknown.
        lower_case: see `BasicTokenizer`, as the next three.
        keep_whitespace: whether white space is a token.
        normalization_form: the normal form of strings.
        preserve_unused_token: whether words such as [unused12] stay whole.
        basic_tokenizer_class: cuts strings into words.

    >>> from eagerflow_compat import text
    >>> tokenizer = text.BertTokenizer(["the", "great", "##est"], lower_case=True)
    >>> tokenizer.tokenize(["The greatest"]).to_list()
    [[[0], [1, 2]]]
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
        lower_case: bool = False,
        keep_whitespace: bool = False,
        normalization_form: str | None = None,
        preserve_unused_token: bool = False,
        basic_tokenizer_class: Any = BasicTokenizer,
    ) -> None:
        super().__init__()
        self._basic_tokenizer = basic_tokenizer_class(
            lower_case, keep_whitespace, normalization_form, preserve_unused_token
        )
        self._wordpiece_tokenizer = WordpieceTokenizer(
            vocab_lookup_table,
            suffix_indicator,
            max_bytes_per_word,
            max_chars_per_token,
            token_out_type,
            unknown_token,
            split_unknown_characters,
        )

    def tokenize(self, text_input: TensorLike) -> Any:
        """The parts of the words of each string, in two axes more."""
        words = self._basic_tokenizer.tokenize(text_input)
        return self._wordpiece_tokenizer.tokenize(words)

    def tokenize_with_offsets(self, text_input: TensorLike) -> Any:
        """The parts, and the bytes of the normalized strings where they begin and end."""
        words, begins, _ = self._basic_tokenizer.tokenize_with_offsets(text_input)
        parts, starts, ends = self._wordpiece_tokenizer.tokenize_with_offsets(words)
        begins = tf.expand_dims(begins, -1)
        return parts, begins + starts, begins + ends

    def detokenize(self, token_ids: TensorLike) -> Any:
        """The words of numbers of parts; see `WordpieceTokenizer.detokenize`."""
        return self._wordpiece_tokenizer.detokenize(token_ids)
