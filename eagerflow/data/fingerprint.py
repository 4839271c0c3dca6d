"""Fingerprints of pipelines: 64-bit hashes of their data, arguments and functions."""

from __future__ import annotations

import functools
import hashlib
import types
from collections.abc import Mapping
from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.data.dataset import Dataset
from eagerflow.data.seeds import SeedSequence
from eagerflow.framework import dtypes
from eagerflow.framework.dtypes import DType
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TypeSpec
from eagerflow.util import own_code

_PLAIN = (type(None), bool, int, float, complex, str, bytes, range, slice, DType, TensorShape)
_CODE = ("co_code", "co_names", "co_varnames", "co_freevars", "co_argcount", "co_flags")


def fingerprint(dataset: Dataset) -> int:
    """A hash of a pipeline's steps, arguments, data and functions.

    Functions count by their code and by the values that they refer to, not by where they are
    defined, so that the hash is the same in the next run of the same program.
    """
    collector = _Collector()
    collector.add(dataset)
    return int.from_bytes(collector.digest.digest(), "little")


class _Collector:
    """Feeds a pipeline's contents to a hash function."""

    def __init__(self) -> None:
        self.digest = hashlib.blake2b(digest_size=8)
        self._met: dict[int, int] = {}
        # Keeps visited objects alive while they are identified by address.
        self._kept: list[Any] = []

    def _text(self, *parts: Any) -> None:
        for part in parts:
            data = part if isinstance(part, bytes) else repr(part).encode()
            self.digest.update(len(data).to_bytes(8, "little"))
            self.digest.update(data)

    def add(self, value: Any) -> None:
        """Adds a value and its components."""
        if isinstance(value, (*_PLAIN, TypeSpec)):
            self._text(type(value).__name__, value)
            return
        if id(value) in self._met:
            self._text("again", self._met[id(value)])
            return
        self._met[id(value)] = len(self._met)
        self._kept.append(value)
        self._text(type(value).__qualname__)
        if isinstance(value, _core.Variable):
            self._text(value.dtype, value.shape)
        elif isinstance(value, _core.Tensor):
            self._array(value.numpy() if value.dtype is dtypes.string else np.asarray(value))
        elif isinstance(value, (np.ndarray, np.generic)):
            self._array(value)
        elif isinstance(value, Mapping):
            self._all([part for item in value.items() for part in item])
        elif isinstance(value, (list, tuple)):
            self._all(value)
        elif isinstance(value, (set, frozenset)):
            self._all(sorted(value, key=repr))
        elif isinstance(value, SeedSequence):
            self._all(value.identity)
        elif isinstance(value, types.CodeType):
            self._code(value)
        elif isinstance(value, functools.partial):
            self._all([value.func, value.args, value.keywords])
        elif isinstance(value, _core.OpFunction):
            self._text(value.__module__, value.__qualname__)
        elif isinstance(value, types.MethodType):
            self._all([value.__func__, value.__self__])
        elif isinstance(value, types.FunctionType):
            self._function(value)
        elif isinstance(value, (type, types.ModuleType, types.BuiltinFunctionType)):
            self._text(getattr(value, "__qualname__", value.__name__))
        elif isinstance(value, Dataset):
            self._attributes(value, value._passing)
        elif not type(value).__module__.startswith(("builtins", "_thread", "eagerflow.graph")):
            self._attributes(value, ())

    def _all(self, values: Any) -> None:
        self._text(len(values))
        for value in values:
            self.add(value)

    def _array(self, value: Any) -> None:
        array = np.asarray(value)
        self._text(array.dtype.str, array.shape)
        if array.dtype.hasobject:
            self._all(array.ravel().tolist())
        else:
            self._text(array.tobytes())

    def _attributes(self, value: object, passing: tuple[str, ...]) -> None:
        for name, part in sorted(getattr(value, "__dict__", {}).items()):
            if name not in passing:
                self._text(name)
                self.add(part)

    def _code(self, code: types.CodeType) -> None:
        self._text(*(getattr(code, name) for name in _CODE))
        self._all(code.co_consts)

    def _function(self, function: types.FunctionType) -> None:
        self.add(function.__code__)
        self.add(function.__defaults__)
        self.add(function.__kwdefaults__)
        for cell in function.__closure__ or ():
            try:
                self.add(cell.cell_contents)
            except ValueError:  # an empty cell
                self._text("empty")
        if own_code.is_own(function.__module__):
            return
        for name in function.__code__.co_names:
            if name in function.__globals__:
                self._text(name)
                self.add(function.__globals__[name])
