"""How parsed examples are expressed by TensorFlow's operations."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.tensor import Tensor
from eagerflow.graphdef.emitters import NoSuchNodeError
from eagerflow.graphdef.host_lowering import op, rules_of
from eagerflow.io.features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    VarLenFeature,
)
from eagerflow.ragged.tensor import RaggedTensor
from eagerflow.sparse.tensor import SparseTensor

_DENSE = (FixedLenFeature, FixedLenSequenceFeature)


def _shape(feature: Any) -> list[Any]:
    """The shape of a dense feature; the steps of sequences are unknown."""
    sizes = [feature.shape] if isinstance(feature.shape, int) else list(feature.shape)
    return [None, *sizes] if isinstance(feature, FixedLenSequenceFeature) else sizes


def _default(feature: Any) -> Any:
    """What a dense feature is where it is missing: nothing if it may not be."""
    given = feature.default_value
    if isinstance(given, Tensor):
        is_sequence = isinstance(feature, FixedLenSequenceFeature)
        return given if is_sequence else _core.ops.broadcast_to(given, _shape(feature))
    kind = object if feature.dtype is dtypes.string else feature.dtype.as_numpy_dtype
    if isinstance(feature, FixedLenSequenceFeature):
        padding = b"" if feature.dtype is dtypes.string else 0
        return np.asarray(padding if given is None else given, kind)
    if given is None:
        return np.zeros([0], kind)
    return np.broadcast_to(np.asarray(given, kind), _shape(feature))


@rules_of("io.parsing")
def parse_example(
    serialized: Any, features: Any, example_names: object = None, name: str | None = None
) -> Any:
    sparse = sorted(k for k, f in features.items() if isinstance(f, VarLenFeature))
    dense = sorted(k for k, f in features.items() if isinstance(f, _DENSE))
    ragged = sorted(k for k, f in features.items() if isinstance(f, RaggedFeature))
    if len(sparse) + len(dense) + len(ragged) < len(features) or any(
        features[k].partitions or features[k].value_key not in (None, k) for k in ragged
    ):
        raise NoSuchNodeError("a feature is made of several of an Example")
    results = op(
        "ParseExampleV2",
        serialized,
        np.zeros([0], object),
        np.array(sparse, object),
        np.array(dense, object),
        np.array(ragged, object),
        [_default(features[k]) for k in dense],
        num_sparse=len(sparse),
        sparse_types=[dtypes.as_dtype(features[k].dtype) for k in sparse],
        ragged_value_types=[dtypes.as_dtype(features[k].dtype) for k in ragged],
        ragged_split_types=[features[k].row_splits_dtype for k in ragged],
        dense_shapes=[_shape(features[k]) for k in dense],
    )
    count = len(sparse)
    found: dict[str, Any] = {
        key: SparseTensor(results[k], results[count + k], results[2 * count + k])
        for k, key in enumerate(sparse)
    }
    rest = results[3 * count :]
    found |= dict(zip(dense, rest, strict=False))
    rest = rest[len(dense) :]
    for k, key in enumerate(ragged):
        found[key] = RaggedTensor.from_row_splits(rest[k], rest[len(ragged) + k], validate=False)
    return found


@rules_of("io.parsing")
def parse_single_example(
    serialized: Any, features: Any, example_names: object = None, name: str | None = None
) -> Any:
    return parse_example(serialized, features)
