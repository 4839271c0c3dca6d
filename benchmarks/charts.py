"""Draws what was measured: a chart of the headlines, and one of each group of workloads.

The charts are drawn from the tables of docs/benchmarks.md, so that they and it cannot differ.
"""

import re
from pathlib import Path
from typing import NamedTuple

import suite
from workload import CONTENDERS, OURS, OURSELVES

# What the first chart shows, in words for those who see no other.
HEADLINES = {
    "add": "a + b of small tensors",
    "gradient": "tape and gradient of a small function",
    "regression": "linear regression, a step",
    "cnn-small": "small CNN, a training step",
    "cnn-large": "larger CNN, a training step",
    "cnn-large-memory": "memory of the larger CNN",
    "data_shuffle": "shuffle and batch of 60,000 images",
    "fit_mlp": "fit of a perceptron, 200 steps",
    "fit_lstm": "fit of an LSTM, 4 steps",
    "import": "import",
}
# The families on one chart, by its title and the name of its file.
GROUPS = {
    "Small operations and steps": ("small", ["small", "regression", "tiny"]),
    "Networks": ("networks", ["cnn", "mlp", "mobilenet", "models", "gpt"]),
    "fit": ("fit", ["keras_fit", "lstm"]),
    "Traced functions": ("traced", ["traced", "fused"]),
    "Programs that nobody tuned for": ("unseen", ["unseen"]),
    "Sessions of version 1": ("sessions", ["sessions"]),
    "Models from files": ("saved_models", ["saved_models", "small_served"]),
    "Jacobians": ("jacobians", ["jacobians", "transforms", "mixture"]),
    "Large arrays": ("arrays", ["matmul", "bulk", "subnormals"]),
    "Programs on devices": ("devices", ["devices"]),
    "Data and files": ("data", ["data", "files"]),
    "Single functions": ("functions", ["surface", "variety"]),
    "Start": ("start", ["startup"]),
    "Processors that others use, too": ("contended", ["contended"]),
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

# Differences below this are smaller than those between two runs of one program.
TIE = 0.02
# What the smaller measurement is, by what was measured.
BETTER = {
    "time": "faster",
    "process": "faster",
    "memory": "smaller",
    "size": "smaller",
    "share": "smaller",
}


class Row(NamedTuple):
    """A workload's line in a table."""

    title: str
    # Each contender's measurement as text.
    values: dict[str, str]
    measure: str

    def best_peer(self) -> tuple[str, float] | None:
        """The contender that needs least beside us, and what it needs as a multiple of ours."""
        peers = {
            c: number(value) / number(self.values[OURS])
            for c, value in self.values.items()
            if OURS in self.values and c not in (OURS, *OURSELVES)
        }
        best = min(peers, key=peers.__getitem__, default=None)
        return None if best is None else (best, peers[best])

    def standing(self) -> str:
        """Who is ahead, and by how much: "ties with JAX", "PyTorch 1.03× faster"."""
        found = self.best_peer()
        if found is None:
            return ""
        peer, multiple = CONTENDERS[found[0]], found[1]
        if is_tie(multiple):
            return f"ties with {peer}"
        if multiple < 1:
            return f"{peer} {times(1 / multiple)} {BETTER[self.measure]}"
        return f"{times(multiple)} {BETTER[self.measure]} than {peer}"


def is_tie(multiple: float) -> bool:
    """Whether two measurements with this ratio are the same, as far as one can tell."""
    return abs(multiple - 1) <= TIE


def times(multiple: float) -> str:
    """A factor in as many digits as it deserves."""
    digits = 0 if multiple >= 9.95 else 1 if multiple >= 1.95 else 2
    return f"{multiple:.{digits}f}×"


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
            # The last column may be no contender's.
            header = [contenders.get(cell.strip(" |"), "") for cell in cells[1:]]
        elif not line.startswith("|"):
            header = []
        elif header and cells[0] in names:
            values = dict(zip(header, [cell.strip(" |") for cell in cells[1:]], strict=True))
            rows[names[cells[0]]] = Row(
                cells[0],
                {c: v for c, v in values.items() if c and v != "–"},
                suite.WORKLOADS[names[cells[0]]].measure,
            )
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
    headlines = [
        rows[name]._replace(title=title) for name, title in HEADLINES.items() if name in rows
    ]
    draw(headlines, folder / "benchmarks_headlines.png")
    for title in GROUPS:
        own = [row for name, row in rows.items() if group_of(name) == title and OURS in row.values]
        names = files_of(title, len(own))
        size = -(-len(own) // max(len(names), 1))
        for i, name in enumerate(names):
            draw(own[i * size : (i + 1) * size], folder / name)


def draw(rows: list[Row], path: Path) -> None:
    """Draws others' measurements as multiples of ours, one row for each workload."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    labels = [f"{row.title.replace('`', '')}  ({row.values[OURS]})" for row in rows]
    size = 6.5 + 0.08 * max(map(len, labels)), 1.5 + 0.36 * len(rows)
    figure, axes = plt.subplots(figsize=size, layout="constrained")
    multiples = [1.0]
    for contender, shown in CONTENDERS.items():
        points = [
            (number(row.values[contender]) / number(row.values[OURS]), i)
            for i, row in enumerate(rows)
            if contender != OURS and contender in row.values
        ]
        if points:
            style = {"color": COLORS[contender], "marker": MARKERS[contender], "linestyle": ""}
            multiples += [multiple for multiple, _ in points]
            axes.plot(*zip(*points, strict=True), markersize=8, alpha=0.9, label=shown, **style)
    axes.set_yticks(range(len(rows)), labels, fontsize=10)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    verdicts = axes.secondary_yaxis("right")
    verdicts.set_yticks(range(len(rows)), [row.standing() for row in rows], fontsize=10)
    verdicts.tick_params(length=0)
    verdicts.spines["right"].set_visible(False)
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
