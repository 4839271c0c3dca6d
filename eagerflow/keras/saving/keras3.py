"""Configurations that Keras 3 writes, in the form of Keras 2."""

from __future__ import annotations

import inspect
from typing import Any

from eagerflow import keras

# Entries of Keras 3's configurations without a counterpart.
_DROPPED = frozenset(
    {"quantization_config", "input_axes", "output_axes", "renorm_clipping", "renorm_momentum"}
)
# Entries of Keras 2's, whose defaults have no counterpart in Keras 3. Whether an
# optimizer compiles its updates depends on the machine that wrote the file.
_OMITTED_DEFAULTS: dict[str, tuple[Any, ...]] = {
    "time_major": (False,),
    "jit_compile": (True, False),
    "is_legacy_optimizer": (False,),
    "steps_per_execution": (None,),
    "optional": (False,),
}
_HISTORY = "__keras_tensor__"


def translated(config: Any) -> Any:
    """A configuration, or a structure of them, in the form of Keras 2."""
    if isinstance(config, list):
        return [translated(item) for item in config]
    if not isinstance(config, dict):
        return config
    if config.get("class_name") == "DTypePolicy" and "config" in config:
        return config["config"]["name"]
    result = {
        key: translated(value)
        for key, value in config.items()
        if key not in _DROPPED and key != "inbound_nodes"
    }
    if "inbound_nodes" in config:
        result["inbound_nodes"] = [_node(node) for node in config["inbound_nodes"]]
    module = result.get("module")
    if isinstance(module, str) and module.startswith("keras.src."):
        result["module"] = module.replace("keras.src.", "tf_keras.src.")
        if result.get("class_name") == "Functional":
            result["module"] = "tf_keras.src.engine.functional"
    inner = result.get("config")
    if isinstance(inner, dict) and "class_name" in result:
        result["config"] = _accepted(result, inner)
        _wrap_places(result["config"])
    return result


def portable(config: Any) -> Any:
    """A configuration for files, without the entries of Keras 2 that have their defaults.

    Functional models get the one name by which both versions know them.
    """
    if isinstance(config, (list, tuple)):
        return [portable(item) for item in config]
    if not isinstance(config, dict):
        return config
    result = {
        key: portable(value)
        for key, value in config.items()
        if value not in _OMITTED_DEFAULTS.get(key, ())
    }
    inner = result.get("config")
    if config.get("class_name") == "BatchNormalization" and isinstance(inner, dict):
        axes = inner.get("axis")
        if isinstance(axes, list) and len(axes) == 1:
            result["config"] = inner = {**inner, "axis": axes[0]}
    if isinstance(inner, dict):
        result["config"] = inner = {
            key: value
            for key, value in inner.items()
            if (key, value) != ("reduction", "auto") and (key, value) != ("name", None)
        }
    if config.get("class_name") == "Sequential" and isinstance(inner, dict):
        result["config"] = _without_repeated_shapes(inner)
    if config.get("class_name") == "Functional" and "module" in config:
        result.update(module="keras", class_name="Model", registered_name="Model")
    return result


def _without_repeated_shapes(config: dict[str, Any]) -> dict[str, Any]:
    """A Sequential model's configuration, in which the input layer alone tells the shape."""
    layers = config.get("layers") or []
    if not layers or layers[0].get("class_name") != "InputLayer":
        return config
    rest = [
        {**layer, "config": {k: v for k, v in layer["config"].items() if k != "batch_input_shape"}}
        if isinstance(layer.get("config"), dict)
        else layer
        for layer in layers[1:]
    ]
    return {**config, "layers": [layers[0], *rest]}


def _wrap_places(config: dict[str, Any]) -> None:
    """Keras 3 writes a reference to a single input by itself, Keras 2 as a list of one."""
    for key in ("input_layers", "output_layers"):
        references = config.get(key)
        if isinstance(references, list) and references and isinstance(references[0], str):
            config[key] = [references]


def _accepted(entry: dict[str, Any], config: dict[str, Any]) -> dict[str, Any]:
    """The arguments without those that only Keras 3 has and that have no effect."""
    if "batch_shape" in config and "batch_input_shape" not in config:
        config = {**config, "batch_input_shape": config["batch_shape"]}
        del config["batch_shape"]
    name = entry["class_name"]
    if name in ("Sequential", "Functional", "Model"):
        return {key: value for key, value in config.items() if key != "dtype"}
    if not str(entry.get("module") or "keras").startswith("keras"):
        return config
    for module in ("layers", "optimizers", "initializers", "losses", "metrics"):
        cls = getattr(getattr(keras, module), name, None)
        if inspect.isclass(cls):
            break
    else:
        return config
    known: set[str] = set()
    for base in cls.__mro__:
        if base is not object and "__init__" in vars(base):
            known |= set(inspect.signature(vars(base)["__init__"]).parameters)
    known |= {"name", "trainable", "dtype", "batch_input_shape", "learning_rate", "decay"}
    return {
        key: value
        for key, value in config.items()
        if key in known or value not in (None, False, True, -1)
    }


def _node(node: Any) -> Any:
    """A layer's call in the older form: each input as a reference, keywords at the first one."""
    if not (isinstance(node, dict) and "args" in node):
        return node
    kwargs = {
        key: _places(value)
        for key, value in node.get("kwargs", {}).items()
        if value is not None and not (key == "training" and value is False)
    }
    args = [_places(value) for value in node["args"]]
    if not args:
        return [kwargs]
    first, rest = args[0], args[1:]
    for k, value in enumerate(rest):
        kwargs.setdefault(("value", "key")[k] if k < 2 else f"argument_{k}", value)
    if first and isinstance(first[0], str):
        return [[*first, kwargs]]
    return [[*reference, kwargs] for reference in first]


def _places(value: Any) -> Any:
    if isinstance(value, dict) and value.get("class_name") == _HISTORY:
        return list(value["config"]["keras_history"])
    if isinstance(value, list):
        return [_places(item) for item in value]
    if isinstance(value, dict):
        return {key: _places(item) for key, item in value.items()}
    return value
