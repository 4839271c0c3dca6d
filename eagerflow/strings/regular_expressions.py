"""Regular expressions on strings, matched by RE2 (https://github.com/google/re2/wiki/Syntax)."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.host_call import on_host
from eagerflow.framework.tensor import items
from eagerflow.ops.array import invalid_argument
from eagerflow.ops.composed_op import Input, composed_op
from eagerflow.strings.elementwise import each, like, natively, strings
from eagerflow.typing import TensorLike

_ops = _core.ops
Tensor = _core.Tensor

_SPECIAL = re.compile(rb"[\\.^$*+?()\[\]{}|]")
# One class of characters, or a run of it. RE2 has accepted the pattern before.
_CLASS = re.compile(
    rb"(?:\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]|\\[dDsSwW]|\\[^\w\s]|[^\\.^$*+?()\[\]{}|])(\+?)",
    re.DOTALL,
)
# A character as RE2 reads it; a byte that is not UTF-8 is one by itself.
_CHARACTER = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xef][\x80-\xbf]{2}"
    rb"|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|.",
    re.DOTALL,
)
_ESCAPE = re.compile(rb"\\(.?)", re.DOTALL)


class Expression(NamedTuple):
    """A compiled pattern. Texts and classes of characters are found without RE2's help."""

    search: Callable[[bytes, int], list[tuple[int, int]]]  # from an index on: of the whole, groups
    matches: Callable[[bytes], bool]  # whether a text as a whole matches
    groups: int
    literal: bytes = b""  # the only text that matches, if there is one
    members: bytes = b""  # of a class, or of runs of it: the ASCII characters
    only_ascii: bool = False  # whether these are all members
    runs: bool = False

    @property
    def words(self) -> list[int]:
        """The members as bits of two integers."""
        bits = sum(1 << code for code in self.members)
        return [
            int.from_bytes(
                (bits >> at & (1 << 64) - 1).to_bytes(8, "little"), "little", signed=True
            )
            for at in (0, 64)
        ]


@functools.lru_cache(maxsize=128)
def compiled(pattern: bytes) -> Expression:
    """A pattern, compiled by RE2.

    Raises:
        tf.errors.InvalidArgumentError: if it is invalid.
    """
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        expression = re2.compile(pattern, options)
    except re2.error as error:
        text, reason = (
            part.decode("utf-8", "backslashreplace") for part in (pattern, error.args[0])
        )
        raise invalid_argument(f"Invalid pattern: {text}, error: {reason}") from None
    # The binding itself: the package's methods around it take twice the time.
    match, anchor = expression._regexp.Match, re2._re2.RE2.Anchor
    anywhere, whole = anchor.UNANCHORED, anchor.ANCHOR_BOTH

    def search(text: bytes, start: int) -> list[tuple[int, int]]:
        return match(anywhere, text, start, len(text))

    def matches(text: bytes) -> bool:
        return match(whole, text, 0, len(text))[0][0] >= 0

    groups = expression.groups
    if not _SPECIAL.search(pattern):
        return Expression(search, pattern.__eq__ if pattern else matches, groups, pattern)
    form = _CLASS.fullmatch(pattern)
    members = bytes(code for code in range(128) if form and matches(bytes([code])))
    if not form or not members:
        return Expression(search, matches, groups)
    only_ascii, runs = expression.possiblematchrange(4)[1] < b"\x80", form[1] == b"+"

    def is_of_class(text: bytes) -> bool:
        if not text.isascii():
            return not only_ascii and matches(text)
        return bool(text) and (runs or len(text) == 1) and not text.translate(None, members)

    return Expression(search, is_of_class, groups, b"", members, only_ascii, runs)


def _pattern(pattern: TensorLike) -> Expression:
    return compiled(items(_core.convert(pattern, dtypes.string, None))[0])


