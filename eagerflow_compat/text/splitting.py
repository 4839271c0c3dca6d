"""Tokenizers by white space, scripts and characters, and by labels."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.strings.unicode import unicode_encode
from eagerflow.typing import TensorLike
from eagerflow_compat.text.characters import characters, is_space, script
from eagerflow_compat.text.pieces import Piece, cut_with_offsets
from eagerflow_compat.text.tokenization import (
    Detokenizer,
    SplitterWithOffsets,
    TokenizerWithOffsets,
)

Tensor = _core.Tensor


class WhitespaceTokenizer(TokenizerWithOffsets):
    """Cuts strings at the characters that are white space in Unicode.

    >>> from eagerflow_compat import text
    >>> text.WhitespaceTokenizer().tokenize(["a bb", "c"]).to_list()
    [[b'a', b'bb'], [b'c']]
    """

    def tokenize(self, input: TensorLike) -> Any:
        """The words of each string, in one axis more."""
        return self.tokenize_with_offsets(input)[0]

    def tokenize_with_offsets(self, input: TensorLike) -> Any:
        """The words of each string, and the bytes where they begin and end."""
        return cut_with_offsets(_words, input, "WhitespaceTokenizeWithOffsets")


def _words(data: bytes) -> Iterator[Piece]:
    begin = None
    for character, start, end in characters(data):
        if not is_space(character):
            begin = start if begin is None else begin
        elif begin is not None:
            # TensorFlow's words go up to the last byte of the white space behind them.
            yield data[begin : end - 1], begin, end - 1
            begin = None
    if begin is not None:
        yield data[begin:], begin, len(data)


class UnicodeScriptTokenizer(TokenizerWithOffsets):
    """Cuts strings where the script of their characters changes.

    Args:
        keep_whitespace: whether runs of white space are tokens too.

    >>> from eagerflow_compat import text
    >>> text.UnicodeScriptTokenizer().tokenize("fg?h").numpy()
    array([b'fg', b'?', b'h'], dtype=object)
    """

    def __init__(self, keep_whitespace: bool = False) -> None:
        super().__init__()
        self._keep_whitespace = keep_whitespace

    def tokenize(self, input: TensorLike) -> Any:
        """The runs of each string, in one axis more."""
        return self.tokenize_with_offsets(input)[0]

    def tokenize_with_offsets(self, input: TensorLike) -> Any:
        """The runs of each string, and the bytes where they begin and end."""
        return cut_with_offsets(self._cut, input, "UnicodeScriptTokenizeWithOffsets")

    def _cut(self, data: bytes) -> Iterator[Piece]:
        for _, group in itertools.groupby(characters(data), self._key):
            run = [part for part in group if self._keep_whitespace or not is_space(part[0])]
            if run:
                yield "".join(part[0] for part in run).encode(), run[0][1], run[-1][2]

    def _key(self, part: Piece) -> Any:
        return script(part[0]), self._keep_whitespace and is_space(part[0])


class UnicodeCharTokenizer(TokenizerWithOffsets, Detokenizer):
    """Cuts strings into the code points of their characters.

    >>> from eagerflow_compat import text
    >>> text.UnicodeCharTokenizer().tokenize("abc").numpy()
    array([97, 98, 99], dtype=int32)
    """

    def tokenize(self, input: TensorLike) -> Any:
        """The code points of each string, int32, in one axis more."""
        return self.tokenize_with_offsets(input)[0]

    def tokenize_with_offsets(self, input: TensorLike) -> Any:
        """The code points of each string, int32, and the bytes where they begin and end."""
        return cut_with_offsets(_codes, input, "UnicodeCharTokenize", dtypes.int32)

    def detokenize(self, input: TensorLike, name: str | None = None) -> Any:
        """The strings of code points, in one axis less."""
        return unicode_encode(input, "UTF-8")


def _codes(data: bytes) -> list[Piece]:
    return [(ord(character), start, end) for character, start, end in characters(data)]


class ByteSplitter(SplitterWithOffsets):
    """Cuts strings into bytes.

    >>> from eagerflow_compat import text
    >>> text.ByteSplitter().split("abc").numpy()
    array([97, 98, 99], dtype=uint8)
    """

    def split(self, input: TensorLike) -> Any:
        """The bytes of each string, uint8, in one axis more."""
        return self.split_with_offsets(input)[0]

    def split_with_offsets(self, input: TensorLike) -> Any:
        """The bytes of each string, uint8, and where they begin and end."""
        return cut_with_offsets(_bytes, input, "ByteSplitter", dtypes.uint8)


def _bytes(data: bytes) -> list[Piece]:
    return [(byte, at, at + 1) for at, byte in enumerate(data)]
