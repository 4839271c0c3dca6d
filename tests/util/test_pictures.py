"""Pictures: what notebooks show, what terminals print, and files."""

import base64
import builtins
import csv
import sys
import xml.etree.ElementTree as xml

import pytest

from eagerflow.util import notebooks, pictures


def graph():
    drawn = pictures.Graph(lambda: "a -> b")
    drawn.add_node("a", ["A & B", ("shape", "<2>")], "input")
    drawn.add_node("b", ["C"], "output")
    drawn.add_node("c", ['"3"'], "value")
    inside = pictures.Graph(str, title="then <else>")
    inside.add_node("d", ["D"])
    drawn.add_subgraph(inside, "b")
    drawn.add_edge("a", "b", "float32[?]")
    drawn.add_edge("c", "b")
    return drawn


def table():
    return pictures.Table(
        ["name\nof it", "count", "time"],
        [["first <b>", "1", "2.5 ms"], ["second\nline", "12", "10 ms"]],
        title="Title",
        footer=["2 rows"],
        shades=[[0.0, 0.5, 0.0], [0.0, 0.0, 1.0]],
    )


def plot():
    return pictures.Plot(lambda figure: figure.subplots().plot([1, 2]), table())


PICTURES = {"graph": graph, "plot": plot, "table": table}
NEEDS = {"graph": "pygraphviz", "plot": "matplotlib"}


def made(kind):
    if kind in NEEDS:
        pytest.importorskip(NEEDS[kind])
    return PICTURES[kind]()


