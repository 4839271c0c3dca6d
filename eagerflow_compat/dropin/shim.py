"""Packages without content, which tell pip that what requires TensorFlow has it."""

from __future__ import annotations

import importlib.machinery
import importlib.metadata
import re
import shutil
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from eagerflow import version
from eagerflow_compat.dropin.generations import KERAS_VERSIONS

# From each package to the module that it has.
MODULES = {
    "tensorflow": "tensorflow",
    "tensorflow-cpu": "tensorflow",
    "tensorflow-gpu": "tensorflow",
    "tensorflow-intel": "tensorflow",
    "keras": "keras",
    "tf-keras": "tf_keras",
}
_INSTALLER = "eagerflow"


class Refused(Exception):
    """A package that cannot be written or removed, with the reason."""


def write(requirement: str, generation: str = "2.x") -> str:
    """Adds a package without content to this environment; returns what was done.

    Args:
        requirement: its name, or `name==version`.
        generation: of which TensorFlow it has the version if none is named: "1.x" or "2.x".

    Raises:
        Refused: if the package itself is installed, or there is none of that name.
    """
    name, number = _parsed(requirement, generation)
    found = _installed(name)
    if found is not None and not _is_ours(found):
        raise Refused(
            f"{name} {found.version} itself is installed here. Uninstall it first, or run programs by "
            "`eagerflow run`, which imports eagerflow in its place."
        )
    module = importlib.machinery.PathFinder.find_spec(MODULES[name])
    if module is not None:
        raise Refused(f"There is a module {MODULES[name]} here already: {module.origin}")
    if found is not None:
        remove(name)
    stem = f"{name.replace('-', '_')}-{number}.dist-info"
    folder = Path(sysconfig.get_path("purelib")) / stem
    folder.mkdir(parents=True)
    texts = {
        "METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {number}\n"
        f"Summary: Says that eagerflow stands for {name}. It has no content.\n"
        "Requires-Dist: eagerflow\n",
        "INSTALLER": f"{_INSTALLER}\n",
        "WHEEL": "Wheel-Version: 1.0\nGenerator: eagerflow\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "top_level.txt": f"{MODULES[name]}\n",
    }
    texts["RECORD"] = "".join(f"{stem}/{file},,\n" for file in [*texts, "RECORD"])
    for file, text in texts.items():
        (folder / file).write_text(text, encoding="utf-8")
    return f"{name} {number} stands in {folder}"


def remove(requirement: str) -> str:
    """Removes what `write` has added; returns what was done.

    Raises:
        Refused: if it is not there, or is the package itself.
    """
    name, _ = _parsed(requirement, "2.x")
    found = _installed(name)
    if found is None:
        raise Refused(f"{name} is not installed here.")
    if not _is_ours(found):
        raise Refused(f"{name} {found.version} is the package itself: pip uninstall {name}")
    number = found.version
    shutil.rmtree(Path(str(found.locate_file(f"{name.replace('-', '_')}-{number}.dist-info"))))
    return f"{name} {number} is removed"


def main(requirements: Sequence[str], generation: str | None, removes: bool) -> int:
    """The command `eagerflow shim`; returns the exit status."""
    for requirement in requirements:
        try:
            done = remove(requirement) if removes else write(requirement, generation or "2.x")
        except Refused as reason:
            print(f"eagerflow shim: {reason}")
            return 1
        print(done)
    return 0


def _parsed(requirement: str, generation: str) -> tuple[str, str]:
    given, _, number = requirement.partition("==")
    name = re.sub("[-_.]+", "-", given.strip()).lower()
    if name not in MODULES:
        raise Refused(f"eagerflow stands for {', '.join(MODULES)}, not for {given}.")
    if number.strip():
        return name, number.strip()
    versions = version.GENERATIONS if MODULES[name] == "tensorflow" else KERAS_VERSIONS
    return name, versions[generation]


def _installed(name: str) -> importlib.metadata.Distribution | None:
    # Those in folders only: the drop-in answers for these names, too.
    finder = importlib.metadata.MetadataPathFinder
    context = importlib.metadata.DistributionFinder.Context(name=name)
    return next(iter(finder.find_distributions(context)), None)


def _is_ours(found: importlib.metadata.Distribution) -> bool:
    return (found.read_text("INSTALLER") or "").strip() == _INSTALLER
