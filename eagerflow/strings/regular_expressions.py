"""Regular expressions on strings, in the syntax of RE2 (https://github.com/google/re2/wiki/Syntax)."""

from __future__ import annotations

import functools
import importlib
import re
import sys
import unicodedata
from collections.abc import Iterable
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

# Python's own parser of regular expressions, wherever this version keeps it.
sre_parser: Any = importlib.import_module(
    "re._parser" if sys.version_info >= (3, 11) else "sre_parse"
)

_NAMED = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7f",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t\n\v\f\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
_NAMED_COMPLEMENTS = {
    "alnum": r"\x00-/:-@\[-`{-\U0010ffff",
    "alpha": r"\x00-@\[-`{-\U0010ffff",
    "ascii": r"\x80-\U0010ffff",
    "blank": r"\x00-\x08\n-\x1f!-\U0010ffff",
    "cntrl": r" -~\x80-\U0010ffff",
    "digit": r"\x00-/:-\U0010ffff",
    "graph": r"\x00- \x7f-\U0010ffff",
    "lower": r"\x00-`{-\U0010ffff",
    "print": r"\x00-\x1f\x7f-\U0010ffff",
    "punct": r"\x00- 0-9A-Za-z\x7f-\U0010ffff",
    "space": r"\x00-\x08\x0e-\x1f!-\U0010ffff",
    "upper": r"\x00-@\[-\U0010ffff",
    "word": r"\x00-/:-@\[-^`{-\U0010ffff",
    "xdigit": r"\x00-/:-@G-`g-\U0010ffff",
}
_LOOKAROUND = ("=", "!", "<=", "<!", "P=", "P>", "(", "#", ">")


_CATEGORIES = frozenset(
    "C Cc Cf Co Cs L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps "
    "S Sc Sk Sm So Z Zl Zp Zs".split()
)


@functools.lru_cache(maxsize=64)
def _category(name: str, complement: bool) -> str:
    """The characters of a Unicode category as ranges; nothing if there is no such category."""
    if name == "Any":
        return "" if complement else r"\x00-\U0010ffff"
    if name not in _CATEGORIES:
        return ""
    letters = _letters()[:, : len(name)]
    inside = (letters == np.frombuffer(name.encode(), np.uint8)).all(axis=1) != complement
    edges = np.flatnonzero(np.diff(inside, prepend=False, append=False)).tolist()
    return "".join(
        f"\\U{start:08x}-\\U{end - 1:08x}"
        for start, end in zip(edges[::2], edges[1::2], strict=True)
    )


@functools.lru_cache(maxsize=1)
def _letters() -> np.ndarray:
    """The two letters of every character's category."""
    names = "".join(map(unicodedata.category, map(chr, range(sys.maxunicode + 1))))
    return np.frombuffer(names.encode(), np.uint8).reshape(-1, 2)


