"""Saving and loading models and weights, whatever the format."""

from __future__ import annotations

import contextlib
import os
import zipfile
from collections.abc import Iterator
from typing import Any

from eagerflow import errors
from eagerflow.checkpoint import arrays
from eagerflow.checkpoint.bundle import index_path
from eagerflow.checkpoint.restoring import restore_objects
from eagerflow.checkpoint.saving import save_objects
from eagerflow.checkpoint.state import CheckpointState, latest_checkpoint, write_state
from eagerflow.framework.context import at_once
from eagerflow.io.damage import part_of
from eagerflow.io.os_errors import path_text
from eagerflow.keras.engine.model import Model
from eagerflow.keras.saving import archive, hdf5_files, hdf5_model
from eagerflow.keras.saving.state_files import read_state
from eagerflow.keras.saving.state_files import write_state as write_tree
from eagerflow.keras.typing import CustomObjects
from eagerflow.typing import FilePath
from eagerflow.util import lazy
from eagerflow.util.regular import open_regular

# Imported when they are first used: few programs need them.
loading = lazy.Module("eagerflow.saved_model.loading")
registration = lazy.Module("eagerflow.keras.saving.registration")
saved_model = lazy.Module("eagerflow.saved_model")
serialization = lazy.Module("eagerflow.keras.saving.serialization")

# Imported when it is first used: it imports this module.
sequential = lazy.Module("eagerflow.keras.engine.sequential")

# Imported when it is first used: it imports this module.
models = lazy.Module("eagerflow.keras.engine.model")

_HDF5 = (".h5", ".hdf5", ".keras")


def _refuse_existing(path: str, overwrite: bool) -> None:
    if not overwrite and os.path.exists(path):
        raise FileExistsError(f"{path} exists. Pass overwrite=True to replace it.")


@at_once
def save_model(
    model: Model,
    filepath: FilePath,
    overwrite: bool = True,
    save_format: str | None = None,
    **kwargs: Any,
) -> None:
    """Saves a model: its configuration, weights, and how it was compiled.

    Args:
        model: the model.
        filepath: `NAME.keras` (an archive), `NAME.h5` (HDF5), or another name for a SavedModel.
        overwrite: whether a file that is there is replaced.
        save_format: "keras", "h5" or "tf"; by default from the file's name.
        **kwargs: for archives `keras_version`: 2, by default, or 3; the optimizer's variables are
            in that version's order, and the other one starts its optimizer afresh. For HDF5 and
            SavedModels `include_optimizer`, by default True: whether the optimizer and how the
            model was compiled are saved. `signatures`, `options` and
            `save_traces`, of SavedModels, are ignored.

    Raises:
        FileExistsError: if the file is there and must not be replaced.
        TypeError: for an argument that does not exist.
        ValueError: for an unknown format, an archive with another ending or more arguments, or a
            model that was not built.
        tf.errors.OpError: of the kind that fits, if the file cannot be written.

    >>> import tempfile
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
    >>> path = tempfile.mkdtemp() + "/model.keras"
    >>> tf.keras.models.save_model(model, path)
    >>> tf.keras.models.load_model(path).output_shape
    (None, 2)
    """
    path = path_text(filepath)
    kind = _kind_of(path, save_format)
    if kind == "keras":
        if not path.endswith(".keras"):
            raise ValueError(
                "Invalid `filepath` argument: expected a `.keras` extension. "
                f"Received: filepath={path}"
            )
        if kwargs.keys() - {"keras_version"}:
            raise ValueError(
                "The following argument(s) are not supported with the native Keras format: "
                f"{list(kwargs)}"
            )
    for name in kwargs:
        if name not in _OPTIONS and kind != "keras":
            raise TypeError(f"save_model() got an unexpected keyword argument '{name}'")
    include_optimizer = kwargs.get("include_optimizer", True)
    _refuse_existing(path, overwrite)
    if kind == "keras":
        archive.save_model(model, path, **kwargs)
    elif kind == "h5":
        _name_metrics(model)
        hdf5_model.save_model(model, path, include_optimizer)
    else:
        _require_inputs(model)
        _name_metrics(model)
        with contextlib.nullcontext() if include_optimizer else _uncompiled(model):
            saved_model.save(model, path)


def _name_metrics(model: Model) -> None:
    if isinstance(model, models.Model):
        model._name_metrics()


