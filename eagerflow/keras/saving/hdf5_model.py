"""Models as single HDF5 files, the format of Keras 1 and 2: architecture, weights, optimizer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from eagerflow import _core
from eagerflow.framework import dtypes
from eagerflow.io.damage import check_config, part_of
from eagerflow.keras.saving import hdf5_files as files
from eagerflow.keras.saving import keras3
from eagerflow.keras.saving.json_config import as_tuples, json_default, with_lists
from eagerflow.keras.saving.memory_limit import limited_weights
from eagerflow.keras.saving.serialization import inner_without_modules
from eagerflow.keras.typing import Config
from eagerflow.typing import Array, FilePath
from eagerflow.util import lazy
from eagerflow.util.program_warnings import warn
from eagerflow.version import VERSION

if TYPE_CHECKING:
    from eagerflow.keras.engine.layer import Layer
    from eagerflow.keras.engine.model import Model
    from eagerflow.keras.optimizers.optimizer import Optimizer

# Imported when it is first used: it imports this module.
models = lazy.Module("eagerflow.keras.models")
# Imported when they are first used: few programs need them.
losses = lazy.Module("eagerflow.keras.losses")
metrics = lazy.Module("eagerflow.keras.metrics")
optimizers = lazy.Module("eagerflow.keras.optimizers")
registration = lazy.Module("eagerflow.keras.saving.registration")
keras3_state = lazy.Module("eagerflow.keras.optimizers.keras3_state")
serialization = lazy.Module("eagerflow.keras.saving.serialization")

# Imported when it is first used: it imports this package.
sequential = lazy.Module("eagerflow.keras.engine.sequential")

_TOP_LEVEL = "top_level_model_weights"
_OPTIMIZER_PARTS = "optimizer_parts"  # groups that Keras has not, and passes over


def save_model(model: Model, path: FilePath, include_optimizer: bool = True) -> None:
    """Writes a Sequential or functional model, or a subclassed one with a configuration.

    Raises:
        NotImplementedError: if the model has no configuration.
    """
    if not model._is_graph_network and not isinstance(model, sequential.Sequential):
        raise NotImplementedError(
            "Saving the model to HDF5 format requires the model to be a Functional model or a "
            "Sequential model. It does not work for subclassed models, because such models are "
            "defined via the body of a Python method, which isn't safely serializable. Consider "
            "saving the weights only, via `save_weights`."
        )
    config = model._model_config()
    if not model.built:
        raise ValueError(
            "Weights for model have not yet been created. Weights are created when the Model is "
            "first called on inputs or `build()` is called with an `input_shape`."
        )
    with files.writing(path) as file:
        file.attrs["keras_version"] = VERSION
        file.attrs["backend"] = "tensorflow"
        file.attrs["model_config"] = json.dumps(
            _without_modules(keras3.portable(config, renames=False)), default=json_default
        )
        training = training_config(model) if include_optimizer else None
        if training is not None:
            file.attrs["training_config"] = json.dumps(training, default=json_default)
        write_weights(file.create_group("model_weights"), model)
        if training is not None:
            _write_optimizer(file, model.optimizer)


def _without_modules(config: Config) -> dict[str, Any]:
    """Layers in the form of older versions of Keras: with class names alone."""
    return inner_without_modules({**config, "config": with_lists(config["config"])})


def training_config(model: Model) -> Config | None:
    if not model._is_compiled or model.optimizer is None:
        return None
    config = model.get_compile_config()
    if config is None:
        return None
    kept = {key: config.get(key) for key in ("loss", "metrics", "weighted_metrics", "loss_weights")}
    return {
        **keras3.portable(kept),
        "loss": _loss_config(keras3.portable(kept["loss"])),
        "optimizer_config": _optimizer_config(optimizers.serialize(model.optimizer)),
    }


def _optimizer_config(entry: dict[str, Any]) -> dict[str, Any]:
    """An optimizer's configuration in the form of files: without a module.

    Keras 2 registers its newer optimizers as custom objects, and reads a plain name as a legacy
    optimizer. Keras 3 reads both forms.
    """
    module = entry.get("module") or ""
    if not module.startswith("keras.optimizers"):
        return entry
    prefix = "" if module.endswith(".legacy") else "Custom>"
    return {"class_name": prefix + entry["class_name"], "config": entry["config"]}


def _loss_config(entry: object) -> Any:
    """Losses with their full names, which Keras 3 requires in files."""
    if isinstance(entry, str):
        return getattr(getattr(losses, entry, None), "__name__", entry)
    if isinstance(entry, list):
        return [_loss_config(item) for item in entry]
    if isinstance(entry, dict) and "class_name" not in entry:
        return {name: _loss_config(item) for name, item in entry.items()}
    return entry


def write_weights(group: Any, model: Model) -> None:
    """Writes each layer's weights into a group."""
    for layer in model._flatten_layers():
        layer._check_hdf5()
    group.attrs["backend"] = "tensorflow"
    group.attrs["keras_version"] = VERSION
    layers = model.layers
    files.set_names(group, "layer_names", [layer.name for layer in layers])
    # Sorted, since names may have slashes: a group is created before the groups inside it.
    for layer in sorted(layers, key=lambda layer: layer.name):
        write_group(group.create_group(layer.name), layer_weights(layer))
    write_group(group.create_group(_TOP_LEVEL), _own_weights(model))


