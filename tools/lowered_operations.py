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
    paragraphs = (
        f"Programs have {len(lowered)} operations: {_quoted(sorted(lowered))}.",
        f"These {len(lacking)} run on the host: {_quoted(lacking)}.",
    )
    return "".join(f"\n{textwrap.fill(text, 115)}\n" for text in paragraphs)


def _quoted(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def page(text: str) -> str:
    """The page with the present listing."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{listing()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