class _Translator:
    """Translates a pattern of RE2 into an equivalent one of Python."""

    def __init__(self, pattern: str) -> None:
        self.pattern, self.at = pattern, 0
        self.parts: list[str] = []
        self.open: list[int] = [0]

    def fail(self, reason: str) -> Exception:
        return invalid_argument(f"Invalid pattern: {self.pattern}, error: {reason}")

    def translated(self) -> str:
        pattern = self.pattern
        while self.at < len(pattern):
            char = pattern[self.at]
            if char == "\\":
                self.parts.append(self._escape(False))
            elif char == "[":
                self.parts.append(self._class())
            elif char == "(":
                self._group()
            elif char == ")":
                self.parts.append(")" * (self.open.pop() + 1) if len(self.open) > 1 else ")")
                self.at += 1
            elif char == "$":
                self.parts.append(r"(?:\Z)" if "m" not in self._flags() else "$")
                self.at += 1
            else:
                self.parts.append(char)
                self.at += 1
        return "".join(self.parts) + ")" * self.open[0]

    def _flags(self) -> str:
        return "".join(re.findall(r"\(\?([ims]+)[:)]", "".join(self.parts)))

    def _escape(self, in_class: bool) -> str:
        pattern = self.pattern
        if self.at + 1 >= len(pattern):
            raise self.fail("trailing \\")
        start = self.at
        letter = pattern[start + 1]
        self.at += 2
        if letter in "pP":
            if self.at < len(pattern) and pattern[self.at] == "{":
                end = pattern.find("}", self.at)
                if end < 0:
                    raise self.fail("invalid character class range")
                name = pattern[self.at + 1 : end]
                self.at = end + 1
            else:
                name = pattern[self.at : self.at + 1]
                self.at += 1
            complement = (letter == "P") != name.startswith("^")
            members = _category(name.lstrip("^"), complement)
            if not members:
                raise self.fail(f"invalid character class range: {pattern[start : self.at]}")
            return members if in_class else f"[{members}]"
        if letter == "z":
            return r"\Z"
        if letter == "C":
            return r"[\s\S]"
        if letter == "Q":
            end = pattern.find("\\E", self.at)
            end = len(pattern) if end < 0 else end
            literal = re.escape(pattern[self.at : end])
            self.at = min(end + 2, len(pattern))
            return literal
        if letter == "x" and self.at < len(pattern) and pattern[self.at] == "{":
            end = pattern.find("}", self.at)
            code = int(pattern[self.at + 1 : end], 16)
            self.at = end + 1
            return f"\\U{code:08x}"
        if letter.isdigit() and letter != "0" and not in_class:
            raise self.fail(f"invalid escape sequence: \\{letter}")
        return "\\" + letter

    def _class(self) -> str:
        pattern = self.pattern
        out = ["["]
        self.at += 1
        if pattern[self.at : self.at + 1] == "^":
            out.append("^")
            self.at += 1
        first = True
        while True:
            if self.at >= len(pattern):
                raise self.fail(f"missing ]: {pattern}")
            char = pattern[self.at]
            if char == "]" and not first:
                self.at += 1
                return "".join([*out, "]"])
            first = False
            if char == "[":
                end = pattern.find(":]", self.at)
                if pattern[self.at + 1 : self.at + 2] == ":" and end > 0:
                    name = pattern[self.at + 2 : end]
                    table = _NAMED_COMPLEMENTS if name.startswith("^") else _NAMED
                    if name.lstrip("^") not in table:
                        raise self.fail(f"invalid character class range: [:{name}:]")
                    out.append(table[name.lstrip("^")])
                    self.at = end + 2
                    continue
                out.append("\\[")
                self.at += 1
            elif char == "\\":
                out.append(self._escape(True))
            else:
                # Python keeps doubled signs for set operations.
                out.append("\\" + char if char in "]&~|" else char)
                self.at += 1

    def _group(self) -> None:
        rest = self.pattern[self.at + 1 :]
        flags = re.match(r"\?([ims]*)(-[ims]+)?([:)])", rest)
        if flags and flags.group(3) == ")":
            # Flags for the rest of a group open a nested group, which ends with the outer one.
            self.parts.append(f"(?{flags.group(1)}{flags.group(2) or ''}:")
            self.open[-1] += 1
            self.at += 1 + flags.end()
            return
        if rest.startswith("?") and not flags:
            named = re.match(r"\?P?<(\w+)>", rest)
            if not named or rest[1:3] in ("<=", "<!"):
                operator = next((text for text in _LOOKAROUND if rest[1:].startswith(text)), "")
                raise self.fail(f"invalid perl operator: (?{operator}")
            self.parts.append(f"(?P<{named.group(1)}>")
            self.at += 1 + named.end()
        else:
            head = flags.group(0) if flags else ""
            self.parts.append("(" + head)
            self.at += 1 + len(head)
        self.open.append(0)


@functools.lru_cache(maxsize=256)
def _compiled(pattern: bytes) -> re.Pattern:
    text = pattern.decode("utf-8", "surrogateescape")
    try:
        return re.compile(_Translator(text).translated(), re.ASCII)
    except (re.error, ValueError, OverflowError) as error:
        reason = str(error)
        if "unterminated subpattern" in reason:
            reason = f"missing ): {text}"
        raise invalid_argument(f"Invalid pattern: {text}, error: {reason}") from None


class _Forms(NamedTuple):
    """The forms and properties of an expression."""

    plain: re.Pattern | None  # for bytes, which have to be ASCII
    solid: bool  # whether it never matches the empty string
    members: list[int] | None  # the ASCII characters that it matches, as bits of two words
    runs: bool  # whether it matches runs of these


