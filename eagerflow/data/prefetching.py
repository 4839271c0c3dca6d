"""Dataset.prefetch: elements that are computed while the program processes earlier ones."""

from __future__ import annotations

from typing import Any

from eagerflow.data.arguments import AUTOTUNE, integer, invalid
from eagerflow.data.context import Context
from eagerflow.data.cursor import Cursor
from eagerflow.data.dataset import Dataset, UnaryDataset
from eagerflow.data.functions import Debugging
from eagerflow.data.parallel import PrefetchCursor

# How many elements AUTOTUNE keeps ready.
_AUTOMATIC_ROOM = 4


class PrefetchDataset(UnaryDataset):
    """The same elements, computed ahead by a thread."""

    def __init__(self, source: Dataset, buffer_size: Any) -> None:
        super().__init__(source)
        self._room = AUTOTUNE if buffer_size is None else integer(buffer_size, "buffer_size")
        if self._room < AUTOTUNE:
            raise invalid("buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning")

    def _cursor(self, context: Context) -> Cursor:
        source = self._input._cursor(context)
        if self._room == 0 or Debugging.enabled:
            return source
        room = _AUTOMATIC_ROOM if self._room == AUTOTUNE else self._room
        return PrefetchCursor(source, room, self._input)

    def _details(self) -> str:
        return "AUTOTUNE" if self._room == AUTOTUNE else str(self._room)

    def _how(self) -> str:
        return "" if self._room == 0 else "one thread ahead"
