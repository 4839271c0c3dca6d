"""The state of models as a tree in HDF5, the format of `.weights.h5` and of `.keras` archives.

Each object with variables has a group `vars` with its values by index, at the path of attribute
names that leads to it; the objects of a list are named by their classes and numbered. Which of
several paths to an object counts, Keras 2 and 3 decide differently where models are subclassed:
files have Keras 2's, and Keras 3's as links to the same groups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.module import Module
from eagerflow.keras.engine.layer import Layer
from eagerflow.keras.engine.model import Model
from eagerflow.keras.metrics.metric import Metric
from eagerflow.keras.naming import lower_words, snake_case
from eagerflow.keras.saving.hdf5_files import dataset
from eagerflow.util.program_warnings import warn

Variable: Any = _core.Variable
_CONTAINERS = (list, tuple, dict, set)
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


def _keras3_name(cls: type) -> str:
    """A class's name as Keras 3's files spell it: `ConvLSTM2D` is `conv_lstm2d`."""
    return lower_words(getattr(cls, "_class_name_in_keras3", cls.__name__))


def _keras2_name(cls: type) -> str:
    return snake_case(cls.__name__)


def _named(items: Any, name_of: Callable[[type], str] = _keras2_name) -> Iterator[tuple[str, Any]]:
    """Objects of a container under the names of their classes, numbered where they repeat."""
    used: dict[str, int] = {}
    for item in items:
        if not _is_saveable(item):
            continue
        name = name_of(type(item))
        count = used[name] = used.get(name, -1) + 1
        yield (f"{name}_{count}" if count else name), item


class _ModuleState:
    """The variables of a `tf.Module` that is no layer, which Keras does not save."""

    def __init__(self, module: Module) -> None:
        self.module = module

    def _variables(self) -> list[_core.Variable]:
        return list(self.module._flatten(recursive=False, predicate=_is_variable))

    def save_own_variables(self, store: dict[str, Any]) -> None:
        for k, variable in enumerate(self._variables()):
            store[str(k)] = variable.numpy()

    def load_own_variables(self, store: Any) -> None:
        for k, variable in enumerate(self._variables()):
            variable.assign(store[str(k)])


def _is_variable(value: Any) -> bool:
    return isinstance(value, Variable)


def _own_attributes(value: Any) -> dict[str, Any]:
    hidden = _HIDDEN | value._TF_MODULE_IGNORED_PROPERTIES
    return {name: item for name, item in vars(value).items() if name not in hidden}


def _attributes(value: Layer) -> dict[str, Any]:
    """The attributes that may hold objects, and the properties that list them."""
    attributes = _own_attributes(value)
    if isinstance(value, Model):
        attributes["layers"] = value.layers
    if value.metrics:
        attributes["metrics"] = value.metrics
    return attributes


def _walk(root: Any) -> Iterator[tuple[str, Any]]:
    """All objects with their paths in Keras 2: depth first, from the last attribute to the first.
    Then those that Keras ignores: modules, and objects in nested containers.
    """
    seen: set[int] = set()
    visited = []

    def visit(path: str, item: Any) -> None:
        if id(item) in seen:
            return
        seen.add(id(item))
        visited.append((path, item))
        prefix = f"{path}/" if path else ""
        if isinstance(item, Layer):
            for name, child in sorted(_attributes(item).items(), reverse=True, key=_first):
                if _is_saveable(child):
                    visit(prefix + name, child)
                elif isinstance(child, _CONTAINERS):
                    members = child.values() if isinstance(child, dict) else child
                    fresh = [member for member in members if id(member) not in seen]
                    for key, member in _named(fresh):
                        visit(f"{prefix}{name}/{key}", member)
        for name, part in getattr(item, "_state_parts", dict)().items():
            visit(prefix + name, part)

    def visit_rest(path: str, item: Any) -> None:
        if isinstance(item, dict):
            inner = [(str(key), child) for key, child in item.items()]
        elif isinstance(item, list | tuple):
            inner = [(str(key), child) for key, child in enumerate(item)]
        elif _is_saveable(item):
            visit(path, item)
            return
        elif isinstance(item, Module) and id(item) not in seen:
            seen.add(id(item))
            visited.append((path, _ModuleState(item)))
            inner = sorted(vars(item).items(), key=_first)
        else:
            return
        for name, child in inner:
            visit_rest(f"{path}/{name}", child)

    visit("", root)
    for path, item in visited:  # the list grows in the loop
        if isinstance(item, Layer):
            for name, child in sorted(_own_attributes(item).items(), key=_first):
                if not _is_saveable(child):
                    visit_rest(f"{path}/{name}" if path else name, child)
    yield from visited


def _first(pair: tuple[str, Any]) -> str:
    return pair[0]


def _keras3_children(value: Any) -> Iterator[tuple[str, Any]]:
    """Attributes and what containers hold, with their paths, as Keras 3 orders them."""
    if getattr(value, "_layers_are_ordered", False):
        for name, layer in _named(getattr(value, "layers", ()), _keras3_name):
            yield f"layers/{name}", layer
    if not isinstance(value, Layer):
        return
    names: dict[str, str] = getattr(value, "_names_in_keras3", {})
    for attribute, item in sorted(_own_attributes(value).items(), key=_first):
        if _is_saveable(item):
            yield names.get(attribute, attribute), item
        elif isinstance(item, _CONTAINERS):
            members = item.values() if isinstance(item, dict) else item
            for name, member in _named(members, _keras3_name):
                yield f"{attribute}/{name}", member
    if getattr(value, "_is_compiled", False) and getattr(value, "metrics", None):
        for name, metric in _named(value.metrics, _keras3_name):
            yield f"metrics/{name}", metric


def _walk_keras3(root: Any) -> Iterator[tuple[str, Any]]:
    """All objects that Keras 3 saves, with their paths."""
    seen = {id(root)}
    stack: list[tuple[str, Any]] = [("", root)]
    while stack:
        path, item = stack.pop(0)
        yield path, item
        for name, child in _keras3_children(item):
            if id(child) not in seen:
                seen.add(id(child))
                stack.append((f"{path}/{name}" if path else name, child))


def asset_owners(model: Any) -> Iterator[tuple[str, Any]]:
    """The parts of a model that have their own files, with their paths."""
    for path, item in _walk(model):
        if hasattr(item, "save_assets") and hasattr(item, "load_assets"):
            yield path, item


def write_state(file: Any, model: Any, keras_version: int = 2) -> None:
    """Writes the variables of a model and of all below it.

    Args:
        file: the HDF5 file.
        model: the model.
        keras_version: 2 or 3: whose order the variables of optimizers have.
    """
    groups = {}
    for path, item in _walk(model):
        store: dict[str, Any] = {}
        if keras_version == 3 and hasattr(item, "_save_for_keras3"):
            item._save_for_keras3(store)
        else:
            item.save_own_variables(store)
        group = groups[id(item)] = file.create_group(f"{path}/vars" if path else "vars")
        name = getattr(item, "name", None)
        if isinstance(name, str):
            group.attrs["name"] = name
        for key, value in store.items():
            array = np.asarray(value)
            if dtypes.is_extension(array.dtype):
                dataset = group.create_dataset(key, data=array.view(f"u{array.dtype.itemsize}"))
                dataset.attrs["dtype"] = array.dtype.name
            else:
                group.create_dataset(key, data=array)
    for path, item in _walk_keras3(model):
        key = f"{path}/vars" if path else "vars"
        if key not in file and len(groups[id(item)]):
            file[key] = groups[id(item)]


class _Store:
    """The values of a group by key, for `load_own_variables`."""

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
        return dataset(self._group, key).shape

    def __getitem__(self, key: str) -> Any:
        array = dataset(self._group, key)
        value = array[()]
        name = array.attrs.get("dtype")
        return np.asarray(value) if name is None else value.view(_known_dtype(name))


def _known_dtype(name: object) -> np.dtype:
    """The dtype, such as bfloat16, of values that files hold as integers."""
    dtype = np.dtype(dtypes.as_dtype(str(name)).as_numpy_dtype)
    if not dtypes.is_extension(dtype):
        raise LookupError(f"{name} is no dtype of values that are stored as integers")
    return dtype


def read_state(file: Any, model: Any, skip_mismatch: bool = False) -> None:
    """Assigns what `write_state` wrote.

    Raises:
        ValueError: if variables are missing in the file, or shapes differ; it names all of them.
            With `skip_mismatch` it is a warning.
    """
    loads, problems = _matched(file, _walk(model))
    if problems:
        others, other_problems = _matched(file, _walk_keras3(model))
        if len(other_problems) < len(problems):
            loads, problems = others, other_problems
    if problems:
        text = "\n  ".join(problems)
        if not skip_mismatch:
            raise ValueError(f"The weights do not fit; none was loaded:\n  {text}")
        warn(f"Some weights were not loaded:\n  {text}")
    for item, store in loads:
        item.load_own_variables(store)


def _matched(
    file: Any, objects: Iterator[tuple[str, Any]]
) -> tuple[list[tuple[Any, _Store]], list[str]]:
    """Objects with the values that the file has for them, and messages on mismatches."""
    loads, problems = [], []
    for path, item in objects:
        key = f"{path}/vars" if path else "vars"
        store = _Store(file[key]) if key in file else None
        if isinstance(item, Metric):
            # Metrics hold values of the last epoch, which other versions do not save.
            continue
        problem = _problem(path or "the model", item, store)
        if problem:
            problems.append(problem)
        elif store is not None and len(store):
            loads.append((item, store))
    return loads, problems


def _problem(path: str, item: Any, store: _Store | None) -> str | None:
    if getattr(item, "_saves_any_shape", False):
        return None
    own: dict[str, Any] = {}
    item.save_own_variables(own)
    if store is None:
        return f"{path} has {len(own)} variables, the file has nothing of it" if own else None
    checked = isinstance(item, Layer | _ModuleState)
    if checked and len(store) != len(own):
        return f"{path} has {len(own)} variables, the file has {len(store)}"
    for key, value in own.items():
        if checked and key in store and store.shape(key) != np.shape(value):
            return (
                f"Shape mismatch in {path}: variable {key} has shape {np.shape(value)}, not "
                f"{store.shape(key)}"
            )
    return None
