"""What the nodes of version 1's graphs are called that version 2's functions add, given a name.

The cases of the families run in a graph for sessions. Of each public function that takes a name, the
first call that gives tensors of the graph is recorded.
"""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from oracle import registry, values

FAMILIES = (
    "elementwise reductions shapes indexing ragged sparse linalg decompositions nn special signal "
    "images strings neighbourhoods tables ctc quantization sampling random tensors loops"
).split()
FILE = values.RECORDED / "node_names.json"


class Named:
    """A namespace whose functions are given their path as a name when a case calls them.

    Args:
        inside: the namespace.
        path: its path below the package, with a dot at its end.
        report: called with a function's path and its result.
    """

    def __init__(self, inside: Any, path: str, report: Callable[[str, Any], None]) -> None:
        self._inside = inside
        self._path = path
        self._report = report

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inside, name)
        path = self._path + name
        if isinstance(found, ModuleType) or type(found).__name__ == "Namespace":
            return self if path in ("raw_ops", "compat") else Named(found, path + ".", self._report)
        if isinstance(found, type) or not takes_name(found):
            return found

        @functools.wraps(found)
        def call(*args: Any, **kwargs: Any) -> Any:
            if kwargs.get("name") is not None:
                return found(*args, **kwargs)
            result = found(*args, **kwargs | {"name": path})
            self._report(path, result)
            return result

        return call


@functools.cache
def _parameters(function: Any) -> frozenset[str]:
    try:
        return frozenset(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return frozenset()


def takes_name(function: Any) -> bool:
    """Whether a public function has a parameter `name`."""
    return callable(function) and "name" in _parameters(function)


def names_of(tf: Any, result: Any) -> list[str | None]:
    """The names of a result's tensors, in order; None for what is no tensor of a graph."""
    leaves = tf.nest.flatten(result, expand_composites=True)
    return [leaf.name if tf.is_symbolic_tensor(leaf) else None for leaf in leaves]


def calls(tf: Any, case: registry.Case) -> dict[str, list[str | None]]:
    """The names of the results of the first call of each function that a case makes."""
    found: dict[str, list[str | None]] = {}

    def report(path: str, result: Any) -> None:
        if path not in found:
            found[path] = names_of(tf, result)

    with tf.compat.v1.Graph().as_default():
        try:
            case.run(Named(tf, "", report))
        except Exception:  # what follows the call may read values, which graphs do not have
            pass
    return found


def cases() -> Iterator[registry.Case]:
    """All cases whose calls are looked at."""
    for family in FAMILIES:
        yield from registry.load(family).values()


def record(tf: Any) -> int:
    """Writes TensorFlow's names."""
    recorded: dict[str, dict[str, Any]] = {}
    for case in cases():
        for path, names in calls(tf, case).items():
            if path not in recorded and names and any(names):
                recorded[path] = {"case": case.id, "names": names}
    FILE.write_text(json.dumps(dict(sorted(recorded.items())), indent=1) + "\n")
    return 0
