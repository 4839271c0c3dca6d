"""Decisions that bytes make, so that a fuzzer steers them."""

from __future__ import annotations

import bisect
import zlib
from collections.abc import Iterator, Sequence
from typing import Any


class Choices:
    """The methods of random.Random that `Calls` uses, answered by bytes; zeros follow the last."""

    def __init__(self, data: bytes) -> None:
        self._data, self._index = data, 0

    def below(self, count: int) -> int:
        """A number from 0 to count - 1."""
        size = max(1, ((count - 1).bit_length() + 7) // 8)
        piece = self._data[self._index : self._index + size]
        self._index += size
        return int.from_bytes(piece, "little") % count

    def choice(self, items: Sequence) -> Any:
        return items[self.below(len(items))]

    def randint(self, low: int, high: int) -> int:
        return low + self.below(high - low + 1)

    def random(self) -> float:
        return self.below(256) / 256


class ByName:
    """Items that keep most of their codes when others come and go, as a stored corpus needs."""

    def __init__(self, items: dict[str, Any]) -> None:
        self._items = sorted((zlib.crc32(name.encode()) & 0xFFFF, name) for name in items)
        self._values = items

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def code(self, name: str) -> bytes:
        """The bytes for which `pick` gives that item."""
        return (zlib.crc32(name.encode()) & 0xFFFF).to_bytes(2, "little")

    def pick(self, chance: Choices) -> tuple[str, Any]:
        """The first item from a code of two bytes on, with its name."""
        index = bisect.bisect_left(self._items, (chance.below(1 << 16), ""))
        name = self._items[index % len(self._items)][1]
        return name, self._values[name]
