"""The state of models as a tree in HDF5, the format of `.weights.h5` and of `.keras` archives.

Each object with variables has a group `vars` with its values by number, at the path of attribute
names that leads to it; the objects of a list are named by their classes and numbered.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.metrics.metric import Metric
from eagerflow.keras.naming import snake_case

_HIDDEN = frozenset(
    {
        "_compile_arguments",
        "_graph_layers",
        "_layers",
        "_metrics",
        "_self_tracked_trackables",
        "_user_metrics",
    }
)


def _is_saveable(value: Any) -> bool:
    return hasattr(value, "save_own_variables") and hasattr(value, "load_own_variables")


def _named(items: Any) -> Iterator[tuple[str, Any]]:
    """Objects of a container under the names of their classes, numbered where they repeat."""
    used: dict[str, int] = {}
    for item in items:
        if not _is_saveable(item):
            continue
        name = snake_case(type(item).__name__)
        count = used[name] = used.get(name, -1) + 1
        yield (f"{name}_{count}" if count else name), item


def _children(value: Any) -> Iterator[tuple[str, Any]]:
    """Attributes and what containers hold, with their paths."""
    if getattr(value, "_graph", None) is not None or hasattr(value, "add"):
        for name, layer in _named(getattr(value, "layers", ())):
            yield f"layers/{name}", layer
    if not isinstance(value, Layer):
        return
    for attribute in sorted(vars(value)):
        item = vars(value)[attribute]
        if attribute in _HIDDEN:
            continue
        if _is_saveable(item):
            yield attribute, item
        elif isinstance(item, (list, tuple, dict, set)):
            for name, member in _named(item.values() if isinstance(item, dict) else item):
                yield f"{attribute}/{name}", member
    if getattr(value, "_is_compiled", False) and getattr(value, "metrics", None):
        for name, metric in _named(value.metrics):
            yield f"metrics/{name}", metric


def _walk(root: Any) -> Iterator[tuple[str, Any]]:
    seen = {id(root)}
    stack: list[tuple[str, Any]] = [("", root)]
    while stack:
        path, item = stack.pop(0)
        yield path, item
        for name, child in _children(item):
            if id(child) not in seen:
                seen.add(id(child))
                stack.append((f"{path}/{name}" if path else name, child))


def asset_owners(model: Any) -> Iterator[tuple[str, Any]]:
    """What in a model has files of its own, with its path."""
    for path, item in _walk(model):
        if hasattr(item, "save_assets") and hasattr(item, "load_assets"):
            yield path, item


def write_state(file: Any, model: Any) -> None:
    """Writes the variables of a model and of all below it."""
    for path, item in _walk(model):
        store: dict[str, Any] = {}
        item.save_own_variables(store)
        group = file.create_group(f"{path}/vars" if path else "vars")
        name = getattr(item, "name", None)
        if isinstance(name, str):
            group.attrs["name"] = name
        for key, value in store.items():
            array = np.asarray(value)
            if array.dtype.name == "bfloat16":
                dataset = group.create_dataset(key, data=array.view(np.uint16))
                dataset.attrs["dtype"] = "bfloat16"
            else:
                group.create_dataset(key, data=array)


class _Store:
    """A group's values by key, as objects load them."""

    def __init__(self, group: Any) -> None:
        self._group = group

    def keys(self) -> list[str]:
        return list(self._group.keys())

    def __len__(self) -> int:
        return len(self._group)

    def __contains__(self, key: str) -> bool:
        return key in self._group

    def __iter__(self) -> Iterator[str]:
        return iter(self._group)

    def shape(self, key: str) -> Any:
        """A value's shape; the value is not read."""
        return self._group[key].shape

    def __getitem__(self, key: str) -> Any:
        dataset = self._group[key]
        value = dataset[()]
        if dataset.attrs.get("dtype") == "bfloat16":
            import ml_dtypes

            return value.view(ml_dtypes.bfloat16)
        return np.asarray(value)


def read_state(file: Any, model: Any, skip_mismatch: bool = False) -> None:
    """Assigns what `write_state` wrote.

    Raises:
        ValueError: if something with variables has none in the file, or a shape differs; it names
            everything, unless `skip_mismatch` makes warnings of it.
    """
    loads, problems = [], []
    for path, item in _walk(model):
        key = f"{path}/vars" if path else "vars"
        store = _Store(file[key]) if key in file else None
        if isinstance(item, Metric):
            # Their values are of the last epoch, and other versions do not keep them.
            continue
        problem = _problem(path or "the model", item, store)
        if problem:
            problems.append(problem)
        elif store is not None and len(store):
            loads.append((item, store))
    if problems:
        text = "\n  ".join(problems)
        if not skip_mismatch:
            raise ValueError(f"The weights do not fit; none was loaded:\n  {text}")
        warnings.warn(f"Some weights were not loaded:\n  {text}", stacklevel=3)
    for item, store in loads:
        item.load_own_variables(store)


def _problem(path: str, item: Any, store: _Store | None) -> str | None:
    if getattr(item, "_saves_any_shape", False):
        return None
    own: dict[str, Any] = {}
    item.save_own_variables(own)
    if store is None:
        return f"{path} has {len(own)} variables, the file has nothing of it" if own else None
    if isinstance(item, Layer) and len(store) != len(own):
        return f"{path} has {len(own)} variables, the file has {len(store)}"
    for key, value in own.items():
        if isinstance(item, Layer) and key in store and store.shape(key) != np.shape(value):
            return f"{path}: variable {key} has shape {np.shape(value)}, not {store.shape(key)}"
    return None