def _require_inputs(model: Model) -> None:
    """Raises a ValueError if the specs of a model's inputs are unknown."""
    if model.built or model.save_spec() is not None:
        return
    known = "`Model()`, `Model.fit()`, or `Model.predict()`"
    if isinstance(model, sequential.Sequential):
        raise ValueError(
            f"Model {model} cannot be saved because the input shape is not available. Please "
            "specify an input shape either by calling `build(input_shape)` directly, or by calling "
            f"the model on actual data using {known}."
        )
    raise ValueError(
        f"Model {model} cannot be saved either because the input shape is not available or because "
        "the forward pass of the model is not defined. To define a forward pass, please override "
        "`Model.call()`. To specify an input shape, either call `build(input_shape)` directly, or "
        f"call the model on actual data using {known}. If you have a custom training step, please "
        "make sure to invoke the forward pass in train step through `Model.__call__`, i.e. "
        "`model(inputs)`, as opposed to `model.call()`."
    )


_OPTIONS = ("include_optimizer", "signatures", "options", "save_traces")
_KINDS = {"keras_v3": "keras", "tensorflow": "tf", "hdf5": "h5"}


def _kind_of(path: str, save_format: str | None) -> str:
    """The format in which a model is saved: an HDF5 ending takes precedence over "tf"."""
    if save_format is None:
        return "keras" if path.endswith(".keras") else "h5" if path.endswith(_HDF5) else "tf"
    kind = _KINDS.get(save_format, save_format)
    if kind not in ("keras", "h5", "tf"):
        raise ValueError(
            f"Unknown `save_format` argument. Expected one of 'keras', 'tf', or 'h5'. "
            f"Received: save_format={save_format}"
        )
    return "h5" if kind == "tf" and path.endswith(_HDF5) else kind


@contextlib.contextmanager
def _uncompiled(model: Model) -> Iterator[None]:
    """Hides a model's optimizer and compilation while it is saved."""
    names = ("optimizer", "_is_compiled")
    kept = {name: model.__dict__.pop(name) for name in names if name in model.__dict__}
    try:
        yield
    finally:
        model.__dict__.update(kept)


@at_once
def load_model(
    filepath: FilePath,
    custom_objects: CustomObjects | None = None,
    compile: bool = True,
    safe_mode: bool = True,
    **kwargs: object,
) -> Any:
    """Loads a model that `save_model`, Keras 2 or Keras 3 wrote.

    Args:
        filepath: the file, or a SavedModel's folder.
        custom_objects: a program's own classes and functions by name.
        compile: whether to compile the model as it was.
        safe_mode: whether to refuse code of `Lambda` layers, which could do anything.
        **kwargs: ignored: options of SavedModels.

    Raises:
        OSError: if there is no such file.
        ValueError: if the file holds no model, or one that cannot be built.

    >>> import os, tempfile
    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
    >>> path = os.path.join(tempfile.mkdtemp(), "model.keras")
    >>> model.save(path)
    >>> again = tf.keras.models.load_model(path)
    >>> bool(tf.reduce_all(again(tf.ones([1, 3])) == model(tf.ones([1, 3]))))
    True
    """
    if hasattr(filepath, "attrs"):
        return hdf5_model.load_model(filepath, custom_objects, compile, safe_mode)
    path = path_text(filepath)
    if os.path.isdir(path):
        with (
            registration.CustomObjectScope(custom_objects or {}),
            serialization.loading_scope(safe_mode),
        ):
            return loading.load_folder(path, compile=compile)
    if not os.path.exists(path):
        raise OSError(f"No file or directory found at {path}")
    if _is_zip(path):
        return archive.load_model(path, custom_objects, compile, safe_mode)
    if path.endswith(".keras") and not _is_hdf5(path):
        raise ValueError(f"{path} is not a readable `.keras` archive: it is no zip file.")
    return hdf5_model.load_model(path, custom_objects, compile, safe_mode)


def _is_zip(path: str) -> bool:
    with open_regular(path) as file:
        return zipfile.is_zipfile(file)


def _is_hdf5(path: str) -> bool:
    with open_regular(path) as file:
        return file.read(8) == b"\x89HDF\r\n\x1a\n"


