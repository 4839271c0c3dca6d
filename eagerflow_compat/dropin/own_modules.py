"""Where a program's own modules are: beside it, and in the folders that it adds to `sys.path`."""

from __future__ import annotations

import os
import sysconfig
from importlib.machinery import PathFinder
from pathlib import Path

from eagerflow.util import own_code
from eagerflow_compat.dropin.children.eagerflow_answers import FOLDER


class OwnModules:
    """The folders of `sys.path` that are a program's own.

    Args:
        folder: the folder of its script; None if it has none.

    Attributes:
        package: the package that the script is a module of; empty if it is of none.
        complete: whether all folders that the program adds are known.
    """

    def __init__(self, folder: Path | None) -> None:
        listed = os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder else []
        listed = [name for name in listed if name != FOLDER]
        self.folder = folder
        self.complete = True
        self.folders = [folder] if folder else []
        self.folders += [Path(name) for name in listed if name and not _is_installed(Path(name))]
        parents: list[str] = []
        root = folder
        while root is not None and (root / "__init__.py").is_file():
            parents.insert(0, root.name)
            root = root.parent
        if root is not None and parents:
            self.folders.append(root)
        self.package = ".".join(parents)

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

    def has(self, root: str) -> bool:
        """Whether a package, or a module that may be compiled, is in one of the folders."""
        return PathFinder.find_spec(root, [str(folder) for folder in self.folders]) is not None

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
        if own_code.is_own(name):
            return []
        parts = name.split(".")
        for folder in self.folders:
            found = [
                (".".join(parts[:end]), _file(folder.joinpath(*parts[:end])))
                for end in range(1, len(parts) + 1)
            ]
            if all(file is not None for _, file in found):
                return [(part, file if file and file.is_file() else None) for part, file in found]
        return []


def _is_installed(folder: Path) -> bool:
    """Whether a folder has Python's own modules, or those that pip installs, which are not followed."""
    standard = map(Path, (sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")))
    return folder.name == "lib-dynload" or folder in standard or any(folder.glob("*.dist-info"))


def _file(stem: Path) -> Path | None:
    """The file of a module, or the folder of a package without one; None if there is neither."""
    package = stem / "__init__.py"
    if package.is_file():
        return package
    module = stem.with_name(f"{stem.name}.py")
    if module.is_file():
        return module
    return stem if stem.is_dir() else None


def package_of(module: str, file: Path | None) -> str:
    """The package that a module's relative imports count from; no file is that of a package without one."""
    is_package = file is None or file.name == "__init__.py"
    return module if is_package else module.rpartition(".")[0]


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
