"""The installed packages that a program imports: what they require of TensorFlow, and where they are."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from eagerflow.util import own_code
from eagerflow_compat.dropin.usage import PACKAGES

_REQUIREMENT = re.compile(r"(tensorflow(?:[-_.](?:gpu|cpu))?)\s*\(?([<>=~!][^;)]*)", re.IGNORECASE)
_BOUND = re.compile(r"(<=?|===?|~=)\s*(\d+)(?:\.(\d+))?")


def roots(modules: Iterable[str]) -> list[str]:
    """The packages around modules that are neither Python's nor TensorFlow's nor relative names."""
    found = dict.fromkeys(name.partition(".")[0] for name in modules)
    known = {*sys.stdlib_module_names, *PACKAGES, ""}
    return [root for root in found if root not in known and not own_code.is_own(root)]


def of_first_generation(modules: Iterable[str]) -> str | None:
    """The first package that requires a TensorFlow before version 2, and what it requires; or None.

    Args:
        modules: the names of the modules that a program imports.
    """
    for root in roots(modules):
        for requirement in _requirements(root):
            if excludes_second(requirement):
                return f"{root} requires {requirement.partition(';')[0].strip()}"
    return None


def _requirements(root: str) -> list[str]:
    try:
        return importlib.metadata.distribution(root).requires or []
    except importlib.metadata.PackageNotFoundError:  # or one whose name is another
        return []


def excludes_second(requirement: str) -> bool:
    """Whether a requirement is one of TensorFlow, of versions before 2 only.

    >>> from eagerflow_compat.dropin.imported_packages import excludes_second
    >>> [excludes_second(r) for r in ("tensorflow<2", "tensorflow-gpu (==1.15)", "tensorflow>=1.8")]
    [True, True, False]
    """
    found = _REQUIREMENT.fullmatch(requirement.partition(";")[0].strip().rstrip(")"))
    if found is None:
        return False
    for operator, major, minor in _BOUND.findall(found[2]):
        version = int(major), int(minor or 0)
        if version < (2, 0) or (operator == "<" and version == (2, 0)):
            return True
    return False


def installed(modules: Iterable[str]) -> Iterator[tuple[str, Path]]:
    """The packages around modules whose sources name TensorFlow or Keras, each with its folder."""
    for root in roots(modules):
        spec = importlib.util.find_spec(root)
        if spec is None or not spec.submodule_search_locations:
            continue
        for folder in map(Path, spec.submodule_search_locations):
            if any(b"tensorflow" in file.read_bytes() for file in folder.rglob("*.py")):
                yield root, folder
                break
