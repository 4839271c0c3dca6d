"""TensorFlow's operations that save and restore checkpoints, which graphs may run if they are allowed to."""

from __future__ import annotations

from typing import Any

import eagerflow as tf
from eagerflow import _core
from eagerflow.checkpoint.bundle import BundleReader, remove_bundle, write_bundle
from eagerflow.framework.host_call import now_or_node
from eagerflow.framework.type_spec import TensorSpec
from eagerflow.graphdef.state_ops import Handler

HANDLERS: dict[str, Handler] = {}


def _names(tensor: _core.Tensor) -> list[str]:
    value = tensor.numpy()
    return [name.decode() for name in ([value] if isinstance(value, bytes) else value.ravel())]


def _check_whole(slices: _core.Tensor) -> None:
    for text in _names(slices):
        if text:
            raise ValueError(f"Variables are saved and restored as a whole, not in parts: {text}")


def _save(builder: object, node: object, inputs: dict, attrs: dict) -> list[_core.Tensor]:
    def save(prefix: Any, names: Any, slices: _core.Tensor, *tensors: _core.Tensor) -> None:
        _check_whole(slices)
        write_bundle(_names(prefix)[0], dict(zip(_names(names), tensors, strict=True)))

    places = (inputs["prefix"], inputs["tensor_names"], inputs["shape_and_slices"])
    arguments = (*places, *inputs["tensors"])
    now_or_node(save, None, "SaveV2", *arguments)
    return []


def _restore(builder: object, node: object, inputs: dict, attrs: dict) -> list[Any]:
    def restore(prefix: _core.Tensor, names: _core.Tensor, slices: _core.Tensor) -> list[Any]:
        _check_whole(slices)
        reader = BundleReader(_names(prefix)[0])
        return [reader.read(name) for name in _names(names)]

    outputs = [TensorSpec(None, dtype) for dtype in attrs["dtypes"]]
    arguments = (inputs["prefix"], inputs["tensor_names"], inputs["shape_and_slices"])
    return [now_or_node(restore, outputs, "RestoreV2", *arguments)]


def _merge(builder: object, node: object, inputs: dict, attrs: dict) -> list[_core.Tensor]:
    def merge(prefixes: _core.Tensor, destination: _core.Tensor) -> None:
        found = {}
        target = _names(destination)[0]
        for prefix in _names(prefixes):
            reader = BundleReader(prefix)
            found.update({name: reader.read(name) for name in reader.names()})
        write_bundle(target, found)
        for prefix in _names(prefixes):
            if attrs["delete_old_dirs"] and prefix != target:
                remove_bundle(prefix)

    arguments = (inputs["checkpoint_prefixes"], inputs["destination_prefix"])
    now_or_node(merge, None, "MergeV2Checkpoints", *arguments)
    return []


def _sharded(builder: object, node: object, inputs: dict, attrs: dict) -> list[_core.Tensor]:
    shard, count = (
        tf.strings.as_string(inputs[key], width=5, fill="0") for key in ("shard", "num_shards")
    )
    return [_core.ops.string_join("", [inputs["basename"], "-", shard, "-of-", count])]


HANDLERS.update(
    SaveV2=_save, RestoreV2=_restore, MergeV2Checkpoints=_merge, ShardedFilename=_sharded
)
