"""Where in a program something happens."""

from __future__ import annotations

import linecache
import sys
from typing import NamedTuple

from eagerflow.util import own_code
from eagerflow.util.notebooks import cell_of


class Line(NamedTuple):
    """A line of a program: its file, number, and function."""

    file: str
    number: int
    function: str

    def text(self) -> str:
        """The line itself, if its file can be read."""
        return linecache.getline(self.file, self.number).strip()

    def __str__(self) -> str:
        cell = cell_of(self.file)
        file = f"Cell {cell}" if cell else f'File "{self.file}"'
        shown = f"{file}, line {self.number}, in {self.function}"
        text = self.text()
        return f"{shown}\n    {text}" if text else shown


def calling_line(depth: int = 1) -> Line | None:
    """The innermost line that runs outside of this package."""
    frame = sys._getframe(depth)
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith(own_code.FOLDERS):
            return Line(code.co_filename, frame.f_lineno, code.co_name)
        frame = frame.f_back  # type: ignore[assignment]
    return None
