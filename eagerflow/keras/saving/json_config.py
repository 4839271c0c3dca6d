"""Configurations as JSON: tuples, shapes, dtypes and arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.framework.shapes import TensorShape
from eagerflow.framework.type_spec import TypeSpec
from eagerflow.util import lazy

# Few configurations have specs.
spec_config = lazy.Module("eagerflow.keras.saving.spec_config")


def json_default(value: Any) -> Any:
    """The JSON form of a value whose type JSON lacks.

    Raises:
        TypeError: if nothing can.
    """
    if isinstance(value, TensorShape):
        sizes = None if value.rank is None else value.as_list()
        return {"class_name": "TensorShape", "items": sizes}
    if isinstance(value, dtypes.DType):
        return value.name
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist() if value.ndim else value.item()
    if isinstance(value, _core.Tensor | _core.Variable):
        return value.numpy().tolist()
    if isinstance(value, TypeSpec):
        return spec_config.encoded(value)
    if hasattr(value, "get_config"):
        return {"class_name": type(value).__name__, "config": value.get_config()}
    if callable(value) and hasattr(value, "__name__"):
        return value.__name__
    if isinstance(value, set | frozenset):
        return sorted(value)
    if isinstance(value, bytes):
        return value.decode("utf-8")
    if hasattr(value, "keys"):
        return dict(value)
    raise TypeError(f"Unable to serialize {value} to JSON. Unrecognized type {type(value)}.")


def with_lists(config: object) -> Any:
    """The result of `get_config`, with lists in place of arrays: the form in HDF5 and SavedModels.

    Layers get these lists as their arguments. Values that `get_config` has serialized itself are not
    changed: `from_config` deserializes them.
    """
    if isinstance(config, list | tuple):
        items = [with_lists(item) for item in config]
        return tuple(items) if isinstance(config, tuple) else items
    if not isinstance(config, dict):
        return config
    if config.get("class_name") in ("__numpy__", "__tensor__"):
        return config["config"]["value"]
    if "class_name" in config:
        return config
    return {
        key: [_layer_with_lists(item) for item in value]
        if key == "layers" and isinstance(value, list)
        else with_lists(value)
        for key, value in config.items()
    }


def _layer_with_lists(entry: object) -> Any:
    if isinstance(entry, dict) and isinstance(entry.get("config"), dict):
        return {**entry, "config": with_lists(entry["config"])}
    return entry


def tuples_noted(config: object) -> Any:
    """A configuration with marked tuples, from which `as_tuples` restores them."""
    if isinstance(config, dict):
        return {key: tuples_noted(value) for key, value in config.items()}
    if isinstance(config, tuple):
        return {"class_name": "__tuple__", "items": [tuples_noted(item) for item in config]}
    if isinstance(config, list):
        return [tuples_noted(item) for item in config]
    return config


def as_tuples(config: object) -> Any:
    """A configuration read from JSON, its shapes as tuples."""
    if isinstance(config, dict):
        if config.get("class_name") == "TensorShape" and "items" in config:
            return TensorShape(config["items"])
        if config.get("class_name") == "__typespec__":
            return spec_config.decoded(config)
        if config.get("class_name") == "__tuple__" and "items" in config:
            return tuple(as_tuples(item) for item in config["items"])
        return {key: as_tuples(value) for key, value in config.items()}
    if isinstance(config, list):
        return [as_tuples(item) for item in config]
    return config