@composed_op(
    "RegexFullMatch",
    elementwise=1,
    input=Input("string"),
    pattern=Input("string"),
    in_graph=on_host(like(dtypes.bool)),
)
def regex_full_match(input: TensorLike, pattern: TensorLike, name: str | None = None) -> Tensor:
    """Whether each string as a whole matches a regular expression.

    Args:
        input: strings.
        pattern: the expression, in RE2's syntax.

    Raises:
        tf.errors.InvalidArgumentError: if the expression is invalid.

    >>> tf.strings.regex_full_match(["abc", "ab"], "a.c").numpy()
    array([ True, False])
    """
    expression = _pattern(pattern)
    x = strings(input, "RegexFullMatch")
    found = [expression.matches(item) for item in items(x)]
    return _core.as_tensor(np.array(found, bool).reshape(x._shape_tuple()))


@functools.lru_cache(maxsize=256)
def _template(rewrite: bytes, groups: int, everywhere: bool) -> tuple[int | bytes, ...] | None:
    """The numbers of groups and the literals of a rewrite; None if nothing is replaced."""
    escapes = list(_ESCAPE.finditer(rewrite))
    if any(escape[1].isdigit() and int(escape[1]) > groups for escape in escapes):
        return None
    parts: list[int | bytes] = []
    end = 0
    for escape in escapes:
        parts.append(rewrite[end : escape.start()])
        end = escape.end()
        if escape[1].isdigit():
            parts.append(int(escape[1]))
        elif escape[1] == b"\\":
            parts.append(b"\\")
        else:  # RE2 ends a rewrite before what is not an escape, and then replaces only all matches
            return tuple(parts) if everywhere else None
    return (*parts, rewrite[end:])


def _replaced(
    text: bytes, expression: Expression, parts: tuple[int | bytes, ...], everywhere: bool
) -> bytes:
    """The text with its matches replaced, as RE2's GlobalReplace and Replace do it."""
    search = expression.search
    out: list[bytes] = []
    at, last_end = 0, -1
    while at <= len(text):
        spans = search(text, at)
        start, end = spans[0]
        if start < 0:
            break
        if start == end == last_end:  # no empty match directly after a match
            character = _CHARACTER.match(text, at)
            if character is None:
                break
            out.append(character[0])
            at = character.end()
            continue
        out.append(text[at:start])
        for part in parts:
            if isinstance(part, int):
                group_start, group_end = spans[part]
                out.append(text[group_start:group_end])
            else:
                out.append(part)
        at = last_end = end
        if not everywhere:
            break
    if not out:
        return text
    out.append(text[at:])
    return b"".join(out)


@composed_op(
    "RegexReplace",
    elementwise=1,
    input=Input("string"),
    pattern=Input("string"),
    rewrite=Input("string"),
    in_graph=on_host(like()),
)
def regex_replace(
    input: Any, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None
) -> Any:
    r"""Replaces what matches a regular expression.

    Args:
        input: strings.
        pattern: the expression, in RE2's syntax.
        rewrite: the replacement; `\1` to `\9` are groups, `\0` the whole match.
        replace_global: whether to replace all matches, or only the first.

    Raises:
        tf.errors.InvalidArgumentError: if the expression is invalid.

    >>> tf.strings.regex_replace("hello world", "o (.)", r"-\1").numpy()
    b'hell-world'
    """
    expression = _pattern(pattern)
    text = items(_core.convert(rewrite, dtypes.string, None))[0]
    parts = _template(text, expression.groups, replace_global)
    if parts is None:
        return natively(_ops.identity, input, "RegexReplace")
    literal = expression.literal
    if literal:  # `\0` is the literal then
        rewritten = b"".join(literal if isinstance(part, int) else part for part in parts)
        count = -1 if replace_global else 1
        return each(lambda item: item.replace(literal, rewritten, count), input, "RegexReplace")
    if expression.members and not any(isinstance(part, int) for part in parts):
        x = strings(input, "RegexReplace")
        if expression.only_ascii or all(map(bytes.isascii, items(x))):
            whole = _core.as_tensor(b"".join(part for part in parts if isinstance(part, bytes)))
            return _ops.string_replace(x, whole, expression.words, expression.runs, replace_global)
    return each(
        lambda item: _replaced(item, expression, parts, replace_global), input, "RegexReplace"
    )
