"""What `pip install eagerflow` installs: the package and what it depends on, without any extra."""

import contextlib
import importlib.metadata
import os
import re
import sys
from pathlib import Path

import eagerflow
import eagerflow_compat
from eagerflow import _core

# Packages whose names are not imported, and that are not installed into the folder below.
_TOOLS = {"pip", "setuptools"}


def _needed(name, found):
    """The distributions that a distribution depends on, with itself, by name."""
    if name not in found:
        found[name] = distribution = importlib.metadata.distribution(name)
        for requirement in distribution.requires or ():
            # Markers about the system or Python's version: what is not needed here is not installed.
            if "extra ==" not in requirement:
                with contextlib.suppress(importlib.metadata.PackageNotFoundError):
                    _needed(re.match(r"[\w.-]+", requirement)[0], found)
    return found


def install(folder):
    """Links the installed packages into a folder, except those that only extras bring.

    Returns:
        The first words of a command and the environment that run Python with these packages alone.
    """
    for package in (eagerflow, eagerflow_compat):
        _link(Path(package.__file__).parent, folder / package.__name__)
    # The engine of an editable install lies elsewhere than the package's source.
    _link(Path(_core.__file__).parent, folder / "eagerflow")
    for name, distribution in _needed("eagerflow", {}).items():
        for top in {file.parts[0] for file in distribution.files or ()}:
            own = name == "eagerflow" and not top.endswith(".dist-info")
            if not own and top not in ("..", "__pycache__") and not (folder / top).exists():
                (folder / top).symlink_to(distribution.locate_file(top))
        if not distribution.files:  # a checkout's metadata has no list
            path = Path(distribution._path)
            (folder / path.name).symlink_to(path)
    # Without `site`, which would add what is installed.
    kept = ("HOME", "LANG", "PATH", "TMPDIR")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    return [sys.executable, "-S"], environment | {"PYTHONPATH": str(folder)}


def _link(source, folder):
    folder.mkdir(exist_ok=True)
    for path in source.iterdir():
        if path.name != "__pycache__" and not (folder / path.name).exists():
            (folder / path.name).symlink_to(path)
