"""The first elements of a dataset as a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from eagerflow import _core
from eagerflow.data import structure
from eagerflow.data.arguments import INFINITE, UNKNOWN
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.util.pictures import Table

if TYPE_CHECKING:
    from eagerflow.data.dataset import Dataset

# How many elements are read, and how many values of each are shown.
_ELEMENTS, _VALUES = 5, 8


def table(dataset: Dataset) -> Table:
    """The specs of the elements, and the first ones, for which the pipeline runs."""
    specs = structure.flatten(dataset.element_spec)
    names = _names(dataset.element_spec)
    if len(names) != len(specs):  # elements of a class that has a structure of its own
        names = [f"component {k}" for k in range(len(specs))]
    rows = [
        [str(number), *map(_shown, structure.flatten(element))]
        for number, element in enumerate(dataset.take(_ELEMENTS))
    ]
    columns = [f"{name}\n{_kind(spec)}" for name, spec in zip(names, specs, strict=True)]
    counts = {UNKNOWN: "an unknown number of elements", INFINITE: "endless", 1: "1 element"}
    count = dataset._count()
    title = f"{type(dataset).__name__}, {counts.get(count) or f'{count} elements'}"
    complete = count == len(rows) or len(rows) < _ELEMENTS
    return Table(["#", *columns], rows, title, [] if complete else ["..."])


def _names(spec: object, path: str = "") -> list[str]:
    """Where each component is in an element."""
    parts: Iterable[tuple[object, object]]
    if isinstance(spec, Mapping):
        parts = sorted(spec.items())
    elif isinstance(spec, tuple):
        parts = zip(getattr(spec, "_fields", range(len(spec))), spec, strict=True)
    else:
        return [path or "element"]
    return [
        name for key, part in parts for name in _names(part, f"{path}.{key}" if path else str(key))
    ]


def _kind(spec: object) -> str:
    """The dtype and shape of a component, or its spec if it is not a tensor."""
    if not isinstance(spec, TensorSpec):
        return repr(spec)
    sizes = spec.shape.rank is not None and spec.shape.as_list()
    return f"{spec.dtype.name} {'[...]' if sizes is False else sizes}"


def _shown(value: object) -> str:
    """A component of an element: its values, or their shape and range if they are many."""
    if not isinstance(value, _core.Tensor):
        return repr(value)
    array = np.asarray(value.numpy())
    if array.size <= _VALUES and array.ndim < 2:
        return str(array.item() if array.ndim == 0 else array.tolist())
    shape = f"{list(array.shape)}"
    if array.dtype.kind not in "biuf" or not array.size:
        return shape
    return f"{shape} from {array.min():.4g} to {array.max():.4g}"
