"""How much data may grow when they are decompressed or decoded.

A few bytes of gzip, of an archive or of an image can stand for gigabytes. One rule holds for all
readers: the result has at most 128 MiB and 200 times as many bytes as the data. Where the caller knows
the data, an argument raises the limit.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable

_ANY, _RATIO = 128 << 20, 200
_PIECE = 16 << 20
_WINDOWS = {"GZIP": 31, "ZLIB": 15}


class TooLarge(Exception):
    """Data that would grow beyond the limit."""


def expanded_at_most(stored: int, most: int | None = None) -> int:
    """The largest result of so many bytes of data.

    Args:
        stored: the number of bytes.
        most: the caller's own limit, which replaces the rule.
    """
    return _ANY + _RATIO * stored if most is None else most


def refuse_unpacking(name: str, stored: int, sizes: Iterable[int]) -> None:
    """Refuses an archive whose members would be too large together.

    Args:
        name: what the error calls the archive.
        stored: its size in bytes.
        sizes: those of its members; no more are asked for than it takes.

    Raises:
        ValueError: if they are.
    """
    most = left = expanded_at_most(stored)
    for size in sizes:
        left -= size
        if left < 0:
            raise ValueError(f"{name} has {stored} bytes and would unpack to more than {most}")


def inflater(kind: str) -> zlib._Decompress:
    """A new decompressor of "GZIP" or "ZLIB"."""
    return zlib.decompressobj(_WINDOWS[kind])


def inflated(data: bytes, kind: str, most: int) -> bytes:
    """Data decompressed; those that are cut short as far as they go.

    Args:
        data: one stream of ZLIB, or the members of GZIP.
        kind: "GZIP" or "ZLIB".
        most: how many bytes the result may have.

    Raises:
        TooLarge: if it has more.
        zlib.error: if the data are damaged.
    """
    parts, left = [], most
    while data:
        machine = inflater(kind)
        # In pieces: joining them takes the memory again, which data that are refused must not.
        while data and not machine.eof:
            parts.append(machine.decompress(data, min(left + 1, _PIECE)))
            data = machine.unconsumed_tail
            left -= len(parts[-1])
            if left < 0:
                raise TooLarge(f"{kind} data would expand to more than {most} bytes")
        data = machine.unused_data if kind == "GZIP" else b""
    return b"".join(parts) if len(parts) != 1 else parts[0]
