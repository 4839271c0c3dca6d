"""Runs the notebooks of the examples, and stores in them what their cells show.

python tools/notebooks.py             # all
python tools/notebooks.py gradients   # one, by its name
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

FOLDER = Path(__file__).resolve().parent.parent / "examples" / "notebooks"


def run(path: Path) -> NotebookNode:
    """The notebook with the outputs of a run in an empty folder; a cell's error ends it."""
    notebook = nbformat.read(path, as_version=4)
    # Figures are shown by Jupyter's own backend, not by the one that a Makefile asks for.
    environment = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    with tempfile.TemporaryDirectory() as folder:
        resources = {"metadata": {"path": folder}}
        client = NotebookClient(
            notebook, timeout=600, resources=resources, record_timing=False, coalesce_streams=True
        )
        client.execute(env=environment)
    notebook.metadata.pop("language_info", None)  # names the version of Python
    return notebook


def main() -> None:
    for path in sorted(FOLDER.glob("*.ipynb")):
        if not sys.argv[1:] or path.stem in sys.argv[1:]:
            print(path.stem, flush=True)
            nbformat.write(run(path), path)


if __name__ == "__main__":
    main()
