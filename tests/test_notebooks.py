"""The notebooks of the examples run, where Jupyter is installed."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


def test_there_are_notebooks():
    assert len(NOTEBOOKS) >= 3
    assert all('"outputs": []' in path.read_text() for path in NOTEBOOKS), "clear the outputs"


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(notebook, tmp_path):
    pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    copy = tmp_path / notebook.name
    copy.write_text(notebook.read_text())
    # Like `jupyter execute`, without looking for its script on the PATH.
    execute = "from nbclient.cli import main; main()"
    command = [sys.executable, "-c", execute, "--inplace", str(copy)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert '"output_type": "error"' not in copy.read_text()


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
