"""Pictures: objects as drawings and tables in notebooks, as text in terminals, and as files.

A module that shows something returns one of three kinds of `Picture`: a `Graph`, which Graphviz lays
out, a `Plot`, which Matplotlib draws, or a `Table`. Nothing is drawn before it is shown or saved.
"""

from __future__ import annotations

import html
import importlib
import os
import re
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from eagerflow.util.notebooks import in_notebook
from eagerflow.util.optional import optional

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Lines and texts outside of boxes are readable on white and on black.
_INK, _LINE, _DARK = "#7b8794", "#8a94a3", "#1c2733"
# What fills and what borders a box, by its kind.
_BOXES = {
    "operation": ("#e4ecf8", "#7c9cc9"),
    "input": ("#dcf1e4", "#6aab86"),
    "output": ("#fbe9cb", "#cf9f4e"),
}
_FONT = "Helvetica,Arial,sans-serif"
# Laying out more boxes takes seconds: such graphs are drawn when they are saved, not when shown.
_MOST_SHOWN = 500
# Lays out a graph in a process of its own: the library reports its font settings on standard error.
_LAY_OUT = (
    "import sys, pygraphviz; graph = pygraphviz.AGraph(string=sys.stdin.buffer.read().decode()); "
    "sys.stdout.buffer.write(graph.draw(format=sys.argv[1], prog='dot'))"
)


class Picture:
    """Something to look at.

    Notebooks show it as a drawing or a table, `print` and terminals as text.

    >>> picture = tf.debug.picture(tf.data.Dataset.range(2))
    >>> print(picture)
    RangeDataset, 2 elements
    #   element
       int64 []
    -  --------
    0         0
    1         1
    """

    # Endings of files, beside html and txt.
    formats: tuple[str, ...] = ()

    def __str__(self) -> str:
        raise NotImplementedError

    def __repr__(self) -> str:
        return str(self)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """What notebooks show; text with a hint where a package for drawing is missing."""
        import base64

        bundle = {"text/plain": str(self)}
        try:
            if "svg" in self.formats:
                # Notebooks that are not trusted, and some sites, show no SVG.
                png = base64.b64encode(self._rendered("png", clear=True))
                bundle["image/png"] = png.decode()
                bundle["image/svg+xml"] = self._rendered("svg").decode()
            else:
                bundle["text/html"] = self._html()
        except ImportError as missing:
            bundle["text/plain"] += f"\n({missing})"
        return bundle

    def _html(self) -> str:
        return self._rendered("svg").decode()

    def _rendered(self, format: str, clear: bool = False) -> bytes:
        """The picture in one of `formats`, on white unless `clear`."""
        raise NotImplementedError

    def render(self, format: str) -> bytes:
        """The content of a file.

        Args:
            format: one of `formats`, "html" or "txt".

        Raises:
            ValueError: for other formats.
            ImportError: if a package that the format needs is not installed.
        """
        if format == "txt":
            return f"{self}\n".encode()
        if format == "html":
            head = '<!doctype html><meta charset="utf-8"><style>:root {color-scheme: light dark}'
            return f"{head} body {{font-family: sans-serif}}</style>\n{self._html()}\n".encode()
        if format not in self.formats:
            known = ", ".join([*self.formats, "html", "txt"])
            raise ValueError(f"A {type(self).__name__} is saved as one of {known}, not {format!r}.")
        return self._rendered(format)

    def save(self, path: str | bytes | os.PathLike[str], format: str | None = None) -> None:
        """Writes the picture to a file.

        Args:
            path: the file.
            format: one of `formats`, "html" or "txt"; by default, what the path ends in.

        Raises:
            ValueError: for other formats.
            ImportError: if a package that the format needs is not installed.
        """
        ending = os.path.splitext(os.fsdecode(path))[1][1:].lower()
        content = self.render(format or ending)
        with open(path, "wb") as file:
            file.write(content)

    def show(self) -> None:
        """Shows the picture: in a notebook, or else in the system's viewer; or prints it."""
        if in_notebook():
            importlib.import_module("IPython.display").display(self)
        elif not _open_in_viewer(self):
            print(self)


def _open_in_viewer(picture: Picture) -> bool:
    """Opens a picture in a browser, if there is a screen."""
    import sys
    import tempfile
    import webbrowser

    if sys.platform == "linux" and not {"DISPLAY", "WAYLAND_DISPLAY"} & set(os.environ):
        return False
    path = os.path.join(tempfile.mkdtemp(prefix="eagerflow-"), "picture.html")
    picture.save(path)
    return webbrowser.open(f"file://{path}")


class GraphNode(NamedTuple):
    """A node of a graph: its name, and its attributes in Graphviz's language."""

    name: str
    look: str

    def get_name(self) -> str:
        """The name."""
        return self.name

    def get_label(self) -> str:
        """The text in the box, as a table of Graphviz."""
        return self.look.partition("label=")[2].rpartition(">,")[0] + ">" if self.look else ""