def finalize(model: Model) -> None:
    """Lets all layers finish their state after a file was read."""
    for layer in model._flatten_layers():
        layer.finalize_state()


def layer_weights(layer: Layer) -> list[_core.Variable]:
    """A layer's weights in the order of these files: trainable ones first."""
    return list(layer.trainable_weights) + list(layer.non_trainable_weights)


def _own_weights(model: Model) -> list[Any]:
    """Weights of the model that belong to no layer and no metric."""
    inside = {id(weight) for part in [*model.layers, *model.metrics] for weight in part.weights}
    return [weight for weight in layer_weights(model) if id(weight) not in inside]


def write_group(group: Any, weights: list[Any]) -> None:
    """Writes weights into a group, each by its name."""
    names: list[str] = []
    for weight in weights:
        name, count = weight.name, 0
        while name in names:
            count += 1
            name = f"{weight.name.removesuffix(':0')}_{count}:0"
        names.append(name)
        group.create_dataset(name, data=_plain(weight))
    files.set_names(group, "weight_names", names)


def _plain(weight: Any) -> Any:
    value = weight.numpy()
    # HDF5 has no bfloat16 and no float8.
    return value.astype(np.float32) if dtypes.is_extension(value.dtype) else value


def _write_optimizer(file: Any, optimizer: Optimizer) -> None:
    weights = list(optimizer.variables)
    if weights:
        write_group(file.create_group("optimizer_weights"), weights)
    for name, part in getattr(optimizer, "_state_parts", dict)().items():
        store: dict[str, Any] = {}
        part.save_own_variables(store)
        group = file.create_group(f"{_OPTIMIZER_PARTS}/{name}")
        for key, value in store.items():
            group.create_dataset(key, data=value)


def load_model(
    source: object, custom_objects: object = None, compile: bool = True, safe_mode: bool = True
) -> Model:
    """A model from such a file. Code in it (of `Lambda` layers) runs only without `safe_mode`.

    Raises:
        DamagedFileError: if the file is damaged; it names the part.
        TypeError: if a class does not accept its arguments in the configuration.
        ValueError: if the file holds no model, or code that must not run.
    """
    with (
        files.reading(source) as file,
        registration.CustomObjectScope(custom_objects or {}),
        serialization.loading_scope(safe_mode),
        limited_weights(files.array_bytes(file)),
    ):
        if "model_config" not in file.attrs:
            raise ValueError(
                f"No model config found in the file at {source}: it holds weights only. Make the "
                "model by your code and call `load_weights`."
            )
        name = str(file.filename)
        with part_of(name, "model_config"):
            config = json.loads(files.text(file.attrs["model_config"]))
            check_config(config, name, "model_config")
            model = models.model_from_config(keras3.translated(as_tuples(config)))
        with part_of(name, "model_weights"):
            read_weights(file["model_weights"], model)
            finalize(model)
        if compile:
            with part_of(name, "training_config"):
                _compile(model, file)
    return model


def _compile(model: Model, file: Any) -> None:
    if "training_config" not in file.attrs:
        warn(
            "No training configuration found in the save file, so the model was *not* compiled. "
            "Compile it manually."
        )
        return
    config = as_tuples(json.loads(files.text(file.attrs["training_config"])))
    compile_from_config(model, config)
    optimizer = model.optimizer
    if "optimizer_weights" not in file:
        return
    optimizer.build(model.trainable_variables)
    group = file["optimizer_weights"]
    values = keras3_state.values_for(optimizer, group_values(group))
    variables = list(optimizer.variables)
    if [np.shape(value) for value in values] != [tuple(v.shape) for v in variables]:
        warn(
            "Error in loading the saved optimizer state. As a result, your model is starting with "
            "a freshly initialized optimizer."
        )
        return
    for variable, value in zip(variables, values, strict=True):
        variable.assign(value)
    for name, part in getattr(optimizer, "_state_parts", dict)().items():
        if (path := f"{_OPTIMIZER_PARTS}/{name}") in file:
            group = file[path]
            part.load_own_variables({key: files.dataset(group, key)[()] for key in group})


