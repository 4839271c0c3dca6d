"""Configurations that Keras 3 writes, in the form of Keras 2."""

from __future__ import annotations

import inspect
from typing import Any

from eagerflow import keras
from eagerflow.keras import naming
from eagerflow.keras.saving import registration
from eagerflow.keras.typing import Config

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
    "groups": (1,),
    "input_length": (None,),
    "softmax_robust_masking": (False,),
    "noise_shape": (None,),
    "rng_type": ("stateful",),
}
# Entries of Keras 3 with these values are dropped if a class here has no such argument.
_USUAL = {
    "data_format": ("channels_last",),
    "fill_mode": ("constant",),
    "fill_value": (0.0,),
    "oov_method": ("floormod",),
    "value_range": ([0, 255],),
}
# Options that change results: classes without them must refuse them.
_TELLING = frozenset({"pad_to_aspect_ratio"})
# Metrics that count: Keras 3 does that in integers, Keras 2 in floats.
_COUNTING = frozenset({"BinaryIoU", "IoU", "MeanIoU", "OneHotIoU", "OneHotMeanIoU"})
_PLAIN_CONVOLUTION = ("kernel_initializer", "kernel_regularizer", "kernel_constraint")
# Classes whose default input shape is [None, None].
_TAKE_ANY_SHAPE = frozenset({"Embedding", "Normalization"})
# Classes that have another name than Keras 3 exports them by.
_RENAMED = {"GroupedQueryAttention": "GroupQueryAttention"}
_HISTORY = "__keras_tensor__"
_SLICE = "__slice__"


def translated(config: object) -> Any:
    """A configuration, or a structure of them, in the form of Keras 2."""
    if isinstance(config, list):
        return [translated(item) for item in config]
    if not isinstance(config, dict):
        return config
    if config.get("class_name") == "DTypePolicy" and "config" in config:
        return config["config"]["name"]
    if _is_operation(config):
        return _operation(config) or config
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
    if result.get("class_name") in _RENAMED and not _is_of_program(result):
        result["class_name"] = _RENAMED[result["class_name"]]
    inner = result.get("config")
    if isinstance(inner, dict) and isinstance(inner.get("layer"), dict):
        # The layer that a wrapper was constructed with; Bidirectional's copies have the weights.
        result["config"] = inner = {**inner, "layer": {**inner["layer"]}}
        if result.get("class_name") == "Bidirectional":
            inner["layer"].pop("build_config", None)
    if isinstance(inner, dict) and "class_name" in result:
        result["config"] = _accepted(result, inner)
        _wrap_places(result["config"])
    return result


def _is_of_program(entry: dict[str, Any]) -> bool:
    """Whether an entry's class is a program's own, which may have the name of one of Keras's.

    HDF5 files do not name the modules of classes.
    """
    name = entry.get("class_name")
    if name is None or "config" not in entry:
        return False
    if "module" not in entry:
        return name in registration.known_objects()
    return not str(entry["module"] or "").startswith(("keras", "tf_keras", "tensorflow."))


def portable(config: object, owner: str | None = None, renames: bool = True) -> Any:
    """A configuration for files, without the entries of Keras 2 that have their defaults.

    Functional models get the class name that both versions read.

    Args:
        config: a configuration, or a structure of them.
        owner: the name of the class whose arguments it has.
        renames: whether functional models get that name.
    """
    if isinstance(config, (list, tuple)):
        return [portable(item, renames=renames) for item in config]
    if not isinstance(config, dict):
        return config
    owner_inside = "" if _is_of_program(config) else config.get("class_name")
    result = {
        key: portable(value, owner_inside if key == "config" else None, renames)
        for key, value in config.items()
        if value not in _OMITTED_DEFAULTS.get(key, ()) or not _is_omitted(owner, key)
    }
    inner = result.get("config")
    if _is_of_program(config):
        return result
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
        result["config"] = inner = _without_usual(str(config.get("class_name")), inner)
    if config.get("class_name") == "Sequential" and isinstance(inner, dict):
        result["config"] = _without_repeated_shapes(inner)
    if renames and config.get("class_name") == "Functional" and "module" in config:
        result.update(module="keras", class_name="Model", registered_name="Model")
    return result


def _is_omitted(owner: str | None, key: str) -> bool:
    """Whether a class is one of Keras's whose default for an argument is among those left out."""
    if owner is None:
        return True
    cls = _class_of(owner)
    if cls is None:
        return False
    defaults = [
        inspect.signature(maker).parameters[key].default
        for maker in _constructors(cls)
        if key in inspect.signature(maker).parameters
    ]
    omitted = (*_OMITTED_DEFAULTS[key], None, inspect.Parameter.empty)
    return not defaults or defaults[0] in omitted


def _class_of(name: str) -> type | None:
    """The class of Keras that this name exports; None if there is none."""
    for module in ("layers", "optimizers", "initializers", "losses", "metrics"):
        cls = getattr(getattr(keras, module), name, None)
        if inspect.isclass(cls):
            return cls
    return None


def _constructors(cls: type) -> list[Any]:
    """The constructors of a class and of its bases, its own first."""
    return [vars(base)["__init__"] for base in cls.__mro__[:-1] if "__init__" in vars(base)]


def _without_usual(name: str, config: Config) -> dict[str, Any]:
    """A layer's configuration without default values of arguments that its class in Keras 3 lacks."""
    dropped: set[str] = set()
    if name.startswith("SeparableConv") and _is_plain(config):
        dropped.update(_PLAIN_CONVOLUTION)
    if name.startswith("SpatialDropout") or name == "Discretization":
        dropped.update({"trainable"} if config.get("trainable") is True else ())
    if name in _TAKE_ANY_SHAPE and config.get("batch_input_shape") == [None, None]:
        dropped.add("batch_input_shape")  # the default
    return (
        {key: value for key, value in config.items() if key not in dropped} if dropped else config
    )


