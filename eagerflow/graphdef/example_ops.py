"""TensorFlow's operations that parse Example messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import eagerflow as tf
from eagerflow import _core
from eagerflow.graphdef.state_ops import Handler

HANDLERS: dict[str, Handler] = {}


def _known(tensor: _core.Tensor) -> Any:
    """The value of a tensor: an array, or the bytes of a single string.

    Raises:
        ValueError: if it is known only when the graph runs.
    """
    value = _core.static_value(tensor)
    if value is None:
        raise ValueError("the names and defaults of features must be constants")
    return value.numpy()


def _keys(tensors: list[_core.Tensor] | _core.Tensor) -> list[str]:
    """Names of features, from strings, scalar string tensors, or a tensor of strings."""
    if isinstance(tensors, list | tuple):
        return [key if isinstance(key, str) else _known(key).decode() for key in tensors]
    return [key.decode() for key in _known(tensors).ravel().tolist()]


def _dense(dtype: Any, shape: Any, default: _core.Tensor) -> Any:
    """The configuration of a dense feature; features with an unknown first size are padded."""
    value = np.asarray(_known(default))
    sizes = shape.as_list()
    if sizes and sizes[0] is None:
        padding = value.ravel()[0] if value.size else None
        return tf.io.FixedLenSequenceFeature(sizes[1:], dtype, True, padding)
    return tf.io.FixedLenFeature(sizes, dtype, value.reshape(sizes) if value.size else None)


def _parsed(
    parse: Any, serialized: Any, dense: Mapping[str, object], sparse: Mapping[str, object],
    ragged: Mapping[str, object],
) -> list[Any]:  # fmt: skip
    found = parse(serialized, {**dense, **sparse, **ragged})
    parts = [found[key] for key in sparse]
    rows = [found[key] for key in ragged]
    return [
        [part.indices for part in parts],
        [part.values for part in parts],
        [part.dense_shape for part in parts],
        [found[key] for key in dense],
        [part.values if isinstance(part, tf.RaggedTensor) else part for part in rows],
        [
            part.row_splits if isinstance(part, tf.RaggedTensor) else tf.stack([0, tf.size(part)])
            for part in rows
        ],
    ]


def _features(
    sparse_keys: Sequence[str], dense_keys: Sequence[str], inputs: dict, attrs: dict
) -> tuple[dict[str, Any], dict[str, Any]]:
    dense = {
        key: _dense(dtype, shape, default)
        for key, dtype, shape, default in zip(
            dense_keys,
            attrs["Tdense"],
            attrs["dense_shapes"],
            inputs["dense_defaults"],
            strict=True,
        )
    }
    sparse = {
        key: tf.io.VarLenFeature(dtype)
        for key, dtype in zip(sparse_keys, attrs["sparse_types"], strict=True)
    }
    return dense, sparse


def _parse_example(builder: object, node: object, inputs: dict, attrs: dict) -> list[Any]:
    dense, sparse = _features(
        _keys(inputs["sparse_keys"]), _keys(inputs["dense_keys"]), inputs, attrs
    )
    return _parsed(tf.io.parse_example, inputs["serialized"], dense, sparse, {})[:4]


def _parse_example_2(builder: object, node: object, inputs: dict, attrs: dict) -> list[Any]:
    dense, sparse = _features(
        _keys(inputs["sparse_keys"]), _keys(inputs["dense_keys"]), inputs, attrs
    )
    kinds = zip(attrs["ragged_value_types"], attrs["ragged_split_types"], strict=True)
    ragged = {
        key: tf.io.RaggedFeature(dtype, row_splits_dtype=splits)
        for key, (dtype, splits) in zip(_keys(inputs["ragged_keys"]), kinds, strict=True)
    }
    return _parsed(tf.io.parse_example, inputs["serialized"], dense, sparse, ragged)


def _parse_single_example(builder: object, node: object, inputs: dict, attrs: dict) -> list[Any]:
    dense, sparse = _features(attrs["sparse_keys"], attrs["dense_keys"], inputs, attrs)
    return _parsed(tf.io.parse_single_example, inputs["serialized"], dense, sparse, {})[:4]


HANDLERS.update(
    ParseExample=_parse_example,
    ParseExampleV2=_parse_example_2,
    ParseSingleExample=_parse_single_example,
)
