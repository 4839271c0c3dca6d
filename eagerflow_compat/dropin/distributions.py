"""What `importlib.metadata` says of the packages that the drop-in stands for."""

from __future__ import annotations

import importlib.metadata
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path


class Distribution(importlib.metadata.Distribution):
    """A package of TensorFlow's as if pip had installed it.

    Args:
        name: its name.
        number: its version.
    """

    def __init__(self, name: str, number: str) -> None:
        head = f"Metadata-Version: 2.1\nName: {name}\nVersion: {number}\n"
        self._texts = {"METADATA": f"{head}Requires-Dist: eagerflow\n"}

    def read_text(self, filename: str) -> str | None:
        """A file of what pip notes of a package; there is one."""
        return self._texts.get(filename)

    def locate_file(self, path: str | os.PathLike[str]) -> Path:
        """Where a file of the package would be."""
        return Path(__file__).parents[1] / path


def find(
    context: importlib.metadata.DistributionFinder.Context, versions: Mapping[str, str]
) -> Iterator[Distribution]:
    """The packages that a search asks for, all of them if it gives no name.

    Args:
        context: the search.
        versions: from the packages' names to their versions.

    >>> import importlib.metadata
    >>> from eagerflow_compat.dropin import distributions
    >>> context = importlib.metadata.DistributionFinder.Context(name="TF-Keras")
    >>> [found.version for found in distributions.find(context, {"tf_keras": "2.21.0"})]
    ['2.21.0']
    """
    for name, number in versions.items():
        if context.name is None or _normalized(context.name) == _normalized(name):
            yield Distribution(name, number)


def _normalized(name: str) -> str:
    return re.sub("[-_.]+", "-", name).lower()
