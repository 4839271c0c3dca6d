"""The values of a training as a plot: a curve for each, over the epochs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from eagerflow.util.pictures import Plot, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TRAINED, _VALIDATED = "#4c8bf5", "#f08c2e"


def plot(history: Mapping[str, Sequence[float]]) -> Plot:
    """The plot, with a graph for each value; those of training and validation share one.

    Args:
        history: lists of values by name, as `History.history` has them.
    """
    # Values with several elements, which some metrics have, are no curves.
    curves = {
        name: [float(value) for value in values]
        for name, values in history.items()
        if all(getattr(value, "ndim", 0) == 0 for value in values)
    }
    titles = list(dict.fromkeys(_title(name, curves) for name in curves))

    def draw(figure: Figure) -> None:
        grid = list(figure.subplots(_rows(titles), _columns(titles), squeeze=False).flat)
        for axes, title in zip(grid, titles, strict=False):
            for name, label, color in (
                (title, "training", _TRAINED),
                (f"val_{title}", "validation", _VALIDATED),
            ):
                if name in curves:
                    values = curves[name]
                    mark = "o" if len(values) <= 20 else ""
                    epochs = range(1, len(values) + 1)
                    axes.plot(epochs, values, color=color, label=label, marker=mark, markersize=3)
            axes.set_title(title)
            axes.set_xlabel("epoch")
            axes.locator_params(axis="x", integer=True)
            if f"val_{title}" in curves:
                axes.legend()
        for axes in grid[len(titles) :]:
            axes.remove()

    size = (3.4 * _columns(titles), 2.5 * _rows(titles))
    return Plot(draw, _table(curves), size)


def _title(name: str, curves: Mapping[str, object]) -> str:
    """The name without the prefix of validation."""
    return name[4:] if name.startswith("val_") else name


def _columns(titles: Sequence[str]) -> int:
    return max(1, min(3, len(titles)))


def _rows(titles: Sequence[str]) -> int:
    return max(1, math.ceil(len(titles) / 3))


def _table(curves: Mapping[str, Sequence[float]]) -> Table:
    epochs = max(map(len, curves.values()), default=0)
    rows = [
        [str(epoch + 1)] + [_short(v[epoch]) if epoch < len(v) else "" for v in curves.values()]
        for epoch in range(epochs)
    ]
    return Table(["epoch", *curves], rows)


def _short(value: float) -> str:
    """A value with the digits that progress bars show."""
    return f"{value:.4f}" if abs(value) > 1e-3 else f"{value:.4e}"
