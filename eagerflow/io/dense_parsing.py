"""Fast parsing of Examples that have all features, each of a fixed shape."""

from __future__ import annotations

from typing import Any

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.io.features import FixedLenFeature, VarLenFeature

_DTYPES = (dtypes.int64, dtypes.float32, dtypes.string)


class DensePlan:
    """The lookups for a dictionary of features, determined once.

    Args:
        features: `FixedLenFeature`s of known shapes by name.
    """

    def __init__(self, features: dict[str, Any]) -> None:
        self.features = features
        self.copy = dict(features)
        self._keys = sorted(features)
        chosen = [features[key] for key in self._keys]
        self._examples = _core.DenseExamples(
            self._keys,
            [dtypes.as_dtype(feature.dtype) for feature in chosen],
            [_sizes(feature) for feature in chosen],
        )

    def parse(self, serialized: Any) -> dict[str, Any] | None:
        """The tensors of a scalar or vector of Examples; None if one needs the general parser."""
        serialized = _core.convert(serialized, None, dtypes.string)
        if _core.is_symbolic(serialized):
            return self._unknown(serialized)
        columns = self._examples.parse(serialized)
        return None if columns is None else dict(zip(self._keys, columns, strict=True))

    def _unknown(self, serialized: Any) -> dict[str, Any]:
        """Tensors of unknown values, for Examples that are not known yet."""
        first = list(serialized.shape)
        return {
            key: _core.symbolic(dtypes.as_dtype(feature.dtype), [*first, *_sizes(feature)])
            for key, feature in ((key, self.features[key]) for key in self._keys)
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


def _sizes(feature: Any) -> list[int]:
    return [feature.shape] if isinstance(feature.shape, int) else list(feature.shape)


def _is_plain(feature: FixedLenFeature | VarLenFeature) -> bool:
    if type(feature) is not FixedLenFeature or feature.dtype not in _DTYPES:
        return False
    return all(type(size) is int and size > 0 for size in _sizes(feature))
