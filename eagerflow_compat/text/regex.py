"""Strings cut at what a regular expression matches."""

from __future__ import annotations

import functools
from typing import Any

from eagerflow.strings.regular_expressions import Expression, compiled
from eagerflow.typing import TensorLike
from eagerflow_compat.text.pieces import Piece, cut_with_offsets
from eagerflow_compat.text.tokenization import SplitterWithOffsets


def _cut(delimiter: Expression, kept: Expression | None, data: bytes) -> list[Piece]:
    data = data.partition(b"\0")[0]  # TensorFlow's kernel reads strings that end there
    found: list[Piece] = []
    last = 0
    while True:
        start, end = delimiter.search(data, last)[0]
        if start < 0 or end == start:
            break
        if start > last:
            found.append((data[last:start], last, start))
        if kept is not None and kept.matches(data[start:end]):
            found.append((data[start:end], start, end))
        last = end
    if last < len(data):
        found.append((data[last:], last, len(data)))
    return found


def regex_split_with_offsets(
    input: TensorLike,
    delim_regex_pattern: str,
    keep_delim_regex_pattern: str = "",
    name: str | None = None,
) -> Any:
    """Cuts each string at what an expression matches, and says where the pieces were.

    Args:
        input: strings of any shape, also ragged.
        delim_regex_pattern: what is between the pieces, in RE2's syntax.
        keep_delim_regex_pattern: which of it become pieces of their own.

    Returns:
        The pieces, and int64 offsets of the bytes where they begin and end: vectors for a single
        string, else ragged tensors with one axis more. No piece is empty.

    Raises:
        tf.errors.InvalidArgumentError: if an expression is invalid.

    >>> from eagerflow_compat import text
    >>> pieces, starts, ends = text.regex_split_with_offsets(["a b"], " ", " ")
    >>> pieces.to_list(), starts.to_list(), ends.to_list()
    ([[b'a', b' ', b'b']], [[0, 1, 2]], [[1, 2, 3]])
    """
    delimiter = compiled(delim_regex_pattern.encode())
    kept = compiled(keep_delim_regex_pattern.encode()) if keep_delim_regex_pattern else None
    return cut_with_offsets(functools.partial(_cut, delimiter, kept), input, name or "RegexSplit")


def regex_split(
    input: TensorLike,
    delim_regex_pattern: str,
    keep_delim_regex_pattern: str = "",
    name: str | None = None,
) -> Any:
    """Cuts each string at what an expression matches; see `regex_split_with_offsets`.

    >>> from eagerflow_compat import text
    >>> text.regex_split(["a b"], " ").to_list()
    [[b'a', b'b']]
    """
    return regex_split_with_offsets(input, delim_regex_pattern, keep_delim_regex_pattern, name)[0]


class RegexSplitter(SplitterWithOffsets):
    """Cuts strings at what an expression matches, at ends of lines by default.

    >>> from eagerflow_compat import text
    >>> text.RegexSplitter().split(["Hi.\\nBye."]).to_list()
    [[b'Hi.', b'Bye.']]
    """

    def __init__(self, split_regex: str | None = None) -> None:
        super().__init__()
        self._split_regex = split_regex or "\r?\n"

    def split(self, input: TensorLike) -> Any:
        """The pieces of each string, in one axis more."""
        return regex_split(input, self._split_regex)

    def split_with_offsets(self, input: TensorLike) -> Any:
        """The pieces of each string, and the bytes where they begin and end."""
        return regex_split_with_offsets(input, self._split_regex)