@functools.lru_cache(maxsize=256)
def _forms(pattern: bytes) -> _Forms:
    expression = _compiled(pattern)
    try:
        plain = re.compile(expression.pattern.encode("ascii"), re.ASCII)
        tree = sre_parser.parse(expression.pattern, re.ASCII)
    except (re.error, ValueError, OverflowError):
        return _Forms(None, False, None, False)
    solid = tree.getwidth()[0] > 0
    items, runs = list(tree), False
    if (
        len(items) == 1
        and str(items[0][0]) == "MAX_REPEAT"
        and items[0][1][:2] == (1, sre_parser.MAXREPEAT)
    ):
        items, runs = list(items[0][1][2]), True
    if len(items) != 1 or tree.state.flags & re.IGNORECASE or not _is_ascii(*items[0]):
        return _Forms(plain, solid, None, False)
    words = [0, 0]
    for code in range(128):
        if plain.match(bytes([code])):
            words[code // 64] |= 1 << code % 64
    signed = [word - (1 << 64) if word >> 63 else word for word in words]
    return _Forms(plain, solid, signed, runs)


def _is_ascii(kind: object, argument: Any) -> bool:
    """Whether a part of an expression is a class of ASCII characters."""
    name = str(kind)
    if name == "LITERAL":
        return argument < 128
    if name == "IN":
        return all(_is_ascii(*item) for item in argument if str(item[0]) != "IN")
    if name == "RANGE":
        return argument[1] < 128
    return name == "CATEGORY" and "NOT" not in str(argument)


def _pattern(pattern: TensorLike) -> re.Pattern:
    return _compiled(items(_core.convert(pattern, dtypes.string, None))[0])


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
    given = items(_core.convert(pattern, dtypes.string, None))[0]
    plain = _forms(given).plain
    if plain is not None:
        match = plain.fullmatch
        found = [
            (match(item) if item.isascii() else expression.fullmatch(_text(item))) is not None
            for item in items(x)
        ]
    else:
        found = [expression.fullmatch(_text(item)) is not None for item in items(x)]
    return _core.as_tensor(np.array(found, bool).reshape(x._shape_tuple()))


def _text(item: bytes) -> str:
    return item.decode("utf-8", "surrogateescape")


@functools.lru_cache(maxsize=256)
def _rewriter(rewrite: str, groups: int, everywhere: bool) -> tuple[int | str, ...] | None:
    """The group numbers and literals of a rewrite; None if it is invalid."""
    parts: list[int | str] = []
    at = 0
    while at < len(rewrite):
        char = rewrite[at]
        if char == "\\":
            letter = rewrite[at + 1 : at + 2]
            if letter.isdigit():
                if int(letter) > groups:
                    return None
                parts.append(int(letter))
            elif letter == "\\":
                parts.append("\\")
            elif everywhere:
                break  # what follows an escape that is none is left out
            else:
                return None
            at += 2
        else:
            parts.append(char)
            at += 1
    return tuple(parts)


def _replaced(text: str, expression: re.Pattern, parts: Iterable, everywhere: bool) -> str:
    out, last, previous_end = [], 0, -1
    for match in expression.finditer(text):
        start, end = match.span()
        if start == end == previous_end:
            continue  # no empty match directly after a match
        if any("\udc80" <= char <= "\udcff" for char in match.group()):
            continue  # bytes that are no UTF-8 match nothing
        out.append(text[last:start])
        out += [(match.group(p) or "") if isinstance(p, int) else p for p in parts]
        last = previous_end = end
        if not everywhere:
            break
    out.append(text[last:])
    return "".join(out)


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
    text = _text(items(_core.convert(rewrite, dtypes.string, None))[0])
    parts = _rewriter(text, expression.groups, replace_global)
    forms = _forms(items(_core.convert(pattern, dtypes.string, None))[0])
    if parts is not None and forms.members is not None:
        whole = "".join(part for part in parts if isinstance(part, str))
        if all(isinstance(part, str) for part in parts):
            rewritten = _core.as_tensor(whole.encode("utf-8", "surrogateescape"))
            options = (rewritten, forms.members, forms.runs, replace_global)
            return natively(_ops.string_replace, input, "RegexReplace", *options)
    plain, template = forms.plain if forms.solid else None, b""
    if parts is not None and plain is not None:
        spelt = [
            rf"\g<{part}>" if isinstance(part, int) else part.replace("\\", "\\\\")
            for part in parts
        ]
        template = "".join(spelt).encode("utf-8", "surrogateescape")
    count = 0 if replace_global else 1

    def replaced(item: bytes) -> bytes:
        if parts is None:
            return item
        if plain is not None and item.isascii():
            return plain.sub(template, item, count)
        result = _replaced(_text(item), expression, parts, replace_global)
        return result.encode("utf-8", "surrogateescape")

    return each(replaced, input, "RegexReplace")
