"""Writes into docs/from_pytorch.md what programs for other packages write, and what to write here."""

from pathlib import Path

from eagerflow.util import habits

PAGE = Path(__file__).parents[1] / "docs" / "from_pytorch.md"
BEGIN, END = "<!-- habits: written by tools/habits_page.py -->", "<!-- end -->"
TITLES = {
    "Tensors and variables": habits.TENSOR,
    "Modules, layers and models": habits.MODULE | habits.LAYER,
    "Optimizers": habits.OPTIMIZER,
    "Gradients": habits.TAPE,
    "Functions": habits.FUNCTION,
    "Datasets": habits.DATASET,
    "Names of modules": habits.NAMES,
}


def listing() -> str:
    """The text between the marks."""
    parts = [f"### {title}\n\n{_table(lines)}" for title, lines in TITLES.items()]
    keywords = "\n".join(
        f"| `{name}` | {' or '.join(f'`{meant}`' for meant in here.split())} |"
        for name, here in habits.KEYWORDS.items()
    )
    superfluous = "\n".join(
        f"| `{name}` | nothing: {why} |" for name, why in habits.SUPERFLUOUS.items()
    )
    parts.append(f"### Arguments\n\n| there | here |\n|---|---|\n{keywords}\n{superfluous}\n")
    return "\n".join(parts)


def _table(lines: dict[str, habits.Habit]) -> str:
    rows = (f"| `{line.theirs}` | `{line.ours}` | {line.remark} |" for line in lines.values())
    return "\n".join(["| there | here | |", "|---|---|---|", *dict.fromkeys(rows), ""])


def page(text: str) -> str:
    """The page with the present tables."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{listing()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
