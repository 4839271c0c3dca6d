"""Writes into docs/devices.md which operations of the table programs have, and which they lack."""

import textwrap
from pathlib import Path

from eagerflow import _core

PAGE = Path(__file__).parents[1] / "docs" / "devices.md"
BEGIN, END = "<!-- operations: written by tools/lowered_operations.py -->", "<!-- end -->"


def listing() -> str:
    """The text between the marks."""
    lowered = set(_core.pjrt.lowered())
    names = [name for name in dir(_core.ops) if not name.startswith("_")]
    lacking = [name for name in names if name not in lowered]
    return _folded(f"The {len(lowered)} operations that programs have", sorted(lowered)) + _folded(
        f"The {len(lacking)} that run on the host", lacking
    )


def _folded(summary: str, names: list[str]) -> str:
    """A list of names that opens where a reader asks for it."""
    text = textwrap.fill(", ".join(f"`{name}`" for name in names), 115)
    return f"\n<details markdown>\n<summary>{summary}</summary>\n\n{text}\n\n</details>\n"


def page(text: str) -> str:
    """The page with the present listing."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{listing()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
