"""Where a program runs in a notebook: whether it does, in which cell, and whether someone watches."""

from __future__ import annotations

import sys
from typing import Any


def _shell() -> Any:
    """IPython's running shell, if this program runs in one."""
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def in_notebook() -> bool:
    """Whether what is printed appears in a notebook."""
    return type(sys.stdout).__module__ == "ipykernel.iostream"


def runs_unattended() -> bool:
    """Whether a tool runs the notebook, such as nbconvert, and nobody watches its output.

    Such tools keep all that a line was before a carriage return.
    """
    # Programs that show notebooks can ask for input; tools that only run them cannot.
    shell: Any = _shell() if in_notebook() else None
    request = shell.get_parent() if hasattr(shell, "get_parent") else {}
    return request.get("content", {}).get("allow_stdin") is False


def place(file: str, number: int) -> str:
    """A line of a program, in short: the file's name, or the cell of a notebook, and the number.

    >>> from eagerflow.util import notebooks
    >>> notebooks.place("/home/me/train.py", 12)
    'train.py:12'
    """
    return f"{cell_of(file) or file.replace(chr(92), '/').rpartition('/')[2]}:{number}"


def cell_of(file: str) -> str | None:
    """The cell, such as "In[3]", whose code has that file name; None for files."""
    compiler: Any = getattr(_shell(), "compile", None)
    label = compiler.format_code_name(file) if hasattr(compiler, "format_code_name") else None
    return label[1] if label else None
