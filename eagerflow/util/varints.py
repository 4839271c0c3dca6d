"""Integers as protocol buffers and LevelDB's tables write them, and strings with such lengths."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def varints(*numbers: int) -> bytes:
    """Non-negative integers in groups of seven bits, the lowest first.

    >>> varints(1, 300)
    b'\\x01\\xac\\x02'
    """
    groups = bytearray()
    for number in numbers:
        while number >= 128:
            groups.append(number & 127 | 128)
            number >>= 7
        groups.append(number)
    return bytes(groups)


def read_varint(data: Sequence[int], at: int) -> tuple[int, int]:
    """The integer at a position, and the position after it.

    Raises:
        IndexError: if the data end within it.
        ValueError: if it has more than 64 bits.
    """
    number = shift = 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, at
        shift += 7
        if shift > 63:
            raise ValueError("a number of more than 64 bits")


def packed_strings(strings: Iterable[bytes]) -> bytes:
    """Packs strings: the length of each, then their bytes."""
    strings = list(strings)
    return varints(*map(len, strings)) + b"".join(strings)


def unpacked_strings(content: bytes, count: int) -> list[bytes]:
    """The strings that `packed_strings` packed.

    Raises:
        ValueError: if the content is not that of `count` strings.
    """
    sizes, at = [], 0
    for _ in range(count):
        try:
            size, at = read_varint(content, at)
        except IndexError:
            raise ValueError("the lengths of strings are cut off") from None
        sizes.append(size)
        if at + size > len(content):
            raise ValueError("a string is cut off")
    if at + sum(sizes) != len(content):
        raise ValueError(f"{count} strings of {sum(sizes)} bytes lie in {len(content) - at}")
    strings = []
    for size in sizes:
        strings.append(content[at : at + size])
        at += size
    return strings