@pytest.fixture
def without_packages(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("pygraphviz", "matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)


def test_tables_align_numbers_on_the_right():
    assert str(table()).splitlines() == [
        "Title",
        "name       count    time",
        "of it",
        "---------  -----  ------",
        "first <b>      1  2.5 ms",
        "second        12   10 ms",
        "line",
        "2 rows",
    ]


def test_tables_of_notebooks_are_html():
    shown = table()._repr_mimebundle_()
    assert shown["text/plain"] == str(table())
    page = xml.fromstring(f"<div>{shown['text/html'].replace('<br>', '<br/>')}</div>")
    assert len(page.findall(".//tr")) == 3
    styles = [cell.get("style") for cell in page.iter("td")]
    assert ["right" in style for style in styles] == [False, True, True] * 2
    assert [style.endswith("0.50)") for style in styles] == [False, True] + [False] * 4
    assert page.find(".//td").text == "first <b>"


@pytest.mark.parametrize("kind", ["graph", "plot"])
def test_drawings_of_notebooks_are_svg_and_png(kind):
    picture = made(kind)
    shown = picture._repr_mimebundle_()
    assert shown["text/plain"] == str(picture) == repr(picture)
    assert xml.fromstring(shown["image/svg+xml"]).tag.endswith("svg")
    assert base64.b64decode(shown["image/png"]).startswith(b"\x89PNG")
    # Stored notebooks change only where pictures do.
    assert made(kind)._repr_mimebundle_() == shown


@pytest.mark.parametrize("kind", PICTURES)
def test_files(kind, tmp_path):
    picture = made(kind)
    starts = {
        "svg": b"<svg",
        "png": b"\x89PNG",
        "pdf": b"%PDF",
        "jpg": b"\xff\xd8",
        "jpeg": b"\xff\xd8",
        "gif": b"GIF8",
        "ps": b"%!PS",
        "dot": b"digraph",
        "gv": b"digraph",
        "csv": b'"name',
        "html": b"<!doctype html>",
        "txt": str(picture).encode(),
    }
    for format in (*picture.formats, "html", "txt"):
        path = tmp_path / f"picture.{format}"
        picture.save(path)
        assert path.read_bytes().startswith(starts[format]), format
        picture.save(str(tmp_path / "picture").encode(), format.upper().lower())
        assert (tmp_path / "picture").read_bytes().startswith(starts[format])
    for wrong in ("picture.doc", "picture"):
        with pytest.raises(ValueError, match=r"is saved as one of .*html, txt, not '(doc)?'"):
            picture.save(tmp_path / wrong)


def test_tables_as_files_have_their_cells(tmp_path):
    table().save(tmp_path / "table.csv")
    with open(tmp_path / "table.csv", newline="") as file:
        assert list(csv.reader(file))[1:] == [
            ["first <b>", "1", "2.5 ms"],
            ["second\nline", "12", "10 ms"],
        ]


def test_without_packages_text_says_what_to_install(without_packages, tmp_path):
    shown = graph()._repr_mimebundle_()
    assert list(shown) == ["text/plain"]
    assert shown["text/plain"].startswith("a -> b\n(Drawing a graph")
    assert "pip install 'eagerflow[pictures]'" in shown["text/plain"]
    shown = plot()._repr_mimebundle_()
    assert "pip install 'eagerflow[pictures]'" in shown["text/plain"]
    assert "<table>" in shown["text/html"]
    for picture, package in ((graph(), "pygraphviz"), (plot(), "Matplotlib")):
        with pytest.raises(ImportError, match=package):
            picture.save(tmp_path / "picture.svg")
    assert not list(tmp_path.iterdir())


def test_graphs_are_written_in_graphvizs_language():
    lines = graph().to_string().splitlines()
    assert lines[0] == "digraph G {" and lines[-1] == "}"
    text = "\n".join(lines)
    assert "<b>A &amp; B</b>" in text and "&lt;2&gt;" in text and "then &lt;else&gt;" in text
    assert "n0 -> n1 [label=<&#160;float32[?]>];" in lines and "n2 -> n1;" in lines
    assert "n1 -> n4 [lhead=cluster_3, style=dashed, arrowhead=none];" in lines


def test_large_graphs_are_drawn_when_they_are_saved(without_packages):
    large = pictures.Graph(lambda: "text")
    inside = pictures.Graph(str)
    for key in range(300):
        large.add_node(key, ["op"])
        inside.add_node(f"inside {key}", ["op"])
    large.add_subgraph(inside)
    assert large._repr_mimebundle_() == {
        "text/plain": "text\n(a drawing of 600 boxes is made by save or show)"
    }


def test_show_prints_where_there_is_no_screen(monkeypatch, capsys):
    monkeypatch.setattr(pictures, "_open_in_viewer", lambda picture: False)
    table().show()
    assert capsys.readouterr().out == f"{table()}\n"


def test_show_opens_a_page(monkeypatch, capsys):
    import webbrowser

    opened = []
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or True)
    table().show()
    (address,) = opened
    with open(address.removeprefix("file://")) as file:
        assert "second<br>line" in file.read()
    assert capsys.readouterr().out == ""


class Shell:
    """As much of IPython's shell as is asked."""

    def __init__(self, allow_stdin):
        self._allow = allow_stdin
        self.compile = self

    def get_parent(self):
        return {"content": {"allow_stdin": self._allow}}

    def format_code_name(self, file):
        return ("Cell", "In[3]") if "ipykernel" in file else None


def test_cells_and_tools_that_run_notebooks(monkeypatch):
    assert not notebooks.in_notebook() and not notebooks.runs_unattended()
    stream = type("OutStream", (), {"__module__": "ipykernel.iostream"})()
    for allowed in (True, False):
        monkeypatch.setattr(notebooks, "_shell", lambda allowed=allowed: Shell(allowed))
        assert not notebooks.runs_unattended()
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdout", stream)
            assert notebooks.in_notebook() and notebooks.runs_unattended() is not allowed
    assert notebooks.place("/tmp/ipykernel_12/345.py", 2) == "In[3]:2"
    assert notebooks.place("C:\\programs\\train.py", 2) == "train.py:2"


def test_nothing_is_imported_before_it_is_needed():
    """Neither this package nor a picture imports what draws."""
    imported = []
    original = builtins.__import__

    def noting(name, *args, **kwargs):
        imported.append(name)
        return original(name, *args, **kwargs)

    builtins.__import__ = noting
    try:
        str(table()), str(graph()), graph().to_string()
    finally:
        builtins.__import__ = original
    assert not {"matplotlib", "pygraphviz", "IPython"} & {name.split(".")[0] for name in imported}