@at_once
def save_weights(
    model: Model, filepath: FilePath, overwrite: bool = True, save_format: str | None = None
) -> None:
    """Saves the weights of a model: see `Model.save_weights`."""
    path = path_text(filepath)
    if path.endswith(arrays.ENDINGS):
        _refuse_existing(path, overwrite)
        save_arrays(model, path)
        return
    kind = save_format or ("h5" if path.endswith(_HDF5) else "tf")
    kind = {"tensorflow": "tf", "keras": "h5", "hdf5": "h5"}.get(kind, kind)
    if kind == "tf" and save_format and path.endswith(_HDF5):
        raise ValueError(
            f'save_weights got save_format="tf"/"tensorflow", but the filepath ({path}) looks '
            'like an HDF5 file. Omit the ".h5"/".keras" when saving in TensorFlow format.'
        )
    if kind not in ("h5", "tf"):
        raise ValueError(
            f"Unknown format. Received: `save_format`={save_format}. Was expecting one of "
            '{"tf", "h5"}.'
        )
    if path.endswith(".weights.h5"):
        _refuse_existing(path, overwrite)
        _require_weights(model)
        with hdf5_files.writing(path) as file:
            write_tree(file, model)
    elif kind == "h5":
        _refuse_existing(path, overwrite)
        _require_weights(model)
        with hdf5_files.writing(path) as file:
            hdf5_model.write_weights(file, model)
    else:
        _refuse_existing(index_path(path), overwrite)
        save_objects(model, path)
        write_state(os.path.dirname(path), CheckpointState(path, [path]))


def save_arrays(model: Model, filepath: FilePath) -> None:
    """Saves the weights of a model as plain arrays, by the names of layers and attributes.

    Raises:
        ValueError: if the path does not end in `.safetensors` or `.npz`, or there are no weights.
        ImportError: if the package that the format needs is not installed.
    """
    _require_weights(model)
    arrays.save_arrays(model, filepath)


def _require_weights(model: Model) -> None:
    if not model.built:
        raise ValueError(
            f"Unable to save weights of {model.name}: it has none yet. Call it on data or `build` "
            "it first."
        )


@at_once
def load_weights(
    model: Model, filepath: FilePath, skip_mismatch: bool = False, by_name: bool = False
) -> Any:
    """Loads the weights of a model: see `Model.load_weights`."""
    path = path_text(filepath)
    if os.path.isdir(path):
        variables = os.path.join(path, "variables", "variables")  # the variables of a SavedModel
        path = (
            variables if os.path.exists(index_path(variables)) else latest_checkpoint(path) or path
        )
    if path.endswith(arrays.ENDINGS):
        _require_built(model)
        arrays.load_arrays(model, path)
        return None
    if os.path.exists(index_path(path)):
        if by_name:
            raise NotImplementedError(
                "Weights in TensorFlow's format cannot be loaded by name; they are found by the "
                "names of attributes anyway."
            )
        if skip_mismatch:
            raise ValueError(
                "`skip_mismatch=True` needs a file in HDF5 format: weights in TensorFlow's format are "
                "either all assigned, or none."
            )
        status = restore_objects(model, path)
        status.assert_nontrivial_match()
        # Models without a graph may make further layers when they are called.
        complete = "layer" if model._graph is not None else None
        status.report_unfilled(model.weights if model.built else (), complete)
        hdf5_model.finalize(model)
        return status
    if not os.path.isfile(path) and path.endswith(_HDF5):
        raise FileNotFoundError(f"There is no file of weights at {path}.")
    if not os.path.isfile(path):
        raise errors.NotFoundError._of(
            f"There are no weights at {path}: neither an HDF5 file nor a checkpoint."
        )
    if _is_zip(path):
        import io

        state = io.BytesIO(archive._contents(path)[1])
        with hdf5_files.reading(state) as file, part_of(path, "The weights"):
            read_state(file, model, skip_mismatch)
        return None
    _require_built(model)
    with hdf5_files.reading(path) as file, part_of(path, "The weights"):
        if "layer_names" not in file.attrs and "model_weights" not in file and _is_tree(file):
            read_state(file, model, skip_mismatch)
        elif by_name:
            hdf5_model.read_weights_by_name(hdf5_model.weights_group(file), model, skip_mismatch)
        else:
            if skip_mismatch:
                raise ValueError(
                    "When calling `model.load_weights`, `skip_mismatch` can only be set to `True` "
                    "when `by_name` is `True`."
                )
            hdf5_model.read_weights(hdf5_model.weights_group(file), model)
    hdf5_model.finalize(model)
    return None


def _is_tree(file: Any) -> bool:
    return "vars" in file or "layers" in file or not any(k in file.attrs for k in ("layer_names0",))


def _require_built(model: Model) -> None:
    if not model.built:
        raise ValueError(
            "Unable to load weights saved in HDF5 format into a subclassed Model which has not "
            "created its variables yet. Call the Model first, then load the weights."
        )
