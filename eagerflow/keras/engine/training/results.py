"""Results of steps for programs: Python scalars by name, lists, and arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core, nest
from eagerflow.ops.array import concat
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.sparse import arrangement
from eagerflow.sparse.tensor import SparseTensor


def plain(logs: Any) -> Any:
    """Logs with Python scalars and arrays in place of tensors."""
    if logs is None:
        return None
    return nest.map_structure(_plain_value, logs)


def _plain_value(value: Any) -> Any:
    if isinstance(value, _core.Tensor | _core.Variable):
        value = value.numpy()
        return value.item() if np.ndim(value) == 0 and hasattr(value, "item") else value
    return value


def in_order(logs: Any, names: list[str]) -> Any:
    """Values by name as a list, in the order of names; a single value without a list."""
    if not isinstance(logs, dict):
        return logs
    results = [logs[name] for name in names if name in logs]
    results += [logs[name] for name in sorted(logs) if name not in names]
    return results[0] if len(results) == 1 else results


def concatenated(parts: list[Any]) -> Any:
    """The batches of a prediction along the first axis, as an array."""
    first = parts[0]
    if not isinstance(first, _core.Tensor):
        if isinstance(first, SparseTensor):
            return arrangement.concat(0, parts)
        if hasattr(type(first), "_is_composite_tensor"):
            return concat(parts, axis=0)
        return np.concatenate([np.asarray(part) for part in parts])
    if len(parts) == 1:
        return first.numpy()
    if first.ndim == 0:
        return np.stack([part.numpy() for part in parts])
    if len({part._shape_tuple()[1:] for part in parts}) == 1:
        return np.concatenate([part.numpy() for part in parts])
    return _ragged(parts)


def _ragged(parts: list[Any]) -> _core.Tensor:
    """Batches whose inner sizes differ, along the first axis as a ragged tensor."""
    columns = zip(*(part._shape_tuple()[1:] for part in parts), strict=True)
    differ = [axis for axis, sizes in enumerate(columns, 1) if len(set(sizes)) > 1]
    ragged = [RaggedTensor.from_tensor(part, ragged_rank=differ[-1]) for part in parts]
    return concat(ragged, axis=0)