class GraphEdge(NamedTuple):
    """An arrow of a graph: the names of the nodes at its ends, and its label."""

    source: str
    destination: str
    label: str

    def get_source(self) -> str:
        """The name of the node where it begins."""
        return self.source

    def get_destination(self) -> str:
        """The name of the node where it ends."""
        return self.destination

    def get_label(self) -> str:
        """The text beside it."""
        return self.label


class Graph(Picture):
    """Boxes and arrows.

    Args:
        text: returns the text that terminals show.
        title: the title of a graph inside of another one.
        rankdir: "TB" draws from top to bottom, "LR" from left to right.
        dpi: the dots per inch of PNG and JPEG files.
    """

    formats = ("svg", "png", "pdf", "jpg", "jpeg", "gif", "ps", "dot", "gv")

    def __init__(
        self,
        text: Callable[[], str],
        title: str = "",
        rankdir: str = "TB",
        dpi: int | None = None,
    ) -> None:
        self._text = text
        self._title = title
        self._rankdir = rankdir
        self._dpi = dpi
        self._nodes: list[tuple[Hashable, str]] = []
        self._edges: list[tuple[Hashable, Hashable, str]] = []
        self._inside: list[tuple[Graph, Hashable]] = []

    def __str__(self) -> str:
        return self._text()

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        count = self._count()
        if count > _MOST_SHOWN:
            hint = f"(a drawing of {count} boxes is made by save or show)"
            return {"text/plain": f"{self}\n{hint}"}
        return super()._repr_mimebundle_()

    def _count(self) -> int:
        return len(self._nodes) + sum(graph._count() for graph, _ in self._inside)

    def add_node(
        self, key: Hashable, rows: Sequence[str | tuple[str, str]], kind: str = "operation"
    ) -> None:
        """Adds a box.

        Args:
            key: the node's key for `add_edge`.
            rows: the lines in the box: a title, and smaller lines or pairs of a name and a value.
            kind: "operation", "input", "output", or "value" for text without a box.
        """
        look = 'shape=plain, style=""'
        if kind in _BOXES:
            fill, border = _BOXES[kind]
            look = f'fillcolor="{fill}", color="{border}", fontcolor="{_DARK}"'
        self._nodes.append((key, f"label=<{_label(rows, kind)}>, {look}"))

    def add_edge(self, start: Hashable, end: Hashable, label: str = "") -> None:
        """Adds an arrow between two nodes of this graph or of graphs inside."""
        self._edges.append((start, end, label))

    def add_subgraph(self, graph: Graph, of: Hashable = None) -> None:
        """Draws a graph in a frame inside of this one, below the node `of`, which runs it."""
        self._inside.append((graph, of))

    def _first(self) -> Hashable:
        """The key of a node of this graph or of graphs inside; None if there is none."""
        keys = [key for key, _ in self._nodes] or [graph._first() for graph, _ in self._inside]
        return keys[0] if keys else None

    def _lines(self, numbers: dict[Hashable, int]) -> list[str]:
        """The statements of Graphviz's language, without what surrounds them."""
        lines = []
        for key, look in self._nodes:
            lines.append(f"n{numbers.setdefault(key, len(numbers))} [{look}];")
        for graph, of in self._inside:
            number = numbers.setdefault(("frame", id(graph)), len(numbers))
            lines += [f"subgraph cluster_{number} {{", f"label=<{html.escape(graph._title)}>;"]
            lines += [*graph._lines(numbers), "}"]
            first = graph._first()
            if of is not None and first is not None:
                look = f"lhead=cluster_{number}, style=dashed, arrowhead=none"
                lines.append(f"n{numbers[of]} -> n{numbers[first]} [{look}];")
        for start, end, label in self._edges:
            ends = (f"n{numbers.setdefault(key, len(numbers))}" for key in (start, end))
            text = f" [label=<&#160;{html.escape(label)}>]" if label else ""
            lines.append(f"{' -> '.join(ends)}{text};")
        return lines

    def to_string(self, background: str = "transparent", dpi: int | None = None) -> str:
        """The graph in Graphviz's language.

        >>> graph = tf.keras.utils.model_to_dot(tf.keras.Sequential([tf.keras.Input([1])]))
        >>> graph.to_string().splitlines()[0]
        'digraph G {'
        """
        size = "" if dpi is None else f", dpi={dpi}"
        font = f'fontname="{_FONT}", fontcolor="{_INK}"'
        settings = [
            f'graph [rankdir={self._rankdir}, bgcolor="{background}", {font}, color="{_LINE}"];',
            f"graph [compound=true, fontsize=11, style=rounded, ranksep=0.35, nodesep=0.3{size}];",
            f'node [{font}, fontsize=11, shape=box, style="rounded,filled", margin="0.12,0.06"];',
            f'edge [{font}, fontsize=9, color="{_LINE}", arrowsize=0.7];',
        ]
        return "\n".join(["digraph G {", *settings, *self._lines({}), "}"]) + "\n"

    def _rendered(self, format: str, clear: bool = False) -> bytes:
        if format in ("dot", "gv"):
            return self.to_string().encode()
        if format != "svg":
            return _laid_out(self.to_string("transparent" if clear else "white", self._dpi), format)
        picture = _laid_out(self.to_string(), format)
        # What stands before it are declarations that a page has no place for. Titles have numbers.
        drawing = picture[picture.index(b"<svg") :]
        return re.sub(rb"<title>.*?</title>\n?", b"", drawing)

    # Programs know these from pydot, which TensorFlow's function returns graphs of.

    def create(self, prog: str | None = None, format: str = "ps") -> bytes:
        """The content of a file: `render` with pydot's arguments."""
        return self.render("dot" if format == "raw" else format)

    def write(
        self, path: str | bytes | os.PathLike[str], prog: str | None = None, format: str = "dot"
    ) -> None:
        """Writes a file: `save` with pydot's arguments."""
        self.save(path, "dot" if format == "raw" else format)

    def get_nodes(self) -> list[GraphNode]:
        """The nodes; the first one, "node", has the look of all."""
        return [GraphNode("node", ""), *(GraphNode(str(key), look) for key, look in self._nodes)]

    def get_edges(self) -> list[GraphEdge]:
        """The arrows."""
        return [GraphEdge(str(start), str(end), label) for start, end, label in self._edges]

    def get_subgraphs(self) -> list[Graph]:
        """The graphs inside of this one."""
        return [graph for graph, _ in self._inside]

    def get_rankdir(self) -> str:
        """The direction: "TB" or "LR"."""
        return self._rankdir

    def __getattr__(self, name: str) -> Callable[..., bytes | None]:
        action, _, format = name.partition("_")
        if action in ("create", "write") and format in (*self.formats, "raw"):
            act: Callable[..., bytes | None] = getattr(self, action)
            return lambda *args: act(*args, format=format)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


