"""Which of TensorFlow's names packages use, and which of those are missing here.

    python tools/package_names.py FOLDER                        # of installed packages, or of wheels
    python tools/package_names.py FOLDER --tensorflow PYTHON    # without those that its TensorFlow lacks
    python tools/package_names.py FOLDER --all                  # public names, too

Nothing of a package is run or installed: names are read from its sources, such as those that
`pip download --no-deps -d FOLDER ...` brings.
"""

from __future__ import annotations

import argparse
import collections
import importlib
import json
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

# Modules below these, and names that begin with an underscore, are not TensorFlow's public API.
_PRIVATE = ("python", "core", "compiler", "src", "engine", "lite.python", "__internal__")


class Names(NamedTuple):
    """What packages use: from each name to the packages, and the packages that were read."""

    users: dict[str, set[str]]
    packages: set[str]


def sources(folder: Path) -> Iterator[tuple[str, str]]:
    """The Python files of the packages in a folder, each with the name of its package."""
    for path in sorted(folder.iterdir()):
        if path.suffix == ".whl":
            with zipfile.ZipFile(path) as wheel:
                for name in wheel.namelist():
                    if name.endswith(".py"):
                        yield _project(path), wheel.read(name).decode("utf-8", "replace")
        elif path.name.endswith(".tar.gz"):
            with tarfile.open(path) as archive:
                for member in archive:
                    file = archive.extractfile(member) if member.name.endswith(".py") else None
                    if file is not None:
                        yield _project(path), file.read().decode("utf-8", "replace")
        elif path.is_dir() and path.suffix not in (".dist-info", ".egg-info"):
            for script in sorted(path.rglob("*.py")):
                yield path.name, script.read_text(encoding="utf-8", errors="replace")
        elif path.suffix == ".py":
            yield path.stem, path.read_text(encoding="utf-8", errors="replace")


def _project(archive: Path) -> str:
    stem = archive.name.removesuffix(".tar.gz")
    return stem.split("-")[0] if archive.suffix == ".whl" else stem.rpartition("-")[0]


def used(folder: Path, public: bool) -> Names:
    """The names of TensorFlow and Keras that the packages in a folder use."""
    from eagerflow_compat.dropin.usage import Usage

    found = Names(collections.defaultdict(set), set())
    for package, text in sources(folder):
        found.packages.add(package)
        if "tensorflow" not in text and "keras" not in text:
            continue
        try:
            usage = Usage(text)
        except (SyntaxError, ValueError, RecursionError):
            continue
        for use in usage.uses:
            if public or is_private(use.path):
                found.users[use.path].add(package)
    return found


def is_private(path: str) -> bool:
    """Whether a path is not of TensorFlow's public API.

    >>> is_private("tensorflow.python.ops.nn_ops.relu"), is_private("tensorflow.nn.relu")
    (True, False)
    """
    inside = path.partition(".")[2].removeprefix("keras.")
    dunder = inside.endswith("__") and not inside.startswith("__internal__")
    return not dunder and (
        any(f"{inside}.".startswith(f"{start}.") for start in _PRIVATE) or "._" in f".{inside}"
    )


def exists(path: str) -> bool:
    """Whether a name can be imported. What tensors and other objects have is not looked at."""
    parts = path.split(".")
    value: Any = importlib.import_module(parts[0])
    for end, name in enumerate(parts[1:], 2):
        if not isinstance(value, ModuleType | type):
            return True
        try:
            if hasattr(value, name):
                value = getattr(value, name)
            else:
                value = importlib.import_module(".".join(parts[:end]))
        except Exception:  # whatever a module raises that cannot be imported
            return False
    return True


def in_tensorflow(python: str, paths: Iterable[str]) -> set[str]:
    """Those of some names that the TensorFlow of another Python has."""
    done = subprocess.run(
        [python, __file__, "--exist"],
        input=json.dumps(sorted(paths)),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def report(names: Names, known: set[str] | None) -> None:
    """Prints how many names each package uses, and those that are refused or missing."""
    import eagerflow
    from eagerflow_compat.dropin import check

    eagerflow.install_as_tensorflow()
    paths = sorted(names.users if known is None else known)
    problems = {path: check.problem(path, "2.x") for path in paths}
    refused = {path for path, text in problems.items() if text and check.REFUSED in text}
    missing = {path for path, text in problems.items() if text} - refused
    last = "" if known is None else " not in TensorFlow |"
    print(f"| package | names | there | refused | missing |{last}")
    print("|---|" + "--:|" * (4 if known is None else 5))
    for package in sorted(names.packages):
        own = {path for path, users in names.users.items() if package in users}
        if not own:
            continue
        counts = [len(own & set(paths) - refused - missing), len(own & refused), len(own & missing)]
        counts += [] if known is None else [len(own - known)]
        print("|", " | ".join(map(str, [package, sum(counts), *counts])), "|")
    print("\nMissing:")
    for path in sorted(missing):
        print(f"{path}  ({', '.join(sorted(names.users[path]))})")
    reasons = {path: (problems[path] or "").partition(f"{check.REFUSED}: ")[2] for path in refused}
    for reason in sorted(set(reasons.values())):
        print(f"\nRefused: {reason}")
        for path in sorted(path for path in refused if reasons[path] == reason):
            print(f"{path}  ({', '.join(sorted(names.users[path]))})")


def main() -> None:
    """Reads the command line and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--tensorflow", metavar="PYTHON", help="a Python that has TensorFlow")
    parser.add_argument("--all", action="store_true", help="public names, too")
    parser.add_argument("--exist", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.exist:
        print(json.dumps([path for path in json.load(sys.stdin) if exists(path)]))
        return
    names = Names(collections.defaultdict(set), set())
    for folder in arguments.folders:
        found = used(folder, arguments.all)
        names.packages.update(found.packages)
        for path, users in found.users.items():
            names.users[path] |= users
    python = arguments.tensorflow
    report(names, in_tensorflow(python, names.users) if python else None)


if __name__ == "__main__":
    main()
