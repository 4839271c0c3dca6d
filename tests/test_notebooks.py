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