def _is_plain(config: Config) -> bool:
    """Whether the kernel of a separable convolution, which has two others, is as no program set it."""
    initializer = config.get("kernel_initializer")
    if isinstance(initializer, dict):
        known = initializer.get("class_name"), (initializer.get("config") or {}).get("seed")
    else:
        known = (initializer, None)
    rest = [config.get(key) for key in _PLAIN_CONVOLUTION[1:]]
    return known in (("GlorotUniform", None), ("glorot_uniform", None)) and rest == [None, None]


def _without_repeated_shapes(config: Config) -> dict[str, Any]:
    """A Sequential model's configuration, with the shape of inputs only in the input layer."""
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


def _is_operation(entry: dict[str, object]) -> bool:
    """Whether an entry among layers is one of `keras.ops`; HDF5 files do not name their module."""
    config = entry.get("config")
    if not isinstance(config, dict) or "name" not in config or "inbound_nodes" not in entry:
        return False
    module = entry.get("module")
    if module is not None:
        return str(module).startswith("keras.src.ops.")
    return not {"dtype", "batch_shape", "batch_input_shape", "layers"} & config.keys()


def _operation(entry: dict[str, Any]) -> dict[str, Any] | None:
    """The layer that calls a function of `keras.ops`, for Keras 3's operation; None if there is none."""
    function = naming.snake_case(entry["class_name"])
    made = getattr(keras.ops, function, None)
    if made is None:
        return None
    parameters = list(inspect.signature(made).parameters)
    fixed = {k: v for k, v in entry["config"].items() if k in parameters and k != "name"}
    nodes = []
    for node in entry["inbound_nodes"]:
        args = [_places(value) for value in node["args"]]
        if not (args and isinstance(args[0], list) and args[0]):
            return None
        single = isinstance(args[0][0], str)
        if not single and not all(isinstance(item, list) for item in args[0]):
            return None  # Tensors among other values.
        given = {key: _places(value) for key, value in node.get("kwargs", {}).items()}
        given.update(zip(parameters[1:], args[1:], strict=False))
        given = {**fixed, **given}
        nodes.append([*args[0], given] if single else [[*item, given] for item in args[0]])
    name = entry["config"]["name"]
    return {
        "module": "tf_keras.src.layers.core.tf_op_layer",
        "class_name": "TFOpLambda",
        "registered_name": "TFOpLambda",
        "config": {"name": name, "function": f"keras.ops.{function}"},
        "name": name,
        "inbound_nodes": nodes,
    }


def _wrap_places(config: Config) -> None:
    """Wraps references to a single input in a list: Keras 3 writes them without one."""
    for key in ("input_layers", "output_layers"):
        references = config.get(key)
        if isinstance(references, list) and references and isinstance(references[0], str):
            config[key] = [references]


def _accepted(entry: dict[str, Any], config: dict[str, object]) -> dict[str, Any]:
    """The arguments without those of Keras 3 that have no effect."""
    if "batch_shape" in config and "batch_input_shape" not in config:
        config = {**config, "batch_input_shape": config["batch_shape"]}
        del config["batch_shape"]
    if _is_of_program(entry):
        return config
    name = entry["class_name"]
    if config.get("output_mode") == "int" and str(config.get("dtype")).startswith("float"):
        config = {**config, "dtype": "int64"}  # in Keras 3 the dtype of inputs
    if name in ("Sequential", "Functional", "Model"):
        return {key: value for key, value in config.items() if key != "dtype"}
    config = _without_contradictions(name, config)
    cls = _class_of(name)
    if cls is None:
        return config
    taken = [set(inspect.signature(maker).parameters) for maker in _constructors(cls)]
    # Arguments of a base class that its subclass lacks.
    own = taken[0] if taken else set()
    fixed = {key for key in _USUAL if key not in own and config.get(key) in _USUAL[key]}
    known = set().union(*taken) - fixed
    known |= {"name", "trainable", "dtype", "batch_input_shape", "learning_rate", "decay"}
    return {
        key: value
        for key, value in config.items()
        if key in known
        or (key in _TELLING and value)
        or value not in (None, False, True, -1, *_USUAL.get(key, ()))
    }


def _without_contradictions(name: str, config: Config) -> dict[str, Any]:
    """The arguments without those that Keras 2 refuses in combination."""
    dropped = set()
    if name == "TextVectorization":
        dropped.add("dtype")  # In Keras 3 the type of its outputs, here of its inputs.
    if name == "Discretization" and config.get("bin_boundaries") is not None:
        dropped.add("num_bins")
    if name in _COUNTING and "int" in str(config.get("dtype")):
        dropped.add("dtype")
    return {key: value for key, value in config.items() if key not in dropped}


def _node(node: object) -> Any:
    """A layer's call in the form of Keras 2: a reference for each input, keywords at the first."""
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


def _places(value: object) -> Any:
    if isinstance(value, dict) and value.get("class_name") == _HISTORY:
        return list(value["config"]["keras_history"])
    if isinstance(value, dict) and value.get("class_name") == _SLICE:
        return dict(value["config"])
    if isinstance(value, list):
        return [_places(item) for item in value]
    if isinstance(value, dict):
        return {key: _places(item) for key, item in value.items()}
    return value
