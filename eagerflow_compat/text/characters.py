"""Characters of UTF-8 bytes, of which not all need be valid."""

from __future__ import annotations

from functools import cache

import numpy as np

from eagerflow.strings.unicode import unicode_script

# The characters with Unicode's property White_Space.
_SPACES = frozenset(
    [*range(9, 14), 32, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F]
    + [0x3000]
)


def is_space(character: str) -> bool:
    """Whether a character is white space in Unicode.

    >>> from eagerflow_compat.text.characters import is_space
    >>> is_space("\\u3000"), is_space("\\u200b")
    (True, False)
    """
    return ord(character) in _SPACES


def characters(data: bytes) -> list[tuple[str, int, int]]:
    """The characters of a string with the bytes where they begin and end; U+FFFD for invalid bytes.

    >>> from eagerflow_compat.text.characters import characters
    >>> characters(b"a\\xc3\\xa9\\xff")
    [('a', 0, 1), ('é', 1, 3), ('�', 3, 4)]
    """
    found = []
    start = 0
    while start < len(data):
        try:
            text, bad = data[start:].decode(), None
        except UnicodeDecodeError as error:
            text, bad = data[start : start + error.start].decode(), error
        for character in text:
            end = start + len(character.encode())
            found.append((character, start, end))
            start = end
        if bad is not None:
            end = start + bad.end - bad.start
            found.append(("\ufffd", start, end))
            start = end
    return found


@cache
def _scripts() -> np.ndarray:
    return np.asarray(unicode_script(np.arange(0x110000, dtype=np.int32)))


def script(character: str) -> int:
    """The number of a character's script in ICU.

    >>> from eagerflow_compat.text.characters import script
    >>> script("a"), script("一")
    (25, 17)
    """
    return int(_scripts()[ord(character)])
