"""Ragged and sparse tensors as constants in configurations, in Keras's form."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from eagerflow import _core, nest
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.ragged.spec import RaggedTensorSpec
from eagerflow.sparse.tensor import SparseTensorSpec

_MARK = {"_TYPE": "COMPOSITE"}
_KINDS = {"tf.RaggedTensorSpec": RaggedTensorSpec, "tf.SparseTensorSpec": SparseTensorSpec}


def encoded(value: Any) -> list[Any]:
    """The plain form of a ragged or sparse tensor.

    Raises:
        TypeError: for other composite values.
    """
    spec = value._type_spec
    sizes = spec.shape.as_list() if spec.shape.rank is not None else None
    items = [{"class_name": "TensorShape", "items": sizes}, spec.dtype.name]
    if isinstance(spec, RaggedTensorSpec):
        items += [spec.ragged_rank, spec.row_splits_dtype.name]
    elif not isinstance(spec, SparseTensorSpec):
        raise TypeError(f"{type(value).__name__} has no form in configurations: {value}")
    tensors = [
        [part.dtype.name, _plain(part.numpy().tolist())]
        for part in nest.flatten(value, expand_composites=True)
    ]
    text = json.dumps(
        {
            "class_name": "CompositeTensor",
            "spec": {
                "class_name": "TypeSpec",
                "type_spec": f"tf.{type(spec).__name__}",
                "serialized": {"class_name": "__tuple__", "items": items},
            },
            "tensors": tensors,
        }
    )
    return [dict(_MARK), text]


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value


def is_encoded(value: object) -> bool:
    """Whether a part of a configuration is what `encoded` returns."""
    return isinstance(value, list | tuple) and len(value) == 2 and value[0] == _MARK


def decoded(value: Any) -> Any:
    """The tensor that `encoded` encoded.

    Raises:
        ValueError: for another kind of value.
    """
    config = json.loads(value[1])
    kind = _KINDS.get(config["spec"]["type_spec"])
    if kind is None:
        raise ValueError(f"Configurations hold no {config['spec']['type_spec']!r} as a constant.")
    shape, *rest = config["spec"]["serialized"]["items"]
    spec = kind(TensorShape(shape["items"]), *rest)
    tensors = [_tensor(name, numbers) for name, numbers in config["tensors"]]
    return nest.pack_sequence_as(spec, tensors, expand_composites=True)


def _tensor(name: str, numbers: object) -> _core.Tensor:
    dtype = dtypes.as_dtype(name)
    if dtype == dtypes.string:
        numbers = np.vectorize(
            lambda text: text.encode("utf-8", "surrogateescape"), otypes=[object]
        )(np.asarray(numbers, object))
    return _core.convert(numbers, dtype, None)