def compile_from_config(model: Model, config: Config) -> None:
    """Compiles a model with the training configuration of its file."""
    arguments = {
        key: keras3.translated(config.get(key))
        for key in ("loss", "metrics", "weighted_metrics", "loss_weights")
    }
    arguments = {key: _deserialized(key, value) for key, value in arguments.items()}
    optimizer_config = keras3.translated(config["optimizer_config"])
    # Keras 2.11 and later register their optimizers under the package "Custom".
    plain = str(optimizer_config["class_name"]).removeprefix("Custom>")
    if hasattr(optimizers, plain):
        optimizer_config = {
            **optimizer_config,
            "class_name": plain,
            "module": "keras.optimizers",
            "registered_name": None,
        }
    # Only legacy optimizers have no weight decay.
    known = optimizer_config["config"]
    optimizer = optimizers.deserialize(
        optimizer_config, use_legacy_optimizer=bool(known) and "weight_decay" not in known
    )
    model.compile(optimizer=optimizer, **arguments)
    model._name_metrics()


def _deserialized(key: str, value: object) -> Any:
    """Losses and metrics from their configurations, in any structure."""
    if isinstance(value, dict) and "class_name" in value and "config" in value:
        return (losses if key == "loss" else metrics).deserialize(value)
    if isinstance(value, dict):
        return {name: _deserialized(key, item) for name, item in value.items()}
    if isinstance(value, list):
        items = [_deserialized(key, item) for item in value]
        # Keras nests the metrics of a single output in an additional list.
        single = key in ("metrics", "weighted_metrics") and len(items) == 1
        return items[0] if single and isinstance(items[0], list) else items
    return value


def weights_group(file: Any) -> Any:
    """The group with the weights, in a file of weights or of a whole model."""
    return file["model_weights"] if "model_weights" in file else file


def group_values(group: object) -> list[Any]:
    """The arrays of the weights in a group."""
    return [files.dataset(group, name)[()] for name in files.names(group, "weight_names")]


def read_weights(group: Any, model: Model) -> None:
    """Assigns weights by the order of the layers that have weights; all or none.

    Raises:
        ValueError: if layers or shapes differ; it names all that do.
    """
    layers = [layer for layer in model.layers if layer.weights]
    stored = [name for name in files.names(group, "layer_names") if len(_names_in(group, name))]
    if len(stored) != len(layers):
        raise ValueError(
            f"Layer count mismatch when loading weights from file. Model expected {len(layers)} "
            f"layers, found {len(stored)} saved layers."
        )
    pairs, problems = [], []
    for layer, name in zip(layers, stored, strict=True):
        weights, values = layer_weights(layer), group_values(group[name])
        problems += _differences(layer.name, weights, values)
        pairs += list(zip(weights, values, strict=False))
    if _TOP_LEVEL in group:
        weights, values = _own_weights(model), group_values(group[_TOP_LEVEL])
        problems += _differences("the model itself", weights, values)
        pairs += list(zip(weights, values, strict=False))
    if problems:
        raise ValueError("The weights do not fit; none was loaded:\n  " + "\n  ".join(problems))
    for weight, value in pairs:
        weight.assign(value)


def _names_in(group: Any, name: str) -> list[str]:
    return files.names(group[name], "weight_names") if name in group else []


def _differences(where: str, weights: list[Any], values: list[Array]) -> list[str]:
    if len(weights) != len(values):
        return [f"{where} expects {len(weights)} weights, the file has {len(values)}"]
    return [
        f"{where}: {weight.name} has shape {tuple(weight.shape)}, the file has {np.shape(value)}"
        for weight, value in zip(weights, values, strict=True)
        if not weight.shape.is_compatible_with(np.shape(value))
    ]


def read_weights_by_name(group: Any, model: Model, skip_mismatch: bool = False) -> None:
    """Assigns weights to layers by their names.

    Raises:
        ValueError: if shapes differ, unless such layers are to be skipped.
    """
    stored = set(files.names(group, "layer_names"))
    pairs, problems = [], []
    for layer in model.layers:
        if layer.name not in stored:
            continue
        weights, values = layer_weights(layer), group_values(group[layer.name])
        differences = _differences(layer.name, weights, values)
        if differences and skip_mismatch:
            warn(f"Skipping loading of weights for layer {layer.name}: {'; '.join(differences)}")
            continue
        problems += differences
        pairs += list(zip(weights, values, strict=False))
    if problems:
        raise ValueError("The weights do not fit; none was loaded:\n  " + "\n  ".join(problems))
    for weight, value in pairs:
        weight.assign(value)