def _label(rows: Sequence[str | tuple[str, str]], kind: str) -> str:
    """Lines in a box, as a table of Graphviz."""
    if kind not in _BOXES:
        return (
            '<font point-size="10">'
            + "<br/>".join(html.escape(str(row)) for row in rows)
            + "</font>"
        )
    cells = []
    for number, row in enumerate(rows):
        if isinstance(row, tuple):
            name, value = (html.escape(part) for part in row)
            cells.append(
                f'<td align="left"><font color="{_INK}" point-size="10">{name}</font></td>'
                f'<td align="left"><font point-size="10">{value}</font></td>'
            )
        elif number == 0:
            cells.append(f'<td colspan="2"><b>{html.escape(row)}</b></td>')
        elif row:
            cells.append(f'<td colspan="2"><font point-size="10">{html.escape(row)}</font></td>')
    table = "".join(f"<tr>{row}</tr>" for row in cells)
    return f'<table border="0" cellborder="0" cellspacing="0" cellpadding="2">{table}</table>'


def _laid_out(text: str, format: str) -> bytes:
    """A graph drawn by Graphviz: by its program where it is installed, or else by a package.

    Raises:
        ImportError: if neither is installed.
        RuntimeError: if Graphviz fails.
    """
    import shutil
    import subprocess
    import sys

    program = shutil.which("dot")
    if program is None:
        optional("pygraphviz", "Drawing a graph, where Graphviz's program `dot` is not installed,")
        command = [sys.executable, "-c", _LAY_OUT, format]
    else:
        command = [program, f"-T{format}"]
    done = subprocess.run(command, input=text.encode(), capture_output=True)
    if done.returncode:
        raise RuntimeError(f"Graphviz could not draw the graph: {done.stderr.decode().strip()}")
    return done.stdout


# How plots look: as graphs do, on either background.
_PLOT_STYLE = {
    "axes.edgecolor": _LINE,
    "axes.labelcolor": _INK,
    "axes.titlecolor": _INK,
    "axes.titlesize": 11,
    "axes.grid": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.constrained_layout.use": True,
    "font.family": "sans-serif",
    "font.size": 9,
    "grid.alpha": 0.25,
    "grid.color": _LINE,
    "legend.frameon": False,
    "legend.labelcolor": _INK,
    "svg.fonttype": "none",
    "svg.hashsalt": "eagerflow",
    "text.color": _INK,
    "xtick.color": _LINE,
    "xtick.labelcolor": _INK,
    "ytick.color": _LINE,
    "ytick.labelcolor": _INK,
}


