"""Where a program's own modules are: beside it, and in the folders that it adds to `sys.path`."""

from __future__ import annotations

import os
from pathlib import Path


class OwnModules:
    """The folders of `sys.path` that are a program's own.

    Args:
        folder: the folder of its script; None if it has none.
    """

    def __init__(self, folder: Path | None) -> None:
        listed = os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder else []
        self.folder = folder
        self.folders = [folder] if folder else []
        self.folders += [Path(name) for name in listed if name]

    def add(self, name: str, first: bool = False) -> None:
        """Adds a folder as `sys.path.append` does, or as `sys.path.insert(0, ...)` does.

        A relative name counts from the current folder, where the program is run, and where there
        is none of this name, from the script's.
        """
        path = Path(name)
        if not path.is_dir() and self.folder is not None:
            path = self.folder / name
        if self.folder is not None and path.is_dir() and path not in self.folders:
            self.folders.insert(0 if first else len(self.folders), path)

    def find(self, name: str) -> list[tuple[str, Path | None]]:
        """The packages around a module, and the module, with their files; empty if it is not found.

        A folder without `__init__.py` is a package that has no file.

        >>> import pathlib, tempfile
        >>> from eagerflow_compat.dropin.own_modules import OwnModules
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     pathlib.Path(folder, "nets").mkdir()
        ...     pathlib.Path(folder, "nets", "dense.py").touch()
        ...     [part for part, _ in OwnModules(pathlib.Path(folder)).find("nets.dense")]
        ['nets', 'nets.dense']
        """
        parts = name.split(".")
        for folder in self.folders:
            found = [
                (".".join(parts[:end]), _file(folder.joinpath(*parts[:end])))
                for end in range(1, len(parts) + 1)
            ]
            if all(file is not None for _, file in found):
                return [(part, file if file and file.is_file() else None) for part, file in found]
        return []


def _file(stem: Path) -> Path | None:
    """The file of a module, or the folder of a package without one; None if there is neither."""
    package = stem / "__init__.py"
    if package.is_file():
        return package
    module = stem.with_name(f"{stem.name}.py")
    if module.is_file():
        return module
    return stem if stem.is_dir() else None


def absolute(name: str, level: int, package: str) -> str:
    """The full name of a module that a module of a package imports.

    Args:
        name: the name that the statement has.
        level: the number of dots before it.
        package: the package of the importing module.

    >>> from eagerflow_compat.dropin.own_modules import absolute
    >>> absolute("dense", 2, "nets.blocks"), absolute("dense", 1, ""), absolute("dense", 0, "nets")
    ('nets.dense', 'dense', 'dense')
    """
    if not level:
        return name
    parents = package.split(".") if package else []
    kept = parents[: len(parents) - (level - 1)]
    return ".".join([*kept, name] if name else kept)
