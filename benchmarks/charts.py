"""Draws what was measured: a chart of the headlines, and one of each group of workloads.

The charts are drawn from the tables of docs/benchmarks.md, so that they and it cannot differ:

python benchmarks/charts.py           # draws them anew, without measuring anything
"""

import re
from pathlib import Path

import suite
from workload import CONTENDERS, OURS

DOCS = Path(__file__).parents[1] / "docs"
HEADLINES = (
    "add",
    "gradient",
    "regression",
    "cnn-small",
    "cnn-large",
    "cnn-large-memory",
    "data_shuffle",
    "fit_mlp",
    "fit_lstm",
    "import",
)
# The families on one chart, by its title and the name of its file.
GROUPS = {
    "Small operations and steps": ("small", ["small", "regression", "tiny"]),
    "Networks": ("networks", ["cnn", "mlp", "mobilenet", "models", "gpt"]),
    "fit": ("fit", ["keras_fit", "lstm"]),
    "Traced functions": ("traced", ["traced", "fused"]),
    "Sessions of version 1": ("sessions", ["sessions"]),
    "Models from files": ("saved_models", ["saved_models"]),
    "Jacobians": ("jacobians", ["jacobians", "mixture"]),
    "Large arrays": ("arrays", ["matmul", "bulk", "subnormals"]),
    "Programs on devices": ("devices", ["devices"]),
    "Data and files": ("data", ["data", "files"]),
    "Single functions": ("functions", ["surface", "variety"]),
    "Start": ("start", ["startup"]),
}
# A chart with more rows than this is hard to read.
MOST_ROWS = 26
COLORS = {
    "tensorflow": "#e8710a",
    "tf.function": "#b3261e",
    "jit_compile": "#7b1fa2",
    "torch": "#1a73e8",
    "jax": "#00897b",
    "jax-plugin": "#80cbc4",
    "mlx": "#795548",
    "onnxruntime": "#607d8b",
    "numpy": "#5f6368",
    "fit": "#f4b400",
    "eager": "#9aa0a6",
}
MARKERS = dict(zip(CONTENDERS, "osDv^Xxph*<>", strict=True))
FACTORS = {
    "s": 1,
    "ms": 1e-3,
    "µs": 1e-6,
    "ns": 1e-9,
    "GiB": 2**30,
    "MiB": 2**20,
    "KiB": 2**10,
    "%": 0.01,
}

# A title, and each contender's measurement as text.
Row = tuple[str, dict[str, str]]


def group_of(name: str) -> str:
    """The title of the group that a workload belongs to."""
    return next(
        title
        for title, (_, families) in GROUPS.items()
        if any(workload.name == name for family in families for workload in suite.FAMILIES[family])
    )


def measurements(page: str) -> dict[str, Row]:
    """The rows of all tables of measurements in the page, by the workloads' names."""
    contenders = {shown: contender for contender, shown in CONTENDERS.items()}
    names = {workload.title: name for name, workload in suite.WORKLOADS.items()}
    rows: dict[str, Row] = {}
    header: list[str] = []
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| workload | eagerflow |"):
            header = [contenders[cell.strip(" |")] for cell in cells[1:]]
        elif not line.startswith("|"):
            header = []
        elif header and cells[0] in names:
            values = dict(zip(header, [cell.strip(" |") for cell in cells[1:]], strict=True))
            rows[names[cells[0]]] = (cells[0], {c: v for c, v in values.items() if v != "–"})
    return rows


def number(text: str) -> float:
    """A measurement in seconds, bytes or shares: "1.2 ms" is 0.0012."""
    value, unit = re.fullmatch(r"([\d.,]+) ?(\S+)", text).groups()
    return float(value.replace(",", "")) * FACTORS[unit]


def files_of(title: str, rows: int) -> list[str]:
    """The names of a group's charts."""
    name = GROUPS[title][0]
    charts = -(-rows // MOST_ROWS)
    return [f"benchmarks_{name}{f'_{i + 1}' if charts > 1 else ''}.png" for i in range(charts)]


def draw_all(page: str, folder: Path) -> None:
    """Draws every chart from the tables of a page."""
    rows = measurements(page)
    draw([rows[name] for name in HEADLINES if name in rows], folder / "benchmarks_headlines.png")
    for title in GROUPS:
        own = [row for name, row in rows.items() if group_of(name) == title and OURS in row[1]]
        names = files_of(title, len(own))
        size = -(-len(own) // max(len(names), 1))
        for i, name in enumerate(names):
            draw(own[i * size : (i + 1) * size], folder / name)


def draw(rows: list[Row], path: Path) -> None:
    """Draws others' measurements as multiples of ours, one row for each workload."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(10, 1.5 + 0.36 * len(rows)), layout="constrained")
    multiples = [1.0]
    for contender, shown in CONTENDERS.items():
        points = [
            (number(values[contender]) / number(values[OURS]), i)
            for i, (_, values) in enumerate(rows)
            if contender != OURS and contender in values
        ]
        if points:
            style = {"color": COLORS[contender], "marker": MARKERS[contender], "linestyle": ""}
            multiples += [multiple for multiple, _ in points]
            axes.plot(*zip(*points, strict=True), markersize=8, alpha=0.9, label=shown, **style)
    labels = [f"{title.replace('`', '')}  ({values[OURS]})" for title, values in rows]
    axes.set_yticks(range(len(rows)), labels, fontsize=10)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    low, high = min(0.5, min(multiples) / 1.5), max(3.0, max(multiples) * 1.5)
    axes.axvspan(low, 1, color="#000000", alpha=0.06, linewidth=0, zorder=0)
    axes.axvline(1, color="black", linewidth=1.5, zorder=1)
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}×")
    axes.set_xlabel("others' time or memory ÷ eagerflow's (in brackets)")
    axes.grid(alpha=0.3, which="major")
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside upper center", ncols=8, frameon=False)
    figure.savefig(path, dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    draw_all((DOCS / "benchmarks.md").read_text(), DOCS)