class Plot(Picture):
    """A figure of Matplotlib.

    Args:
        draw: draws on an empty figure.
        table: the same as a table, for terminals and where Matplotlib is not installed.
        size: width and height of the figure in inches.
    """

    formats = ("svg", "png", "pdf", "jpg", "jpeg", "ps")

    def __init__(
        self, draw: Callable[[Figure], None], table: Table, size: tuple[float, float] = (4.5, 3.0)
    ) -> None:
        self._draw = draw
        self._table = table
        self._size = size

    def __str__(self) -> str:
        return str(self._table)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        bundle = super()._repr_mimebundle_()
        if len(bundle) == 1:
            return bundle | {"text/html": self._table._html()}
        return bundle

    def _rendered(self, format: str, clear: bool = False) -> bytes:
        import io

        matplotlib = optional("matplotlib", "Drawing a plot")
        figures = optional("matplotlib.figure", "Drawing a plot")
        file = io.BytesIO()
        with matplotlib.rc_context(_PLOT_STYLE):
            figure = figures.Figure(figsize=self._size)
            self._draw(figure)
            # Without a date, equal plots are equal files.
            dated = {"svg": "Date", "pdf": "CreationDate", "ps": "CreationDate"}.get(format)
            figure.savefig(
                file,
                format=format,
                dpi=144,
                transparent=clear or format == "svg",
                metadata=None if dated is None or format == "ps" else {dated: None},
            )
        content = file.getvalue()
        return content[content.index(b"<svg") :] if format == "svg" else content


_NUMBER = re.compile(r"[-+]?[\d.,]+(e[-+]?\d+)?\s*(%|[KMGT]?i?B|[mµu n]?s)?|", re.IGNORECASE)


class Table(Picture):
    """Rows of cells, columns of numbers aligned on the right.

    Args:
        columns: the headers.
        rows: the cells of each row.
        title: a line above the table.
        footer: lines below it.
        shades: for each cell, how much of a colour it has in notebooks, from 0 to 1.

    >>> from eagerflow.util.pictures import Table
    >>> print(Table(["operation", "calls"], [["MatMul", "12"], ["Add", "4"]], title="Calls"))
    Calls
    operation  calls
    ---------  -----
    MatMul        12
    Add            4
    """

    formats = ("csv",)

    def __init__(
        self,
        columns: Sequence[str],
        rows: Sequence[Sequence[str]],
        title: str = "",
        footer: Sequence[str] = (),
        shades: Sequence[Sequence[float]] | None = None,
    ) -> None:
        self._columns = list(columns)
        self._rows = [list(row) for row in rows]
        self._title = title
        self._footer = list(footer)
        self._shades = shades

    def _right(self) -> list[bool]:
        """Which columns have numbers only."""
        cells = [[row[k] for row in self._rows] for k in range(len(self._columns))]
        return [all(map(_NUMBER.fullmatch, column)) for column in cells]

    def __str__(self) -> str:
        lines = [[cell.split("\n") for cell in row] for row in [self._columns, *self._rows]]
        widths = [
            max(len(line) for row in lines for line in row[k]) for k in range(len(self._columns))
        ]
        right = self._right()
        text = [self._title] if self._title else []
        for number, row in enumerate(lines):
            for k in range(max(map(len, row))):
                parts = [cell[k] if k < len(cell) else "" for cell in row]
                text.append(
                    "  ".join(
                        part.rjust(width) if aligned else part.ljust(width)
                        for part, width, aligned in zip(parts, widths, right, strict=True)
                    ).rstrip()
                )
            if number == 0:
                text.append("  ".join("-" * width for width in widths))
        return "\n".join([*text, *self._footer])

    def _html(self) -> str:
        sides = ["text-align: right" if right else "text-align: left" for right in self._right()]
        head = "".join(
            f'<th style="{side}">{_lines(cell)}</th>'
            for side, cell in zip(sides, self._columns, strict=True)
        )
        body = []
        for number, row in enumerate(self._rows):
            cells = ""
            for k, (side, cell) in enumerate(zip(sides, row, strict=True)):
                shade = self._shades[number][k] if self._shades else 0.0
                color = f"; background: rgba(76, 139, 245, {shade:.2f})" if shade else ""
                cells += f'<td style="{side}{color}">{_lines(cell)}</td>'
            body.append(f"<tr>{cells}</tr>")
        title = f"<div><b>{html.escape(self._title)}</b></div>" if self._title else ""
        footer = "<br>".join(map(html.escape, self._footer))
        return (
            f"{title}<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"
            + (f"<div>{footer}</div>" if footer else "")
        )

    def _rendered(self, format: str, clear: bool = False) -> bytes:
        import csv
        import io

        file = io.StringIO()
        csv.writer(file, lineterminator="\n").writerows([self._columns, *self._rows])
        return file.getvalue().encode()


def _lines(cell: str) -> str:
    return html.escape(cell).replace("\n", "<br>")
