"""What TensorFlow's private modules have, found among the public names.

`private_modules.txt` lists the modules, the names that cannot be derived, and those that refuse. All
others have the last part of their public name: `array_ops.reshape` is `tf.reshape`, `nn_ops.conv2d_v2`
is `tf.nn.conv2d`, and `math_ops.reduce_sum_v1` is version 1's.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from eagerflow.util import unavailable
from eagerflow_compat.dropin import keras_names
from eagerflow_compat.dropin.facade import nearest_namespaces, resolve

_LIST = Path(__file__).with_name("private_modules.txt")
_SECOND = "eagerflow"
_FIRST = "eagerflow_compat.compat.v1"
# Namespaces whose names are not TensorFlow's operations.
_APART = frozenset({"keras", "contrib", "compat", "ops", "v1"})
# Where a message is declared more than once, the fullest declaration is first.
_PROTOS = (
    "graph",
    "tensor",
    "structure",
    "checkpoint",
    "event",
    "cluster",
    "session",
    "saved_model",
    "example",
    "xla",
    "codes",
)


@functools.cache
def modules() -> dict[str, dict[str, str]]:
    """The paths of private modules below `tensorflow`, each with its names that are not derived.

    The public name of one is empty if it does not exist here.
    """
    found = {}
    for line in _LIST.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            path, *renamed = line.split()
            found[path] = {item.partition("=")[0]: item.partition("=")[2] for item in renamed}
    return found


@functools.cache
def submodules(path: str) -> frozenset[str]:
    """The names of the modules directly in a private folder."""
    start = f"{path}."
    return frozenset(m[len(start) :].split(".")[0] for m in modules() if m.startswith(start))


def find(path: str, name: str) -> object:
    """What the private module with this path has under this name.

    Raises:
        AttributeError: if there is nothing of this name.

    >>> from eagerflow_compat.dropin import private_names
    >>> private_names.find("python.ops.nn_ops", "conv2d_v2") is tf.nn.conv2d
    True
    """
    if path == "core.protobuf.config_pb2":  # Settings of sessions are plain objects.
        public = resolve(f"{_FIRST}.{name}")
        if public is not None:
            return public
    if path.startswith(("core.", "compiler.")) and path.endswith("_pb2"):
        if name.endswith("__pb2"):
            return _imported_file(name)
        return unavailable.find(f"{path}.{name}") or _message(name)
    if path.startswith("python.ops.gen_"):
        operation = _raw_operation(name)
        if operation is not None:
            return operation
    if modules().get(path, {}).get(name) == "":
        return unavailable.find_in_area(f"{path}.{name}")
    public = "experimental.dtensor" if path.startswith("dtensor.") else path
    absent = unavailable.find(f"{public}.{name}")
    if absent is not None:
        return absent
    for public in _candidates(path, name):
        value = resolve(public)
        if value is not None and not isinstance(value, ModuleType):
            return value
    if path.startswith("python.ops."):  # Each module passes on the operations that it is made of.
        operation = _raw_operation(name.lstrip("_"))
        if operation is not None:
            return operation
    absent = unavailable.find_by_name(re.sub(r"V[12]$", "", name))
    if absent is not None:
        return absent
    if path.startswith("python.keras."):
        try:
            return keras_names.find(path.replace("python.keras", "src", 1), name)
        except AttributeError:
            pass  # It may be a module that Keras's module imports.
    if name in _OF_PYTHON:
        return importlib.import_module(_OF_PYTHON[name])
    passed_on = _imported_module(path, name)
    if passed_on is not None:
        return importlib.import_module(f"tensorflow.{passed_on}")
    raise AttributeError(name)


# The folders whose modules TensorFlow's other modules import, the most frequent first.
_IMPORTED = (
    "python.framework",
    "python.ops",
    "python.eager",
    "python.util",
    "python.platform",
    "python.training",
)
# What they call some of these.
_CALLED = {
    "K": "python.keras.backend",
    "logging": "python.platform.tf_logging",
    "tensor_lib": "python.framework.tensor",
    "vs": "python.ops.variable_scope",
}


# Modules of Python under the names that TensorFlow's modules import them by.
_OF_PYTHON = {"collections_abc": "collections.abc"}


def _imported_module(path: str, name: str) -> str | None:
    """The path of a module that a module imports, and so passes on, under this name."""
    # A module's own name in it is that of what it defines.
    if not path.startswith("python.") or path.endswith(f".{name}"):
        return None
    if name in _CALLED:
        return _CALLED[name]
    for folder in (path.rpartition(".")[0], *_IMPORTED):
        if f"{folder}.{name}" in modules():
            return f"{folder}.{name}"
    return None


def known() -> Collection[str]:
    """The names that every private module answers for."""
    return _second_generation().keys()


def _candidates(path: str, name: str) -> Iterator[str]:
    renamed = modules().get(path, {}).get(name)
    if renamed is not None:
        yield f"{_SECOND}.{renamed}"
    base = re.sub(r"(_v[12]|V[12])$", "", name)
    base = base if base == name else base.lstrip("_")  # special_math_ops._einsum_v1
    if base != name and name.endswith("1"):
        yield from _first_generation(base)
    for candidate in (name, base):
        if candidate in _second_generation():
            yield f"{_second_generation()[candidate]}.{candidate}"
    yield from _first_generation(name)
    if name in _renamed_elsewhere():
        yield f"{_SECOND}.{_renamed_elsewhere()[name]}"


@functools.cache
def _renamed_elsewhere() -> dict[str, str]:
    """The names that are not derived, for modules that pass on what others define."""
    return {
        name: public for renamed in modules().values() for name, public in renamed.items() if public
    }


@functools.cache
def _second_generation() -> dict[str, str]:
    """The public names, and the namespace of each that is nearest to the root."""
    return nearest_namespaces(_SECOND, _APART)


def _first_generation(name: str) -> Iterator[str]:
    for namespace in (_FIRST, *(f"{_FIRST}.{each}" for each in _first_namespaces())):
        if name.startswith("_") or name in _names_in(namespace):
            yield f"{namespace}.{name}"


@functools.cache
def _names_in(namespace: str) -> frozenset[str]:
    return frozenset(dir(resolve(namespace)))


@functools.cache
def _first_namespaces() -> list[str]:
    """The namespaces of version 1, first those whose names are the most frequent."""
    nearest = ["nn", "math", "train", "data", "image", "losses", "metrics", "summary"]
    listed = [
        found.name for found in pkgutil.iter_modules(importlib.import_module(_FIRST).__path__)
    ]
    return nearest + [name for name in listed if name not in _APART.union(nearest)]


@functools.cache
def _raw_operations() -> dict[str, str]:
    """The operations of `tf.raw_ops` by the names that the `gen_*_ops` modules give them."""
    listed = resolve("eagerflow.raw_ops")
    return {_snake(name): name for name in (dir(listed) if listed else ()) if name[0].isupper()}


def _raw_operation(name: str) -> Any:
    """The function of an operation by its name, or that in the `gen_*_ops` modules, or None."""
    operation = _raw_operations().get(_snake(name))
    return operation and _positional(getattr(resolve("eagerflow.raw_ops"), operation))


def _positional(raw_op: Any) -> Any:
    """An operation of `tf.raw_ops` that takes arguments by position, too."""

    @functools.wraps(raw_op)
    def operation(*args: object, **kwargs: Any) -> Any:
        return raw_op(**dict(zip(raw_op.keys, args, strict=False)), **kwargs)

    return operation


def _snake(name: str) -> str:
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    # A digit begins no word by itself: Conv2DBackpropInput, but BesselI0Grad.
    return re.sub(r"([a-z]|[0-9](?=[A-Z][a-z]))([A-Z])", r"\1_\2", name).lower()


def _imported_file(name: str) -> ModuleType:
    """The module of a file of messages, by the name that code which protoc writes imports it as."""
    path = name.replace("_dot_", ".").replace("__", "_")
    if path.startswith("tensorflow."):
        return importlib.import_module(path)
    if f"compiler.{path}" in modules():
        return importlib.import_module(f"tensorflow.compiler.{path}")
    raise AttributeError(name)


def _message(name: str) -> object:
    """A message or an enumeration of TensorFlow's formats, or a value of an enumeration."""
    for module in _PROTOS:
        schema = getattr(importlib.import_module(f"eagerflow.protos.{module}"), "MESSAGES", None)
        if schema is None:
            continue
        try:
            return schema[name]
        except KeyError:
            pass
        enums = schema.enums()
        if name in enums:
            return enums[name]
        for enum in enums.values():
            if name in enum.keys():
                return enum.Value(name)
    return getattr(importlib.import_module("eagerflow.graph.session_settings"), name)
