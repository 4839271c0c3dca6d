"""The notebooks of the examples show what they store, where Jupyter is installed."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def shown(notebook):
    """What each cell shows, without numbers: they differ from processor to processor."""
    cells = []
    for cell in notebook.cells:
        outputs = cell.get("outputs", [])
        assert all(output.output_type != "error" for output in outputs), cell.source
        texts = [output.get("text") or output.data["text/plain"] for output in outputs]
        kinds = [sorted(output.get("data", ())) for output in outputs]
        words = [
            re.findall(r"[A-Za-z_]+", re.sub(r"0x\w+|\de[-+]\d|/tmp/\S+|\d[mu]?s\b", "", text))
            for text in texts
        ]
        cells.append((kinds, words))
    return cells


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 8


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_it_stores(path, monkeypatch):
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    monkeypatch.syspath_prepend(ROOT / "tools")
    stored = nbformat.read(path, as_version=4)
    assert any(kinds for kinds, _ in shown(stored)), f"`python tools/notebooks.py {path.stem}`"
    if path.stem in ("keras", "debugging"):
        pytest.importorskip("pygraphviz")
    from notebooks import run

    assert shown(run(path)) == shown(stored)


def test_links_between_notebooks_lead_somewhere():
    for path in NOTEBOOKS:
        for target in re.findall(r"\]\(([^)#:]*\.ipynb)", path.read_text()):
            assert (FOLDER / target).is_file(), f"{path.name}: {target}"


SHOWING = """
import eagerflow as tf
x, y = tf.ones([64, 3]), tf.ones([64, 1])
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=[3], name="only")])
model.compile("sgd", "mse")
model.summary()
history = model.fit(x, y, epochs=2, batch_size=1, verbose=VERBOSE)
history
"""


@pytest.mark.parametrize("verbose", [0, 1, 2, "auto"])
def test_what_tools_store_is_clean(verbose):
    """Notebooks that a tool runs have tables, plots and one bar for each epoch."""
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    source = SHOWING.replace("VERBOSE", repr(verbose))
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    nbclient.NotebookClient(notebook, kernel_name="python3").execute()
    outputs = notebook.cells[0].outputs
    text = "".join(output.text for output in outputs if output.output_type == "stream")
    assert "\r" not in text and "\b" not in text
    assert text.count("64/64") == (2 if verbose else 0)
    summary = next(output for output in outputs if output.output_type == "display_data")
    assert "only (Dense)" in summary.data["text/html"]
    assert outputs[-1].data["image/svg+xml"].startswith("<svg")
