"""Weights of models from safetensors files whose arrays have other names."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from eagerflow.checkpoint import arrays
from eagerflow.errors import NotFoundError
from eagerflow.io.damage import DamagedFileError
from eagerflow.io.os_errors import path_text
from eagerflow.strings.regular_expressions import compiled
from eagerflow.typing import FilePath

_INDEX = "model.safetensors.index.json"
_SINGLE = "model.safetensors"


class _Load:
    """An array for a weight: the array's name, and how it is changed."""

    def __init__(self, name: str, change: Any) -> None:
        self.name, self._change = name, change

    def shape(self, file: Any) -> tuple[int, ...]:
        """The shape that the weight must have."""
        sizes = file.shape(self.name)
        if callable(self._change):
            return np.shape(self.value(file))
        return tuple(sizes if self._change is None else (sizes[axis] for axis in self._change))

    def value(self, file: Any) -> Any:
        """The value of the weight."""
        array = file.read(self.name)
        if self._change is None:
            return array
        return self._change(array) if callable(self._change) else array.transpose(self._change)


def load(model: Any, path: FilePath, names: Mapping[str, Any], strict: bool) -> list[str]:
    """Loads weights by a table of names; see `Model.load_pretrained`."""
    if not model.built:
        raise ValueError(
            f"{model.name} has no weights yet. Call it on data or `build` it before loading."
        )
    place = path_text(path)
    variables = arrays.named_variables(model)
    loads: dict[str, dict[str, _Load]] = {}  # by file and weight
    problems: list[str] = []
    taken: dict[str, str] = {}
    for part in _parts(place):
        with arrays.opened(part) as file:
            mine = loads[part] = {}
            for name in sorted(file.names(), key=_natural):
                targets = _targets(name, names)
                if targets is None:
                    problems.append(f"array {name} {file.shape(name)} matches no pattern")
                for target, change in targets or ():
                    problem = _problem(name, target, variables, taken)
                    if problem:
                        problems.append(problem)
                        continue
                    taken[target] = name
                    mine[target] = _Load(name, change)
                    shape, own = mine[target].shape(file), tuple(variables[target].shape)
                    if shape != own:
                        problems.append(
                            f"array {name} has shape {shape} for weight {target}, whose shape is {own}"
                        )
    if strict:
        problems += [
            f"weight {path} {tuple(variable.shape)} gets no array"
            for path, variable in variables.items()
            if path not in taken
        ]
    if problems:
        raise ValueError(
            f"{place} does not fit {model.name}, nothing was loaded:\n  " + "\n  ".join(problems)
        )
    for part, mine in loads.items():
        with arrays.opened(part) as file:
            for target, each in mine.items():
                variable = variables[target]
                value = each.value(file)
                variable.assign(np.asarray(value).astype(variable.dtype.as_numpy_dtype))
    return [path for path in variables if path in taken]


def _natural(name: str) -> list[Any]:
    """Sorts numbers in names by their values."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


def _targets(name: str, names: Mapping[str, Any]) -> list[tuple[str, Any]] | None:
    """The paths of the weights that an array is for, and how it is changed; None if nothing matches."""
    for pattern, rule in names.items():
        spans = compiled(b"^(?:" + pattern.encode() + b")$").search(name.encode(), 0)
        if spans[0][0] < 0:
            continue
        rules = rule if isinstance(rule, list) else [] if rule is None else [rule]
        pairs = [(each, None) if isinstance(each, str) else each for each in rules]
        return [(_filled(path, name.encode(), spans), change) for path, change in pairs]
    return None


def _filled(path: str, name: bytes, spans: list[tuple[int, int]]) -> str:
    """A path with the groups of a match."""

    def group(match: Any) -> str:
        number = int(match[1])
        if number >= len(spans):
            raise ValueError(f"The path {path!r} names a group that its pattern lacks: {match[0]}")
        start, stop = spans[number]
        return name[start:stop].decode() if start >= 0 else ""

    return re.sub(r"\\(\d)", group, path)


def _problem(name: str, target: str, variables: dict[str, Any], taken: dict[str, str]) -> str:
    if target not in variables:
        return f"array {name} is for {target}, which is no weight of the model"
    if target in taken:
        return f"arrays {taken[target]} and {name} are for the same weight, {target}"
    return ""


def _parts(place: str) -> Iterator[str]:
    """The files of a folder, or the one file.

    Raises:
        tf.errors.NotFoundError: if there is none.
        tf.errors.DataLossError: if the list of parts is damaged.
    """
    if not os.path.isdir(place):
        yield place
        return
    index = os.path.join(place, _INDEX)
    if not os.path.exists(index):
        single = os.path.join(place, _SINGLE)
        if not os.path.exists(single):
            raise NotFoundError._of(f"{place} has neither {_SINGLE} nor {_INDEX}.")
        yield single
        return
    try:
        with open(index, encoding="utf-8") as file:
            parts = sorted(set(json.load(file)["weight_map"].values()))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedFileError(index, "The list of parts", error) from error
    for part in parts:
        if not isinstance(part, str) or os.path.basename(part) != part:
            raise DamagedFileError(index, "The list of parts", f"{part!r} is no file of the folder")
        yield os.path.join(place, part)
