"""The quick way through Examples that have every feature, all of fixed shapes."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import Any

from eagerflow import _core
from eagerflow import dtype as dtypes
from eagerflow.io.features import FixedLenFeature

_VALUES = {
    dtypes.int64: attrgetter("int64_list.value"),
    dtypes.float32: attrgetter("float_list.value"),
    dtypes.string: attrgetter("bytes_list.value"),
}


class DensePlan:
    """What to look up for a dictionary of features, found out once.

    Args:
        features: `FixedLenFeature`s of known shapes by name.
    """

    def __init__(self, features: dict[str, Any]) -> None:
        from eagerflow.protos.example import MESSAGES

        self.features = features
        self.copy = dict(features)
        self._parse = MESSAGES["Example"].FromString
        self._columns = []
        for key in sorted(features):
            feature = features[key]
            shape = [feature.shape] if isinstance(feature.shape, int) else list(feature.shape)
            dtype = dtypes.as_dtype(feature.dtype)
            self._columns.append((key, _VALUES[dtype], dtype, math.prod(shape), shape))

    def one(self, data: bytes) -> dict[str, Any] | None:
        """The tensors of one Example; None if something in it needs a closer look."""
        try:
            find = self._parse(data).features.feature.get
        except Exception:
            return None
        result = {}
        for key, values_of, dtype, count, shape in self._columns:
            feature = find(key)
            if feature is None:
                return None
            values = values_of(feature)
            if len(values) != count:
                return None
            if not shape:
                result[key] = _core.convert(values[0], dtype, None)
                continue
            tensor = _core.convert(values[:], dtype, None)
            result[key] = tensor if len(shape) == 1 else _core.ops.reshape(tensor, shape)
        return result

    def several(self, items: list[bytes]) -> dict[str, Any] | None:
        """The tensors of some Examples; None if something in them needs a closer look."""
        rows: list[list] = [[] for _ in self._columns]
        for data in items:
            try:
                find = self._parse(data).features.feature.get
            except Exception:
                return None
            for row, (key, values_of, _, count, _) in zip(rows, self._columns, strict=True):
                feature = find(key)
                if feature is None:
                    return None
                values = values_of(feature)
                if len(values) != count:
                    return None
                row.extend(values[:])
        return {
            key: _core.ops.reshape(_core.convert(row, dtype, None), [len(items), *shape])
            for row, (key, _, dtype, _, shape) in zip(rows, self._columns, strict=True)
        }


_last: DensePlan | None = None


def dense_plan(features: Any) -> DensePlan | None:
    """The plan for a dictionary of features, or None if not all are of fixed shapes."""
    global _last
    last = _last
    if last is not None and last.features is features and last.copy == features:
        return last
    if type(features) is not dict or not all(map(_is_plain, features.values())):
        return None
    _last = DensePlan(features)
    return _last


def _is_plain(feature: Any) -> bool:
    if type(feature) is not FixedLenFeature or feature.dtype not in _VALUES:
        return False
    sizes = [feature.shape] if isinstance(feature.shape, int) else feature.shape
    return all(type(size) is int and size > 0 for size in sizes)
