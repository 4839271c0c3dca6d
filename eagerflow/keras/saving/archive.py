"""The `.keras` format: an archive of configuration, metadata and state."""

from __future__ import annotations

import datetime
import io
import json
import os
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from eagerflow import errors
from eagerflow.io.archives import member
from eagerflow.io.damage import DamagedFileError, check_config, part_of
from eagerflow.io.os_errors import path_text
from eagerflow.io.replacing import replaced
from eagerflow.keras.saving import hdf5_files as files
from eagerflow.keras.saving import keras3
from eagerflow.keras.saving.json_config import as_tuples, json_default
from eagerflow.keras.saving.memory_limit import limited_weights
from eagerflow.keras.saving.state_files import asset_owners, read_state, write_state
from eagerflow.keras.typing import Config
from eagerflow.typing import FilePath
from eagerflow.util import lazy
from eagerflow.util.expansion import refuse_unpacking
from eagerflow.util.program_warnings import warn
from eagerflow.util.regular import open_regular
from eagerflow.version import VERSION

# Imported when they are first used: few programs need them.
registration = lazy.Module("eagerflow.keras.saving.registration")
serialization = lazy.Module("eagerflow.keras.saving.serialization")

_METADATA, _CONFIG, _STATE = "metadata.json", "config.json", "model.weights.h5"
_ASSETS = "assets"


def save_model(model: Any, path: FilePath, keras_version: int = 2) -> None:
    """Writes a model as an archive.

    Args:
        model: the model.
        path: the file.
        keras_version: 2 or 3: which of them finds the state of the optimizer. Both read the rest.

    Raises:
        ValueError: for another version.
    """
    if keras_version not in (2, 3):
        raise ValueError(f"`keras_version` must be 2 or 3. Received: {keras_version}")
    if not model.built:
        warn(
            "You are saving a model that has not yet been built. It might not contain any weights "
            "yet. Consider building the model first by calling it on some data."
        )
    config = serialization.serialize_keras_object(model)
    compile_config = getattr(model, "get_compile_config", lambda: None)()
    if compile_config is not None:
        config["compile_config"] = compile_config
    metadata = {
        "keras_version": VERSION if keras_version == 2 else "3.0.0",
        "date_saved": datetime.datetime.now().strftime("%Y-%m-%d@%H:%M:%S"),
    }
    state = io.BytesIO()
    with files._h5py().File(state, "w") as file:
        write_state(file, model, keras_version)
    with replaced(path_text(path)) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        archive.writestr(_METADATA, json.dumps(metadata))
        archive.writestr(_CONFIG, json.dumps(keras3.portable(config), default=json_default))
        archive.writestr(_STATE, state.getvalue())
        for owner, item in asset_owners(model):
            with tempfile.TemporaryDirectory() as folder:
                item.save_assets(folder)
                for file in sorted(Path(folder).rglob("*")):
                    if file.is_file():
                        inner = file.relative_to(folder).as_posix()
                        archive.write(file, f"{_ASSETS}/{owner}/{inner}")


def load_model(
    path: FilePath, custom_objects: object = None, compile: bool = True, safe_mode: bool = True
) -> Any:
    """A model from an archive. Code in it (of `Lambda` layers) runs only without `safe_mode`.

    Raises:
        DamagedFileError: if it is no such archive, or damaged; it names the part.
        TypeError: if a class does not accept its arguments in the configuration.
        ValueError: if its state does not fit.
        tf.errors.NotFoundError: if it is not there.
    """
    path = path_text(path)
    if not os.path.exists(path):
        raise errors.NotFoundError._of(f"{path}; No such file or directory")
    config, state = _contents(path)
    compile_config = config.pop("compile_config", None)
    try:
        with files.reading(io.BytesIO(state)) as file:
            with (
                registration.CustomObjectScope(custom_objects or {}),
                serialization.loading_scope(safe_mode),
                limited_weights(files.array_bytes(file)),
            ):
                with part_of(path, _CONFIG):
                    model = serialization.deserialize_as(
                        "layer", keras3.translated(as_tuples(config))
                    )
                    _build(model, config)
                    if compile and compile_config:
                        model.compile_from_config(keras3.translated(compile_config))
            with part_of(path, _STATE):
                read_state(file, model)
    except OSError as error:
        raise DamagedFileError(path, _STATE, error) from error
    _load_assets(path, model)
    return model


def _load_assets(path: str, model: object) -> None:
    """Loads the files that objects had written."""
    with open_regular(path) as file, zipfile.ZipFile(file) as archive:
        names = [name for name in archive.namelist() if name.startswith(_ASSETS + "/")]
        for owner, item in asset_owners(model):
            start = f"{_ASSETS}/{owner}/"
            own = [name for name in names if name.startswith(start)]
            if not own:
                continue
            with tempfile.TemporaryDirectory() as folder:
                for name in own:
                    target = Path(folder, name.removeprefix(start)).resolve()
                    if target.is_relative_to(Path(folder).resolve()) and not name.endswith("/"):
                        target.parent.mkdir(parents=True, exist_ok=True)
                        target.write_bytes(member(archive, name))
                item.load_assets(folder)


def _contents(path: str) -> tuple[dict[str, Any], bytes]:
    """The configuration and the state of an archive whose checksums hold."""
    part = "The list of members"
    try:
        with open_regular(path) as file, zipfile.ZipFile(file) as archive:
            size = os.fstat(file.fileno()).st_size
            refuse_unpacking("it", size, (info.file_size for info in archive.infolist()))
            part = _CONFIG
            config = json.loads(member(archive, _CONFIG))
            check_config(config, path, _CONFIG)
            part = _STATE
            state = member(archive, _STATE)
    except (DamagedFileError, MemoryError):
        raise
    except Exception as error:  # zipfile, zlib, JSON and others raise various errors
        reason = f"{error} ({path} is not a readable `.keras` archive)"
        raise DamagedFileError(path, part, reason) from error
    return config, state


def _build(model: Any, config: Config) -> None:
    build = config.get("build_config") or {}
    if not getattr(model, "built", True) and build.get("input_shape"):
        model.build_from_config(build)
